#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints a made-up workload as events for make_blktrace.py, and writes the expected rows to the file TRUTH:
one line for each request, "created issued completed op sector bytes merges error cpu depth", sorted;
times are ns after the first event.

    generate_block_events.py SEED REQUESTS TRUTH
"""
import random
import sys

MAJOR_MINOR = "259:3"
CPUS = 4


def unused(time, used):
    # Two events at one moment would have no defined order.
    while time in used:
        time += 1
    used.add(time)
    return time


def main():
    used = set()
    rng = random.Random(int(sys.argv[1]))
    requests, events = [], []
    clock = 10**9 + 7
    sector = {"R": 0, "W": 1 << 30}

    for _ in range(int(sys.argv[2])):
        clock += rng.randrange(1, 4000)
        letter = rng.choice("RRW")
        rwbs = {"R": rng.choice(["R", "RA"]), "W": rng.choice(["W", "WS", "WFS", "WSM"])}[letter]
        cpu, pid = rng.randrange(CPUS), rng.randrange(100, 105)
        sector[letter] += rng.randrange(1, 1000) * 8
        sizes = [8 * rng.randrange(1, 17) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
        starts, total = [], 0
        for size in sizes:
            starts.append(sector[letter] + total)
            total += size
        first = sector[letter]
        sector[letter] += total
        order = list(range(len(sizes)))
        rng.shuffle(order)
        time = clock
        for n, i in enumerate(order):
            events.append((time, cpu, pid, "Q", rwbs, starts[i], sizes[i], ""))
            if n:
                action = "F" if all(i < j for j in order[:n]) else "M"
                events.append((time + 1, cpu, pid, action, rwbs, starts[i], sizes[i], ""))
            else:
                events.append((time + 1, cpu, pid, "G", rwbs, starts[i], sizes[i], ""))
            time += rng.randrange(2, 500)
        issued = unused(time + rng.randrange(1, 3000), used)
        events.append((time, cpu, pid, "I", rwbs, first, total, ""))
        events.append((issued, rng.randrange(CPUS), 40, "D", rwbs, first, total, ""))
        back = []
        time = issued
        if rng.random() < 0.05:
            away = unused(time + 20, used)
            time = unused(time + 900, used)
            back.append((away, time))
            events.append((away, cpu, 40, "R", rwbs, first, total, ""))
            events.append((time, cpu, 40, "D", rwbs, first, total, ""))
        completed = unused(time + rng.randrange(10, 50000), used)
        error = -5 if rng.random() < 0.02 else 0
        if total > 8 and rng.random() < 0.05:
            events.append((completed - 5, 0, 0, "C", rwbs, first, 8, ""))
            events.append((completed, 0, 0, "C", rwbs, first + 8, total - 8, f"error={error}"))
        else:
            events.append((completed, 0, 0, "C", rwbs, first, total, f"error={error}"))
        requests.append([clock, issued, completed, {"R": "read", "W": "write"}[letter], first,
                         total * 512, len(sizes) - 1, error, cpu, back])

    events.sort()
    start = events[0][0]
    # Depth: the issues minus the completions of all others before this issue.
    changes = []
    for r in requests:
        changes += [(r[1], 1), (r[2], -1)]
        for away, again in r[9]:
            changes += [(away, -1), (again, 1)]
    changes.sort()
    depth, depths = 0, {}
    for time, change in changes:
        depth += change
        depths[time] = depth
    with open(sys.argv[3], "w") as truth:
        for r in sorted(requests):
            print(*[t - start for t in r[:3]], *r[3:9], depths[r[1]], file=truth)
    for pid, name in zip(range(100, 105), ["mysqld", "a name", "x]y", "jbd2/sda-8", "[odd"]):
        print(0, start, MAJOR_MINOR, pid, "name", name)
    for time, cpu, pid, action, rwbs, at, sectors, extra in events:
        print(cpu, time, MAJOR_MINOR, pid, action, rwbs, at, sectors, extra)


main()
