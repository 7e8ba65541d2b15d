#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Operations on the zones of a zoned device.
# vm: --with blkzone
. "$GUEST/lib.bash"
. "$GUEST/counts.bash"

# zone ACTION COUNT: applies it to so many zones of 4 MiB, from the second on.
zone() {
	blkzone "$1" -o 8192 -c "$2" "/dev/$disk"
}
export -f zone

rows_of() {
	column t.reel op | grep -cx "$1"
}

make_null_blk zones size=64 memory_backed=1 irqmode=0 zoned=1 zone_size=4 zone_nr_conv=0 || exit
export disk
check "zones are opened, written, closed, finished and reset" record "$disk" bash -c '
	zone open 3 && zone close 2 && zone open 1 && zone finish 5 && zone reset 7
	dd if=/dev/zero of=/dev/$disk bs=4k count=11 oflag=direct 2>/dev/null
	blkzone reset /dev/$disk'
check "4 zones are opened" equal "$(rows_of zone_open)" 4
check "2 zones are closed" equal "$(rows_of zone_close)" 2
check "5 zones are finished" equal "$(rows_of zone_finish)" 5
check "7 zones are reset by themselves" equal "$(rows_of zone_reset)" 7
check "all of them by one request" equal "$(rows_of zone_reset_all)" 1
check "11 sequential writes" equal "$(rows_of write)" 11
check "nothing was lost" nothing_lost
finish
