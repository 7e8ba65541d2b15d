# SPDX-License-Identifier: MIT
# A target behind which another disk appears while it is open.
# bats file_tags=root,sanitized
load test_helper

setup() {
	need_loop
	TRACE=$BATS_TEST_TMPDIR/t.reel
	make_loop 16M --read-only
	OTHER=$(make_outside /dev/shm/blkreel-test-XXXXXX)
	truncate -s 16M "$OTHER"
	echo "$LOOP $OTHER" >>"$BATS_TEST_TMPDIR/loops"
}

teardown() {
	[ -z "${REPLAY:-}" ] || kill -9 "$REPLAY" || true
	clean_up
	# Whichever file the device has.
	! grep -qsF -e "$OTHER" /sys/block/loop*/loop/backing_file || false
}

replay_reads() {
	"$BLKREEL" replay "$TRACE" --target "$LOOP" --reads-only --mode timed --json >"$BATS_TEST_TMPDIR/report" 2>"$BATS_TEST_TMPDIR/stderr" &
	REPLAY=$!
}

is_open() {
	find "/proc/$REPLAY/fd" -lname "$LOOP" | grep -q .
}

wait_for_end() {
	STATUS=0
	wait "$REPLAY" || STATUS=$?
	REPLAY=
	cat "$BATS_TEST_TMPDIR/stderr"
}

@test "a read-only loop device that gets another file: the replay says that its figures are of both" {
	list_reads 600 10000 | write_trace 16M
	replay_reads
	wait_until is_open
	sleep 0.5
	python3 - "$LOOP" "$OTHER" <<-'PYTHON'
		import fcntl, os, sys
		fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x4C06, os.open(sys.argv[2], os.O_RDONLY)) # LOOP_CHANGE_FD
	PYTHON
	wait_for_end
	[ "$STATUS" = 1 ]
	one_line "$(cat "$BATS_TEST_TMPDIR/stderr")"
	grep -q "$LOOP became another disk during the replay: its figures are of both" "$BATS_TEST_TMPDIR/stderr"
	[ "$(json "$BATS_TEST_TMPDIR/report" "d['completed']")" = 600 ]
}

@test "the same disk to the end: nothing is said" {
	list_reads 30 10000 | write_trace 16M
	replay_reads
	wait_for_end
	[ "$STATUS" = 0 ]
	[ ! -s "$BATS_TEST_TMPDIR/stderr" ]
}
