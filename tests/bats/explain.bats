#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# explain: its figures compared with sums of the rows, its JSON documents, its errors.
load test_helper

setup() {
	TRACE=$BATS_TEST_TMPDIR/made.reel
	OUT=$BATS_TEST_TMPDIR/out
}

# Adds up the rows that dump prints, without any of explain's code, and compares.
check_against_rows() {
	"$BLKREEL" dump --format csv --rows io "$TRACE" >"$OUT.io"
	"$BLKREEL" dump --format csv --rows cache "$TRACE" >"$OUT.cache"
	"$BLKREEL" explain --json "$TRACE" >"$OUT.json"
	python3 - "$OUT.io" "$OUT.cache" "$OUT.json" <<'PYTHON'
import collections, csv, json, sys

# file names in these traces need not be UTF-8
rows = list(csv.DictReader(open(sys.argv[1], encoding="latin-1", newline="")))
cache_rows = list(csv.DictReader(open(sys.argv[2], encoding="latin-1", newline="")))
told = json.load(open(sys.argv[3]))

def number(text):
    return int(text) if text else 0

def column(row):
    if row["op"] == "flush" or "flush_machinery" in row["flags"]:
        return "flush"
    return row["op"] if row["op"] in ("read", "discard") else "write"

# fsync without data: no write whose latency says something of the data
def is_flush_request(row):
    return row["op"] == "write" and not number(row["bytes"]) and "preflush" in row["flags"]

# without a creation, and no event was missed: from the issue on
def begin(row):
    missed = {"started_before", "event_missed"} & set(row["flags"].split("|"))
    return number(row["created_ns"]) or (0 if missed else number(row["issued_ns"]))

def union(spans):
    total = end = 0
    for begin, stop in sorted(spans):
        total += max(0, stop - max(begin, end))
        end = max(end, stop)
    return total

by_device = collections.defaultdict(list)
for row in rows:
    if row["op"] != "passthrough":
        by_device[row["device"]].append(row)

def check(what, got, want):
    if got != want:
        sys.exit(f"{what}: explain says {got}, the rows {want}")

devices = {d["name"]: d for d in told["devices"]}
check("number of devices", len(devices), len(by_device))
for name, mine in by_device.items():
    device = devices.get(name) or devices["device-77"]
    spans = [(begin(r), number(r["completed_ns"])) for r in mine]
    spans = [s for s in spans if s[0] and s[1] >= s[0]]
    check(f"{name} busy_ns", device["busy_ns"], union(spans))
    at_driver = sum(number(r["completed_ns"]) - number(r["issued_ns"]) for r in mine
                    if number(r["issued_ns"]) and number(r["completed_ns"]) >= number(r["issued_ns"]))
    want = round(at_driver / union(spans), 9) if at_driver and union(spans) else None
    told_mean = device["depth"]["mean_while_busy"]
    check(f"{name} mean_while_busy", told_mean and round(told_mean, 9), want)
    check(f"{name} in_queue_ms", device["in_queue_ms"], sum(b - a for a, b in spans) // 1000000)
    check(f"{name} errors", device["errors"], sum(number(r["error"]) != 0 for r in mine))
    if spans:
        check(f"{name} latency max", device["latency_ns"]["total"]["max"], max(b - a for a, b in spans))
        check(f"{name} latency count", device["latency_ns"]["total"]["count"], len(spans))
    for kind, ones in {"flush_request": [r for r in mine if is_flush_request(r)],
                       "write": [r for r in mine if column(r) == "write" and not is_flush_request(r)]}.items():
        times = sorted(number(r["completed_ns"]) - begin(r) for r in ones
                       if begin(r) and number(r["completed_ns"]) >= begin(r))
        parts = device["latency_by_op_ns"].get(kind, {"total": {"count": 0}})["total"]
        check(f"{name} {kind} latencies", (parts["count"], parts.get("max")), (len(times), times[-1] if times else None))
        check(f"{name} {kind} p50", not times or abs(parts["p50"] / max(1, times[(len(times) - 1) // 2]) - 1) < 0.05, True)
    for op in ("read", "write", "discard", "flush"):
        of_op = [r for r in mine if column(r) == op]
        check(f"{name} {op} ios", device[op]["ios"], len(of_op))
        check(f"{name} {op} bytes", device[op]["bytes"], sum(number(r["bytes"]) for r in of_op))
        check(f"{name} {op} merges", device[op]["merges"], sum(number(r["merges"]) for r in of_op))

def pages(field):
    return sum(number(r[field]) for r in cache_rows)

if cache_rows:
    cache = told["cache"]
    for key, field in (("pages", "read_pages"), ("operations", "reads"),
                       ("demand_miss_pages", "demand_miss_pages")):
        check(f"cache.read.{key}", cache["read"][key], pages(field))
    check("hit_pages", cache["read"]["hit_pages"], pages("read_pages") - pages("demand_miss_pages"))
    for key in ("added", "used", "wasted"):
        check(f"readahead {key}", cache["readahead"][key + "_pages"], pages(f"readahead_{key}_pages"))
    check("dirtied", cache["write"]["dirtied_pages"], pages("dirtied_pages"))
    check("written back", cache["write"]["written_back_pages"], pages("written_back_pages"))
for key in ("by_task", "by_command", "by_unit", "by_pod", "by_container", "by_cgroup"):
    others = told.get(key + "_others", {}).get("ios", 0)
    check(key, sum(g["ios"] for g in told[key]) + others, sum(map(len, by_device.values())))
slowest = sorted((number(r["completed_ns"]) - begin(r) for m in by_device.values() for r in m
                  if begin(r) and number(r["completed_ns"])), reverse=True)[:5]
check("slowest", [s["total_ns"] for s in told["slowest"]], slowest)
PYTHON
}

@test "explain: the figures are the sums of the rows" {
	make_trace "$TRACE" --rows 7919 --cache 23 --devices 3
	check_against_rows
}

@test "p50 and p99 of writes leave out those without data: in the text, the JSON, the page and compare alike" {
	local text
	# Writes of data take 20 us and are 203, those without 900 us and are 204.
	awk 'BEGIN { for (i = 0; i < 407; i++)
			print i * 1000, 1, "write", i * 4096, i % 2 ? 4096 : 0, i % 2 ? "took=20" : "took=900", "task=1", i % 2 ? "" : "preflush" }' |
		write_trace 16M "$TRACE"
	check_against_rows
	"$BLKREEL" explain "$TRACE" >"$OUT"
	grep -qE "^  write +407 +0 +812.0 KiB .* 20 us +20 us$" "$OUT"
	text=$(tr -s ' \n' ' ' <"$OUT")
	[[ "$text" == *" 204 of the writes carry no data: they flush the device cache, have p50 900 us and p99 900 us, and are not in p50 and p99 above "* ]]
	"$BLKREEL" compare "$TRACE" "$TRACE" --json >"$OUT.compare"
	[ "$(json "$OUT.compare" "d['latency']['write']['a']['p99'] // 1000")" = 20 ]
	"$BLKREEL" report --json "$TRACE" >"$OUT.page"
	python3 "$ROOT/tests/helpers/report_rows.py" "$OUT.page" "$OUT.io" "$OUT.cache" 1000000000000
	[ "$(json "$OUT.page" "[sum(d['traces'][0]['percentiles'][op]['total_ns'][-1:]) // 1000 for op in ('write', 'flush')]")" = "[20, 900]" ]
	"$BLKREEL" report "$TRACE" -o "$OUT.html"
	grep -q "Requests without data that flush the device cache are writes in the load, and flushes in the latencies" "$OUT.html"
}

@test "explain: rows of extreme values are summed" {
	make_trace "$TRACE" --odd --rows 7919 --cache 23 --devices 5
	check_against_rows
}

@test "explain: coarse times are summed without correction" {
	make_trace "$TRACE" --rows 2003 --resolution-ns 1000
	check_against_rows
}

@test "explain: the JSON document keeps its contract" {
	make_trace "$TRACE" --rows 500 --cache 5 --ticks 3 --losses 2
	run -0 --separate-stderr "$BLKREEL" explain --json "$TRACE"
	[ -z "$stderr" ]
	printf '%s' "$output" >"$OUT"
	[ "$(json "$OUT" "d['schema']")" = blkreel.explain/1 ]
	[ "$(json "$OUT" "sorted(d['devices'][0]['write'])")" = "['bytes', 'ios', 'merges', 'ticks_ms']" ]
	[ "$(json "$OUT" "sorted(d['devices'][0]['latency_ns'])")" = "['device', 'queue', 'total']" ]
	[ "$(json "$OUT" "all(f[k] for f in d['findings'] for k in ('id','severity','evidence','advice'))")" = True ]
	[ "$(json "$OUT" "d['findings'][0]['id']")" = losses ]
	[ "$(json "$OUT" "d['devices'][0]['agrees_with_kernel']")" = False ]
	[ "$(json "$OUT" "all(isinstance(d[k], list) for k in ('by_task','by_command','by_file','by_unit','by_pod','by_container','by_cgroup'))")" = True ]
}

# 3,000 processes of the command gzip, one read each, in two containers; three of the command db.
many_processes() {
	local pod=/kubepods/burstable/pod1b4e28ba-2fa1-11d2-883f-0016d3cca427
	{
		printf 'cgroup 1 %s/%d%063d\ncgroup 2 %s/%d%063d\ncgroup 3 /system.slice/db.service\n' $pod 7 0 $pod 8 0
		awk 'BEGIN { for (i = 0; i < 3000; i++) print "task", 10 + i, 5000 + i, "gzip"
			for (i = 0; i < 3; i++) print "task", 4000 + i, 900 + i, "db"
			for (i = 0; i < 3000; i++) print i * 100, 1, "read", i * 4096, 4096 * (1 + i % 3), "task=" 10 + i, "cgroup=" 1 + i % 2
			for (i = 0; i < 30; i++) print 300000 + i * 100, 1, "write", i * 4096, 8192, "task=" 4000 + i % 3, "cgroup=3", "took=" 60 + i }'
	} | write_trace 64M "$TRACE"
}

@test "explain: 3,000 processes of one command are one row, and --by process lists each" {
	many_processes
	check_against_rows
	run -0 --separate-stderr "$BLKREEL" explain "$TRACE"
	[ "$(grep -cE '^  gzip' <<<"$output")" = 1 ]
	grep -qF 'one command caused most of the device time: gzip (3,000 processes)' <<<"$output"
	grep -qE '^  gzip \(3,000\) +3,000 +23\.4 MiB +150 ms ' <<<"$output"
	grep -qE '^  db \(3\) +30 +240\.0 KiB +2\.2[0-9]* ms ' <<<"$output"
	grep -qxF '  3,003 processes: see --by process' <<<"$output"
	run -0 --separate-stderr "$BLKREEL" explain --by process "$TRACE"
	[ "$(grep -cE '^  gzip [0-9]+ +1 ' <<<"$output")" = 997 ]
	grep -qE '^  \(2,003 others\) +2,003 +' <<<"$output"
	run ! grep -qE 'see --by|^  (/system.slice|pod 1b4e)' <<<"$output"
	[ "$("$BLKREEL" explain "$TRACE" --by command | grep -cE '^  (gzip|db) \(')" = 2 ]
}

@test "explain --by: each grouping has the sums that dump has, in the text and in JSON" {
	local by
	many_processes
	"$BLKREEL" dump --format csv "$TRACE" >"$OUT.rows"
	for by in process command cgroup unit container pod; do
		"$BLKREEL" explain --by $by "$TRACE" >"$OUT.text"
		"$BLKREEL" explain --by $by --json "$TRACE" >"$OUT.json"
		python3 - $by "$OUT.rows" "$OUT.text" "$OUT.json" <<'PYTHON'
import collections, csv, json, sys
by, rows, text, told = sys.argv[1], csv.DictReader(open(sys.argv[2])), open(sys.argv[3]).read(), json.load(open(sys.argv[4]))
pod = "pod 1b4e28ba-2fa1-11d2-883f-0016d3cca427"
def name(row):
    path = row["cgroup"]
    return {"process": row["comm"] + " " + row["pid"], "command": row["comm"], "cgroup": path,
            "unit": "db.service" if path.endswith("db.service") else "(no unit)",
            "pod": pod if "/pod" in path else "(no pod)",
            "container": pod + "/" + path.split("/")[-1][:12] if "/pod" in path else "(no container)"}[by]
want = collections.defaultdict(lambda: [0, 0, 0])
for row in rows:
    for i, value in enumerate((1, int(row["bytes"]), int(row["latency_ns"]))):
        want[name(row)][i] += value
key = "by_task" if by == "process" else "by_" + by
assert [k for k in told if k.startswith("by_") and not k.endswith("_others")] == [key], list(told)
got = {}
for g in told[key]:
    words = g.get("name", g.get("path")) + (f" {g['pid']}" if by == "process" else "")
    got[words] = [g["ios"], g["bytes"], g["latency_sum_ns"]]
others = told.get(key + "_others")
assert all(want[k] == v for k, v in got.items()), (by, got)
assert bool(others) == (len(got) < len(want)) == (by == "process"), (by, len(got))
for i, figure in enumerate(("ios", "bytes", "latency_sum_ns")):
    assert sum(v[i] for v in got.values()) + (others or {}).get(figure, 0) == sum(v[i] for v in want.values()), figure
if by == "command":
    assert {g["name"]: (g["processes"], g["pid"]) for g in told[key]} == {"gzip": (3000, None), "db": (3, None)}
if by != "process":
    for words, (ios, *_) in want.items(): # of a long name, the end is shown
        rows = [l.split("  ") for l in text.splitlines() if f" {ios:,}  " in l and l.startswith("  ")]
        cells = [r[1].removeprefix("...").split(" (")[0] if by == "command" else r[1].removeprefix("...") for r in rows]
        assert any(words.endswith(c) for c in cells if c), (by, words, cells)
PYTHON
	done
}

@test "explain --by: a word that is none, and names that are hashes" {
	many_processes
	run -2 --separate-stderr "$BLKREEL" explain --by user "$TRACE"
	[[ $stderr == *"--by takes one of process, command, cgroup, unit, container, pod, file, not 'user'"* ]]
	"$BLKREEL" copy --anonymize "$TRACE" -o "$OUT.hashed.reel"
	run -0 --separate-stderr "$BLKREEL" explain --by pod "$OUT.hashed.reel"
	[[ $output == *"By pod: not known, because names are hashes"* ]]
	run -0 --separate-stderr "$BLKREEL" explain "$OUT.hashed.reel"
	[[ $output == *" (3,000)  "* ]]
}

@test "explain: without ticks and cache rows these are null, not 0" {
	make_trace "$TRACE" --rows 50
	"$BLKREEL" explain --json "$TRACE" >"$OUT"
	[ "$(json "$OUT" "d['cache']")" = None ]
	[ "$(json "$OUT" "d['devices'][0]['kernel']")" = None ]
	[ "$(json "$OUT" "d['devices'][0]['agrees_with_kernel']")" = None ]
	run -0 "$BLKREEL" explain "$TRACE"
	[[ $output == *"Page cache: not recorded"* ]]
}

@test "explain: the text begins with the answer and fits a terminal" {
	make_trace "$TRACE" --rows 5000 --cache 20 --ticks 10 --losses 6 --devices 2
	run -0 --separate-stderr "$BLKREEL" explain "$TRACE"
	[ -z "$stderr" ]
	[[ $output == *"pages were read: "*" the page cache"* ]]
	[[ $output == *"nvme0n1: busy "* ]]
	[[ $output == *"warning: the recording has gaps"*"[losses]"* ]]
	python3 "$ROOT/tests/helpers/on_terminal.py" 24x80 until=Findings "$BLKREEL" explain "$TRACE" >"$OUT"
	python3 - "$OUT" <<'PYTHON'
import json, sys
lines = "".join(json.load(open(sys.argv[1]))["output"]).replace("\r", "").split("\n")
assert len(lines) > 40, lines
for line in lines:
    if len(line) > 79 or line != line.rstrip():
        sys.exit(f"too wide or ends in blanks: {line!r}")
PYTHON
}

@test "explain: the first screen has what failed, whose IOs they were, and the titles of what is grave" {
	local stack=$ROOT/tests/golden/v1/stack.reel words
	"$BLKREEL" explain "$stack" >"$OUT"
	sed -n '/^IOs failed/,/^Page cache/p' "$OUT" >"$OUT.screen"
	words=$(tr -s '\n ' ' ' <"$OUT.screen")
	[[ $words == "IOs failed: 19 of 137 of nvme0n1, 14 of 128 of nvme1n1. nvme1n1 was busy for "*" Whose IOs took the time: "* ]]
	[ "$(grep -c '^  critical: nvme[01]n1 returned errors$' "$OUT.screen")" = 2 ]
	run ! grep -q '^  info: ' "$OUT.screen"
	# The page has the same, and the verdict as its headline.
	"$BLKREEL" report "$stack" -o "$OUT.html"
	grep -qF '<h1>IOs failed: 19 of 137 of nvme0n1, 14 of 128 of nvme1n1.</h1>' "$OUT.html"
	"$BLKREEL" explain --json "$stack" >"$OUT"
	[[ $(json "$OUT" "d['verdict']") == "IOs failed: 19 of 137 of nvme0n1, 14 of 128 of nvme1n1. nvme1n1 was"* ]]
	python3 - "$OUT" "$OUT.html" <<'PYTHON'
import html, json, re, sys
page = re.search(r'<p class="rest owners">(.*?)</p>', open(sys.argv[2], encoding="utf-8").read(), re.S).group(1)
told = json.load(open(sys.argv[1]))["owners"]
assert html.unescape(re.sub("<.*?>", "", page)).split(", ")[1:] == told.split(", ")[1:], (page, told)
PYTHON
	make_trace "$TRACE" --rows 50
	"$BLKREEL" explain "$TRACE" >"$OUT"
	run ! grep -q 'IOs failed\|findings at the end' "$OUT"
}

@test "explain: -d restricts to devices, with or without /dev/" {
	make_trace "$TRACE" --rows 300 --devices 3
	"$BLKREEL" explain --json -d nvme1n1 -d /dev/nvme2n1 "$TRACE" >"$OUT"
	[ "$(json "$OUT" "sorted(x['name'] for x in d['devices'])")" = "['nvme1n1', 'nvme2n1']" ]
	[ "$(json "$OUT" "sum(g['ios'] for g in d['by_task']) == d['io_rows'] < 300")" = True ]
	[ "$(json "$OUT" "d['flow']['unaccounted_pages']")" = None ]
}

@test "explain: a device that the trace does not have is a usage error" {
	make_trace "$TRACE" --rows 10
	run -2 --separate-stderr "$BLKREEL" explain -d sdz "$TRACE"
	[ -z "$output" ]
	[[ $stderr == *"no device 'sdz'"* ]]
}

@test "explain: a trace without an end is explained with a warning and exit code 5" {
	make_trace "$TRACE" --rows 500 --no-end
	run -5 --separate-stderr "$BLKREEL" explain "$TRACE"
	one_line "$stderr"
	[[ $output == *"[incomplete-trace]"* ]]
	[[ $output == *"nvme0n1: busy "* ]]
}

@test "explain: a damaged trace is explained up to the damage, exit code 4" {
	make_trace "$TRACE" --rows 5000 --batch 500
	size=$(stat -c %s "$TRACE")
	printf '\xff\xff\xff\xff' | dd of="$TRACE" bs=1 seek=$((size / 2)) conv=notrunc status=none
	run -4 --separate-stderr "$BLKREEL" explain --json "$TRACE"
	one_line "$stderr"
	printf '%s' "$output" >"$OUT"
	[ "$(json "$OUT" "0 < d['io_rows'] < 5000 and not d['complete']")" = True ]
}

@test "explain: an empty recording: the verdict says that nothing happened" {
	make_trace "$TRACE" --rows 0
	run -0 --separate-stderr "$BLKREEL" explain "$TRACE"
	[[ $output == *"Nothing happened"*"Findings: none."* ]]
}

@test "explain: of a trace that breaks off before its first row nothing is said" {
	make_trace "$TRACE" --rows 5000 --cache 20
	truncate -s 700 "$TRACE"
	run -5 --separate-stderr "$BLKREEL" explain "$TRACE"
	[[ $output == *"Nothing can be said: the file breaks off before its first row."* ]]
	[[ $output != *"age cache"* && $output != *"Nothing happened"* ]]
	run -5 --separate-stderr "$BLKREEL" explain --json "$TRACE"
	printf '%s' "$output" >"$OUT"
	[ "$(json "$OUT" "(d['cache'], d['io_rows'])")" = "(None, 0)" ]
	run -5 --separate-stderr "$BLKREEL" report "$TRACE" -o "$OUT.html"
	grep -qF '<h1>Nothing can be said: the file breaks off before its first row.</h1>' "$OUT.html"
}

@test "explain: files that are no traces are refused in one line" {
	printf 'not a trace at all, but long enough to be looked at' >"$TRACE"
	run -4 --separate-stderr "$BLKREEL" explain "$TRACE"
	[ -z "$output" ]
	one_line "$stderr"
	run -1 --separate-stderr "$BLKREEL" explain "$BATS_TEST_TMPDIR/missing"
	[ -z "$output" ]
	one_line "$stderr"
}

@test "explain: the times that it prints are those that --from of dump takes" {
	local at
	export TZ=EST5
	# Second 3 of 2026-11-21 23:59:58 UTC has the slowest read.
	printf '%s,R,4096,4096,%s\n' 1795305598.5 200 1795305599.5 300 1795305601.25 9000 1795305602.5 400 >"$OUT.csv"
	"$BLKREEL" import --from csv --columns time,op,offset,size,latency:us "$OUT.csv" -o "$TRACE"
	"$BLKREEL" explain "$TRACE" >"$OUT"
	grep -q ", from 2026-11-21 18:59:58 EST$" "$OUT"
	"$BLKREEL" info "$TRACE" | grep -qx "  started    2026-11-21 18:59:58 EST"
	[ "$("$BLKREEL" dump "$TRACE" --format csv --from 18:59:59 | tail -n +2 | wc -l)" = 3 ]
	read -r at _ < <(grep -A 2 '^Slowest IOs' "$OUT" | tail -1)
	[ "$("$BLKREEL" dump "$TRACE" --format csv --from "$at" --to 3 | tail -n +2 | wc -l)" = 1 ]
	"$BLKREEL" explain "$TRACE" --from 1 >"$OUT"
	[[ $(grep -A 2 '^Slowest IOs' "$OUT" | tail -1) == *" $at s "* ]]
	at=$(json <("$BLKREEL" explain --json "$TRACE") "(d['slowest'][0]['created_ns'] - d['start_ns'], d['start_wall_ns'] // 10**9)")
	[ "$at" = "(2750000000, 1795305598)" ]
}

@test "explain: a wrong command line is a usage error" {
	for arguments in "" "--nonsense a" "--json"; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr "$BLKREEL" explain $arguments
		[ -z "$output" ]
		[[ $stderr == *"blkreel explain --help"* ]]
	done
}

@test "explain: --help goes to stdout" {
	run -0 --separate-stderr "$BLKREEL" explain --help
	[ -z "$stderr" ]
	[[ $output == "Usage: blkreel explain"* ]]
}

@test "explain: figures that an imported trace does not hold are unknown, not 0" {
	# Completion without issue: how long is known, but not where; then not even how long.
	printf '%s\n' '128166372003061629,hm,0,Read,4096,4096,5000' >"$OUT.msr"
	"$BLKREEL" import --from msr "$OUT.msr" -o "$TRACE"
	"$BLKREEL" explain "$TRACE" >"$OUT"
	grep -qx 'hm_0 was busy for 500 us of 500 us with 1 IO\.' "$OUT"
	grep -q 'reads:  1 of unknown origin' "$OUT"
	printf '%s\n' '1,R,4096,4096' '2,R,8192,4096' >"$OUT.csv"
	"$BLKREEL" import --from csv --columns time,op,offset,size "$OUT.csv" -o "$TRACE"
	"$BLKREEL" explain "$TRACE" >"$OUT"
	grep -qx '2 IOs in 1 s (2 a second), 100 % reads; no latencies: queue and device are' "$OUT"
	grep -qx 'Findings: none: without latencies, slow IOs, queues and a busy device cannot be' "$OUT"
	grep -qE '\(unknown\) +2 +8\.0 KiB +- +-$' "$OUT"
	run ! grep -qE '[0-9] %.*(in the device|in the queue)|\b0 ns' "$OUT"
}

@test "explain: a full disk under the output is an error" {
	make_trace "$TRACE" --rows 100
	for format in "" --json; do
		status=0
		# shellcheck disable=SC2086
		"$BLKREEL" explain $format "$TRACE" >/dev/full 2>"$OUT" || status=$?
		[ "$status" = 1 ]
		one_line "$(cat "$OUT")"
	done
}

@test "explain: options that its advice names exist" {
	make_trace "$TRACE" --rows 10 --losses 6
	"$BLKREEL" record --help >"$OUT.help"
	"$BLKREEL" explain --json "$TRACE" >"$OUT"
	json "$OUT" "d['findings'][0]['advice']" | grep -oE -- '(--[a-z-]+|-[a-z]\b)' | sort -u >"$OUT.options"
	[ "$(wc -l <"$OUT.options")" -ge 4 ]
	while read -r option; do
		grep -qE -- "(^|[ ,])$option\b" "$OUT.help"
	done <"$OUT.options"
}

@test "the cache part lists tasks and files, the longest wait first" {
	make_trace "$TRACE" --rows 300 --cache 500
	"$BLKREEL" explain "$TRACE" >"$OUT"
	"$BLKREEL" dump --rows cache --format csv "$TRACE" >"$OUT.csv"
	python3 - "$OUT" "$OUT.csv" <<'PYTHON'
import collections, csv, sys
lines = open(sys.argv[1]).read().split("\n")
waited = {"file": collections.Counter(), "process, pid": collections.Counter()}
for row in csv.DictReader(open(sys.argv[2])):
    *device, inode = row["file"].rsplit(":", 1)
    name = f"(inode {inode} on {device[0]})" if device else row["file"]
    waited["file"][name] += int(row["wait_ns"])
    waited["process, pid"][f"{row['comm']} {row['pid']}"] += int(row["wait_ns"])
for kind, sums in waited.items():
    tables = [i for i, line in enumerate(lines) if line.startswith(f"  {kind} ")]
    names = [[line[2:].split("  ")[0] for line in lines[at + 1:lines.index("", at)]] for at in tables]
    assert names[1] == [name for name, _ in sums.most_common()], (names, sums)
    # By the time of their IOs they would stand otherwise.
    assert names[0] != names[1]
PYTHON
}

@test "explain cuts names to the width of a terminal, and none in a pipe" {
	make_trace "$TRACE" --odd --rows 300 --cache 100
	name="(inode 18446744073709551615 on 259:1)"
	"$BLKREEL" explain "$TRACE" >"$OUT"
	[ "$(grep -cF "$name  " "$OUT")" = 2 ]
	run ! grep -qF '...' "$OUT"
	python3 "$ROOT/tests/helpers/on_terminal.py" 24x120 until=Findings "$BLKREEL" explain "$TRACE" >"$OUT.json"
	[ "$(json "$OUT.json" "''.join(d['output']).count('$name  ')")" = 2 ]
	for size in 24x40 24x80; do
		python3 "$ROOT/tests/helpers/on_terminal.py" $size until=Findings "$BLKREEL" explain "$TRACE" >"$OUT.json"
		[ "$(json "$OUT.json" "''.join(d['output']).count('$name  ')")" = 0 ]
		[ "$(json "$OUT.json" "max(map(len, ''.join(d['output']).splitlines())) <= 79")" = True ]
		[ "$(json "$OUT.json" "'(inode 1' in ''.join(d['output'])")" = True ] # both ends of a name
	done
}

@test "a trace of issues and completions has times from the issue on, and the text says so" {
	awk 'function event(n, at, action, sector) { printf "  8,0    1 %d %.9f    77  %s   R %d + 8 [%s]\n", n, at, action, sector, action == "C" ? 0 : "dd" }
		BEGIN { for (i = 0; i < 1009; i++) {
			event(2 * i + 1, i / 1000, "D", i * 8)
			event(2 * i + 2, 0.0008 + i / 1000, "C", i * 8) } }' >"$OUT.blkparse"
	"$BLKREEL" import "$OUT.blkparse" -o "$TRACE"
	"$BLKREEL" explain "$TRACE" >"$OUT"
	grep -q "^8:0 was busy for 807 ms of 1.01 s with 1,009 IOs, from their issue on" "$OUT"
	grep -qx "  1,009 IOs have no known creation: their times begin with the issue" "$OUT"
	grep -qE "^ +[0-9.]+ s +800 us +- +8:0 +read " "$OUT"
	run ! grep -qE "not how long|unknown time|no known latency" "$OUT"
	"$BLKREEL" explain --json "$TRACE" >"$OUT.json"
	[ "$(json "$OUT.json" '[d["devices"][0][k] for k in ("ios_without_latency", "ios_timed_from_issue", "busy_ns")]')" = "[0, 1009, 807200000]" ]
}

@test "one passthrough command is, two are in no figure" {
	for count in 1 2; do
		{
			list_reads 5 500
			for ((i = 0; i < count; i++)); do echo "$((5000 + i)) 1 passthrough 0 0 took=5"; done
		} | write_trace 16M
		"$BLKREEL" explain "$TRACE" >"$BATS_TEST_TMPDIR/explained"
		case $count in
		1) grep -qx "  1 passthrough command is in no figure above" "$BATS_TEST_TMPDIR/explained" ;;
		2) grep -qx "  2 passthrough commands are in no figure above" "$BATS_TEST_TMPDIR/explained" ;;
		esac
	done
}

@test "the flush before a write: in queue in the table, at the device in the answer, and a line says so" {
	{
		echo time_s,device,op,sector,bytes,flags,created_ns,issued_ns,completed_ns
		for ((i = 0; i < 300; i++)); do
			echo "0,sda,write,$((i * 8)),4096,sync|preflush|fua,$((1000000000 + i * 1000000)),$((1000000000 + i * 1000000 + 300000)),$((1000000000 + i * 1000000 + 400000))"
		done
	} >"$OUT.csv"
	"$BLKREEL" -q import "$OUT.csv" -o "$TRACE"
	"$BLKREEL" explain "$TRACE" | tr -s ' \n' ' ' >"$OUT"
	grep -qF ' write 300 0 1.2 MiB 90 ms 30 ms ' "$OUT"
	grep -qF 'which spent 100 % of their time in the device. ' "$OUT"
	grep -qF ' of the time of writes in queue, 90 ms passed while the device flushed its cache before them: the answer counts it at the device ' "$OUT"
	"$BLKREEL" explain "$TRACE" --json >"$OUT"
	[ "$(json "$OUT" "d['devices'][0]['preflush_ns']")" = 90000000 ]
	"$BLKREEL" report "$TRACE" -o "$OUT.html"
	grep -qF '(pale; with the flush before a write)' "$OUT.html"
}
