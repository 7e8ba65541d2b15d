#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Writes that must reach the medium: each row has the flag, and the kernel's flushes on a disk with a write
# cache equal its count.
# vm: --virtio 64M --with dd --with mkfs.ext4
. "$GUEST/lib.bash"
. "$GUEST/counts.bash"

# rows_with OP FLAG
rows_with() {
	"$BLKREEL" dump t.reel --format csv --op "$1" | awk -F, -v flag="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		("|" $c["flags"] "|") ~ ("[|]" flag "[|]")' | wc -l
}

# The kernel makes each of them a write with FUA, and asks for a flush after it.
check "13 writes with O_DSYNC" record vda dd if=/dev/zero of=/dev/vda bs=4k count=13 oflag=direct,dsync status=none
check "13 rows of writes, 13 of requests for a flush" equal "$(column t.reel bytes --op write | sort | uniq -c | xargs)" "13 0 13 4096"
check "each write has the flag fua" equal "$(rows_with write fua)" 13
check "each request for a flush has the flag preflush" equal "$(rows_with write preflush)" 13
check "flushes are those of the kernel" equal "$(column t.reel op --op flush | wc -l)" "$(delta $FLUSHES)"
check "there are 26 of them" equal "$(delta $FLUSHES)" 26
check "each is marked as the kernel's own" equal "$(rows_with flush flush_machinery)" 26
check "nothing was lost" nothing_lost

mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 /dev/vda && mount /dev/vda /mnt || exit
check "7 commits of a journal" record vda bash -c '
	for i in 1 2 3 4 5 6 7; do dd if=/dev/zero of=/mnt/$i bs=4k count=1 conv=fsync 2>/dev/null; done'
check "rows of writes are the kernel's" equal "$(column t.reel op --op write | wc -l)" "$(delta $WRITES)"
check "flushes are those of the kernel" equal "$(column t.reel op --op flush | wc -l)" "$(delta $FLUSHES)"
check "each commit flushed the cache first" equal "$(rows_with write preflush)" 7
check "and each must reach the medium" equal "$(rows_with write fua)" 7
check "nothing was lost" nothing_lost
finish
