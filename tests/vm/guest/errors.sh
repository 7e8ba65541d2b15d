#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Failed requests carry the error that the caller got; the others carry none.
# vm: --with dd
. "$GUEST/lib.bash"
. "$GUEST/counts.bash"

# rows_with ERROR: the number of rows with this error.
rows_with() {
	column t.reel error | grep -cx -- "$1"
}

# sector_reads DISK SECTOR...: reads each separately and prints how many reads failed.
sector_reads() {
	local disk=$1 sector refused=0
	shift
	for sector in "$@"; do
		dd if="/dev/$disk" of=/dev/null bs=512 skip="$sector" count=1 iflag=direct 2>/dev/null ||
			refused=$((refused + 1))
	done
	echo "$refused"
}
export -f sector_reads

refused_by() {
	local disk=$1 error=$2
	shift 2
	check "$disk: reads are recorded" record "$disk" bash -c "sector_reads $disk $*"
	check "$disk: rows are the kernel's reads" equal "$(column t.reel op | grep -c read)" "$(delta $READS)"
	check "$disk: 3 of 7 failed" equal "$(cat offsets)" 3
	check "$disk: 3 rows have error $error" equal "$(rows_with "$error")" 3
	check "$disk: 4 rows have none" equal "$(rows_with 0)" 4
	check "$disk: nothing was lost" nothing_lost
}

make_null_blk bad size=64 memory_backed=1 irqmode=0 badblocks=+1000-1009 blocksize=512 || exit
refused_by "$disk" -5 8 1000 1004 2000 1009 1010 999

# A medium error at sectors 0x1234 to 0x123d (4660 to 4669).
modprobe sd_mod
modprobe scsi_debug dev_size_mb=64 opts=2 delay=0 || exit
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ -b /dev/sda ] && break
	sleep 0.2
done
refused_by sda -61 8 4660 4664 9000 4669 4670 4659
finish
