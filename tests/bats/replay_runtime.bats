# SPDX-License-Identifier: MIT
# replay --runtime: the clock ends a replay, in each mode and kind of replay.
load test_helper

# A read at once, and one that is due an hour later, which no test waits for.
an_hour() {
	write_trace 16M <<-'END'
		0 1 read 0 4096 task=1
		3600000000 1 read 8192 4096 task=1
	END
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
}

# What every replay that --runtime ended says: it counts as whole.
ended_by_runtime() {
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	[ "$(value "d['runtime_over'], d['stopped'], d['runtime_ns']")" = "(True, False, $1)" ]
}

@test "mode timed ends before an IO that is due after --runtime" {
	an_hour
	replay --target "$BATS_TEST_TMPDIR/f" --runtime 3s --json
	ended_by_runtime 3000000000
	[ "$(value "d['issued'], d['completed'], d['errors'], d['intended_duration_ns']")" = "(1, 1, 0, 0)" ]
	replay --target "$BATS_TEST_TMPDIR/f" --runtime 3s --spin always
	[ "$status" = 0 ]
	grep -qE '^  IOs +1 issued, 1 completed, 0 failed; ended by --runtime$' <<<"$output"
}

@test "mode dependent ends while it waits for the think time" {
	an_hour
	replay --target "$BATS_TEST_TMPDIR/f" --runtime 3s --mode dependent --json
	ended_by_runtime 3000000000
	[ "$(value "d['issued']")" = 1 ]
}

@test "modes asap and depth run for --runtime with a --loop that would take years" {
	list_reads 100 1000 | write_trace 16M
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	for mode in "asap" "asap --iodepth 1" "asap --workers 2" "asap --buffered" "asap --batch 1" depth; do
		# shellcheck disable=SC2086
		replay --target "$BATS_TEST_TMPDIR/f" --mode $mode --loop 4294967295 --runtime 1s --json
		echo "$mode"
		ended_by_runtime 1000000000
		[ "$(value "0 < d['completed'] == d['issued'] < 429496729500")" = True ]
	done
}

@test "a source that is shorter ends the replay, and --duration remains a part of the source" {
	list_reads 100 1000 | write_trace 16M
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	replay --target "$BATS_TEST_TMPDIR/f" --mode asap --duration 50ms --runtime 10m --json
	[ "$status" = 0 ]
	[ "$(value "d['issued'], d['runtime_over'], d['runtime_ns']")" = "(50, False, 600000000000)" ]
	replay --target "$BATS_TEST_TMPDIR/f" --mode asap --json
	[ "$(value "d['issued'], d['runtime_over'], d['runtime_ns']")" = "(100, False, 0)" ]
}

@test "several maps end together, on one clock" {
	write_trace 16M <<-'END'
		0 1 read 0 4096 task=1
		3600000000 2 read 8192 4096
		3600000001 1 read 8192 4096 task=1
	END
	truncate -s 16M "$BATS_TEST_TMPDIR/f" "$BATS_TEST_TMPDIR/g"
	replay --map disk1="$BATS_TEST_TMPDIR/f" --map disk2="$BATS_TEST_TMPDIR/g" --runtime 3s --json
	ended_by_runtime 3000000000
	[ "$(value "[m['runtime_over'] for m in d['maps']]")" = "[True, True]" ]
	[ "$(value "d['issued']")" = 1 ]
}

@test "what is not as recorded is counted of the IOs that were issued" {
	write_trace 32M <<-'END'
		0 1 write 0 4096 task=1
		0 1 read 16777216 4096 task=1
		3600000000 1 write 8192 4096 task=2
		3600000000 1 read 16781312 4096 task=2
		3600000001 1 write 8192 4096 task=3
	END
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	for mode in timed dependent "timed --workers 2" "timed --spin always"; do
		# shellcheck disable=SC2086
		replay --target "$BATS_TEST_TMPDIR/f" --reads-only --fit wrap --mode $mode --runtime 1s --json
		ended_by_runtime 1000000000
		[ "$(value "d['issued'], d['wrapped'], d['skipped_not_read'], d['unsupported']")" = "(1, 1, 1, 0)" ]
		[ "$(value "sum(d['dependence'].values()) if 'dependence' in d else 2")" = 2 ]
	done
	# One task and one IO, which waited for the start: two in all. To the end, all count.
	replay --target "$BATS_TEST_TMPDIR/f" --reads-only --fit wrap --mode asap --json
	[ "$(value "d['issued'], d['wrapped'], d['skipped_not_read']")" = "(2, 2, 3)" ]
}

@test "--files ends before an operation that is due after --runtime, in each thread" {
	write_trace 1G <<-'END'
		0 access read 1 0 4096 task=1
		3600000000 access read 2 0 4096 task=2
		3600000000 access read 1 4096 4096 task=1
	END
	replay --files "$BATS_TEST_TMPDIR/tree" --runtime 3s --json
	ended_by_runtime 3000000000
	[ "$(value "d['operations'], d['done'], d['failed'], d['intended_duration_ns']")" = "(3, 1, 0, 0)" ]
	replay --files "$BATS_TEST_TMPDIR/tree" --runtime 3s
	grep -qE '^  operations 1 of 3 done, 0 failed; ended by --runtime$' <<<"$output"
}

@test "--runtime is refused where it has no meaning" {
	an_hour
	for wrong in "--runtime 0" "--runtime soon" "--runtime 2s --ramp 2s" "--runtime 1s --verify s"; do
		# shellcheck disable=SC2086
		replay --target "$BATS_TEST_TMPDIR/f" $wrong
		echo "$wrong: $status $stderr"
		[ "$status" = 2 ]
		[ -z "$output" ]
		[[ $stderr == *--runtime* ]]
	done
}
