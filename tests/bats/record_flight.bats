#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# record --ring and --trigger: each file has its IOs, and none is lost.
# bats file_tags=root
# bats file_tags=sanitized

load test_helper
load helpers/recorder_files


setup() {
	need_loop
	need_probes
	prepare_recorder
}

@test "ring: the end writes one whole trace of the newest part, with the command's exit code" {
	local ended
	run -7 --separate-stderr "$BLKREEL" record -d "$LOOP" --ring 2s -o "$OUT/f.reel" -- sh -c "
		$HELPERS/issue_io read $LOOP 997 4096; date +%s%N >$BATS_TEST_TMPDIR/old; sleep 4
		$HELPERS/issue_io read $LOOP 101 4096; exit 7"
	ended=$(date +%s%N)
	[[ $stderr == *"(the recording ended)"* ]]
	local files=("$OUT"/*)
	[ "${#files[@]}" = 1 ]
	[[ ${files[0]} =~ /f-[0-9]{8}-[0-9]{6}\.reel$ ]]
	[ "$(stat -c %a "${files[0]}")" = 600 ]
	[ "$(count_rows "${files[0]}")" = 101 ]
	[ "$(explain "${files[0]}" "d['devices'][0]['kernel']['read']['ios']")" = 101 ]
	# Two seconds, and on a busy machine more; but not what was before the sleep.
	[ "$(info "${files[0]}" "2e9 <= d['duration_ns'] < $((ended - $(cat "$BATS_TEST_TMPDIR/old")))")" = True ]
	[ "$(info "${files[0]}" "abs(d['clock_jump_ns']) < 10**7")" = True ]
	assert_good "${files[0]}"
}

@test "ring: each SIGUSR1 writes the buffer, and the recorder goes on" {
	start_on_loop --ring 10m -o "$OUT/f.reel"
	read_loop 101
	kill -USR1 "$RECORDER"
	wait_until has_reported 1
	[ "$(count_rows "$(written_file 1)")" = 101 ]
	read_loop 211
	# Two at once: within the same second, and perhaps while the other is written; then it is one or two files.
	kill -USR1 "$RECORDER"
	kill -USR1 "$RECORDER"
	wait_until has_reported_at_least 2
	kill -USR1 "$RECORDER"
	wait_until has_reported_at_least 3
	stop_recorder
	has_reported 4 || has_reported 5
	count=$(grep -c '\.reel: .* IOs\? in ' "$ERRORS")
	[ "$(find "$OUT" -name 'f-*.reel' | wc -l)" = "$count" ]
	[ "$(count_rows "$(written_file 2)")" = 312 ]
	[ "$(count_rows "$(written_file "$count")")" = 312 ]
	grep -q "$(written_file 2): .*nothing lost (SIGUSR1)" "$ERRORS"
	for file in "$OUT"/*; do
		assert_good "$file"
		[ "$(info "$file" "len(d['devices'])")" = 1 ]
	done
}

@test "ring: one process and one device from many segments have one table entry each" {
	local begun=$SECONDS
	start_on_loop --ring 10s -o "$OUT/f.reel"
	python3 -c '
import os, sys, time
fd = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
for i in range(211):
    os.pread(fd, 4096, i << 16)
    time.sleep(0.01)' "$LOOP"
	stop_recorder
	"$BLKREEL" dump "$(written_file 1)" --format csv >"$BATS_TEST_TMPDIR/rows.csv"
	# On a machine where that takes longer than the ring, the first reads are gone.
	[ "$(grep -c ',python3,' "$BATS_TEST_TMPDIR/rows.csv")" = 211 ] || [ $((SECONDS - begun)) -ge 10 ]
	[ "$(info "$(written_file 1)" "d['rows']['tick'] > 3")" = True ]
	[ "$(info "$(written_file 1)" "d['tasks']")" = 1 ]
	[ "$(info "$(written_file 1)" "len(d['devices'])")" = 1 ]
	assert_good "$(written_file 1)"
}

@test "trigger: a stuck request fires it" {
	make_slow_loop
	LOOP=$UPPER start_on_loop --ring 10m --trigger 'read stuck > 1ms' --trigger 'write stuck > 1s' --after 0 -o "$OUT/f.reel"
	"$HELPERS/issue_io" write "$UPPER" 13 4096 0 >/dev/null
	fsfreeze -f "$BATS_TEST_TMPDIR/below"
	"$HELPERS/issue_io" write "$UPPER" 1 4096 0 >/dev/null &
	local writer=$!
	wait_until has_reported 1
	fsfreeze -u "$BATS_TEST_TMPDIR/below"
	wait "$writer"
	stop_recorder
	has_reported 2
	grep -qE "'write stuck > 1s': a write of 4.0 KiB at sector [0-9]+ has been in flight for [1-9][0-9.]* s\)" "$ERRORS"
	[ "$(info "$(written_file 1)" "d['in_flight_at_end']")" = 1 ]
	[ "$("$BLKREEL" dump "$(written_file 1)" --format csv | grep -c ',write,.*,4096,')" = 13 ]
	[ "$(info "$(written_file 2)" "d['in_flight_at_end']")" = 0 ]
	[ "$("$BLKREEL" dump "$(written_file 2)" --format csv | grep -c ',write,.*,4096,')" = 14 ]
}

@test "trigger: the task that waits for a stuck request waits in the file; a later file has the call once" {
	make_slow_loop
	LOOP=$UPPER start_on_loop --waits --ring 10m --trigger 'write stuck > 1s' --after 0 -o "$OUT/f.reel"
	fsfreeze -f "$BATS_TEST_TMPDIR/below"
	write_one_page &
	local writer=$!
	wait_until has_reported 1
	fsfreeze -u "$BATS_TEST_TMPDIR/below"
	wait "$writer"
	stop_recorder
	run -0 waits_of "$(written_file 1)" dd "1 <= waited and count == 1 and adds_up"
	run -0 waits_of "$(written_file 2)" dd "1 <= waited and count == 1 and adds_up"
}

@test "trigger: a slow request fires it, and the file has the IOs before it" {
	make_slow_loop
	LOOP=$UPPER start_on_loop --ring 10m --trigger 'write lat > 2s' --trigger 'error' --after 0 -o "$OUT/slow.reel"
	"$HELPERS/issue_io" read "$UPPER" 211 4096 >/dev/null
	"$HELPERS/issue_io" write "$UPPER" 13 4096 0 >/dev/null
	fsfreeze -f "$BATS_TEST_TMPDIR/below"
	"$HELPERS/issue_io" write "$UPPER" 1 4096 0 >/dev/null &
	local writer=$!
	sleep 3
	has_reported 0
	fsfreeze -u "$BATS_TEST_TMPDIR/below"
	wait "$writer"
	wait_until has_reported 1
	stop_recorder
	has_reported 2
	grep -qE "slow-.*\('write lat > 2s': a write took ([2-9]|[1-9][0-9]+)(\.[0-9]+)? s\)" "$ERRORS"
	# The file says it too.
	[[ $(info "$(written_file 1)" "d['host']['reason']") == "'write lat > 2s': a write took "* ]]
	[ "$(info "$(written_file 2)" "d['host']['reason']")" = "the recording ended" ]
	"$BLKREEL" copy "$(written_file 1)" --op read -o "$OUT/copy.reel"
	run -0 --separate-stderr "$BLKREEL" info "$OUT/copy.reel"
	[[ $output == *"  written    'write lat > 2s': a write took "* ]]
	"$BLKREEL" dump "$(written_file 1)" --format csv >"$BATS_TEST_TMPDIR/rows.csv"
	run -0 python3 -c '
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if int(r["bytes"])]
took = [int(r["completed_ns"]) - int(r["created_ns"]) for r in rows]
assert sum(r["op"] == "read" for r in rows) == 211
assert sum(r["op"] == "write" for r in rows) == 14
assert sum(t > 2e9 for t in took) == 1 and took[-1] > 2e9' "$BATS_TEST_TMPDIR/rows.csv"
	assert_good "$(written_file 1)"
}

@test "trigger: percentiles, too few IOs and failed IOs fire it" {
	local small
	start_on_loop --ring 10m --trigger 'read p50 > 1us over 1h' --trigger 'read iops < 1000000' --hold-off 1s --after 0 -o "$OUT/f.reel"
	# Nothing happens: that too is a condition, but not before a whole second of it.
	wait_until has_reported_at_least 1
	grep -q "('read iops < 1000000': 0 IOs in the last 1.00 s)" "$ERRORS"
	stop_recorder
	start_on_loop --ring 10m --trigger 'read p50 > 1us over 1h' --after 0 -o "$OUT/g.reel"
	read_loop 13
	wait_until has_reported 1
	stop_recorder
	grep -qE "\('read p50 > 1us over 1h': 2 of the 2 IOs of the last 3600.00 s took longer, up to " "$ERRORS"
	# The second read fires it; of the others the file has those that came before it was written.
	local rows
	rows=$(count_rows "$(written_file 1)")
	[ "$rows" -ge 2 ]
	[ "$rows" -le 13 ]
	# A sparse file on a file system that is too small for it.
	mkdir "$BATS_TEST_TMPDIR/small"
	mount -t tmpfs -o size=64k none "$BATS_TEST_TMPDIR/small"
	truncate -s 16M "$BATS_TEST_TMPDIR/small/disk"
	small=$(new_loop "$BATS_TEST_TMPDIR/small/disk")
	echo "$small" >"$BATS_TEST_TMPDIR/upper"
	LOOP=$small start_on_loop --ring 10m --trigger 'read error' --trigger 'write error' --after 0 -o "$OUT/e.reel"
	run "$HELPERS/issue_io" write "$small" 97 4096 0
	[ "$status" != 0 ]
	wait_until has_reported 1
	stop_recorder
	grep -q "('write error': a write failed: No space left on device)" "$ERRORS"
}

@test "ring: a first and a second ^C while a file is written" {
	local status=0 last
	start_on_loop --ring 10m -o "$OUT/f.reel"
	for _ in 1 2 3 4 5; do read_loop 16001; done
	kill -USR1 "$RECORDER"
	stop_recorder
	# Whether that file had begun or not, the last one has everything.
	last=$(grep -c '\.reel: .* IOs\? in ' "$ERRORS")
	[ "$(count_rows "$(written_file "$last")")" = 80005 ]
	assert_good "$(written_file "$last")"
	start_on_loop --ring 10m -o "$OUT/g.reel"
	for _ in 1 2 3 4 5; do read_loop 16001; done
	kill -TERM "$RECORDER"
	sleep 0.05
	kill -TERM "$RECORDER" || true
	wait "$RECORDER" || status=$?
	RECORDER=
	# Ended at once, with what was written by then, or it was faster than that.
	[ "$status" = 143 ] || [ "$status" = 0 ]
	for file in "$OUT"/g-*; do
		# It can have been killed before the first byte.
		[ -s "$file" ] || continue
		run "$BLKREEL" info "$file"
		[ "$status" = 0 ] || [ "$status" = 5 ]
	done
}

@test "trigger: --hold-off delays the next file, --after waits for later IOs" {
	local count ignored
	start_on_loop --ring 10m --trigger 'lat > 1us' --after 1s --hold-off 1h -o "$OUT/f.reel"
	read_loop 101
	wait_until grep -q "writing the file in 1.00 s" "$ERRORS"
	until has_reported 1; do read_loop 103; done
	read_loop 107
	stop_recorder
	has_reported 2
	for count in 1 2; do "$BLKREEL" dump "$(written_file $count)" --format csv >"$BATS_TEST_TMPDIR/$count.csv"; done
	ignored=$(sed -n 's/.*ignored \([0-9,]*\) triggers within.*/\1/p' "$ERRORS" | tr -d ,)
	run -0 python3 -c '
import csv, sys
first, all = ([int(r["completed_ns"]) for r in csv.DictReader(open(name))] for name in sys.argv[1:3])
since = [at - all[0] for at in all]
print(len(first), len(all), sys.argv[3])
# The first file has all IOs of the second after the first IO, the second file has all; each IO between is ignored.
assert [at - first[0] for at in first] == since[:len(first)]
assert sum(at < 1000000000 for at in since) <= len(first) <= len(all) - 107
assert len(all) - len(first) == int(sys.argv[3])' "$BATS_TEST_TMPDIR/1.csv" "$BATS_TEST_TMPDIR/2.csv" "$ignored"
}

@test "trigger: without a fired trigger only the end writes a file" {
	start_on_loop --ring 10m --trigger 'read lat > 1h' --trigger 'write lat > 1us' --trigger 'depth > 1000' -o "$OUT/f.reel"
	read_loop 101
	sleep 1
	[ -z "$(ls "$OUT")" ]
	stop_recorder
	has_reported 1
}

@test "ring: memory stays within its limit" {
	start_on_loop --ring 1h --ring 1M -o "$OUT/f.reel"
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do read_loop 16001; done
	# Its files in memory: 32 segments and one more, the newest open twice.
	find -L "/proc/$RECORDER/fd" -type f -printf '%s %p\n' >"$BATS_TEST_TMPDIR/open" 2>/dev/null || true
	run -0 python3 -c '
import os, sys
def name(descriptor):
    # A segment can have been dropped since.
    return os.readlink(descriptor) if os.path.islink(descriptor) else ""
sizes = [int(line.split()[0]) for line in open(sys.argv[1]) if "memfd:blkreel-segment" in name(line.split()[1])]
print(len(sizes), sum(sizes))
assert 8 <= len(sizes) <= 45, len(sizes)
assert 1 << 19 <= sum(sizes) <= 1250 << 10, sum(sizes)' "$BATS_TEST_TMPDIR/open"
	stop_recorder
	[ "$(count_rows "$(written_file 1)")" -lt 320020 ]
	[ "$(count_rows "$(written_file 1)")" -ge 64001 ]
	[ "$(stat -c %s "$(written_file 1)")" -le $((1200 * 1024)) ]
	# The hour that was asked for does not fit, which is said once.
	[ "$(grep -c "the last 3600.00 s do not fit into 1.0 MiB: only the last" "$ERRORS")" = 1 ]
	assert_good "$(written_file 1)"
}

@test "ring: the trace has names of files that were opened long before" {
	need_command mkfs.ext4
	mkfs.ext4 -q "$LOOP"
	mkdir "$BATS_TEST_TMPDIR/mnt"
	mount "$LOOP" "$BATS_TEST_TMPDIR/mnt"
	dd if=/dev/urandom of="$BATS_TEST_TMPDIR/mnt/precious.db" bs=1M count=4 status=none
	sync
	local begun=$SECONDS
	"$BLKREEL" record -d "$LOOP" --cache --ring 1s -o "$OUT/f.reel" -- sh -c "
		for i in 1 2 3 4 5; do
			echo 1 >/proc/sys/vm/drop_caches
			cat $BATS_TEST_TMPDIR/mnt/precious.db >/dev/null; sleep 1
		done; cat $BATS_TEST_TMPDIR/mnt/precious.db >/dev/null" 2>"$ERRORS"
	"$BLKREEL" dump --rows cache --format csv "$(written_file 1)" >"$BATS_TEST_TMPDIR/rows.csv"
	grep -q "precious.db" "$BATS_TEST_TMPDIR/rows.csv"
	[ "$(info "$(written_file 1)" "d['duration_ns'] / 1e9 < $((SECONDS - begun - 1))")" = True ]
	run -0 --separate-stderr "$BLKREEL" info --verify "$(written_file 1)"
}

@test "ring: with --files the trace has every access to a file, over several segments" {
	need_command mkfs.ext4
	mkfs.ext4 -q "$LOOP"
	mkdir "$BATS_TEST_TMPDIR/mnt"
	mount "$LOOP" "$BATS_TEST_TMPDIR/mnt"
	"$BLKREEL" record -d "$LOOP" --files --ring 10m -o "$OUT/f.reel" -- python3 -c '
import os, sys, time
file = os.open(sys.argv[1] + "/log", os.O_WRONLY | os.O_CREAT)
for part in range(30):
    for _ in range(100):
        os.write(file, bytes(512))
    time.sleep(0.1)' "$BATS_TEST_TMPDIR/mnt" 2>"$ERRORS"
	run -0 bash -c '"$0" dump --rows access --format csv "$1" | grep -c ",write,.*/log,"' "$BLKREEL" "$(written_file 1)"
	[ "$output" = 3000 ]
}

@test "ring: --anonymize hashes the names" {
	start_on_loop --ring 10m --anonymize -o "$OUT/f.reel"
	read_loop 101
	stop_recorder
	run -0 --separate-stderr "$BLKREEL" dump --format csv "$(written_file 1)"
	[[ $output == *",p-"* ]]
	[[ $output != *issue_io* ]]
	run -0 --separate-stderr "$BLKREEL" info "$(written_file 1)"
	[[ $output == *"each is a keyed hash"* ]]
	[[ $output != *"$(hostname) "* ]]
}

@test "--user: file names are resolved, and the files belong to that user" {
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/.."
	chown nobody "$OUT"
	start_on_loop --user nobody --ring 10m -o "$OUT/f.reel"
	read_loop 101
	stop_recorder
	[ "$(count_rows "$(written_file 1)")" = 101 ]
	[ "$(stat -c %U "$(written_file 1)")" = nobody ]
	start_on_loop --user nobody --rotate 64k --keep 1 -o "$OUT/r.reel"
	for _ in 1 2 3 4 5; do read_loop 16001; done
	stop_recorder
	grep -Eq "80,005 IOs in ([2-9]|[1-9][0-9]) files" "$ERRORS"
	grep -q "removed $(written_file 1)" "$ERRORS" || has_reported 2
}

@test "ring: no space left: a message, the recorder goes on, and the next file is whole" {
	mkdir "$BATS_TEST_TMPDIR/small"
	mount -t tmpfs -o size=128k none "$BATS_TEST_TMPDIR/small"
	head -c 120k /dev/zero >"$BATS_TEST_TMPDIR/small/full"
	start_on_loop --ring 10m -o "$BATS_TEST_TMPDIR/small/f.reel"
	read_loop 16001
	kill -USR1 "$RECORDER"
	wait_until grep -q "No space left on device; the recorder continues (SIGUSR1)" "$ERRORS"
	# Half a file is of no use while the whole is in memory.
	[ "$(ls "$BATS_TEST_TMPDIR/small")" = full ]
	rm "$BATS_TEST_TMPDIR/small/full"
	kill -USR1 "$RECORDER"
	wait_until has_reported 1
	[ "$(count_rows "$(written_file 1)")" = 16001 ]
	assert_good "$(written_file 1)"
	head -c 128k /dev/zero >"$BATS_TEST_TMPDIR/small/full" 2>/dev/null || true
	stop_recorder 1
	grep -q "No space left on device" "$ERRORS"
}

@test "ring: the recorder goes on while its directory is missing" {
	mkdir "$OUT/dir"
	start_on_loop --ring 10m -o "$OUT/dir/f.reel"
	read_loop 101
	rmdir "$OUT/dir"
	kill -USR1 "$RECORDER"
	wait_until grep -q "No such file or directory; the recorder continues" "$ERRORS"
	mkdir "$OUT/dir"
	stop_recorder
	[ "$(count_rows "$(written_file 1)")" = 101 ]
}

@test "record keeps an existing file of that name, and refuses at once a folder that it cannot write" {
	echo precious >"$OUT/f.reel"
	"$BLKREEL" record -d "$LOOP" --ring 1m -o "$OUT/f.reel" -- true
	"$BLKREEL" record -d "$LOOP" --rotate 1h -o "$OUT/f.reel" -- true
	[ "$(cat "$OUT/f.reel")" = precious ]
	[ "$(find "$OUT" -name 'f-*.reel' | wc -l)" = 2 ]
	run -1 --separate-stderr "$BLKREEL" record -d "$LOOP" --ring 1m -o "$OUT/nowhere/f.reel"
	[[ $stderr == *"cannot write into $OUT/nowhere: No such file or directory"* ]]
	one_line "$stderr"
	run -1 --separate-stderr "$BLKREEL" record -d "$LOOP" --rotate 1h -o "$OUT"
	[[ $stderr == *"is a directory: name a file in it"* ]]
}

@test "ring: --keep keeps the newest files" {
	start_on_loop --ring 10m --keep 2 -o "$OUT/f.reel"
	for n in 1 2 3; do
		read_loop 11
		kill -USR1 "$RECORDER"
		wait_until has_reported $n
	done
	stop_recorder
	[ "$(find "$OUT" -name '*.reel' | wc -l)" = 2 ]
	[ ! -e "$(written_file 2)" ]
	[ "$(count_rows "$(written_file 4)")" = 33 ]
}

@test "kill -9: closed files are whole, the open one is readable, a ring is lost" {
	local first second
	start_on_loop --rotate 1h -o "$OUT/r.reel"
	first=$(ls "$OUT"/r-*)
	read_loop 101
	kill -HUP "$RECORDER"
	wait_until has_reported 1
	second=$(find "$OUT" -name 'r-*' ! -path "$first")
	read_loop 103
	rows_are_written() { [ "$(count_rows "$second" 2>/dev/null)" = 103 ]; }
	wait_until rows_are_written
	kill -9 "$RECORDER"
	wait "$RECORDER" || true
	assert_good "$first"
	run -5 --separate-stderr "$BLKREEL" info "$second"
	[ "$("$BLKREEL" dump "$second" --format csv 2>/dev/null | tail -n +2 | wc -l)" = 103 ]
	start_on_loop --ring 10m -o "$OUT/f.reel"
	read_loop 101
	kill -9 "$RECORDER"
	wait "$RECORDER" || true
	RECORDER=
	[ -z "$(find "$OUT" -name 'f*')" ]
}

@test "a usage error names its reason" {
	local words
	while IFS='|' read -r words want; do
		eval "run -2 --separate-stderr \"$BLKREEL\" record $words"
		echo "$words: $stderr"
		[[ $stderr == *"$want"* ]]
	done <<'CASES'
--ring 300|--ring needs a unit behind '300': 5m are minutes, 5M are MiB
--ring 5x|--ring takes a time such as 5m or a size such as 256M, not '5x'
--ring 5m --ring 1h|--ring takes one time and not two
--ring 10ms|--ring takes at least 1s or 1M
--ring 4k|--ring takes at least 1s or 1M
--rotate 1k|--rotate takes at least 1s or 64k
--ring 5m --rotate 1h|choose one of them
--trigger 'lat > 5ms'|--trigger writes out what --ring keeps: give --ring too
--ring 5m --trigger 'lag > 5ms'|--trigger 'lag > 5ms': 'lag' is neither an operation nor a figure
--ring 5m --trigger 'lat > 500'|lat needs a unit after 500
--ring 5m --after 1s|--after and --hold-off concern triggers: give --trigger too
--keep 3|--keep concerns the files of --ring or --rotate
CASES
}
