#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Many discards at once on NVMe, which the kernel merges: ios, merges and sectors equal its counts, also when their
# interrupts come while other IOs are polled for.
# vm: --nvme 256M --append nvme_core.multipath=N --append nvme.poll_queues=1
. "$GUEST/lib.bash"
. "$GUEST/counts.bash"

DISK=nvme0n1
DISCARDS_MADE=9973
DISCARD_MERGES=13

# apart: discards of 4 KiB, each in 16 KiB of its own.
apart() {
	awk -v n="$DISCARDS_MADE" 'BEGIN {
		for (i = 0; i < n; i++) print i, 1, "discard", i * 7919 % 16384 * 16384, 4096 }'
}

# Of eight IOs three can be polled for; the others complete by an interrupt.
between_polled() {
	awk 'BEGIN {
		split("read write write_fua write_preflush flush discard write_zeroes read", ops, " ")
		for (i = 0; i < 5003; i++) {
			op = ops[1 + i * 5 % 8]; flag = ""
			if (op ~ /^write_[fp]/) { flag = substr(op, 7); op = "write" }
			print i * 300, 1, op, op == "flush" ? 0 : i * 37 % 64 * 16384, op == "flush" ? 0 : 4096 * (1 + i % 7), flag
		}
	}'
}

# play TRACE OPTION...: replays in mode asap, so that adjacent IOs are submitted together.
play() {
	"$BLKREEL" replay "$1" --target "/dev/$DISK" --write --yes-destroy "/dev/$DISK" --mode asap "${@:2}"
}

# sum COLUMN: of the rows of discards.
sum() {
	"$BLKREEL" dump t.reel --format csv | awk -F, -v name="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$column["op"] == "discard" { n += $column[name] } END { printf "%.0f\n", n }'
}

discards_are_the_kernels() {
	check "$1: rows of discards are those that the kernel counted ($(delta $DISCARDS))" \
		equal "$(column t.reel op | grep -c '^discard')" "$(delta $DISCARDS)"
	check "$1: merges of discards ($(delta $DISCARD_MERGES))" equal "$(sum merges)" "$(delta $DISCARD_MERGES)"
	check "$1: sectors of discards" equal "$(($(sum bytes) / 512))" "$(delta $DISCARD_SECTORS)"
	check "$1: nothing was lost" nothing_lost
	check "$1: explain agrees with the kernel" agrees_with_kernel
}

under() {
	modprobe -a "$1" "$1-iosched" 2>/dev/null
	if ! grep -qw "$1" /sys/block/$DISK/queue/scheduler; then
		skip "$1" "this kernel has none"
		return
	fi
	echo "$1" >/sys/block/$DISK/queue/scheduler
	check "$1: $DISCARDS_MADE discards" record $DISK bash -c "play apart.reel"
	discards_are_the_kernels "$1"
	check "$1: all of them are accounted for" equal "$(($(delta $DISCARDS) + $(delta $DISCARD_MERGES)))" $DISCARDS_MADE
	check "$1: discards between polled IOs" record $DISK bash -c "play mixed.reel --iopoll"
	check "$1: they were polled for" [ "$(column t.reel flags | grep -c polled)" -gt 1000 ]
	discards_are_the_kernels "$1, polled"
}

export -f play
export DISK
apart | "$HELPERS/trace_from_text" apart.reel 256M
between_polled | "$HELPERS/trace_from_text" mixed.reel 256M
for scheduler in none mq-deadline; do
	under "$scheduler"
done
finish
