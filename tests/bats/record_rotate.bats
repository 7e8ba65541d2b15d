#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# record --rotate: each file has its IOs, and none is lost.
# bats file_tags=root
# bats file_tags=sanitized

load test_helper
load helpers/recorder_files


setup() {
	need_loop
	need_probes
	prepare_recorder
}

@test "rotate: under load no IO is lost or doubled between two files" {
	local before lost=0 sum=0 agree=0 count=0 left=0 file
	before=$(kernel_ios)
	"$BLKREEL" record -d "$LOOP" --rotate 64k -o "$OUT/r.reel" -- sh -c "
		for i in 1 2 3; do $HELPERS/issue_io write $LOOP 10007 4096 8 & $HELPERS/issue_io read $LOOP 15013 4096; wait; done" >/dev/null 2>"$ERRORS"
	while file=$(written_file $((count + 1))) && [ -n "$file" ]; do
		count=$((count + 1))
		run -0 --separate-stderr "$BLKREEL" info --verify "$file"
		[[ $output == *"no problem"* ]]
		sum=$((sum + $(count_rows "$file")))
		lost=$((lost + $(info "$file" "d['lost']['total']")))
		[ "$(info "$file" "abs(d['clock_jump_ns']) < 10**7")" = True ]
		# What was in flight when one file ended is in the next, and marked there; but flushes of
		# the kernel's own are seen only once it issues them.
		"$BLKREEL" dump --format csv "$file" | grep started_before >"$BATS_TEST_TMPDIR/before" || true
		echo "$left in flight, then $(wc -l <"$BATS_TEST_TMPDIR/before") from before"
		[ "$(wc -l <"$BATS_TEST_TMPDIR/before")" = "$(info "$file" "d['started_before']")" ]
		[ "$(wc -l <"$BATS_TEST_TMPDIR/before")" -ge "$left" ]
		[ "$(grep -vc flush_machinery "$BATS_TEST_TMPDIR/before")" -le "$left" ]
		left=$(info "$file" "d['in_flight_at_end']")
		[ "$(explain "$file" "d['devices'][0]['agrees_with_kernel']")" != True ] || agree=$((agree + 1))
	done
	echo "$count files, $sum rows, $agree agree, $lost lost"
	[ "$left" = 0 ]
	[ "$count" -ge 2 ]
	[ "$sum" = $(($(kernel_ios) - before)) ]
	[ "$agree" -ge $((count - 1)) ]
	# Rows lie once in one file: no request is in two.
	for file in "$OUT"/r-*; do "$BLKREEL" dump --format csv --rows io "$file"; done |
		python3 -c '
import csv, sys
seen = [tuple(r[k] for k in ("created_ns", "completed_ns", "sector", "op", "bytes", "pid")) for r in csv.DictReader(sys.stdin) if r["op"] != "op"]
assert len(seen) == int(sys.argv[1]), len(seen)
assert len(set(seen)) == len(seen), len(seen) - len(set(seen))' "$sum"
}

@test "rotate: a wait that goes on over two files has a part in each" {
	local cut
	make_slow_loop
	LOOP=$UPPER start_on_loop --waits --rotate 1h -o "$OUT/r.reel"
	fsfreeze -f "$BATS_TEST_TMPDIR/below"
	write_one_page &
	local writer=$!
	wait_until grep -q ' [1-9][0-9]*$' "/sys/block/${UPPER#/dev/}/inflight"
	sleep 2
	kill -HUP "$RECORDER"
	wait_until has_reported 1
	cut=$(date +%s)
	sleep 1
	fsfreeze -u "$BATS_TEST_TMPDIR/below"
	wait "$writer"
	stop_recorder
	run -0 waits_of "$(written_file 1)" dd "1.5 <= waited <= duration and adds_up"
	run -0 waits_of "$(written_file 2)" dd "0.9 <= waited <= duration <= $(($(date +%s) - cut + 2)) and adds_up"
}

@test "rotate: files are not larger than the size asked for, but where rows come faster than they are looked at" {
	local file sizes=()
	"$BLKREEL" record -d "$LOOP" --rotate 100K -o "$OUT/r.reel" -- sh -c "
		for i in 1 2 3; do $HELPERS/issue_io write $LOOP 10007 4096 8; $HELPERS/issue_io read $LOOP 15013 4096; done" >/dev/null 2>"$ERRORS"
	for file in "$OUT"/r-*; do sizes+=("$(stat -c %s "$file")"); done
	echo "${sizes[@]}"
	[ ${#sizes[@]} -ge 4 ]
	# Half of them; and not much smaller, but for the first, of which nothing is known, and the last.
	printf '%s\n' "${sizes[@]}" | sed '1d;$d' | sort -n | awk '{ size[NR] = $1 } END {
		median = size[int((NR + 1) / 2)]
		exit median < 51200 || median > 102400 }'
}

@test "rotate: by time, by time and size, and --keep" {
	start_on_loop --rotate 2s --rotate 1G --keep 2 -o "$OUT/r.reel"
	echo precious >"$OUT/r-20200101-000000.reel"
	wait_until has_reported_at_least 1
	mv "$(written_file 1)" "$OUT/moved.reel"
	echo another >"$(written_file 1)"
	wait_until has_reported_at_least 5
	stop_recorder
	# The oldest were removed, but not what another has put there or moved away.
	[ "$(cat "$(written_file 1)")" = another ]
	[ "$(cat "$OUT/r-20200101-000000.reel")" = precious ]
	run -0 "$BLKREEL" info "$OUT/moved.reel"
	[ ! -e "$(written_file 2)" ]
	grep -q "removed $(written_file 2)" "$ERRORS"
	[ -e "$(written_file 5)" ]
	[ "$(find "$OUT" -name 'r-2*.reel' -size +1 | wc -l)" = 3 ]
}

@test "rotate: a disk that fills makes it fail with one message; each file before is whole, and --keep holds" {
	local small=$BATS_TEST_TMPDIR/small status=0 file open=0
	mkdir "$small"
	mount -t tmpfs -o size=192k none "$small"
	start_on_loop --rotate 64k --keep 1 -o "$small/r.reel"
	read_until_the_second() {
		read_loop 1009
		has_reported_at_least 2
	}
	wait_until read_until_the_second
	dd if=/dev/zero of="$small/fill" bs=4k status=none 2>/dev/null || true
	read_loop 16001
	wait_until grep -q "No space left on device" "$ERRORS"
	kill -TERM "$RECORDER" 2>/dev/null || true
	wait "$RECORDER" || status=$?
	RECORDER=
	cat "$ERRORS"
	ls -l "$small"
	[ "$status" = 1 ]
	# The next file is tried again without a word.
	[ "$(grep -c "warning: cannot begin the next file: No space left on device" "$ERRORS")" -le 1 ]
	[ "$(grep -c "cannot write .*: No space left on device" "$ERRORS")" = 1 ]
	for file in "$small"/r-*.reel; do
		if grep -qF "blkreel: $file: " "$ERRORS"; then
			run -0 --separate-stderr "$BLKREEL" info --verify "$file"
			[[ $output == *"no problem"* ]]
		else
			open=$((open + 1))
			run --separate-stderr "$BLKREEL" info "$file"
			[[ $status == [05] ]]
		fi
	done
	[ "$open" -le 1 ]
	[ "$(find "$small" -name 'r-*.reel' | wc -l)" -le 2 ]
}

@test "--keep counts the files of earlier runs, but no other file of such a name" {
	for _ in 1 2 3 4 5; do
		"$BLKREEL" record -d "$LOOP" --rotate 1h --keep 2 -t 0.1 -o "$OUT/r.reel"
	done
	[ "$(find "$OUT" -name 'r-*.reel' | wc -l)" = 3 ]
	# Neither what is no trace, nor of another name, nor a link goes; the oldest traces do.
	cp "$(find "$OUT" -name 'r-*.reel' | sort | tail -1)" "$BATS_TEST_TMPDIR/trace"
	echo precious >"$OUT/r-20200101-000000.reel"
	for name in r-20200101-000001x.reel r-x-20200101-000001.reel r-2020.reel rr-20200101-000001.reel r-20200101-000001.reel.bak; do
		cp "$BATS_TEST_TMPDIR/trace" "$OUT/$name"
	done
	ln -s "$BATS_TEST_TMPDIR/trace" "$OUT/r-20200101-000002.reel"
	for name in r-20200101-000003.reel r-20200101-000003-2.reel r-20200101-000003-10.reel; do
		cp "$BATS_TEST_TMPDIR/trace" "$OUT/$name"
	done
	run -0 --separate-stderr "$BLKREEL" record -d "$LOOP" --rotate 1h --keep 5 -t 0.1 -o "$OUT/r.reel"
	[[ $stderr == *"6 files of earlier runs, which --keep counts"* ]]
	[ ! -e "$OUT/r-20200101-000003.reel" ]
	[ -e "$OUT/r-20200101-000003-2.reel" ]
	[ -e "$OUT/r-20200101-000003-10.reel" ]
	"$BLKREEL" record -d "$LOOP" --rotate 1h --keep 5 -t 0.1 -o "$OUT/r.reel"
	[ ! -e "$OUT/r-20200101-000003-2.reel" ]
	[ -e "$OUT/r-20200101-000003-10.reel" ]
	[ "$(find "$OUT" -type f -name 'r*-2020*' | wc -l)" = 7 ]
	[ -L "$OUT/r-20200101-000002.reel" ]
}

@test "--keep removes the stubs of recorders that died at once before whole traces" {
	local first second
	die_at_once() {
		start_on_loop --rotate 1h --keep 2 -o "$OUT/r.reel"
		kill -9 "$RECORDER"
		wait "$RECORDER" || true
		RECORDER=
	}
	run_well() {
		"$BLKREEL" record -d "$LOOP" --rotate 1h --keep 2 -t 0.1 -o "$OUT/r.reel"
	}
	run_well
	first=$(find "$OUT" -name 'r-*.reel')
	run_well
	second=$(find "$OUT" -name 'r-*.reel' ! -path "$first")
	for _ in 1 2 3 4; do
		die_at_once
	done
	[ -e "$first" ]
	[ -e "$second" ]
	[ "$(find "$OUT" -name 'r-*.reel' | wc -l)" = 3 ]
	# One that was killed later is no stub.
	touch -d '2 minutes' "$(find "$OUT" -name 'r-*.reel' ! -path "$first" ! -path "$second")"
	run_well
	[ ! -e "$first" ]
	[ -e "$second" ]
	[ "$(find "$OUT" -name 'r-*.reel' | wc -l)" = 3 ]
}

@test "rotate: SIGHUP begins a file, under the same name if the last one was moved away" {
	local first
	start_on_loop --rotate 1h -o "$OUT/r.reel"
	first=$(ls "$OUT"/r-*)
	read_loop 101
	mv "$first" "$OUT/old.1"
	kill -HUP "$RECORDER"
	wait_until has_reported 1
	[ -e "$first" ]
	[ "$(count_rows "$OUT/old.1")" = 101 ]
	assert_good "$OUT/old.1"
	read_loop 103
	kill -HUP "$RECORDER"
	wait_until has_reported 2
	read_loop 107
	stop_recorder
	has_reported 3
	grep -q "311 IOs in 3 files" "$ERRORS"
	[ "$(count_rows "$first")" = 103 ]
	[ "$(count_rows "$(written_file 3)")" = 107 ]
	[ "$(written_file 3)" != "$first" ]
}

@test "without --rotate SIGHUP ends a recording" {
	start_on_loop -o "$OUT/t.reel"
	read_loop 101
	kill -HUP "$RECORDER"
	wait "$RECORDER"
	RECORDER=
	[ "$(count_rows "$OUT/t.reel")" = 101 ]
	run -0 --separate-stderr "$BLKREEL" info "$OUT/t.reel"
}

@test "rotate: when the next file cannot be created, the open one goes on" {
	mkdir "$OUT/dir"
	start_on_loop --rotate 1h -o "$OUT/dir/r.reel"
	read_loop 101
	mv "$OUT/dir" "$OUT/elsewhere"
	kill -HUP "$RECORDER"
	wait_until grep -q "cannot begin the next file: No such file or directory; continuing" "$ERRORS"
	read_loop 103
	# A request that failed is tried again by itself.
	mv "$OUT/elsewhere" "$OUT/dir"
	wait_until has_reported 1
	[ "$(grep -c "cannot begin the next file" "$ERRORS")" = 1 ]
	[ "$(count_rows "$(written_file 1)")" = 204 ]
	assert_good "$(written_file 1)"
	read_loop 107
	stop_recorder
	[ "$(count_rows "$(written_file 2)")" = 107 ]
}
