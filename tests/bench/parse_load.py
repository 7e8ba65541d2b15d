# SPDX-License-Identifier: MIT
"""Parses a blkreplay log (.load.gz) as a script would: parse_load.py FILE prints the number of IOs."""
import gzip
import sys


def parse(path):
    with gzip.open(path, "rt", errors="replace") as file:
        for line in file:
            if line.startswith("start ;"):
                break
        for line in file:
            start, sector, sectors, op, *_ = line.split(";")
            seconds, fraction = start.split(".")
            yield int(seconds) * 10**9 + int(fraction), int(sector), int(sectors), op.strip()


print(sum(1 for _ in parse(sys.argv[1])))
