# SPDX-License-Identifier: MIT
# The closed loop of a profile: built from a recording, used by replay and fio.
# bats file_tags=sanitized
load test_helper

setup() {
	TRACE=$BATS_TEST_TMPDIR/t.reel
	PROFILE=$BATS_TEST_TMPDIR/p
	OUT=$BATS_TEST_TMPDIR/out.json
}

show() {
	"$BLKREEL" profile show "${1:-$PROFILE}" --json >"$OUT"
}

# thinkers TASKS IOS: tasks that read for 1 ms and think 2 to 6 ms.
thinkers() {
	awk -v tasks="$1" -v n="$2" 'BEGIN {
		for (t = 1; t <= tasks; t++)
			for (i = at = 0; i < n; i++) {
				print at, 1, "read", (i * tasks + t) * 4096, 4096, "task=" t, "took=1000"
				seed = (seed * 1103 + 12345 + t) % 65536
				at += 3000 + seed % 4001
			} }' | sort -n | write_trace 64M
}

@test "a profile of a recording has tasks, think times, latency and their errors" {
	thinkers 3 400
	run -0 --separate-stderr "$BLKREEL" profile "$TRACE" -o "$PROFILE"
	# With the same units and columns as the rows above, and a word on what they are.
	[[ $output =~ "share of reads"[^$'\n']*" pp"$'\n' ]]
	[[ $output =~ "IOs that waited"\ +"- "[^$'\n']*" pp"$'\n'.*"depth"\ +"- ".*"think time"\ +"- ".*"latency"\ +"- " ]]
	[[ $output == *"Think time, latency: how far percentiles are off"* ]]
	[ "$(printf '%s\n' "$output" | awk '{ if (length > m) m = length } END { print m < 80 }')" = 1 ]
	show
	[ "$(json "$OUT" "sum(t['tasks'] for t in d['closed']['tasks'])")" = 3 ]
	[ "$(json "$OUT" "sum(t['active'][0] for t in d['closed']['tasks']), d['closed']['dependent_pct'] > 99")" = "(3, True)" ]
	[ "$(json "$OUT" "[3.9e6 < t['think_mean_ns'] < 4.1e6 for t in d['closed']['tasks']]")" = "$(json "$OUT" "[True] * len(d['closed']['tasks'])")" ]
	[ "$(json "$OUT" "0.98e6 < d['closed']['latency_mean_ns']['read'] < 1.02e6")" = True ]
	[ "$(json "$OUT" "abs(d['error']['dependent_delta_pp']['median']) < 1, d['error']['think_shift']['median'] < 0.3")" = "(True, True)" ]
	grep -q '^think_shift = ' "$PROFILE"
	run -0 "$BLKREEL" profile show "$PROFILE"
	[[ $output == *"  Waiting, "*"at once"* ]]
	[ "$(printf '%s\n' "$output" | awk '{ if (length > m) m = length } END { print m < 80 }')" = 1 ]
}

@test "without submitters and completions there is no closed loop, and modes that need it refuse" {
	awk 'BEGIN { for (i = 0; i < 100; i++) print i * 1000, 1, "read", i * 4096, 4096, "took=0" }' |
		write_trace 64M
	"$BLKREEL" -q profile "$TRACE" -o "$PROFILE"
	run ! grep -qE '^\[(closed|tasks)' "$PROFILE"
	show
	[ "$(json "$OUT" "d['closed']")" = None ]
	truncate -s 64M "$BATS_TEST_TMPDIR/f"
	run -4 --separate-stderr "$BLKREEL" replay "$PROFILE" --target "$BATS_TEST_TMPDIR/f" --mode dependent
	one_line "$stderr"
	[[ $stderr == *"does not say which IO waited for which (it has no [closed])"* ]]
}

@test "generated traces have submitters and completions, equal for equal seeds" {
	thinkers 3 400
	"$BLKREEL" -q profile "$TRACE" -o "$PROFILE"
	for i in 1 2; do
		"$BLKREEL" profile generate "$PROFILE" -o "$BATS_TEST_TMPDIR/$i.reel"
		"$BLKREEL" dump "$BATS_TEST_TMPDIR/$i.reel" --format csv >"$BATS_TEST_TMPDIR/$i.csv"
	done
	cmp "$BATS_TEST_TMPDIR/1.csv" "$BATS_TEST_TMPDIR/2.csv"
	"$BLKREEL" -q profile "$BATS_TEST_TMPDIR/1.reel" -o "$BATS_TEST_TMPDIR/again"
	show "$BATS_TEST_TMPDIR/again"
	[ "$(json "$OUT" "sum(t['active'][0] for t in d['closed']['tasks']), d['closed']['dependent_pct'] > 98")" = "(3, True)" ]
	# 3 * 400 IOs of 1 ms in 2 s.
	[ "$(json "$OUT" "0.9e6 < d['closed']['latency_mean_ns']['read'] < 1.1e6")" = True ]
	# The same IOs as ever where no closed loop is said.
	sed '/^\[closed\]/,$d' "$PROFILE" >"$BATS_TEST_TMPDIR/open"
	"$BLKREEL" profile generate "$PROFILE" --format csv >"$BATS_TEST_TMPDIR/closed.csv"
	"$BLKREEL" profile generate "$BATS_TEST_TMPDIR/open" --format csv >"$BATS_TEST_TMPDIR/open.csv"
	cmp "$BATS_TEST_TMPDIR/closed.csv" "$BATS_TEST_TMPDIR/open.csv"
}

@test "replay in modes dependent and depth follows the think times of the profile" {
	thinkers 3 100
	"$BLKREEL" -q profile "$TRACE" -o "$PROFILE"
	truncate -s 64M "$BATS_TEST_TMPDIR/f"
	"$BLKREEL" replay "$PROFILE" --target "$BATS_TEST_TMPDIR/f" --mode dependent --json >"$OUT"
	[ "$(json "$OUT" "d['completed'], d['dependence']['tasks'], d['dependence']['own_completion'] >= 290")" = "(300, 3, True)" ]
	# 99 thoughts of 4 ms, whatever the target; the sums of each task are a few off.
	[ "$(json "$OUT" "d['duration_ns'] > 0.35e9")" = True ]
	"$BLKREEL" replay "$PROFILE" --target "$BATS_TEST_TMPDIR/f" --mode depth --json >"$OUT"
	[ "$(json "$OUT" "d['completed'], 1 <= d['highest_depth'] <= 3")" = "(300, True)" ]
}

@test "an error in a section is reported with its line" {
	thinkers 2 100
	"$BLKREEL" -q profile "$TRACE" -o "$PROFILE"
	for change in 's/^tasks = .*/tasks = 0/' 's/^think_ns = .*/think_ns = 5 4/' 's/^completions_awaited.1 = .*/completions_awaited.1 = 17:1/' \
		's/^latency.read.4096/latency.read.4097/' 's/^streams = .*/streams = 9:1/' 's/^\[tasks 1\]/[tasks 2]/' \
		's/^depth = .*/depth = 1:-1/' 's/^active = .*/active = x/'; do
		sed "$change" "$PROFILE" >"$BATS_TEST_TMPDIR/bad"
		run -4 --separate-stderr "$BLKREEL" profile show "$BATS_TEST_TMPDIR/bad"
		one_line "$stderr"
		[[ $stderr =~ line\ [0-9]+: ]]
	done
}

@test "fio: numjobs, iodepth and thinktime are imported and exported" {
	cat >"$BATS_TEST_TMPDIR/job.fio" <<-END
		[global]
		size=64M
		rw=randread
		[thinkers]
		numjobs=4
		thinktime=2000
		number_ios=500
		[deep]
		iodepth=8
		number_ios=4000
	END
	"$BLKREEL" -q profile --from-fio "$BATS_TEST_TMPDIR/job.fio" -o "$PROFILE" 2>/dev/null
	show
	[ "$(json "$OUT" "[(t['active'][0], t['in_flight'], t['think_mean_ns']) for t in d['closed']['tasks']]")" = \
		"[(4, 1.0, 2000000.0), (1, 8.0, 1.0)]" ]
	"$BLKREEL" profile --to-fio "$PROFILE" -o "$BATS_TEST_TMPDIR/again.fio"
	grep -q '^# Jobs have no rate' "$BATS_TEST_TMPDIR/again.fio"
	run ! grep -qE '^(rate|runtime)' "$BATS_TEST_TMPDIR/again.fio"
	# Reads that happen to follow others are streams of their own, after these two.
	sed -n '/^\[stream1\]/,/^\[stream3\]/p' "$BATS_TEST_TMPDIR/again.fio" >"$BATS_TEST_TMPDIR/two"
	run -0 grep -E '^(numjobs|iodepth|thinktime)=' "$BATS_TEST_TMPDIR/two"
	[ "$(sort <<<"$output" | paste -sd' ')" = "iodepth=1 iodepth=8 numjobs=1 numjobs=4 thinktime=2000" ]
}

@test "a recording of fio has its think time, and fio runs the exported profile" {
	need_probes
	need_loop
	need_command fio
	make_loop 32M
	"$BLKREEL" -q record -d "$LOOP" -o "$TRACE" -- fio --name=thinker --filename="$LOOP" --rw=randread --bs=4k \
		--direct=1 --ioengine=psync --numjobs=2 --thinktime=2000 --number_ios=150 --output-format=terse >/dev/null
	"$BLKREEL" -q profile "$TRACE" -o "$PROFILE" --seeds 1
	show
	# A sleep lasts as long as it should at least. Whoever looks for file systems may read, too.
	[ "$(json "$OUT" "max(t['think_mean_ns'] for t in d['closed']['tasks']) >= 1.9e6, d['closed']['dependent_pct'] > 90")" = "(True, True)" ]
	[ "$(json "$OUT" "d['closed']['tasks'][0]['tasks'] >= 2")" = True ]
	"$BLKREEL" replay "$PROFILE" --target "$LOOP" --mode dependent --json >"$OUT"
	[ "$(json "$OUT" "d['completed'] >= 299, d['dependence']['own_completion'] >= 270, d['duration_ns'] > 0.25e9")" = "(True, True, True)" ]
	"$BLKREEL" profile --to-fio "$PROFILE" -o "$BATS_TEST_TMPDIR/job.fio"
	sed 's/^ioengine=.*/ioengine=psync/' "$BATS_TEST_TMPDIR/job.fio" >"$BATS_TEST_TMPDIR/psync.fio"
	TARGET=$LOOP fio --output-format=json --output="$OUT" "$BATS_TEST_TMPDIR/psync.fio" >/dev/null
	[ "$(json "$OUT" "sum(j['error'] for j in d['jobs']), sum(j['read']['total_ios'] for j in d['jobs']) >= 298")" = "(0, True)" ]
}

@test "scale, slice and mix keep the closed loop; a mix that cannot keep it says so" {
	thinkers 3 400
	"$BLKREEL" -q profile "$TRACE" -o "$PROFILE"
	run -0 --separate-stderr "$BLKREEL" profile scale "$PROFILE" --load 2 -o "$BATS_TEST_TMPDIR/twice"
	[ -z "$stderr" ]
	show "$BATS_TEST_TMPDIR/twice"
	[ "$(json "$OUT" "sum(t['active'][0] for t in d['closed']['tasks']), d['ios']")" = "(6, 2400)" ]
	run -0 --separate-stderr "$BLKREEL" profile slice "$PROFILE" --from 0.5 --to 1.5 -o "$BATS_TEST_TMPDIR/second"
	[ -z "$stderr" ]
	show "$BATS_TEST_TMPDIR/second"
	[ "$(json "$OUT" "sum(t['active'][0] for t in d['closed']['tasks']), d['closed']['dependent_pct'] > 97")" = "(3, True)" ]
	[ "$(json "$OUT" "all(3e6 < t['think_mean_ns'] < 5e6 for t in d['closed']['tasks'])")" = True ]
	run -0 --separate-stderr "$BLKREEL" profile mix "$PROFILE" "$PROFILE=2" -o "$BATS_TEST_TMPDIR/both"
	[ -z "$stderr" ]
	show "$BATS_TEST_TMPDIR/both"
	[ "$(json "$OUT" "sum(t['active'][0] for t in d['closed']['tasks']), d['ios']")" = "(9, 3600)" ]
	sed '/^\[closed\]/,$d' "$PROFILE" >"$BATS_TEST_TMPDIR/open"
	run -0 --separate-stderr "$BLKREEL" profile mix "$PROFILE" "$BATS_TEST_TMPDIR/open" -o "$BATS_TEST_TMPDIR/both"
	one_line "$stderr"
	[[ $stderr == *"the result has no closed loop ([closed])"* ]]
	run -0 --separate-stderr "$BLKREEL" profile mix "$BATS_TEST_TMPDIR/open" "$BATS_TEST_TMPDIR/open" -o "$BATS_TEST_TMPDIR/both"
	[ -z "$stderr" ]
}
