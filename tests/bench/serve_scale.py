#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What an answer of `blkreel serve` costs with many control groups: builds side by side, the same groups and devices.

  serve_scale.py [--groups 1000] [--devices 16] [--rounds 20] BINARY...

Each build counts the same IOs: every group reads and writes two of the loop devices. Then the builds answer in turns.
Prints for each the CPU time of an answer, the time until the whole answer was read, the size of it and how much the
resident memory grew; and the ratios to the first build. Needs root."""
import argparse, http.client, mmap, os, re, statistics, subprocess, sys, tempfile, time

parser = argparse.ArgumentParser()
parser.add_argument("--groups", type=int, default=1000)
parser.add_argument("--devices", type=int, default=16)
parser.add_argument("--rounds", type=int, default=20)
parser.add_argument("--perf", help="write a profile of the first build to this file")
parser.add_argument("binaries", nargs="+")
options = parser.parse_args()

if os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
    roots = ["/sys/fs/cgroup"]
else:
    roots = ["/sys/fs/cgroup/blkio", "/sys/fs/cgroup/memory"]
base = f"/blkreel-scale-{os.getpid()}"


class Server:
    def __init__(self, binary, disks):
        self.binary = binary
        command = [binary, "serve", "--listen", "127.0.0.1:0"]
        for disk in disks:
            command += ["-d", disk]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r"http://127.0.0.1:(\d+)/", line)
            if found:
                self.port = int(found[1])
                break
        else:
            sys.exit(f"{binary} does not answer")
        self.answer()
        self.before = self.resident()

    def answer(self):
        begin = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", "/metrics")
        self.text = connection.getresponse().read()
        connection.close()
        return time.monotonic() - begin

    def cpu(self):
        with open(f"/proc/{self.process.pid}/schedstat") as file:
            return int(file.read().split()[0]) / 1e9

    def resident(self):
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * mmap.PAGESIZE

    def value(self, pattern):
        return sum(float(line.rsplit(b" ", 1)[1]) for line in self.text.splitlines() if re.match(pattern, line))

    def end(self):
        self.process.terminate()
        self.process.wait()


def make_groups():
    for root in roots:
        os.mkdir(root + base)
        if "/cgroup/" not in root:
            open(f"{root}/cgroup.subtree_control", "w").write("+io +memory")
            open(f"{root}{base}/cgroup.subtree_control", "w").write("+io +memory")
        for i in range(options.groups):
            os.mkdir(f"{root}{base}/g{i:04}")


def issue(disks):
    buffer = mmap.mmap(-1, 4096)
    descriptors = [os.open(disk, os.O_RDWR | os.O_DIRECT) for disk in disks]
    for i in range(options.groups):
        for root in roots:
            open(f"{root}{base}/g{i:04}/cgroup.procs", "w").write(str(os.getpid()))
        for at in (i, i + 1 + i % (len(disks) - 1)):
            os.preadv(descriptors[at % len(disks)], [buffer], 0)
            os.pwritev(descriptors[at % len(disks)], [buffer], 4096)
    for root in roots:
        open(f"{root}/cgroup.procs", "w").write(str(os.getpid()))
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


with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
    disks, servers = [], []
    try:
        for i in range(options.devices):
            with open(f"{folder}/{i}", "w") as file:
                file.truncate(1 << 20)
            disks.append(subprocess.check_output(["losetup", "--find", "--show", f"{folder}/{i}"], text=True).strip())
        make_groups()
        servers = [Server(binary, disks) for binary in options.binaries]
        issue(disks)
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
        for disk in disks:
            subprocess.run(["losetup", "-d", disk], check=True)
        for root in roots:
            for group in [f"{base}/g{i:04}" for i in range(options.groups)] + [base]:
                if os.path.isdir(root + group):
                    os.rmdir(root + group)
