#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# record --aggregate, compared with the IOs issued and the kernel's counts.
# bats file_tags=root

# shellcheck disable=SC2034 # helpers/disturbance.bash says what this is
DISTURBED_BY="reclaim skip"
load test_helper

setup() {
	need_loop
	need_probes
	make_loop 64M
	DEVICE=$(basename "$LOOP")
	TRACE=$BATS_TEST_TMPDIR/t.reel
}

teardown() {
	[ -z "$RECORDER" ] || kill -9 "$RECORDER" 2>/dev/null || true
	umount "$BATS_TEST_TMPDIR/small" 2>/dev/null || true
	clean_up
}

# rows_of KIND EXPRESSION: of `rows`, the dicts of that kind.
rows_of() {
	"$BLKREEL" dump --rows "$1" --format csv "$TRACE" | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
print(eval(sys.argv[1]))' "$2"
}

record_aggregate() {
	"$BLKREEL" record --aggregate -d "$LOOP" -o "$TRACE" "$@" >/dev/null
}

@test "1,009 writes with 10 flushes, 1,009 reads, 1,009 discards: ticks and histograms match the kernel's counts" {
	local before after
	read -ra before <"/sys/block/$DEVICE/stat"
	record_aggregate --interval 50ms -- sh -c "
		$HELPERS/issue_io write $LOOP 1009 4096 100
		$HELPERS/issue_io read $LOOP 1009 8192
		$HELPERS/issue_io discard $LOOP 1009 4096"
	read -ra after <"/sys/block/$DEVICE/stat"
	for part in "read 0" "write 4" "discard 11" "flush 15"; do
		read -r op at <<<"$part"
		[ "$(rows_of tick "sum(int(r['${op}_ios']) for r in rows)")" = $((after[at] - before[at])) ]
		[ "$(rows_of hist "sum(int(r['count']) for r in rows if r['op'] == '$op' and r['figure'] == 'total_ns')")" = \
			$((after[at] - before[at])) ]
		[ "$op" = flush ] || [ "$(rows_of tick "sum(int(r['${op}_sectors']) for r in rows)")" = $((after[at + 2] - before[at + 2])) ]
	done
	# Sizes are those of requests with data, each in the bucket that begins with it.
	[ "$(rows_of hist "sum(int(r['count']) for r in rows if r['op'] == 'read' and r['figure'] == 'bytes' and r['low'] == '8192')")" = 1009 ]
	[ "$(rows_of hist "sum(int(r['count']) for r in rows if r['op'] == 'write' and r['figure'] == 'bytes' and r['low'] == '4096')")" = 1009 ]
	[ "$(rows_of tick "all(0 < int(r['busy_ns']) <= int(r['interval_ns']) and r['depth_max'] == '1' and r['busy_ns'] == r['depth_ns'] for r in rows)")" = True ]
	"$BLKREEL" info --json "$TRACE" >"$BATS_TEST_TMPDIR/i.json"
	[ "$(json "$BATS_TEST_TMPDIR/i.json" "d['rows']['io'], d['lost']['total'], d['complete']")" = "(0, 0, True)" ]
	[ "$(json "$BATS_TEST_TMPDIR/i.json" "abs(d['clock_jump_ns']) < 10**7")" = True ]
	run -0 "$BLKREEL" info --verify "$TRACE"
	[ "$(stat -c %s "$TRACE")" -lt 16384 ]
}

@test "the second decoder and a copy have the same rows" {
	need_command zstd
	record_aggregate --interval 20ms -- "$HELPERS/issue_io" read "$LOOP" 4001 4096
	"$BLKREEL" copy "$TRACE" -o "$BATS_TEST_TMPDIR/copy.reel" 2>/dev/null
	for kind in tick hist; do
		"$BLKREEL" dump --rows $kind --format csv "$TRACE" >"$BATS_TEST_TMPDIR/csv"
		[ "$(wc -l <"$BATS_TEST_TMPDIR/csv")" -ge 2 ]
		python3 "$ROOT/tools/decode_trace.py" --rows $kind "$TRACE" | cmp - "$BATS_TEST_TMPDIR/csv"
		"$BLKREEL" dump --rows $kind --format csv "$BATS_TEST_TMPDIR/copy.reel" | cmp - "$BATS_TEST_TMPDIR/csv"
	done
}

@test "explain reads ticks and histograms" {
	record_aggregate -- "$HELPERS/issue_io" read "$LOOP" 1009 4096
	"$BLKREEL" explain --json "$TRACE" >"$BATS_TEST_TMPDIR/e.json"
	[ "$(json "$BATS_TEST_TMPDIR/e.json" "d['devices'][0]['kernel']['read']['ios']")" = 1009 ]
	[ "$(json "$BATS_TEST_TMPDIR/e.json" "d['devices'][0]['read']['ios'], d['devices'][0]['read']['bytes']")" = "(1009, $((1009 * 4096)))" ]
	[ "$(json "$BATS_TEST_TMPDIR/e.json" "[d['devices'][0]['latency_ns'][k]['count'] for k in ('device', 'total')]")" = "[1009, 1009]" ]
	[ "$(json "$BATS_TEST_TMPDIR/e.json" "d['devices'][0]['busy_ns']")" = "$(rows_of tick "sum(int(r['busy_ns']) for r in rows)")" ]
	[ "$(json "$BATS_TEST_TMPDIR/e.json" "d['devices'][0].get('agrees_with_kernel')")" = None ]
	# On a busy machine a few IOs of a loop device are slow, which the histograms show.
	[ "$(json "$BATS_TEST_TMPDIR/e.json" "[f['id'] for f in d['findings'] if f['id'] != 'tail-latency']")" = "[]" ]
	run -0 "$BLKREEL" explain "$TRACE"
	[[ $output == *"--aggregate"* && $output == *"1,009"* ]]
}

@test "commands that need requests report that there are none" {
	record_aggregate -- "$HELPERS/issue_io" read "$LOOP" 307 4096
	for words in "profile $TRACE -o $BATS_TEST_TMPDIR/p" "compare $TRACE $TRACE"; do
		read -ra words <<<"$words"
		run -4 --separate-stderr "$BLKREEL" "${words[@]}"
		[ "$output" = "" ]
		one_line "$stderr"
		[[ $stderr == *"no requests (record --aggregate)"* ]]
	done
	[ ! -e "$BATS_TEST_TMPDIR/p" ]
	run ! --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP"
	[[ $stderr == *"no requests"* ]]
}

@test "a full disk ends the recording; the rows before it are whole" {
	local small=$BATS_TEST_TMPDIR/small
	mkdir "$small"
	mount -t tmpfs -o size=64k tmpfs "$small"
	TRACE=$small/t.reel
	dd if=/dev/zero of="$small/full" bs=4k count=11 status=none
	(while :; do "$HELPERS/issue_io" read "$LOOP" 307 4096 >/dev/null; done) 3>&- &
	local load=$!
	run -1 timeout 200 "$BLKREEL" record --aggregate --interval 10ms -d "$LOOP" -o "$TRACE" -t 190
	kill "$load"
	wait "$load" || true
	[[ $output == *"No space left on device"* ]]
	cp "$TRACE" "$BATS_TEST_TMPDIR/t.reel"
	umount "$small"
	TRACE=$BATS_TEST_TMPDIR/t.reel
	run -5 --separate-stderr "$BLKREEL" dump --rows tick --format csv "$TRACE"
	[ "$(wc -l <<<"$output")" -ge 2 ]
}

@test "the page cache, with files: 1,009 cold reads are 1,009 misses, 256 pages written back" {
	need_figure cache_demand_misses
	local mnt=$BATS_TEST_TMPDIR/mnt
	mkfs.ext4 -q -F "$LOOP"
	mkdir "$mnt"
	mount "$LOOP" "$mnt"
	dd if=/dev/urandom of="$mnt/file" bs=1M count=8 status=none
	umount "$LOOP"
	mount "$LOOP" "$mnt"
	record_aggregate --cache --interval 50ms -- sh -c "$HELPERS/issue_io cached-random $mnt/file 1009 4096
		dd if=/dev/urandom of=$mnt/new bs=4k count=256 conv=fsync status=none"
	[ "$(rows_of cache "sum(int(r['demand_miss_pages']) for r in rows if r['file'].endswith('/file'))")" = 1009 ]
	[ "$(rows_of cache "sum(int(r['written_back_pages']) for r in rows)")" = 256 ]
	# Whose pages those were is not known.
	[ "$(rows_of cache "{r['file'] for r in rows if int(r['written_back_pages'])}")" = "{''}" ]
}

@test "the rows of a killed recorder are readable" {
	ERRORS=$BATS_TEST_TMPDIR/stderr start_recorder "$BLKREEL" record --aggregate --interval 50ms -d "$LOOP" -o "$TRACE"
	"$HELPERS/issue_io" read "$LOOP" 1009 4096 >/dev/null
	has_all() {
		[ "$("$BLKREEL" dump --rows tick --format csv "$TRACE" 2>/dev/null | awk -F, 'NR > 1 { n += $5 } END { print n + 0 }')" = 1009 ]
	}
	wait_until has_all
	kill -9 "$RECORDER"
	wait "$RECORDER" || true
	RECORDER=
	run -5 --separate-stderr "$BLKREEL" dump --rows hist --format csv "$TRACE"
	[ "$(awk -F, '$5 == "total_ns" { n += $8 } END { print n }' <<<"$output")" = 1009 ]
}

@test "options that exclude each other: exit 2; without permission: exit 6 and no file" {
	for words in "--interval 1" "--aggregate --interval 1ms" "--aggregate --interval 2h" "--aggregate --pid 1" "--aggregate --cgroup /"; do
		read -ra words <<<"$words"
		run -2 --separate-stderr "$BLKREEL" record "${words[@]}" -o "$TRACE"
		[ "$output" = "" ]
	done
	run -1 --separate-stderr "$BLKREEL" record --aggregate -d nonsense -o "$TRACE"
	one_line "$stderr"
	need_command setpriv
	cp "$BLKREEL" "$BATS_TEST_TMPDIR/blkreel"
	mkdir -m 777 "$BATS_TEST_TMPDIR/out"
	chmod 755 "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/blkreel"
	run -6 --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups "$BATS_TEST_TMPDIR/blkreel" \
		record --aggregate -o "$BATS_TEST_TMPDIR/out/t.reel"
	[[ $stderr == *"run as root"* ]]
	[ ! -e "$BATS_TEST_TMPDIR/out/t.reel" ]
}
