#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What an answer of `blkreel serve` costs with many control groups: builds side by side, the same groups and devices.

  serve_scale.py [--groups 1000] [--devices 16] [--rounds 20] BINARY...

Each build counts the same IOs: every group reads and writes two of the loop devices. Then the builds answer in turns.
Prints for each the CPU time of an answer, the time until the whole answer was read, the size of it and how much the
resident memory grew; and the ratios to the first build. Needs root."""
import argparse
import mmap
import os
import statistics
import subprocess

from serve_process import Groups, Server, loop_devices

parser = argparse.ArgumentParser()
parser.add_argument("--groups", type=int, default=1000)
parser.add_argument("--devices", type=int, default=16)
parser.add_argument("--rounds", type=int, default=20)
parser.add_argument("--perf", help="write a profile of the first build to this file")
parser.add_argument("binaries", nargs="+")
options = parser.parse_args()


def issue(groups, disks):
    buffer = mmap.mmap(-1, 4096)
    descriptors = [os.open(disk, os.O_RDWR | os.O_DIRECT) for disk in disks]
    for i in range(options.groups):
        groups.enter(f"g{i:04}")
        for at in (i, i + 1 + i % (len(disks) - 1)):
            os.preadv(descriptors[at % len(disks)], [buffer], 0)
            os.pwritev(descriptors[at % len(disks)], [buffer], 4096)
    groups.leave()
    for descriptor in descriptors:
        os.close(descriptor)


def measure(servers):
    for server in servers:
        server.cpus, server.times, server.sizes = [], [], []
        server.answer()
    for _ in range(options.rounds):
        for server in servers:
            cpu = server.cpu()
            server.times.append(server.answer())
            server.cpus.append(server.cpu() - cpu)
            server.sizes.append(len(server.text))


def report(servers):
    first = servers[0]
    for server in servers:
        ios = server.value(rb"blkreel_cgroup_ios_total\{")
        print(f"{server.binary}: cpu {statistics.median(server.cpus) * 1e3:.1f} ms, whole {statistics.median(server.times) * 1e3:.1f} ms"
              f" (least {min(server.times) * 1e3:.1f}), {max(server.sizes)} bytes, grew {(server.resident() - server.before) / 1e6:.1f} MB,"
              f" ios {ios:.0f}, lost {server.value(rb'blkreel_lost_events_total'):.0f}, no room {server.value(rb'blkreel_cgroup_no_room_ios_total'):.0f}")
        if server is not first:
            print(f"  ratio: cpu x{statistics.median(a / b for a, b in zip(server.cpus, first.cpus)):.3f},"
                  f" whole x{statistics.median(a / b for a, b in zip(server.times, first.times)):.3f}")


with loop_devices(options.devices, 1 << 20) as disks:
    groups, servers = Groups(), []
    try:
        for i in range(options.groups):
            groups.make(f"g{i:04}")
        servers = [Server(binary, disks) for binary in options.binaries]
        issue(groups, disks)
        if options.perf:
            profiler = subprocess.Popen(["perf", "record", "-q", "-g", "-e", "cpu-clock", "-F", "5000", "-o", options.perf, "-p", str(servers[0].process.pid)])
        measure(servers)
        if options.perf:
            profiler.send_signal(2)
            profiler.wait()
        report(servers)
    finally:
        for server in servers:
            server.end()
        groups.remove_all()
