#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is a profile right in every part of the trace, and would a device notice the difference?

parts.py BLKREEL STACK_DISTANCES DIR TRACE.reel...   (profiles are written to DIR; needs numpy)

Computes all figures from the IOs alone, with none of blkreel's code: medians of the seeds. A figure with "!" is
beyond its limit.
"""
import argparse
import collections
import csv
import json
import os
import subprocess
import sys

import numpy as np

RECENT_RUNS = 32
EIGHTHS = 8
FEWEST_IOS = 500  # of a part that is judged alone
ZONES = 64
BUSY_SHARE = 0.3


class NoRows(Exception):
    """A command printed no IO."""


class Ios:
    """IOs by time: seconds from the first, is a read, has data, first sector, bytes."""

    def __init__(self, time, read, data, sector, size):
        self.time, self.read, self.data, self.sector, self.size = time, read, data, sector, size

    def of(self, chosen):
        return Ios(self.time[chosen], self.read[chosen], self.data[chosen], self.sector[chosen], self.size[chosen])

    def __len__(self):
        return len(self.time)


def load(command):
    """The IOs of the busiest device."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        rows = [(int(row.get("time_ns") or row["created_ns"]), row["op"] == "read", row["op"] in ("read", "write"),
                 int(row["sector"] or 0), int(row["bytes"]), row.get("device")) for row in csv.DictReader(process.stdout)]
    if process.returncode or not rows:
        raise NoRows(" ".join(command))
    busiest = collections.Counter(row[5] for row in rows).most_common(1)[0][0]
    rows = sorted((row[:5] for row in rows if row[5] == busiest), key=lambda row: row[0])
    time, read, data, sector, size = (np.array(column) for column in zip(*rows))
    return Ios((time - time[0]) / 1e9, read, data & (size > 0), sector, size)


# Sizes, footprint, misses


def size_tvd(a, b):
    sizes = np.union1d(a.size, b.size)
    shares = [np.bincount(np.searchsorted(sizes, x.size), minlength=len(sizes)) / max(len(x), 1) for x in (a, b)]
    return np.abs(shares[0] - shares[1]).sum() / 2


class Cache:
    """Blocks of 4 KiB of the reads and writes, and how often an LRU cache of each size misses."""

    def __init__(self, ios, offset, program):
        ios = ios.of(ios.data)
        first = (ios.sector - offset) // 8
        count = (ios.sector + (ios.size + 511) // 512 - offset + 7) // 8 - first
        starts = np.repeat(first - np.concatenate(([0], np.cumsum(count)[:-1])), count) if len(ios) else first
        blocks = (starts + np.arange(len(starts))).astype(np.uint64)
        done = subprocess.run([program], input=blocks.tobytes(), stdout=subprocess.PIPE, check=True)
        distances = np.frombuffer(done.stdout, dtype=np.uint32)
        self.touches = len(blocks)
        self.footprint = int((distances == 0xFFFFFFFF).sum())
        self.distances = np.sort(distances)

    def misses(self, sizes):
        """Share of touches that miss in caches of so many blocks."""
        return 1 - np.searchsorted(self.distances, sizes, side="left") / max(self.touches, 1)


def cache_sizes(cache):
    """Four sizes an octave, up to all blocks."""
    return np.unique((2 ** np.arange(0, np.log2(max(cache.footprint, 2)) + 0.25, 0.25)).astype(np.int64))


def curve_differences(trace, other):
    sizes = cache_sizes(trace)
    return np.abs(trace.misses(sizes) - other.misses(sizes))


# Places


def run_lengths(ios):
    """For each read and write, how many IOs its run has: an IO continues one of the recent runs of its op."""
    lengths, run_of = [], []
    for wanted in (True, False):
        chosen = ios.of(ios.data & (ios.read == wanted))
        ends = (chosen.sector + (chosen.size + 511) // 512).tolist()
        recent = {}  # end: run; the most recent last
        for sector, end in zip(chosen.sector.tolist(), ends):
            run = recent.pop(sector, None)
            if run is None:
                run = len(lengths)
                lengths.append(0)
            lengths[run] += 1
            run_of.append(run)
            recent.pop(end, None)
            recent[end] = run
            if len(recent) > RECENT_RUNS:
                del recent[next(iter(recent))]
    lengths = np.array(lengths or [0])
    return lengths[np.array(run_of, dtype=int)]


def zone_shares(ios, low, high):
    ios = ios.of(ios.data)
    zone = np.clip((ios.sector - low) * ZONES // max(high - low, 1), 0, ZONES - 1)
    return np.bincount(zone, minlength=ZONES) / max(len(ios), 1)


# Times


def ks(a, b):
    if not len(a) or not len(b):
        return float("nan")
    a, b = np.sort(a), np.sort(b)
    points = np.concatenate((a, b))
    return np.abs(np.searchsorted(a, points, side="right") / len(a) - np.searchsorted(b, points, side="right") / len(b)).max()


def busiest_gaps(ios, duration):
    """Gaps of the IOs in the tenth of the seconds (a short trace: of 100 parts) that have the most."""
    window = min(1.0, duration / 100)
    index = (ios.time / window).astype(int)
    counts = np.bincount(index)
    busiest = np.argsort(-counts, kind="stable")[: max(int(duration / window / 10), 1)]
    return np.diff(ios.time)[np.isin(index[1:], busiest)]


def windows_of(ios, duration, window, weights=None):
    count = max(int(duration / window), 1)
    index = (ios.time / window).astype(int)
    inside = index < count
    return np.bincount(index[inside], minlength=count, weights=None if weights is None else weights[inside])


def idc(ios, duration, window, weights=None):
    counts = windows_of(ios, duration, window, weights)
    return counts.var() / counts.mean() if len(counts) > 1 and counts.mean() else float("nan")


def autocorrelation(ios, duration, lag):
    counts = windows_of(ios, duration, 1).astype(float)
    if len(counts) < 4 * lag or not counts.var():
        return float("nan")
    return np.corrcoef(counts[:-lag], counts[lag:])[0, 1]


# Devices without noise: each IO waits for the one before


def seconds_on_disk(ios, span):
    """A head that seeks: 0.5 ms and up to 8 ms by the root of the distance, half a turn at 7200/min, 150 MB/s."""
    ends = ios.sector + (ios.size + 511) // 512
    distance = np.abs(np.diff(ios.sector, prepend=0) - np.concatenate(([0], (ends - ios.sector)[:-1])))
    move = np.where(distance > 0, 0.5e-3 + 8e-3 * np.sqrt(np.minimum(distance / span, 1)) + 4.17e-3, 0)
    return move + ios.size / 150e6


def seconds_on_ssd(ios, span):
    del span
    return 20e-6 + ios.size / 500e6


def latencies(time, seconds):
    """Lindley's recursion: an end is the largest of all (begin + what follows)."""
    total = np.cumsum(seconds)
    return np.maximum.accumulate(time - (total - seconds)) + total - time


def device_figures(trace, others, span, seconds_on, percentiles):
    """Percentiles of latency, other / trace; time runs so that the trace keeps the device busy for BUSY_SHARE."""
    trace = trace.of(trace.data)
    speed = seconds_on(trace, span).sum() / max(trace.time[-1], 1e-9) / BUSY_SHARE
    base = np.percentile(latencies(trace.time * speed, seconds_on(trace, span)), percentiles)
    found = []
    for other in others:
        other = other.of(other.data)
        found.append(np.percentile(latencies(other.time * speed, seconds_on(other, span)), percentiles) / base)
    return np.array(found)


# All figures of a trace


class Judge:
    def __init__(self, trace, others, program):
        self.trace, self.others, self.program = trace, others, program
        self.offset = int(np.bincount(trace.sector[trace.data] % 8).argmax()) if trace.data.any() else 0
        self.duration = trace.time[-1]
        self.low, self.high = trace.sector[trace.data].min(), trace.sector[trace.data].max() + 1
        self.found = {}

    def note(self, name, values):
        values = np.array(values, dtype=float)
        self.found[name] = float(np.median(values)) if len(values) else float("nan")

    def caches(self, choose):
        return (Cache(choose(self.trace), self.offset, self.program),
                [Cache(choose(other), self.offset, self.program) for other in self.others])

    def whole(self):
        cache, others = self.caches(lambda ios: ios)
        self.note("miss", [curve_differences(cache, other).mean() for other in others])
        self.note("footpr", [other.footprint / cache.footprint for other in others])
        self.note("gapKS", [ks(np.diff(self.trace.time), np.diff(other.time)) for other in self.others])

    def parts(self):
        worst = []
        for eighth in range(EIGHTHS):
            low, high = (self.duration * at / EIGHTHS for at in (eighth, eighth + 1))
            choose = lambda ios: ios.of((ios.time >= low) & ((ios.time < high) | (eighth == EIGHTHS - 1)) & ios.data)
            trace, others = choose(self.trace), [choose(other) for other in self.others]
            if len(trace) < FEWEST_IOS:
                continue
            cache, caches = self.caches(choose)
            worst.append((np.median([size_tvd(trace, other) for other in others]),
                          np.exp(np.median([abs(np.log(max(other.footprint, 1) / cache.footprint)) for other in caches])),
                          np.median([curve_differences(cache, other).mean() for other in caches])))
        for name, values in zip(("8th.size", "8th.footpr", "8th.miss"), zip(*worst)):
            self.found[name] = float(max(values))

    def directions(self):
        for name, wanted in (("rd", True), ("wr", False)):
            choose = lambda ios: ios.of(ios.data & (ios.read == wanted))
            if len(choose(self.trace)) < FEWEST_IOS:
                continue
            cache, others = self.caches(choose)
            differences = [curve_differences(cache, other) for other in others]
            self.note(name + ".miss", [d.mean() for d in differences])
            self.note(name + ".most", [d.max() for d in differences])
            self.note(name + ".footpr", [other.footprint / cache.footprint for other in others])

    def places(self):
        runs = run_lengths(self.trace)
        self.note("runKS", [ks(runs, run_lengths(other)) for other in self.others])
        shares = [zone_shares(ios, self.low, self.high) for ios in (self.trace, *self.others)]
        tvd = lambda a, b: np.abs(a - b).sum() / 2
        noise = [tvd(a, b) for i, a in enumerate(shares[1:]) for b in shares[i + 2:]]
        self.note("zones", [tvd(shares[0], other) for other in shares[1:]])
        self.note("z.noise", noise)

    def times(self):
        gaps = busiest_gaps(self.trace, self.duration)
        self.note("busyKS", [ks(gaps, busiest_gaps(other, self.duration)) for other in self.others])
        for name, window, weights in (("idc10m", 0.01, None), ("idc1s", 1, None), ("idcB10m", 0.01, "size"), ("idcB1s", 1, "size")):
            of = lambda ios: idc(ios, self.duration, window, weights and getattr(ios, weights).astype(float))
            self.note(name, [of(other) / of(self.trace) for other in self.others])
        peak = lambda ios: windows_of(ios, self.duration, 0.01).max()
        self.note("peak10m", [peak(other) / peak(self.trace) for other in self.others])
        base = autocorrelation(self.trace, self.duration, 5)
        self.note("acf5s", [autocorrelation(other, self.duration, 5) - base for other in self.others])

    def devices(self):
        span = float(self.high - self.low)
        disk = device_figures(self.trace, self.others, span, seconds_on_disk, (50, 99))
        ssd = device_figures(self.trace, self.others, span, seconds_on_ssd, (99, 99.9))
        for name, values in (("disk50", disk[:, 0]), ("disk99", disk[:, 1]), ("ssd99", ssd[:, 0]), ("ssd99.9", ssd[:, 1])):
            self.note(name, values)

    def all(self):
        for figures in (self.whole, self.parts, self.directions, self.places, self.times, self.devices):
            figures()
        return self.found


# name: limit; a ratio is off by a factor of 1 + limit
RATIOS = {"8th.footpr": 0.15, "footpr": 0.03, "rd.footpr": 0.1, "wr.footpr": 0.1, "disk50": 0.25, "disk99": 0.25,
          "ssd99": 0.2, "ssd99.9": 0.2, "idc10m": 0.05, "idc1s": 0.05, "idcB10m": 0.1, "idcB1s": 0.1, "peak10m": 0.1}
DISTANCES = {"8th.size": 0.05, "8th.miss": 0.03, "miss": 0.01, "rd.miss": 0.02, "wr.miss": 0.02, "rd.most": None,
             "wr.most": None, "runKS": 0.1, "zones": None, "z.noise": None, "gapKS": 0.03, "busyKS": 0.06, "acf5s": 0.1}
ORDER = ["8th.size", "8th.footpr", "8th.miss", "miss", "rd.miss", "rd.most", "wr.miss", "wr.most", "footpr", "rd.footpr",
         "wr.footpr", "runKS", "zones", "z.noise", "disk50", "disk99", "ssd99", "ssd99.9", "gapKS", "busyKS", "idc10m", "idc1s",
         "idcB10m", "idcB1s", "peak10m", "acf5s"]


def is_beyond(name, found):
    value = found[name]
    if np.isnan(value):
        return False
    if name in RATIOS:
        return not 1 / (1 + RATIOS[name]) <= value <= 1 + RATIOS[name]
    if name == "zones":
        return value > found["z.noise"] + 0.05
    return DISTANCES[name] is not None and abs(value) > DISTANCES[name]


class Options:
    def __init__(self, blkreel, stack_distances, seeds):
        self.blkreel, self.stack_distances, self.seeds = blkreel, stack_distances, seeds


def recorded(options, trace):
    return load([options.blkreel, "dump", "--format", "csv", trace])


def judge(options, trace, profile, first_seed=1):
    """All figures of a profile beside the IOs of its trace."""
    generated = [load([options.blkreel, "-q", "profile", "generate", profile, "--seed", str(seed), "--format", "csv"])
                 for seed in range(first_seed, first_seed + options.seeds)]
    return Judge(trace, generated, options.stack_distances).all()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--json")
    parser.add_argument("--profile")
    parser.add_argument("blkreel")
    parser.add_argument("stack_distances")
    parser.add_argument("dir")
    parser.add_argument("traces", nargs="+")
    arguments = parser.parse_args()
    names = [os.path.splitext(os.path.basename(trace))[0] for trace in arguments.traces]
    results = {}
    for name, trace in zip(names, arguments.traces):
        profile = arguments.profile or os.path.join(arguments.dir, name + ".profile")
        if not arguments.profile:
            subprocess.run([arguments.blkreel, "-q", "profile", "--seeds", "0", trace, "-o", profile], check=True)
        results[name] = judge(arguments, recorded(arguments, trace), profile)
        print(f"{name}: {sum(is_beyond(f, results[name]) for f in results[name])} of {len(results[name])} beyond",
              file=sys.stderr, flush=True)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    print(f"{'figure':11}", *(f"{name[:12]:>12}" for name in names))
    for figure in ORDER:
        cells = [f"{r[figure]:.3f}" + ("!" if is_beyond(figure, r) else " ") if figure in r else "- " for r in results.values()]
        print(f"{figure:11}", *(f"{cell:>12}" for cell in cells))


if __name__ == "__main__":
    main()
