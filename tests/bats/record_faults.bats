#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Failures during a recording: a clear line, the right exit code, and all whole blocks stay readable.
# bats file_tags=root
# bats file_tags=sanitized

load test_helper


setup() {
	need_loop
	need_probes
	make_loop 64M
	TRACE=$BATS_TEST_TMPDIR/t.reel
}

teardown() {
	fsfreeze -u "$BATS_TEST_TMPDIR/frozen" 2>/dev/null || true
	umount "$BATS_TEST_TMPDIR/small" "$BATS_TEST_TMPDIR/frozen" 2>/dev/null || true
	clean_up
}

# How many rows can be read; the end of the file may be torn.
readable_rows() {
	"$BLKREEL" dump "$TRACE" --format csv 2>/dev/null | tail -n +2 | wc -l
}

rows_are_there() {
	[ -e "$BATS_TEST_TMPDIR/done" ] && [ "$(readable_rows)" = 997 ]
}

@test "record exits with the exit code of its command" {
	run -7 --separate-stderr "$BLKREEL" record -d "$LOOP" -o "$TRACE" -- sh -c 'exit 7'
	run -0 --separate-stderr "$BLKREEL" info "$TRACE"
}

@test "a killed command: exit 128 + its signal, and the trace is whole" {
	run -137 --separate-stderr "$BLKREEL" record -d "$LOOP" -o "$TRACE" -- sh -c "
		$HELPERS/issue_io read $LOOP 211 4096 >/dev/null; kill -9 \$\$"
	[[ $stderr == *"killed by signal 9"* ]]
	[ "$(readable_rows)" = 211 ]
	run -0 --separate-stderr "$BLKREEL" info "$TRACE"
}

@test "a missing command: exit 127; one that cannot be run: 126" {
	run -127 --separate-stderr "$BLKREEL" record -d "$LOOP" -o "$TRACE" -- /nonexistent/command
	[[ $stderr == *"cannot run /nonexistent/command: No such file or directory"* ]]
	run -126 --separate-stderr "$BLKREEL" record -d "$LOOP" -o "$TRACE" -- /etc/passwd
}

@test "kill -9 of the recorder: the written rows are readable, and info reports a cut end" {
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" -- sh -c "
		$HELPERS/issue_io read $LOOP 997 4096 >/dev/null; echo done >$BATS_TEST_TMPDIR/done; sleep 60.0997" &
	local recorder=$!
	wait_until rows_are_there
	kill -9 "$recorder"
	wait "$recorder" || true
	pkill -P 1 -f 'sleep 60.0997' || true
	[ "$(readable_rows)" = 997 ]
	run -5 --separate-stderr "$BLKREEL" info "$TRACE"
	one_line "$stderr"
	[[ $stderr == *"$TRACE"* ]]
}

@test "no space left while recording: an immediate message, the command goes on, exit 125, whole blocks are readable" {
	mkdir "$BATS_TEST_TMPDIR/small"
	mount -t tmpfs -o size=128k none "$BATS_TEST_TMPDIR/small"
	TRACE=$BATS_TEST_TMPDIR/small/t.reel
	run -125 --separate-stderr "$BLKREEL" record -d "$LOOP" -o "$TRACE" -- sh -c "
		for i in 1 2 3; do $HELPERS/issue_io read $LOOP 16000 4096 >/dev/null; sleep 1; done
		echo the command has ended"
	[[ $output == *"the command has ended"* ]]
	[[ $stderr == *"No space left on device"* ]]
	"$BLKREEL" dump "$TRACE" --format csv >"$BATS_TEST_TMPDIR/rows" 2>/dev/null || true
	# Every row that is there is one of those that were issued.
	run -0 python3 -c '
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) > 0
assert all(r["op"] == "read" and r["bytes"] == "4096" for r in rows)' "$BATS_TEST_TMPDIR/rows"
}

# Twice the capacity of the rings, in parts that fit.
@test "a disk that stalls: no row is lost" {
	need_command mkfs.ext4
	need_command fsfreeze
	local target=$LOOP
	make_loop 64M
	mkfs.ext4 -q "$LOOP"
	mkdir "$BATS_TEST_TMPDIR/frozen"
	mount "$LOOP" "$BATS_TEST_TMPDIR/frozen"
	TRACE=$BATS_TEST_TMPDIR/frozen/t.reel
	run -0 --separate-stderr "$BLKREEL" record -d "$target" --ring-size 512K -o "$TRACE" -- sh -c "
		fsfreeze -f $BATS_TEST_TMPDIR/frozen || exit 9
		for i in 1 2 3 4 5 6 7 8 9 10; do $HELPERS/issue_io read $target 2003 4096 >/dev/null; sleep 0.3; done
		fsfreeze -u $BATS_TEST_TMPDIR/frozen"
	run -0 --separate-stderr "$BLKREEL" info --verify "$TRACE"
	run -0 --separate-stderr "$BLKREEL" info --json "$TRACE"
	[ "$(echo "$output" | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["rows"]["io"], d["lost"]["total"] - d["lost"]["io_event"])')" = "20030 0" ]
}

@test "no space from the start: a message, and no file is left" {
	mkdir "$BATS_TEST_TMPDIR/small"
	mount -t tmpfs -o size=4k none "$BATS_TEST_TMPDIR/small"
	dd if=/dev/zero of="$BATS_TEST_TMPDIR/small/full" bs=4k count=1 status=none
	run -1 --separate-stderr "$BLKREEL" record -d "$LOOP" -t 1 -o "$BATS_TEST_TMPDIR/small/t.reel"
	[[ $stderr == *"No space left on device"* ]]
	[ ! -e "$BATS_TEST_TMPDIR/small/t.reel" ]
}

@test "a device that disappears ends the recording with a message; the rows before that are whole" {
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" 2>"$BATS_TEST_TMPDIR/stderr" &
	local recorder=$! status=0
	wait_until grep -q "recording into" "$BATS_TEST_TMPDIR/stderr"
	"$HELPERS/issue_io" read "$LOOP" 499 4096 >/dev/null
	losetup -d "$LOOP"
	wait "$recorder" || status=$?
	[ "$status" = 1 ]
	grep -qE "$GONE" "$BATS_TEST_TMPDIR/stderr"
	# Taking the device away makes requests of its own.
	[ "$("$BLKREEL" dump "$TRACE" --format csv | grep -c ',read,.*,issue_io,')" = 499 ]
}

# Records $LOOP into $TRACE, with $1 as an option, lets "$2..." happen meanwhile: $status, $BATS_TEST_TMPDIR/stderr.
while_recording() {
	: >"$BATS_TEST_TMPDIR/stderr" # the messages of an earlier recorder would be taken for those of this one
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" ${1:+"$1"} 2>"$BATS_TEST_TMPDIR/stderr" &
	local recorder=$!
	wait_until grep -q "recording into" "$BATS_TEST_TMPDIR/stderr"
	"${@:2}"
	"$HELPERS/issue_io" read "$LOOP" 499 4096 >/dev/null
	kill -TERM "$recorder"
	status=0
	wait "$recorder" || status=$?
}

@test "a trace that is removed during its recording: a message, exit 1" {
	for how in "" --aggregate; do
		while_recording "$how" rm "$TRACE"
		[ "$status" = 1 ]
		grep -q "t.reel was removed while it was recorded .*: nothing is left of the recording" "$BATS_TEST_TMPDIR/stderr"
	done
	run -125 --separate-stderr "$BLKREEL" record -d "$LOOP" -o "$TRACE" -- rm "$TRACE"
	[[ $stderr == *"nothing is left of the recording"* ]]
}

@test "a trace that is renamed during its recording is whole, and record prints its new name" {
	for how in "" --aggregate; do
		rm -f "$BATS_TEST_TMPDIR/new.reel"
		while_recording "$how" mv "$TRACE" "$BATS_TEST_TMPDIR/new.reel"
		[ "$status" = 0 ]
		grep -q "t.reel was renamed while it was recorded: the recording is whole, under $BATS_TEST_TMPDIR/new.reel" \
			"$BATS_TEST_TMPDIR/stderr"
		[ ! -e "$TRACE" ]
		run -0 "$BLKREEL" info "$BATS_TEST_TMPDIR/new.reel"
	done
	# Something else has the name by then, which stays; the exit code is that of the command.
	run -3 --separate-stderr "$BLKREEL" record -d "$LOOP" -o "$TRACE" -- \
		sh -c 'mv "$1" "$2" && echo other >"$1" && exit 3' - "$TRACE" "$BATS_TEST_TMPDIR/new.reel"
	[[ $stderr == *"the recording is whole, under $BATS_TEST_TMPDIR/new.reel"* ]]
	[ "$(<"$TRACE")" = other ]
	rm "$TRACE"
	# A name that is left is enough: which one, the kernel does not say.
	while_recording "" sh -c 'ln "$1" "$2" && rm "$1"' - "$TRACE" "$BATS_TEST_TMPDIR/second.reel"
	[ "$status" = 0 ]
	grep -q "the recording is whole, under another name" "$BATS_TEST_TMPDIR/stderr"
	[ "$("$BLKREEL" dump "$BATS_TEST_TMPDIR/second.reel" --format csv | grep -c ',read,')" -ge 499 ]
	# One that has it still is not spoken of.
	while_recording "" true
	[ "$status" = 0 ]
	run ! grep -qE "renamed|removed" "$BATS_TEST_TMPDIR/stderr"
}

@test "limits of file size and open files are errors, and the command gets its own SIGXFSZ" {
	# The ends of a trace alone have more than a KiB.
	run -1 --separate-stderr bash -c 'ulimit -f 1; exec "$@"' - "$BLKREEL" record -d "$LOOP" -o "$TRACE" -t 0.2
	[[ $stderr == *"blkreel: "*"cannot write $TRACE: File too large"* ]]
	run -153 --separate-stderr bash -c 'ulimit -f 1000; exec "$@"' - "$BLKREEL" record -d "$LOOP" -o "$TRACE" -- \
		dd if=/dev/zero of="$BATS_TEST_TMPDIR/large" bs=64k count=32
	for how in "" --aggregate; do
		run -1 --separate-stderr bash -c 'ulimit -n 16; exec "$@"' - "$BLKREEL" record -d "$LOOP" -o "$TRACE" -t 1 $how
		[ "$stderr" = "blkreel: the limit of open files is too low for the probes: raise it (ulimit -n 1024)" ]
	done
}

@test "^C ends a recording with a whole trace" {
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" 2>"$BATS_TEST_TMPDIR/stderr" &
	local recorder=$!
	wait_until grep -q "recording into" "$BATS_TEST_TMPDIR/stderr"
	"$HELPERS/issue_io" read "$LOOP" 101 4096 >/dev/null
	kill -TERM "$recorder"
	wait "$recorder"
	grep -q "101 IOs" "$BATS_TEST_TMPDIR/stderr"
	run -0 --separate-stderr "$BLKREEL" info "$TRACE"
}

@test "record does not overwrite a file that is no trace" {
	echo precious >"$TRACE"
	run -1 --separate-stderr "$BLKREEL" record -d "$LOOP" -t 1 -o "$TRACE"
	[[ $stderr == *"exists and is not a trace"* ]]
	[ "$(cat "$TRACE")" = precious ]
}

@test "record replaces an earlier trace and does not follow a symlink" {
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" -- "$HELPERS/issue_io" read "$LOOP" 11 4096
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" -- "$HELPERS/issue_io" read "$LOOP" 7 4096
	[ "$(readable_rows)" = 7 ]
	[ "$(stat -c %a "$TRACE")" = 600 ]
	ln -s "$TRACE" "$BATS_TEST_TMPDIR/link.reel"
	run -1 --separate-stderr "$BLKREEL" record -d "$LOOP" -t 1 -o "$BATS_TEST_TMPDIR/link.reel"
	one_line "$stderr"
	[ "$(readable_rows)" = 7 ]
}

@test "a missing device, or a file that is no device, is refused" {
	run -1 --separate-stderr "$BLKREEL" record -d nosuchdisk -t 1 -o "$TRACE"
	[[ $stderr == *"nosuchdisk: no such block device"* ]]
	run -1 --separate-stderr "$BLKREEL" record -d /dev/null -t 1 -o "$TRACE"
	[[ $stderr == *"/dev/null is not a block device"* ]]
	[ ! -e "$TRACE" ]
}

@test "without privileges: one line with the remedy, exit code 6" {
	need_command setpriv
	run -6 --separate-stderr setpriv --reuid 65534 --regid 65534 --clear-groups "$BLKREEL" record -t 1 -o /tmp/blkreel-never.reel
	one_line "$stderr"
	[[ $stderr == *"run as root"* ]]
	[ ! -e /tmp/blkreel-never.reel ]
}

@test "a ring that is too small: rows plus counted losses are the IOs issued" {
	"$BLKREEL" record -d "$LOOP" --ring-size 4k -o "$TRACE" 2>"$BATS_TEST_TMPDIR/stderr" &
	local recorder=$!
	wait_until grep -q "recording into" "$BATS_TEST_TMPDIR/stderr"
	# A recorder that cannot drain must lose, on a machine of any speed.
	kill -STOP "$recorder"
	"$HELPERS/issue_io" read "$LOOP" 16000 4096 >/dev/null
	kill -CONT "$recorder"
	kill -TERM "$recorder"
	wait "$recorder"
	"$BLKREEL" info "$TRACE" --json >"$BATS_TEST_TMPDIR/info.json"
	[ "$(json "$BATS_TEST_TMPDIR/info.json" "d['rows']['io'] + d['lost']['io_ring']")" = 16000 ]
	[ "$(json "$BATS_TEST_TMPDIR/info.json" "d['lost']['io_ring'] > 0")" = True ]
	grep -q "events were lost" "$BATS_TEST_TMPDIR/stderr"
}

@test "a ring that is too small: the depth of the remaining rows is right or unknown" {
	"$BLKREEL" record -d "$LOOP" --ring-size 4k -o "$TRACE" -- "$HELPERS/issue_io" read "$LOOP" 16001 4096 >/dev/null
	# One after the other; a completion that the kernel did not report counts as in flight for a while.
	"$BLKREEL" dump --format json "$TRACE" | python3 -c '
import json, sys
depths = [json.loads(line)["depth"] or 0 for line in sys.stdin]
print(len(depths), sum(1 for depth in depths if depth > 3), file=sys.stderr)
sys.exit(not depths or max(depths) > 3)'
}

@test "a usage error names its reason" {
	run -2 --separate-stderr "$BLKREEL" record --nonsense
	[[ $stderr == *"unknown option '--nonsense'"* ]]
	run -2 --separate-stderr "$BLKREEL" record -t soon
	run -2 --separate-stderr "$BLKREEL" record -t 0
	run -2 --separate-stderr "$BLKREEL" record ls
	[[ $stderr == *"stands after --"* ]]
	run -2 --separate-stderr "$BLKREEL" record --
	run -2 --separate-stderr "$BLKREEL" record --ring-size 5000
}
