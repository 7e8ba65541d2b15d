# SPDX-License-Identifier: MIT
# record on a device without requests (zram), compared with the kernel's counters
load test_helper

setup() {
	need_probes
	need_command python3
	[ -e /sys/class/zram-control/hot_add ] || skip "needs zram devices"
	TRACE=$BATS_TEST_TMPDIR/t.reel
	# shellcheck disable=SC2034 # start_recorder uses it
	ERRORS=$BATS_TEST_TMPDIR/stderr
	ZRAM=zram$(cat /sys/class/zram-control/hot_add)
	echo "${ZRAM#zram}" >"$BATS_TEST_TMPDIR/zram"
	echo 64M >"/sys/block/$ZRAM/disksize"
	wait_until [ -b "/dev/$ZRAM" ]
}

teardown() {
	local number
	if [ ! -e "$BATS_TEST_TMPDIR/zram" ]; then
		clean_up
		return
	fi
	number=$(cat "$BATS_TEST_TMPDIR/zram")
	while umount "/dev/zram$number" 2>/dev/null; do :; done
	# udev may have it open for a moment.
	wait_until eval "echo $number >/sys/class/zram-control/hot_remove"
	rm "$BATS_TEST_TMPDIR/zram"
	clean_up
}

# counters DEVICE: reads, sectors read, writes, sectors written, as the kernel counts them.
counters() {
	awk '{ print $1, $3, $5, $7 }' "/sys/block/$1/stat"
}

# rows_like_counters DEVICE: the same out of the rows.
rows_like_counters() {
	"$BLKREEL" dump --format csv -d "$1" "$TRACE" | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
for op in ("read", "write"):
    mine = [int(r["bytes"]) for r in rows if r["op"] == op]
    print(len(mine), sum(mine) // 512, end=" " if op == "read" else "\n")'
}

# count EXPRESSION: rows for which it is true of `r`.
count() {
	"$BLKREEL" dump --format csv "$TRACE" | python3 -c '
import csv, sys
print(sum(bool(eval(sys.argv[1])) for r in csv.DictReader(sys.stdin)))' "$1"
}

@test "reads, writes and discards of a zram device: as many as were issued, where they were issued" {
	"$BLKREEL" record -d "$ZRAM" -o "$TRACE" -- "$HELPERS/issue_io" read "/dev/$ZRAM" 997 4096 >"$BATS_TEST_TMPDIR/offsets"
	[ "$(counters "$ZRAM")" = "997 7976 0 0" ]
	[ "$(rows_like_counters "$ZRAM")" = "997 7976 0 0" ]
	"$BLKREEL" dump --format csv "$TRACE" | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
assert [int(r["sector"]) * 512 for r in rows] == [int(x) for x in open(sys.argv[1])]
for r in rows:
    assert r["op"] == "read" and r["origin"] == "direct" and r["comm"] == "issue_io" and r["error"] == "0", r
    assert 0 < int(r["created_ns"]) < int(r["completed_ns"]) and r["depth"] == "1" and r["cgroup"], r
done = [int(r["completed_ns"]) for r in rows]
assert done == sorted(done)' "$BATS_TEST_TMPDIR/offsets"
	"$BLKREEL" record -d "/dev/$ZRAM" -o "$TRACE" -- "$HELPERS/issue_io" write "/dev/$ZRAM" 499 8192 7 >/dev/null
	[ "$(counters "$ZRAM")" = "997 7976 499 7984" ]
	[ "$(rows_like_counters "$ZRAM")" = "0 0 499 7984" ]
	# The kernel's counters of zram leave discards out.
	"$BLKREEL" record -d "$ZRAM" -o "$TRACE" -- "$HELPERS/issue_io" discard "/dev/$ZRAM" 31 65536 >/dev/null
	[ "$(count 'r["op"] == "discard" and r["bytes"] == "65536"')" = 31 ]
	[ "$(count True)" = 31 ]
	"$BLKREEL" explain --json "$TRACE" >"$BATS_TEST_TMPDIR/json"
	[ "$(json "$BATS_TEST_TMPDIR/json" '[f["id"] for f in d["findings"] if f["id"] == "disagrees-with-kernel"]')" = "[]" ]
}

@test "direct IO into the pages of a mapped file counts as direct IO" {
	"$BLKREEL" record -d "$ZRAM" -o "$TRACE" -- bash -c "$(declare -f read_into_file); read_into_file /dev/$ZRAM 101"
	[ "$(count "r['op'] == 'read' and r['origin'] == 'direct'")" = 101 ]
	[ "$(count "r['origin'] == 'file'")" = 0 ]
}

@test "large IO, readahead and a file system on zram match the kernel's counters and have their files" {
	need_command mkfs.ext4
	mkdir "$BATS_TEST_TMPDIR/mnt"
	"$BLKREEL" record -d "$ZRAM" -o "$TRACE" -- bash -ec "
		mkfs.ext4 -qF /dev/$ZRAM
		mount /dev/$ZRAM $BATS_TEST_TMPDIR/mnt
		head -c 3000000 /dev/urandom >$BATS_TEST_TMPDIR/mnt/prime
		sync
		echo 3 >/proc/sys/vm/drop_caches
		cat $BATS_TEST_TMPDIR/mnt/prime >/dev/null
		umount $BATS_TEST_TMPDIR/mnt
		dd if=/dev/$ZRAM of=/dev/null bs=3M count=5 iflag=direct status=none"
	read -r reads read_sectors writes write_sectors <<<"$(rows_like_counters "$ZRAM")"
	"$BLKREEL" explain --json "$TRACE" >"$BATS_TEST_TMPDIR/json"
	[ "$(json "$BATS_TEST_TMPDIR/json" 'd["devices"][0]["agrees_with_kernel"]')" != False ]
	"$BLKREEL" dump --format csv --rows tick "$TRACE" | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
kernel = [sum(int(r[k]) for r in rows) for k in ("read_ios", "read_sectors", "write_ios", "write_sectors")]
ours = [int(x) for x in sys.argv[1:]]
assert ours == kernel, (ours, kernel)' "$reads" "$read_sectors" "$writes" "$write_sectors"
	[ "$(count 'r["op"] == "write" and r["file"].endswith("/prime") and r["origin"] == "file"')" -gt 0 ]
	[ "$(count 'r["op"] == "read" and r["file"].endswith("/prime")')" -gt 0 ]
	"$BLKREEL" dump --format csv "$TRACE" | python3 -c '
import csv, sys
rows = [r for r in csv.DictReader(sys.stdin) if r["file"].endswith("/prime")]
for op in ("read", "write"):
    assert sum(int(r["bytes"]) for r in rows if r["op"] == op) == 3002368, op'
}

@test "without -d a zram and a loop device are both recorded, each IO once" {
	need_loop
	make_loop 16M
	"$BLKREEL" record -o "$TRACE" -- bash -ec "
		$HELPERS/issue_io read /dev/$ZRAM 211 4096 >/dev/null
		$HELPERS/issue_io read $LOOP 101 4096 >/dev/null"
	[ "$(rows_like_counters "$ZRAM")" = "$(counters "$ZRAM")" ]
	[ "$(rows_like_counters "$ZRAM")" = "211 1688 0 0" ]
	[ "$(count "r['device'] == '$(basename "$LOOP")' and r['comm'] == 'issue_io'")" = 101 ]
	[ "$(count 'r["id"] or r["parent_id"]')" = 0 ]
}

@test "--pid keeps one process; a recording may begin and end under load" {
	dd if=/dev/zero of="/dev/$ZRAM" bs=1M count=8 oflag=direct status=none
	bash -c "while dd if=/dev/$ZRAM of=/dev/null bs=1M iflag=direct status=none; do :; done" &
	local load=$!
	# Rings that a recorder without a CPU cannot let overflow.
	"$BLKREEL" record -d "$ZRAM" -t 300ms --ring-size 64M -o "$TRACE"
	"$BLKREEL" explain --json "$TRACE" >"$BATS_TEST_TMPDIR/json"
	[ "$(json "$BATS_TEST_TMPDIR/json" 'd["devices"][0]["agrees_with_kernel"]')" = True ]
	[ "$(count True)" -gt 0 ]
	sleep 60 3>&- &
	local idle=$!
	"$BLKREEL" record -d "$ZRAM" -o "$TRACE" --pid "$idle" -t 100ms
	kill "$idle"
	[ "$(count True)" = 0 ]
	kill "$load"
	wait "$load" || true
}

# stall_recorder READS OPTION...: four times READS reads on two CPUs while the recorder is stopped.
stall_recorder() {
	local reads=$1 cpu loads=()
	start_recorder "$BLKREEL" record -d "$ZRAM" -o "$TRACE" "${@:2}"
	kill -STOP "$RECORDER"
	for cpu in $(python3 -c 'import os; cpus = sorted(os.sched_getaffinity(0)); print(cpus[0], cpus[-1])'); do
		taskset -c "$cpu" bash -c "for i in 1 2; do $HELPERS/issue_io read /dev/$ZRAM $reads 4096; done" >/dev/null 3>&- &
		loads+=($!)
	done
	wait "${loads[@]}"
	kill -CONT "$RECORDER"
	stop_recorder
}

rows_are_in_order() {
	"$BLKREEL" dump --format csv "$TRACE" | python3 -c '
import csv, sys
done = [int(r["completed_ns"]) for r in csv.DictReader(sys.stdin) if r["completed_ns"]]
assert done and done == sorted(done), len(done)'
}

# all_accounted READS LEAST_LOST: each read is a row, a counted loss, or one that the kernel did not report.
all_accounted() {
	"$BLKREEL" info --json "$TRACE" | python3 -c '
import json, sys
d = json.load(sys.stdin)
lost = d["lost"]
missing = int(sys.argv[1]) - d["rows"]["io"] - lost["io_ring"]
assert abs(missing) <= lost["recursion"] + lost["io_event"], (d["rows"], lost)
assert lost["io_ring"] >= int(sys.argv[2]), lost' "$@"
}

@test "after a pause of the recorder rows are in order of completion, and lost records are counted" {
	need_command taskset
	stall_recorder 11000 --ring-size 16M
	rows_are_in_order
	all_accounted 44000 0
	stall_recorder 3000 --ring-size 256k
	rows_are_in_order
	all_accounted 12000 1
}
