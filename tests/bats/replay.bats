# SPDX-License-Identifier: MIT
# The IOs of a replay, compared with the kernel's counters of a loop device and the bytes on it.
load test_helper


@test "--help is printed to stdout, and a wrong command line to stderr" {
	run --separate-stderr "$BLKREEL" replay --help
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	[[ $output == *--yes-destroy* ]]
	list_reads 1 0 | write_trace 16M
	for wrong in "" "--target" "$TRACE" "$TRACE --target f --mode fast" "$TRACE --target f --mode depth --speed 2" \
		"$TRACE --target f --spin often" "$TRACE --target f --write --reads-only" "$TRACE --target f --speed 0" "$TRACE --target f --iodepth 0" \
		"$TRACE --target f --mode asap --speed 2" "$TRACE --target f --from 5 --to 5" \
		"$TRACE --target f --yes-destroy=f" "$TRACE $TRACE --target f"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$BLKREEL" replay $wrong
		echo "'$wrong': $status"
		[ "$status" = 2 ]
		[ -z "$output" ]
		[ -n "$stderr" ]
	done
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target f --mode fast
	[[ $stderr == *"timed, asap, depth, dependent"* ]]
}

@test "a source that is neither a trace nor a profile is named, exit 4" {
	head -c 4096 /dev/urandom >"$BATS_TEST_TMPDIR/noise"
	run --separate-stderr "$BLKREEL" replay "$BATS_TEST_TMPDIR/noise" --target f
	[ "$status" = 4 ]
	one_line "$stderr"
	[[ $stderr == *noise* ]]
}

@test "23 recorded reads are exactly 23 reads of the device, with their lengths" {
	need_loop
	make_loop 16M
	list_reads 23 100 | write_trace 16M
	before=$(diskstat "$LOOP" 1) sectors=$(diskstat "$LOOP" 3) writes=$(diskstat "$LOOP" 5)
	replay --target "$LOOP" --json
	[ "$status" = 0 ]
	[ $(($(diskstat "$LOOP" 1) - before)) = 23 ]
	[ $(($(diskstat "$LOOP" 3) - sectors)) = $((23 * 8)) ]
	[ $(($(diskstat "$LOOP" 5) - writes)) = 0 ]
	[ "$(value "d['schema'], d['mode'], d['issued'], d['completed'], d['errors'], d['unsupported'], d['bytes']")" = \
		"('blkreel.replay/1', 'timed', 23, 23, 0, 0, $((23 * 4096)))" ]
	[ "$(value "d['lateness_ns']['count'], d['latency_ns']['intended']['count'], d['latency_ns']['submitted']['count']")" = "(23, 23, 23)" ]
}

@test "each operation reaches the device as itself" {
	local -a counted more
	need_loop
	make_loop 16M
	printf '%s\n' '0 1 write 0 4096' '100 1 write 65536 8192 fua' '200 1 write 131072 4096 preflush' \
		'300 1 flush 0 0' '400 1 write 0 0 preflush' '500 1 discard 1048576 1048576' \
		'600 1 write 262144 4096 machinery' '700 1 read 65536 8192' | write_trace 16M
	for field in 5 7 12 14 16; do
		counted[field]=$(diskstat "$LOOP" "$field")
	done
	# The kernel makes one flush of those that wait together, which are more on a busy machine.
	replay --target "$LOOP" --write "--yes-destroy=$LOOP" --json --iodepth 1
	[ "$status" = 0 ]
	for field in 5 7 12 14 16; do
		more[field]=$(($(diskstat "$LOOP" "$field") - counted[field]))
	done
	[ "$(value "{k: v['completed'] for k, v in d['ops'].items()}")" = "{'read': 1, 'write': 3, 'flush': 2, 'discard': 1}" ]
	[ "$(value "d['preflushes']")" = 1 ]
	# The kernel's counts. To it a flush alone is a write of no sectors on some versions, and FUA on
	# a device without it is one flush more.
	[ "${more[5]}" -ge 3 ]
	[ "${more[5]}" -le 6 ]
	[ "${more[7]}" = 32 ]
	[ "${more[12]}" = 1 ]
	[ "${more[14]}" = 2048 ]
	[ "${more[16]}" -ge 3 ]
	[ "${more[16]}" -le 4 ]
}

@test "a FUA write is durable: a device without FUA gets a flush for each" {
	need_loop
	make_loop 16M
	[ "$(cat "/sys/block/${LOOP#/dev/}/queue/fua")" = 0 ] || skip "needs a loop device without FUA"
	awk 'BEGIN { for (i = 0; i < 7; i++) print i * 2000, 1, "write", i * 4096, 4096, (i < 5 ? "fua" : "") }' | write_trace 16M
	before=$(diskstat "$LOOP" 16)
	replay --target "$LOOP" --write "--yes-destroy=$LOOP" --iodepth 1
	[ "$status" = 0 ]
	[ $(($(diskstat "$LOOP" 16) - before)) = 5 ]
}

@test "the target is free again as soon as a replay has ended" {
	need_loop
	make_loop 16M
	printf '%s\n' '0 1 write 0 4096' '100 1 discard 65536 4096' '200 1 flush 0 0' | write_trace 16M
	for _ in $(seq 20); do
		replay --target "$LOOP" --write "--yes-destroy=$LOOP" --mode asap
		[ "$status" = 0 ]
	done
}

@test "writes land at their offsets with the pattern, and nowhere else" {
	need_loop
	make_loop 40M
	awk 'BEGIN { for (i = 0; i < 61; i++) print i * 20, 1, "write", (i * 613 % 2048) * 16384, 4096 * (1 + i % 3) }' | write_trace 40M
	head -c 40M /dev/urandom >"$BATS_TEST_TMPDIR/before"
	cp "$BATS_TEST_TMPDIR/before" "$LOOP"
	sync
	replay --target "$LOOP" --write "--yes-destroy=$LOOP" --mode asap --seed 7
	[ "$status" = 0 ]
	cp "$LOOP" "$BATS_TEST_TMPDIR/after"
	python3 - "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after" <<'PYTHON'
import sys
before, after = (open(path, 'rb').read() for path in sys.argv[1:])
MASK = (1 << 64) - 1
def word(index, seed=7):  # the pattern, again, from its description: SplitMix64 of the place
    z = (seed + (index + 1) * 0x9e3779b97f4a7c15) & MASK
    z = ((z ^ z >> 30) * 0xbf58476d1ce4e5b9) & MASK
    z = ((z ^ z >> 27) * 0x94d049bb133111eb) & MASK
    return z ^ z >> 31
want = bytearray(before)
for i in range(61):
    offset, length = (i * 613 % 2048) * 16384, 4096 * (1 + i % 3)
    first = offset % (16 << 20) // 8
    want[offset:offset + length] = b''.join(word(first + n).to_bytes(8, 'little') for n in range(length // 8))
sys.exit(bytes(want) != after)
PYTHON
}

@test "timed takes the time of the trace, --speed divides it" {
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	list_reads 101 10000 | write_trace 16M
	replay --target "$BATS_TEST_TMPDIR/f" --json
	[ "$(value "d['intended_duration_ns']")" = 1000000000 ]
	[ "$(value "1e9 <= d['duration_ns']")" = True ]
	list_reads 101 1000000 | write_trace 16M
	replay --target "$BATS_TEST_TMPDIR/f" --json --speed 500
	[ "$(value "d['intended_duration_ns'], d['speed']")" = "(200000000, 500.0)" ]
	[ "$(value "2e8 <= d['duration_ns'] < 50e9")" = True ]
}

@test "asap does not wait for due times and keeps to --iodepth" {
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	list_reads 1009 1000000 | write_trace 16M
	replay --target "$BATS_TEST_TMPDIR/f" --mode asap --iodepth 7 --json
	[ "$status" = 0 ]
	[ "$(value "d['mode'], d['completed'], d['iodepth'], d['highest_depth'] <= 7, d['lateness_ns']['count']")" = "('asap', 1009, 7, True, 0)" ]
	[ "$(value "d['duration_ns'] < 60e9")" = True ]
}

@test "asap waits for a quarter of --iodepth, or for --batch completions" {
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	list_reads 101 1000 | write_trace 16M
	replay --target "$BATS_TEST_TMPDIR/f" --mode asap --json
	[ "$(value "d['completed'], d['iodepth'], d['completion_batch']")" = "(101, 32, 8)" ]
	replay --target "$BATS_TEST_TMPDIR/f" --mode asap --iodepth 7 --batch 7 --json
	[ "$(value "d['completed'], d['highest_depth'] <= 7, d['completion_batch']")" = "(101, True, 7)" ]
	replay --target "$BATS_TEST_TMPDIR/f" --mode asap --iodepth 7 --batch 8
	[ "$status" = 2 ]
	[[ $stderr == *"--batch 8: only 7 IOs are in flight (--iodepth)"* ]]
	replay --target "$BATS_TEST_TMPDIR/f" --batch 8
	[ "$status" = 2 ]
	[[ $stderr == *"--batch has no meaning in mode timed"* ]]
}

@test "--from, --to and --duration select a part of the recording" {
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	list_reads 100 1000 | write_trace 16M
	replay --target "$BATS_TEST_TMPDIR/f" --from 10ms --to 20ms --json
	[ "$(value "d['issued'], d['intended_duration_ns']")" = "(10, 9000000)" ]
	replay --target "$BATS_TEST_TMPDIR/f" --from 95ms --json
	[ "$(value "d['issued']")" = 5 ]
	replay --target "$BATS_TEST_TMPDIR/f" --from 10ms --duration 3ms --json
	[ "$(value "d['issued']")" = 3 ]
	replay --target "$BATS_TEST_TMPDIR/f" --from 10
	[ "$status" = 4 ]
	one_line "$stderr"
}

@test "--from and --to take a time of day, of a trace and of its profile" {
	local midnight=1795305600 second from to sum
	export TZ=UTC
	# Reads of 4, 8, ... 24 KiB at half past each second from 2026-11-21 23:59:58 UTC on.
	for second in -2 -1 0 1 2 3; do
		echo "$((midnight + second)).5,R,$(((second + 2) * 65536)),$(((second + 3) * 4096))"
	done >"$BATS_TEST_TMPDIR/io.csv"
	"$BLKREEL" import --from csv --columns time,op,offset,size "$BATS_TEST_TMPDIR/io.csv" -o "$TRACE"
	"$BLKREEL" profile "$TRACE" --seeds 0 -o "$BATS_TEST_TMPDIR/p" 2>/dev/null
	head -c 1M /dev/zero >"$BATS_TEST_TMPDIR/target"
	while read -r from to sum; do
		replay --target "$BATS_TEST_TMPDIR/target" --mode asap --from "$from" --to "$to" --json
		[ "$(value "d['bytes'] // 4096")" = "$sum" ]
		TRACE=$BATS_TEST_TMPDIR/p replay --target "$BATS_TEST_TMPDIR/target" --mode asap --from "$from" --to "$to" --json
		[ "$(value "d['issued'] > 0")" = True ]
	done <<-'CASES'
		23:59:59 00:00:01 5
		00:00 00:00:02 7
		2026-11-22T00:00 2026-11-22T00:00:01 3
		2026-11-22T00:00:02Z 1h 11
	CASES
	replay --target "$BATS_TEST_TMPDIR/target" --mode asap --from 00:00 --duration 1s --json
	[ "$(value "d['bytes']")" = 12288 ]
	replay --target "$BATS_TEST_TMPDIR/target" --from 2026-11-21T23:00
	[ "$status" = 2 ]
	[[ $stderr == *"is before the start"* ]]
	replay --target "$BATS_TEST_TMPDIR/target" --from 25:00
	[ "$status" = 2 ]
	[[ $stderr == *"--from takes a time"* ]]
	TRACE=web replay --target "$BATS_TEST_TMPDIR/target" --from 15:00
	[ "$status" = 2 ]
	[[ $stderr == *"web does not tell at what time of day it began"* ]]
}

@test "a trace of several devices needs -d, which plays that one alone" {
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	printf '%s\n' '0 1 read 0 4096' '10 2 read 4096 4096' '20 2 read 8192 4096' | write_trace 16M
	replay --target "$BATS_TEST_TMPDIR/f"
	[ "$status" = 2 ]
	one_line "$stderr"
	[[ $stderr == *"disk1 (1 IO), disk2 (2 IOs)"* ]]
	replay --target "$BATS_TEST_TMPDIR/f" --source disk2 --json
	[ "$(value "d['issued'], d['source']['device']")" = "(2, 'disk2')" ]
	replay --target "$BATS_TEST_TMPDIR/f" -d 259:1 --json
	[ "$(value "d['issued']")" = 1 ]
	replay --target "$BATS_TEST_TMPDIR/f" -d sdz
	[ "$status" = 2 ]
}

@test "--fit scale keeps the order of addresses, --fit wrap the offsets" {
	truncate -s 1M "$BATS_TEST_TMPDIR/f"
	printf '%s\n' '0 1 read 0 4096' '10 1 read 8388608 4096' '20 1 read 16773120 4096' | write_trace 16M
	replay --target "$BATS_TEST_TMPDIR/f" --fit scale --json
	[ "$(value "d['completed'], d['errors'], d['fit']")" = "(3, 0, 'scale')" ]
	replay --target "$BATS_TEST_TMPDIR/f" --fit wrap --json
	[ "$(value "d['completed'], d['errors'], d['wrapped']")" = "(3, 0, 2)" ]
}

@test "--fit compact removes exactly the untouched space" {
	local rows
	need_probes
	need_loop
	make_loop 320K
	# Four places of 64 KiB, one IO over the seam of two of them.
	printf '%s\n' '0 1 read 0 4096' '10 1 read 8388608 4096' '20 1 read 8450048 8192' '30 1 read 16773120 4096' | write_trace 16M
	replay --target "$LOOP" --fit compact --json -o "$BATS_TEST_TMPDIR/new.reel"
	[ "$status" = 0 ]
	[ "$(value "d['completed'], d['errors'], d['fit'], d['wrapped']")" = "(4, 0, 'compact', 0)" ]
	rows=$("$BLKREEL" dump "$BATS_TEST_TMPDIR/new.reel" --format csv | awk -F, '$7 == "direct" { print $4 * 512 "+" $5 }' | sort -n | paste -sd' ')
	[ "$rows" = "0+4096 65536+4096 126976+8192 258048+4096" ]
	make_loop 128K
	replay --target "$LOOP" --fit compact
	[ "$status" = 3 ]
	one_line "$stderr"
	[[ $stderr == *"touches 256.0 KiB"*"has 128.0 KiB"* ]]
}

@test "--reads-only plays the reads and counts the other IOs" {
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	before=$(sha256sum <"$BATS_TEST_TMPDIR/f")
	printf '%s\n' '0 1 write 0 4096' '10 1 read 4096 4096' '20 1 flush 0 0' '30 1 discard 8192 4096' | write_trace 16M
	replay --target "$BATS_TEST_TMPDIR/f" --reads-only --json
	[ "$status" = 0 ]
	[ "$(value "d['issued'], d['skipped_not_read'], d['unsupported']")" = "(1, 3, 0)" ]
	[ "$before" = "$(sha256sum <"$BATS_TEST_TMPDIR/f")" ]
}

@test "IOs that are not whole blocks of the target are widened and counted" {
	need_loop
	make_loop 16M --sector-size 4096
	[ "$(blockdev --getss "$LOOP")" = 4096 ] || skip "needs loop devices with blocks of 4 KiB"
	printf '%s\n' '0 1 read 512 512' '10 1 read 4096 4096' '20 1 read 3584 1024' | write_trace 16M
	replay --target "$LOOP" --json
	[ "$status" = 0 ]
	[ "$(value "d['completed'], d['errors'], d['aligned'], d['bytes']")" = "(3, 0, 2, 16384)" ]
}

@test "failed IOs are counted by op and errno, the others are played, exit 1" {
	need_loop
	make_loop 16M
	list_reads 11 100 | write_trace 16M
	# The file gets shorter than the device: reads behind its end fail.
	truncate -s 64K "$(losetup -n -O BACK-FILE "$LOOP" | tr -d ' ')"
	replay --target "$LOOP" --json
	[ "$status" = 1 ]
	[ "$(value "d['issued'], d['completed'] + d['errors'], d['errors'] > 0")" = "(11, 11, True)" ]
	[ "$(value "sum(e['count'] for e in d['errors_by']) == d['errors']")" = True ]
	[ "$(value "{e['op'] for e in d['errors_by']}")" = "{'read'}" ]
}

@test "--on-error stop ends the replay at the first IO that fails" {
	need_loop
	make_loop 16M
	awk 'BEGIN { for (i = 0; i < 500; i++) print i * 1000, 1, "read", (i + 100) * 4096, 4096 }' | write_trace 16M
	truncate -s 64K "$(losetup -n -O BACK-FILE "$LOOP" | tr -d ' ')"
	replay --target "$LOOP" --on-error stop --iodepth 1 --json
	[ "$status" = 1 ]
	one_line "$stderr"
	[ "$(value "d['errors'] >= 1, d['issued'] < 500, d['stopped_at_error'], d['stopped']")" = "(True, True, True, False)" ]
	replay --target "$LOOP" --on-error continue --mode asap --json
	[ "$(value "d['issued'], d['errors'], d['stopped_at_error']")" = "(500, 500, False)" ]
}

@test "--loop repeats the trace at its rate, on one clock" {
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	list_reads 21 5000 | write_trace 16M
	replay --target "$BATS_TEST_TMPDIR/f" --loop 3 --json
	[ "$status" = 0 ]
	# 63 reads, 5 ms between any two.
	[ "$(value "d['issued'], d['completed'], d['source']['ios'], d['source']['rounds'], d['intended_duration_ns']")" = \
		"(63, 63, 21, 3, 310000000)" ]
	[ "$(value "d['duration_ns'] >= 310e6")" = True ]
	replay --target "$BATS_TEST_TMPDIR/f" --loop 5 --mode dependent --json
	[ "$(value "d['completed'], d['dependence']['start'], d['duration_ns'] >= 104 * 4.9e6")" = "(105, 1, True)" ]
	replay --target "$BATS_TEST_TMPDIR/f" --loop 7 --from 50ms --mode asap --json
	[ "$(value "d['completed']")" = 77 ]
	run --separate-stderr "$BLKREEL" replay "$ROOT/tests/golden/profiles/short.profile" --target "$BATS_TEST_TMPDIR/f" --reads-only --fit wrap --mode asap --json
	once=$(value "d['completed']")
	[ "$once" -gt 0 ]
	run --separate-stderr "$BLKREEL" replay "$ROOT/tests/golden/profiles/short.profile" --target "$BATS_TEST_TMPDIR/f" --reads-only --fit wrap --mode asap --loop 2 --json
	[ "$(value "d['completed']")" = $((2 * once)) ]
}

@test "--series has a row for each round; their sum is the total" {
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	list_reads 101 10000 | write_trace 16M
	replay --target "$BATS_TEST_TMPDIR/f" --series "$BATS_TEST_TMPDIR/s.csv" --round 100ms --json
	[ "$status" = 0 ]
	python3 - "$BATS_TEST_TMPDIR/s.csv" <<'PYTHON'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert sum(int(row['ios']) for row in rows) == 101, rows
assert sum(int(row['read_bytes']) for row in rows) == 101 * 4096
assert len(rows) > 1 and all(float(row['interval_s']) >= 0.1 for row in rows[:-1]), rows
assert abs(sum(float(row['interval_s']) for row in rows) - float(rows[-1]['end_s'])) < 0.001
assert all(int(row['intended_p99_ns']) >= int(row['submitted_p99_ns']) for row in rows), rows
PYTHON
	# What is there is not replaced, and nothing is played then.
	before=$(sha256sum <"$BATS_TEST_TMPDIR/s.csv")
	replay --target "$BATS_TEST_TMPDIR/f" --series "$BATS_TEST_TMPDIR/s.csv"
	[ "$status" = 1 ]
	one_line "$stderr"
	[ -z "$output" ]
	[ "$before" = "$(sha256sum <"$BATS_TEST_TMPDIR/s.csv")" ]
	replay --target "$BATS_TEST_TMPDIR/f" --series /dev/full
	[ "$status" = 1 ]
}

@test "a replay that fails before its first IO removes the file that it created" {
	local new=$BATS_TEST_TMPDIR/new.img
	list_reads 3 10 | write_trace 16M
	: >"$BATS_TEST_TMPDIR/s.csv"
	replay --target "$new" --create-size 16M --write --series "$BATS_TEST_TMPDIR/s.csv"
	[ "$status" = 1 ]
	one_line "$stderr"
	[ ! -e "$new" ]
	replay --target "$new" --create-size 16M --write --series "$BATS_TEST_TMPDIR/other.csv"
	[ "$status" = 0 ]
	[ -s "$new" ]
}

@test "--until-steady ends a steady replay, and reports one that was not" {
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	# A hundred reads a second, for far longer than five rounds take.
	list_reads 3000 10000 | write_trace 16M
	replay --target "$BATS_TEST_TMPDIR/f" --until-steady iops --round 500ms --json
	[ "$status" = 0 ]
	[ "$(value "d['steady']['figure'], d['steady']['reached'], d['steady']['rounds'] >= 5, d['stopped']")" = "('iops', True, True, False)" ]
	[ "$(value "d['completed'] < 3000, d['steady']['range_pct'] <= 20, d['steady']['slope_pct'] <= 10")" = "(True, True, True)" ]
	# A read is of 4 KiB. A machine that is busy may catch up.
	replay --target "$BATS_TEST_TMPDIR/f" --until-steady throughput --round 500ms --json
	[ "$status" = 0 ]
	[ "$(value "d['steady']['figure'], d['steady']['reached'], d['completed'] < 3000")" = "('throughput', True, True)" ]
	[ "$(value "0.5 < d['steady']['mean'] / (100 * 4096) < 2")" = True ]
	# Three rounds are no five.
	list_reads 20 10000 | write_trace 16M
	replay --target "$BATS_TEST_TMPDIR/f" --until-steady p99 --round 50ms --json
	[ "$status" = 0 ]
	[ "$(value "d['completed'], d['steady']['reached']")" = "(20, False)" ]
	# And none is nothing to judge by.
	replay --target "$BATS_TEST_TMPDIR/f" --until-steady p99_9 --round 1h --json
	[ "$(value "[d['steady'][key] for key in ('rounds', 'reached', 'mean', 'range_pct', 'slope_pct')]")" = "[0, False, None, None, None]" ]
	replay --target "$BATS_TEST_TMPDIR/f" --until-steady p50 --round 1h --iodepth 1
	[[ $output == *"steady    p50: not known, no round was whole"* ]]
	[[ $output == *"at most 1 IO in flight"* ]]
	replay --target "$BATS_TEST_TMPDIR/f" --until-steady p99.9
	[ "$status" = 2 ]
	[[ $stderr == *"p50, p90, p95, p99, p99_9"* ]]
}

@test "--until-steady judges the rounds behind --ramp alone" {
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	list_reads 3000 10000 | write_trace 16M
	replay --target "$BATS_TEST_TMPDIR/f" --until-steady iops --round 200ms --ramp 2s --json
	[ "$status" = 0 ]
	[ "$(value "d['steady']['reached'], d['duration_ns'] > 2.9e9, d['completed'] < 3000")" = "(True, True, True)" ]
	[ "$(value "50 < d['iops'] < 200, d['latency_ns']['submitted']['count'] > 50")" = "(True, True)" ]
}

@test "--ramp plays IOs that do not count" {
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	list_reads 51 10000 | write_trace 16M
	replay --target "$BATS_TEST_TMPDIR/f" --ramp 200ms --json
	[ "$status" = 0 ]
	[ "$(value "d['completed'], 0 < d['ramp_ios'] <= 20, d['ramp_ios'] + d['latency_ns']['submitted']['count']")" = "(51, True, 51)" ]
	[ "$(value "d['lateness_ns']['count'] == d['latency_ns']['intended']['count'] == d['latency_ns']['submitted']['count']")" = True ]
	[ "$(value "abs(d['iops'] - (51 - d['ramp_ios']) / ((d['duration_ns'] - 200e6) / 1e9)) < 1")" = True ]
}

@test "--sync-start waits for the time of day" {
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	list_reads 3 0 | write_trace 16M
	start=$(($(date +%s) + 5))
	for mode in timed asap; do
		replay --target "$BATS_TEST_TMPDIR/f" --mode "$mode" --sync-start "$start" --json
		[ "$status" = 0 ]
		[ "$(date +%s)" -ge "$start" ]
		[ "$(value "d['completed']")" = 3 ]
		start=$(($(date +%s) + 5))
	done
	# It passes while the replay is prepared. (A second that ends before is a usage error.)
	for _ in $(seq 5); do
		start=$(date +%s)
		replay --target "$BATS_TEST_TMPDIR/new" --create-size 16M --write --series "$BATS_TEST_TMPDIR/s.csv" --sync-start "$start"
		[ "$status" = 2 ] || break
	done
	[ "$status" = 1 ]
	one_line "$stderr"
	[ -z "$output" ]
	[[ $stderr == *"--sync-start was missed by "*"choose a later time"* ]]
	[ ! -e "$BATS_TEST_TMPDIR/new" ]
	[ ! -e "$BATS_TEST_TMPDIR/s.csv" ]
	# Past, and so far ahead that it would be past in 64 bits of ns.
	for start in 1000000000 9300000000 99999999999; do
		replay --target "$BATS_TEST_TMPDIR/f" --sync-start "$start"
		[ "$status" = 2 ]
		one_line "${stderr%%$'\n'*}"
	done
}

@test "IOs that the depth cap delays are counted" {
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	list_reads 211 0 | write_trace 16M
	replay --target "$BATS_TEST_TMPDIR/f" --iodepth 1 --json
	[ "$(value "d['completed'], d['highest_depth']")" = "(211, 1)" ]
	[ "$(value "0 < d['waited_for_iodepth'] <= 210")" = True ]
}

# interrupt SIGNAL[+SIGNAL]: "EXIT-CODE ISSUED COMPLETED STOPPED" of a replay that got it.
interrupt() {
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	list_reads 3 100000000 | write_trace 16M
	python3 - "$BLKREEL" "$TRACE" "$BATS_TEST_TMPDIR/f" "$1" <<'PYTHON'
import json, os, signal, subprocess, sys, time
progress = open(sys.argv[3] + '.progress', 'w')
child = subprocess.Popen([sys.argv[1], 'replay', sys.argv[2], '--target', sys.argv[3], '--json'],
                         stdout=subprocess.PIPE, stderr=progress, text=True,
                         env=os.environ | {'BLKREEL_FORCE_PROGRESS': '1'})
for _ in range(2400):  # until it waits for the second IO
    time.sleep(0.05)
    if 'replay: 1 of 3 IOs' in open(progress.name).read():
        break
# Both at once, whatever this process does in between.
child.send_signal(signal.SIGSTOP)
for name in sys.argv[4].split('+'):
    child.send_signal(getattr(signal, name))
child.send_signal(signal.SIGCONT)
out, _ = child.communicate(timeout=200)
document = json.loads(out)
print(child.returncode, document['issued'], document['completed'], document['stopped'])
PYTHON
}

@test "an interrupted replay reports the IOs done and exits with 128 + the signal" {
	[ "$(interrupt SIGINT)" = "130 1 1 True" ]
	[ "$(interrupt SIGTERM)" = "143 1 1 True" ]
	[ "$(interrupt SIGHUP)" = "129 1 1 True" ]
	[ "$(interrupt SIGXCPU)" = "152 1 1 True" ]
	[[ $(interrupt SIGINT+SIGTERM) =~ ^(130|143)\ 1\ 1\ True$ ]]
}

@test "a cut trace is played to its cut, exit 5" {
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	list_reads 1000 10 | write_trace 16M
	truncate -s -10 "$TRACE"
	replay --target "$BATS_TEST_TMPDIR/f" --json
	[ "$status" = 5 ]
	[ -n "$stderr" ]
	[ "$(value "d['completed']")" = 1000 ]
}

@test "a full standard output is an error" {
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	list_reads 1 0 | write_trace 16M
	run bash -c "'$BLKREEL' replay '$TRACE' --target '$BATS_TEST_TMPDIR/f' >/dev/full"
	[ "$status" = 1 ]
}

@test "progress is shown on a terminal only" {
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	list_reads 11 100000 | write_trace 16M
	replay --target "$BATS_TEST_TMPDIR/f" --json
	[ -z "$stderr" ]
	BLKREEL_FORCE_PROGRESS=1 replay --target "$BATS_TEST_TMPDIR/f" --json
	[[ $stderr == *"of 11 IOs"*"IOs/s, late by "*" left"* ]]
}

@test "latency by size: each IO is in the class of its length, and the classes add up to the total" {
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	awk 'BEGIN { split("512 4096 4608 8192 16384 65536 69632 262144 1048576 1052672 2097152", bytes, " ")
		for (i = 1; i <= 11; i++) for (n = 0; n < i; n++) print n * 11 + i, 1, "read", n * 4096, bytes[i] }' |
		sort -n | write_trace 16M
	replay --target "$BATS_TEST_TMPDIR/f" --json
	[ "$status" = 0 ]
	[ "$(value "[(s['up_to_bytes'], s['latency_ns']['submitted']['count'], s['latency_ns']['intended']['count']) for s in d['ops']['read']['sizes']]")" = \
		"[(4096, 3, 3), (8192, 7, 7), (16384, 5, 5), (65536, 6, 6), (262144, 15, 15), (1048576, 9, 9), (None, 21, 21)]" ]
	[ "$(value "d['ops']['read']['latency_ns']['submitted']['count'], d['latency_ns']['intended']['count']")" = "(66, 66)" ]
	[ "$(value "max(s['latency_ns']['submitted']['max'] for s in d['ops']['read']['sizes']) == d['latency_ns']['submitted']['max']")" = True ]
	replay --target "$BATS_TEST_TMPDIR/f" --mode asap
	[[ $output == *"<= 256.0 KiB "*"submit "*"> 1.0 MiB "*"submit "* ]]
	# One size needs no rows of its own.
	list_reads 5 10 | write_trace 16M
	replay --target "$BATS_TEST_TMPDIR/f" --mode asap
	[[ $output != *"<="* ]]
}

@test "replay says which IOs its source lost" {
	{
		list_reads 100 500
		echo 20000 loss io_ring 300
	} | write_trace 1G "$BATS_TEST_TMPDIR/lossy.reel"
	truncate -s 1G "$BATS_TEST_TMPDIR/lossy.img"
	run -0 --separate-stderr "$BLKREEL" replay "$BATS_TEST_TMPDIR/lossy.reel" \
		--target "$BATS_TEST_TMPDIR/lossy.img" --reads-only
	[[ "$stderr" == *"300 of 400 IOs are missing (75.0 %; io_ring: 300)"* ]]
	[[ "$output" == *"300 IOs missing: lost when recorded, of all devices"* ]]
	run -0 --separate-stderr "$BLKREEL" replay "$BATS_TEST_TMPDIR/lossy.reel" \
		--target "$BATS_TEST_TMPDIR/lossy.img" --reads-only --json
	echo "$output" >"$BATS_TEST_TMPDIR/r.json"
	[ "$(json "$BATS_TEST_TMPDIR/r.json" 'd["source"]["missing"]["lost_ios"], d["source"]["missing"]["lost_pct"]')" = "(300, 75.0)" ]
}
