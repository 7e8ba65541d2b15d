#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# stat: live figures, compared with the IOs issued, the kernel's counts and the clock.
# bats file_tags=sanitized
# bats file_tags=root

# shellcheck disable=SC2034 # helpers/disturbance.bash says what this is
DISTURBED_BY="reclaim skip"
load test_helper

setup() {
	need_loop
	need_probes
	make_loop 64M
	DEVICE=$(basename "$LOOP")
	LINES_FILE=$BATS_TEST_TMPDIR/lines
}

teardown() {
	[ -z "$STAT_PID" ] || kill "$STAT_PID" 2>/dev/null || true
	# A loop device keeps the settings of its last use.
	echo none 2>/dev/null >"/sys/block/$DEVICE/queue/scheduler" || true
	if [ -n "$FROZEN" ]; then
		fsfreeze -u "$FROZEN" 2>/dev/null || true
		wait_until in_flight 0 || true
		losetup -d "$INNER" 2>/dev/null || true
		wait_until umount "$FROZEN"
	fi
	clean_up
}

# start_stat ARGUMENT...: in the background, into LINES_FILE; returns when it counts.
start_stat() {
	: >"$LINES_FILE" # the lines of an earlier one would be taken for those of this one
	"$BLKREEL" stat --json "$@" >"$LINES_FILE" 3>&- &
	STAT_PID=$!
	wait_until test -s "$LINES_FILE"
}

# Ends it and splits its lines: TOTAL has the last one, INTERVALS the others as an array.
stop_stat() {
	kill -INT "$STAT_PID"
	wait "$STAT_PID"
	STAT_PID=
	TOTAL=$BATS_TEST_TMPDIR/total.json
	INTERVALS=$BATS_TEST_TMPDIR/intervals.json
	tail -1 "$LINES_FILE" >"$TOTAL"
	[ "$(json "$TOTAL" "d['kind'], d['schema']")" = "('total', 'blkreel.stat/1')" ]
	python3 -c '
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
assert all(line["kind"] == "interval" and line["schema"] == "blkreel.stat/1" for line in lines[:-1])
json.dump(lines[:-1], open(sys.argv[2], "w"))' "$LINES_FILE" "$INTERVALS"
}

# total EXPRESSION: of the only device in the totals.
total() {
	json "$TOTAL" "d['devices'][0]$1"
}

# frozen_loop: LOOP gets a file system, and a file on it a loop device INNER (DEVICE is then that one), whose
# writes wait while the file system is frozen: their latency is the time that passes.
frozen_loop() {
	need_command fsfreeze
	FROZEN=$BATS_TEST_TMPDIR/mnt
	mkfs.ext4 -q -F "$LOOP"
	mkdir -p "$FROZEN"
	mount "$LOOP" "$FROZEN"
	truncate -s 8M "$FROZEN/file"
	dd if=/dev/zero of="$FROZEN/file" bs=1M count=8 conv=notrunc,fsync status=none
	INNER=$(new_loop "$FROZEN/file")
	DEVICE=$(basename "$INNER")
}

# in_flight COUNT: does the kernel say so?
in_flight() {
	[ "$(awk '{ print $1 + $2 }' "/sys/block/$DEVICE/inflight")" = "$1" ]
}

# Long enough for a wrong number in flight to be noticed.
quiet() {
	local lines
	lines=$(wc -l <"$LINES_FILE")
	wait_until has_lines $((lines + 8))
}

has_lines() {
	[ "$(wc -l <"$LINES_FILE")" -ge "$1" ]
}

now_ns() {
	date +%s%N
}

@test "1,009 writes with 10 flushes, 1,009 reads, 1,009 discards: counters and probes agree" {
	local before after
	read -ra before <"/sys/block/$DEVICE/stat"
	start_stat -d "$LOOP" --no-cache 0.1
	"$HELPERS/issue_io" write "$LOOP" 1009 4096 100 >/dev/null
	"$HELPERS/issue_io" read "$LOOP" 1009 4096 >/dev/null
	"$HELPERS/issue_io" discard "$LOOP" 1009 4096 >/dev/null
	# Once more when it is no longer the first second, with flushes that carry data.
	sleep 1.1
	dd if=/dev/zero of="$LOOP" bs=4k count=307 oflag=direct,dsync conv=notrunc status=none
	quiet
	stop_stat
	read -ra after <"/sys/block/$DEVICE/stat"
	for part in "read 0" "write 4" "discard 11" "flush 15"; do
		read -r op at <<<"$part"
		[ "$(total "['$op']['ios']")" = $((after[at] - before[at])) ]
		[ "$(total "['$op']['probed_ios']")" = $((after[at] - before[at])) ]
		[ "$op" = flush ] || [ "$(total "['$op']['probed_bytes']")" = $((512 * (after[at + 2] - before[at + 2]))) ]
	done
	[ "$(total "['read']['probed_ios']")" = 1009 ]
	[ "$(total "['discard']['probed_ios']")" = 1009 ]
	# The empty write that asks for a flush is one of the kernel's writes.
	[ "$(total "['write']['probed_ios']")" -ge $((1019 + 307)) ]
	[ "$(total "['flush']['probed_ios']")" -ge 10 ]
	[ "$(total "['in_queue_ms']")" = $((after[10] - before[10])) ]
	[ "$(total "['io_ticks_ms']")" = $((after[9] - before[9])) ]
	[ "$(total "['depth_max']")" = 1 ]
	[ "$(total "['in_flight']")" = 0 ]
	[ "$(json "$TOTAL" "d['lost']['total']")" = 0 ]
}

@test "the sums of the intervals are the totals" {
	start_stat -d "$LOOP" --no-cache 0.02
	for _ in 1 2 3; do
		"$HELPERS/issue_io" read "$LOOP" 307 4096 >/dev/null
		sleep 0.05
	done
	quiet
	stop_stat
	[ "$(total "['read']['probed_ios']")" = 921 ]
	# After the last interval nothing was issued.
	for figure in "['read']['ios']" "['read']['probed_ios']" "['busy_ns']" "['depth_ns']"; do
		[ "$(json "$INTERVALS" "sum(i['devices'][0]$figure for i in d)")" = "$(total "$figure")" ]
	done
	[ "$(json "$INTERVALS" "all(i['devices'][0]['busy_ns'] <= i['devices'][0]['interval_ns'] for i in d)")" = True ]
}

@test "one IO after the other: busy time and depth are the sum of their latencies" {
	start_stat -d "$LOOP" --no-cache 0.1
	"$HELPERS/issue_io" read "$LOOP" 1009 4096 >/dev/null
	stop_stat
	# Both are from creation to completion, taken by two programs that run one after the other.
	[ "$(total "['depth_ns'] - d['devices'][0]['busy_ns']")" = 0 ]
	python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))["devices"][0]
sum_ns = d["read"]["latency_ns"]["total"]["mean"] * d["read"]["latency_ns"]["total"]["count"]
assert d["busy_ns"] > 0
assert abs(d["busy_ns"] - sum_ns) < 1009 * 5000 + sum_ns / 4, (d["busy_ns"], sum_ns)' "$TOTAL"
}

@test "merged requests: none stays in flight, and the merges match the kernel's" {
	local merges ios
	need_command fio
	start_stat -d "$LOOP" --no-cache 0.1
	ios=$(diskstat "$DEVICE" 5) merges=$(diskstat "$DEVICE" 6)
	for scheduler in none mq-deadline; do
		grep -q "$scheduler" "/sys/block/$DEVICE/queue/scheduler" || continue
		echo "$scheduler" >"/sys/block/$DEVICE/queue/scheduler"
		fio --name=merge --filename="$LOOP" --rw=write --bs=4k --size=4M --direct=1 --ioengine=io_uring \
			--iodepth=32 --iodepth_batch_submit=32 --iodepth_batch_complete_min=32 >/dev/null
	done
	echo none >"/sys/block/$DEVICE/queue/scheduler"
	quiet
	stop_stat
	[ "$(diskstat "$DEVICE" 6)" -gt "$merges" ]
	[ "$(total "['write']['merges']")" = $(($(diskstat "$DEVICE" 6) - merges)) ]
	[ "$(total "['write']['probed_ios']")" = $(($(diskstat "$DEVICE" 5) - ios)) ]
	[ "$(total "['in_flight']")" = 0 ]
	[ "$(json "$TOTAL" "d['lost']['unreported_events']")" = 0 ]
}

@test "two requests that the scheduler merges: one less in flight" {
	local merges
	frozen_loop
	grep -q mq-deadline "/sys/block/$DEVICE/queue/scheduler" || skip "needs the IO scheduler mq-deadline"
	echo mq-deadline >"/sys/block/$DEVICE/queue/scheduler"
	for wait in 0 1.1; do
		merges=$(diskstat "$DEVICE" 6)
		start_stat -d "$INNER" --no-cache 0.1
		sleep $wait
		python3 "$ROOT/tests/helpers/merge_requests.py" "$INNER" "fsfreeze -f $FROZEN" "fsfreeze -u $FROZEN"
		quiet
		stop_stat
		# The block between is merged, and then the request behind it.
		[ $(($(diskstat "$DEVICE" 6) - merges)) = 2 ]
		[ "$(total "['write']['probed_ios']")" = 130 ]
		[ "$(total "['write']['probed_bytes']")" = $((132 * 4096)) ]
		[ "$(total "['depth_max']")" = 131 ]
		[ "$(total "['in_flight']")" = 0 ]
		[ "$(json "$TOTAL" "d['lost']['unreported_events']")" = 0 ]
	done
}

@test "three writes that wait at once: busy is the elapsed time, not the sum; depth is 3" {
	local issued waiting thawed ended
	frozen_loop
	start_stat -d "$INNER" --no-cache 0.05
	fsfreeze -f "$FROZEN"
	issued=$(now_ns)
	for _ in 1 2 3; do
		"$HELPERS/issue_io" write "$INNER" 1 4096 >/dev/null 3>&- &
	done
	wait_until in_flight 3
	waiting=$(now_ns)
	quiet
	thawed=$(now_ns)
	fsfreeze -u "$FROZEN"
	wait_until in_flight 0
	ended=$(now_ns)
	quiet
	stop_stat
	[ "$(total "['write']['probed_ios']")" = 3 ]
	[ "$(total "['depth_max']")" = 3 ]
	[ "$(total "['in_flight']")" = 0 ]
	[ "$(total "['busy_ns']")" -ge $((thawed - waiting)) ]
	[ "$(total "['busy_ns']")" -le $((ended - issued)) ]
	[ "$(total "['depth_ns']")" -ge $((3 * (thawed - waiting))) ]
	[ "$(total "['depth_ns']")" -le $((3 * (ended - issued))) ]
	# While they wait nothing is completed, and yet the device is seen to be busy.
	[ "$(json "$INTERVALS" "max(i['devices'][0]['busy_ns'] == i['devices'][0]['interval_ns'] and
		i['devices'][0]['in_flight'] == 3 and i['devices'][0]['write']['ios'] == 0 for i in d)")" = True ]
	python3 -c '
import json, sys
w = json.load(open(sys.argv[1]))["devices"][0]["write"]["latency_ns"]["total"]
assert w["count"] == 3 and int(sys.argv[2]) * 15 / 16 < w["p50"] < int(sys.argv[3]) * 17 / 16' \
		"$TOTAL" $((thawed - waiting)) $((ended - issued))
}

# $1: how long they go on waiting after the first interval.
waiting_at_start() {
	frozen_loop
	fsfreeze -f "$FROZEN"
	for _ in 1 2 3; do
		"$HELPERS/issue_io" write "$INNER" 1 4096 >/dev/null 3>&- &
	done
	wait_until in_flight 3
	start_stat -d "$INNER" --no-cache 0.1
	sleep "$1"
	fsfreeze -u "$FROZEN"
	wait_until in_flight 0
	"$HELPERS/issue_io" write "$INNER" 5 4096 >/dev/null
	quiet
	stop_stat
	[ "$(total "['write']['probed_ios']")" = 8 ]
	[ "$(total "['depth_max']")" = 1 ]
	[ "$(total "['in_flight']")" = 0 ]
	[ "$(json "$TOTAL" "d['lost']['unreported_events']")" = 0 ]
}

@test "requests in flight at the start count as IOs, not as depth" {
	waiting_at_start 0
}

@test "requests in flight at the start that wait for more than a second count as IOs, not as depth" {
	waiting_at_start 1.3
}

@test "queue/iostats 0: the probes still count, with their own times" {
	echo 0 >"/sys/block/$DEVICE/queue/iostats"
	start_stat -d "$LOOP" --no-cache 0.1
	for _ in 1 2; do
		"$HELPERS/issue_io" write "$LOOP" 1009 4096 100 >/dev/null
		sleep 1.1
	done
	quiet
	stop_stat
	run "$BLKREEL" stat -d "$LOOP" --no-cache 0.02 1
	echo 1 >"/sys/block/$DEVICE/queue/iostats"
	[[ $output == *"echo 1 >/sys/block/$DEVICE/queue/iostats"* ]]
	[ "$(total "['write']['ios'], d['devices'][0]['iostats']")" = "(0, False)" ]
	[ "$(total "['write']['probed_ios']")" = 2038 ]
	[ "$(total "['write']['latency_ns']['total']['count']")" = 2038 ]
	# No request was in flight for longer than all of this took.
	[ "$(total "['write']['latency_ns']['total']['max'] < d['interval_ns']")" = True ]
	[ "$(total "['depth_max'], d['devices'][0]['in_flight']")" = "(1, 0)" ]
	# Nothing was issued in the seconds between.
	[ "$(total "['busy_ns'] < d['interval_ns'] - 2.2e9")" = True ]
}

# A kernel can leave out an event, which is seldom: once of three times it must be right.
@test "IOs at the start: each IO that is counted at its begin is counted at its end" {
	for _ in 1 2 3; do
		figures=$("$HELPERS/counting_variant" first "$LOOP" true)
		echo "$figures"
		python3 -c "if 1:
			import json, sys
			figures = json.loads(sys.argv[1])
			assert figures['read']['ios'] == figures['read']['timed'] == 3
			assert figures['in_flight'] == 0 and figures['depth_max'] == 1
			assert 0 < figures['busy_ns'] <= figures['interval_ns']
			assert figures['depth_ns'] <= figures['interval_ns']" "$figures" && return
	done
	false
}

@test "the programs for other kernels give the same counts, and busy is at most the elapsed time" {
	for variant in start issue plain; do
		frozen_loop
		"$HELPERS/counting_variant" $variant "$INNER" "
			$HELPERS/issue_io write $INNER 307 4096 50 >/dev/null; sync $INNER
			fsfreeze -f $FROZEN
			for i in 1 2 3; do $HELPERS/issue_io write $INNER 1 4096 >/dev/null & done
			until awk '{ exit \$1 + \$2 != 3 }' /sys/block/$DEVICE/inflight; do sleep 0.05; done
			sleep 0.5; fsfreeze -u $FROZEN; wait" >"$BATS_TEST_TMPDIR/v.json"
		python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
assert d["lost"] == 0 and d["in_flight"] == 0 and d["depth_max"] == 3, d
# 6 flushes, each of them asked for by an empty write; sync may ask for one more.
assert d["write"]["ios"] - d["flush"]["ios"] == 310 and d["flush"]["ios"] in (6, 7), d
assert d["write"]["bytes"] == 310 * 4096 and d["write"]["in_size"] == 310, d
assert d["write"]["in_total"] == d["write"]["timed"] == d["write"]["ios"], d
assert d["write"]["in_device"] == d["write"]["device_ios"], d
assert 4096 <= d["write"]["p50_size"] <= 6144, d
assert 0.3e9 < d["busy_ns"] <= d["interval_ns"], d
assert 0.9e9 < d["depth_ns"] <= 3 * d["interval_ns"], d' "$BATS_TEST_TMPDIR/v.json"
		losetup -d "$INNER"
		umount "$FROZEN"
		FROZEN=
	done
}

@test "the page cache: 1,009 cold reads are 1,009 misses; 256 pages dirtied are 256 written back" {
	need_figure cache_demand_misses
	local mnt=$BATS_TEST_TMPDIR/mnt
	mkfs.ext4 -q -F "$LOOP"
	mkdir "$mnt"
	mount "$LOOP" "$mnt"
	dd if=/dev/urandom of="$mnt/file" bs=1M count=8 status=none
	umount "$LOOP"
	mount "$LOOP" "$mnt"
	start_stat -d "$LOOP" 0.1
	"$HELPERS/issue_io" cached-random "$mnt/file" 1009 4096 >/dev/null
	"$HELPERS/issue_io" cached-random "$mnt/file" 1009 4096 >/dev/null
	dd if=/dev/urandom of="$mnt/new" bs=4k count=256 conv=fsync status=none
	stop_stat
	[ "$(json "$TOTAL" "d['cache']['read_pages']")" = 2018 ]
	[ "$(json "$TOTAL" "d['cache']['demand_miss_pages']")" = 1009 ]
	[ "$(json "$TOTAL" "d['cache']['hit_pages']")" = 1009 ]
	[ "$(json "$TOTAL" "d['cache']['written_back_pages']")" = 256 ]
	[ "$(json "$TOTAL" "d['cache']['dirtied_pages']")" -ge 256 ]
	run -0 "$BLKREEL" stat --no-cache --json 0.01 1
	[[ $output != *'"cache"'* ]]
}

@test "the page cache: a read that fails is taken off later reads, and no interval has less than none" {
	need_figure cache_demand_misses
	mount_new ext4
	make_file file 8
	start_stat -d "$LOOP" 0.1
	# 256 pages into memory that is not there: counted when it reads, taken back when it exits.
	python3 -c '
import ctypes, os, sys, time
read = ctypes.CDLL(None, use_errno=True).pread
read.argtypes = ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_long
assert read(os.open(sys.argv[1], os.O_RDONLY), 8, 1 << 20, 0) == -1 and ctypes.get_errno() == 14
time.sleep(0.5)' "$MNT/file"
	sleep 0.3
	"$HELPERS/issue_io" cached-random "$MNT/file" 503 4096 >/dev/null
	quiet
	stop_stat
	[ "$(json "$INTERVALS" "max(i['cache']['read_pages'] for i in d)")" -le 503 ]
	[ "$(json "$INTERVALS" "max(i['cache']['reads'] for i in d)")" -le 503 ]
	[ "$(json "$INTERVALS" "sum(i['cache']['read_pages'] for i in d)")" = 503 ]
	[ "$(json "$TOTAL" "d['cache']['read_pages']")" = 503 ]
}

# Signals are asked for, so that ^C is not simply the end.
# stat reads its signals by now, and counts: it blocks SIGINT, SIGTERM, SIGTSTP and SIGWINCH. A shell that has not
# become stat yet blocks others for a moment, and ignores SIGINT.
signals_blocked() {
	grep -qE '^SigBlk:\s0*808400[23]$' "/proc/$STAT_PID/status"
}

@test "the schedule is absolute: one late interval does not shift the next ones" {
	start_stat --no-cache 0.1
	wait_until has_lines 3
	kill -STOP "$STAT_PID"
	sleep 0.25
	kill -CONT "$STAT_PID"
	wait_until has_lines $(($(wc -l <"$LINES_FILE") + 25))
	stop_stat
	# No interval but the stopped one is long, and the phase is what it was: samples come after their due time.
	python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
times = [i["time_ns"] for i in d]
phases = [(t - times[0]) % 100000000 for t in times[-20:]]
assert max(i["interval_ns"] for i in d) > 200000000
assert min(min(p, 100000000 - p) for p in phases) < 25000000, phases' "$INTERVALS"
}

@test "COUNT intervals, then the totals; text repeats its header and ends lines without blanks" {
	run -0 --separate-stderr "$BLKREEL" stat -d "$LOOP" 0.02 25
	[ "$stderr" = "" ]
	[ "$(grep -c "^TIME " <<<"$output")" -ge 2 ]
	[ "$(grep -c "^[0-9:]*  $DEVICE " <<<"$output")" = 25 ]
	[ "$(grep -c "^total of " <<<"$output")" = 1 ]
	[[ $output != *$'\e'* ]]
	run ! grep -q ' $' <<<"$output"
	run -0 bash -c '"$0" stat --json 0.02 7 | wc -l' "$BLKREEL"
	[ "$output" = 8 ]
}

@test "a signal ends a long interval early, and the totals have its IOs" {
	"$BLKREEL" stat -d "$LOOP" --json 10m >"$LINES_FILE" 3>&- &
	STAT_PID=$!
	wait_until signals_blocked
	"$HELPERS/issue_io" read "$LOOP" 307 4096 >/dev/null
	kill -INT "$STAT_PID"
	wait "$STAT_PID"
	STAT_PID=
	[ "$(wc -l <"$LINES_FILE")" = 1 ]
	[ "$(json "$LINES_FILE" "d['kind'], d['devices'][0]['read']['probed_ios']")" = "('total', 307)" ]
}

@test "stat reports a device that vanishes and one that appears" {
	start_stat 0.05
	losetup -d "$LOOP"
	wait_until grep -q "\"vanished\":\[\"$DEVICE\"\]" "$LINES_FILE"
	losetup "$LOOP" "$(awk '{ print $2 }' "$BATS_TEST_TMPDIR/loops")" || skip "another program took $LOOP meanwhile"
	wait_until grep -q "\"appeared\":\[\"$DEVICE\"\]" "$LINES_FILE"
	"$HELPERS/issue_io" read "$LOOP" 1009 4096 >/dev/null
	stop_stat
	[ "$(json "$TOTAL" "[x['read']['probed_ios'] for x in d['devices'] if x['name'] == '$DEVICE']")" = "[1009]" ]
	[ "$(json "$TOTAL" "d['lost']['total']")" = 0 ]
}

@test "the text reports a named device that vanishes and comes back" {
	"$BLKREEL" stat -d "$LOOP" --no-cache 0.05 >"$LINES_FILE" 3>&- &
	STAT_PID=$!
	wait_until test -s "$LINES_FILE"
	losetup -d "$LOOP"
	wait_until grep -qE " $DEVICE $GONE$" "$LINES_FILE"
	! grep -q " $DEVICE is another disk now$" "$LINES_FILE" || skip "another program took $LOOP meanwhile"
	wait_until grep -qE " $DEVICE +gone " "$LINES_FILE"
	losetup "$LOOP" "$(awk '{ print $2 }' "$BATS_TEST_TMPDIR/loops")" || skip "another program took $LOOP meanwhile"
	wait_until grep -q " $DEVICE has appeared$" "$LINES_FILE"
	kill -INT "$STAT_PID"
	wait "$STAT_PID"
	STAT_PID=
}

@test "without the permission for probes: the kernel's counters, the missing figures and the remedy" {
	need_command setpriv
	local ios copy=$BATS_TEST_TMPDIR/blkreel
	cp "$BLKREEL" "$copy"
	chmod 755 "$BATS_TEST_TMPDIR" "$copy"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$copy" stat --json 0.1 >"$LINES_FILE" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	STAT_PID=$!
	wait_until test -s "$LINES_FILE"
	"$HELPERS/issue_io" read "$LOOP" 1009 4096 >/dev/null
	stop_stat
	[ "$(json "$TOTAL" "[x['read']['ios'] for x in d['devices'] if x['name'] == '$DEVICE']")" = "[1009]" ]
	[[ $(json "$TOTAL" "d['missing']") == *"CAP_BPF and CAP_PERFMON"* ]]
	[[ $(json "$TOTAL" "d['missing']") == *"page cache"* ]]
	grep -q "missing: exact busy time.*run as root" "$BATS_TEST_TMPDIR/err"
	[ "$(json "$TOTAL" "'busy_ns' in d['devices'][0], 'cache' in d")" = "(False, False)" ]
	run -0 setpriv --reuid=65534 --regid=65534 --clear-groups "$copy" -q stat -d "$DEVICE" 0.02 2
	[[ $output == *"$DEVICE"*" - "* ]]
}

@test "a device without requests has the kernel's counters only" {
	[ -e /sys/block/zram0 ] || skip "needs a zram device"
	run -0 --separate-stderr "$BLKREEL" stat -d zram0 --no-cache 0.02 2
	[[ $output == *zram0* ]]
}

@test "--all: JSON has the idle devices, too, as the text has" {
	run -0 --separate-stderr "$BLKREEL" stat --json --no-cache 0.02 1
	few=$(head -1 <<<"$output" | python3 -c 'import json, sys; print(len(json.loads(sys.stdin.readline())["devices"]))')
	run -0 --separate-stderr "$BLKREEL" stat --all --json --no-cache 0.02 1
	head -1 <<<"$output" >"$BATS_TEST_TMPDIR/all.json"
	[ "$(json "$BATS_TEST_TMPDIR/all.json" "'$DEVICE' in [v['name'] for v in d['devices']]")" = True ]
	[ "$(json "$BATS_TEST_TMPDIR/all.json" "len(d['devices']) > $few")" = True ]
}

@test "wrong arguments: one line, exit 2; no such device: exit 1" {
	for words in "0" "2h" "x" "1 0" "1 x" "1 2 3"; do
		read -ra words <<<"$words"
		run -2 --separate-stderr "$BLKREEL" stat "${words[@]}"
		[ "$output" = "" ]
		[[ $stderr == "blkreel stat: "* ]]
	done
	run -1 --separate-stderr "$BLKREEL" stat -d nonsense 1
	[ "$output" = "" ]
	one_line "$stderr"
}

@test "a closed pipe ends stat" {
	run -0 --separate-stderr bash -c '"$0" stat --json 0.02 | head -1' "$BLKREEL"
	one_line "$output"
	[ "$stderr" = "" ]
}
