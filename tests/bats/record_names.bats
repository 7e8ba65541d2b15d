#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A row has the name that its file had then, held against a program that knows what it wrote where.
# bats file_tags=root

load test_helper

setup() {
	need_loop
	need_probes
	mount_ext4 256M
	TRACE=$BATS_TEST_TMPDIR/t.reel
}

# record_load LOAD: $BATS_TEST_TMPDIR/wrote has what the load wrote.
record_load() {
	mkdir "$MNT/load"
	sync
	"$BLKREEL" -q record --files -d "$LOOP" -o "$TRACE" -- "$ROOT/tests/helpers/rename_load.py" "$1" "$MNT/load" \
		>"$BATS_TEST_TMPDIR/wrote"
	[ -s "$BATS_TEST_TMPDIR/wrote" ]
}

# columns ROWS COLUMN...: these columns of rows of writes of the load, names without the folder.
columns() {
	local rows=$1
	shift
	"$BLKREEL" dump --rows "$rows" --format csv "$TRACE" | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    if row.get("op", "write") == "write" and "/load/" in row["file"]:
        name = row["file"].split("/load/")[1].replace("/", "-")
        print(name, *(row[column] for column in sys.argv[1:]))' "$@"
}

# bytes_by_name: sums the last column by the first.
bytes_by_name() {
	awk '{ bytes[$1] += $NF } END { for (name in bytes) print name, bytes[name] }' | sort
}

same_names() {
	columns access offset bytes >"$BATS_TEST_TMPDIR/accesses"
	diff "$BATS_TEST_TMPDIR/wrote" "$BATS_TEST_TMPDIR/accesses" | head -10
	cmp "$BATS_TEST_TMPDIR/wrote" "$BATS_TEST_TMPDIR/accesses"
	bytes_by_name <"$BATS_TEST_TMPDIR/wrote" >"$BATS_TEST_TMPDIR/expected"
	columns io bytes | bytes_by_name | diff "$BATS_TEST_TMPDIR/expected" -
}

@test "a file that has the inode number of a deleted one has its own name: IO, accesses, page cache" {
	record_load reuse
	same_names
	columns cache written_back_pages | awk '$2 { print $1, $2 * 4096 }' | bytes_by_name |
		diff "$BATS_TEST_TMPDIR/expected" -
}

@test "after a rename a file has its new name" {
	record_load rename
	same_names
}

@test "after a rename of its folder a file has its new path" {
	record_load folder
	same_names
}

@test "each of 600 names of one file stands at what was written under it" {
	record_load many
	same_names
}

@test "a file system that is mounted elsewhere has its files there" {
	mkdir "$MNT-2"
	"$BLKREEL" -q record --files -d "$LOOP" -o "$TRACE" -- bash -euc '
		echo 1 >"$1/first"; sleep 0.3; umount "$1"; mount "$0" "$1-2"; echo 2 >"$1-2/second"' "$LOOP" "$MNT"
	umount "$MNT-2"
	run -0 bash -c '"$0" dump -r access --format csv "$1" | grep -o "[^,]*/\(first\|second\)" | LC_ALL=C sort -u' \
		"$BLKREEL" "$TRACE"
	[ "$output" = "$MNT-2/second
$MNT/first" ]
}

@test "a file that was renamed is one file: for replay, for a profile of files, in a copy" {
	record_load rename
	mkdir "$BATS_TEST_TMPDIR/files"
	"$BLKREEL" -q replay "$TRACE" --files "$BATS_TEST_TMPDIR/files" --write --json >"$BATS_TEST_TMPDIR/replay.json"
	[ "$(json "$BATS_TEST_TMPDIR/replay.json" "d['files']")" = 1 ]
	"$BLKREEL" -q profile --level files --seeds 0 "$TRACE" -o "$BATS_TEST_TMPDIR/profile"
	sed -n '/^\[files\]/,$p' "$BATS_TEST_TMPDIR/profile" | grep -qx 'sizes = 12K:1'
	"$BLKREEL" -q copy "$TRACE" -o "$BATS_TEST_TMPDIR/copy.reel"
	TRACE=$BATS_TEST_TMPDIR/copy.reel
	same_names
	"$BLKREEL" -q profile --level files --seeds 0 "$TRACE" -o "$BATS_TEST_TMPDIR/profile"
	sed -n '/^\[files\]/,$p' "$BATS_TEST_TMPDIR/profile" | grep -qx 'sizes = 12K:1'
}

@test "a process that becomes another program has the name of that in the account of the page cache" {
	need_figure cache_demand_misses
	make_file file 4
	remount
	"$BLKREEL" -q record --cache -d "$LOOP" -o "$TRACE" -- \
		bash -c 'read -r -n 1000 _ <"$0"; sleep 0.1; exec dd if="$0" of=/dev/null bs=64k status=none' "$MNT/file"
	run -0 bash -c '"$0" dump -r cache --format csv "$1" | python3 -c "
import csv, sys
rows = [row for row in csv.DictReader(sys.stdin) if row[\"file\"].endswith(\"/file\")]
print(rows[-1][\"comm\"], len({row[\"pid\"] for row in rows}))"' "$BLKREEL" "$TRACE"
	[ "$output" = "dd 1" ]
}

@test "a process with the number of one that has ended has its own name in the account of the page cache" {
	[ -w /proc/sys/kernel/ns_last_pid ] || skip "needs the file ns_last_pid"
	make_file file 4
	remount
	run -0 --separate-stderr "$BLKREEL" -q record --cache -d "$LOOP" -o "$TRACE" -- python3 -c '
import ctypes, os, sys, time
def child(name, number):
    for _ in range(100):
        if number:
            open("/proc/sys/kernel/ns_last_pid", "w").write(str(number - 1))
        pid = os.fork()
        if not pid:
            if not number or os.getpid() == number:
                ctypes.CDLL(None).prctl(15, name.encode())
                open(sys.argv[1], "rb", 0).read(65536)
            os._exit(0)
        os.waitpid(pid, 0)
        if not number or pid == number:
            return pid
number = child("first", 0)
time.sleep(0.1)
print(child("second", number))' "$MNT/file"
	[ -n "$output" ] && [ "$output" != None ] || skip "the number was taken each time"
	PID=$output
	run -0 bash -c '"$0" dump -r cache --format csv "$1" | python3 -c "
import csv, sys
print([row[\"comm\"] for row in csv.DictReader(sys.stdin) if row[\"pid\"] == sys.argv[1] and row[\"file\"].endswith(\"/file\")][-1])" "$2"' \
		"$BLKREEL" "$TRACE" "$PID"
	[ "$output" = second ]
}
