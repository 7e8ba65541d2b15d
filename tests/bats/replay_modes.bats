# SPDX-License-Identifier: MIT
# When replay submits an IO: the modes depth and dependent, which infer waits from the recording, and both
# latencies of a device that stalls.
load test_helper

setup() {
	TRACE=$BATS_TEST_TMPDIR/t.reel
	TARGET=$BATS_TEST_TMPDIR/f
	truncate -s 16M "$TARGET"
}

teardown() {
	[ -z "${FROZEN:-}" ] || fsfreeze -u "$FROZEN" 2>/dev/null || true
	if [ -n "${INNER:-}" ]; then
		losetup -d "$INNER" 2>/dev/null || true
		! mountpoint -q "$FROZEN" || wait_until umount "$FROZEN"
	fi
	clean_up
}

# thinker COUNT THINK_US TOOK_US: a task that reads, waits for it and thinks.
thinker() {
	awk -v n="$1" -v think="$2" -v took="$3" 'BEGIN {
		for (i = 0; i < n; i++)
			print i * (think + took), 1, "read", i * 4096, 4096, "task=1", "took=" took }'
}

written() {
	awk '{ print $5 }' "/sys/block/${1#/dev/}/stat"
}

has_written() {
	[ "$(written "$1")" -ge "$2" ]
}

@test "a note says that more were in flight than recorded, in lines of 80 columns; none if replay waits as recorded" {
	thinker 200 10 10 | write_trace 16M
	replay --target "$TARGET" --speed 100000
	[ "$status" = 0 ]
	in_flight=$(sed -n 's/^ *in flight \([0-9]*\) at the most$/\1/p' <<<"$output")
	[ "$in_flight" -ge 8 ]
	[[ $(tr -s ' \n' ' ' <<<"$output") == *"Note: the recorded device had at most 1 IO at a time, here up to $in_flight were in flight."* ]]
	run ! grep -E '^.{81}' <<<"$(sed -n '/^Note:/,$p' <<<"$output")"
	replay --target "$TARGET" --mode dependent
	[ "$status" = 0 ]
	[[ $output != *"the recorded device had at most"* ]]
}

# The driver of a made trace has one IO at a time.
@test "IOs that waited before the recorded driver were in flight: no note says that a replay piles them up" {
	awk 'BEGIN { for (g = 0; g < 5; g++) for (i = 0; i < 64; i++)
		print g * 100000, 1, "read", (g * 64 + i) * 4096, 4096, "took=" (i + 1) * 100 }' | write_trace 16M
	replay --target "$TARGET"
	[ "$status" = 0 ]
	[[ $output != *"the recorded device had at most"* ]]
	replay --target "$TARGET" --json
	[ "$(value "d['source']['depth_max'], d['highest_depth'] <= 64")" = "(64, True)" ]
	replay --target "$TARGET" --mode asap --json
	[ "$(value "'depth_max' in d['source']")" = False ]
}

@test "depth keeps the recorded number in flight, whatever --iodepth allows" {
	thinker 101 0 1000 | write_trace 16M
	replay --target "$TARGET" --mode depth --json
	[ "$status" = 0 ]
	[ "$(value "d['mode'], d['completed'], d['highest_depth'], d['lateness_ns']['count'], d['waited_for_iodepth']")" = \
		"('depth', 101, 1, 0, 0)" ]
	[ "$(value "'speed' in d, 'dependence' in d")" = "(False, False)" ]
	# Twenty groups of five that begin together: the file lists them by completion.
	awk 'BEGIN { for (g = 0; g < 20; g++) for (i = 0; i < 5; i++)
		print g * 1000 + i, 1, "read", (g * 5 + i) * 4096, 4096, "took=500" }' | write_trace 16M
	replay --target "$TARGET" --mode depth --json
	[ "$(value "d['completed'], 1 < d['highest_depth'] <= 5, d['intended_duration_ns']")" = "(100, True, 19004000)" ]
}

@test "dependent ends sooner on a faster target, but not before the sum of think times" {
	thinker 41 5000 500000 | write_trace 16M
	replay --target "$TARGET" --mode dependent --json
	[ "$status" = 0 ]
	[ "$(value "d['mode'], d['completed'], d['highest_depth'], d['intended_duration_ns']")" = \
		"('dependent', 41, 1, 20200000000)" ]
	[ "$(value "d['dependence']['start'], d['dependence']['own_completion'], d['dependence']['tasks']")" = "(1, 40, 1)" ]
	[ "$(value "0.2 <= d['duration_ns'] / 1e9 < 20")" = True ]
	[ "$(value "d['lateness_ns']['count'], d['latency_ns']['intended']['count']")" = "(41, 41)" ]
	replay --target "$TARGET" --mode dependent --speed 4 --json
	[ "$(value "0.05 <= d['duration_ns'] / 1e9 < 5, d['intended_duration_ns']")" = "(True, 5050000000)" ]
	# The time in the source is at the speed of the source.
	replay --target "$TARGET" --mode dependent --speed 4
	grep -qE '^  time .* in the source 20\.20 s$' <<<"$output"
}

@test "dependent: tasks do not wait for each other" {
	{
		awk 'BEGIN { for (i = 0; i < 20; i++) print i * 10000, 1, "read", i * 4096, 4096, "task=1", "took=9000" }'
		# In flight all the time, so that nothing of the other was completed before it.
		awk 'BEGIN { for (i = 0; i < 20; i++) print i * 10000 + 1, 1, "read", i * 8192, 4096, "task=2", "took=9000" }'
	} | sort -n | write_trace 16M
	replay --target "$TARGET" --mode dependent --json
	[ "$(value "[d['dependence'][k] for k in ('start', 'own_completion', 'other_completion', 'tasks')]")" = "[2, 38, 0, 2]" ]
	[ "$(value "d['completed'], d['highest_depth'] <= 2")" = "(40, True)" ]
}

@test "waits for left-out IOs count as think time" {
	awk 'BEGIN { for (i = 0; i < 10; i++) print i * 20000, 1, i % 2 ? "write" : "read", i * 4096, 4096, "task=1", "took=10000" }' | write_trace 16M
	replay --target "$TARGET" --mode dependent --reads-only --json
	[ "$(value "d['issued'], d['skipped_not_read'], d['dependence']['own_completion']")" = "(5, 5, 4)" ]
	[ "$(value "d['duration_ns'] >= 4 * 30e6")" = True ]
}

@test "a source without waits is refused" {
	awk 'BEGIN { for (i = 0; i < 10; i++) print i * 20000, 1, "read", i * 4096, 4096, "took=0" }' | write_trace 16M
	for mode in depth dependent; do
		replay --target "$TARGET" --mode "$mode"
		[ "$status" = 4 ]
		one_line "$stderr"
		[[ $stderr == *"no times of completion"* ]]
		run --separate-stderr "$BLKREEL" replay "$ROOT/tests/golden/profiles/make_trace-2000-7-open.profile" --target "$TARGET" --mode "$mode" --reads-only
		[ "$status" = 4 ]
		one_line "$stderr"
	done
	# Without submitters all IOs count as one task, and a warning says so.
	thinker 3 1000 1000 | sed 's/task=1//' | write_trace 16M
	replay --target "$TARGET" --mode dependent --json
	[ "$status" = 0 ]
	[[ $stderr == *"does not tell submitters apart"* ]]
	[ "$(value "d['dependence']['own_completion']")" = 2 ]
}

@test "a recording of a device is replayed with its waits" {
	need_probes
	need_loop
	make_loop 16M
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" -- bash -c \
		"for i in 1 2 3; do '$HELPERS/issue_io' read '$LOOP' 7 4096 >/dev/null; sleep 0.1; done" 2>/dev/null
	replay --target "$LOOP" --mode dependent --json
	[ "$status" = 0 ]
	# Reads of whoever looks for file systems may be among them.
	[ "$(value "d['completed'] == d['issued'] >= 21, d['dependence']['tasks'] >= 3, d['dependence']['own_completion'] >= 18")" = "(True, True, True)" ]
	[ "$(value "d['duration_ns'] >= 2 * 100e6")" = True ]
}

@test "each way to spin keeps the schedule" {
	awk 'BEGIN { for (i = 0; i < 101; i++) print i * 1000, 1, "read", i * 4096, 4096 }' | write_trace 16M
	for spin in auto always never; do
		replay --target "$TARGET" --spin "$spin" --json
		[ "$status" = 0 ]
		[ "$(value "d['completed'], d['spin'], d['duration_ns'] >= 100e6, d['lateness_ns']['min'] >= 0")" = "(101, '$spin', True, True)" ]
	done
	[ "$(value "d['priority'] in ('real-time', 'high', 'normal')")" = True ]
}

@test "no real-time priority with --priority normal, nor for a thread that never sleeps" {
	awk 'BEGIN { for (i = 0; i < 11; i++) print i * 1000, 1, "read", i * 4096, 4096 }' | write_trace 16M
	for option in --priority=normal --mode=asap; do
		replay --target "$TARGET" "$option" --json
		[ "$status" = 0 ]
		[ "$(value "d['completed'], d['priority']")" = "(11, 'normal')" ]
	done
	replay --target "$TARGET" --spin always --json
	[ "$status" = 0 ]
	[ "$(value "d['completed'], d['priority'] in ('high', 'normal')")" = "(11, True)" ]
	replay --target "$TARGET" --priority normal
	[ "$status" = 0 ]
	[[ $output =~ "priority  normal" ]]
}

@test "a thread of the kernel submits the same IOs" {
	awk 'BEGIN { for (i = 0; i < 101; i++) print i * 100, 1, "read", i * 4096, 4096 }' | write_trace 16M
	for mode in timed asap; do
		replay --target "$TARGET" --sqpoll --mode "$mode" --json
		[ "$status" = 0 ]
		[ "$(value "d['completed'], d['bytes'], d['sqpoll']")" = "(101, $((101 * 4096)), True)" ]
		[ "$(value "d['sqpoll_delay_ns']['count']")" = 101 ]
		[ "$(value "d['sqpoll_delay_ns']['max'] <= d['latency_ns']['submitted']['max']")" = True ]
	done
	replay --target "$TARGET" --json
	[ "$(value "d['completed'], d['sqpoll_delay_ns']['count']")" = "(101, 0)" ]
}

@test "a device that stalls shows in the latency since the due time, not since the submission" {
	local before replayer
	need_loop
	need_command mkfs.ext4
	need_command fsfreeze
	make_loop 64M
	mkfs.ext4 -q "$LOOP"
	FROZEN=$BATS_TEST_TMPDIR/mnt
	mkdir "$FROZEN"
	mount "$LOOP" "$FROZEN"
	dd if=/dev/zero of="$FROZEN/disk" bs=1M count=16 status=none
	INNER=$(new_loop "$FROZEN/disk")
	awk 'BEGIN { for (i = 0; i < 2000; i++) print i * 2500, 1, "write", i % 4096 * 4096, 4096 }' | write_trace 16M
	before=$(written "$INNER")
	"$BLKREEL" replay "$TRACE" --target "$INNER" --write --yes-destroy="$INNER" --iodepth 1 --json >"$BATS_TEST_TMPDIR/stalled" 3>&- &
	replayer=$!
	wait_until has_written "$INNER" $((before + 50))
	fsfreeze -f "$FROZEN"
	sleep 1.5
	fsfreeze -u "$FROZEN"
	wait "$replayer"
	losetup -d "$INNER"
	INNER=
	wait_until umount "$FROZEN"
	output=$(cat "$BATS_TEST_TMPDIR/stalled")
	# A quarter of the IOs should have gone while it stalled; only one was waiting at the device.
	[ "$(value "d['completed'], d['latency_ns']['intended']['p90'] > 100e6")" = "(2000, True)" ]
	[ "$(value "d['latency_ns']['submitted']['p90'] < d['latency_ns']['intended']['p90'] / 4")" = True ]
	[ "$(value "d['latency_ns']['submitted']['max'] > 300e6, d['waited_for_iodepth'] > 100")" = "(True, True)" ]
}

@test "compare calls the recording of a dependent replay the same IOs, whose times follow the device" {
	need_loop
	need_probes
	make_loop 16M
	# One task reads 300 blocks, one after the other, each for 3 ms: the loop device is faster.
	thinker 300 500 3000 | "$HELPERS/trace_from_text" "$TRACE" 16M
	"$BLKREEL" replay "$TRACE" --target "$LOOP" --mode dependent -o "$BATS_TEST_TMPDIR/new.reel" >/dev/null
	"$BLKREEL" compare "$TRACE" "$BATS_TEST_TMPDIR/new.reel" >"$BATS_TEST_TMPDIR/compared"
	tr '\n' ' ' <"$BATS_TEST_TMPDIR/compared" | grep -q "The same IOs; their times follow the device. Reads"
	"$BLKREEL" compare --json "$TRACE" "$BATS_TEST_TMPDIR/new.reel" >"$BATS_TEST_TMPDIR/compared.json"
	[ "$(json "$BATS_TEST_TMPDIR/compared.json" "d['workload']['gap_ks'], d['workload']['reasons']['gap_ks'][:26]")" = \
		"(None, 'one is of a replay whose t')" ]
	# The mode is not read from the command line, which is hashed.
	"$BLKREEL" copy --anonymize "$BATS_TEST_TMPDIR/new.reel" -o "$BATS_TEST_TMPDIR/hashed.reel" 2>/dev/null
	[ "$("$BLKREEL" info --json "$BATS_TEST_TMPDIR/hashed.reel" | json /dev/stdin "d['host']['command'], d['host']['replay_mode']")" = \
		"('(anonymized)', 'dependent')" ]
	"$BLKREEL" compare "$TRACE" "$BATS_TEST_TMPDIR/hashed.reel" | tr '\n' ' ' |
		grep -q "The same IOs; their times follow the device. Reads"
	# A profile makes its IOs.
	"$BLKREEL" profile "$TRACE" --seeds 0 -o "$BATS_TEST_TMPDIR/p.profile"
	"$BLKREEL" replay "$BATS_TEST_TMPDIR/p.profile" --target "$LOOP" --mode dependent \
		-o "$BATS_TEST_TMPDIR/generated.reel" >/dev/null
	[ "$("$BLKREEL" info --json "$BATS_TEST_TMPDIR/generated.reel" | json /dev/stdin "d['host']['replay_generated']")" = True ]
	[ "$("$BLKREEL" info --json "$BATS_TEST_TMPDIR/new.reel" | json /dev/stdin "d['host']['replay_generated']")" = False ]
	# A copy of a replay and of something else is of neither.
	"$BLKREEL" copy "$BATS_TEST_TMPDIR/new.reel" "$TRACE" -o "$BATS_TEST_TMPDIR/both.reel" 2>/dev/null
	[ "$("$BLKREEL" info --json "$BATS_TEST_TMPDIR/both.reel" | json /dev/stdin "d['host']['replay_mode']")" = "" ]
}
