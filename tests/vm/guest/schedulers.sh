#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The same adjacent IOs in one submission under each scheduler: rows, merges and sectors equal the kernel's, and
# time in the scheduler counts as waiting before issue.
# vm: --with fio
. "$GUEST/lib.bash"
. "$GUEST/counts.bash"

WRITE_MERGES=6

neighbours=(--name=merge --rw=write --bs=4k --size=4M --direct=1 --ioengine=io_uring --iodepth=32
	--iodepth_batch_submit=32 --iodepth_batch_complete_min=32)

under() {
	local scheduler=$1
	modprobe -a "$scheduler" "$scheduler-iosched" 2>/dev/null
	if ! grep -qw "$scheduler" "/sys/block/$disk/queue/scheduler"; then
		skip "$scheduler" "this kernel has none"
		return
	fi
	echo "$scheduler" >"/sys/block/$disk/queue/scheduler"
	check "$scheduler: adjacent writes are recorded" \
		record "$disk" fio "${neighbours[@]}" "--filename=/dev/$disk"
	check "$scheduler: rows are the kernel's writes" equal "$(column t.reel op | grep -c write)" "$(delta $WRITES)"
	check "$scheduler: merges are the kernel's" \
		equal "$(column t.reel merges | awk '{ s += $1 } END { print s }')" "$(delta $WRITE_MERGES)"
	check "$scheduler: there were some" between 100 "$(delta $WRITE_MERGES)" 1023
	check "$scheduler: 4 MiB" equal "$(column t.reel bytes | awk '{ s += $1 } END { print s }')" 4194304
	check "$scheduler: nothing was lost" nothing_lost
	check "$scheduler: explain agrees with the kernel" agrees_with_kernel
	known_writes "$disk"
}

make_null_blk sched size=64 memory_backed=1 cache_size=4 irqmode=2 completion_nsec=1000000 \
	submit_queues=1 hw_queue_depth=4 || exit
for scheduler in none mq-deadline kyber bfq; do
	under "$scheduler"
done
finish
