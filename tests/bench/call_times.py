# SPDX-License-Identifier: MIT
"""Compares the calls of a recording with those that calls.bt saw: call_times.py NAME EXPLAINED CALLS.

EXPLAINED is from explain --json. Prints a line for each kind of call: count and seconds of both, and
by how many per cent the seconds of blkreel's causes differ.
"""
import collections
import json
import re
import sys

KINDS = {0: "read", 17: "read", 19: "read", 295: "read", 327: "read",
         1: "write", 18: "write", 20: "write", 296: "write", 328: "write",
         74: "fsync", 75: "fdatasync", 277: "sync", 326: "splice",
         208: "aio_wait", 333: "aio_wait", 209: "aio_submit", 426: "io_uring"}


def main(name, explained, calls):
    ours = collections.Counter()
    theirs = collections.Counter()
    for task in json.load(open(explained))["waits"]["tasks"]:
        for call in task["calls"]:
            ours[call["kind"], "count"] += call["count"]
            ours[call["kind"], "ns"] += sum(cause["ns"] for cause in call["causes"])
    for what, number, value in re.findall(r"@(count|ns)\[(\d+)\]: (\d+)", open(calls).read()):
        theirs[KINDS[int(number)], what] += int(value)
    for kind in sorted({kind for kind, _ in theirs}):
        mine, other = ours[kind, "ns"], theirs[kind, "ns"]
        print(f"{name}\t{kind}\t{ours[kind, 'count']}\t{theirs[kind, 'count']}\t{mine / 1e9:.3f}\t"
              f"{other / 1e9:.3f}\t{100 * (mine - other) / max(other, 1):+.2f}")


main(*sys.argv[1:])
