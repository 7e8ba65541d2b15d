#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# More readers than CPUs, so that tasks are preempted, in probes too where the kernel allows it: nearly every
# row is complete, and the others are counted.
# vm: --virtio 64M --with fio
. "$GUEST/lib.bash"
. "$GUEST/counts.bash"

# incomplete: rows that lack an event, in tenths of a per cent.
incomplete() {
	column t.reel flags | awk '/event_missed|no_start|no_end/ { n++ } END { printf "%d\n", NR ? n * 1000 / NR : 1000 }'
}

make_null_blk busy size=64 memory_backed=0 irqmode=1 submit_queues=2 || exit
for target in "$disk" vda; do
	check "$target: eight readers on two CPUs" record "$target" fio --name=x --filename="/dev/$target" --readonly \
		--rw=randread --bs=4k --direct=1 --ioengine=psync --numjobs=8 --number_ios=2503 --output=/dev/null
	echo "# $target: $(column t.reel op | wc -l) rows for $(delta $READS) reads, $(incomplete) in a thousand incomplete," \
		"$(lost t.reel) losses counted"
	column t.reel flags | sort | uniq -c | sed 's/^/# /'
	check "$target: a row for each read, or one that is counted" between $(($(delta $READS) - $(lost t.reel))) \
		"$(column t.reel op --op read | wc -l)" "$(delta $READS)"
	check "$target: at most 2 % are incomplete" between 0 "$(incomplete)" 20
	if [ "$(incomplete)" != 0 ]; then
		check "$target: incomplete rows are counted" test "$(lost t.reel)" -gt 0
	fi
	if ! probes_are_preempted; then
		check "$target: this kernel preempts no probe: nothing is lost" nothing_lost
	fi
done
finish
