#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A trace and its profile replayed in turn on one device, where nobody takes the CPU away and a device takes as long as it is told to:
# null_blk that serves some IOs at a time. No test: it prints lateness and latency in us, the latter from the time that an IO was due.
#
#   tests/vm/run 7.2 tests/vm/measure/profile.sh --icount --with web.reel --with web.profile
#
# DEVICES, SPEED, UNTIL, SEEDS and TRACE_BEFORE in a file settings.sh that is given with --with, too; none of the files in /tmp.
# vm: --timeout 3600 --icount-shift 0
# shellcheck source=../guest/lib.bash
. "$GUEST/lib.bash"

# Microseconds an IO takes and how many are served at a time.
DEVICES="20:1 100:8"
SPEED=8
UNTIL=1h
SEEDS=5
# Before which seeds the trace is replayed: once will do, its p99 is the same each time, within 3 %.
TRACE_BEFORE="1"

given() {
	find / \( -path /proc -o -path /sys \) -prune -o -name "$1" -print | head -n 1
}

# play TRACE|PROFILE OPTION...
play() {
	rm -f out.json
	"$BLKREEL" -q replay "$1" --target "/dev/$disk" --fit wrap --to "$UNTIL" --speed "$SPEED" "${@:2}" \
		--write --yes-destroy="/dev/$disk" --json >out.json || return
	check "no IO of $1 failed" equal "$(sed -n 's/^  "errors": \([0-9]*\).*/\1/p' out.json)" 0
}

# Lateness and latency, each with its percentiles.
own_words() {
	awk '/"lateness_ns"/ { word = "late" } /"intended"/ && !seen++ { word = "latency" } /}/ { word = "" }
		{ gsub(/[",:]/, "") }
		word && $1 ~ /^p(50|90|99|99_9)$/ { printf " %s %s %.1f", word, $1, $2 / 1000 }
		END { print "" }' out.json
}

settings=$(given settings.sh)
# shellcheck disable=SC1090  # of who runs this
[ -z "$settings" ] || . "$settings"
trace=$(given '*.reel')
profile=$(given '*.profile')
if [ -z "$trace" ] || [ -z "$profile" ]; then
	echo "profile.sh: wants a trace and its profile, by --with"
	exit 1
fi
for device in $DEVICES; do
	make_null_blk "of_$device" size=320 queue_mode=2 irqmode=2 completion_nsec="${device%:*}000" submit_queues=1 \
		hw_queue_depth="${device#*:}" || exit
	for ((seed = 1; seed <= SEEDS; seed++)); do
		if [[ " $TRACE_BEFORE " == *" $seed "* ]]; then
			play "$trace" || exit
			echo "$device trace$(own_words)"
		fi
		play "$profile" --seed "$seed" || exit
		echo "$device seed $seed$(own_words)"
	done
done
finish
