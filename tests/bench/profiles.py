#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How far the profiles of many traces are from their traces: each figure against its limit.

usage: profiles.py BLKREEL DIR TRACE.reel...   (profiles are written to DIR)
"""
import json
import math
import os
import subprocess
import sys

# name, key in [error], limit (for a ratio: in per cent)
FIGURES = [
    ("IOs", "ios_ratio", 1),
    ("bytes", "bytes_ratio", 1),
    ("reads", "read_ios_delta_pp", 0.5),
    ("sizes", "size_tvd", 0.01),
    ("seq", "sequential_delta_pp", 2),
    ("footpr", "footprint_ratio", 3),
    ("gapKS", "gap_ks", 0.05),
    ("idc10m", "idc_ratio.10ms", 25),
    ("idc1s", "idc_ratio.1s", 25),
    ("idc60s", "idc_ratio.60s", 25),
    ("peak", "peak_10ms_ratio", 25),
    ("mrc", "mrc_mae", 0.02),
    ("busyrd", "busy_reads_delta_pp", 5),
    ("byteidc", "bytes_idc_ratio", 50),
]


def value_of(error, key):
    value = error.get(key)
    return value["median"] if value else None


def off(key, value):
    """In the unit of the limit; None where the figure is not available."""
    if value is None or math.isnan(value):
        return None
    return 100 * (value - 1) if "ratio" in key else value


def run(blkreel, *arguments):
    return subprocess.run([blkreel, "-q", *arguments], check=True, stdout=subprocess.PIPE).stdout


def figures_of(blkreel, directory, trace):
    name = os.path.splitext(os.path.basename(trace))[0]
    profile = os.path.join(directory, name + ".profile")
    run(blkreel, "profile", trace, "-o", profile)
    shown = json.loads(run(blkreel, "profile", "show", "--json", profile))
    return name, shown, os.path.getsize(profile)


def cell(value, limit):
    if value is None:
        return "-"
    digits = 3 if limit < 0.1 else 2 if limit < 1 else 1
    return f"{value:.{digits}f}" + ("!" if abs(value) > limit else "")


def main():
    blkreel, directory, traces = sys.argv[1], sys.argv[2], sys.argv[3:]
    width = max(len(os.path.basename(t)) for t in traces) - 5
    print(f"{'limit':>{width + 16}}", *(f"{limit:>7}" for _, _, limit in FIGURES))
    print(f"{'trace':{width}} {'IOs':>8} {'KB':>6}", *(f"{name:>7}" for name, _, _ in FIGURES))
    missed, measured = {}, {}
    for trace in traces:
        try:
            name, shown, size = figures_of(blkreel, directory, trace)
        except subprocess.CalledProcessError as e:
            print(f"{os.path.basename(trace):{width}} failed ({e.returncode})")
            continue
        cells = []
        for figure, key, limit in FIGURES:
            value = off(key, value_of(shown["error"], key))
            measured[figure] = measured.get(figure, 0) + (value is not None)
            missed[figure] = missed.get(figure, 0) + (value is not None and abs(value) > limit)
            cells.append(f"{cell(value, limit):>7}")
        print(f"{name:{width}} {shown['ios']:>8} {size / 1e3:6.1f}", *cells, flush=True)
    print(f"{'within the limit':{width + 16}}",
          *(f"{measured[name] - missed[name]:>4}/{measured[name]}" for name, _, _ in FIGURES if name in measured))


if __name__ == "__main__":
    main()
