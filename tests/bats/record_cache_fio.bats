#!/usr/bin/env bats
# bats file_tags=slow
# SPDX-License-Identifier: MIT
# Random and sequential reads of fio: the account has the pages that fio read, and the pages fetched are
# those that the device read.
# bats file_tags=root

# shellcheck disable=SC2034 # helpers/disturbance.bash says what this is
DISTURBED_BY="reclaim skip"
load test_helper

setup() {
	need_loop
	need_probes
	need_command fio
	need_figure cache_demand_misses
	make_loop 300M
}

# mount_with_file FILESYSTEM MIB: with a file of that size, of which nothing is cached.
mount_with_file() {
	mount_new "$1"
	make_file file "$2"
	remount
}

# run NAME FIO-OPTION...: recorded and explained, as $NAME.json.
run_fio() {
	local out=$BATS_TEST_TMPDIR/$1
	shift
	"$BLKREEL" record --cache -d "$LOOP" -o "$out.reel" -- \
		fio --name=reads --filename="$MNT/file" --readonly --invalidate=0 --output-format=json \
		--output="$out.fio" "$@" >/dev/null
	"$BLKREEL" explain --json "$out.reel" >"$out.json"
}

# closes NAME HITS-OF-FIO: pages read are fio's bytes; hits and misses add up to them; the pages fetched,
# of files and metadata, are those that the device read, to 1 in 1,000.
closes() {
	python3 - "$BATS_TEST_TMPDIR/$1" <<-'END'
		import json, sys
		x, fio = (json.load(open(sys.argv[1] + end)) for end in (".json", ".fio"))
		read, ahead, flow = x["cache"]["read"], x["cache"]["readahead"], x["flow"]
		device = flow["device_read"]
		metadata = sum(device[o]["bytes"] for o in device if o != "file") + flow["other_file_pages"] * 4096
		fetched = (flow["fetched_file_pages"]) * 4096 + metadata
		whole = sum(device[o]["bytes"] for o in device)
		counted = sum(d["kernel"]["read"]["bytes"] for d in x["devices"])
		print(read, ahead, flow["unaccounted_pages"], metadata, whole, counted)
		assert read["pages"] * 4096 == sum(job["read"]["io_bytes"] for job in fio["jobs"])
		assert read["hit_pages"] + read["demand_miss_pages"] == read["pages"]
		assert ahead["used_pages"] + ahead["wasted_pages"] + ahead["unknown_pages"] == ahead["added_pages"]
		assert abs(whole - fetched) <= whole / 1000
		assert abs(counted - fetched) <= counted / 1000
	END
}

cache_figure() {
	json "$BATS_TEST_TMPDIR/$1.json" "d['cache']$2"
}

random_twice() {
	local before misses
	mount_with_file "$1" 10
	run_fio first --rw=randread --bs=4k --size=10M --fadvise_hint=random
	closes first
	[ "$(cache_figure first "['read']['demand_miss_pages']")" = 2560 ]
	before=$(fincore --bytes --noheadings --output PAGES "$MNT/file")
	run_fio second --rw=randread --bs=4k --size=10M --fadvise_hint=random
	closes second
	# Other programs, and the kernel itself, may drop some pages meanwhile: what was not cached before is missed, and
	# closes() held the misses against what the device read.
	misses=$(cache_figure second "['read']['demand_miss_pages']")
	[ "$misses" -ge $((2560 - before)) ]
	[ "$misses" -lt 100 ]
}

sequential() {
	local kb
	mount_with_file "$1" 100
	for kb in 64 128 256 512 1024; do
		remount
		echo "$kb" >"/sys/block/$(basename "$LOOP")/queue/read_ahead_kb"
		run_fio "$kb" --rw=read --bs=128k --size=100M
		closes "$kb"
		[ "$(cache_figure "$kb" "['readahead']['used_pages']")" = "$(cache_figure "$kb" "['readahead']['added_pages']")" ]
	done
}

@test "2,560 random reads twice: 2,560 misses, then 2,560 hits; both accounts close (ext4)" {
	random_twice ext4
}

@test "2,560 random reads twice on xfs: misses, then hits; both accounts close" {
	random_twice xfs
}

@test "2,560 random reads twice on btrfs: misses, then hits; both accounts close" {
	random_twice btrfs
}

@test "100 MiB in sequence, read_ahead_kb 64 to 1,024: the accounts close (ext4)" {
	sequential ext4
}

@test "100 MiB in sequence on xfs, read_ahead_kb 64 to 1,024: the accounts close" {
	sequential xfs
}

@test "100 MiB in sequence on btrfs, which caches its metadata as a file: the accounts close" {
	sequential btrfs
}
