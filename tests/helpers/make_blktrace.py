#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes blktrace binaries from a list of events on standard input, one a line:

    CPU TIME_NS MAJ:MIN PID ACTION RWBS SECTOR SECTORS [error=N] [to=SECTOR] [from=MAJ:MIN/SECTOR]
    CPU TIME_NS MAJ:MIN PID name COMM | wall UNIX_NS | message TEXT | raw HEX

ACTION and RWBS are the letters of blkparse (UT for the timer); 'P' in RWBS is a passthrough command,
whose SECTORS are bytes. With a PREFIX there is one file for each CPU, else all events go to standard
output in the order of the list. The layouts are those of the kernel's
include/uapi/linux/blktrace_api.h.
"""
import argparse
import struct
import sys

NUMBER = {"Q": 1, "M": 2, "F": 3, "G": 4, "S": 5, "R": 6, "D": 7, "C": 8, "P": 9, "U": 10,
          "UT": 11, "I": 12, "X": 13, "B": 14, "A": 15}
READ, WRITE, FLUSH, SYNC, QUEUE, REQUEUE, ISSUE, COMPLETE, FS, PC, NOTIFY = (1 << i for i in range(11))
AHEAD, META, DISCARD, FUA = 1 << 11, 1 << 12, 1 << 13, 1 << 15
ZONES = {"ZA": 1 << 16, "ZR": 1 << 17, "ZRA": 1 << 18, "ZF": 1 << 19, "ZO": 1 << 20, "ZC": 1 << 21,
         "WZ": 1 << 22}
CATEGORY = {"D": ISSUE, "C": COMPLETE, "R": REQUEUE, "X": 0}
CGROUP = 0x100


def categories(rwbs):
    if "P" in rwbs:
        return PC | (WRITE if "W" in rwbs else READ)
    for letters in sorted(ZONES, key=len, reverse=True):
        if rwbs.startswith(letters):
            return WRITE | ZONES[letters] | (SYNC if "S" in rwbs[len(letters):] else 0)
    bits = 0
    if rwbs[0] == "F":
        bits |= FLUSH
        rwbs = rwbs[1:]
    bits |= {"R": READ, "N": READ, "W": WRITE, "D": WRITE | DISCARD}[rwbs[0]]
    for letter in rwbs[1:]:
        bits |= {"F": FUA, "A": AHEAD, "S": SYNC, "M": META}[letter]
    return bits


def record(args, seq, time, sector, nbytes, category, number, pid, device, cpu, error, payload):
    order = ">" if args.big else "<"
    if args.cgroup and number != NUMBER["P"]:
        number |= CGROUP
        payload = struct.pack(order + "Q", 4711) + payload
    action = category << 16 | number
    magic = 0x65617400 | args.version
    if args.version == 8:
        head = struct.pack(order + "IIQQIIQIIHH12x", magic, seq, time, sector, nbytes, pid, action,
                           device, cpu, error & 0xffff, len(payload))
    else:
        head = struct.pack(order + "IIQQIIIIIHH", magic, seq, time, sector, nbytes,
                           action & 0xffffffff, pid, device, cpu, error & 0xffff, len(payload))
    return head + payload


def number_of(device):
    major, minor = device.split(":")
    return int(major) << 20 | int(minor)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", type=int, default=7)
    parser.add_argument("--big", action="store_true")
    parser.add_argument("--cgroup", action="store_true")
    parser.add_argument("--prefix")
    args = parser.parse_args()
    order = ">" if args.big else "<"
    files, sequences = {}, {}

    for line in sys.stdin:
        words = line.split("#")[0].split()
        if not words:
            continue
        cpu, time, pid = int(words[0]), int(words[1]), int(words[3])
        device = number_of(words[2])
        what = words[4]
        if what == "name":
            data = record(args, 0, time, 0, 0, NOTIFY, 0, pid, device, cpu, 0,
                          " ".join(words[5:]).encode().ljust(16, b"\0"))
        elif what == "wall":
            wall = int(words[5])
            data = record(args, 0, time, 0, 0, NOTIFY, 1, 0, device, cpu, 0,
                          struct.pack(order + "II", wall // 10**9, wall % 10**9))
        elif what == "message":
            data = record(args, 0, time, 0, 0, NOTIFY, 2, 0, device, cpu, 0,
                          " ".join(words[5:]).encode())
        elif what == "raw":
            data = bytes.fromhex("".join(words[5:]))
        else:
            rwbs, sector, sectors = words[5], int(words[6]), int(words[7])
            extra = dict(word.split("=") for word in words[8:])
            category = categories(rwbs) | CATEGORY.get(what, QUEUE)
            if what in "DCR" and "P" not in rwbs:
                category |= FS
            payload = b""
            if "to" in extra:
                payload = struct.pack(">Q", int(extra["to"]))
            if "from" in extra:
                source, at = extra["from"].split("/")
                payload = struct.pack(">IIQ", number_of(source), device, int(at))
            if what in ("U", "UT"):
                payload = struct.pack(">Q", 1)
            sequences[cpu, device] = sequences.get((cpu, device), 0) + 1
            data = record(args, sequences[cpu, device], time, sector,
                          sectors if "P" in rwbs else sectors * 512, category, NUMBER[what], pid,
                          device, cpu, int(extra.get("error", 0)), payload)
        if not args.prefix:
            sys.stdout.buffer.write(data)
            continue
        if cpu not in files:
            files[cpu] = open(f"{args.prefix}.blktrace.{cpu}", "wb")
        files[cpu].write(data)


main()
