#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The page-cache account, compared with the reads issued and the IOs of the device.
# bats file_tags=root

# shellcheck disable=SC2034 # helpers/disturbance.bash says what this is
DISTURBED_BY="reclaim skip"
load test_helper

setup() {
	need_loop
	need_probes
	mount_ext4 256M
	TRACE=$BATS_TEST_TMPDIR/t.reel
	EXPLAINED=$BATS_TEST_TMPDIR/e.json
}

record_and_explain() {
	"$BLKREEL" record --cache -d "$LOOP" -o "$TRACE" -- "$@" >/dev/null
	"$BLKREEL" explain "$TRACE" --json >"$EXPLAINED"
}

cache() {
	json "$EXPLAINED" "d['cache']$1"
}

# file_reads: completed device reads of file pages; other_reads: of anything else.
file_reads() {
	"$BLKREEL" dump "$TRACE" --format csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$column["op"] == "read" && $column["origin"] == "file"' | wc -l
}

@test "2,560 random reads, cold: 2,560 demand misses and as many device reads of file pages" {
	need_figure cache_demand_misses
	make_file file 10
	remount
	record_and_explain "$HELPERS/issue_io" cached-random "$MNT/file" 2560 4096
	[ "$(cache "['read']['pages']")" = 2560 ]
	[ "$(cache "['read']['demand_miss_pages']")" = 2560 ]
	[ "$(cache "['read']['hit_pages']")" = 0 ]
	[ "$(cache "['readahead']['added_pages']")" = 0 ]
	[ "$(file_reads)" = 2560 ]
	[[ $(cache "and d['verdict']") == *"2,560 pages were read, all from the device: the reader waited for each."* ]]
}

@test "2,560 random reads, warm: 2,560 hits and no device read" {
	need_figure cache_demand_misses
	make_file file 10
	remount
	cat "$MNT/file" >/dev/null
	record_and_explain "$HELPERS/issue_io" cached-random "$MNT/file" 2560 4096
	[ "$(cache "['read']['pages']")" = 2560 ]
	[ "$(cache "['read']['hit_pages']")" = 2560 ]
	[ "$(cache "['read']['demand_miss_pages']")" = 0 ]
	[ "$(file_reads)" = 0 ]
	[[ $(cache "and d['verdict']") == *"2,560 pages were read, all of them in the page cache when they were asked for."* ]]
	"$BLKREEL" info "$TRACE" --json >"$BATS_TEST_TMPDIR/info.json"
	[ "$(json "$BATS_TEST_TMPDIR/info.json" "d['rows']['io']")" = 0 ]
}

@test "100 MiB in sequence with read_ahead_kb 128, 256, 512: 25,600 pages, half as many IOs each time" {
	local kb before=0 reads
	need_figure cache_readahead
	make_file file 100
	remount
	for kb in 128 256 512; do
		remount
		echo "$kb" >"/sys/block/$(basename "$LOOP")/queue/read_ahead_kb"
		record_and_explain "$HELPERS/issue_io" cached-sequential "$MNT/file" 800 131072
		[ "$(cache "['read']['pages']")" = 25600 ]
		[ $(($(cache "['read']['demand_miss_pages']") + $(cache "['readahead']['added_pages']"))) = 25600 ]
		[ "$(cache "['readahead']['used_pages']")" = "$(cache "['readahead']['added_pages']")" ]
		[ "$(cache "['readahead']['wasted_pages']")" = 0 ]
		reads=$(file_reads)
		echo "read_ahead_kb $kb: $reads device reads"
		# Half of the step before, give or take the first windows, which grow.
		[ "$before" = 0 ] || { [ $((2 * reads)) -ge $((before - 8)) ] && [ $((2 * reads)) -le $((before + 8)) ]; }
		before=$reads
	done
}

@test "readahead pages that nobody reads count as wasted when they are evicted" {
	need_figure cache_readahead
	make_file file 4
	remount
	# One page read in the middle of a large window, the rest thrown out unread.
	record_and_explain sh -c "dd if=$MNT/file of=/dev/null bs=4k count=1 status=none; dd if=$MNT/file iflag=nocache count=0 status=none"
	[ "$(cache "['read']['pages']")" = 1 ]
	[ "$(cache "['readahead']['used_pages']")" = 0 ]
	[ "$(cache "['readahead']['added_pages']")" -gt 0 ]
	[ "$(cache "['readahead']['wasted_pages']")" = "$(cache "['readahead']['added_pages']")" ]
}

@test "readahead pages that are written over, or whose file is deleted or cut, are neither used nor wasted" {
	local end
	need_figure cache_readahead
	for end in "rm $MNT/file" "truncate -s 4K $MNT/file" \
		"dd if=/dev/zero of=$MNT/file bs=64k count=64 conv=notrunc,fsync status=none; dd if=$MNT/file iflag=nocache count=0 status=none"; do
		make_file file 4
		remount
		record_and_explain sh -c "dd if=$MNT/file of=/dev/null bs=4k count=1 status=none; $end"
		echo "$end"
		[ "$(cache "['readahead']['added_pages']")" -gt 0 ]
		[ "$(cache "['readahead']['used_pages']")" = 0 ]
		[ "$(cache "['readahead']['wasted_pages']")" = 0 ]
	done
}

@test "written pages count as dirtied once and written back once" {
	record_and_explain sh -c "dd if=/dev/zero of=$MNT/new bs=4k count=503 conv=fsync status=none"
	[ "$(json "$EXPLAINED" "[f for f in d['by_file'] if f['path'].endswith('/new')][0]['cache_dirtied_pages']")" = 503 ]
	[ "$(cache "['write']['written_back_pages']")" = 503 ]
}

@test "the cache account names files and processes" {
	make_file file 1
	remount
	record_and_explain "$HELPERS/issue_io" cached-random "$MNT/file" 101 4096
	# The first of each list waited longest, which can be another one on a busy machine.
	[ "$(json "$EXPLAINED" "max(d['by_file'], key=lambda f: f['ios'])['path']")" = "$(realpath "$MNT")/file" ]
	[ "$(json "$EXPLAINED" "max(d['by_task'], key=lambda t: t['ios'])['name']")" = issue_io ]
}

@test "pages of the device that a file system reads for itself are metadata, not of unknown reasons" {
	mkdir "$MNT"/d{1..20}
	make_file d7/file 1
	remount
	record_and_explain sh -c "ls -lR $MNT; cat $MNT/d7/file"
	run -0 "$BLKREEL" explain "$TRACE"
	[[ $output =~ "Pages of devices (metadata of file systems) added to the cache: "([0-9]+)"." ]]
	# Blocks of 1 KiB, or larger: as many pages as blocks, or fewer.
	[ "${BASH_REMATCH[1]}" -gt 0 ]
	[ "${BASH_REMATCH[1]}" -le "$("$BLKREEL" dump "$TRACE" --format csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$column["op"] == "read" && $column["origin"] != "file" { bytes += $column["bytes"] } END { print bytes / 1024 }')" ]
	[[ $output != *"for unknown reasons"* ]]
}

@test "a read of 100 bytes within a page is one page access" {
	make_file file 1
	remount
	cat "$MNT/file" >/dev/null
	record_and_explain dd if="$MNT/file" of=/dev/null bs=100 count=40 status=none
	[ "$(cache "['read']['pages']")" = 40 ]
	[ "$(cache "['read']['hit_pages']")" = 40 ]
}

@test "a read past the end of the file counts the pages of the file" {
	make_file file 1
	remount
	record_and_explain dd if="$MNT/file" of=/dev/null bs=8M count=1 status=none
	[ "$(cache "['read']['pages']")" = 256 ]
}

@test "without --cache there is no cache account" {
	make_file file 1
	remount
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" -- cat "$MNT/file" >/dev/null
	"$BLKREEL" explain "$TRACE" --json >"$EXPLAINED"
	[ "$(cache "")" = None ]
}

@test "large writes have their file, to the page" {
	local limit
	# The writeback of 10 MiB is split at the limit of the device: no part may lose its file.
	limit=/sys/block/$(basename "$LOOP")/queue/max_sectors_kb
	echo 192 >"$limit"
	record_and_explain sh -c "dd if=/dev/zero of=$MNT/new bs=64k count=160 conv=fsync status=none"
	echo 1280 >"$limit"
	[ "$(cache "['write']['written_back_pages']")" = 2560 ]
	[ "$(json "$EXPLAINED" "[f for f in d['by_file'] if f['path'].endswith('/new')][0]['bytes']")" = 10485760 ]
}

@test "btrfs files, which belong to no block device, are recorded" {
	need_figure cache_readahead
	need_command mkfs.btrfs
	umount "$LOOP"
	mkfs.btrfs -q -f "$LOOP"
	mount "$LOOP" "$MNT" || skip "needs btrfs"
	make_file file 10
	remount
	record_and_explain "$HELPERS/issue_io" cached-sequential "$MNT/file" 80 131072
	[ "$(cache "['read']['pages']")" = 2560 ]
	[ $(($(cache "['read']['demand_miss_pages']") + $(cache "['readahead']['added_pages']"))) = 2560 ]
	[ "$(json "$EXPLAINED" "[f['path'] for f in d['by_file'] if f['path'].endswith('/file')][0]")" = "$(realpath "$MNT")/file" ]
}

# check_room [OPTION...]: records one file of which a page is read, then 35,003 files, then as many others.
check_room() {
	remount
	# shellcheck disable=SC2016 # expanded by the shell that is recorded
	"$BLKREEL" record --cache "$@" -d "$LOOP" -o "$TRACE" -- bash -c '
		dd if="$1/large" of=/dev/null bs=4096 count=1 status=none
		read_all "$1/a"
		sleep 14
		read_all "$1/b"' - "$MNT" >/dev/null
	"$BLKREEL" info --json "$TRACE" >"$EXPLAINED"
	[ "$(json "$EXPLAINED" "d['lost']['cache_table']")" = 0 ]
	"$BLKREEL" dump --rows cache --format csv "$TRACE" >"$BATS_TEST_TMPDIR/cache.csv"
	[ "$(sum demand_miss)" = 70007 ]
	[ "$(sum readahead_added)" -gt 0 ]
	[ "$(json "$EXPLAINED" "d['readahead_unknown_pages']")" = "$(sum readahead_added)" ]
}

# sum FIGURE: of all rows, in pages.
sum() {
	python3 -c '
import csv, sys
print(sum(int(row[sys.argv[2] + "_pages"]) for row in csv.DictReader(open(sys.argv[1]))))' \
		"$BATS_TEST_TMPDIR/cache.csv" "$1"
}

# bats test_tags=slow
@test "the account has room for new files once older ones were idle for ten seconds, with --aggregate too" {
	need_figure cache_demand_misses
	umount "$LOOP"
	mount_many_files
	make_file large 1
	export -f read_all
	check_room
	check_room --aggregate --interval 1s
}
