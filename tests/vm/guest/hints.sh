#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Write hints of requests and of bios: a field of 16 bits, later of 8, and none in between.
# vm: --with mkfs.ext4 --with dd
. "$GUEST/lib.bash"
. "$GUEST/counts.bash"

# hints: the number of writes of a process with each hint.
hints() {
	column t.reel flags --op write | grep -o "hint_[a-z]*" | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd' '
}

writes() {
	local hint=0 count
	for count in 7 11 13 17 19 23; do
		ISSUE_IO_HINT=$hint "$HELPERS/issue_io" write "$target" "$count" 4096
		hint=$((hint + 1))
	done
}
export -f writes

expected="23 hint_extreme 19 hint_long 17 hint_medium 13 hint_short"
grep -q bi_write_hint /sys/kernel/btf/vmlinux || expected=
make_null_blk hints size=64 memory_backed=1 irqmode=0 || exit
export target=/dev/$disk
for scheduler in none mq-deadline; do
	echo "$scheduler" >"/sys/block/$disk/queue/scheduler" || continue
	check "$scheduler: writes of six hints" record "$disk" bash -c writes
	check "$scheduler: each has its hint" equal "$(hints)" "$expected"
done
mkfs.ext4 -q "/dev/$disk" && mount -t ext4 "/dev/$disk" /mnt || exit
dd if=/dev/zero of=/mnt/file bs=1M count=4 2>/dev/null && sync
target=/mnt/file
check "a file of ext4: writes of six hints" record "$disk" bash -c writes
check "a file of ext4: each has its hint" equal "$(hints)" "$expected"
umount /mnt
modprobe brd rd_nr=1 rd_size=65536
disk=ram0 target=/dev/ram0
check "bios of six hints" record "$disk" bash -c writes
check "each has its hint" equal "$(hints)" "$expected"
finish
