# SPDX-License-Identifier: MIT
# A replay says when other work on its CPUs disturbed it.
load test_helper

BUSY=

teardown() {
	[ -z "$BUSY" ] || kill "$BUSY" 2>/dev/null || true
	clean_up
}

# Twenty reads in a second, by a thread that polls all the time, at normal priority, on one CPU.
replay_beside() {
	local cpu=$1
	shift
	run --separate-stderr timeout 300 taskset -c "$cpu" "$BLKREEL" replay "$TRACE" --target "$BATS_TEST_TMPDIR/f" \
		--spin always --priority normal "$@"
}

@test "a replay that shares its CPU with a busy loop says that it waited for the CPU" {
	local cpu
	need_command taskset
	[ -e /proc/thread-self/schedstat ] || skip "needs a kernel with CONFIG_SCHED_INFO"
	cpu=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
	list_reads 20 50000 | write_trace 16M
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	taskset -c "$cpu" sh -c 'while :; do :; done' 3>&- &
	BUSY=$!
	replay_beside "$cpu" --json
	[ "$status" = 0 ]
	[ "$(value "d['disturbance']['disturbed'], d['disturbance']['cpu_wait_ns'] >= 0.01 * d['duration_ns']")" = "(True, True)" ]
	[ "$(value "all(d['disturbance'][k] is None or 0 <= d['disturbance'][k] <= 100 for k in ('others_pct', 'stolen_pct', 'pressure_pct'))")" = True ]
	replay_beside "$cpu"
	[ "$status" = 0 ]
	[ "$(tr -s ' \n' ' ' <<<"$output" | grep -cE 'Note: this replay was disturbed, and its latencies and duration may not be the target.s\. Its own thread waited for a CPU in [0-9.]+ % of the time\.')" = 1 ]
}
