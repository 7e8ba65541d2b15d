# SPDX-License-Identifier: MIT
"""
Makes the kernel merge two requests that wait in the IO scheduler of a device whose driver is full and stopped.

  merge_requests.py DEVICE STOP CONTINUE

STOP and CONTINUE are commands that stop the driver and let it go on. Writes of 4 KiB fill the driver. Then
block 0, block 2 and block 1 are written: the write of block 1 joins the two others to one request.
"""
import mmap
import os
import subprocess
import sys
import threading
import time

DEVICE, STOP, CONTINUE = sys.argv[1:4]
BLOCK = 4096
DRIVER = 128  # requests that a loop device accepts


# Fields of the device's statistics. The file `inflight` beside it counts only the driver's requests in newer kernels.
WRITE_MERGES, IN_FLIGHT = 5, 8


def statistic(field):
    with open(f"/sys/block/{os.path.basename(DEVICE)}/stat") as f:
        return int(f.read().split()[field])


def wait_for(field, count):
    for _ in range(600):
        if statistic(field) >= count:
            return
        time.sleep(0.05)
    sys.exit(f"field {field} is {statistic(field)}, not {count}")


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
merges = statistic(WRITE_MERGES)
subprocess.run(STOP, shell=True, check=True)
try:
    for i in range(DRIVER):
        start(100 + 2 * i)
    wait_for(IN_FLIGHT, DRIVER)
    start(90)  # goes from the scheduler to the driver and waits for a tag of the driver
    for i, block in enumerate((0, 2)):
        wait_for(IN_FLIGHT, DRIVER + 1 + i)
        start(block)
    wait_for(IN_FLIGHT, DRIVER + 3)
    start(1)
    wait_for(WRITE_MERGES, merges + 2)
finally:
    subprocess.run(CONTINUE, shell=True, check=True)
for each in threads:
    each.join()
