#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Accounts of the page cache that cannot close, and what explain says of them.
# bats file_tags=root

# shellcheck disable=SC2034 # helpers/disturbance.bash says what this is
DISTURBED_BY="reclaim skip"
load test_helper

setup() {
	need_loop
	need_probes
	need_figure cache_demand_misses
	need_figure cache_readahead
	TRACE=$BATS_TEST_TMPDIR/t.reel
}

# record_gap COMMAND...: on LOOP; sets TEXT to what explain says on one line.
record_gap() {
	"$BLKREEL" record --cache -d "$LOOP" -o "$TRACE" -- "$@" >/dev/null
	"$BLKREEL" explain --json "$TRACE" >"$BATS_TEST_TMPDIR/e.json"
	TEXT=$("$BLKREEL" explain "$TRACE" | tr -s '\n ' ' ')
}

flow() {
	json "$BATS_TEST_TMPDIR/e.json" "d['flow']['$1']"
}

@test "ext4 with blocks of 1 KiB: what lies past the end of 400 files is not read, and that is the reason" {
	local i
	mount_ext4 64M -b 1024
	for i in $(seq 400); do head -c 700 /dev/urandom >"$MNT/$i"; done
	remount
	record_gap sh -c "cat $MNT/*[0-9]"
	# One block of 1 KiB for each page.
	[ "$(flow fetched_file_pages)" = 400 ]
	[ "$(flow device_file_pages)" = 100 ]
	[ "$(flow unaccounted_pages)" = -300 ]
	[ "$(flow unaccounted_reason)" = small-blocks ]
	[ "$(flow read_amplification)" = None ]
	[[ $TEXT == *"-300 unaccounted. A file system with blocks below 4 KiB"* ]]
	[[ $TEXT != *"for each byte used"* ]]
}

@test "btrfs that compresses: the pages that it reads are its own" {
	make_loop 256M
	mount_new btrfs
	mount -o remount,compress-force=zstd "$MNT"
	yes "the same text again" | head -c 8M >"$MNT/file" || true
	remount
	record_gap cat "$MNT/file"
	[ "$(flow unaccounted_reason)" = unknown-origin ]
	[ "$(flow read_amplification)" = None ]
	[[ $TEXT == *"of unknown origin: a file system that compresses"* ]]
	[[ $TEXT != *"0.00 bytes"* ]]
}

@test "a file with a hole: the hole is not read" {
	mount_ext4 64M -b 4096
	make_file file 4
	fallocate -p -o 1M -l 2M "$MNT/file"
	remount
	record_gap cat "$MNT/file"
	[ "$(flow fetched_file_pages)" = 1024 ]
	[ "$(flow unaccounted_pages)" = -512 ]
	[ "$(flow unaccounted_reason)" = holes ]
}

@test "a loop device with direct IO on a recorded loop device: each page is counted once" {
	local below inner
	mount_ext4 128M -b 4096
	below=$LOOP
	head -c 64M /dev/zero >"$MNT/image"
	inner=$(new_loop --direct-io=on "$MNT/image")
	mkdir "$BATS_TEST_TMPDIR/inner"
	mkfs.ext4 -q -F -b 4096 -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$inner"
	mount "$inner" "$BATS_TEST_TMPDIR/inner"
	dd if=/dev/urandom of="$BATS_TEST_TMPDIR/inner/file" bs=1M count=10 status=none
	umount "$inner"
	mount "$inner" "$BATS_TEST_TMPDIR/inner"
	"$BLKREEL" record --cache -d "$below" -d "$inner" -o "$TRACE" -- cat "$BATS_TEST_TMPDIR/inner/file" >/dev/null
	umount "$inner"
	losetup -d "$inner"
	"$BLKREEL" explain --json "$TRACE" >"$BATS_TEST_TMPDIR/e.json"
	# Both devices read the file, and the page cache fetched it once.
	[ "$(json "$BATS_TEST_TMPDIR/e.json" "sum(x['read']['bytes'] >= 10 << 20 for x in d['devices'])")" = 2 ]
	[ "$(flow fetched_file_pages)" = 2560 ]
	[ "$(flow device_file_pages)" = 2560 ]
	[ "$(flow unaccounted_pages)" = 0 ]
	[ "$(flow read_amplification)" = 1.0 ]
}

@test "random reads of a mapping: bytes read for each byte used are a lower bound" {
	mount_ext4 128M -b 4096
	make_file file 60
	remount
	record_gap python3 -c '
import mmap, os, random, sys
random.seed(1)
file = mmap.mmap(os.open(sys.argv[1], os.O_RDONLY), 0, prot=mmap.PROT_READ)
for page in random.sample(range(len(file) // 4096), 600):
    file[4096 * page]' "$MNT/file"
	[ "$(flow read_amplification_is_lower_bound)" = True ]
	[[ $TEXT == *" At least "*" bytes of files were read from the devices for each byte used: whether "* ]]
	# 600 pages were touched: what was read is at least as much as the bound says.
	python3 - "$BATS_TEST_TMPDIR/e.json" <<'PYTHON'
import json, sys
flow = json.load(open(sys.argv[1]))["flow"]
assert flow["read_amplification"] <= flow["device_file_pages"] / 600, flow
PYTHON
}

@test "pages that come back from swap: of swap, as many as the kernel counts" {
	local before after
	need_command mkswap
	[ "$(stat -f -c %T "$BATS_TEST_TMPDIR")" != tmpfs ] || skip "needs a disk: swap over a file in memory can deadlock"
	limit_memory 24M
	truncate -s 128M "$BATS_TEST_TMPDIR/swap"
	LOOP=$(new_loop --direct-io=on "$BATS_TEST_TMPDIR/swap")
	echo "$LOOP $BATS_TEST_TMPDIR/swap" >>"$BATS_TEST_TMPDIR/loops"
	mkswap "$LOOP" >/dev/null 2>&1
	swap_on "$LOOP" || skip "needs swap"
	before=$(awk '$1 == "pswpin" { print $2 }' /proc/vmstat)
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" -- python3 -c '
import os, sys
open(sys.argv[1] + "/cgroup.procs", "w").write(str(os.getpid()))
data = bytearray(40 << 20)
for _ in range(2):
    for at in range(0, len(data), 4096):
        data[at] = (data[at] + 1) % 256' "$GROUP" >/dev/null
	after=$(awk '$1 == "pswpin" { print $2 }' /proc/vmstat)
	swapoff "$LOOP"
	"$BLKREEL" explain --json "$TRACE" >"$BATS_TEST_TMPDIR/e.json"
	python3 - "$BATS_TEST_TMPDIR/e.json" $((after - before)) <<'PYTHON'
import json, sys
read = json.load(open(sys.argv[1]))["flow"]["device_read"]
print(read, sys.argv[2])
# The kernel's count goes on until the file is read again.
assert int(sys.argv[2]) > 1000
assert 0 <= int(sys.argv[2]) - read["swap"]["bytes"] // 4096 <= 64, read
assert read["unknown"]["ios"] == 0
PYTHON
}
