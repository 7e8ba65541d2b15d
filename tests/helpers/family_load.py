#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Direct writes by a family of processes: family_load.py DEVICE GO PID_FILE

Forks a child, writes its own number into PID_FILE and waits until the file GO exists. Then the child
writes 10 blocks, a process that is forked now 20, its child 30, and the first process 5.
"""
import mmap
import os
import sys
import time

device, go, pid_file = sys.argv[1:]
memory = mmap.mmap(-1, 4096)


def write(count):
    file = os.open(device, os.O_RDWR | os.O_DIRECT)
    for block in range(count):
        os.pwritev(file, [memory], 4096 * block)
    os.close(file)


def wait_for_go():
    while not os.path.exists(go):
        time.sleep(0.01)


def fork(work):
    if os.fork() == 0:
        work()
        os._exit(0)


def early():
    wait_for_go()
    write(10)


def late():
    fork(lambda: write(30))
    os.wait()
    write(20)


fork(early)
with open(f"{pid_file}.new", "w", encoding="ascii") as file:
    file.write(str(os.getpid()))
os.rename(f"{pid_file}.new", pid_file)
wait_for_go()
fork(late)
os.wait()
os.wait()
write(5)
