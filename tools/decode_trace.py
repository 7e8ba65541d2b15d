#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A second decoder of trace files, written from docs/trace-format.md alone.

Prints the same as `blkreel dump --format csv`, to check the document and the C reader against each
other. It reads the whole file, checks every rule of the document, and is slow. Needs zstd(1).
"""
import argparse
import json
import re
import struct
import subprocess
import sys
import zlib

MAGIC = b"\x89REEL\r\n\x1a"
MASK = (1 << 64) - 1
META = {1: "host", 2: "tiers", 3: "devices", 4: "tasks", 5: "files", 6: "cgroups", 7: "summary", 10: "stacks"}
ID_MAX = {"devices": 16384, "tasks": 1 << 22, "files": 1 << 22, "cgroups": 1 << 20, "stacks": 1 << 16}
ROWS = {32: "io", 33: "cache", 34: "tick", 35: "loss", 36: "hist", 37: "access", 38: "wait"}
OPS = ("read write flush discard secure_erase write_zeroes zone_open zone_close zone_finish zone_append "
       "zone_reset zone_reset_all passthrough").split()
ORIGINS = "unknown file blockdev direct swap none".split()
CLASSES = "io_ring io_state cache_table recursion names output io_event file_damage access_ring waits".split()
ACCESSES = "read write fault splice direct_read direct_write sync advice truncate invalidate".split()
ACCESS_FLAGS = {0: "io_uring", 1: "kernel", 2: "dirtied", 3: "datasync", 4: "waits", 16: "bounded"}
WHATS = "sleep call calls task".split()
CALLS = ["", *("read write fsync fdatasync sync splice truncate advice open close name aio_submit aio_wait io_uring "
               "exec").split()]
WAIT_FLAGS = {0: "iowait", 1: "no_wakeup", 2: "cut"}
FIGURES = "total_ns device_ns bytes".split()
FLAGS = {0: "sync", 1: "meta", 2: "prio", 3: "fua", 4: "preflush", 5: "rahead", 6: "background", 7: "nowait",
         8: "idle", 9: "polled", 10: "swap", 11: "atomic", 12: "hint_short",
         13: "hint_medium", 14: "hint_long", 15: "hint_extreme", 16: "flush_machinery", 17: "started_before", 18: "requeued",
         19: "merges_cut", 20: "event_missed"}

# Per kind: column id, name, exclusive limit of the value.
W16, W32, W64 = 1 << 16, 1 << 32, 1 << 64
COLUMNS = {
    "io": [(1, "created", W64), (17, "inserted", W64), (2, "issued", W64), (3, "completed", W64), (5, "bytes", W64), (6, "device", W32),
           (7, "task", W32), (8, "cgroup", W32), (9, "file", W32), (10, "flags", W32), (11, "merges", W32),
           (12, "depth", W32), (13, "error", W32), (14, "cpu", W16), (15, "op", len(OPS)),
           (16, "origin", len(ORIGINS)), (18, "id", W64), (19, "parent_id", W64),
           (20, "ioprio", W16), (4, "sector", W64)],
    "cache": [(1, "time", W64), (2, "interval_ns", W64), (3, "cgroup", W32), (4, "file", W32), (5, "task", W32)] +
             [(6 + i, name, W64) for i, name in enumerate(
                 "reads read_pages demand_miss_pages fault_pages readahead_added_pages readahead_used_pages "
                 "readahead_wasted_pages readahead_untracked_pages write_added_pages other_added_pages "
                 "dirtied_pages written_back_pages deleted_pages waits wait_ns written_pages overwritten_pages "
                 "evicted_pages direct_reads direct_read_bytes direct_writes direct_write_bytes "
                 "throttles throttle_ns".split())],
    "tick": [(1, "time", W64), (2, "interval_ns", W64), (3, "device", W32), (4, "in_flight", W32)] +
            [(5 + 4 * f + o, f"{op}_{field}", W64)
             for f, field in enumerate(("ios", "merges", "sectors", "ticks_ms"))
             for o, op in enumerate(("read", "write", "discard", "flush"))] +
            [(21, "io_ticks_ms", W64), (22, "in_queue_ms", W64), (23, "busy_ns", W64), (24, "depth_ns", W64),
             (25, "depth_max", W32), (26, "measured", W32), (27, "snapshot_ns", W64)],
    "loss": [(1, "from", W64), (2, "to", W64), (3, "count", W64), (4, "class", len(CLASSES))],
    "hist": [(1, "time", W64), (2, "interval_ns", W64), (3, "device", W32), (4, "op", len(OPS)),
             (5, "figure", len(FIGURES)), (6, "low", W64), (7, "high", W64), (8, "count", W64)],
    "access": [(1, "time", W64), (2, "duration_ns", W64), (3, "task", W32), (4, "cgroup", W32), (5, "file", W32),
               (6, "offset", W64), (7, "bytes", W64), (8, "op", len(ACCESSES)), (9, "flags", W32),
               (10, "hit_pages", W64), (11, "miss_pages", W64), (12, "readahead_pages", W64), (13, "waits", W32),
               (14, "wait_ns", W64)],
    "wait": [(1, "time", W64), (2, "duration_ns", W64), (3, "run_queue_ns", W64), (4, "cpu_ns", W64), (5, "sleep_ns", W64),
             (6, "call_time", W64), (7, "count", W64), (8, "low", W64), (9, "high", W64), (10, "task", W32),
             (11, "file", W32), (12, "waker", W32), (13, "stack", W32), (14, "flags", W32), (15, "what", len(WHATS)),
             (16, "call", len(CALLS))],
}
PRIORITIES = "none rt be idle 4 5 6 7".split()
TIMES = {"io": ("created", "inserted", "issued", "completed"), "cache": ("time",), "tick": ("time",), "loss": ("from", "to"),
         "hist": ("time",), "access": ("time",), "wait": ("time", "call_time")}


def ioprio(value):
    """The class, the level and a hint other than 0; empty for 0."""
    hint = value >> 3 & 1023
    return f"{PRIORITIES[value >> 13]}/{value & 7}" + (f"/{hint}" if hint else "") if value else ""


class Bad(Exception):
    """The file is damaged."""


class Torn(Exception):
    """The file ends too early."""


def check(condition, text):
    if not condition:
        raise Bad(text)


class Bytes:
    """A run of bytes that is consumed from the front."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        check(self.at + count <= len(self.data), "too short")
        self.at += count
        return self.data[self.at - count:self.at]

    def u8(self):
        return self.take(1)[0]

    def varint(self):
        value = 0
        for n in range(10):
            byte = self.u8()
            value |= (byte & 0x7f) << (7 * n)
            if not byte & 0x80:
                check(value <= MASK, "varint above 64 bits")
                return value
        raise Bad("varint of more than ten bytes")


def decode_numbers(coding, b, n):
    if coding == 0:
        numbers = [b.varint()] * n
    elif coding == 1:
        numbers = [b.varint() for _ in range(n)]
    elif coding == 2:
        low, width = b.varint(), b.u8()
        check(1 <= width <= 8, "width of planes")
        planes = [b.take(n) for _ in range(width)]
        numbers = [(low + sum(plane[i] << (8 * p) for p, plane in enumerate(planes))) & MASK for i in range(n)]
    elif coding == 3:
        entries = [b.varint() for _ in range(b.u8() + 1)]
        indexes = b.take(n)
        check(max(indexes) < len(entries), "index outside the dictionary")
        numbers = [entries[i] for i in indexes]
    elif coding == 4:
        numbers = []
        while len(numbers) < n:
            number, run = b.varint(), b.varint()
            check(1 <= run <= n - len(numbers), "length of a run")
            numbers += [number] * run
    else:
        raise Bad("unknown coding")
    check(b.at == len(b.data), "bytes behind a column")
    return numbers


def unzigzag(c):
    return (c >> 1) ^ -(c & 1)


def references(kind, name, rows):
    """The column that `since` refers to, per row; None where the transform is not allowed."""
    if kind == "io" and name in ("inserted", "issued"):
        return rows["created"]
    if kind == "io" and name == "completed":
        return [i or c for i, c in zip(rows["issued"], rows["created"])]
    if kind == "wait" and name == "call_time":
        return rows["time"]
    if kind == "loss" and name == "to":
        return rows["from"]
    return None


def undo_after(transform, numbers, scale, base, rows):
    ends, values = [base] * 256, []
    for i, c in enumerate(numbers):
        extra = {6: None, 7: rows["op"][i], 8: rows["task"][i]}[transform]
        device = rows["device"][i]
        k = device % 256 if extra is None else ((16 * device + extra) & 0xffffffff) % 256
        v = (ends[k] + unzigzag(c) * scale) & MASK
        ends[k] = (v + rows["bytes"][i] // 512) & MASK
        values.append(v)
    return values


def undo_places(first, second, scale, base, rows):
    ends, values, previous = [base] * 4096, [], 0
    second = iter(second)
    for i, b in enumerate(first):
        k = rows["device"][i] % 4096
        if b == 0:
            v = (ends[k] + unzigzag(next(second)) * scale) & MASK
        else:
            b = previous if b == 1 else b
            d = b // 2
            check(1 <= d <= i, "place of an earlier row")
            v = (values[i - d] + (rows["bytes"][i - d] // 512 if b % 2 else 0)) & MASK
        previous = b
        if rows["bytes"][i]:
            ends[k] = (v + rows["bytes"][i] // 512) & MASK
        values.append(v)
    return values


def decode_places(coding, part, scale, base, n, rows):
    first = decode_numbers(coding, Bytes(part.take(part.varint())), n)
    fresh = sum(b == 0 for b in first)
    second = []
    if fresh:
        coding = part.u8()
        second = decode_numbers(coding, Bytes(part.data[part.at:]), fresh)
    else:
        check(part.at == len(part.data), "bytes behind a column")
    return undo_places(first, second, scale, base, rows)


def undo_transform(transform, numbers, scale, base, kind, name, rows):
    values, last = [], base
    if transform == 0:
        return [c * scale & MASK for c in numbers]
    if transform in (1, 3):
        for c in numbers:
            last = (last + (unzigzag(c) if transform == 1 else c) * scale) & MASK
            values.append(last)
        return values
    if transform == 2:
        for c in numbers:
            if c:
                last = (last + unzigzag(c - 1) * scale) & MASK
            values.append(last if c else 0)
        return values
    if transform in (4, 5):
        since = references(kind, name, rows)
        check(since is not None, "transform not allowed here")
        if transform == 4:
            return [(r + unzigzag(c) * scale) & MASK for r, c in zip(since, numbers)]
        return [(r + unzigzag(c - 1) * scale) & MASK if c else 0 for r, c in zip(since, numbers)]
    check(transform in (6, 7, 8) and kind == "io" and name == "sector", "transform not allowed here")
    return undo_after(transform, numbers, scale, base, rows)


def decode_rows(kind, payload, n):
    check(n >= 1, "a row block without rows")
    b = Bytes(payload)
    count, reserved = struct.unpack("<HH", b.take(4))
    check(reserved == 0, "reserved")
    directory = [struct.unpack("<BBBBI", b.take(8)) for _ in range(count)]
    columns = {}
    for ident, transform, coding, reserved, length in directory:
        check(reserved == 0 and length >= 1 and ident not in columns, "column directory")
        columns[ident] = (transform, coding, b.take(length))
    check(b.at == len(payload), "bytes behind the columns")
    rows = {}
    for ident, name, limit in COLUMNS[kind]:
        if ident not in columns:
            rows[name] = [0] * n
            continue
        transform, coding, data = columns[ident]
        part = Bytes(data)
        scale = part.varint()
        check(scale >= 1, "scale")
        base = part.varint() if transform in (1, 2, 3, 6, 7, 8, 9) else 0
        if transform == 9:
            check(kind == "io" and name == "sector", "transform not allowed here")
            rows[name] = decode_places(coding, part, scale, base, n, rows)
        else:
            numbers = decode_numbers(coding, Bytes(data[part.at:]), n)
            rows[name] = undo_transform(transform, numbers, scale, base, kind, name, rows)
        check(all(v < limit for v in rows[name]), "value out of range")
        if name == "error":
            rows[name] = [unzigzag(v) for v in rows[name]]
    return rows


def text(value):
    """Decodes the escapes of bytes that are not UTF-8."""
    return re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), value.encode())


class Trace:
    def __init__(self, data):
        self.data = data
        self.meta = {"host": {}, "summary": None, "tiers": [], "devices": {}, "tasks": {}, "files": {}, "cgroups": {}, "stacks": {}}
        self.index, self.blocks, self.counts = [], [], dict.fromkeys(ROWS.values(), 0)
        head = data[:32]
        check(len(head) == 32 and head[:8] == MAGIC, "not a trace")
        version, reserved = struct.unpack_from("<II", head, 8)
        check(zlib.crc32(head[:28]) == struct.unpack_from("<I", head, 28)[0], "head checksum")
        check(version == 1 and reserved == 0, "newer version")

    def rows(self):
        """Yields (kind, columns) per row block; raises Torn or Bad unless the file is clean."""
        at = 32
        while at < len(self.data):
            head = self.data[at:at + 32]
            check(head[:4] == b"RBLK"[:len(head)], "no block starts here")
            if len(head) < 32:
                raise Torn(at)
            check(zlib.crc32(head[:28]) == struct.unpack_from("<I", head, 28)[0], "header checksum")
            kind, compression, reserved, rows, raw, stored, _, crc = struct.unpack_from("<BBHIIIII", head, 4)
            check(reserved == 0 and rows <= 8192 and stored <= raw <= 8 << 20, "limits of a block")
            check(compression == 1 or (compression == 0 and stored == raw), "compression")
            payload = self.data[at + 32:at + 32 + stored]
            if len(payload) < stored:
                raise Torn(at)
            check(zlib.crc32(payload) == crc, "payload checksum")
            if compression == 1:
                payload = subprocess.run(["zstd", "-dcq"], input=payload, stdout=subprocess.PIPE, check=True).stdout
                check(len(payload) == raw, "raw length")
            if kind in ROWS:
                columns = decode_rows(ROWS[kind], payload, rows)
                times = [t for name in TIMES[ROWS[kind]] for t in columns[name] if t]
                self.blocks.append([at, kind, rows, min(times, default=0), max(times, default=0)])
                self.counts[ROWS[kind]] += rows
                yield ROWS[kind], columns
            elif kind == 9:
                self.end(json.loads(payload), at + 32 + stored)
                return
            else:
                self.metadata(kind, json.loads(payload) if kind <= 8 or kind in META else None, rows, at)
            at += 32 + stored
        raise Torn(at)

    def metadata(self, kind, value, rows, at):
        check(kind < 128, "a block that must not be skipped")
        if kind == 8:
            self.index_at = getattr(self, "index_at", at)
            self.index += value
        elif kind in (1, 7):
            self.meta[META[kind]] = value
        elif kind == 2:
            self.meta["tiers"] += value
        elif kind in META:
            check(len(value) == rows, "entries")
            table = self.meta[META[kind]]
            for entry in value:
                check(max(table, default=0) < entry["id"] <= ID_MAX[META[kind]], "id of an entry")
                table[entry["id"]] = entry

    def end(self, mark, at):
        check(all(mark.get(kind, 0) == count for kind, count in self.counts.items()), "rows counted at the end")
        check(mark.get("blocks", 0) == len(self.blocks), "blocks counted at the end")
        check([[int(n) for n in entry] for entry in self.index] == self.blocks, "index")
        check(mark.get("index_at", 0) == getattr(self, "index_at", 0), "place of the index")
        check(at == len(self.data), "bytes behind the end")


def quoted(value):
    value = value if isinstance(value, bytes) else str(value).encode()
    return b'"' + value.replace(b'"', b'""') + b'"' if re.search(rb'[,"\r\n]|^[ \t]|[ \t]\Z', value) else value


def signed64(value):
    value &= MASK
    return value - (1 << 64) if value >> 63 else value


def seconds(ns):
    sign = "-" if ns < 0 else ""
    return f"{sign}{abs(ns) // 10**9}.{abs(ns) % 10**9:09d}"


class Printer:
    def __init__(self, trace):
        self.meta = trace.meta

    def since_start(self, ns):
        return seconds(signed64(ns - int(self.meta["host"].get("start_ns", 0)))) if ns else ""

    def device(self, ident):
        entry = self.meta["devices"].get(ident)
        return text(entry["name"]) if entry else f"#{ident}" if ident else ""

    def task(self, ident):
        entry = self.meta["tasks"].get(ident)
        return [("comm", text(entry["comm"]) if entry else ""), ("pid", entry["pid"] if entry else "")]

    def file(self, ident):
        entry = self.meta["files"].get(ident)
        if not entry:
            return f"#{ident}" if ident else ""
        return text(entry["path"]) or f"{entry['major']}:{entry['minor']}:{entry['inode']}"

    def cgroup(self, ident):
        entry = self.meta["cgroups"].get(ident)
        if not entry:
            return f"#{ident}" if ident else ""
        return text(entry["path"]) or f"id:{entry['kernel_id']}"

    def io(self, r):
        def span(a, b):
            return signed64(r[b] - r[a]) if r[a] and r[b] else ""
        flags = "|".join(name for bit, name in FLAGS.items() if r["flags"] >> bit & 1)
        return [("time_s", self.since_start(r["created"] or r["inserted"] or r["issued"] or r["completed"])),
                ("device", self.device(r["device"])), ("op", OPS[r["op"]]), ("sector", r["sector"]),
                ("bytes", r["bytes"]), ("flags", flags), ("origin", ORIGINS[r["origin"]]), *self.task(r["task"]),
                ("file", self.file(r["file"])), ("cgroup", self.cgroup(r["cgroup"])), ("cpu", r["cpu"]),
                ("depth", r["depth"]), ("merges", r["merges"]), ("error", r["error"]),
                ("queue_ns", span("created", "issued")), ("device_ns", span("issued", "completed")),
                ("latency_ns", span("created", "completed")), ("created_ns", r["created"] or ""),
                ("issued_ns", r["issued"] or ""), ("completed_ns", r["completed"] or ""),
                ("inserted_ns", r["inserted"] or ""), ("id", r["id"] or ""), ("parent_id", r["parent_id"] or ""),
                ("ioprio", ioprio(r["ioprio"]))]

    def cache(self, r):
        return [("time_s", self.since_start(r["time"])), ("interval_ns", r["interval_ns"]), *self.task(r["task"]),
                ("file", self.file(r["file"])), ("cgroup", self.cgroup(r["cgroup"])),
                *((name, r[name]) for _, name, _ in COLUMNS["cache"][5:])]

    def tick(self, r):
        fields = [f"{op}_{field}" for op in ("read", "write", "discard", "flush")
                  for field in ("ios", "merges", "sectors", "ticks_ms")]
        return [("time_s", self.since_start(r["time"])), ("interval_ns", r["interval_ns"]),
                ("device", self.device(r["device"])), ("in_flight", r["in_flight"]),
                *((name, r[name]) for name in fields + ["io_ticks_ms", "in_queue_ms"]),
                *((name, r[name] if r["measured"] & 1 else "") for name in ("busy_ns", "depth_ns", "depth_max")),
                ("snapshot_ns", r["snapshot_ns"] or "")]

    def hist(self, r):
        return [("time_s", self.since_start(r["time"])), ("interval_ns", r["interval_ns"]),
                ("device", self.device(r["device"])), ("op", OPS[r["op"]]), ("figure", FIGURES[r["figure"]]),
                ("low", r["low"]), ("high", r["high"] or ""), ("count", r["count"])]

    def access(self, r):
        flags = "|".join(name for bit, name in ACCESS_FLAGS.items() if r["flags"] >> bit & 1)
        return [("time_s", self.since_start(r["time"])), ("op", ACCESSES[r["op"]]), *self.task(r["task"]),
                ("file", self.file(r["file"])),
                *((name, r[name]) for name in ("offset", "bytes", "hit_pages", "miss_pages", "readahead_pages",
                                               "waits", "wait_ns")),
                ("duration_ns", r["duration_ns"] or ""), ("flags", flags), ("cgroup", self.cgroup(r["cgroup"])),
                ("begun_ns", r["time"] or "")]

    def wait(self, r):
        flags = "|".join(name for bit, name in WAIT_FLAGS.items() if r["flags"] >> bit & 1)
        stack = self.meta["stacks"].get(r["stack"])
        return [("time_s", self.since_start(r["time"])), ("what", WHATS[r["what"]]), ("call", CALLS[r["call"]]),
                *self.task(r["task"]),
                *((name, r[name]) for name in ("duration_ns", "run_queue_ns", "cpu_ns", "sleep_ns", "count")),
                ("file", self.file(r["file"])), ("flags", flags),
                *((f"waker{end}", value) for end, (_, value) in zip(("", "_pid"), self.task(r["waker"]))),
                ("stack", text(stack["functions"]) if stack else ""), ("low", r["low"]), ("high", r["high"]),
                ("begun_ns", r["time"] or ""), ("call_ns", r["call_time"] or "")]

    def loss(self, r):
        return [("from_s", self.since_start(r["from"])), ("to_s", self.since_start(r["to"])),
                ("class", CLASSES[r["class"]]), ("count", r["count"])]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--rows", choices=COLUMNS, default="io")
    args = parser.parse_args()
    out = sys.stdout.buffer
    with open(args.file, "rb") as f:
        data = f.read()
    try:
        trace = Trace(data)
        show = getattr(Printer(trace), args.rows)
        zero = {name: 0 for _, name, _ in COLUMNS[args.rows]}
        out.write(b",".join(name.encode() for name, _ in show(zero)) + b"\n")
        for kind, columns in trace.rows():
            if kind != args.rows:
                continue
            for values in zip(*columns.values()):
                fields = show(dict(zip(columns, values)))
                out.write(b",".join(quoted(value) for _, value in fields) + b"\n")
    except Torn as torn:
        print(f"{args.file}: torn at byte {torn}", file=sys.stderr)
        return 5
    except (Bad, subprocess.CalledProcessError, json.JSONDecodeError) as bad:
        print(f"{args.file}: damaged: {bad}", file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
