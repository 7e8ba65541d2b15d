#!/usr/bin/env bats
# bats file_tags=once
# SPDX-License-Identifier: MIT
# What a long recording must survive: processors and devices that disappear, other recorders, its
# thousandth start, and a kill at any moment.
# bats file_tags=root

load test_helper


CPU=/sys/devices/system/cpu/cpu1/online
# The user who loaded them identifies programs in the kernel: other recorders may run here.
LOADER=48271

setup() {
	need_loop
	need_probes
	need_command setpriv
	need_command bpftool
	make_loop 64M
	TRACE=$BATS_TEST_TMPDIR/t.reel
	ERRORS=$BATS_TEST_TMPDIR/stderr
}

teardown() {
	[ ! -e "$BATS_TEST_TMPDIR/busy" ] || kill "$(cat "$BATS_TEST_TMPDIR/busy")" 2>/dev/null || true
	[ ! -e "$BATS_TEST_TMPDIR/offline" ] || echo 1 >"$CPU"
	clean_up
}

# start_into NAME OPTION...: a recorder into NAME.reel, its messages into NAME.stderr.
start_into() {
	local name=$BATS_TEST_TMPDIR/$1
	shift
	ERRORS=$name.stderr
	start_recorder "$BLKREEL" record -o "$name.reel" "$@"
}

# count_own_rows NAME CONDITION: how many rows of issue_io in NAME.reel are so (Python, of columns of the CSV).
count_own_rows() {
	"$BLKREEL" dump "$BATS_TEST_TMPDIR/$1.reel" --format csv | python3 -c "
import csv, sys
print(sum(($2) and r['comm'] == 'issue_io' for r in csv.DictReader(sys.stdin)))"
}

issue_io() {
	"$HELPERS/issue_io" "$@" >/dev/null
}

# as_loader COMMAND...: becomes the user LOADER with the capabilities to record.
as_loader() {
	exec setpriv --reuid $LOADER --regid $LOADER --clear-groups --inh-caps=-all,+bpf,+perfmon \
		--ambient-caps=-all,+bpf,+perfmon --bounding-set=-all,+bpf,+perfmon "$@"
}

# FOLDER: a folder of programs that LOADER may run.
make_folder() {
	FOLDER=$(make_outside -d /dev/shm/blkreel-survival-XXXXXX)
	chmod 755 "$FOLDER"
	cp "$BLKREEL" "$HELPERS/cycle_recording" "$FOLDER"
	mkdir -m 1777 "$FOLDER/open"
	chmod 666 "$LOOP"
}

programs_of_loader() {
	bpftool prog show --json | python3 -c "
import json, sys
print(sum(p.get('uid') == $LOADER for p in json.load(sys.stdin)))"
}

no_program_is_left() {
	[ "$(programs_of_loader)" = 0 ]
}

# ids_of PID: the kernel objects of its descriptors: "map 17", "prog 4", "link 9".
ids_of() {
	sed -nE 's/^(map|prog|link)_id:[[:space:]]*/\1 /p' /proc/"$1"/fdinfo/* | sort -u
}

# What was freed by its last user goes after a grace period.
all_are_gone() {
	local kind id
	while read -r kind id; do
		! bpftool "$kind" show id "$id" >/dev/null 2>&1 || return 1
	done <"$1"
}

@test "a busy processor: each request is recorded" {
	[ "$(nproc)" -gt 1 ] || skip "needs two processors"
	taskset -c 1 sh -c 'while :; do :; done' &
	echo $! >"$BATS_TEST_TMPDIR/busy"
	start_into t -d "$LOOP" --cache
	taskset -c 0 "$HELPERS/issue_io" read "$LOOP" 2003 4096 >/dev/null
	taskset -c 1 "$HELPERS/issue_io" write "$LOOP" 503 4096 100 >/dev/null
	stop_recorder
	[ "$(count_own_rows t "r['op'] == 'read'")" = 2003 ]
	[ "$(count_own_rows t "r['op'] == 'write' and r['bytes'] == '4096'")" = 503 ]
}

@test "a processor that goes offline and online: each request before, between and after is recorded" {
	[ -w "$CPU" ] && [ "$(cat "$CPU")" = 1 ] || skip "needs a processor that can be taken away"
	start_into t -d "$LOOP"
	taskset -c 1 "$HELPERS/issue_io" read "$LOOP" 499 4096 >/dev/null
	echo "$CPU" >"$BATS_TEST_TMPDIR/offline"
	echo 0 >"$CPU" || skip "needs a processor that can be taken away"
	issue_io read "$LOOP" 211 4096
	echo 1 >"$CPU"
	rm "$BATS_TEST_TMPDIR/offline"
	taskset -c 1 "$HELPERS/issue_io" read "$LOOP" 101 4096 >/dev/null
	stop_recorder
	[ "$(count_own_rows t "r['op'] == 'read'")" = 811 ]
}

@test "a recorder that starts while a processor is offline records it once it is online" {
	[ -w "$CPU" ] && [ "$(cat "$CPU")" = 1 ] || skip "needs a processor that can be taken away"
	echo "$CPU" >"$BATS_TEST_TMPDIR/offline"
	echo 0 >"$CPU" || skip "needs a processor that can be taken away"
	start_into t -d "$LOOP"
	issue_io read "$LOOP" 101 4096
	echo 1 >"$CPU"
	rm "$BATS_TEST_TMPDIR/offline"
	taskset -c 1 "$HELPERS/issue_io" read "$LOOP" 499 4096 >/dev/null
	stop_recorder
	[ "$(count_own_rows t "r['op'] == 'read'")" = 600 ]
}

@test "one of two devices disappears: the other is recorded to the end" {
	local first=$LOOP
	make_loop 64M
	start_into t -d "$first" -d "$LOOP"
	issue_io read "$first" 307 4096
	losetup -d "$first"
	wait_until grep -qE "$(basename "$first") $GONE" "$BATS_TEST_TMPDIR/t.stderr"
	issue_io read "$LOOP" 401 4096
	stop_recorder
	[ "$(count_own_rows t "r['op'] == 'read' and r['device'] == '$(basename "$first")'")" = 307 ]
	[ "$(count_own_rows t "r['op'] == 'read' and r['device'] == '$(basename "$LOOP")'")" = 401 ]
}

@test "two recorders at once, one ends earlier: each has all its rows" {
	start_into first -d "$LOOP" --cache
	local first=$RECORDER
	start_into second -d "$LOOP"
	issue_io read "$LOOP" 499 4096
	stop_recorder
	issue_io read "$LOOP" 211 4096
	RECORDER=$first stop_recorder
	[ "$(count_own_rows first "r['op'] == 'read'")" = 710 ]
	[ "$(count_own_rows second "r['op'] == 'read'")" = 499 ]
}

@test "thirty starts and stops under load: each recording has its rows or counts its losses" {
	local quiet=$LOOP
	make_loop 64M
	sh -c "while :; do $HELPERS/issue_io read $LOOP 16000 4096 >/dev/null; done" &
	echo $! >"$BATS_TEST_TMPDIR/busy"
	for ((i = 0; i < 30; i++)); do
		"$BLKREEL" record -d "$quiet" -d "$LOOP" -o "$TRACE" -- "$HELPERS/issue_io" read "$quiet" 211 4096 >/dev/null 2>&1
		"$BLKREEL" info "$TRACE" --json >"$BATS_TEST_TMPDIR/info.json"
		local lost count
		lost=$(json "$BATS_TEST_TMPDIR/info.json" "d['lost']['total']")
		count=$(count_own_rows t "r['op'] == 'read' and r['device'] == '$(basename "$quiet")'")
		echo "$count rows, $lost lost"
		[ "$count" = 211 ] || { [ "$lost" -gt 0 ] && [ "$count" -lt 211 ]; }
	done
}

# A thousand in one process: BLKREEL_CYCLES=1000; else as many as fit into half a minute.
@test "many recordings in one process leave no descriptor open and no memory allocated" {
	local cycles=${BLKREEL_CYCLES:-1000} seconds=30
	[ -z "${BLKREEL_CYCLES:-}" ] || seconds=100000
	make_folder
	as_loader "$FOLDER/cycle_recording" "$LOOP" "$FOLDER/open/t.reel" "$cycles" "$seconds" cache >"$BATS_TEST_TMPDIR/use.json" &
	local pid=$!
	wait_until eval '[ "$(programs_of_loader)" -gt 0 ]'
	wait $pid
	cat "$BATS_TEST_TMPDIR/use.json"
	use() { json "$BATS_TEST_TMPDIR/use.json" "$1"; }
	[ "$(use "d['cycles'] >= 6 and d['failed'] == 0")" = True ]
	# The test would see them: meanwhile they are there, of threads one that drains, one that encodes, one that writes.
	[ "$(use "d['meanwhile']['bpf_fds'] > 10 and d['meanwhile']['threads'] == 4")" = True ]
	for figure in fds bpf_fds threads; do
		[ "$(use "d['late']['$figure'] - d['early']['$figure']")" = 0 ]
	done
	[ "$(use "d['late']['bpf_fds']")" = 0 ]
	# Where malloc does not count, the sanitizer does, and its mappings grow.
	[ "$(use "d['late']['heap_bytes'] == 0 or d['late']['mappings'] - d['early']['mappings'] < 10")" = True ]
	# malloc keeps what it has more or less of, once; a leak would be there in each cycle.
	[ "$(use "d['late']['heap_bytes'] - d['early']['heap_bytes'] < 256 * 1024")" = True ]
	wait_until no_program_is_left
}

@test "after a recorder ends the kernel has no program, map or link of it" {
	make_folder
	(as_loader "$FOLDER/blkreel" record --cache -d "$LOOP" -o "$FOLDER/open/t.reel" 2>"$ERRORS") &
	local job=$! pid
	wait_until grep -q "recording into" "$ERRORS"
	pid=$(pgrep -u $LOADER -x blkreel)
	# Its descriptors belong to root, as those of everybody who had a capability.
	ids_of "$pid" >"$BATS_TEST_TMPDIR/ids"
	for kind in map prog link; do
		grep -q "^$kind " "$BATS_TEST_TMPDIR/ids"
	done
	run ! all_are_gone "$BATS_TEST_TMPDIR/ids"
	kill -TERM "$pid"
	wait "$job"
	wait_until all_are_gone "$BATS_TEST_TMPDIR/ids"
}

@test "after a kill at any moment of its start nothing is left in the kernel, and the next recorder starts" {
	make_folder
	local seen=0 pid start_ns
	start_ns=$(date +%s%N)
	(as_loader "$FOLDER/blkreel" record -d "$LOOP" -o "$FOLDER/open/first.reel" 2>"$ERRORS") &
	pid=$!
	wait_until grep -q "recording into" "$ERRORS"
	start_ns=$(($(date +%s%N) - start_ns))
	kill -TERM "$pid"
	wait "$pid"
	wait_until no_program_is_left
	for ((i = 0; i < 25; i++)); do
		(as_loader "$FOLDER/blkreel" record -d "$LOOP" -o "$FOLDER/open/t.reel" 2>/dev/null) &
		pid=$!
		sleep "$(awk "BEGIN { print $start_ns * $i / 25e9 }")"
		# Programs are counted without any haste.
		kill -STOP "$pid"
		[ "$(programs_of_loader)" = 0 ] || seen=$((seen + 1))
		kill -KILL "$pid"
		wait "$pid" || true
	done
	echo "a start took $((start_ns / 1000000)) ms; programs were loaded in $seen of 25"
	[ "$seen" -gt 5 ]
	wait_until no_program_is_left
	(as_loader "$FOLDER/blkreel" record -d "$LOOP" -o "$FOLDER/open/t.reel" -t 100ms 2>/dev/null)
}
