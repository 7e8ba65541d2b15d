#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# IOPS of blkreel and of fio with the same reads on a device that does nothing (null_blk), so that the players' own cost
# dominates. They take turns; the kernel counts the IOs. No test: it prints figures.
#
#   tests/vm/run 7.2 tests/vm/measure/asap.sh                  wall time, on the emulated machine
#   tests/vm/run 7.2 tests/vm/measure/asap.sh --icount         2 ns an instruction: the same each time
# vm: --with fio
# shellcheck source=../guest/lib.bash
. "$GUEST/lib.bash"

IOS=30011
DEPTH=32
TURNS=3

reads() {
	awk -v ios=$IOS 'BEGIN { srand(7); for (i = 0; i < ios; i++) printf "%d 1 read %d 4096\n", i, int(rand() * 262144) * 4096 }'
}

make_null_blk plain size=1024 queue_mode=2 irqmode=0 submit_queues=1 hw_queue_depth=128 || exit
reads | "$HELPERS/trace_from_text" t.reel 1G
{
	printf 'fio version 3 iolog\n0 /dev/%s add\n0 /dev/%s open\n' "$disk" "$disk"
	reads | awk -v disk="$disk" '{ print "0 /dev/" disk " read " $4 " 4096" }'
	echo "0 /dev/$disk close"
} >t.iolog

by_blkreel() {
	"$BLKREEL" replay t.reel --target "/dev/$disk" --mode asap --iodepth "$DEPTH" --reads-only --json >out.json &&
		sed -n 's/^  "iops": \([0-9]*\).*/\1/p' out.json
}

by_fio() {
	fio --name=replay --read_iolog=t.iolog --ioengine=io_uring --direct=1 --iodepth="$DEPTH" --replay_no_stall=1 "$@" \
		--output-format=terse --terse-version=3 | cut -d';' -f8
}

by_fio_fixed() {
	by_fio --fixedbufs=1
}

for ((turn = 0; turn < TURNS; turn++)); do
	for player in by_blkreel by_fio by_fio_fixed; do
		before=$(counter "$disk" 1)
		iops=$($player)
		echo "$player: $iops IOPS"
		check "the kernel counted $IOS reads" equal $(($(counter "$disk" 1) - before)) $IOS
	done
done
finish
