# SPDX-License-Identifier: MIT
"""How late IOs were: lateness.py SCHEDULE [DIVISOR] <ROWS.

SCHEDULE has "due_ns op sector bytes" per line, due times to be divided by DIVISOR; ROWS is what the
recorder saw at the device (bench_trace csv). A row matches the earliest equal IO of the schedule that has no row yet; reads
through the page cache (programs that look for a file system) are ignored. The IO that was least late counts as on time,
since there is no other common start: lateness is never negative, and a constant delay does not show. The error of a gap
compares the time between two consecutive IOs of the schedule with the time between their due times.
"""
import collections
import sys

COLUMN_CREATED_NS, COLUMN_SECTOR, COLUMN_BYTES, COLUMN_OP, COLUMN_ORIGIN = 0, 3, 4, 14, 15
ORIGIN_DIRECT = 3
OPS = {"0": "read", "1": "write"}


def read_schedule(path, divisor):
    due = collections.defaultdict(collections.deque)
    last_ns = count = 0
    with open(path) as file:
        for line in file:
            due_ns, op, sector, size = line.split()
            last_ns = int(due_ns) // divisor
            due[op, sector, size].append((last_ns, count))
            count += 1
    return due, last_ns, count


def read_rows(file):
    rows = (line.split(",") for line in file)
    direct = [row for row in rows if int(row[COLUMN_ORIGIN]) == ORIGIN_DIRECT]
    return sorted(direct, key=lambda row: int(row[COLUMN_CREATED_NS]))


def match(due, rows):
    seen = []
    for row in rows:
        created_ns = int(row[COLUMN_CREATED_NS])
        waiting = due.get((OPS.get(row[COLUMN_OP]), row[COLUMN_SECTOR], row[COLUMN_BYTES]))
        if not waiting:
            continue
        due_ns, number = waiting.popleft()
        seen.append((number, due_ns, created_ns))
    return sorted(seen)


def gap_errors_ns(seen):
    return sorted(
        abs((created - created_before) - (due - due_before))
        for (_, due_before, created_before), (_, due, created) in zip(seen, seen[1:]))


def main(path, divisor=1):
    due, last_due_ns, count = read_schedule(path, int(divisor))
    seen = match(due, read_rows(sys.stdin))
    if len(seen) < 2:
        sys.exit("lateness: no IO of the schedule was seen")
    offsets_ns = sorted(created_ns - due_ns for _, due_ns, created_ns in seen)
    created_ns = [created for _, _, created in seen]
    span_ns = max(created_ns) - min(created_ns)
    errors_ns = gap_errors_ns(seen)
    for name, share in (("p50_ns", 0.5), ("p99_ns", 0.99)):
        print(name, offsets_ns[int(share * (len(offsets_ns) - 1))] - offsets_ns[0])
    print("gap_error_p50_ns", errors_ns[len(errors_ns) // 2])
    print("stretch_pct", f"{100 * (span_ns / last_due_ns - 1):.3f}")
    print("missing", count - len(offsets_ns))


main(*sys.argv[1:])
