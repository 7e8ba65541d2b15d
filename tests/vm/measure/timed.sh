#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How late a trace is played on a device that does nothing (null_blk), when nobody takes the CPU away: the first 600 s of
# a trace at 20x and 200x, by blkreel as it says itself, and by fio, of which only the end is known. No test: it prints figures.
#
#   tests/vm/run 7.2 tests/vm/measure/timed.sh --icount --with webserver.reel
#
# With a trace that is given with --with; else with a made-up one of bursts. One CPU that does an instruction in 1 ns
# (--icount-shift 0), a quarter or less of what one of today does: 200x on it is rather 800x.
# vm: --with fio --icount-shift 0
# shellcheck source=../guest/lib.bash
. "$GUEST/lib.bash"

SECONDS_PLAYED=600
DEPTH=4096

# Bursts of 1 to 240 IOs within 10 ms, of which there are 10 a second.
make_trace() {
	awk 'BEGIN {
		srand(7)
		for (t = 0; t < 600e6; t += rand() * 2e5)
			for (i = int(1 / (rand() + 1 / 240)); i; i--)
				print int(t + rand() * 1e4), 1, rand() < 0.5 ? "read" : "write", int(rand() * 262144) * 4096, 4096
	}' | sort -n | "$HELPERS/trace_from_text" made.reel 1G
	echo made.reel
}

# due_ns op offset bytes, a line for each IO, of speed 1.
list_schedule() {
	"$BLKREEL" dump "$trace" --format csv --to "${SECONDS_PLAYED}s" | awk -F, '
		NR > 1 && ($3 == "read" || $3 == "write") && $5 > 0 {
			printf "%.0f %s %.0f %d\n", $1 * 1e9, $3, $4 * 512 % (1000 * 1048576), $5 }' | sort -n
}

# play PLAYER SPEED
play() {
	case $1 in
	blkreel)
		"$BLKREEL" replay "$trace" --target "/dev/$disk" --to "${SECONDS_PLAYED}s" --fit wrap --speed "$2" \
			--iodepth "$DEPTH" --write --yes-destroy="/dev/$disk" --json >out.json
		;;
	fio)
		{
			printf 'fio version 3 iolog\n0 /dev/%s add\n0 /dev/%s open\n' "$disk" "$disk"
			awk -v disk="$disk" -v speed="$2" '
				{ printf "%d /dev/%s %s %s %d\n", $1 / 1000 / speed, disk, $2, $3, $4 }' schedule
			echo "0 /dev/$disk close"
		} >t.iolog
		fio --name=replay --read_iolog=t.iolog --ioengine=io_uring --direct=1 --iodepth="$DEPTH" >fio.out
		;;
	esac
}

# What a replay says of itself: the lateness, and by how much it took longer than it should.
own_words() {
	awk '/"lateness_ns"/ { inside = 1 } /}/ { inside = 0 }
		{ gsub(/[",:]/, "") }
		inside && ($1 == "p50" || $1 == "p99" || $1 == "max") { printf " %s %.2f us", $1, $2 / 1000 }
		$1 == "duration_ns" { took = $2 } $1 == "intended_duration_ns" { should = $2 }
		END { printf ", longer by %.0f us\n", (took - should) / 1000 }' out.json
}

# fio says nothing of lateness: by how much it took longer, which is how late it was at the end.
fio_words() {
	local took_ms
	took_ms=$(sed -n 's/.*run=[0-9]*-\([0-9]*\)msec.*/\1/p' fio.out | head -n 1)
	tail -n 1 schedule | awk -v speed="$1" -v took="$took_ms" '{ printf " longer by %.0f us\n", took * 1000 - $1 / 1000 / speed }'
}

trace=$(find / \( -path /proc -o -path /sys \) -prune -o -name '*.reel' -print | head -n 1)
[ -n "$trace" ] || trace=$(make_trace)
list_schedule >schedule
make_null_blk plain size=1024 queue_mode=2 irqmode=0 submit_queues=1 hw_queue_depth=128 || exit
for speed in 20 200; do
	play blkreel "$speed"
	echo "blkreel at ${speed}x, by itself:$(own_words)"
	check "it did all IOs" equal "$(sed -n 's/^  "completed": \([0-9]*\).*/\1/p' out.json)" "$(wc -l <schedule)"
	play fio "$speed"
	echo "fio at ${speed}x:$(fio_words "$speed")"
done
finish
