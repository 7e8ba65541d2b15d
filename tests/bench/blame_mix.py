# SPDX-License-Identifier: MIT
"""Holds the blame of a mix against what its victim waited longer than alone, and against replays without a party.

blame_mix.py FOLDER OTHER...: FOLDER has alone.{json,csv}, mix.{json,csv}, and OTHER.csv of a replay without it. Prints one
line. blame_mix.py --summary FILE: of such lines.
"""
import csv
import itertools
import json
import statistics
import sys

COLUMNS = ["alone_on_others_pct", "extra_ms", "blamed_ms", "difference_pct", "pairs", "pairs_alike"]


def explained(folder, name):
    return json.load(open(f"{folder}/{name}.json"))["waits"]


def slept(waits):
    """The sleeps of the victim, in ns."""
    return sum(c["ns"] for t in waits["tasks"] if t["comm"] == "victim" for c in t["causes"] if c["cause"] != "run_queue")


def blamed(waits, culprit=None):
    """What the victim's sleeps are put on: a party, or all but itself."""
    return sum(b["ns"] for b in waits["blame"] if b["by"] == "task" and b["victim"] == "victim" and
               (b["culprit"] == culprit if culprit else b["culprit"] != "victim"))


def took(folder, name):
    """The times that the IOs of the victim took: it alone reads the first 8 MiB, and a replay plays them by itself."""
    times = [r["latency_ns"] for r in csv.DictReader(open(f"{folder}/{name}.csv")) if int(r["sector"]) < 16384]
    if "" in times:
        sys.exit(f"# {name}: the kernel did not report the end of an IO of the victim")
    return [int(t) for t in times]


def mix(folder, others):
    alone, together = explained(folder, "alone"), explained(folder, "mix")
    mixed = took(folder, "mix")
    assert mixed and len(took(folder, "alone")) == len(mixed), "an IO of the victim is missing"
    extra = sum(mixed) - len(mixed) * statistics.median(took(folder, "alone"))
    assert all(len(took(folder, o)) == len(mixed) for o in others), "a replay lacks an IO of the victim"
    gained = {o: sum(mixed) - sum(took(folder, o)) for o in others}
    on = {o: blamed(together, o) for o in others}
    pairs = list(itertools.combinations(others, 2))
    alike = sum((gained[a] > gained[b]) == (on[a] > on[b]) for a, b in pairs)
    all_on = blamed(together)
    print(f"{100 * blamed(alone) / slept(alone):.2f}\t{extra / 1e6:.1f}\t{all_on / 1e6:.1f}\t"
          f"{100 * (all_on - extra) / extra:+.2f}\t{len(pairs)}\t{alike}\t" +
          " ".join(f"{o}:{on[o] / 1e6:.0f}/{gained[o] / 1e6:.0f}" for o in others), flush=True)


def summary(name):
    rows = [line.split("\t") for line in open(name)]
    within = sum(abs(float(r[3])) <= 5 for r in rows)
    print(f"# {len(rows)} mixes: the blame is within 5 % of the extra waiting in {within}; order of pairs as that of "
          f"--without: {sum(int(r[5]) for r in rows)} of {sum(int(r[4]) for r in rows)}, whole order: "
          f"{sum(r[4] == r[5] for r in rows)}; alone at most {max(float(r[0]) for r in rows):.2f} % on others")


if sys.argv[1] == "--summary":
    summary(sys.argv[2])
else:
    mix(sys.argv[1], sys.argv[2:])
