#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares cache rows with what tests/helpers/cached_io printed of each file.

    check_cache_rows.py TRUTHS CSV     TRUTHS: one file for each file of the rows, of the same name

The name of a file selects the checks: "cold", "warm" or "half" is the state of its pages at the start;
"faults": only page faults are counted; "bounded": reads in pieces make the misses a lower bound;
"written": the file was written.

Pages that the kernel reclaims meanwhile (evicted_pages) are absent where the file was said to be cached: figures of
what was absent or added may be off by as many.
"""
import collections
import csv
import os
import sys


def truth_of(path):
    with open(path) as lines:
        return {key: int(value) for key, value in (line.strip().split("=") for line in lines)}


def sum_rows(path):
    sums = {}
    with open(path, newline="") as lines:
        for row in csv.DictReader(lines):
            total = sums.setdefault(os.path.basename(row["file"]), {})
            for name, value in row.items():
                if value.isdigit():
                    total[name] = total.get(name, 0) + int(value)
    return sums


def read_checks(name, truth, row):
    pages = truth["faults" if "faults" in name else "pages"]
    yield "read_pages", row["read_pages"], pages
    if "absent" in truth and "bounded" not in name:
        yield "demand_miss_pages", row["demand_miss_pages"], truth["absent"]
    added = sum(row[what] for what in ("demand_miss_pages", "readahead_added_pages", "other_added_pages"))
    # The pages of an unlinked file are freed when it is closed, after the last cachestat.
    yield "added", added - (0 if "removed" in name else row["deleted_pages"]), truth["cached"] - truth["before"]
    known = sum(row[f"readahead_{what}_pages"] for what in ("used", "wasted", "untracked"))
    yield "readahead that is accounted for twice", max(0, known - row["readahead_added_pages"]), 0
    if "warm" in name:
        yield "waits", row["waits"], 0
    # A file system may read the page that a truncate cuts.
    if "cut" not in name:
        yield "other_added_pages", row["other_added_pages"], 0


def write_checks(truth, row):
    yield "write_added_pages", row["write_added_pages"], truth["cached"] - truth["before"]
    yield "dirtied_pages", row["dirtied_pages"], truth["dirty"]
    yield "demand_miss_pages", row["demand_miss_pages"], 0
    yield "written_pages", row["written_pages"], truth["pages"]
    yield "overwritten_pages", row["overwritten_pages"], truth["pages"] - truth["dirty"]


def main():
    sums = sum_rows(sys.argv[2])
    wrong = 0
    for name in sorted(os.listdir(sys.argv[1])):
        truth, row = truth_of(os.path.join(sys.argv[1], name)), sums.get(name)
        if row is None and not truth["pages"] and truth["cached"] == truth["before"]:
            row = collections.defaultdict(int)
        if row is None:
            print(f"{name}: no row")
            wrong += 1
            continue
        checks = write_checks(truth, row) if "written" in name else read_checks(name, truth, row)
        for figure, value, expected in checks:
            slack = row["evicted_pages"] if figure in ("demand_miss_pages", "added", "waits") else 0
            if abs(value - expected) > slack:
                print(f"{name}: {figure} is {value}, and should be {expected}; {truth}")
                wrong += 1
        if "bounded" in name and row["demand_miss_pages"] > truth["absent"] + row["evicted_pages"]:
            print(f"{name}: more misses than were absent")
            wrong += 1
    return wrong != 0


sys.exit(main())
