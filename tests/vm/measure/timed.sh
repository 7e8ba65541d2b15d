#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Lateness of a replay on a device that does nothing (null_blk), without a host that takes CPU time: the first 600 s of a
# trace at 20x and 200x, by default and always awake, reported by blkreel; for fio only the duration is known. No test: it
# prints figures.
#
#   tests/vm/run 7.2 tests/vm/measure/timed.sh --icount --with webserver.reel
#
# Without --with it makes up a trace of bursts. The one CPU takes 1 ns per instruction (--icount-shift 0), at most a
# quarter of the speed of a current one: 200x here is more like 800x.
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

# Prints "due_ns op offset bytes" for each IO, at speed 1.
list_schedule() {
	"$BLKREEL" dump "$trace" --format csv --to "${SECONDS_PLAYED}s" | awk -F, '
		NR > 1 && ($3 == "read" || $3 == "write") && $5 > 0 {
			printf "%.0f %s %.0f %d\n", $1 * 1e9, $3, $4 * 512 % (1000 * 1048576), $5 }' | sort -n
}

# play PLAYER SPEED [OPTION...]
play() {
	case $1 in
	blkreel)
		"$BLKREEL" replay "$trace" --target "/dev/$disk" --to "${SECONDS_PLAYED}s" --fit wrap --speed "$2" \
			--iodepth "$DEPTH" --write --yes-destroy="/dev/$disk" --json "${@:3}" >out.json
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

# From the replay's report: lateness, and by how much the replay was too long.
own_figures() {
	awk '/"lateness_ns"/ { inside = 1 } /}/ { inside = 0 }
		{ gsub(/[",:]/, "") }
		inside && ($1 == "p50" || $1 == "p99" || $1 == "max") { printf " %s %.2f us", $1, $2 / 1000 }
		$1 == "duration_ns" { took = $2 } $1 == "intended_duration_ns" { should = $2 }
		END { printf ", longer by %.0f us\n", (took - should) / 1000 }' out.json
}

# fio reports no lateness: by how much it was too long, which is its lateness at the end.
fio_figures() {
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
	echo "blkreel at ${speed}x, reported:$(own_figures)"
	check "it did all IOs" equal "$(sed -n 's/^  "completed": \([0-9]*\).*/\1/p' out.json)" "$(wc -l <schedule)"
	play blkreel "$speed" --spin always
	echo "blkreel at ${speed}x, always awake, reported:$(own_figures)"
	play fio "$speed"
	echo "fio at ${speed}x:$(fio_figures "$speed")"
done
finish
