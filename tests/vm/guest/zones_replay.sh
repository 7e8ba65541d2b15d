#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Zone operations and the writes between them are replayed onto another zoned device unchanged.
# vm: --with blkzone
. "$GUEST/lib.bash"
. "$GUEST/counts.bash"

# zone ACTION FIRST COUNT: applies it to COUNT zones of 4 MiB of the recorded disk.
zone() {
	blkzone "$1" -o $(($2 * 8192)) -c "$3" "/dev/$disk"
}

# fill FIRST_ZONE BLOCKS [ALREADY]: writes so many blocks of 4 KiB, after ALREADY blocks of the zone.
fill() {
	dd if=/dev/urandom of="/dev/$disk" bs=4k count="$2" seek=$(($1 * 1024 + ${3:-0})) oflag=direct conv=notrunc 2>/dev/null
}
export -f zone fill

# For each zone, from blkzone: start, write pointer, condition.
zones_of() {
	blkzone report "/dev/$1"
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

zoned=(size=64 memory_backed=1 irqmode=0 zoned=1 zone_size=4 zone_nr_conv=0)
make_null_blk first "${zoned[@]}" || exit
first=$disk
make_null_blk second "${zoned[@]}" || exit
second=$disk
make_null_blk larger size=64 memory_backed=1 irqmode=0 zoned=1 zone_size=8 zone_nr_conv=0 || exit
larger=$disk
make_null_blk plain size=64 memory_backed=1 irqmode=0 || exit
plain=$disk
disk=$first
export disk

check "zones are written, opened, closed, finished and reset" record "$first" bash -c '
	fill 3 7 && blkzone reset /dev/$disk && zone open 0 3 && fill 0 11 && fill 1 23 && zone close 1 1 && fill 1 5 23 &&
	zone finish 2 2 && fill 5 13 && zone reset 5 1 && fill 5 3 && fill 7 1024 && zone open 8 1 && zone reset 8 1'
check "the recording has all of them" equal "$(column t.reel op | sort | uniq -c | awk '{ print $2 "=" $1 }' | paste -sd' ')" \
	"write=1086 zone_close=1 zone_finish=2 zone_open=4 zone_reset=2 zone_reset_all=1"
zones_of "$first" >first.zones

check "the trace has the length of a zone" equal "$("$BLKREEL" info t.reel --json | grep -c '"zone_bytes": 4194304')" 1
check "and the kind of zones" equal "$("$BLKREEL" info t.reel --json | grep -c '"zoned": "host-managed"')" 1
check "a device with longer zones is refused before the first IO" equal \
	"$("$BLKREEL" replay t.reel --target "/dev/$larger" --write --yes-destroy "/dev/$larger" --unsupported skip 2>refused; echo $?)" 3
check "and the message names the difference" grep -q "has zones of 8.* the recorded device of 4" refused
check "no zone of it was written" equal "$(zones_of "$larger" | grep -c 'zcond: 1(em)')" 8

check "a device without zones is refused before the first IO" equal \
	"$("$BLKREEL" replay t.reel --target "/dev/$plain" --write --yes-destroy "/dev/$plain" 2>refused; echo $?)" 3
check "and the message names the remedy" grep -q "it has no zones.*--unsupported skip" refused
check "nothing was written to it" cmp -s -n $((64 << 20)) "/dev/$plain" /dev/zero
check "skipped, they are counted" replay skipped "$plain" --unsupported skip --mode asap
check "all 10 of them" grep -q '^  "unsupported": 10,' skipped.json
check "and nothing else is" grep -q '^  "issued": 1086,' skipped.json

for mode in asap timed; do
	check "$mode: replayed on another zoned device without an error" replay "$mode" "$second" --mode "$mode" -o "$mode.reel"
	check "$mode: 10 zone operations blocked" grep -q '"blocking_zones": 10,' "$mode.json"
	check "$mode: no IO differs" exact t.reel "$mode.reel"
	zones_of "$second" >second.zones
	check "$mode: the zones are in the same state" diff first.zones second.zones
	blkzone reset "/dev/$second"
done

blkzone reset "/dev/$first"
check "writes alone are recorded" record "$first" bash -c "fill 1 31"
check "and go to another zoned device" replay writes "$second" -o writes.reel
check "no IO differs" exact t.reel writes.reel
finish
