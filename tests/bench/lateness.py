"""How late IOs were: lateness.py SCHEDULE <ROWS.

SCHEDULE has "due_ns op sector bytes" per line; ROWS is what the recorder saw at the device
(bench_trace csv). Each row is the earliest IO of the schedule that is the same and was not seen
yet; reads through the page cache (of whoever looks for a file system) are no part of it. The clock of the schedule starts where the IO that was least late is on time, for there is no
other common start: so lateness is never negative, and a constant delay does not show.
"""
import collections
import sys

COLUMN_CREATED_NS, COLUMN_SECTOR, COLUMN_BYTES, COLUMN_OP, COLUMN_ORIGIN = 0, 3, 4, 14, 15
ORIGIN_DIRECT = 3
OPS = {"0": "read", "1": "write"}


def read_schedule(path):
    due = collections.defaultdict(collections.deque)
    last_ns = count = 0
    with open(path) as file:
        for line in file:
            due_ns, op, sector, size = line.split()
            due[op, sector, size].append(int(due_ns))
            last_ns = int(due_ns)
            count += 1
    return due, last_ns, count


def read_rows(file):
    rows = (line.split(",") for line in file)
    direct = [row for row in rows if int(row[COLUMN_ORIGIN]) == ORIGIN_DIRECT]
    return sorted(direct, key=lambda row: int(row[COLUMN_CREATED_NS]))


def match(due, rows):
    offsets_ns = []
    first_ns, last_ns = None, 0
    for row in rows:
        created_ns = int(row[COLUMN_CREATED_NS])
        waiting = due.get((OPS.get(row[COLUMN_OP]), row[COLUMN_SECTOR], row[COLUMN_BYTES]))
        if not waiting:
            continue
        offsets_ns.append(created_ns - waiting.popleft())
        first_ns = created_ns if first_ns is None else min(first_ns, created_ns)
        last_ns = max(last_ns, created_ns)
    return offsets_ns, last_ns - (first_ns or 0)


def main(path):
    due, last_due_ns, count = read_schedule(path)
    offsets_ns, span_ns = match(due, read_rows(sys.stdin))
    if not offsets_ns:
        sys.exit("lateness: none of the IOs of the schedule was seen")
    offsets_ns.sort()
    for name, share in (("p50_ns", 0.5), ("p99_ns", 0.99)):
        print(name, offsets_ns[int(share * (len(offsets_ns) - 1))] - offsets_ns[0])
    print("stretch_pct", f"{100 * (span_ns / last_due_ns - 1):.3f}")
    print("missing", count - len(offsets_ns))


main(sys.argv[1])
