# SPDX-License-Identifier: MIT
"""Compares the calls of a recording with those that calls.bt saw: call_times.py NAME EXPLAINED CALLS.

EXPLAINED is from explain --json. Prints a line for each kind of call: count and seconds of both, and
by how many per cent the seconds of blkreel's causes differ. Each tool sees the other one's probes as a
part of a call. By how much more than the other one blkreel sees of them is what the calls of waitnone
show, which do nothing in the same run: ns a call, and the difference in per cent without it.
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
    nothing = collections.Counter()
    for task in json.load(open(explained))["waits"]["tasks"]:
        for call in task["calls"]:
            if task["comm"] == "waitnone":
                nothing["ours"] += sum(cause["ns"] for cause in call["causes"])
                nothing["our_count"] += call["count"]
                continue
            ours[call["kind"], "count"] += call["count"]
            ours[call["kind"], "ns"] += sum(cause["ns"] for cause in call["causes"])
    for what, number, value in re.findall(r"@(count|ns)\[(\d+)\]: (\d+)", open(calls).read()):
        if int(number) >= 1000:
            nothing[what] += int(value)
        else:
            theirs[KINDS[int(number)], what] += int(value)
    probes_ns = nothing["ours"] / max(nothing["our_count"], 1) - nothing["ns"] / max(nothing["count"], 1)
    for kind in sorted({kind for kind, _ in theirs}):
        mine, other = ours[kind, "ns"], theirs[kind, "ns"]
        print(f"{name}\t{kind}\t{ours[kind, 'count']}\t{theirs[kind, 'count']}\t{mine / 1e9:.3f}\t"
              f"{other / 1e9:.3f}\t{100 * (mine - other) / max(other, 1):+.2f}\t{probes_ns:+.0f}\t"
              f"{100 * (mine - other - probes_ns * theirs[kind, 'count']) / max(other, 1):+.2f}")


main(*sys.argv[1:])
