#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# dm-delay over a fast disk and over a slow one: time is attributed to the layer where it is spent.
# vm: --icount --with dmsetup
. "$GUEST/lib.bash"

DELAY_MS=10 DISK_MS=3 LEAST_MS=6 MOST_MS=18

# percentile DEVICE COLUMN PERCENT: in us.
percentile() {
	column t.reel "$2" -d "$1" | sort -n | awk -v p="$3" '{ v[NR] = $1 } END { printf "%d\n", v[int((NR * p + 99) / 100)] / 1000 }'
}

# passed_on FIELD: from explain's JSON; only the upper device has more than 0.
passed_on() {
	"$BLKREEL" explain t.reel --json | awk -v field="\"$1\":" '
		/"lower_devices"/ { inside = 1 } inside && $1 == field { n += $2 } /}/ { inside = 0 } END { printf "%d\n", n }'
}

record_reads() {
	"$BLKREEL" record -d "$1" --stack -o t.reel -- "$HELPERS/issue_io" read "/dev/$1" "$2" 4096 >/dev/null 2>record.err
}

# delayed DISK DISK_US: reads through 10 ms of dm-delay, which counts jiffies of 4 ms: from the one that has begun.
delayed() {
	local below=$1 disk_us=$2 dm
	dmsetup create --noudevsync --noudevrules delayed --table "0 65536 delay /dev/$below 0 $DELAY_MS" || exit
	dm=dm-$(dmsetup info -c --noheadings -o minor delayed)
	check "$below: 97 reads through dm-delay" record_reads "$dm" 97
	check "$below: 97 rows above" equal "$(column t.reel op -d "$dm" | wc -l)" 97
	check "$below: 97 rows below" equal "$(column t.reel op -d "$below" | wc -l)" 97
	check "$below: above they take the delay and the disk's time" between $((LEAST_MS * 1000 + disk_us)) \
		"$(percentile "$dm" latency_ns 50)" $((MOST_MS * 1000 + disk_us))
	check "$below: below they take the disk's time" between "$disk_us" \
		"$(percentile "$below" latency_ns 50)" $((disk_us + 200))
	check "$below: the delay is between the two" between $((LEAST_MS * 1000)) \
		$(($(percentile "$dm" latency_ns 50) - $(percentile "$below" latency_ns 50))) $((MOST_MS * 1000))
	if grep -q dm_submit_bio_remap /proc/kallsyms; then
		check "$below: all of them are passed on" equal "$(passed_on ios)" 97
		check "$below: what passes below is the disk's time" between $((disk_us * 97)) \
			$(($(passed_on below_ns) / 1000)) $(((disk_us + 200) * 97))
		check "$below: the rest stays in the upper layer: 10 ms, give or take jiffies" between $((LEAST_MS * 97)) \
			$((($(passed_on latency_ns) - $(passed_on below_ns)) / 1000000)) $((MOST_MS * 97))
	else
		skip "$below: the share of each layer" "this kernel does not show bios that targets submit themselves"
	fi
	check "$below: nothing was lost" equal "$(lost t.reel)" 0
	dmsetup remove delayed
}

modprobe -a dm-mod dm-delay brd
make_null_blk slow size=64 memory_backed=1 irqmode=2 completion_nsec=${DISK_MS}000000 submit_queues=1 || exit
delayed "$disk" $((DISK_MS * 1000))
make_null_blk fast size=64 memory_backed=1 irqmode=0 submit_queues=1 || exit
delayed "$disk" 0
finish
