# SPDX-License-Identifier: MIT
# A device number that comes to belong to another disk: a recording is of the disk.
# bats file_tags=root,sanitized
load test_helper


setup() {
	need_loop
	need_probes
	TRACE=$BATS_TEST_TMPDIR/t.reel
	ERRORS=$BATS_TEST_TMPDIR/stderr
	make_loop 64M
	FIRST=$LOOP
	OTHER=$(make_outside /dev/shm/blkreel-test-XXXXXX)
	truncate -s 64M "$OTHER"
	echo "$LOOP $OTHER" >>"$BATS_TEST_TMPDIR/loops"
}

teardown() {
	[ -z "${RECORDER:-}" ] || kill -9 "$RECORDER" || true
	clean_up
	# Whichever file the device has.
	! grep -qsF -e "$OTHER" /sys/block/loop*/loop/backing_file || false
}

# exchange LOOP: detaches its file and attaches OTHER, within a millisecond.
exchange() {
	python3 - "$1" "$OTHER" <<-'PYTHON' || skip "another program took $1 meanwhile"
		import fcntl, os, sys
		other = os.open(sys.argv[2], os.O_RDWR)
		loop = os.open(sys.argv[1], os.O_RDWR)
		fcntl.ioctl(loop, 0x4C01, 0) # LOOP_CLR_FD
		os.close(loop) # some kernels detach it only now
		loop = os.open(sys.argv[1], os.O_RDWR)
		fcntl.ioctl(loop, 0x4C00, other) # LOOP_SET_FD
	PYTHON
	[ "$(stat -c %i "$OTHER")" = "$(losetup -n -O BACK-INO "$1" | tr -d ' ')" ]
}

# gone DEVICE: the recorder has said that it does not record it any more.
gone() {
	grep -qE "warning: $1 $GONE: it is not recorded any more$" "$ERRORS"
}

issue() {
	"$HELPERS/issue_io" "$@" >/dev/null
}

# rows [DEVICE]: of the reads that issue_io made.
rows() {
	"$BLKREEL" dump "$TRACE" --format csv | grep ',read,.*,issue_io,' | grep -c "${1:-}" || true
}

# counted DEVICE: reads in the rows of the kernel's counters.
counted() {
	"$BLKREEL" dump "$TRACE" --rows tick --format json >"$BATS_TEST_TMPDIR/ticks"
	python3 - "$BATS_TEST_TMPDIR/ticks" "$1" <<-'PYTHON'
		import json, sys
		rows = [json.loads(line) for line in open(sys.argv[1])]
		print(sum(r["read_ios"] for r in rows if r["device"] == sys.argv[2]))
	PYTHON
}

has_ended() {
	! kill -0 "$1" 2>/dev/null
}

# Sets STATUS to the exit code of RECORDER, which ends of itself.
wait_for_end() {
	STATUS=0
	wait_until has_ended "$RECORDER"
	wait "$RECORDER" || STATUS=$?
	RECORDER=
}

@test "the file of a loop device is exchanged: the recording ends, whole, and says why" {
	start_recorder "$BLKREEL" record -d "$FIRST" -o "$TRACE"
	issue read "$FIRST" 499 4096
	exchange "$FIRST"
	# For as long as it takes: the recorder is to end of itself.
	for ((i = 0; i < 200; i++)); do
		kill -0 "$RECORDER" 2>/dev/null || break
		issue read "$FIRST" 53 4096
		sleep 0.05
	done
	[ "$i" -lt 200 ] || kill -TERM "$RECORDER"
	wait_for_end
	[ "$STATUS" = 1 ]
	gone "${FIRST##*/}"
	grep -q "the recording ended early: none of its devices is there any more; the part recorded before is complete and readable" "$ERRORS"
	run -0 --separate-stderr "$BLKREEL" info "$TRACE"
	[ -z "$stderr" ]
	# What the other disk got before the recorder looked: one round of 20 ms, on a slow machine more.
	[ "$(rows)" -ge 499 ]
	[ "$(rows)" -lt $((499 + 200 * 53)) ]
}

@test "one of two devices becomes another disk: the rows of the other disk are left out" {
	make_loop 64M
	start_recorder "$BLKREEL" record -d "$FIRST" -d "$LOOP" -o "$TRACE"
	issue read "$FIRST" 307 4096
	exchange "$FIRST"
	wait_until gone "${FIRST##*/}"
	issue read "$FIRST" 211 4096
	issue read "$LOOP" 401 4096
	stop_recorder
	[ "$(rows "${FIRST##*/}")" = 307 ]
	[ "$(rows "${LOOP##*/}")" = 401 ]
	run ! grep -q "ended early" "$ERRORS"
}

@test "a recording of all disks lists another disk with the same number apart" {
	[ -e "/sys/block/${FIRST##*/}/diskseq" ] || skip "needs sequence numbers of disks (Linux 5.15)"
	truncate -s 32M "$OTHER"
	start_recorder "$BLKREEL" record -o "$TRACE"
	issue read "$FIRST" 307 4096
	exchange "$FIRST"
	wait_until grep -q "${FIRST##*/} is another disk now: its IOs are listed apart" "$ERRORS"
	issue read "$FIRST" 211 4096
	stop_recorder
	run -0 bash -c '"$1" info --json "$2" | python3 -c "
import json, sys
print(sorted(d[\"size_bytes\"] for d in json.load(sys.stdin)[\"devices\"] if d[\"name\"] == \"$3\"))"' - \
		"$BLKREEL" "$TRACE" "${FIRST##*/}"
	[ "$output" = "[33554432, 67108864]" ]
	[ "$(rows "${FIRST##*/}")" = 518 ]
}

@test "a partition of a disk that was exchanged" {
	need_command addpart
	addpart "$FIRST" 1 16384 16384 || skip "needs partitions of loop devices"
	wait_until test -b "${FIRST}p1"
	start_recorder "$BLKREEL" record -d "${FIRST}p1" -o "$TRACE"
	issue read "${FIRST}p1" 101 4096
	exchange "$FIRST"
	addpart "$FIRST" 1 16384 16384 || true
	wait_for_end
	[ "$STATUS" = 1 ]
	gone "${FIRST##*/}p1"
	[ "$(rows)" = 101 ]
}

@test "a disk that goes away and comes back later is another one" {
	make_loop 64M
	for how in "" --aggregate; do
		start_recorder "$BLKREEL" record -d "$FIRST" -d "$LOOP" $how -o "$TRACE"
		losetup -d "$FIRST"
		wait_until gone "${FIRST##*/}"
		losetup "$FIRST" "$(awk 'NR == 1 { print $2 }' "$BATS_TEST_TMPDIR/loops")" ||
			skip "another program took $FIRST meanwhile"
		issue read "$FIRST" 211 4096
		issue read "$LOOP" 101 4096
		stop_recorder
		if [ -z "$how" ]; then
			[ "$(rows)" = 101 ]
		else
			[ "$(counted "${LOOP##*/}")" = 101 ]
			[ "$(counted "${FIRST##*/}")" -lt 211 ]
		fi
	done
}

@test "a disk that only grows stays the same disk" {
	start_recorder "$BLKREEL" record -d "$FIRST" -o "$TRACE"
	issue read "$FIRST" 101 4096
	truncate -s 128M "$(awk 'NR == 1 { print $2 }' "$BATS_TEST_TMPDIR/loops")"
	losetup -c "$FIRST"
	[ "$(blockdev --getsize64 "$FIRST")" = 134217728 ]
	blockdev --rereadpt "$FIRST" || true
	sleep 1.5
	issue read "$FIRST" 101 4096
	stop_recorder
	[ "$(rows)" = 202 ]
}

@test "--aggregate ends too, with the figures of the first disk" {
	start_recorder "$BLKREEL" record -d "$FIRST" --aggregate -o "$TRACE"
	issue read "$FIRST" 499 4096
	exchange "$FIRST"
	wait_for_end
	[ "$STATUS" = 1 ]
	gone "${FIRST##*/}"
	grep -q "none of its devices is there any more" "$ERRORS"
	run -0 --separate-stderr "$BLKREEL" info "$TRACE"
	[ -z "$stderr" ]
	[ "$(counted "${FIRST##*/}")" -ge 499 ]
}

@test "--aggregate of two devices: the other goes on" {
	make_loop 64M
	start_recorder "$BLKREEL" record -d "$FIRST" -d "$LOOP" --aggregate -o "$TRACE"
	issue read "$FIRST" 307 4096
	exchange "$FIRST"
	wait_until gone "${FIRST##*/}"
	issue read "$FIRST" 8009 4096
	issue read "$LOOP" 401 4096
	stop_recorder
	[ "$(counted "${LOOP##*/}")" = 401 ]
	# Exchanging makes requests of its own, but not as many.
	[ "$(counted "${FIRST##*/}")" -ge 307 ]
	[ "$(counted "${FIRST##*/}")" -lt 8009 ]
}

@test "stat says that a named device became another disk" {
	"$BLKREEL" stat -d "$FIRST" --no-cache 0.3 >"$BATS_TEST_TMPDIR/stat" 3>&- &
	RECORDER=$!
	wait_until grep -q "${FIRST##*/}" "$BATS_TEST_TMPDIR/stat"
	exchange "$FIRST"
	wait_until grep -qE " ${FIRST##*/} $GONE$" "$BATS_TEST_TMPDIR/stat"
	kill -INT "$RECORDER"
	wait_for_end
	[ "$STATUS" = 0 ]
}
