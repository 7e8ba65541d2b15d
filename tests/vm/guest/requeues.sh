#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A driver that requeues requests, and one that does not answer: one marked row for each IO, with the time from
# its first issue.
# vm: --with dd
. "$GUEST/lib.bash"
. "$GUEST/counts.bash"

BUSY=0x8000 TIMEOUT=4

flagged() {
	column t.reel flags | grep -c requeued
}

# events NAME: the number of such events in the kernel's own trace.
events() {
	grep -c " $1: " /sys/kernel/tracing/trace
}

traced() {
	echo >/sys/kernel/tracing/trace
	echo 1 >/sys/kernel/tracing/events/block/enable
	record "$@"
	echo 0 >/sys/kernel/tracing/events/block/enable
}

modprobe sd_mod
modprobe scsi_debug dev_size_mb=64 delay=0 max_queue=4 opts=0 || exit
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ -b /dev/sda ] && break
	sleep 0.2
done
settings=/sys/bus/pseudo/drivers/scsi_debug

echo $BUSY >$settings/opts
echo 10 >$settings/every_nth
check "a driver that is busy at every 10th command" traced sda "$HELPERS/issue_io" read /dev/sda 211 4096
echo 0 >$settings/every_nth
check "a row for each read" rows_are_offsets read
check "the kernel counted as many" equal "$(delta $READS)" 211
check "requests were requeued" between 20 "$(events block_rq_requeue)" 10000
check "as many rows are marked as requests were requeued" equal "$(flagged)" "$(
	awk '/ block_rq_requeue: / { sub(/.*\) /, ""); print $1 }' /sys/kernel/tracing/trace | sort -u | wc -l)"
check "none has an error" equal "$(column t.reel error | sort -u)" 0
check "nothing was lost" nothing_lost

echo 1 >/sys/block/sda/device/timeout
echo $TIMEOUT >$settings/opts
echo 3 >$settings/every_nth
# The driver decides whether a retry is dropped as well and the disk taken offline.
check "a driver that drops every 3rd command" record sda bash -c '
	for i in 1 2 3 4 5; do dd if=/dev/sda of=/dev/null bs=4k skip=$i count=1 iflag=direct 2>/dev/null || echo refused; done'
echo 0 >$settings/every_nth
check "a row for each read that the kernel counted" equal "$(column t.reel op --op read | wc -l)" "$(delta $READS)"
check "those without an error are those that the caller got" \
	equal "$(column t.reel error | grep -cx 0)" $((5 - $(grep -c refused offsets)))
check "dropped commands took more than a second" between 1 \
	"$(column t.reel device_ns | awk '$1 > 1e9' | wc -l)" 5
check "nothing was lost" nothing_lost
finish
