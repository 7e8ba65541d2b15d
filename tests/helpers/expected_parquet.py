#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints what Parquet files must hold, from `blkreel dump --format csv` alone, without Arrow or an SQL engine.

    expected_parquet.py rows CSV...      each row as Python values, one JSON object a line
    expected_parquet.py devices|sizes HOST=CSV...   the answers to the queries of docs/analytics.md
"""
import csv
import json
import re
import sys
from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal

TEXTS = "device op flags origin comm file cgroup class figure ioprio what call waker stack".split()


def value(name, raw):
    if name in TEXTS:
        text = raw.decode("utf-8", "backslashreplace")
        return text if text or name == "flags" else None
    if not raw:
        return None
    number = int(Decimal(raw.decode()) * (10**9 if name.endswith("_s") else 1))
    return number if number < 1 << 63 else None


def rows_of(path):
    with open(path, encoding="latin-1", newline="") as f:
        for row in csv.DictReader(f):
            yield {re.sub("_s$", "_ns", name): value(name, text.encode("latin-1")) for name, text in row.items()}


def nearest_rank(values, percent):
    return sorted(values)[(percent * len(values) + 99) // 100 - 1]


def devices(rows):
    groups = defaultdict(list)
    for row in rows:
        groups[row["host"], row["device"]].append(row)
    for key, group in sorted(groups.items()):
        seen = [row["latency_ns"] for row in group if row["latency_ns"] is not None]
        yield [*key, len(group), sum(row["bytes"] for row in group),
               nearest_rank(seen, 50), nearest_rank(seen, 99), max(seen)]


def sizes(rows):
    hosts, total = defaultdict(list), defaultdict(int)
    for row in rows:
        if row["op"] in ("read", "write") and row["comm"] in ("mysqld", "fio"):
            hosts[row["comm"], row["op"], row["bytes"]].append(row["host"])
            total[row["comm"], row["op"]] += 1
    for key, group in sorted(hosts.items()):
        share = Decimal(100 * len(group)) / total[key[:2]]
        yield [*key, len(group), len(set(group)), share.quantize(Decimal("0.1"), ROUND_HALF_UP)]


def main():
    what, operands = sys.argv[1], sys.argv[2:]
    if what == "rows":
        for path in operands:
            for row in rows_of(path):
                print(json.dumps(row))
        return
    rows = [row | {"host": host} for host, path in (o.split("=", 1) for o in operands) for row in rows_of(path)]
    csv.writer(sys.stdout, lineterminator="\n").writerows({"devices": devices, "sizes": sizes}[what](rows))


main()
