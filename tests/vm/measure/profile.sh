#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Replays a trace and its profile in turn on one null_blk with a fixed time per IO, without a host that takes CPU time.
# No test: it prints lateness, and latency from the due time, in us.
#
#   tests/vm/run 7.2 tests/vm/measure/profile.sh --icount --with web.reel --with web.profile
#
# A file settings.sh, given with --with too, may set DEVICES, SPEED, UNTIL, SEEDS and TRACE_BEFORE. None of the files may
# be in /tmp.
# vm: --timeout 3600 --icount-shift 0
# shellcheck source=../guest/lib.bash
. "$GUEST/lib.bash"

# Microseconds an IO takes and how many are served at a time.
DEVICES="20:1 100:8"
SPEED=8
UNTIL=1h
SEEDS=5
# The seeds before which the trace is replayed. Once is enough: its p99 varies by less than 3 %.
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

# Percentiles of lateness and latency.
own_figures() {
	awk '/"lateness_ns"/ { name = "late" } /"intended"/ && !seen++ { name = "latency" } /}/ { name = "" }
		{ gsub(/[",:]/, "") }
		name && $1 ~ /^p(50|90|99|99_9)$/ { printf " %s %s %.1f", name, $1, $2 / 1000 }
		END { print "" }' out.json
}

settings=$(given settings.sh)
# shellcheck disable=SC1090  # the user's settings
[ -z "$settings" ] || . "$settings"
trace=$(given '*.reel')
profile=$(given '*.profile')
if [ -z "$trace" ] || [ -z "$profile" ]; then
	echo "profile.sh: needs a trace and its profile, given with --with"
	exit 1
fi
for device in $DEVICES; do
	make_null_blk "of_$device" size=320 queue_mode=2 irqmode=2 completion_nsec="${device%:*}000" submit_queues=1 \
		hw_queue_depth="${device#*:}" || exit
	for ((seed = 1; seed <= SEEDS; seed++)); do
		if [[ " $TRACE_BEFORE " == *" $seed "* ]]; then
			play "$trace" || exit
			echo "$device trace$(own_figures)"
		fi
		play "$profile" --seed "$seed" || exit
		echo "$device seed $seed$(own_figures)"
	done
done
finish
