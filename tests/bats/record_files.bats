#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# record --files: one row for each operation on a file, compared with a program that logs its operations.
# bats file_tags=root

# shellcheck disable=SC2034 # helpers/disturbance.bash says what this is
DISTURBED_BY="reclaim skip"
load test_helper

setup() {
	need_loop
	need_probes
	need_figure access_misses
	mount_ext4 256M -b 4096
	TRUTHS=$BATS_TEST_TMPDIR/truths
	TRACE=$BATS_TEST_TMPDIR/t.reel
	mkdir "$TRUTHS"
}

record_accesses() {
	"$BLKREEL" record --files -d "$LOOP" -o "$TRACE" -- "$@" >/dev/null
	dump
}

dump() {
	"$BLKREEL" dump --rows access --format csv "$TRACE" >"$BATS_TEST_TMPDIR/access.csv"
	"$BLKREEL" dump --rows cache --format csv "$TRACE" >"$BATS_TEST_TMPDIR/cache.csv"
}

# accesses EXPRESSION: of the list of rows r of the file $FILE, each a dict.
accesses() {
	python3 - "$BATS_TEST_TMPDIR/access.csv" "$FILE" "$1" <<-'END'
		import csv, sys
		with open(sys.argv[1], newline="") as lines:
		    r = [row for row in csv.DictReader(lines) if row["file"].endswith("/" + sys.argv[2])]
		r.sort(key=lambda row: int(row["begun_ns"]))
		print(eval(sys.argv[3]))
	END
}

cases="cold-random pread random 4096 503
cold-forward pread forward 4096 701
cold-large pread forward 1048576 3
cold-odd read forward 10000 283
cold-vectors preadv forward 262144 11
cold-past-end pread forward 3000000 3
cold-faults-random mmap random 4096 769
cold-sendfile sendfile forward 65536 47
cold-splice splice forward 65536 47
cold-uring uring random 4096 503
cold-cut truncate forward 4096 601
half-random pread random 4096 503
half-forward pread forward 4096 701
half-large readv forward 1048576 3
half-sendfile sendfile forward 65536 47
cold-nowait-random nowait random 4096 503
half-nowait-large nowait forward 1048576 3
cold-efault-half efault-half random 262144 11
warm-efault efault forward 1048576 3
warm-random pread random 4096 503
warm-large preadv forward 1048576 3
warm-uring uring random 4096 503
warm-written pwrite random 4096 503
cold-written-odd write forward 1000 503
cold-copied copy-from forward 65536 47
new-written-copy copy-to forward 65536 40
new-written write forward 4096 503
new-written-twice pwrite twice 4096 1006"

@test "each read, write, fault and splice has one row with place, length, hits and misses, in order" {
	make_case_files "$cases"
	# shellcheck disable=SC2016 # expanded by the shell that is recorded
	record_accesses bash -c '
		while read -r name how order rest; do
			CACHED_IO_LOG=$2/$name.log "$HELPERS/cached_io" $how $order "$1/$name" $rest >"$2/$name" || exit 1
		done' - "$MNT" "$TRUTHS" <<<"$cases"
	python3 "$ROOT/tests/helpers/check_accesses.py" "$TRUTHS" "$BATS_TEST_TMPDIR/access.csv" "$BATS_TEST_TMPDIR/cache.csv"
	"$BLKREEL" info --json "$TRACE" >"$BATS_TEST_TMPDIR/info.json"
	[ "$(json "$BATS_TEST_TMPDIR/info.json" "d['lost']['access_ring']")" = 0 ]
	[ "$(json "$BATS_TEST_TMPDIR/info.json" "d['rows']['access']")" -gt 7000 ]
	run -0 "$BLKREEL" info --verify "$TRACE"
	# The second decoder knows them, too; a virtual machine has not got it.
	if [ -e "$ROOT/tools/decode_trace.py" ]; then
		python3 "$ROOT/tools/decode_trace.py" --rows access "$TRACE" | cmp - "$BATS_TEST_TMPDIR/access.csv"
	fi
	"$BLKREEL" explain "$TRACE" >/dev/null
}

@test "sync, truncate and advice have rows, and so have the pages that they drop" {
	FILE="file"
	head -c 1048576 /dev/urandom >"$MNT/file"
	remount
	record_accesses python3 -c 'if True:
		import os, sys
		fd = os.open(sys.argv[1] + "/file", os.O_RDWR)
		os.posix_fadvise(fd, 0, 65536, os.POSIX_FADV_WILLNEED)
		os.pread(fd, 65536, 0)
		os.pwrite(fd, b"x" * 5000, 3000)
		os.fsync(fd)
		os.fdatasync(fd)
		os.ftruncate(fd, 20480)
		os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
		log = os.open(sys.argv[1] + "/file", os.O_WRONLY | os.O_APPEND | os.O_DSYNC)
		os.write(log, b"y" * 100)
	' "$MNT"
	[ "$(accesses "[x['op'] for x in r if x['op'] != 'invalidate']")" = \
		"['advice', 'read', 'write', 'sync', 'sync', 'truncate', 'write']" ]
	[ "$(accesses "[(x['offset'], x['bytes']) for x in r if x['op'] in ('advice', 'write', 'truncate')]")" = \
		"[('0', '65536'), ('3000', '5000'), ('20480', '0'), ('20480', '100')]" ]
	[ "$(accesses "[x['flags'] for x in r if x['op'] in ('sync', 'write')]")" = "['', '', 'datasync', 'waits']" ]
	# Brought by the advice, none of them missed by the read; 11 cut off, 5 dropped.
	[ "$(accesses "[(x['hit_pages'], x['miss_pages']) for x in r if x['op'] in ('read', 'write')][:2]")" = "[('16', '0'), ('2', '0')]" ]
	[ "$(accesses "[int(x['bytes']) // 4096 for x in r if x['op'] == 'invalidate' and int(x['offset']) == 20480]")" = "[11]" ]
	[ "$(accesses "sum(int(x['bytes']) for x in r if x['op'] == 'invalidate') // 4096")" = 16 ]
}

@test "O_DIRECT: 47 reads and 23 writes bypass the cache; each row has its task and place" {
	FILE="file"
	head -c 1048576 /dev/urandom >"$MNT/file"
	remount
	record_accesses bash -c 'dd if="$1/file" of=/dev/null bs=4096 count=47 iflag=direct status=none
		dd if=/dev/zero of="$1/file" bs=8192 count=23 oflag=direct conv=notrunc status=none' - "$MNT"
	[ "$(accesses "[(x['op'], x['offset'], x['bytes'], x['miss_pages']) for x in r] == [('direct_read', str(4096 * i), '4096', '0') for i in range(47)] + [('direct_write', str(8192 * i), '8192', '0') for i in range(23)]")" = True ]
	[ "$(accesses "{x['comm'] for x in r}")" = "{'dd'}" ]
}

@test "faults of a mapped file tell stores from loads" {
	FILE="file"
	head -c 1048576 /dev/urandom >"$MNT/file"
	remount
	record_accesses python3 -c 'if True:
		import mmap, os, sys
		fd = os.open(sys.argv[1] + "/file", os.O_RDWR)
		map = mmap.mmap(fd, 0)
		map.madvise(mmap.MADV_RANDOM)
		for page in 7, 11, 13:
		    map[page * 4096] = 1
		map[17 * 4096]
	' "$MNT"
	[ "$(accesses "[(int(x['offset']) // 4096, x['flags']) for x in r if x['op'] == 'fault']")" = \
		"[(7, 'dirtied'), (11, 'dirtied'), (13, 'dirtied'), (17, '')]" ]
}

@test "--pid keeps the rows of that process; without --files there are none" {
	FILE="file"
	head -c 1048576 /dev/urandom >"$MNT/file"
	remount
	# shellcheck disable=SC2016 # expanded by the shell that is recorded
	record_accesses bash -c '"$HELPERS/issue_io" cached-random "$1/file" 101 4096; cat "$1/file"' - "$MNT"
	[ "$(accesses "sum(x['comm'] == 'issue_io' for x in r)")" = 101 ]
	[ "$(accesses "sum(x['comm'] == 'cat' for x in r) > 0")" = True ]
	run -0 "$BLKREEL" dump --rows access --format csv --task issue_io "$TRACE"
	[ "${#lines[@]}" = 102 ]
	"$BLKREEL" record --cache -d "$LOOP" -o "$TRACE" -- cat "$MNT/file" >/dev/null
	dump
	[ "$(wc -l <"$BATS_TEST_TMPDIR/access.csv")" = 1 ]
}

@test "--files with --aggregate is a usage error" {
	run -2 --separate-stderr "$BLKREEL" record --aggregate --files -o "$TRACE" -- true
	[[ $stderr == *"--files"* ]]
	[ ! -e "$TRACE" ]
}

@test "the recorder does not take 32-bit system calls for the 64-bit calls of the same number" {
	[ "$(uname -m)" = x86_64 ] || skip "needs an x86-64 machine"
	FILE="file"
	head -c 1048576 /dev/urandom >"$MNT/file"
	remount
	cat >"$BATS_TEST_TMPDIR/calls.py" <<-'END'
		import ctypes, mmap, os, sys
		# call(first, second, third, number): mov eax, ecx; mov ecx, esi; mov ebx, edi; int 0x80
		code = bytes.fromhex("5389c889f189fbcd805bc3")
		memory = mmap.mmap(-1, 8192, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40, 7)
		memory[: len(code)] = code
		at = ctypes.addressof(ctypes.c_char.from_buffer(memory))
		call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint, ctypes.c_uint, ctypes.c_uint, ctypes.c_uint)(at)
		assert call(0, 0, 0, 20) == os.getpid()
		if len(sys.argv) > 1:
		    fd = os.open(sys.argv[1], os.O_RDWR)
		    for i in range(5):
		        assert call(fd, 0, 0, 20) == os.getpid() # in 64 bits 20 is writev
		    assert call(fd, at + 4096, 4096, 3) == 4096 # read
		    assert call(fd, at + 4096, 100, 4) == 100 # write
	END
	python3 "$BATS_TEST_TMPDIR/calls.py" || skip "needs a kernel that runs 32-bit programs"
	record_accesses python3 "$BATS_TEST_TMPDIR/calls.py" "$MNT/file"
	[ "$(accesses "[(x['op'], x['offset'], x['bytes'], x['flags']) for x in r]")" = \
		"[('read', '0', '4096', 'kernel|bounded'), ('write', '4096', '100', 'kernel')]" ]
}
