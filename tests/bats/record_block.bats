#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Rows of block IO, compared with the IOs issued and the kernel's counts.
# bats file_tags=root

load test_helper


setup() {
	need_loop
	need_probes
	make_loop 64M
	TRACE=$BATS_TEST_TMPDIR/t.reel
	DEVICE=$(basename "$LOOP")
}

# offsets_of OP: the byte offsets of the rows of an operation that carry data, in order of completion.
offsets_of() {
	"$BLKREEL" dump "$TRACE" --format csv | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    if row["op"] == sys.argv[1] and int(row["bytes"]):
        print(int(row["sector"]) * 512)' "$1"
}

# Two partitions of 16 MiB, made known to the kernel by themselves: it may know no partition tables.
make_partitions() {
	need_command addpart
	losetup -d "$LOOP"
	LOOP=$(new_loop --partscan "$(awk '{ print $2 }' "$BATS_TEST_TMPDIR/loops")")
	sed -i "s|^[^ ]*|$LOOP|" "$BATS_TEST_TMPDIR/loops"
	addpart "$LOOP" 1 2048 32768
	addpart "$LOOP" 2 34816 32768
	wait_until test -b "${LOOP}p2"
}

record_loop() {
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" -- "$@" >"$BATS_TEST_TMPDIR/offsets"
}

assert_nothing_lost() {
	"$BLKREEL" info "$TRACE" --json >"$BATS_TEST_TMPDIR/info.json"
	[ "$(json "$BATS_TEST_TMPDIR/info.json" "d['lost']['total']")" = 0 ]
	[ "$(json "$BATS_TEST_TMPDIR/info.json" "d['complete']")" = True ]
}

@test "1,009 direct random reads: the rows have these offsets and match diskstats" {
	local ios sectors
	ios=$(diskstat "$LOOP" 1) sectors=$(diskstat "$LOOP" 3)
	record_loop "$HELPERS/issue_io" read "$LOOP" 1009 4096
	[ $(($(diskstat "$LOOP" 1) - ios)) = 1009 ]
	[ $(($(diskstat "$LOOP" 3) - sectors)) = $((1009 * 8)) ]
	offsets_of read >"$BATS_TEST_TMPDIR/rows"
	cmp "$BATS_TEST_TMPDIR/rows" "$BATS_TEST_TMPDIR/offsets"
	assert_nothing_lost
	[ "$(json "$BATS_TEST_TMPDIR/info.json" "d['rows']['io']")" = 1009 ]
}

@test "1,009 direct writes with a flush after each 100th: rows, offsets and diskstats match" {
	local ios sectors flushes rows
	ios=$(diskstat "$LOOP" 5) sectors=$(diskstat "$LOOP" 7) flushes=$(diskstat "$LOOP" 16)
	record_loop "$HELPERS/issue_io" write "$LOOP" 1009 4096 100
	offsets_of write >"$BATS_TEST_TMPDIR/rows"
	cmp "$BATS_TEST_TMPDIR/rows" "$BATS_TEST_TMPDIR/offsets"
	assert_nothing_lost
	"$BLKREEL" explain "$TRACE" --json >"$BATS_TEST_TMPDIR/e.json"
	# The kernel counts the empty request that asks for a flush as a write of no sectors.
	[ "$(json "$BATS_TEST_TMPDIR/e.json" "d['devices'][0]['write']['ios']")" = $(($(diskstat "$LOOP" 5) - ios)) ]
	[ "$(json "$BATS_TEST_TMPDIR/e.json" "d['devices'][0]['write']['bytes']")" = $((1009 * 4096)) ]
	[ $(($(diskstat "$LOOP" 7) - sectors)) = $((1009 * 8)) ]
	rows=$(json "$BATS_TEST_TMPDIR/e.json" "d['devices'][0]['flush']['ios']")
	[ "$rows" = 10 ]
	[ "$rows" = $(($(diskstat "$LOOP" 16) - flushes)) ]
	# They are IOs for the kernel and explain, but not for replay and compare, and explain says so.
	"$BLKREEL" explain "$TRACE" | tr -s ' \n' ' ' >"$BATS_TEST_TMPDIR/e.txt"
	grep -qF " 1,029 IOs (10 of them the kernel's flushes)" "$BATS_TEST_TMPDIR/e.txt"
	grep -qF "10 IOs are the kernel's own flushes, made for writes that ask for one" "$BATS_TEST_TMPDIR/e.txt"
	"$BLKREEL" compare "$TRACE" "$TRACE" | tr -s ' \n' ' ' >"$BATS_TEST_TMPDIR/c.txt"
	grep -qF "number of IOs 1,019 1,019" "$BATS_TEST_TMPDIR/c.txt"
}

@test "1,009 discards: rows, offsets and diskstats match" {
	local ios
	ios=$(diskstat "$LOOP" 12)
	record_loop "$HELPERS/issue_io" discard "$LOOP" 1009 4096
	[ $(($(diskstat "$LOOP" 12) - ios)) = 1009 ]
	offsets_of discard >"$BATS_TEST_TMPDIR/rows"
	cmp "$BATS_TEST_TMPDIR/rows" "$BATS_TEST_TMPDIR/offsets"
	assert_nothing_lost
}

@test "explain agrees with the kernel's counters and says so" {
	record_loop "$HELPERS/issue_io" write "$LOOP" 307 4096 10
	"$BLKREEL" explain "$TRACE" --json >"$BATS_TEST_TMPDIR/e.json"
	[ "$(json "$BATS_TEST_TMPDIR/e.json" "d['devices'][0]['agrees_with_kernel']")" = True ]
	[ "$(json "$BATS_TEST_TMPDIR/e.json" "d['devices'][0]['kernel']['write']['ios']")" = 337 ]
}

@test "requests that are merged of more than a hundred: the merges match the kernel's" {
	need_command fio
	local merges
	echo mq-deadline >"/sys/block/$(basename "$LOOP")/queue/scheduler" || skip "needs the scheduler mq-deadline"
	merges=$(diskstat "$LOOP" 6)
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" -- fio --name=merge --filename="$LOOP" --rw=write --bs=512 \
		--size=4M --ioengine=libaio --iodepth=256 --iodepth_batch_submit=256 --iodepth_low=1 --direct=1 >/dev/null
	merges=$(($(diskstat "$LOOP" 6) - merges))
	[ "$("$BLKREEL" dump "$TRACE" --format csv | awk -F, 'NR > 1 && $14 > most { most = $14 } END { print most }')" -gt 64 ]
	"$BLKREEL" explain --json "$TRACE" >"$BATS_TEST_TMPDIR/e.json"
	[ "$(json "$BATS_TEST_TMPDIR/e.json" "d['devices'][0]['write']['merges']")" = "$merges" ]
	[ "$("$BLKREEL" dump "$TRACE" --format csv | grep -c merges_cut)" = 0 ]
}

@test "merged requests: the merges match the kernel's" {
	local merges ios
	need_command fio
	ios=$(diskstat "$LOOP" 5) merges=$(diskstat "$LOOP" 6)
	# One submission of 32 neighbours is one plug, in which they are merged.
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" -- fio --name=merge --filename="$LOOP" --rw=write \
		--bs=4k --size=4M --direct=1 --ioengine=io_uring --iodepth=32 \
		--iodepth_batch_submit=32 --iodepth_batch_complete_min=32 >/dev/null
	ios=$(($(diskstat "$LOOP" 5) - ios)) merges=$(($(diskstat "$LOOP" 6) - merges))
	"$BLKREEL" explain "$TRACE" --json >"$BATS_TEST_TMPDIR/e.json"
	[ "$(json "$BATS_TEST_TMPDIR/e.json" "d['devices'][0]['write']['ios']")" = "$ios" ]
	[ "$(json "$BATS_TEST_TMPDIR/e.json" "d['devices'][0]['write']['merges']")" = "$merges" ]
	[ "$(json "$BATS_TEST_TMPDIR/e.json" "d['devices'][0]['write']['bytes']")" = 4194304 ]
	[ "$merges" -gt 0 ]
}

@test "each row has the task that submitted the IO, with its pid and cgroup" {
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" -- sh -c 'echo $$ >'"$BATS_TEST_TMPDIR/pid; exec $HELPERS/issue_io read $LOOP 23 4096" >/dev/null
	"$BLKREEL" dump "$TRACE" --format csv >"$BATS_TEST_TMPDIR/rows.csv"
	run -0 python3 -c '
import csv, sys
rows = list(csv.DictReader(open(sys.argv[2])))
assert len(rows) == 23, len(rows)
assert {r["pid"] for r in rows} == {open(sys.argv[1]).read().strip()}
assert {r["origin"] for r in rows} == {"direct"}
assert all(int(r["issued_ns"]) >= int(r["created_ns"]) and int(r["completed_ns"]) > int(r["issued_ns"]) for r in rows)
' "$BATS_TEST_TMPDIR/pid" "$BATS_TEST_TMPDIR/rows.csv"
}

@test "five ways to read at once, each in its own cgroup: each IO has the right cgroup" {
	local cgroup=/sys/fs/cgroup/blkio/blkreel-who-$$ engines=(mmap psync libaio io_uring sync) status=0
	need_command fio
	mkdir "$cgroup" 2>/dev/null || skip "needs cgroups of version 1 with blkio"
	mkdir "$cgroup"/{0,1,2,3,4}
	printf '%s\n' "$cgroup"/{0,1,2,3,4} "$cgroup" >"$BATS_TEST_TMPDIR/groups"
	# Each in its own 8 MiB, psync, libaio and io_uring past the page cache. fio maps from 0 on, whatever its offset is.
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" -- bash -c '
		cgroup=$1 loop=$2
		shift 2
		for i in 0 1 2 3 4; do
			(
				echo $BASHPID >"$cgroup/$i/tasks"
				exec fio --name=r$i --filename="$loop" --readonly --rw=randread --bs=4k --offset=$((i * 8))M --size=8M \
					--number_ios=211 --ioengine="${!#}" --direct=$((i > 0 && i < 4)) --output=/dev/null
			) &
			pids+=($!)
			set -- "${@:1:$#-1}"
		done
		wait "${pids[@]}"' - "$cgroup" "$LOOP" "${engines[4]}" "${engines[3]}" "${engines[2]}" "${engines[1]}" "${engines[0]}" || status=$?
	rmdir "$cgroup"/{0,1,2,3,4} "$cgroup"
	[ "$status" = 0 ]
	"$BLKREEL" dump "$TRACE" --format csv >"$BATS_TEST_TMPDIR/rows.csv"
	run -0 python3 -c '
import collections, csv, sys
seen = collections.Counter()
for row in csv.DictReader(open(sys.argv[1])):
    reader = int(row["sector"]) // 16384
    right = row["cgroup"].endswith(f"-{sys.argv[2]}/{reader}") and row["comm"] == "fio"
    # Of an IO of which the kernel did not report the beginning only the task is not known.
    seen[reader, right or "event_missed" in row["flags"]] += 1
assert all(seen[reader, True] == 211 for reader in (1, 2, 3)) and len(seen) == 5, seen
assert seen[0, True] > 0 and seen[4, True] > 0, seen' "$BATS_TEST_TMPDIR/rows.csv" $$
}

@test "--pid keeps the rows of one process" {
	local pid
	dd if=/dev/zero of="$BATS_TEST_TMPDIR/fifo" count=0 status=none
	rm "$BATS_TEST_TMPDIR/fifo"
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	sh -c "read line <$BATS_TEST_TMPDIR/fifo; exec $HELPERS/issue_io read $LOOP 29 4096" >/dev/null &
	pid=$!
	"$BLKREEL" record -d "$LOOP" -p "$pid" -o "$TRACE" -- sh -c "
		$HELPERS/issue_io read $LOOP 31 4096; echo go >$BATS_TEST_TMPDIR/fifo
		while kill -0 $pid 2>/dev/null; do sleep 0.05; done" >/dev/null
	wait "$pid"
	[ "$(offsets_of read | wc -l)" = 29 ]
}

@test "a partition is recorded as its range of the disk" {
	make_partitions
	"$BLKREEL" record -d "${LOOP}p2" -o "$TRACE" -- sh -c "
		$HELPERS/issue_io read ${LOOP}p1 13 4096; $HELPERS/issue_io read ${LOOP}p2 17 4096" >"$BATS_TEST_TMPDIR/offsets"
	tail -n 17 "$BATS_TEST_TMPDIR/offsets" | awk '{ print $1 + 34816 * 512 }' >"$BATS_TEST_TMPDIR/want"
	offsets_of read >"$BATS_TEST_TMPDIR/rows"
	cmp "$BATS_TEST_TMPDIR/rows" "$BATS_TEST_TMPDIR/want"
}

@test "a disk that is named twice, or with its partition, is recorded once and to the end" {
	make_partitions
	"$BLKREEL" record -d "${LOOP}p2" -d "$LOOP" -d "$LOOP" -o "$TRACE" -- sh -c "
		sleep 2.5; $HELPERS/issue_io read ${LOOP}p1 13 4096; $HELPERS/issue_io read ${LOOP}p2 17 4096" >/dev/null 2>"$BATS_TEST_TMPDIR/err"
	[ "$(offsets_of read | wc -l)" = 30 ]
	run ! grep disappeared "$BATS_TEST_TMPDIR/err"
	run -1 --separate-stderr "$BLKREEL" record -d "${LOOP}p1" -d "${LOOP}p2" -o "$TRACE" -t 1s
	[[ $stderr == *"${LOOP}p2 is not the only partition of its disk that is named: name the disk, or record each by itself"* ]]
}

@test "rows are in order of completion" {
	record_loop "$HELPERS/issue_io" write "$LOOP" 2003 4096 50
	"$BLKREEL" dump "$TRACE" --format csv | python3 -c '
import csv, sys
done = [int(r["completed_ns"]) for r in csv.DictReader(sys.stdin)]
assert done == sorted(done) and len(done) > 2003'
}

@test "a recording that begins and ends under load agrees with the kernel and loses nothing" {
	local load turn info agree=0 lost=0 dropped=0 rows=0
	info=$BATS_TEST_TMPDIR/info.json
	touch "$BATS_TEST_TMPDIR/load"
	while [ -e "$BATS_TEST_TMPDIR/load" ]; do "$HELPERS/issue_io" write "$LOOP" 10000 4096 8; done >/dev/null &
	load=$!
	for turn in 1 2 3 4 5; do
		TRACE=$BATS_TEST_TMPDIR/$turn.reel
		"$BLKREEL" record -d "$LOOP" -o "$TRACE" -t 200ms
		"$BLKREEL" explain "$TRACE" --json >"$BATS_TEST_TMPDIR/e.json"
		"$BLKREEL" info "$TRACE" --json >"$info"
		[ "$(json "$BATS_TEST_TMPDIR/e.json" "d['devices'][0]['agrees_with_kernel']")" != True ] || agree=$((agree + 1))
		lost=$((lost + $(json "$info" "d['lost']['recursion'] + d['lost']['io_event']")))
		dropped=$((dropped + $(json "$info" "d['lost']['total'] - d['lost']['recursion'] - d['lost']['io_event']")))
		rows=$((rows + $(json "$info" "d['rows']['io']")))
	done
	rm "$BATS_TEST_TMPDIR/load"
	wait "$load"
	echo "$rows rows, $lost not reported by the kernel, $dropped dropped, $agree of 5 agree"
	[ "$dropped" = 0 ]
	[ "$agree" -ge 4 ]
	[ "$rows" -gt 100 ]
	# Some kernels do not run probes on top of every task: a few completions can be unseen.
	[ $((lost * 2000)) -le "$rows" ]
}

@test "a recording of a partition has only its flushes" {
	make_partitions
	"$BLKREEL" record -d "${LOOP}p2" -o "$TRACE" -- sh -c "
		$HELPERS/issue_io write ${LOOP}p1 10 4096 2; $HELPERS/issue_io write ${LOOP}p2 21 4096 3" >/dev/null
	[ "$(offsets_of write | wc -l)" = 21 ]
	# The requests that ask for a flush carry no data and no place.
	[ "$("$BLKREEL" dump "$TRACE" --format csv | python3 -c '
import csv, sys
print(sum(row["op"] == "write" and row["bytes"] == "0" for row in csv.DictReader(sys.stdin)))')" = 7 ]
}

@test "explain names a filter and does not compare with the kernel's counters" {
	local idle
	sleep 60 3>&- &
	idle=$!
	"$BLKREEL" record -d "$LOOP" -p "$idle" -o "$TRACE" -- "$HELPERS/issue_io" read "$LOOP" 31 4096 >/dev/null
	kill "$idle"
	"$BLKREEL" info "$TRACE" --json >"$BATS_TEST_TMPDIR/info.json"
	[ "$(json "$BATS_TEST_TMPDIR/info.json" "d['rows']['io']")" = 0 ]
	[ "$(json "$BATS_TEST_TMPDIR/info.json" "[t['how'] for t in d['tiers'] if t['figure'] == 'filter']")" = "['process $idle']" ]
	"$BLKREEL" explain "$TRACE" --json >"$BATS_TEST_TMPDIR/e.json"
	[ "$(json "$BATS_TEST_TMPDIR/e.json" "d['devices'][0]['agrees_with_kernel']")" = None ]
	[ "$(json "$BATS_TEST_TMPDIR/e.json" "[f['id'] for f in d['findings'] if f['id'] == 'disagrees-with-kernel']")" = "[]" ]
	run -0 --separate-stderr "$BLKREEL" explain "$TRACE"
	[[ $output == *"only process $idle"* ]]
}

@test "--cgroup keeps the rows of one cgroup" {
	local cgroup=/sys/fs/cgroup/blkio/blkreel-test-$$
	mkdir "$cgroup" 2>/dev/null || skip "needs cgroups of version 1 with blkio"
	echo "$cgroup" >"$BATS_TEST_TMPDIR/groups"
	"$BLKREEL" record --cache -d "$LOOP" --cgroup "/blkreel-test-$$" -o "$TRACE" -- sh -c "
		$HELPERS/issue_io read $LOOP 31 4096
		dd if=$LOOP of=/dev/null bs=4k count=5 status=none
		sh -c 'echo \$\$ >$cgroup/tasks; exec $HELPERS/issue_io read $LOOP 37 4096'" >/dev/null
	rmdir "$cgroup"
	[ "$(offsets_of read | wc -l)" = 37 ]
	"$BLKREEL" info "$TRACE" --json >"$BATS_TEST_TMPDIR/info.json"
	[ "$(json "$BATS_TEST_TMPDIR/info.json" "d['rows']['cache']")" = 0 ]
	run -1 --separate-stderr "$BLKREEL" record --cgroup /nonexistent -o "$TRACE" -t 1
	[[ $stderr == *"/nonexistent: no such cgroup"* ]]
}

# How many requests were at the driver when each was issued, counted from the rows themselves.
depth_differences() {
	"$BLKREEL" dump "$TRACE" --format csv | python3 -c '
import bisect, csv, sys
rows = [r for r in csv.DictReader(sys.stdin) if r["issued_ns"]]
issued = sorted(int(r["issued_ns"]) for r in rows)
done = sorted(int(r["completed_ns"]) for r in rows)
def depth(r):
    at = int(r["issued_ns"])
    return bisect.bisect_right(issued, at) - bisect.bisect_right(done, at)
print(sum(depth(r) != int(r["depth"] or 0) for r in rows), len(rows), max(map(depth, rows)))'
}

@test "the depth of each row equals the count of the rows in flight" {
	local wrong rows deepest
	need_command fio
	record_loop fio --name=deep --filename="$LOOP" --rw=randrw --bs=4k --direct=1 --ioengine=io_uring \
		--iodepth=13 --numjobs=2 --number_ios=3001 --output-format=terse
	read -r wrong rows deepest < <(depth_differences)
	echo "$wrong of $rows differ, deepest $deepest"
	[ "$rows" -ge 6002 ]
	[ "$deepest" -gt 4 ]
	# Two CPUs that issue in the same few nanoseconds can get the same number.
	[ $((wrong * 50)) -le "$rows" ]
}

@test "--lean: one probe gives the same rows, and the missing figures are named" {
	"$BLKREEL" record --lean -d "$LOOP" -o "$TRACE" -- "$HELPERS/issue_io" write "$LOOP" 1009 4096 100 >"$BATS_TEST_TMPDIR/offsets"
	offsets_of write >"$BATS_TEST_TMPDIR/rows"
	cmp "$BATS_TEST_TMPDIR/rows" "$BATS_TEST_TMPDIR/offsets"
	assert_nothing_lost
	[ "$(json "$BATS_TEST_TMPDIR/info.json" "[t['quality'] for t in d['tiers'] if t['figure'] in ('block_requests', 'block_submitter')]")" = "['bounded', 'unavailable']" ]
	"$BLKREEL" explain "$TRACE" --json >"$BATS_TEST_TMPDIR/e.json"
	[ "$(json "$BATS_TEST_TMPDIR/e.json" "d['devices'][0]['agrees_with_kernel']")" = True ]
	"$BLKREEL" dump "$TRACE" --format csv | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
assert rows
for r in rows:
    assert 0 < int(r["created_ns"]) <= int(r["issued_ns"] or r["created_ns"]) <= int(r["completed_ns"]), r
    assert not r["comm"], r
    assert r["cgroup"] == "/", r'
	# Whom a completion interrupts says nothing of who submitted.
	run -2 --separate-stderr "$BLKREEL" record --lean --pid 1 -o "$TRACE"
	[[ $stderr == *"--lean does not see who submits"* ]]
}

@test "--op keeps these operations, and the filter is named" {
	"$BLKREEL" record --op flush --op discard -d "$LOOP" -o "$TRACE" -- sh -c "
		$HELPERS/issue_io write $LOOP 41 4096 2; $HELPERS/issue_io discard $LOOP 43 4096" >/dev/null
	"$BLKREEL" info "$TRACE" --json >"$BATS_TEST_TMPDIR/info.json"
	[ "$(offsets_of write | wc -l)" = 0 ]
	[ "$(offsets_of discard | wc -l)" = 43 ]
	[ "$(json "$BATS_TEST_TMPDIR/info.json" "d['rows']['io']")" = $((20 + 43)) ]
	[ "$(json "$BATS_TEST_TMPDIR/info.json" "[t['how'] for t in d['tiers'] if t['figure'] == 'filter']")" = "['flush, discard']" ]
	run -2 --separate-stderr "$BLKREEL" record --op wread -o "$TRACE"
	[[ $stderr == *"no operation is called 'wread'"* ]]
}

@test "an IO scheduler: rows have the time of insertion, between creation and issue" {
	local scheduler
	scheduler=/sys/block/$DEVICE/queue/scheduler
	grep -q mq-deadline "$scheduler" || skip "needs the IO scheduler mq-deadline"
	echo mq-deadline >"$scheduler"
	record_loop "$HELPERS/issue_io" read "$LOOP" 1009 4096
	echo none >"$scheduler"
	offsets_of read >"$BATS_TEST_TMPDIR/rows"
	cmp "$BATS_TEST_TMPDIR/rows" "$BATS_TEST_TMPDIR/offsets"
	assert_nothing_lost
	"$BLKREEL" dump "$TRACE" --format csv | python3 -c '
import csv, sys
rows = [r for r in csv.DictReader(sys.stdin) if r["op"] == "read"]
assert len(rows) == 1009
for r in rows:
    assert int(r["created_ns"]) <= int(r["inserted_ns"]) <= int(r["issued_ns"]), r'
}

@test "direct IO into the pages of a mapped file counts as direct IO" {
	need_command python3
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" -- bash -c "$(declare -f read_into_file); read_into_file $LOOP 101"
	[ "$("$BLKREEL" dump --format csv "$TRACE" | cut -d, -f3,7 | grep -c "^read,direct$")" = 101 ]
	[ "$("$BLKREEL" dump --format csv "$TRACE" | cut -d, -f7 | grep -c "^file$" || true)" = 0 ]
}

@test "writes with PREFLUSH or FUA keep their data and flags" {
	local mount=$BATS_TEST_TMPDIR/mnt data
	need_command mkfs.ext4
	mkfs.ext4 -q "$LOOP"
	mkdir "$mount"
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" -- sh -ec "
		mount $LOOP $mount
		for i in \$(seq 17); do
			dd if=/dev/zero of=$mount/file bs=16k count=3 conv=fsync,notrunc status=none
		done
		umount $mount"
	"$BLKREEL" explain "$TRACE" --json >"$BATS_TEST_TMPDIR/e.json"
	[ "$(json "$BATS_TEST_TMPDIR/e.json" "d['devices'][0]['agrees_with_kernel']")" = True ]
	data=$("$BLKREEL" dump "$TRACE" --format csv | python3 -c '
import csv, sys
print(sum(r["op"] == "write" and r["bytes"] != "0" and ("preflush" in r["flags"] or "fua" in r["flags"])
          for r in csv.DictReader(sys.stdin)))')
	# The commit record of a journal; the last commit can wait for the end.
	[ "$data" -ge 1 ]
}

# priorities TRACE: how many of the reads have which, "97 be/7".
priorities() {
	"$BLKREEL" dump "$1" --format csv | python3 -c '
import collections, csv, sys
for text, count in sorted(collections.Counter(r["ioprio"] for r in csv.DictReader(sys.stdin) if r["op"] == "read").items()):
    print(count, text)'
}

@test "each request has the IO priority of its process" {
	need_command ionice
	record_loop bash -c '
		ionice -c 2 -n 7 "$1/issue_io" read "$2" 97 4096
		ionice -c 1 -n 2 "$1/issue_io" read "$2" 53 4096
		ionice -c 3 "$1/issue_io" read "$2" 31 4096' _ "$HELPERS" "$LOOP"
	priorities "$TRACE" >"$BATS_TEST_TMPDIR/got"
	cat "$BATS_TEST_TMPDIR/got"
	# Kernels give the lowest class level 0 or 7.
	grep -qx '97 be/7' "$BATS_TEST_TMPDIR/got"
	grep -qx '53 rt/2' "$BATS_TEST_TMPDIR/got"
	grep -qxE '31 idle/[07]' "$BATS_TEST_TMPDIR/got"
}

@test "each write of a file has its write hint" {
	grep -q bi_write_hint /sys/kernel/btf/vmlinux || skip "needs a kernel with write hints of bios"
	mount_new ext4
	dd if=/dev/zero of="$MNT/file" bs=1M count=4 conv=fsync status=none
	# shellcheck disable=SC2016 # expanded by the shell that is recorded
	record_loop bash -c '
		hint=0
		for count in 7 11 13 17 19 23; do
			ISSUE_IO_HINT=$hint "$1/issue_io" write "$2" "$count" 4096
			hint=$((hint + 1))
		done' _ "$HELPERS" "$MNT/file"
	[ "$("$BLKREEL" dump --op write "$TRACE" --format csv | grep -o "hint_[a-z]*" | sort | uniq -c | xargs)" = \
		"23 hint_extreme 19 hint_long 17 hint_medium 13 hint_short" ]
}

# origins: how many of the reads and writes have which, "200 direct".
origins() {
	"$BLKREEL" dump "$TRACE" --format csv | python3 -c '
import collections, csv, sys
for text, count in sorted(collections.Counter(r["origin"] for r in csv.DictReader(sys.stdin) if int(r["bytes"])).items()):
    print(count, text)'
}

@test "direct IO into shared memory is direct IO: split bios, registered buffers" {
	local ios
	need_command fio
	for args in "--mem=shm --bs=4m --size=48m" \
		"--mem=shm --bs=64k --size=10m --ioengine=io_uring --fixedbufs"; do
		for rw in read write; do
			ios=$(($(diskstat "$LOOP" 1) + $(diskstat "$LOOP" 5)))
			# shellcheck disable=SC2086 # several arguments
			record_loop fio --name=shared --filename="$LOOP" --rw=$rw --direct=1 --output=/dev/null $args
			ios=$(($(diskstat "$LOOP" 1) + $(diskstat "$LOOP" 5) - ios))
			echo "$args --rw=$rw: $ios IOs are $(origins | tr '\n' ' ')"
			[ "$(origins)" = "$ios direct" ]
		done
	done
}

# flushes: how many requests of the flush machinery are of which task and cgroup, and how many asked.
flushes() {
	"$BLKREEL" dump "$TRACE" --format csv | python3 -c '
import collections, csv, sys
sent, asked = collections.Counter(), collections.Counter()
for r in csv.DictReader(sys.stdin):
    who = r["comm"], r["pid"], r["cgroup"].rsplit("/", 1)[1]
    if "flush_machinery" in r["flags"]:
        sent[who] += 1
    elif "preflush" in r["flags"]:
        asked[who] += 1
assert sent == asked, (sent, asked)
print(sorted((who[2], number) for who, number in sent.items()))'
}

@test "a flush is put down to the cgroup and the task that asked for it" {
	local cgroup=/sys/fs/cgroup/blkio/blkreel-flush-$$ status=0 scheduler=/sys/block/$DEVICE/queue/scheduler wanted
	mkdir "$cgroup" 2>/dev/null || skip "needs cgroups of version 1 with blkio"
	mkdir "$cgroup"/{3,7,23}
	printf '%s\n' "$cgroup"/{3,7,23} "$cgroup" >"$BATS_TEST_TMPDIR/groups"
	for wanted in none mq-deadline; do
		grep -q "$wanted" "$scheduler" || continue
		echo "$wanted" >"$scheduler"
		record_loop bash -c 'for number in 3 7 23; do
				bash -c "echo \$\$ >$1/$number/tasks; exec $3/issue_io write $2 $number 4096 1" || exit
			done' - "$cgroup" "$LOOP" "$HELPERS" || status=$?
		echo none >"$scheduler"
		run -0 flushes
		[ "$output" = "[('23', 23), ('3', 3), ('7', 7)]" ] || status=1
	done
	rmdir "$cgroup"/{3,7,23} "$cgroup"
	[ "$status" = 0 ]
}

@test "no flush is without a cgroup: those of a journal, and several at once" {
	local mount=$BATS_TEST_TMPDIR/mnt
	need_command mkfs.ext4
	mkfs.ext4 -q "$LOOP"
	mkdir "$mount"
	mount "$LOOP" "$mount"
	record_loop bash -c 'for file in 1 2 3 4; do
			for i in $(seq 20); do dd if=/dev/zero of="$1/$file" bs=16k count=1 conv=fsync status=none; done &
		done
		wait' - "$mount"
	umount "$mount"
	"$BLKREEL" dump "$TRACE" --format csv | python3 -c '
import csv, sys
rows = [r for r in csv.DictReader(sys.stdin) if "event_missed" not in r["flags"]]
asked = {(r["comm"], r["pid"]) for r in rows if "flush_machinery" not in r["flags"] and {"preflush", "fua"} & set(r["flags"].split("|"))}
sent = [r for r in rows if "flush_machinery" in r["flags"]]
assert len(sent) > 20, len(sent)
assert all(r["cgroup"] for r in sent), sent
assert {(r["comm"], r["pid"]) for r in sent} <= asked, sent'
}
