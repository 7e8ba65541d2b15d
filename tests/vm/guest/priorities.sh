#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# IO priorities of requests (newer kernels store them in the bio only) and of bios.
# vm: --with ionice
. "$GUEST/lib.bash"
. "$GUEST/counts.bash"

# priorities: the number of reads with each priority; a level may be the kernel's choice.
priorities() {
	column t.reel ioprio | sort | uniq -c | awk '{ print $1, $2 }' | sed 's,idle/[07]$,idle,' | paste -sd' '
}

reads() {
	ionice -c 2 -n 7 "$HELPERS/issue_io" read "/dev/$disk" 97 4096
	ionice -c 1 -n 2 "$HELPERS/issue_io" read "/dev/$disk" 53 4096
	ionice -c 3 "$HELPERS/issue_io" read "/dev/$disk" 31 4096
}
export -f reads

make_null_blk priorities size=64 memory_backed=1 irqmode=0 || exit
export disk
for scheduler in none mq-deadline; do
	echo "$scheduler" >"/sys/block/$disk/queue/scheduler" || continue
	check "$scheduler: reads of three classes" record "$disk" bash -c reads
	check "$scheduler: each has the requested priority" equal "$(priorities)" "97 be/7 31 idle 53 rt/2"
done
modprobe brd rd_nr=1 rd_size=65536
disk=ram0
check "bios of three classes" record "$disk" bash -c reads
check "each has the requested priority" equal "$(priorities)" "97 be/7 31 idle 53 rt/2"
finish
