#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Holds a document of 'blkreel report --json' against the rows that 'blkreel dump' prints, without any of its code:
    report_rows.py DOCUMENT IO_CSV CACHE_CSV START_NS
    report_rows.py --hist DOCUMENT HIST_CSV
Every bin, cell, size, percentile and slowest IO of the first trace is computed again.
"""
import base64
import collections
import csv
import itertools
import json
import math
import sys

OPS = ("read", "write", "discard", "flush")


def number(text):
    return int(text) if text else 0


def check(what, got, want):
    if got != want:
        sys.exit(f"{what}: report says {got!r:.300}, the rows {want!r:.300}")


def column(row):
    if row["op"] == "flush" or "flush_machinery" in row["flags"]:
        return "flush"
    return row["op"] if row["op"] in ("read", "discard") else "write"


def latency_column(row):
    """Requests without data that flush the device cache stand beside the kernel's flushes."""
    if row["op"] == "write" and not number(row["bytes"]) and "preflush" in row["flags"]:
        return "flush"
    return column(row)


def first_time(row):
    return next((number(row[k]) for k in ("created_ns", "inserted_ns", "issued_ns", "completed_ns") if number(row[k])), 0)


def latency(row):
    created, completed = number(row["created_ns"]), number(row["completed_ns"])
    return completed - created if created and completed >= created and completed else None


def decode(text, bins, rows):
    """{(bin, row): count}"""
    raw, at, cell, cells = base64.b64decode(text), 0, 0, {}

    def one():
        nonlocal at
        value = shift = 0
        while True:
            byte = raw[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(raw):
        cell += one()
        cells[divmod(cell, rows)] = one()
        cell += 1
    if cell > bins * rows:
        sys.exit(f"{cell} cells, but {bins} bins of {rows} rows")
    return cells


def check_load(trace, rows, bin_of):
    want = {op: {"ios": [0] * trace["bins"], "bytes": [0] * trace["bins"]} for op in OPS}
    for row in rows:
        want[column(row)]["ios"][bin_of(first_time(row))] += 1
        want[column(row)]["bytes"][bin_of(first_time(row))] += number(row["bytes"])
    check("load", trace["load"], {op: w for op, w in want.items() if sum(w["ios"])})


def check_latency(trace, rows, bin_of):
    timed = [r for r in rows if latency(r) is not None]
    if not timed:
        check("latency", trace["latency"], None)
        return
    shown = trace["latency"]
    per, first = shown["rows_per_octave"], shown["first_row"]
    for op in OPS:
        want = collections.Counter()
        for row in (r for r in timed if latency_column(r) == op):
            ns = latency(row)
            octave = ns.bit_length() - 1 if ns else 0
            step = sum(ns ** per >= 2 ** (octave * per + k) for k in range(1, per)) if ns else 0
            want[(bin_of(first_time(row)), octave * per + step - first)] += 1
        got = decode(shown["cells"][op], trace["bins"], shown["rows"]) if op in shown["cells"] else {}
        check(f"latency of {op}", got, dict(want))


def check_addresses(trace, rows, bin_of):
    shown = trace["addresses"]
    rows = [r for r in rows if number(r["bytes"])]
    by_device = collections.Counter(r["device"] for r in rows)
    if not rows:
        check("addresses", shown, None)
        return
    check("device of the addresses", by_device[shown["device"]], max(by_device.values()))
    for op in OPS:
        want = collections.Counter(
            (bin_of(first_time(r)), (number(r["sector"]) * 512 - shown["base_bytes"]) // shown["row_bytes"])
            for r in rows if r["device"] == shown["device"] and column(r) == op)
        got = decode(shown["cells"][op], trace["bins"], shown["rows"]) if op in shown["cells"] else {}
        check(f"addresses of {op}", got, dict(want))


def check_depth(trace, rows, bin_of, start):
    width = trace["bin_ns"]
    most, busy = [0] * trace["bins"], [0] * trace["bins"]
    for row in rows:
        begin = number(row["issued_ns"]) or number(row["created_ns"])
        at = bin_of(begin or first_time(row))
        most[at] = max(most[at], number(row["depth"]))
        end = number(row["completed_ns"])
        if not begin or end <= begin:
            continue
        begin, end = max(0, begin - start), max(0, end - start)
        for i in range(begin // width, end // width + 1):
            busy[min(i, trace["bins"] - 1)] += min(end, (i + 1) * width) - max(begin, i * width)
    check("most at the driver", trace["depth"]["max"], most)
    for i, mean in enumerate(trace["depth"]["mean"]):
        if not math.isclose(mean, busy[i] / width, rel_tol=1e-6, abs_tol=1e-9) and i < trace["bins"] - 1:
            sys.exit(f"mean depth in bin {i}: report says {mean}, the rows {busy[i] / width}")


def check_sizes(trace, rows):
    for op in OPS:
        ios, sums = [0] * 25, [0] * 25
        for size in (number(r["bytes"]) for r in rows if column(r) == op and number(r["bytes"])):
            at = min(24, max(0, (size - 1).bit_length() - 12))
            ios[at] += 1
            sums[at] += size
        count = max((i + 1 for i in range(25) if ios[i]), default=0)
        got = trace["sizes"].get(op, {"ios": [], "bytes": []})
        check(f"sizes of {op}", got, {"ios": ios[:count], "bytes": sums[:count]})


PARTS = {"total_ns": ("created_ns", "completed_ns"), "queue_ns": ("created_ns", "issued_ns"), "device_ns": ("issued_ns", "completed_ns")}


def part_of(row, part):
    begin, end = (number(row[column]) for column in PARTS[part])
    known = begin and end and begin <= end and not (part == "queue_ns" and number(row["completed_ns"]) and end > number(row["completed_ns"]))
    return end - begin if known else None


def check_percentiles(trace, rows, every_layer):
    for op, part in itertools.product(OPS, PARTS):
        layers = ([part_of(r, part) for r in some if latency_column(r) == op] for some in (rows, every_layer))
        values = next((known for known in (sorted(v for v in layer if v is not None) for layer in layers) if known), [])
        got = trace["percentiles"].get(op, {}).get(part, [])
        for step, ns in enumerate(got):
            rank = max(1, math.ceil(round(len(values) * (1 - 10 ** (-step / 20)), 6)))
            near = values[max(0, rank - 2):rank + 1]
            if not near[0] * 0.99 - 1 <= ns <= near[-1] * 1.01 + 1:
                sys.exit(f"percentile {step} of {op}, {part}: report says {ns}, the rows {near}")
        check(f"percentiles of {op}, {part}", bool(got), bool(values))


def check_slowest(trace, rows):
    want = sorted((latency(r) for r in rows if latency(r) is not None), reverse=True)[:50]
    check("slowest", [s["total_ns"] for s in trace["slowest"]], want)
    check("slowest five", [s["total_ns"] for s in trace["slowest"]][:5], [s["total_ns"] for s in trace["explain"]["slowest"]])


def check_tasks(trace, rows):
    per = collections.Counter((r["comm"], number(r["pid"])) for r in rows)
    for task in trace["tasks"]:
        if task["name"] is not None and not task["name"].startswith("("):
            check(f"IOs of {task['name']}", sum(task["ios"]), per[(task["name"], task["pid"])])
    check("IOs of all tasks", sum(sum(t["ios"]) for t in trace["tasks"]), len(rows))
    check("bytes of all tasks", sum(sum(t["bytes"]) for t in trace["tasks"]), sum(number(r["bytes"]) for r in rows))


def check_cache(trace, cache_rows):
    if not cache_rows:
        check("page cache", trace["page_cache"], None)
        return
    keys = {"read_pages": "read_pages", "miss_pages": "demand_miss_pages", "readahead_pages": "readahead_used_pages",
            "dirtied_pages": "dirtied_pages", "written_back_pages": "written_back_pages", "evicted_pages": "evicted_pages"}
    cache = trace["page_cache"]
    for mine, of_row in keys.items():
        check(f"page_cache.{mine}", sum(cache[mine]), sum(number(r[of_row]) for r in cache_rows))
    ends = list(zip(cache["from_ns"], cache["to_ns"]))
    check("intervals in order", ends, sorted(ends))


def of_hist(path, rows):
    """A recording of counts: sums over the whole time."""
    with open(path) as file:
        trace = json.load(file)["traces"][0]
    counts, sums, cells = collections.Counter(), collections.Counter(), collections.Counter()
    for row in rows:
        op = row["op"] if row["op"] in OPS else "write"
        count = number(row["count"])
        if row["figure"] == "bytes":
            sums[op] += number(row["low"]) * count
        if (row["figure"] == "bytes") == (op != "flush") and row["figure"] != "device_ns":
            counts[op] += count
        cells[op] += count * (row["figure"] == "total_ns")
    for op in OPS:
        load = trace["load"].get(op, {"ios": [], "bytes": []})
        check(f"IOs of {op}", sum(load["ios"]), counts[op])
        check(f"bytes of {op}", sum(load["bytes"]), sums[op])
        check(f"bytes of {op} by size", sum(trace["sizes"].get(op, {"bytes": []})["bytes"]), sums[op])
        text = trace["latency"]["cells"].get(op, "")
        check(f"latencies of {op}", sum(decode(text, trace["bins"], trace["latency"]["rows"]).values()), cells[op])
    if not sum(counts.values()) or trace["bin_ns"] < 0.9 * max(number(r["interval_ns"]) for r in rows):
        sys.exit("nothing was counted, or the bins are finer than the intervals")


def main():
    if sys.argv[1] == "--hist":
        of_hist(sys.argv[2], list(csv.DictReader(open(sys.argv[3], encoding="latin-1", newline=""))))
        return
    with open(sys.argv[1]) as file:
        trace = json.load(file)["traces"][0]
    rows, cache_rows = (list(csv.DictReader(open(path, encoding="latin-1", newline=""))) for path in sys.argv[2:4])
    every_layer = [r for r in rows if r["op"] != "passthrough"]
    rows = [r for r in every_layer if not number(r["parent_id"])]
    start = int(sys.argv[4])

    def bin_of(time_ns):
        return max(0, time_ns - start) // trace["bin_ns"]

    check_load(trace, rows, bin_of)
    check_latency(trace, rows, bin_of)
    check_addresses(trace, rows, bin_of)
    check_depth(trace, rows, bin_of, start)
    check_sizes(trace, rows)
    check_percentiles(trace, rows, every_layer)
    check_slowest(trace, rows)
    check_tasks(trace, rows)
    check_cache(trace, cache_rows)
    if trace["bins"] > 1000:
        sys.exit(f"{trace['bins']} bins")


main()
