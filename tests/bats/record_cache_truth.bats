#!/usr/bin/env bats
# bats file_tags=slow
# SPDX-License-Identifier: MIT
# The page-cache account of each way to read and write, compared with mincore(2), cachestat(2) and
# getrusage(2).
# bats file_tags=root

# shellcheck disable=SC2034 # helpers/disturbance.bash says what this is
DISTURBED_BY="reclaim skip"
load test_helper

setup() {
	need_loop
	need_probes
	need_figure cache_demand_misses
	make_loop 512M
	TRUTHS=$BATS_TEST_TMPDIR/truths
	mkdir "$TRUTHS"
}

# check_cases CASES: records them, each on its file, and compares.
check_cases() {
	local trace=$BATS_TEST_TMPDIR/t.reel
	make_case_files "$1"
	# shellcheck disable=SC2016 # expanded by the shell that is recorded
	"$BLKREEL" record --cache -d "$LOOP" -o "$trace" -- bash -c '
		while read -r name how order rest; do
			"$HELPERS/cached_io" $how $order "$1/$name" $rest >"$2/$name" || exit 1
		done' - "$MNT" "$TRUTHS" <<<"$1" >/dev/null
	"$BLKREEL" dump --rows cache --format csv "$trace" >"$BATS_TEST_TMPDIR/cache.csv"
	python3 "$ROOT/tests/helpers/check_cache_rows.py" "$TRUTHS" "$BATS_TEST_TMPDIR/cache.csv"
	"$BLKREEL" info --json "$trace" >"$BATS_TEST_TMPDIR/info.json"
	[ "$(json "$BATS_TEST_TMPDIR/info.json" "d['lost']['cache_table'] + d['lost']['recursion']")" = 0 ]
}

reads="cold-random pread random 4096 503
cold-forward pread forward 4096 701
cold-large pread forward 1048576 3
cold-large-random pread random 1048576 3
cold-odd read forward 10000 283
cold-backward pread backward 4096 601 600
cold-vectors preadv forward 262144 11
cold-past-end pread forward 3000000 3
cold-faults mmap forward 4096 769
cold-faults-random mmap random 4096 769
cold-sendfile sendfile forward 65536 47
cold-splice splice forward 65536 47
cold-sendfile-bounded sendfile forward 1048576 3
cold-uring uring random 4096 503
cold-uring-large uring forward 1048576 3
cold-uring-deep-bounded uring-deep forward 1048576 3
cold-readers pread forward 65536 47 0 4
cold-sparse pread forward 65536 49
cold-cut truncate forward 4096 601
cold-removed unlink forward 4096 601
half-random pread random 4096 503
half-forward pread forward 4096 701
half-large readv forward 1048576 3
half-faults-random mmap random 4096 769
half-sendfile sendfile forward 65536 47
half-splice splice random 65536 47
half-uring uring random 4096 503
half-uring-large uring forward 1048576 3
half-uring-deep-bounded uring-deep forward 1048576 3
half-uring-deep-random uring-deep random 131072 23
half-readers pread random 65536 47 0 4
half-past-end pread forward 3000000 3
cold-nowait nowait forward 4096 503
cold-nowait-random nowait random 4096 503
cold-nowait-large nowait forward 1048576 3
half-nowait nowait random 4096 503
half-nowait-large nowait forward 1048576 3
cold-efault efault random 1048576 3
cold-efault-half efault-half random 262144 11
half-efault-half efault-half random 262144 11
half-efault-half-random efault-half random 24576 128
warm-efault efault forward 1048576 3
warm-efault-half efault-half forward 1048576 3
warm-random pread random 4096 503
warm-large preadv forward 1048576 3
warm-faults mmap forward 4096 769
warm-sendfile sendfile forward 65536 47
warm-uring-large uring forward 1048576 3
warm-uring-deep uring-deep forward 1048576 3"

# Without blocks that files share, or copy_file_range reads nothing.
copies="cold-copied copy-from forward 65536 47
half-copied copy-from random 65536 47
warm-copied copy-from forward 1048576 3"

@test "ext4: each way of reading, cold, half-warm and warm: the account is right to the page" {
	mount_new ext4
	check_cases "$reads
$copies"
}

@test "ext4 with blocks of 1 KiB: the account of reads is right to the page" {
	mount_new ext4 -b 1024
	check_cases "$reads"
}

@test "xfs: the account of reads is right to the page" {
	mount_new xfs
	check_cases "$reads"
}

@test "btrfs: the account of reads is right to the page" {
	mount_new btrfs
	check_cases "$reads"
}

writes="warm-written pwrite random 4096 503
cold-written pwrite forward 4096 503
cold-written-large write forward 65536 40
written-new write forward 4096 503
written-new-twice pwrite twice 4096 1006
written-new-odd write forward 1000 503
written-new-aio aio-write forward 65536 40
written-new-uring uring-write forward 65536 40
written-new-uring-random uring-write random 4096 503
written-new-uring-worker uring-write-async forward 65536 40
written-new-copy copy-to forward 65536 40
warm-written-uring uring-write random 4096 503
cold-written-aio aio-write forward 4096 503
written-new-large pwrite forward 65536 40"

@test "ext4: new, overwritten, partial and appended pages are dirtied once each" {
	mount_new ext4 -b 4096
	check_cases "$writes"
}

@test "xfs: new, overwritten, partial and appended pages are dirtied once each" {
	grep -q '^xfs ' /proc/modules && skip "needs a kernel with xfs built in"
	mount_new xfs -m reflink=0
	check_cases "$writes"
}
