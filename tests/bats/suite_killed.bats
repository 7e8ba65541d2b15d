# SPDX-License-Identifier: MIT
# A suite that is ended, or killed, leaves no process, mount, device, control group or file of its tests.
# bats file_tags=root,once
load test_helper

setup() {
	need_loop
	need_probes
	need_command fsfreeze
	need_command mkswap
	[ "$(stat -f -c %T "$BATS_TEST_TMPDIR")" != tmpfs ] || skip "needs a disk: swap over a file in memory can deadlock"
	MADE=$BATS_TEST_TMPDIR/made
	FOLDER=$BATS_TEST_TMPDIR/tmp
	mkdir "$FOLDER"
}

# What this file's tests make outside of their own folders is in the notes of their suites.
teardown() {
	if [ -n "${SUITE:-}" ] && kill "$SUITE" 2>/dev/null; then
		wait "$SUITE" || true
	fi
	end_processes
	TMPDIR=$FOLDER "$ROOT/tests/leftovers"
	clean_up
}

# made_up NAME: a file of tests from standard input, where bats does not look for them.
made_up() {
	{
		echo "BATS_TEST_DIRNAME=$ROOT/tests/bats"
		echo "load test_helper"
		sed 's/^TEST /@test /'
	} >"$BATS_TEST_TMPDIR/$1"
}

# run_suite FILE: becomes tests/run, as make check runs it, with a temporary folder of its own.
run_suite() {
	exec env -i --default-signal=INT PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TMPDIR="$FOLDER" MADE="$MADE" \
		"$ROOT/tests/run" "$BATS_TEST_TMPDIR/$1"
}

# A test that has made one of each thing, and waits: what it made is in the file MADE.
make_test() {
	made_up long.bats <<-'END'
		load helpers/groups
		TEST "makes everything" {
			make_group pids tasks cgroup.procs
			make_groups a/b
			head -c 1M /dev/zero >"$BATS_TEST_TMPDIR/swap"
			chmod 600 "$BATS_TEST_TMPDIR/swap"
			mkswap -q "$BATS_TEST_TMPDIR/swap" >/dev/null
			swap_on "$BATS_TEST_TMPDIR/swap" -p 0
			mount_ext4 64M
			truncate -s 16M "$MNT/disk"
			inner=$(new_loop "$MNT/disk")
			mkfs.ext4 -q "$inner"
			mkdir "$BATS_TEST_TMPDIR/inner"
			mount "$inner" "$BATS_TEST_TMPDIR/inner"
			outside=$(make_outside /dev/shm/blkreel-test-XXXXXX)
			ERRORS=$BATS_TEST_TMPDIR/stderr
			start_recorder "$BLKREEL" record -d "$LOOP" -o "$BATS_TEST_TMPDIR/t.reel"
			sleep 7708 &
			fsfreeze -f "$BATS_TEST_TMPDIR/inner"
			echo "$RECORDER $! $LOOP $inner $MNT $outside $GROUP $GROUP_ROOTS$BASE $BATS_RUN_TMPDIR" >"$MADE.new"
			mv "$MADE.new" "$MADE"
			trap "" ABRT TERM
			while :; do sleep 0.1 || true; done
		}
	END
}

# begin_suite: in the background; returns when the test has made everything.
begin_suite() {
	make_test
	run_suite long.bats >"$BATS_TEST_TMPDIR/printed" 2>&1 3>&- &
	SUITE=$!
	wait_until test -e "$MADE"
	read -r RECORDER SLEEPER OUTER INNER MOUNT OUTSIDE GROUP GROUPS_BASE RUN <"$MADE"
	BACKING=$(cat "/sys/block/${OUTER#/dev/}/loop/backing_file")
	all_is_there
}

all_is_there() {
	kill -0 "$RECORDER" && kill -0 "$SLEEPER" && mountpoint -q "$MOUNT" && [ -e "$OUTSIDE" ] && [ -d "$GROUP" ] && [ -d "$GROUPS_BASE/a/b" ] && [ -d "$RUN" ] &&
		grep -qF "$RUN" /proc/swaps &&
		is_loop_of "$OUTER" "$BACKING" && is_loop_of "$INNER" "$RUN"
}

# Prints what is there of what the test made.
what_is_there() {
	local item
	for item in "$RECORDER" "$SLEEPER"; do
		! grep -qsE '^State:[[:space:]]+[^ZX[:space:]]' "/proc/$item/status" || echo "process $item"
	done
	for item in "$MOUNT" "$OUTSIDE" "$GROUP" "$GROUPS_BASE" "$RUN" "$BACKING"; do
		[ ! -e "$item" ] || echo "$item"
	done
	grep -F "$FOLDER" /proc/self/mountinfo /proc/swaps || true
	! is_loop_of "$OUTER" "$BACKING" || echo "$OUTER"
	! is_loop_of "$INNER" "$RUN" || echo "$INNER"
}

nothing_is_there() {
	[ -z "$(what_is_there)" ]
}

# below PID: it and its descendants.
below() {
	local child
	echo "$1"
	# shellcheck disable=SC2013 # words
	for child in $(cat "/proc/$1/task/"*/children 2>/dev/null); do below "$child"; done
}

@test "SIGTERM, SIGINT or SIGKILL for the suite: nothing of the running test is left" {
	for signal in TERM INT KILL; do
		rm -f "$MADE"
		begin_suite
		kill -$signal "$SUITE"
		wait "$SUITE" || true
		wait_until nothing_is_there || { what_is_there && return 1; }
	done
}

@test "SIGKILL for all that runs the tests: the next run removes what is left" {
	begin_suite
	# The recorder and what holds the devices stay.
	below "$SUITE" | grep -vxE "$RECORDER|$SLEEPER" | xargs kill -KILL || true
	wait "$SUITE" || true
	SUITE=
	all_is_there
	made_up short.bats <<<'TEST "short" { true; }'
	run run_suite short.bats
	echo "$output"
	[ "$status" = 0 ]
	what_is_there
	[ "$(what_is_there)" = "" ]
	[ -z "$(ls "$FOLDER")" ]
}

@test "a run that goes on is left alone" {
	begin_suite
	made_up short.bats <<<'TEST "short" { true; }'
	run run_suite short.bats
	[ "$status" = 0 ]
	all_is_there
	kill -0 "$SUITE"
}

@test "SIGKILL for what runs the tests, and bats removes its folder with the notes: the next run removes the slow disk" {
	[ -c /dev/fuse ] || skip "needs /dev/fuse"
	made_up long.bats <<-'END'
		load helpers/slow_disk
		TEST "makes a slow disk" {
			make_slow_loop 16M 0 0 0
			mkfs.ext4 -q "$LOOP"
			mkdir "$BATS_TEST_TMPDIR/mnt"
			mount "$LOOP" "$BATS_TEST_TMPDIR/mnt"
			read -r _ slow outside <"$BATS_TEST_TMPDIR/slow"
			echo "$BASHPID $slow $LOOP $outside $BATS_RUN_TMPDIR" >"$MADE.new"
			mv "$MADE.new" "$MADE"
			while :; do sleep 0.1 || true; done
		}
	END
	env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TMPDIR="$FOLDER" MADE="$MADE" BUILD="$BUILD" bats --tap "$BATS_TEST_TMPDIR/long.bats" >"$BATS_TEST_TMPDIR/printed" 2>&1 3>&- &
	SUITE=$!
	wait_until test -e "$MADE"
	read -r _ slow loop outside folder <"$MADE"
	is_loop_of "$loop" "$folder"
	# All but the outermost process, which then removes the folder.
	below "$SUITE" | tail -n +2 | grep -vx "$slow" | xargs kill -KILL || true
	wait "$SUITE" || true
	SUITE=
	[ ! -e "$folder/run" ]
	[ -e "$outside" ]
	grep -F "$folder" /proc/self/mountinfo
	run env TMPDIR="$FOLDER" "$ROOT/tests/leftovers"
	echo "$output"
	[ "$status" = 0 ]
	[ "$output" = "" ]
	run ! grep -F "$FOLDER" /proc/self/mountinfo
	run ! is_loop_of "$loop" "$folder"
	[ ! -e "$outside" ]
	run ! grep -s '^State:[[:space:]]*[RSD]' "/proc/$slow/status"
	[ -z "$(ls "$FOLDER")" ]
}
