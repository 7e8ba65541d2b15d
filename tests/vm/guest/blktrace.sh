#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# blktrace records the same run: IOs, order and times must agree.
# vm: --icount --virtio 64M --with blktrace --with blkparse --with fio
. "$GUEST/lib.bash"

# both DISK COMMAND...: writes our t.reel and its rows with data, and blktrace's events: action, flags, sector, bytes, time
# in ns.
both() {
	local disk=$1 tracer status
	shift
	rm -f by.blktrace.*
	blktrace -d "/dev/$disk" -b 1024 -n 8 -o by >/dev/null 2>blktrace.err &
	tracer=$!
	until [ -e "/sys/kernel/debug/block/$disk/dropped" ] && [ -e by.blktrace.0 ]; do
		kill -0 "$tracer" 2>/dev/null || return
		sleep 0.1
	done
	sleep 0.5
	"$BLKREEL" record -d "$disk" -o t.reel -- "$@" >/dev/null 2>record.err
	status=$?
	dropped=$(cat "/sys/kernel/debug/block/$disk/dropped")
	kill -INT "$tracer"
	wait "$tracer"
	blkparse -q -i by -f '%a %d %S %N %T %t\n' 2>/dev/null | awk 'NF == 6 { print $1, $2, $3, $4, $5 * 1000000000 + $6 }' \
		CONVFMT=%.0f OFMT=%.0f >events
	"$BLKREEL" dump t.reel --format csv | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["bytes"] > 0 { print $c["op"], $c["sector"], $c["bytes"], $c["latency_ns"], $c["device_ns"] }' >rows
	return "$status"
}

# For both: each completed IO with data, in order: R or W, sector, bytes.
their_ios() {
	awk '$1 == "C" && $4 > 0 { print $2 ~ /R/ ? "R" : $2 ~ /D/ ? "D" : "W", $3, $4 }' events
}

our_ios() {
	awk '{ print toupper(substr($1, 1, 1)), $2, $3 }' rows
}

same_ios() {
	their_ios >theirs
	our_ios >ours
	cmp theirs ours && return
	echo "# blktrace has $(wc -l <theirs), we have $(wc -l <ours)"
	diff theirs ours | head -n 6 | sed 's/^/# /'
	return 1
}

median() {
	sort -n | awk '{ v[NR] = $1 } END { printf "%d\n", v[int((NR + 1) / 2)] }'
}

# their_times ACTION: from the last event of this kind at its sector to the completion of each IO, in ns.
their_times() {
	awk -v from="$1" '$1 == from { at[$3] = $5 } $1 == "C" && $4 > 0 { print ($3 in at) ? $5 - at[$3] : "-" }' \
		CONVFMT=%.0f OFMT=%.0f events
}

# same_times ACTION COLUMN: each IO by itself; half of them are less than 10 us apart. COLUMN of rows: 4 is latency_ns, 5
# device_ns.
same_times() {
	their_times "$1" >theirs
	awk -v column="$2" '{ print $column }' rows >ours
	paste theirs ours | awk '$1 != "-" { d = $1 - $2; print d < 0 ? -d : d }' >apart
	echo "# p50 $(grep -v - theirs | median) ns by blktrace, $(median <ours) ns by us;" \
		"$(median <apart) ns apart ($(wc -l <apart) of $(wc -l <ours) IOs)"
	between 0 "$(median <apart)" 10000 && between $(($(wc -l <ours) * 9 / 10)) "$(wc -l <apart)" "$(wc -l <ours)"
}

agree() {
	local name=$1 disk=$2 least=$3
	shift 3
	check "$name: recorded by both" both "$disk" "$@"
	check "$name: blktrace dropped nothing" equal "$dropped" 0
	check "$name: nor did we" equal "$(lost t.reel)" 0
	check "$name: the same IOs in the same order" same_ios
	check "$name: as many as there were" between "$least" "$(wc -l <ours)" 100000
	check "$name: Q2C is that of blktrace to 10 us" same_times Q 4
	check "$name: D2C is that of blktrace to 10 us" same_times D 5
}

if [ ! -e /sys/block/vda/trace ]; then
	skip "blktrace agrees" "this kernel has no CONFIG_BLK_DEV_IO_TRACE"
	check "nothing else" true
	finish
fi
fio=(fio --name=x --bs=4k --direct=1 --output=/dev/null)
agree "virtio-blk, reads" vda 307 "$HELPERS/issue_io" read /dev/vda 307 4096
agree "virtio-blk, writes and flushes" vda 307 "$HELPERS/issue_io" write /dev/vda 307 4096 50
agree "virtio-blk, 8 at a time" vda 499 "${fio[@]}" --filename=/dev/vda --rw=randrw --ioengine=io_uring --iodepth=8 --number_ios=499
make_null_blk slow size=64 memory_backed=1 irqmode=2 completion_nsec=1000000 submit_queues=1 || exit
agree "null_blk of 1 ms, reads" "$disk" 307 "$HELPERS/issue_io" read "/dev/$disk" 307 4096
agree "null_blk of 1 ms, merged" "$disk" 16 "${fio[@]}" --filename="/dev/$disk" --rw=write --size=4M --ioengine=io_uring \
	--iodepth=32 --iodepth_batch_submit=32 --iodepth_batch_complete_min=32
finish
