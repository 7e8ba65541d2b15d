# SPDX-License-Identifier: MIT
"""The table at the end: summary.py SAMPLES TABLE (sample and row in tests/bench/lib.bash write them).

Every figure is the median of its samples with the smallest and the largest behind it. A ratio is
the median of the ratios of samples that were taken one after the other, not the ratio of medians.
"""
import collections
import re
import statistics
import sys


def read_samples(path):
    samples = collections.defaultdict(list)
    with open(path) as file:
        for line in file:
            key, value = line.rstrip("\n").split("\t")
            samples[key].append(float(value))
    return samples


def values_of(expression, samples):
    """The values of "KEY", "KEY*NUMBER" or "KEY/KEY*NUMBER"; empty: not measured."""
    if not expression:
        return []
    found = re.fullmatch(r"([\w.]+?)(?:/([\w.]+?))?(?:\*([\d.]+))?", expression)
    if not found:
        sys.exit(f"summary: cannot read '{expression}'")
    key, divisor, scale = found.groups()
    values = samples.get(key, [])
    if divisor:
        divisors = samples.get(divisor, [])
        if values and len(values) != len(divisors):
            sys.exit(f"summary: {key} and {divisor} do not have equally many samples")
        values = [a / b for a, b in zip(values, divisors)]
    return [value * float(scale or 1) for value in values]


def ratios_of(ours, peer):
    if not peer or len(ours) != len(peer) or not all(peer):
        return []
    return [a / b for a, b in zip(ours, peer)]


def number(value):
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"


def spread(values):
    if not values:
        return "-"
    if len(values) == 1:
        return number(values[0])
    low, high = number(min(values)), number(max(values))
    return number(statistics.median(values)) + (f" ({low}..{high})" if low != high else "")


def verdict(target, ours, ratios):
    if not target:
        return "-", "-"
    subject, relation, limit = re.fullmatch(r"(ratio)?([<>]=|~)([\d.]+)", target).groups()
    values = ratios if subject else ours
    if not values:
        return target, "not measured"
    median = statistics.median(values)
    if relation == "~":  # at most as far from 1, in both directions
        met = abs(median - 1) <= float(limit) - 1
    else:
        met = median <= float(limit) if relation == "<=" else median >= float(limit)
    return target, "met" if met else "MISSED"


def main(samples_path, table_path):
    samples = read_samples(samples_path)
    lines = [("what", "unit", "blkreel", "peer", "ratio", "target", "")]
    with open(table_path) as file:
        for row in file:
            what, unit, ours, peer, target = row.rstrip("\n").split("\t")
            ours, peer = values_of(ours, samples), values_of(peer, samples)
            ratios = ratios_of(ours, peer)
            lines.append((what, unit, spread(ours), spread(peer), spread(ratios),
                          *verdict(target, ours, ratios)))
    widths = [max(len(line[i]) for line in lines) for i in range(7)]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    print("\nmedian (smallest..largest); ratio = blkreel / peer, pair by pair")


main(*sys.argv[1:3])
