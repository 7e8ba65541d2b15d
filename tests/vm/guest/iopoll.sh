#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Polled replays: the same IOs, and no interrupts for them.
# vm: --nvme 64M --append nvme_core.multipath=N --append nvme.poll_queues=1 --virtio 64M --with mkfs.ext4
. "$GUEST/lib.bash"
. "$GUEST/counts.bash"

DISK=nvme0n1
READS=1009

# Interrupts of the disk's IO queues, on all CPUs; a polled queue has none.
interrupts() {
	awk '$NF ~ /^nvme0q[1-9]/ { for (i = 2; $i ~ /^[0-9]+$/; i++) sum += $i } END { print sum + 0 }' /proc/interrupts
}

# replay TRACE NAME OPTION...: writes its result to NAME.json; sets $grown to the number of interrupts.
replay() {
	local before status
	before=$(interrupts)
	"$BLKREEL" replay "$1" --target "/dev/$DISK" --write --yes-destroy "/dev/$DISK" --json "${@:3}" >"$2.json"
	status=$?
	grown=$(($(interrupts) - before))
	return "$status"
}

has_value() {
	grep -q "^  \"$2\": $3," "$1.json" || {
		grep "^  \"$2\":" "$1.json" | sed 's/^/# /'
		return 1
	}
}

exact() {
	"$BLKREEL" compare --exact --fail-above exact.differences=0 "$@" >compared || {
		sed -n '/^IO by IO/,$s/^/# /p' compared
		return 1
	}
}

# Every op and flag, at overlapping addresses.
mixed() {
	awk 'BEGIN {
		split("read write write_fua write_preflush flush discard write_zeroes read", ops, " ")
		for (i = 0; i < 503; i++) {
			split(ops[1 + i * 5 % 8], op, "_")
			if (ops[1 + i * 5 % 8] == "write_zeroes") { op[1] = "write_zeroes"; op[2] = "" }
			print i * 300, 1, op[1], op[1] == "flush" ? 0 : i * 37 % 64 * 16384, op[1] == "flush" ? 0 : 4096 * (1 + i % 7), op[2]
			delete op
		}
	}'
}

refused() {
	"$BLKREEL" replay t.reel --target "$1" --iopoll 2>message
	equal $? 3 && equal "$(wc -l <message)" 1
}

# Otherwise adjacent IOs of one submission, and discards, would be merged.
echo 2 >/sys/block/$DISK/queue/nomerges
check "the device has queues to poll" equal "$(cat /sys/block/$DISK/queue/io_poll)" 1
check "$READS reads are recorded" record $DISK "$HELPERS/issue_io" read /dev/$DISK $READS 4096
for mode in asap timed depth dependent; do
	check "$mode: replayed without polling" replay t.reel "$mode" --mode "$mode"
	check "$mode: none was polled" has_value "$mode" polled 0
	[ "$mode" != depth ] || check "one at a time, each has an interrupt" between $((READS * 9 / 10)) "$grown" $((READS * 11 / 10))
	check "$mode: there are interrupts" between 10 "$grown" $((READS * 11 / 10))
	check "$mode: replayed with polling" replay t.reel "$mode" --mode "$mode" --iopoll -o "$mode.reel"
	check "$mode: there are none" between 0 "$grown" 3
	check "$mode: all of them were polled" has_value "$mode" polled $READS
	check "$mode: and completed" has_value "$mode" completed $READS
	check "$mode: each has the kernel's flag" equal "$(column "$mode.reel" flags | grep -c polled)" $READS
	check "$mode: no IO differs" exact t.reel "$mode.reel"
done

mixed | "$HELPERS/trace_from_text" mixed.reel 64M
ios=$(mixed | wc -l)
polled=$(mixed | awk '$3 == "read" || ($3 == "write" && $6 != "preflush")' | wc -l)
for mode in asap timed; do
	check "$mode: flushes, discards and zeroes go beside the polled IOs" replay mixed.reel mixed --mode "$mode" --iopoll -o mixed-played.reel
	check "$mode: all $ios completed" has_value mixed completed "$ios"
	check "$mode: the $polled that can be were polled" has_value mixed polled "$polled"
	check "$mode: no IO differs" exact mixed.reel mixed-played.reel
done

check "a device without queues to poll is refused" refused /dev/vda
check "and the message names the remedy" grep -q "no queues that can be polled.*nvme.poll_queues" message

modprobe ext4
mkfs.ext4 -q -F /dev/$DISK && mount /dev/$DISK /mnt || exit
dd if=/dev/urandom of=/mnt/file bs=1M count=16 2>/dev/null
sync
for i in $(seq 499); do echo "$((i * 200)) 1 read $((i * 4096 * 7 % 16777216)) 4096"; done | "$HELPERS/trace_from_text" file.reel 16M
before=$(interrupts)
check "a file on it is read with polling" eval '"$BLKREEL" replay file.reel --target /mnt/file --iopoll --json >file.json'
check "all of it" has_value file polled 499
check "almost without interrupts" between 0 $(($(interrupts) - before)) 50
umount /mnt
mount -t tmpfs tmpfs /mnt
truncate -s 64M /mnt/file
check "a file that has no device is refused" refused /mnt/file
finish
