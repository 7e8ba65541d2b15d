#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Whose IO is recorded: --pid with its descendants, --cgroup with those below it, and in a PID namespace.
# bats file_tags=root,sanitized

load test_helper

setup() {
	need_loop
	need_probes
	make_loop 16M
	TRACE=$BATS_TEST_TMPDIR/t.reel
	GO=$BATS_TEST_TMPDIR/go
}

ios() {
	"$BLKREEL" dump "$TRACE" --format csv | awk -F, '$3 == "write" || $3 == "read"' | wc -l
}

# record_family: what --pid of the first process records of 65 writes of the family, and 7 of another's.
record_family() {
	local family recorder
	"$ROOT/tests/helpers/family_load.py" "$LOOP" "$GO" "$BATS_TEST_TMPDIR/pid" 3>&- &
	family=$!
	wait_until [ -e "$BATS_TEST_TMPDIR/pid" ]
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" --pid "$(cat "$BATS_TEST_TMPDIR/pid")" \
		2>"$BATS_TEST_TMPDIR/messages" 3>&- &
	recorder=$!
	wait_until grep -q recording "$BATS_TEST_TMPDIR/messages"
	"$HELPERS/issue_io" read "$LOOP" 7 4096
	touch "$GO"
	wait "$family"
	kill -INT "$recorder"
	wait "$recorder"
}

@test "--pid records a process and its descendants, forked before and after the start, and nobody else" {
	record_family
	[ "$(ios)" = 65 ]
}

@test "--pid records what the process writes when its exit closes a disk" {
	mkfifo "$GO"
	python3 -c '
import os, sys
disk = os.open(sys.argv[1], os.O_WRONLY)
open(sys.argv[2]).read()
os.write(disk, bytes(262144))
os._exit(0)' "$LOOP" "$GO" 3>&- &
	writer=$!
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" --pid "$writer" 2>"$BATS_TEST_TMPDIR/messages" 3>&- &
	recorder=$!
	wait_until grep -q recording "$BATS_TEST_TMPDIR/messages"
	: >"$GO"
	wait "$writer"
	kill -INT "$recorder"
	wait "$recorder" || true
	run -0 bash -c '"$0" dump "$1" --format csv | awk -F, "\$3 == \"write\" { bytes += \$5 } END { print bytes }"' "$BLKREEL" "$TRACE"
	[ "$output" = 262144 ]
}

@test "--pid in a PID namespace means the process with that number there" {
	need_command unshare
	export -f record_family wait_until
	export LOOP GO TRACE BLKREEL BATS_TEST_TMPDIR ROOT HELPERS
	unshare --fork --pid --mount-proc bash -ec record_family
	[ "$(ios)" = 65 ]
}

@test "--pid of no process or of a thread is refused with the reason" {
	run "$BLKREEL" record -d "$LOOP" -o "$TRACE" --pid 4194303 -t 1
	[ "$status" = 1 ]
	[[ $output == *"--pid 4194303: there is no such process (ps lists them)"* ]]
	python3 -c 'import threading, time; t = threading.Thread(target=time.sleep, args=(60,)); t.start(); t.join()' 3>&- &
	process=$!
	wait_until has_thread "$process"
	thread=$(thread_of "$process")
	run "$BLKREEL" record -d "$LOOP" -o "$TRACE" --pid "$thread" -t 1
	kill "$process"
	[ "$status" = 1 ]
	[[ $output == *"--pid $thread is a thread of process $process"* ]]
	[ ! -e "$TRACE" ]
}

# thread_of PROCESS: its second thread.
thread_of() {
	find "/proc/$1/task" -mindepth 1 -maxdepth 1 -printf '%f\n' | grep -vx "$1" | head -1
}

has_thread() {
	[ -n "$(thread_of "$1")" ]
}

@test "--cgroup records a cgroup and those below it, also one that is made later" {
	limit_io_group
	mkdir "$GROUP/before"
	sed -i "1i $GROUP/before" "$BATS_TEST_TMPDIR/groups"
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" --cgroup "$GROUP" 2>"$BATS_TEST_TMPDIR/messages" 3>&- &
	recorder=$!
	wait_until grep -q recording "$BATS_TEST_TMPDIR/messages"
	mkdir "$GROUP/before/after"
	sed -i "1i $GROUP/before/after" "$BATS_TEST_TMPDIR/groups"
	in_group "$GROUP" 3
	in_group "$GROUP/before" 5
	in_group "$GROUP/before/after" 7
	"$HELPERS/issue_io" read "$LOOP" 11 4096
	kill -INT "$recorder"
	wait "$recorder"
	[ "$(ios)" = 15 ]
}

# limit_io_group: sets GROUP, a new cgroup whose IO is charged to it.
limit_io_group() {
	local root
	for root in /sys/fs/cgroup/blkio /sys/fs/cgroup; do
		GROUP=$root/blkreel-test-$$-scope
		mkdir "$GROUP" 2>/dev/null || continue
		echo "$GROUP" >"$BATS_TEST_TMPDIR/groups"
		[ "$root" = /sys/fs/cgroup/blkio ] && return 0
		grep -qw io "$GROUP/cgroup.controllers" 2>/dev/null && return 0
	done
	skip "needs cgroups with the io controller"
}

in_group() {
	bash -c 'echo $$ >"$1/cgroup.procs" && exec "$HELPERS/issue_io" read "$2" "$3" 4096' - "$1" "$LOOP" "$2"
}

@test "the account of evictions is bounded with a filter: it leaves out what kswapd evicts" {
	need_figure cache_evicted exact
	limit_io_group
	for filter in "" "--pid $$" "--cgroup $GROUP"; do
		# shellcheck disable=SC2086 # an option and its argument
		"$BLKREEL" record --cache -d "$LOOP" -o "$TRACE" -t 0.1 $filter >/dev/null
		"$BLKREEL" info --json "$TRACE" >"$BATS_TEST_TMPDIR/info.json"
		[ "$(json "$BATS_TEST_TMPDIR/info.json" "[t['quality'] for t in d['tiers'] if t['figure'] == 'cache_evicted'][0]")" = \
			"$([ -n "$filter" ] && echo bounded || echo exact)" ]
	done
}
