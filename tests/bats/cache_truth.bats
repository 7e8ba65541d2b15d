#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The page-cache account of every way of reading and writing, against mincore(2), cachestat(2) and
# getrusage(2).
# bats file_tags=root

load test_helper

# The kernel does not report every event of every IO (docs/design/block-probes.md): a test that needs all of
# them is then tried again.
export BATS_TEST_RETRIES=2

setup() {
	need_loop
	need_probes
	"$BLKREEL" doctor --json >"$BATS_TEST_TMPDIR/doctor.json"
	[ "$(json "$BATS_TEST_TMPDIR/doctor.json" "[f['quality'] for f in d['figures'] if f['figure'] == 'cache_demand_misses'][0]")" = exact ] ||
		skip "needs a kernel where cache_demand_misses is exact"
	make_loop 512M
	MNT=$BATS_TEST_TMPDIR/mnt
	TRUTHS=$BATS_TEST_TMPDIR/truths
	mkdir "$MNT" "$TRUTHS"
}

# use FILESYSTEM [OPTION...]: makes it and mounts it. No thread of its own reads or writes later.
use() {
	local kind=$1
	shift
	need_command "mkfs.$kind"
	case $kind in
	ext4) mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$@" "$LOOP" ;;
	xfs) mkfs.xfs -q -f -K "$@" "$LOOP" ;;
	btrfs) mkfs.btrfs -q -f -K "$@" "$LOOP" ;;
	esac
	mount "$LOOP" "$MNT" || skip "needs $kind"
}

# prepare CASES: a file of 769 pages, the last not full, for each that reads; in the cache as its name says.
prepare() {
	local name _
	while read -r name _; do
		case $name in *written-new*) continue ;; esac
		head -c 3147000 /dev/urandom >"$MNT/$name"
		case $name in *sparse*) fallocate -p -o 1048576 -l 524288 "$MNT/$name" ;; esac
	done <<<"$1"
	umount "$LOOP"
	mount "$LOOP" "$MNT"
	python3 - "$MNT" <<-'END'
		import os, sys
		for name in os.listdir(sys.argv[1]):
		    if name.startswith(("warm", "half")):
		        fd = os.open(os.path.join(sys.argv[1], name), os.O_RDONLY)
		        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
		        for page in range(769):
		            if name.startswith("warm") or page // 7 % 2 == 0:
		                os.pread(fd, 4096, page * 4096)
	END
}

# check CASES: records them, each on its file, and compares.
check() {
	local trace=$BATS_TEST_TMPDIR/t.reel
	prepare "$1"
	# shellcheck disable=SC2016 # expanded by the shell that is recorded
	"$BLKREEL" record --cache -d "$LOOP" -o "$trace" -- bash -c '
		while read -r name how order rest; do
			"$HELPERS/cache_truth" $how $order "$1/$name" $rest >"$2/$name" || exit 1
		done' - "$MNT" "$TRUTHS" <<<"$1" >/dev/null
	"$BLKREEL" dump --rows cache --format csv "$trace" >"$BATS_TEST_TMPDIR/cache.csv"
	python3 "$ROOT/tests/helpers/cache_check.py" "$TRUTHS" "$BATS_TEST_TMPDIR/cache.csv"
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
warm-random pread random 4096 503
warm-large preadv forward 1048576 3
warm-faults mmap forward 4096 769
warm-sendfile sendfile forward 65536 47
warm-uring-large uring forward 1048576 3
warm-uring-deep uring-deep forward 1048576 3"

@test "ext4: every way of reading, cold, half-warm and warm, to the page" {
	use ext4
	check "$reads"
}

@test "ext4 with blocks of 1 KiB" {
	use ext4 -b 1024
	check "$reads"
}

@test "xfs: the same" {
	use xfs
	check "$reads"
}

@test "btrfs: the same" {
	use btrfs
	check "$reads"
}

writes="warm-written pwrite random 4096 503
cold-written pwrite forward 4096 503
cold-written-large write forward 65536 40
written-new write forward 4096 503
written-new-twice pwrite twice 4096 1006
written-new-odd write forward 1000 503
written-new-large pwrite forward 65536 40"

@test "writes: new pages, overwritten ones, parts of pages, appended; each dirtied once (ext4)" {
	use ext4 -b 4096
	check "$writes"
}

@test "writes on xfs" {
	grep -q '^xfs ' /proc/modules && skip "needs a kernel with xfs built in"
	use xfs
	check "$writes"
}
