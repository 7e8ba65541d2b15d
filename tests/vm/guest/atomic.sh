#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Atomic writes are recorded and replayed as such; a device without them is refused unless an option allows it.
. "$GUEST/lib.bash"
. "$GUEST/counts.bash"

ATOMIC=97 PLAIN=31
WRITE_ATOMIC_16=9c

# Counts commands to SCSI devices, independent of block tracepoints and their flags.
commands() {
	grep -c "scsi_dispatch_cmd_start.*raw=$1 " /sys/kernel/tracing/trace
}

forget_commands() {
	echo >/sys/kernel/tracing/trace
}

writes() {
	"$HELPERS/issue_io" atomic "/dev/$1" "$ATOMIC" 16384 && "$HELPERS/issue_io" write "/dev/$1" "$PLAIN" 4096 0
}
export -f writes
export ATOMIC PLAIN

atomic_rows() {
	column "$1" flags | grep -c atomic
}

# replay NAME DISK OPTION...: writes its result to NAME.json.
replay() {
	"$BLKREEL" replay t.reel --target "/dev/$2" --write --yes-destroy "/dev/$2" --json "${@:3}" >"$1.json"
}

exact() {
	"$BLKREEL" compare --exact --fail-above exact.differences=0 "$@" >compared || {
		sed -n '/^IO by IO/,$s/^/# /p' compared
		return 1
	}
}

refused() {
	"$BLKREEL" replay t.reel --target "$1" --write --yes-destroy "$1" "${@:2}" 2>message
	equal $? 3 && equal "$(wc -l <message)" 1
}

has_value() {
	grep -q "^  \"$2\": $3," "$1.json" || {
		grep "^  \"$2\":" "$1.json" | sed 's/^/# /'
		return 1
	}
}

modprobe sd_mod
if ! modprobe scsi_debug dev_size_mb=64 atomic_wr=1 max_luns=2 ndelay=1000 || [ ! -e /sys/block/sda/queue/atomic_write_unit_max_bytes ]; then
	skip "atomic writes" "Linux 6.11 was the first to have them"
	exit 0
fi
check "both disks are there" [ -e /sys/block/sdb ]
check "they take atomic writes of 16 KiB" between 16384 "$(cat /sys/block/sda/queue/atomic_write_unit_max_bytes)" 1073741824
make_null_blk plain size=64 memory_backed=1 irqmode=0 || exit
plain=$disk
echo 1 >/sys/kernel/tracing/events/scsi/scsi_dispatch_cmd_start/enable

check "$ATOMIC atomic writes and $PLAIN others are recorded" record sda bash -c 'writes sda'
check "$ATOMIC commands to write atomically were sent" equal "$(commands $WRITE_ATOMIC_16)" $ATOMIC
check "$ATOMIC rows are marked as atomic" equal "$(atomic_rows t.reel)" $ATOMIC
check "all writes have rows" equal "$(column t.reel op | grep -c '^write')" $((ATOMIC + PLAIN))
check "nothing was lost" nothing_lost

for mode in asap timed dependent; do
	forget_commands
	check "$mode: replayed without an error" replay "$mode" sdb --mode "$mode" -o "$mode.reel"
	check "$mode: all atomic writes were sent as such" has_value "$mode" atomic $ATOMIC
	check "$mode: $ATOMIC commands to write atomically were sent" equal "$(commands $WRITE_ATOMIC_16)" $ATOMIC
	check "$mode: no IO differs" exact t.reel "$mode.reel"
done

"$BLKREEL" dump t.reel --format csv | sed 's/|atomic//' >plain.csv
"$BLKREEL" import plain.csv -o plain.reel
check "without the flag the two differ" equal "$("$BLKREEL" compare --exact --json t.reel plain.reel | grep -c '"flags": '$ATOMIC,)" 1

check "a disk without atomic writes is refused before the first IO" refused "/dev/$plain"
check "and the message names the remedy" grep -q "$ATOMIC atomic writes.*it has none.*--unsupported skip" message
check "nothing was written to it" cmp -s -n $((64 << 20)) "/dev/$plain" /dev/zero
check "skipped, they are counted" replay skipped "$plain" --unsupported skip --mode asap
check "all of them" has_value skipped unsupported $ATOMIC
check "and nothing else is" has_value skipped issued $PLAIN
check "emulated, they are written" replay emulated "$plain" --unsupported emulate --mode asap
check "and counted" has_value emulated emulated $ATOMIC
check "all are issued" has_value emulated issued $((ATOMIC + PLAIN))
check "--fit moves them and is refused" refused /dev/sdb --fit wrap
check "unless told to write them as others" replay wrapped sdb --fit wrap --unsupported emulate
finish
