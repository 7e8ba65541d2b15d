#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares access rows with what tests/helpers/cached_io printed of each operation.

    check_accesses.py TRUTHS ACCESS_CSV CACHE_CSV

TRUTHS has NAME.log and NAME for each file NAME; the name tells how the file was accessed: see "cases" in
tests/bats/record_files.bats. Each row, in order, must have the right offset, bytes, pages and misses.
"""
import csv
import os
import sys

PAGE = os.sysconf("SC_PAGESIZE")
OPS = {"sendfile": "splice", "splice": "splice", "copied": "splice", "written": "write", "faults": "fault"}


def read_csv(path):
    with open(path, newline="") as lines:
        return list(csv.DictReader(lines))


def expected(path):
    with open(path) as lines:
        # An operation that reads nothing has no row.
        return [row for row in (tuple(map(int, line.split())) for line in lines) if row[1]]


def op_of(name):
    return next((op for word, op in OPS.items() if word in name), "read")


def number(row, name):
    return int(row[name] or 0)


def compare(name, wanted, rows, truth):
    seen = [(number(r, "offset"), number(r, "bytes"), number(r, "hit_pages") + number(r, "miss_pages"),
             number(r, "miss_pages")) for r in rows]
    if "uring" in name:  # bytes are whole pages
        wanted = [(offset, pages * PAGE, pages, absent) for offset, _, pages, absent in wanted]
        if any("io_uring" not in r["flags"] for r in rows):
            yield "a row without the flag io_uring"
    elif "faults" not in name and not all(number(r, "duration_ns") for r in rows):
        yield "a row without a duration"
    if "faults" in name:
        if len(rows) != truth["faults"]:
            yield f"{len(rows)} faults, not {truth['faults']}"
        if sum(s[3] for s in seen) != truth["absent"]:
            yield f"{sum(s[3] for s in seen)} pages missed, not {truth['absent']}"
        return
    if "written" in name:  # the cached pages of each write are unknown
        missed = sum(s[3] for s in seen)
        if missed != truth["cached"] - truth["before"]:
            yield f"{missed} pages made, not {truth['cached'] - truth['before']}"
        seen, wanted = [s[:3] for s in seen], [w[:3] for w in wanted]
    if len(seen) != len(wanted):
        yield f"{len(seen)} rows, not {len(wanted)}"
    for i, (have, want) in enumerate(zip(seen, wanted)):
        if have != want:
            yield f"row {i}: offset, bytes, pages, missed are {have}, not {want}"
            return


def main():
    accesses, caches = read_csv(sys.argv[2]), read_csv(sys.argv[3])
    wrong = 0
    names = sorted(name for name in os.listdir(sys.argv[1]) if not name.endswith(".log"))
    if not names:
        sys.exit("nothing to compare")
    for name in names:
        with open(os.path.join(sys.argv[1], name)) as lines:
            truth = {key: int(value) for key, value in (line.strip().split("=") for line in lines)}
        mine = [r for r in accesses if os.path.basename(r["file"]) == name]
        rows = sorted((r for r in mine if r["op"] == op_of(name)), key=lambda r: number(r, "begun_ns"))
        problems = list(compare(name, expected(os.path.join(sys.argv[1], name + ".log")), rows, truth))
        other = {r["op"] for r in mine} - {op_of(name), "invalidate"}
        if other:
            problems.append(f"rows of {other}")
        gone = sum(number(r, "bytes") for r in mine if r["op"] == "invalidate") // 4096
        account = [r for r in caches if os.path.basename(r["file"]) == name]
        deleted = sum(number(r, "deleted_pages") - number(r, "evicted_pages") for r in account)
        if gone != deleted:
            problems.append(f"{gone} pages invalidated, not {deleted}")
        for problem in problems:
            print(f"{name}: {problem}", file=sys.stderr)
        wrong += len(problems)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
