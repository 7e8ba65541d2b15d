#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# IO that is split before issue, and requests that complete in parts: one complete row for each request of the driver.
# vm: --virtio 64M --with dd
. "$GUEST/lib.bash"
. "$GUEST/counts.bash"

# completions: the kernel's own count of completed requests and parts.
completions() {
	grep -c ' block_rq_complete: ' /sys/kernel/tracing/trace
}

traced() {
	echo >/sys/kernel/tracing/trace
	echo 1 >/sys/kernel/tracing/events/block/block_rq_complete/enable
	record "$@"
	echo 0 >/sys/kernel/tracing/events/block/block_rq_complete/enable
}

echo 64 >/sys/block/vda/queue/max_sectors_kb
check "7 MiB in IOs of 1 MiB to a disk that takes 64 KiB" \
	record vda dd if=/dev/vda of=/dev/null bs=1M count=7 iflag=direct status=none
check "split: 112 rows" equal "$(column t.reel op | wc -l)" 112
check "split: of 64 KiB each" equal "$(column t.reel bytes | sort | uniq -c | xargs)" "112 65536"
check "split: the kernel counted as many" equal "$(delta $READS) $(delta $READ_SECTORS)" "112 14336"
check "split: no sector twice" equal "$(column t.reel sector | sort -n | uniq | awk '{ s += $1 / 128 } END { print s, NR }')" "6216 112"
check "split: nothing was lost" nothing_lost

modprobe sd_mod
modprobe scsi_debug dev_size_mb=64 delay=0 opts=2 || exit
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ -b /dev/sda ] && break
	sleep 0.2
done
# A medium error at sectors 4660 to 4669: the first 4 of these 16 sectors come, then the rest fails.
refused() {
	dd if=/dev/sda of=/dev/null bs=8k skip=291 count=1 iflag=direct 2>/dev/null && return 1
	dd if=/dev/sda of=/dev/null bs=8k skip=290 count=1 iflag=direct 2>/dev/null
}
export -f refused
check "a read that fails in its middle" traced sda bash -c refused
check "middle: one row of two has the error" equal "$(column t.reel error | sort -n | xargs)" "-61 0"
check "middle: both are whole" equal "$(column t.reel bytes | xargs)" "8192 8192"
check "middle: they begin where the reads did" equal "$(column t.reel sector | sort -n | xargs)" "4640 4656"
check "middle: the kernel completed more parts than rows" between 3 "$(completions)" 100
check "middle: nothing was lost" nothing_lost
finish
