# SPDX-License-Identifier: MIT
"""A recording's counts less the kernel's: truth.py BEFORE AFTER EXPLAIN.json INFO.json.

BEFORE and AFTER are lines of /sys/block/DISK/stat (the fields of kernel_counters in tests/bench/truth.bash). Prints
"FIGURE VALUE" lines; differences of ios, merges and sectors are absolute, so 0 means equal.
"""
import json
import sys

FIELDS = [(op, field) for op in ("read", "write", "discard")
          for field in ("ios", "merges", "sectors", "ticks_ms")]
FIELDS += [("flush", "ios"), ("flush", "ticks_ms")]


def numbers(path):
    with open(path) as file:
        return [int(field) for field in file.read().split()]


def main(before, after, explain, info):
    device = json.load(open(explain))["devices"][0]
    info = json.load(open(info))
    kernel = {key: b - a for key, a, b in zip(FIELDS, numbers(before), numbers(after))}
    missing = 0
    for (op, field), theirs in kernel.items():
        ours = device[op]["bytes"] // 512 if field == "sectors" else device[op][field]
        if field == "ticks_ms":
            print(f"{op}.ticks_pct {100 * (ours - theirs) / max(theirs, 1):.3f}")
            continue
        print(f"{op}.{field} {abs(ours - theirs)}")
        if field == "ios":
            missing += theirs - ours
    print(f"ios {info['rows']['io']}")
    print(f"missing_ios {abs(missing)}")
    print(f"lost {info['lost']['total']}")
    print(f"unaccounted_ios {abs(missing - info['lost']['io_ring'])}")


main(*sys.argv[1:])
