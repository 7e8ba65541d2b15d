# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The highest rate of a device, with and without a recorder. Equal runs of fio differ by more than a recorder costs, so
# there is one fio for all. Windows of a second with and without a recorder take turns, and a window is compared with the
# two unrecorded windows around it. The observer "control" takes turns without a recorder: its result is the bias.

WINDOW_SECONDS=1
SETTLE_SECONDS=0.4 # for the load, after every pause

# The job is a thread: a signal stops all of fio.
start_load() {
	fio --name=load --thread --bs=4k --rw=randread --norandommap --time_based --runtime=86400 --direct=1 \
		--filename="$DISK" --ioengine=io_uring --iodepth=32 --output="$WORK/load.txt" &
	LOAD=$!
}

end_load() {
	[ -n "$LOAD" ] || return 0
	kill -KILL "$LOAD" 2>/dev/null || true
	wait "$LOAD" 2>/dev/null || true
	LOAD=
}

# Returns when all threads have stopped and nothing is in flight: then the kernel's count is constant.
pause_load() {
	local i
	kill -STOP "$LOAD"
	for ((i = 0; i < 500; i++)); do
		sleep 0.02
		awk '/^State:/ && !/stopped/ {running = 1} END {exit running}' "/proc/$LOAD/task/"*/status || continue
		[ "$(awk '{print $1 + $2}' "/sys/block/${DISK#/dev/}/inflight")" != 0 ] || return 0
	done
	die "the load does not stop"
}

resume_load() {
	kill -CONT "$LOAD"
	sleep "$SETTLE_SECONDS"
}

# Sets $rate to the IOs a second of a window.
take_window() {
	rate=$(python3 -c '
import sys, time
def look():
    with open(sys.argv[1]) as stat:
        return int(stat.read().split()[0]), time.monotonic()
(ios, at), _ = look(), time.sleep(float(sys.argv[2]))
later_ios, later = look()
print((later_ios - ios) / (later - at))' "/sys/block/${DISK#/dev/}/stat" "$WINDOW_SECONDS")
}

# watched_window OBSERVER: sets $rate; samples the recorder's cost and checks its recording. The load is stopped while a
# recorder starts and ends, so that rows can be compared with the kernel's count.
watched_window() {
	local observer=$1 kernel cpu_ns
	pause_load
	[ "$observer" = control ] || start_recorder block "$observer"
	kernel=$(kernel_ios "$DISK")
	[ "$observer" = control ] || cpu_ns=$(process_cpu_ns "$RECORDER")
	resume_load
	take_window
	pause_load
	[ "$observer" != control ] || return 0
	kernel=$(($(kernel_ios "$DISK") - kernel))
	sample "block.$observer.ios" "$kernel"
	sample "block.$observer.cpu_ns" "$(($(process_cpu_ns "$RECORDER") - cpu_ns))"
	sample "block.$observer.peak_kib" "$(process_peak_kib "$RECORDER")"
	stop_recorder
	check_recording block "$observer" "$kernel" "$kernel"
	rm -f "$WORK/block.reel" "$WORK/perf.data" "$WORK/bpftrace.out"
}

# measure_windows OBSERVER...: samples block.OBSERVER.kept, PAIRS of each, and block.none.iops.
measure_windows() {
	local round observer before with rate
	start_load
	sleep 1
	take_window
	before=$rate
	for ((round = 0; round < PAIRS; round++)); do
		for observer in $(rotate "$round" control "$@"); do
			watched_window "$observer"
			with=$rate
			resume_load
			take_window
			sample "block.$observer.window" "$(awk "BEGIN {print 2 * $with / ($before + $rate)}")"
			sample block.none.iops "$rate"
			before=$rate
		done
	done
	end_load
	python3 "$HERE/kept.py" "$WORK/samples" >"$WORK/kept"
	cat "$WORK/kept" >>"$WORK/samples"
}
