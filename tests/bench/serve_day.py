#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A day of `blkreel serve` in some minutes: as many answers, and as many control groups that come and go.

  serve_day.py [--answers 1440] [--groups 14400] [--living 100] [--devices 4] BINARY

No clock is changed: what a day has between two answers, a minute apart, follows without a pause. A group lives for
about --living others. It reads and writes the loop devices, and a file through the page cache, more in some hours than
in others. Before the day comes its largest answer, of three times as many groups: what that needs stays. Prints memory, descriptors and losses
after each tenth. Fails when the memory at the end is more than 1 MiB above that of the first tenth, when descriptors
are not as many as then, when the IOs of the devices are not those of the groups, or when more are missing of the
kernel's than are counted as lost. Needs root."""
import argparse
import mmap
import os
import random
import subprocess
import sys
import tempfile
import time

from serve_process import Groups, Server, loop_devices

SLACK_BYTES = 1 << 20
FILE_BYTES = 16 << 20
# The most IOs in a group's life, hour by hour.
HOURS = [2, 2, 1, 1, 2, 4, 8, 16, 32, 48, 32, 16, 24, 32, 48, 48, 32, 32, 16, 16, 8, 8, 4, 2]

parser = argparse.ArgumentParser()
parser.add_argument("--answers", type=int, default=1440)
parser.add_argument("--groups", type=int, default=14400)
parser.add_argument("--living", type=int, default=100)
parser.add_argument("--devices", type=int, default=4)
parser.add_argument("binary")
options = parser.parse_args()


def kernel_ios(disk):
    """Reads, writes, discards and flushes that the kernel completed."""
    with open(f"/sys/block/{os.path.basename(disk)}/stat") as file:
        words = [int(word) for word in file.read().split()]
    return words[0] + words[4] + words[11] + words[15]


class Load:
    """What a group does in its life, on the disks but the first, and in files of the first."""

    def __init__(self, disks, folder):
        self.buffer = mmap.mmap(-1, 4096)
        self.disks = [os.open(disk, os.O_RDWR | os.O_DIRECT) for disk in disks[1:]]
        self.file = os.open(folder + "/file", os.O_RDWR | os.O_CREAT)
        os.write(self.file, bytes(FILE_BYTES))
        os.fsync(self.file)

    def run(self, most):
        for _ in range(random.randint(0, most)):
            disk = random.choice(self.disks)
            at = random.randrange(256) * 4096
            if random.random() < 0.7:
                os.preadv(disk, [self.buffer], at)
            else:
                os.pwritev(disk, [self.buffer], at)
        if random.random() < 0.3:
            self.read_file()

    def read_file(self):
        at = random.randrange(FILE_BYTES // 65536) * 65536
        os.posix_fadvise(self.file, at, 65536, os.POSIX_FADV_DONTNEED)
        os.pread(self.file, 65536, at)
        os.pwrite(self.file, bytes(4096), at)

    def end(self):
        for descriptor in [*self.disks, self.file]:
            os.close(descriptor)


def largest_answer(server, groups, load):
    names = [f"large{i}" for i in range(3 * options.living)]
    for name in names:
        groups.make(name)
        groups.enter(name)
        for disk in load.disks:
            os.preadv(disk, [load.buffer], 0)
            os.pwritev(disk, [load.buffer], 0)
        load.read_file()
    groups.leave()
    for _ in range(3):
        server.answer()
    for name in names:
        groups.remove(name)


def live_a_day(server, groups, load, tenth):
    made, living = 0, []
    for answer in range(options.answers):
        most = HOURS[answer * len(HOURS) // options.answers]
        while made < (answer + 1) * options.groups // options.answers:
            name = f"g{made:06}"
            groups.make(name)
            living.append(name)
            made += 1
            groups.enter(name)
            load.run(most)
            if len(living) > options.living:
                groups.remove(living.pop(random.randrange(options.living)))
        if living:
            groups.enter(random.choice(living))
            load.run(most)
        groups.leave()
        server.answer()
        if (answer + 1) * 10 % options.answers < 10:
            tenth(server)


tenths = []


def tenth(server):
    lost = server.value(rb"blkreel_lost_events_total")
    tenths.append((server.resident(), server.descriptors(), lost))
    print(f"{len(tenths) * 10:3} %: {server.resident() / 1e6:.2f} MB resident, {server.descriptors()} descriptors, answer {len(server.text)} bytes,"
          f" {server.value(rb'blkreel_device_ios_total'):.0f} IOs, lost {lost:.0f},"
          f" no room {server.value(rb'blkreel_cgroup_no_room_ios_total'):.0f}, shown {server.value(rb'blkreel_cgroups_shown.*io'):.0f}", flush=True)


def judge(server, kernel):
    # A request may complete a moment after its caller knows, and what the kernel did not report is noticed at rest.
    for _ in range(10):
        time.sleep(0.5)
        server.answer()
        ios, by_group = server.value(rb"blkreel_device_ios_total"), server.value(rb"blkreel_cgroup_ios_total")
        lost = server.value(rb"blkreel_lost_events_total")
        fits = ios == by_group and 0 <= kernel() - ios <= lost
        if fits:
            break
    wrong = []
    if not fits:
        wrong.append(f"IOs: of devices {ios:.0f}, of groups {by_group:.0f}, of the kernel {kernel():.0f}, lost {lost:.0f}")
    if tenths[-1][0] > tenths[0][0] + SLACK_BYTES:
        wrong.append("memory grew")
    if len({descriptors for _, descriptors, _ in tenths}) != 1:
        wrong.append("the number of descriptors changed")
    print(f"{options.answers} answers, {options.groups} groups, {kernel():.0f} IOs, {kernel() - ios:.0f} of them in no sum, lost {lost:.0f};"
          f" memory x{tenths[-1][0] / tenths[0][0]:.4f}, CPU {server.cpu() / options.answers * 1e3:.2f} ms an answer")
    return wrong


random.seed(7)
with loop_devices(options.devices, 64 << 20) as disks, tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
    subprocess.run(["mkfs.ext4", "-q", "-b", "4096", disks[0]], check=True)
    subprocess.run(["mount", disks[0], folder], check=True)
    groups, server, load = Groups(), None, None
    try:
        load = Load(disks, folder)
        os.sync()
        server = Server(options.binary, disks)
        begin = sum(kernel_ios(disk) for disk in disks) - server.value(rb"blkreel_device_ios_total")
        largest_answer(server, groups, load)
        live_a_day(server, groups, load, tenth)
        os.sync()
        wrong = judge(server, lambda: sum(kernel_ios(disk) for disk in disks) - begin)
    finally:
        if server:
            server.end()
        groups.remove_all()
        if load:
            load.end()
        subprocess.run(["umount", folder], check=True)
for text in wrong:
    print(f"serve_day: {text}", file=sys.stderr)
sys.exit(1 if wrong else 0)
