# SPDX-License-Identifier: MIT
"""
Makes the kernel merge two requests that wait in the IO scheduler of a device whose driver is full and stands still.

  merge_requests.py DEVICE STAND-STILL GO-ON

Writes of 4 KiB fill the driver; then one block, the block after the next, and the one between: the first and the
last become one request. STAND-STILL is run first, GO-ON when all is waiting.
"""
import mmap
import os
import subprocess
import sys
import threading
import time

DEVICE, STAND_STILL, GO_ON = sys.argv[1:4]
BLOCK = 4096
DRIVER = 128  # requests that a loop device takes


def in_flight():
    # The file `inflight` beside it counts what the driver has, in newer kernels.
    with open(f"/sys/block/{os.path.basename(DEVICE)}/stat") as f:
        return int(f.read().split()[8])


def wait_for(count):
    for _ in range(600):
        if in_flight() >= count:
            return
        time.sleep(0.05)
    sys.exit(f"{in_flight()} in flight, not {count}")


def write(block):
    fd = os.open(DEVICE, os.O_WRONLY | os.O_DIRECT)
    os.pwrite(fd, buffer, block * BLOCK)
    os.close(fd)


def start(block):
    thread = threading.Thread(target=write, args=(block,))
    thread.start()
    threads.append(thread)


buffer = mmap.mmap(-1, BLOCK)
threads = []
subprocess.run(STAND_STILL, shell=True, check=True)
try:
    for i in range(DRIVER):
        start(100 + 2 * i)
    wait_for(DRIVER)
    start(90)  # has left the scheduler for the driver's door
    for i, block in enumerate((0, 2)):
        wait_for(DRIVER + 1 + i)
        start(block)
    wait_for(DRIVER + 3)
    start(1)
    time.sleep(0.2)
finally:
    subprocess.run(GO_ON, shell=True, check=True)
for each in threads:
    each.join()
