#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Devices with a fixed time per IO, by a clock that counts instructions: the time is attributed to the
# device, waiting to the queue, and next to nothing elsewhere.
# vm: --icount --with fio
. "$GUEST/lib.bash"
. "$GUEST/counts.bash"

# percentile COLUMN PERCENT: of a column of t.reel, in us.
percentile() {
	column t.reel "$1" | sort -n | awk -v p="$2" '{ v[NR] = $1 } END { printf "%d\n", v[int((NR * p + 99) / 100)] / 1000 }'
}

# sum COLUMN: in us.
sum() {
	column t.reel "$1" | awk '{ s += $1 } END { printf "%d\n", s / 1000 }'
}

# within PERCENT VALUE WANTED: at least WANTED, at most PERCENT more.
within() {
	between "$3" "$2" "$(($3 * (100 + $1) / 100))"
}

# reader DISK JOBS: 211 direct reads in all, by so many readers; prints fio's own mean latency in us.
reader() {
	fio --name=x --filename="/dev/$1" --readonly --rw=randread --bs=4k --direct=1 --ioengine=psync --thread \
		--numjobs="$2" --number_ios=$((211 / $2)) --group_reporting --output-format=terse | cut -d';' -f 40
}
export -f reader

# one_by_one DISK US FIXED_US: a reader that waits for each of its reads, of which each takes so long. What
# the emulated machine needs for a timer and an interrupt beside is at most FIXED_US.
one_by_one() {
	local name=$1 us=$2 fixed_us=$3 most p callers
	most=$((us + (us / 20 > fixed_us ? us / 20 : fixed_us)))
	check "$name $us us: reads are recorded" record "$name" bash -c "reader $name 1"
	callers=$(awk '{ printf "%d", $1 }' offsets)
	check "$name $us us: all of them" equal "$(column t.reel op | wc -l)" "$(delta $READS)"
	for p in 5 50 95; do
		check "$name $us us: p$p from issue to completion" between "$us" "$(percentile device_ns $p)" "$most"
	done
	check "$name $us us: p50 before the issue is no more than 5 %, or 50 us" \
		between 0 "$(percentile queue_ns 50)" $((us / 20 > 50 ? us / 20 : 50))
	check "$name $us us: the device has its share of the time" \
		between $((us * 1000 / (us + 50))) $(($(sum device_ns) * 1000 / $(sum latency_ns))) 1000
	check "$name $us us: the caller waited for that and for little more" \
		between $(($(sum latency_ns) / 211)) "$callers" $(($(sum latency_ns) / 211 + 200))
	# The kernel looks at the clock after the probe: at most 8 us later, at 2 ns an instruction.
	check "$name $us us: the sum of the latencies is the kernel's read ticks, to 2 % and the probe's time" \
		between $(($(delta $READ_TICKS) * 98 / 100 - 211 * 8 / 1000)) $(($(sum latency_ns) / 1000)) $(($(delta $READ_TICKS) * 102 / 100 + 1))
	check "$name $us us: nothing was lost" nothing_lost
}

# four_readers DISK US: for whom there is one tag. A scheduler that may hold requests holds three of them.
four_readers() {
	local name=$1 us=$2
	modprobe mq-deadline 2>/dev/null
	echo mq-deadline >"/sys/block/$name/queue/scheduler" && echo 64 >"/sys/block/$name/queue/nr_requests" || exit
	check "$name: four readers" record "$name" bash -c "reader $name 4"
	check "$name: the device takes $us us of each" within 5 "$(percentile device_ns 50)" "$us"
	check "$name: and three times that passes before" within 5 "$(percentile queue_ns 50)" $((3 * us))
	check "$name: three quarters of the time" between 730 $(($(sum queue_ns) * 1000 / $(sum latency_ns))) 770
	check "$name: explain names the queue as the cause" grep -q queue-dominates <("$BLKREEL" explain t.reel)
	check "$name: nothing was lost" nothing_lost
}

for us in 100 1000 10000; do
	make_null_blk "slow$us" size=64 memory_backed=1 irqmode=2 completion_nsec=${us}000 submit_queues=1 || exit
	one_by_one "$disk" $us 50
done

make_null_blk single size=64 memory_backed=1 irqmode=2 completion_nsec=10000000 submit_queues=1 hw_queue_depth=1 || exit
echo none >"/sys/block/$disk/queue/scheduler"
# Before it has a tag, an IO is no request yet (docs/kernels.md): readers wait four times as long as the rows show.
check "$disk: four readers without a scheduler" record "$disk" bash -c "reader $disk 4"
check "$disk: the device takes 10000 us of each" within 5 "$(percentile device_ns 50)" 10000
check "$disk: the rest passes before the request exists" between 28000 "$(awk '{ printf "%d", $1 }' offsets)" 42000
check "$disk: nothing was lost" nothing_lost
four_readers "$disk" 10000

modprobe sd_mod
modprobe scsi_debug dev_size_mb=64 ndelay=3000000 max_queue=1 || exit
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ -b /dev/sda ] && break
	sleep 0.2
done
one_by_one sda 3000 150
four_readers sda 3000
finish
