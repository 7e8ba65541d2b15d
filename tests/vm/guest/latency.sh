#!/usr/bin/env bash
# A device whose every IO takes 2 ms of the guest's clock, which counts instructions: what is
# recorded is that, at every depth.
# vm: --icount
. "$GUEST/lib.bash"
. "$GUEST/counts.bash"

# percentile COLUMN PERCENT: of a column of t.reel, in us.
percentile() {
	column t.reel "$1" | sort -n | awk -v p="$2" '{ v[NR] = $1 } END { printf "%d\n", v[int((NR * p + 99) / 100)] / 1000 }'
}

make_null_blk slow size=64 memory_backed=1 irqmode=2 completion_nsec=2000000 submit_queues=1 || exit

record "$disk" "$HELPERS/issue_io" read "/dev/$disk" 307 4096
check "307 reads were recorded" equal "$(column t.reel op | wc -l)" 307
for p in 5 50 95; do
	check "p$p from issue to completion is 2 ms" between 2000 "$(percentile device_ns $p)" 2040
done
check "p50 before the issue is a few microseconds" between 1 "$(percentile queue_ns 50)" 50
ours_ms=$(column t.reel latency_ns | awk '{ s += $1 } END { printf "%d", s / 1e6 }')
check "the sum of the latencies is the kernel's read ticks, to 2 %" \
	between "$(($(delta $READ_TICKS) * 98 / 100))" "$ours_ms" "$(($(delta $READ_TICKS) * 102 / 100 + 1))"
busy_ms=$("$BLKREEL" explain t.reel --json | sed -n 's/.*"busy_ns": \([0-9]*\)[0-9]\{6\},*$/\1/p' | head -n 1)
check "busy for 307 times 2 ms" between 614 "$busy_ms" 640
finish
