#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which table of a profile moves which figure? Each is taken out of the text alone; what is left out means random.

ablation.py BLKREEL STACK_DISTANCES DIR TRACE.reel...   (needs numpy)

Prints for each trace and table the figures of parts.py that move by more than their limit, from and to. Medians of
five seeds move by chance, too: a figure counts if it is as far from those of five other seeds.
"""
import os
import re
import subprocess
import sys

import numpy as np

import parts

# table: its keys, and those that are refused without it
TABLES = {
    "splits": r"pinned_bursts|split\.o\.\d+|split\.r\.\d+|split\.\d+|neighbour\.[or]\.\d+|neighbour\.\d+|read_write_correlation|reads\.\d+(\.\d+)?",
    "neighbour": r"neighbour(\.[or])?(\.\d+)?",
    "reads.N": r"reads\.\d+(\.\d+)?",
    "period": r"period(_ns|_shift|_shape(\.[or])?)?",
    "peak_cap": r"peak_cap",
    "pinned_bursts": r"pinned_bursts",
    "size classes": r"pinned_bursts|size_class\.\d|sizes_check|class[12]_split\.\d+",
    "class splits": r"class[12]_split\.\d+",
    "gap_histogram": r"gap_histogram",
    "entry_gap": r"entry_gap\.\d+",
    "gap_within": r"gap_within(\.\d+)?",
    "distances": r"distances|new_blocks|new_written_permille|reuse_check",
    "new_written_permille": r"new_written_permille",
    "next": r"next",
    "read_after_write_permille": r"read_after_write_permille",
    "straddle_permille": r"straddle_permille",
    "block_end_permille": r"block_end_permille",
    "run_recency": r"run_recency",
    "run_distance": r"run_distance",
    "aligned": r"aligned",
}


def without(text, keys):
    """The text less the lines of these keys; None if it has none of them."""
    lines, dropping, dropped = [], False, False
    for line in text.split("\n"):
        if not line.startswith(" "):
            dropping = re.fullmatch(rf"({keys}) = .*", line) is not None
            dropped |= dropping
        if not dropping:
            lines.append(line)
    return "\n".join(lines) if dropped else None


def is_far(name, before, value):
    limit = parts.RATIOS.get(name) or parts.DISTANCES.get(name) or 0.05
    if np.isnan(value) or np.isnan(before):
        return np.isnan(value) != np.isnan(before)
    if name in parts.RATIOS:
        return value <= 0 or before <= 0 or max(value / before, before / value) - 1 > limit
    return abs(value - before) > limit


def moved(bases, found):
    for name, value in found.items():
        before = [base.get(name, float("nan")) for base in bases]
        if name not in ("z.noise", "rd.most", "wr.most") and all(is_far(name, b, value) for b in before):
            yield f"{name} {before[0]:.3f} to {value:.3f}"


def main():
    blkreel, stack_distances, directory, *traces = sys.argv[1:]
    options = parts.Options(blkreel, stack_distances, seeds=5)
    for trace in traces:
        name = os.path.splitext(os.path.basename(trace))[0]
        profile = os.path.join(directory, name + ".profile")
        subprocess.run([blkreel, "-q", "profile", "--seeds", "0", trace, "-o", profile], check=True)
        with open(profile, encoding="utf-8") as file:
            text = file.read()
        recorded = parts.recorded(options, trace)
        bases = [parts.judge(options, recorded, profile, first_seed=seed) for seed in (1, 1 + options.seeds)]
        for table, keys in TABLES.items():
            shorter = without(text, keys)
            if shorter is None:
                continue
            changed = os.path.join(directory, "without.profile")
            with open(changed, "w", encoding="utf-8") as file:
                file.write(shorter)
            try:
                found = "; ".join(moved(bases, parts.judge(options, recorded, changed))) or "none"
            except parts.NoRows as why:
                found = f"refused: {why}"
            print(f"{name:13} {table:25} {len(text) - len(shorter):6} bytes  {found}", flush=True)


if __name__ == "__main__":
    main()
