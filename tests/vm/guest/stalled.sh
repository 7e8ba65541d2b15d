#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A recorder is stopped while more requests complete than it can sort at once: its rows are still in the order of
# completion, with shared memory and, where probes are preempted, with ring buffers.
. "$GUEST/lib.bash"

READS=12000

stalled() {
	local recorder cpu load=()
	"$BLKREEL" record -d "$disk" -o t.reel --ring-size 16M 2>messages &
	recorder=$!
	until grep -q "recording into" messages; do sleep 0.1; done
	kill -STOP "$recorder"
	for cpu in 0 1; do
		taskset "$((cpu + 1))" bash -c "for i in 1 2; do $HELPERS/issue_io read /dev/$disk $READS 4096; done" >/dev/null &
		load+=($!)
	done
	wait "${load[@]}"
	kill -CONT "$recorder"
	kill -TERM "$recorder"
	wait "$recorder"
}

in_order() {
	column t.reel completed_ns | awk '$1 != "" { if ($1 < last) late++; last = $1 } END { if (late) print "# " late " rows are out of order"; exit late > 0 }'
}

make_null_blk stalled size=64 memory_backed=0 irqmode=0 submit_queues=2 || exit
check "a recorder is stopped for $((4 * READS)) reads" stalled
check "each of them is a row" equal "$(column t.reel op | grep -c read)" "$((4 * READS))"
check "the rows are in the order of completion" in_order
finish
