#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Computes queues: could a device tell a profile from its trace?

queues.py BLKREEL TRACE.reel FILE.profile [SEEDS]

Every IO waits for the IOs before it in its queue, then takes the time of its row in QUEUES. Prints p50, p90
and p99 from due time to end for the trace, and the ratios profile / trace for each seed. There is no device,
so there is no noise: only order, times and sizes differ.
"""
import csv
import subprocess
import sys

# name: (speed, queue of an IO, seconds it takes), for reads (True) or others and bytes
QUEUES = {
    "3,000 reads + 3,000 others a second, 20x": (20, lambda r, b: (r, 1 / 3000)),
    "3,000 reads + 3,000 others a second, 60x": (60, lambda r, b: (r, 1 / 3000)),
    "6,000 a second, 1x": (1, lambda r, b: (0, 1 / 6000)),
    "6,000 a second, 20x": (20, lambda r, b: (0, 1 / 6000)),
    "6,000 a second, 60x": (60, lambda r, b: (0, 1 / 6000)),
    "5 us + 1,000 MB/s, 20x": (20, lambda r, b: (0, 5e-6 + b / 1e9)),
    "40 us, 15x": (15, lambda r, b: (0, 40e-6)),
    "3 us + 10,000 MB/s, 1x": (1, lambda r, b: (0, 3e-6 + b / 1e10)),
    "3 us + 10,000 MB/s, 15x": (15, lambda r, b: (0, 3e-6 + b / 1e10)),
    "20 us + 300 MB/s, 1x": (1, lambda r, b: (0, 20e-6 + b / 3e8)),
    "20 us + 300 MB/s, 20x": (20, lambda r, b: (0, 20e-6 + b / 3e8)),
    "reads 100 us, others 30 us, 10x": (10, lambda r, b: (0, 1e-4 if r else 3e-5)),
    "reads 100 us, others 30 us, 60x": (60, lambda r, b: (0, 1e-4 if r else 3e-5)),
}


def rows_of(command):
    """(seconds, is a read, bytes) by time, from CSV on the command's standard output."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        rows = sorted(
            (int(row.get("time_ns") or row["created_ns"]) / 1e9, row["op"] == "read", int(row["bytes"]))
            for row in csv.DictReader(process.stdout)
        )
    if process.returncode or not rows:
        sys.exit(f"{command[0]} gave no rows")
    return [(time - rows[0][0], is_read, size) for time, is_read, size in rows]


def waits(rows, speed, serve):
    """p50, p90 and p99 in ms."""
    free, taken = {}, []
    for time, is_read, size in rows:
        queue, seconds = serve(is_read, size)
        free[queue] = max(time / speed, free.get(queue, 0)) + seconds
        taken.append(free[queue] - time / speed)
    taken.sort()
    return [taken[len(taken) * percent // 100] * 1e3 for percent in (50, 90, 99)]


def main():
    blkreel, trace, profile = sys.argv[1:4]
    seeds = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    recorded = rows_of([blkreel, "dump", "--format", "csv", trace])
    generated = [
        rows_of([blkreel, "-q", "profile", "generate", profile, "--seed", str(seed), "--format", "csv"])
        for seed in range(1, seeds + 1)
    ]
    for name, (speed, serve) in QUEUES.items():
        of_trace = waits(recorded, speed, serve)
        ratios = [[a / b for a, b in zip(waits(rows, speed, serve), of_trace)] for rows in generated]
        print(
            f"{name:42}" + "".join(f"{value:10.3f}" for value in of_trace) + " ms  ",
            "  ".join("/".join(f"{ratio:.2f}" for ratio in seed) for seed in ratios),
        )


if __name__ == "__main__":
    main()
