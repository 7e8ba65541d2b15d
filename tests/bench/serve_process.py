# SPDX-License-Identifier: MIT
"""A process of `blkreel serve`, and control groups and loop devices for it: shared by the scripts serve_*.py."""
import contextlib
import http.client
import mmap
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

VERSION_2 = os.path.exists("/sys/fs/cgroup/cgroup.controllers")
ROOTS = ["/sys/fs/cgroup"] if VERSION_2 else ["/sys/fs/cgroup/blkio", "/sys/fs/cgroup/memory"]


# Devices and groups are removed at the end, after a signal too.
signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))


class Server:
    def __init__(self, binary, disks, *options):
        self.binary = binary
        command = [binary, "serve", "--listen", "127.0.0.1:0", *options]
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

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def value(self, pattern):
        """The sum of the samples of the last answer that begin so."""
        return sum(float(line.rsplit(b" ", 1)[1]) for line in self.text.splitlines() if re.match(pattern, line))

    def end(self):
        self.process.terminate()
        self.process.wait()


class Groups:
    """Control groups for IO and memory, below one of this process."""

    def __init__(self):
        self.base = f"/blkreel-serve-{os.getpid()}"
        self.names = set()
        for root in ROOTS:
            os.mkdir(root + self.base)
            if VERSION_2:
                for folder in (root, root + self.base):
                    self.write(f"{folder}/cgroup.subtree_control", "+io +memory")

    @staticmethod
    def write(path, text):
        with open(path, "w") as file:
            file.write(text)

    def make(self, name):
        for root in ROOTS:
            os.mkdir(f"{root}{self.base}/{name}")
        self.names.add(name)

    def enter(self, name):
        for root in ROOTS:
            self.write(f"{root}{self.base}/{name}/cgroup.procs", str(os.getpid()))

    @staticmethod
    def leave():
        for root in ROOTS:
            Groups.write(f"{root}/cgroup.procs", str(os.getpid()))

    def remove(self, name):
        for root in ROOTS:
            os.rmdir(f"{root}{self.base}/{name}")
        self.names.discard(name)

    def remove_all(self):
        self.leave()
        for name in list(self.names):
            self.remove(name)
        for root in ROOTS:
            os.rmdir(root + self.base)


@contextlib.contextmanager
def loop_devices(count, size):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        disks = []
        try:
            for i in range(count):
                with open(f"{folder}/{i}", "w") as file:
                    file.truncate(size)
                disks.append(subprocess.check_output(["losetup", "--find", "--show", f"{folder}/{i}"], text=True).strip())
            yield disks
        finally:
            for disk in disks:
                subprocess.run(["losetup", "-d", disk], check=True)
