# bats file_tags=beside
# SPDX-License-Identifier: MIT
# Errors of a device are counted by operation, and the replay goes on or stops; the memory of a replay
# does not grow with the trace.
load test_helper

setup() {
	TRACE=$BATS_TEST_TMPDIR/t.reel
}

# Blocks of 4 KiB that were really given to the file.
allocated() {
	echo $(($(stat -c %b "$SMALL/disk") * 512 / 4096))
}

# writes COUNT GAP_US: lists writes, each to its own place, with a read and a flush after each tenth.
writes() {
	awk -v n="$1" -v gap="$2" 'BEGIN {
		for (i = 0; i < n; i++) {
			print i * gap, 1, "write", i * 32768, 4096
			if (i % 10 == 9) {
				print i * gap, 1, "read", i * 32768, 4096
				print i * gap, 1, "flush", 0, 0
			}
		}
	}'
}

@test "ENOSPC: failed writes are counted, reads and flushes go on" {
	need_loop
	make_loop_on_full_disk 16M
	writes 300 0 | write_trace 16M
	for mode in timed asap; do
		replay --target "$LOOP" --write --yes-destroy="$LOOP" --mode "$mode" --json
		[ "$status" = 1 ]
		one_line "$stderr"
		[[ $stderr == *"IOs failed; the rest was replayed"* ]]
		# How many had room is what the file system says.
		[ "$(value "d['ops']['write']['completed']")" = "$(allocated)" ]
		[ "$(value "d['issued'], d['ops']['write']['issued'], d['ops']['write']['completed'] + d['ops']['write']['errors']")" = "(360, 300, 300)" ]
		[ "$(value "[(e['op'], e['errno']) for e in d['errors_by']], d['errors_by'][0]['count'] == d['errors'] == d['ops']['write']['errors'] > 0")" = \
			"([('write', 28)], True)" ]
		[ "$(value "d['ops']['read']['completed'], d['ops']['flush']['completed'], d['stopped_at_error']")" = "(30, 30, False)" ]
		[ "$(value "d['bytes'] == 4096 * (d['ops']['write']['completed'] + 30)")" = True ]
	done
	# What failed has no latency.
	[ "$(value "d['ops']['write']['latency_ns']['submitted']['count'] == d['ops']['write']['completed']")" = True ]
}

@test "ENOSPC: --on-error stop ends the replay with the first" {
	need_loop
	make_loop_on_full_disk 16M
	writes 500 2000 | write_trace 16M
	replay --target "$LOOP" --write --yes-destroy="$LOOP" --on-error stop --iodepth 1 --speed 5
	[ "$status" = 1 ]
	one_line "$stderr"
	[[ $stderr == *"the rest was not replayed"* ]]
	[[ $output == *"stopped before the end"*"1 failed: write, No space left on device"* ]]
	# None of the places behind the one without room was written.
	[ "$(allocated)" -ge 200 ]
	[ "$(allocated)" -lt 300 ]
}

# small_reads MIB ROWS OPTION...: the same for made-up reads of few blocks from a file.
small_reads() {
	local mib=$1 rows=$2
	shift 2
	make_trace "$TRACE" --rows "$rows" --read-pct 100 --return-pct 20 --gap-ns 10000
	peak "$mib" "$rows" --target "$BATS_TEST_TMPDIR/f" --reads-only "$@"
}

# peak MIB ROWS OPTION...: fails when a replay of ROWS rows of the trace needs more memory than MIB.
peak() {
	local mib=$1 rows=$2
	shift 2
	python3 - "$mib" "$rows" "$BLKREEL" replay "$TRACE" --fit wrap --json "$@" <<'PYTHON'
import json, resource, subprocess, sys
limit, rows = int(sys.argv[1]), int(sys.argv[2])
done = subprocess.run(sys.argv[3:], stdout=subprocess.PIPE, check=True, timeout=300)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print(f'{rows} rows: {peak:.1f} MiB')
assert json.loads(done.stdout)['completed'] == rows
assert peak <= limit, peak
PYTHON
}

@test "memory does not grow with the trace: 128 MiB at the most, in every mode" {
	[[ $BUILD != *sanitize* ]] || skip "needs a build without sanitizers, which make system calls of their own"
	truncate -s 64M "$BATS_TEST_TMPDIR/f"
	# So many rows, of which as many are looked at at once as fit: 65,536.
	small_reads 128 200000 --mode asap
	small_reads 128 200000 --mode timed --speed 1000
	small_reads 128 200000 --mode depth
	small_reads 128 200000 --mode dependent --speed 1000
	# Three times as many need no more than the noise of the allocator.
	small_reads 128 600000 --mode dependent --speed 1000
}

@test "memory does not grow with the length of IOs either" {
	[[ $BUILD != *sanitize* ]] || skip "needs a build without sanitizers, which make system calls of their own"
	need_loop
	make_loop 64M
	awk 'BEGIN { for (i = 0; i < 3000; i++) print i, 1, i % 2 ? "read" : "write", i % 61 * 1048576, 1048576 }' | write_trace 64M
	for options in "--iodepth 1024" "--iodepth 1024 --mode asap" "--iodepth 63 --dedup 10"; do
		# shellcheck disable=SC2086
		peak 128 3000 --target "$LOOP" --write --yes-destroy="$LOOP" $options
	done
}
