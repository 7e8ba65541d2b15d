#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Further figures of the page-cache account: waits, evictions, O_DIRECT.
# bats file_tags=root

# shellcheck disable=SC2034 # helpers/disturbance.bash says what this is
DISTURBED_BY="reclaim skip"
load test_helper

setup() {
	need_loop
	need_probes
	mount_ext4 300M
	TRACE=$BATS_TEST_TMPDIR/t.reel
}

record_cache() {
	"$BLKREEL" record --cache -d "$LOOP" -o "$TRACE" -- "$@" >/dev/null
	"$BLKREEL" dump --rows cache --format csv "$TRACE" >"$BATS_TEST_TMPDIR/cache.csv"
}

# sum FIGURE NAME: over the rows of a file.
sum() {
	python3 -c '
import csv, sys
print(sum(int(row[sys.argv[2]]) for row in csv.DictReader(open(sys.argv[1])) if row["file"].endswith("/" + sys.argv[3])))' \
		"$BATS_TEST_TMPDIR/cache.csv" "$1" "$2"
}

@test "a reader that finds its page under read counts as a wait, not as a miss" {
	need_figure cache_waits exact bounded
	make_group blkio blkio.throttle.read_bps_device io.max
	make_file file 4
	remount
	# The device gives the first reader 64 KiB a second; while it waits for its 64 KiB the other one comes.
	case $LIMIT in
	*io.max) echo "$(cat "/sys/block/$(basename "$LOOP")/dev") rbps=65536" >"$LIMIT" ;;
	*) echo "$(cat "/sys/block/$(basename "$LOOP")/dev") 65536" >"$LIMIT" ;;
	esac
	# shellcheck disable=SC2016 # expanded by the shell that is recorded
	record_cache bash -c '
		"$HELPERS/cached_io" late random "$1/file" 4096 1 16 &
		late=$!
		echo $$ >"$2/cgroup.procs"
		"$HELPERS/cached_io" pread forward "$1/file" 65536 1 1 || exit 1
		wait $late' - "$MNT" "$GROUP"
	[ "$(sum read_pages file)" = 17 ]
	[ "$(sum demand_miss_pages file)" = 16 ]
	[ "$(sum waits file)" = 1 ]
	[ "$(sum wait_ns file)" -gt 0 ]
}

@test "pages that a memory limit reclaims count as evicted, pages that a program drops do not" {
	need_figure cache_evicted exact bounded
	make_group memory memory.limit_in_bytes memory.max
	make_file large 40
	make_file small 4
	remount
	echo 16M >"$LIMIT"
	# shellcheck disable=SC2016 # expanded by the shell that is recorded
	record_cache bash -c '
		dd if="$1/small" of=/dev/null bs=64k status=none
		dd if="$1/small" iflag=nocache count=0 status=none
		echo $$ >"$2/cgroup.procs"
		dd if="$1/large" of=/dev/null bs=64k status=none' - "$MNT" "$GROUP"
	[ "$(sum deleted_pages small)" = 1024 ]
	[ "$(sum evicted_pages small)" = 0 ]
	# 40 MiB were read, 16 MiB can have stayed.
	[ "$(sum evicted_pages large)" -ge 6144 ]
	[ "$(sum evicted_pages large)" = "$(sum deleted_pages large)" ]
}

@test "O_DIRECT: operations and bytes of each file, up to its end" {
	need_figure cache_direct exact bounded
	make_file file 4
	remount
	truncate -s 3000000 "$MNT/file"
	sync "$MNT/file"
	record_cache sh -c "dd if=$MNT/file of=/dev/null bs=64k iflag=direct status=none
		dd if=/dev/zero of=$MNT/new bs=4k count=101 oflag=direct status=none"
	[ "$(sum direct_reads file)" = 46 ]
	[ "$(sum direct_read_bytes file)" = 3000000 ]
	[ "$(sum read_pages file)" = 0 ]
	[ "$(sum direct_writes new)" = 101 ]
	[ "$(sum direct_write_bytes new)" = 413696 ]
	[ "$(sum written_pages new)" = 0 ]
}

@test "a cold file that readahead brings: how long the reader slept, and how much came from the disk" {
	need_figure cache_waits exact bounded
	make_group blkio blkio.throttle.read_bps_device io.max
	make_file file 16
	remount
	case $LIMIT in
	*io.max) echo "$(cat "/sys/block/$(basename "$LOOP")/dev") rbps=8388608" >"$LIMIT" ;;
	*) echo "$(cat "/sys/block/$(basename "$LOOP")/dev") 8388608" >"$LIMIT" ;;
	esac
	cat >"$BATS_TEST_TMPDIR/read.py" <<'PYTHON'
import os, sys, time

def from_disk():
    return int(next(line for line in open("/proc/self/io") if line.startswith("read_bytes")).split()[1])

os.sched_setaffinity(0, {0})
open(sys.argv[2] + "/cgroup.procs", "w").write(str(os.getpid()))
file, before, began_ns = os.open(sys.argv[1], os.O_RDONLY), from_disk(), time.monotonic_ns()
while os.read(file, 65536):
    pass
print(time.monotonic_ns() - began_ns, from_disk() - before, file=open(sys.argv[3], "w"))
PYTHON
	record_cache python3 "$BATS_TEST_TMPDIR/read.py" "$MNT/file" "$GROUP" "$BATS_TEST_TMPDIR/truth"
	"$BLKREEL" explain --json "$TRACE" >"$BATS_TEST_TMPDIR/e.json"
	python3 - "$BATS_TEST_TMPDIR/truth" "$BATS_TEST_TMPDIR/e.json" <<'PYTHON'
import json, sys
took_ns, from_disk = map(int, open(sys.argv[1]).read().split())
told = json.load(open(sys.argv[2]))
file = next(f for f in told["by_file"] if f["path"].endswith("/file"))
print(took_ns, from_disk, file, told["verdict"])
# The device is slow and the program does nothing else: it sleeps nearly all the time.
assert .8 * took_ns < file["cache_wait_ns"] <= took_ns
assert "Readers slept " in told["verdict"] and " for pages on their way." in told["verdict"]
# The kernel counts a few blocks of metadata, too.
assert file["cache_hit_pages"] > .9 * file["cache_read_pages"]
assert file["cache_fetched_bytes"] == 16 << 20
assert 16 << 20 <= from_disk < (16 << 20) + 65536
PYTHON
	"$BLKREEL" explain "$TRACE" | grep -E "^  file .* hits +from disk$"
	"$BLKREEL" explain "$TRACE" | grep -E "/file .* 100 % +16\.0 MiB$"
}

# added INODE COMMAND...: pages that the kernel's own trace events say were added meanwhile to this file of LOOP, in $ADDED.
added() {
	local events=/sys/kernel/tracing/instances/blkreel-test-$$ inode=$1 minor
	minor=$(cut -d: -f2 "/sys/block/$(basename "$LOOP")/dev")
	[ -d /sys/kernel/tracing/instances ] || mount -t tracefs none /sys/kernel/tracing || skip "no tracefs"
	echo "$events" >>"$BATS_TEST_TMPDIR/groups"
	mkdir "$events" || skip "no instances of tracefs"
	echo 40000 >"$events/buffer_size_kb"
	# The first file of another file system has this number, too.
	echo "i_ino==$inode && s_dev==$(((7 << 20) | minor))" >"$events/events/filemap/mm_filemap_add_to_page_cache/filter"
	echo 1 >"$events/events/filemap/mm_filemap_add_to_page_cache/enable"
	shift
	"$@"
	echo 0 >"$events/events/filemap/mm_filemap_add_to_page_cache/enable"
	ADDED=$(awk -F'order=' '/order=/ { pages += 2 ^ $2 } END { print pages + 0 }' "$events/trace")
	rmdir "$events"
}

@test "a file that is truncated while it is read: the account has each page added, the rows are bounded" {
	need_figure cache_demand_misses exact bounded
	make_file file 40
	cat >"$BATS_TEST_TMPDIR/race.py" <<'PYTHON'
import os, random, sys, threading, time

is_over = False

def read():
    fd = os.open(sys.argv[1], os.O_RDONLY)
    while not is_over:
        os.pread(fd, 4096 * random.randint(1, 8), 4096 * random.randint(0, 10000))

def truncate():
    fd = os.open(sys.argv[1], os.O_RDWR)
    while not is_over:
        os.ftruncate(fd, 0)
        os.ftruncate(fd, 40 << 20)
        time.sleep(.002)

threads = [threading.Thread(target=f) for f in (read, read, truncate)]
for thread in threads:
    thread.start()
time.sleep(.7)
is_over = True
PYTHON
	added "$(stat -c %i "$MNT/file")" "$BLKREEL" record --cache --files -d "$LOOP" -o "$TRACE" -- \
		python3 "$BATS_TEST_TMPDIR/race.py" "$MNT/file"
	"$BLKREEL" explain --json "$TRACE" >"$BATS_TEST_TMPDIR/e.json"
	"$BLKREEL" explain "$TRACE" >"$BATS_TEST_TMPDIR/e.txt"
	python3 - "$BATS_TEST_TMPDIR/e.json" "$BATS_TEST_TMPDIR/e.txt" "$ADDED" <<'PYTHON'
import json, sys
told = json.load(open(sys.argv[1]))
text = " ".join(open(sys.argv[2]).read().split())
account, rows = told["cache"], told["cache"]["what_if"]["recorded"]
fetched = account["read"]["demand_miss_pages"] + account["readahead"]["added_pages"]
print("kernel", sys.argv[3], "account", fetched, "rows", rows)
# Those that no operation added may be the file system's own.
assert fetched <= int(sys.argv[3]) <= fetched + account["other_added_pages"]
differs = rows["demand_miss_pages"] != account["read"]["demand_miss_pages"]
assert told["cache"]["what_if"]["recorded_quality"] == ("bounded" if differs else "exact")
assert ("the account is the exact one" in text) == differs
PYTHON
}

@test "times that are cut to 1 ms: a median below that is '< 1 ms', not 0" {
	make_file file 4
	remount
	"$BLKREEL" record --resolution 1ms -d "$LOOP" -o "$TRACE" -- \
		dd if="$MNT/file" of=/dev/null bs=4k iflag=direct status=none
	run -0 "$BLKREEL" explain "$TRACE"
	[[ $output == *"< 1 ms"* ]]
	[[ $output != *" 0 ns"* ]]
}

@test "a process that moves to another cgroup: the account has the newest" {
	make_group blkio blkio.throttle.read_bps_device io.max
	make_file file 1
	record_cache python3 - "$MNT/file" "$GROUP" <<-'PYTHON'
		import sys, time
		with open(sys.argv[1], "rb", buffering=0) as file:
		    file.read(4096)
		    open(sys.argv[2] + "/cgroup.procs", "w").write("0")
		    time.sleep(0.1)
		    file.read(4096)
	PYTHON
	run -0 python3 -c 'import csv, sys
print([row["cgroup"] for row in csv.DictReader(open(sys.argv[1])) if row["file"].endswith("/file")][-1])' \
		"$BATS_TEST_TMPDIR/cache.csv"
	[[ $GROUP == *"$output" && $output == */blkreel-test-* ]]
}

@test "a file that is read again while a part of it is fetched: each read counts" {
	need_figure cache_demand_misses
	make_file file 1
	truncate -s 60K "$MNT/file"
	remount
	record_cache python3 - "$MNT/file" <<-'PYTHON'
		import os, sys
		fd = os.open(sys.argv[1], os.O_RDONLY)
		os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
		for page in range(15):
		    os.pread(fd, 4096, page * 4096)
		for _ in range(100):
		    os.pread(fd, 61440, 0)
		    os.posix_fadvise(fd, 32768, 28672, os.POSIX_FADV_DONTNEED)
		    os.posix_fadvise(fd, 32768, 28672, os.POSIX_FADV_WILLNEED)
		    os.pread(fd, 61440, 0)
	PYTHON
	[ "$(sum reads file)" = 215 ]
	[ "$(sum read_pages file)" = 3015 ]
}
