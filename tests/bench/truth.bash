# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Long runs in which every IO must have its row: at the highest rate, with rings that are deliberately too small,
# and a mixed load whose ios, merges, sectors and ticks are compared with the kernel's.

# load_of KIND SECONDS: runs fio for so long.
load_of() {
	local options=(--filename="$DISK" --direct=1 --ioengine=io_uring --time_based --runtime="$2"
		--output-format=terse)
	case $1 in
	fastest) options+=(--name=fastest --rw=randread --bs=4k --iodepth=32 --norandommap) ;;
	mixed)
		options+=(--iodepth=16 --fsync=64 --bssplit=4k/60:16k/30:128k/10
			--name=random --rw=randrw --name=sequential --rw=rw --bs=8k
			--iodepth_batch_submit=8 --name=trim --rw=randtrim --iodepth=4
			--rate_iops=500)
		;;
	esac
	fio "${options[@]}" >/dev/null
}

# The fields of the kernel's own counters that are sums: reads, merges, sectors, ticks; the same of writes
# and discards; flushes and their ticks.
kernel_counters() {
	awk '{print $1, $2, $3, $4, $5, $6, $7, $8, $12, $13, $14, $15, $16, $17}' \
		"/sys/block/${1#/dev/}/stat"
}

# truth_run NAME LOAD SECONDS OPTION...: records the load and samples the differences from the kernel's counters.
truth_run() {
	local name=$1 load=$2 seconds=$3 trace=$WORK/truth.reel
	shift 3
	start_blkreel "$trace" -d "$DISK" "$@"
	kernel_counters "$DISK" >"$WORK/before"
	load_of "$load" "$seconds"
	kernel_counters "$DISK" >"$WORK/after"
	stop_recorder
	"$BLKREEL" info --json "$trace" >"$WORK/info.json"
	"$BLKREEL" explain --json "$trace" >"$WORK/truth.json"
	python3 "$HERE/truth.py" "$WORK/before" "$WORK/after" "$WORK/truth.json" "$WORK/info.json" \
		>"$WORK/differences"
	while read -r figure value; do
		sample "truth.$name.$figure" "$value"
	done <"$WORK/differences"
	rm -f "$trace"
}

bench_truth() {
	local op field
	say "every IO for $TRUTH_SECONDS s at the highest rate"
	truth_run fastest fastest "$TRUTH_SECONDS"
	row "truth: IOs recorded in $TRUTH_SECONDS s" "" truth.fastest.ios "" ""
	row "truth: IOs without a row" "" truth.fastest.missing_ios "" "<=0"
	row "truth: events lost" "" truth.fastest.lost "" "<=0"
	say "the same with rings of 4 KiB"
	truth_run small fastest 5 --ring-size 4k
	row "truth, rings too small: losses that were counted" "" truth.small.lost "" ">=1"
	row "truth, rings too small: IOs neither row nor loss" "" truth.small.unaccounted_ios "" "<=0"
	say "a mixed load for $MIXED_SECONDS s"
	truth_run mixed mixed "$MIXED_SECONDS"
	for op in read write discard flush; do
		for field in ios merges sectors; do
			if [ "$op" = flush ] && [ "$field" != ios ]; then
				continue
			fi
			row "truth, mixed: $op $field less the kernel's" "" "truth.mixed.$op.$field" "" "<=0"
		done
		row "truth, mixed: $op ticks less the kernel's" % "truth.mixed.$op.ticks_pct" "" ""
	done
}
