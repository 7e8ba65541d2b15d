#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Files of overlayfs, as in most containers: operations on them are rows of the files in the layers.
# bats file_tags=root,sanitized

load test_helper

setup() {
	need_loop
	need_probes
	grep -qw overlay /proc/filesystems || skip "needs overlayfs"
	mount_ext4 128M
	MERGED=$BATS_TEST_TMPDIR/merged
	TRACE=$BATS_TEST_TMPDIR/t.reel
	mkdir "$MNT/lower" "$MNT/upper" "$MNT/work" "$MERGED"
	dd if=/dev/urandom of="$MNT/lower/below" bs=4096 count=500 status=none
	remount
	mount -t overlay overlay -o "lowerdir=$MNT/lower,upperdir=$MNT/upper,workdir=$MNT/work" "$MERGED"
}

teardown() {
	umount "$MERGED" 2>/dev/null || true
	clean_up
}

# operations: COUNT OP FILE of what programs asked for, but not the kernel for itself.
operations() {
	"$BLKREEL" dump --rows access --format csv "$TRACE" | python3 -c '
import collections, csv, os, sys
rows = [r for r in csv.DictReader(sys.stdin) if "kernel" not in r["flags"] and sys.argv[1] in r["file"]]
for key, count in sorted(collections.Counter((r["op"], r["file"].split(sys.argv[1])[1]) for r in rows).items()):
    print(count, *key)' "$MNT"
}

@test "reads, writes and syncs through overlayfs have rows, of the file in its layer" {
	"$BLKREEL" -q record -d "$LOOP" --files -o "$TRACE" -- python3 - "$MERGED" <<-'PYTHON'
		import os, sys
		below = os.open(f"{sys.argv[1]}/below", os.O_RDONLY)
		for page in range(500):
		    os.pread(below, 4096, 4096 * page)
		os.close(below)
		new = os.open(f"{sys.argv[1]}/new", os.O_RDWR | os.O_CREAT)
		for page in range(500):
		    os.pwrite(new, b"x" * 4096, 4096 * page)
		os.fsync(new)
		copied = os.open(f"{sys.argv[1]}/below", os.O_RDWR)
		for page in range(70):
		    os.pwrite(copied, b"y" * 4096, 4096 * page)
		for page in range(30):
		    os.pread(copied, 4096, 4096 * page)
		os.fdatasync(copied)
	PYTHON
	operations >"$BATS_TEST_TMPDIR/operations"
	diff "$BATS_TEST_TMPDIR/operations" - <<-'EXPECTED'
		500 read /lower/below
		30 read /upper/below
		1 sync /upper/below
		1 sync /upper/new
		70 write /upper/below
		500 write /upper/new
	EXPECTED
}

@test "pages that were read through overlayfs are in the account once" {
	"$BLKREEL" -q record -d "$LOOP" --files -o "$TRACE" -- dd if="$MERGED/below" of=/dev/null bs=64K status=none
	"$BLKREEL" explain --json "$TRACE" >"$BATS_TEST_TMPDIR/e.json"
	[ "$(json "$BATS_TEST_TMPDIR/e.json" "d['cache']['read']['pages']")" = 500 ]
}
