#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The same as cache.sh, with kprobes instead of fentry; and with more readers than the kernel has return probes for.
# vm: --virtio 128M --virtio 384M --with mkfs.ext4 --with mkfs.xfs --with fio --with dd
export BLKREEL_FORCE_TIER=kprobe
. "$GUEST/lib.bash"
. "$GUEST/cache.bash"

by_kprobe() {
	"$BLKREEL" doctor --json | tr -d ' \n' | grep -q '"figure":"cache_reads","quality":"[a-z]*","how":"kprobe"'
}

# 32 tasks read each page of the file once and wait for a slow device.
many_readers() {
	make_null_blk slow size=64 memory_backed=1 irqmode=2 completion_nsec=3000000 queue_mode=2 hw_queue_depth=64 || exit
	device=$disk
	mkfs.ext4 -q "/dev/$device" && mount "/dev/$device" /mnt && dd if=/dev/urandom of=/mnt/file bs=1M count=16 2>/dev/null ||
		exit
	forget
	check "32 readers at once" record fio --name=r --filename=/mnt/file --readonly --rw=randread --bs=4k --numjobs=32 \
		--size=512k --offset_increment=512k --thread --ioengine=psync --invalidate=0 --output=/dev/null
	expect "32 readers read 4,096 pages" cache_reads read pages 4096
	expect "all of them were demand misses" cache_demand_misses read demand_miss_pages 4096
	check "4,096 reads of the device" equal "$(file_reads)" 4096
	check "nothing was lost" equal "$(lost t.reel)" 0
	umount /mnt
}

device=vda
on ext4
device=vdb
on xfs
fs=ext4
! by_kprobe || many_readers
finish
