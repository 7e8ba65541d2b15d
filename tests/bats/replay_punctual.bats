# SPDX-License-Identifier: MIT
# How a replay waits for due times: the report says what the timers were like and what waiting cost.
# How late the IOs were is not judged: that is the machine's affair.
load test_helper

TARGET_SIZE=16M

setup_file() {
	truncate -s "$TARGET_SIZE" "$BATS_FILE_TMPDIR/f"
}

teardown() {
	clean_up
}

# 200 reads, 2 ms apart.
reads() {
	list_reads 200 2000 | write_trace "$TARGET_SIZE"
}

@test "--spin auto measures the timers before the start and with each sleep, and says what it polled" {
	reads
	replay --target "$BATS_FILE_TMPDIR/f" --json
	[ "$status" = 0 ]
	# 48 before the start; a signal or a stop could make it fewer, and nothing here sends one.
	[ "$(value "d['timer_late_ns']['count'] >= 48, d['timer_late_ns']['min'] <= d['timer_late_ns']['p50']")" = "(True, True)" ]
	[ "$(value "16000 <= d['spin_lead_ns'] <= 1024000")" = True ]
	[ "$(value "0 < d['spun_ns'] <= d['duration_ns'], abs(d['spun_pct'] - 100 * d['spun_ns'] / d['duration_ns']) < 0.01")" = "(True, True)" ]
	replay --target "$BATS_FILE_TMPDIR/f"
	grep -A 1 -E '^  spin +up to [0-9.]+ .?s before an IO, [0-9.]+ % of a core$' <<<"$output" |
		grep -qE '^ {12}timers were [0-9.]+ .?s late \(p50\), [0-9.]+ .?s \(p99\)$'
}

@test "--spin always polls all the time, --spin never does not, and neither measures timers" {
	reads
	replay --target "$BATS_FILE_TMPDIR/f" --spin always --json
	[ "$(value "d['spin_lead_ns'], d['timer_late_ns']['count'], d['spun_ns'] > 0")" = "(0, 0, True)" ]
	replay --target "$BATS_FILE_TMPDIR/f" --spin always
	grep -qE '^  spin +[0-9.]+ % of a core$' <<<"$output"
	replay --target "$BATS_FILE_TMPDIR/f" --spin never --json
	[ "$(value "d['spin_lead_ns'], d['timer_late_ns']['count'], d['cpu_sleep']")" = "(0, 0, 'allowed')" ]
}

@test "modes without due times neither measure timers nor touch CPU sleep states" {
	reads
	replay --target "$BATS_FILE_TMPDIR/f" --mode asap --json
	[ "$status" = 0 ]
	[ "$(value "[k for k in ('spin_lead_ns', 'spun_ns', 'spun_pct', 'spin_limited', 'timer_late_ns', 'cpu_sleep') if k in d]")" = "[]" ]
	replay --target "$BATS_FILE_TMPDIR/f" --mode asap
	[[ $output != *"  spin "* ]]
	[[ $output != *"CPU sleep"* ]]
}

@test "each thread of --workers, and each map, has its own measurement" {
	reads
	replay --target "$BATS_FILE_TMPDIR/f" --workers 2 --json
	[ "$(value "d['timer_late_ns']['count'] >= 96")" = True ]
	truncate -s 16M "$BATS_TEST_TMPDIR/g"
	printf '%s\n' '0 1 read 0 4096' '1000 2 read 0 4096' | write_trace 16M
	replay --map disk1="$BATS_FILE_TMPDIR/f" --map disk2="$BATS_TEST_TMPDIR/g" --json
	[ "$(value "d['timer_late_ns']['count'] >= 96, [m['timer_late_ns']['count'] >= 48 for m in d['maps']]")" = "(True, [True, True])" ]
}

# holds_latency_device PID: the process has /dev/cpu_dma_latency open.
holds_latency_device() {
	find "/proc/$1/fd" -lname /dev/cpu_dma_latency 2>/dev/null | grep -q .
}

@test "CPU sleep states are held off while the replay runs, by root" {
	local pid held=no
	need_root
	[ -e /dev/cpu_dma_latency ] || skip "needs /dev/cpu_dma_latency"
	printf '%s\n' '0 1 read 0 4096' '3600000000 1 read 0 4096' | write_trace 16M
	"$BLKREEL" replay "$TRACE" --target "$BATS_FILE_TMPDIR/f" --json >"$BATS_TEST_TMPDIR/out.json" 3>&- &
	pid=$!
	for _ in $(seq 600); do
		if holds_latency_device "$pid"; then
			held=yes
			break
		fi
		sleep 0.1
	done
	kill -INT "$pid"
	wait "$pid" || [ $? = 130 ]
	[ "$held" = yes ]
	[ "$(json "$BATS_TEST_TMPDIR/out.json" "d['cpu_sleep'], d['stopped']")" = "('held_off', True)" ]
}

@test "CPU sleep states are left as they are without the right to change them" {
	need_root
	need_command setpriv
	[ -e /dev/cpu_dma_latency ] || skip "needs /dev/cpu_dma_latency"
	reads
	cd "$BATS_TEST_TMPDIR"
	chmod 777 .
	cp "$BLKREEL" blkreel
	cp "$TRACE" trace.reel
	truncate -s 16M f
	chmod 666 f trace.reel
	run --separate-stderr setpriv --reuid=65534 --clear-groups ./blkreel replay trace.reel --target f --reads-only
	echo "$status $stderr"
	[ "$status" = 0 ]
	grep -q '^  CPU sleep not held off: that needs root (/dev/cpu_dma_latency)$' <<<"$output"
	run --separate-stderr setpriv --reuid=65534 --clear-groups ./blkreel replay trace.reel --target f --reads-only --json
	[ "$(value "d['cpu_sleep']")" = not_permitted ]
}
