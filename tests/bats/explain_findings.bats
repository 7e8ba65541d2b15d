#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The findings about the page cache: a workload that causes each one, and a similar one that does not.
# bats file_tags=sanitized
# bats file_tags=root

# shellcheck disable=SC2034 # helpers/disturbance.bash says what this is
DISTURBED_BY="reclaim skip"
load test_helper

setup() {
	need_loop
	need_probes
	need_figure cache_readahead
	mount_ext4 300M
	TRACE=$BATS_TEST_TMPDIR/t.reel
}

teardown() {
	if [ -e "$BATS_TEST_TMPDIR/inner" ]; then
		umount "$BATS_TEST_TMPDIR/inner-mnt" || true
		losetup -d "$(cat "$BATS_TEST_TMPDIR/inner")" || true
	fi
	if [ -e "$BATS_TEST_TMPDIR/bdi" ]; then
		echo 0 >"$(cat "$BATS_TEST_TMPDIR/bdi")/strict_limit" || true
		echo 100 >"$(cat "$BATS_TEST_TMPDIR/bdi")/max_ratio" || true
	fi
	clean_up
}

# found COMMAND...: its findings, one to a line.
found() {
	"$BLKREEL" record --cache -o "$TRACE" -d "$LOOP" ${INNER:+-d "$INNER"} -- "$@" >/dev/null
	"$BLKREEL" explain --json "$TRACE" | python3 -c '
import json, sys
for f in json.load(sys.stdin)["findings"]:
    print(f["id"], "|", f["title"], "|", f["evidence"])'
}

@test "readahead-wasted: a program reads single pages, and readahead fetches their neighbours" {
	make_file file 40
	remount
	echo 1024 >"/sys/block/$(basename "$LOOP")/queue/read_ahead_kb"
	# Two pages in a row, which looks like a sequence, each 2 MiB; then all is thrown out.
	# shellcheck disable=SC2016 # expanded by the shell that is recorded
	found bash -c '
		for ((at = 1; at < 40; at += 2)); do
			dd if="$1" of=/dev/null bs=4k count=40 skip=$((at * 256)) status=none
		done
		dd if="$1" iflag=nocache count=0 status=none' - "$MNT/file" >"$BATS_TEST_TMPDIR/found"
	cat "$BATS_TEST_TMPDIR/found"
	grep -q "^readahead-wasted " "$BATS_TEST_TMPDIR/found"
}

@test "readahead-small: sequential reads are as small as the limit; no finding with a larger limit" {
	make_file file 100
	remount
	echo 64 >"/sys/block/$(basename "$LOOP")/queue/read_ahead_kb"
	found dd if="$MNT/file" of=/dev/null bs=16k status=none >"$BATS_TEST_TMPDIR/found"
	cat "$BATS_TEST_TMPDIR/found"
	grep -q "^readahead-small .* read_ahead_kb is 64" "$BATS_TEST_TMPDIR/found"
	! grep -q "^thrashing\|^readahead-wasted" "$BATS_TEST_TMPDIR/found" || false
	remount
	echo 1024 >"/sys/block/$(basename "$LOOP")/queue/read_ahead_kb"
	found dd if="$MNT/file" of=/dev/null bs=16k status=none >"$BATS_TEST_TMPDIR/found"
	cat "$BATS_TEST_TMPDIR/found"
	! grep -q "^readahead-small" "$BATS_TEST_TMPDIR/found" || false
}

@test "readahead-wasted: no finding with POSIX_FADV_RANDOM, nor when the program reads all that was fetched" {
	make_file file 40
	remount
	echo 1024 >"/sys/block/$(basename "$LOOP")/queue/read_ahead_kb"
	# shellcheck disable=SC2016 # expanded by the shell that is recorded
	found bash -c '
		python3 - "$1" <<-END
			import os, sys
			fd = os.open(sys.argv[1], os.O_RDONLY)
			os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
			for at in range(1, 20, 2):
			    for page in range(40):
			        os.pread(fd, 4096, at * 1048576 + page * 4096)
		END
		dd if="$1" of=/dev/null bs=1M skip=20 status=none
		dd if="$1" iflag=nocache count=0 status=none' - "$MNT/file" >"$BATS_TEST_TMPDIR/found"
	cat "$BATS_TEST_TMPDIR/found"
	"$BLKREEL" explain --json "$TRACE" >"$BATS_TEST_TMPDIR/explain.json"
	[ "$(json "$BATS_TEST_TMPDIR/explain.json" "d['cache']['readahead']['added_pages'] >= 4000")" = True ]
	! grep -q "^readahead-wasted " "$BATS_TEST_TMPDIR/found" || false
}

@test "direct-io-bypass: a program reads the same blocks directly many times; no finding for one read each" {
	make_file file 4
	found dd if="$MNT/file" of=/dev/null bs=4k iflag=direct status=none >"$BATS_TEST_TMPDIR/found"
	! grep -q "^direct-io-bypass " "$BATS_TEST_TMPDIR/found" || false
	# shellcheck disable=SC2016 # expanded by the shell that is recorded
	found bash -c 'for i in 1 2 3; do dd if="$1" of=/dev/null bs=4k iflag=direct status=none; done' - "$MNT/file" \
		>"$BATS_TEST_TMPDIR/found"
	cat "$BATS_TEST_TMPDIR/found"
	grep -q "^direct-io-bypass " "$BATS_TEST_TMPDIR/found"
}

@test "thrashing: 40 MiB read three times in 16 MiB of memory; no finding when the file fits" {
	make_file file 40
	remount
	# shellcheck disable=SC2016 # expanded by the shell that is recorded
	found bash -c 'for i in 1 2 3; do cat "$1" >/dev/null; done' - "$MNT/file" >"$BATS_TEST_TMPDIR/found"
	! grep -q "^thrashing" "$BATS_TEST_TMPDIR/found" || false
	remount
	limit_memory 16M
	# shellcheck disable=SC2016 # expanded by the shell that is recorded
	found bash -c 'echo $$ >"$2/cgroup.procs"; for i in 1 2 3; do cat "$1" >/dev/null; done' - "$MNT/file" "$GROUP" \
		>"$BATS_TEST_TMPDIR/found"
	cat "$BATS_TEST_TMPDIR/found"
	grep -q "^thrashing " "$BATS_TEST_TMPDIR/found"
	# It took the pages from itself alone.
	! grep -q "^evicts-others" "$BATS_TEST_TMPDIR/found" || false
}

@test "evicts-others: a stream in the same 24 MiB takes the pages of another process" {
	make_file mine 6
	make_file stream 60
	remount
	limit_memory 24M
	# shellcheck disable=SC2016 # expanded by the shell that is recorded
	found bash -c '
		echo $$ >"$2/cgroup.procs"
		cat "$1/mine" >/dev/null
		dd if="$1/stream" of=/dev/null bs=64k status=none
		head -c 2M "$1/mine" >/dev/null' - "$MNT" "$GROUP" >"$BATS_TEST_TMPDIR/found"
	cat "$BATS_TEST_TMPDIR/found"
	grep -q "^evicts-others | dd took .* which did not use $(realpath "$MNT")/mine" "$BATS_TEST_TMPDIR/found"
}

@test "cached-twice: a file system on a loop device on a file; no finding when the loop device reads directly" {
	local options
	for options in "" --direct-io=on; do
		truncate -s 100M "$MNT/image"
		# shellcheck disable=SC2086 # none or one
		INNER=$(new_loop $options "$MNT/image")
		echo "$INNER" >"$BATS_TEST_TMPDIR/inner"
		mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$INNER"
		mkdir -p "$BATS_TEST_TMPDIR/inner-mnt"
		mount "$INNER" "$BATS_TEST_TMPDIR/inner-mnt"
		dd if=/dev/urandom of="$BATS_TEST_TMPDIR/inner-mnt/file" bs=1M count=10 status=none
		umount "$BATS_TEST_TMPDIR/inner-mnt"
		mount "$INNER" "$BATS_TEST_TMPDIR/inner-mnt"
		found cat "$BATS_TEST_TMPDIR/inner-mnt/file" >"$BATS_TEST_TMPDIR/found"
		cat "$BATS_TEST_TMPDIR/found"
		umount "$BATS_TEST_TMPDIR/inner-mnt"
		losetup -d "$INNER"
		rm "$BATS_TEST_TMPDIR/inner" "$MNT/image"
		if [ -z "$options" ]; then
			grep -q "^cached-twice " "$BATS_TEST_TMPDIR/found"
		else
			! grep -q "^cached-twice " "$BATS_TEST_TMPDIR/found" || false
		fi
	done
}

@test "writeback-throttled: a program writes more than may be dirty; no finding for less" {
	local bdi
	bdi=/sys/class/bdi/$(cat "/sys/block/$(basename "$LOOP")/dev")
	{ [ -e "$bdi/strict_limit" ] && [ -e "$bdi/max_bytes" ]; } || skip "needs a limit of dirty pages per device (Linux 6.2)"
	found dd if=/dev/zero of="$MNT/file" bs=64k count=80 status=none >"$BATS_TEST_TMPDIR/found"
	! grep -q "^writeback-throttled " "$BATS_TEST_TMPDIR/found" || false
	echo "$bdi" >"$BATS_TEST_TMPDIR/bdi"
	echo 1 >"$bdi/strict_limit"
	echo 4194304 >"$bdi/max_bytes"
	found dd if=/dev/zero of="$MNT/file" bs=64k count=3200 status=none >"$BATS_TEST_TMPDIR/found"
	cat "$BATS_TEST_TMPDIR/found"
	grep -q "^writeback-throttled | the kernel throttled dd.* while it wrote $(realpath "$MNT")/file" "$BATS_TEST_TMPDIR/found"
	# It cannot have been throttled for longer than it was recorded.
	"$BLKREEL" explain --json "$TRACE" >"$BATS_TEST_TMPDIR/explain.json"
	json "$BATS_TEST_TMPDIR/explain.json" "d['cache']['write']"
	[ "$(json "$BATS_TEST_TMPDIR/explain.json" "d['cache']['write']['throttle_ns'] <= d['duration_ns']")" = True ]
}

@test "fsync-storm: no finding for one fsync after many writes" {
	make_file log 1
	found python3 -c '
import mmap, os, sys, time
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_DIRECT)
page = mmap.mmap(-1, 4096)
for group in range(120):
    for write in range(12):
        os.pwrite(fd, page, 4096 * write)
    os.fdatasync(fd)
time.sleep(0.2)' "$MNT/log" >"$BATS_TEST_TMPDIR/found"
	cat "$BATS_TEST_TMPDIR/found"
	"$BLKREEL" explain --json "$TRACE" >"$BATS_TEST_TMPDIR/explain.json"
	[ "$(json "$BATS_TEST_TMPDIR/explain.json" "sum(v['flush']['ios'] for v in d['devices']) >= 120")" = True ]
	! grep -q "^fsync-storm " "$BATS_TEST_TMPDIR/found" || false
}

@test "fsync-storm: a program writes and syncs many times a second" {
	# It is one from 50 a second on, over at least 0.1 s: here for every time from 0.3 to 12 s.
	found sh -c "dd if=/dev/zero of=$MNT/log bs=4k count=600 oflag=dsync status=none; sleep 0.3" >"$BATS_TEST_TMPDIR/found"
	cat "$BATS_TEST_TMPDIR/found"
	grep -q "^fsync-storm " "$BATS_TEST_TMPDIR/found"
}

# The share of blocks that were read again, as the finding says it and as the kernel's sectors say it: all but one
# pass over the file's 48 MiB.
again_is_true() {
	local said sectors=$1
	said=$(sed -n 's/^dropped-and-read-again .* about \([0-9]*\) % of the 4 KiB blocks.*/\1/p' "$2")
	echo "said: $said %; sectors read: $sectors"
	[ "$((said * sectors))" -ge $(((sectors - 98304) * 100 - 2 * sectors)) ]
	[ "$((said * sectors))" -le $(((sectors - 98304) * 100 + 2 * sectors)) ]
}

@test "dropped-and-read-again: the share and the bytes are those of the kernel's counters" {
	local before
	make_file file 48
	remount
	before=$(diskstat "$LOOP" 3)
	found python3 -c '
import os, sys
file = os.open(sys.argv[1], os.O_RDONLY)
for i in range(4):
    at = 0
    while os.pread(file, 65536, at):
        at += 65536
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)' "$MNT/file" >"$BATS_TEST_TMPDIR/found"
	cat "$BATS_TEST_TMPDIR/found"
	again_is_true $(($(diskstat "$LOOP" 3) - before)) "$BATS_TEST_TMPDIR/found"
	saved=$("$BLKREEL" explain --json "$TRACE" | sed -n 's/.*: about \([0-9]*\)\.[0-9] MiB less would be read.*/\1/p')
	[ "$saved" -ge 140 ]
	[ "$saved" -le 148 ]
}

@test "dropped-and-read-again: dd iflag=nocache, or somebody's drop_caches; none when the cache is kept" {
	make_file file 32
	remount
	# shellcheck disable=SC2016 # expanded by the shell that is recorded
	found bash -c 'for pass in 1 2 3 4; do dd if="$1" of=/dev/null bs=64k iflag=nocache status=none; done' - \
		"$MNT/file" >"$BATS_TEST_TMPDIR/found"
	cat "$BATS_TEST_TMPDIR/found"
	grep -q "^dropped-and-read-again | dd dropped .* | 4 processes of dd dropped 32,768 pages (128.0 MiB)" \
		"$BATS_TEST_TMPDIR/found"
	run ! grep -q "^thrashing" "$BATS_TEST_TMPDIR/found"
	remount
	cp "$(command -v bash)" "$BATS_TEST_TMPDIR/somebody"
	# shellcheck disable=SC2016
	found bash -c 'for pass in 1 2 3; do cat "$1" >/dev/null; "$2" -c "echo 1 >/proc/sys/vm/drop_caches"; done' - \
		"$MNT/file" "$BATS_TEST_TMPDIR/somebody" >"$BATS_TEST_TMPDIR/found"
	cat "$BATS_TEST_TMPDIR/found"
	grep -q "^dropped-and-read-again | somebody dropped .* | 3 processes of somebody dropped " "$BATS_TEST_TMPDIR/found"
	remount
	# shellcheck disable=SC2016
	found bash -c 'for pass in 1 2 3; do cat "$1" >/dev/null; done' - "$MNT/file" >"$BATS_TEST_TMPDIR/found"
	cat "$BATS_TEST_TMPDIR/found"
	run ! grep -q "^dropped-and-read-again" "$BATS_TEST_TMPDIR/found"
}
