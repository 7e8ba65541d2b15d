# SPDX-License-Identifier: MIT
# Loop devices of a known latency, over slow_disk.

# make_slow_loop SIZE READ_US WRITE_US FLUSH_US [AT_ONCE [BAD]]: sets LOOP to a device whose IOs take so long, and whose
# sector at byte BAD cannot be read until it is written.
make_slow_loop() {
	local size=$1 file
	shift
	[ -c /dev/fuse ] || skip "needs /dev/fuse"
	file=$(make_outside /dev/shm/blkreel-test-XXXXXX)
	truncate -s "$size" "$file"
	SLOW=$(mktemp "$BATS_TEST_TMPDIR/slow-XXXXXX")
	: >"$SLOW.ready"
	"$HELPERS/slow_disk" "$file" "$SLOW" "$@" >"$SLOW.ready" &
	echo "$SLOW $! $file" >>"$BATS_TEST_TMPDIR/slow"
	wait_until grep -q ready "$SLOW.ready"
	LOOP=$(new_loop --direct-io=on "$SLOW")
	echo "$LOOP $SLOW" >>"$BATS_TEST_TMPDIR/slow-loops"
}

# Called from teardown(), before clean_up: a slow disk must outlive its loop device.
remove_slow_loops() {
	local loop slow pid file
	[ -e "$BATS_TEST_TMPDIR/slow" ] || return 0
	while read -r loop slow; do
		is_loop_of "$loop" "$slow" || continue
		while umount "$loop" 2>/dev/null; do :; done
		losetup -d "$loop" || true
		# Its end can be late; until then the slow disk is in use.
		wait_until not_loop_of "$loop" "$slow" || true
	done <"$BATS_TEST_TMPDIR/slow-loops"
	while read -r slow pid file; do
		umount "$slow" || kill "$pid" || true
		rm -f "$file"
	done <"$BATS_TEST_TMPDIR/slow"
	rm -f "$BATS_TEST_TMPDIR/slow" "$BATS_TEST_TMPDIR/slow-loops"
}

not_loop_of() {
	! is_loop_of "$@"
}
