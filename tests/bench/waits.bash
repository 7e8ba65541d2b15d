# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What record --waits costs a call that does not block and one that does, beside an offcputime of bpftrace and
# strace -c, which watch the same reads.

WAITS_CACHED=300000 WAITS_DIRECT=20000

start_watcher() {
	case $1 in
	record) start_blkreel "$WORK/waits.reel" -d "$DISK" ;;
	waits) start_blkreel "$WORK/waits.reel" -d "$DISK" --waits ;;
	files) start_blkreel "$WORK/waits.reel" -d "$DISK" --files ;;
	empty)
		"$BUILD/bench/empty_programs" sched_switch sched_waking >/dev/null 2>"$WORK/recorder.log" &
		RECORDER=$!
		wait_for_programs 2
		;;
	empty_calls)
		"$BUILD/bench/empty_programs" sched_switch sched_waking sys_enter sys_exit >/dev/null 2>"$WORK/recorder.log" &
		RECORDER=$!
		wait_for_programs 4
		;;
	offcputime)
		bpftrace -q "$HERE/offcputime.bt" >"$WORK/offcputime.out" 2>"$WORK/recorder.log" &
		RECORDER=$!
		wait_for_programs 1
		sleep 0.3
		;;
	esac
}

# read_calls WATCHER KIND COUNT: prints the ns of CPU and of wall time of a read, and how many slept.
read_calls() {
	local command=("$BUILD/bench/read_calls" "$WORK/mnt/waits" "$3" "$2")
	[ "$1" != strace ] || command=(strace -f -c -o "$WORK/strace.out" "${command[@]}")
	"${command[@]}"
}

# The programs run for all tasks of the machine; the time of those of --waits, or of the peer, is divided by the reads
# that slept.
waits_once() {
	local watcher=$1 kind=$2 count=$3 cpu_ns wall_ns slept
	start_watcher "$watcher"
	[ "$kind" = cached ] || sysctl -qw kernel.bpf_stats_enabled=1
	read -r cpu_ns wall_ns slept < <(read_calls "$watcher" "$kind" "$count")
	if [ "$kind" = direct ] && [ -n "$RECORDER" ]; then
		python3 "$HERE/bpf_cost.py" "$RECORDER" "$slept" >"$WORK/bpf"
		sample "waits.$kind.$watcher.bpf_ns" \
			"$(awk '$1 ~ /^waits_/ || $1 == "does_nothing" || $1 == "sched_switch" && peer {sum += $2 * $3} END {print sum}' \
				peer="$([ "$watcher" != offcputime ] || echo 1)" "$WORK/bpf")"
		sed "s/^/bench:   /" "$WORK/bpf" >&2
	fi
	sysctl -qw "kernel.bpf_stats_enabled=$BPF_STATS_BEFORE"
	[ -z "$RECORDER" ] || stop_recorder
	[ "$watcher" != waits ] || [ "$(lost_waits)" = 0 ] || die "record --waits lost records"
	sample "waits.$kind.$watcher.cpu_ns" "$cpu_ns"
	sample "waits.$kind.$watcher.wall_ns" "$wall_ns"
}

lost_waits() {
	"$BLKREEL" info --json "$WORK/waits.reel" >"$WORK/info.json"
	json "$WORK/info.json" "d['lost']['waits']"
}

# waits_added KIND CLOCK WATCHER BASE: samples what the watcher adds to a read, run by run.
waits_added() {
	paste <(samples_of "waits.$1.$3.$2") <(samples_of "waits.$1.$4.$2") | while read -r with without; do
		sample "waits.$1.$3.added_$2" "$(awk -v a="$with" -v b="$without" 'BEGIN {print a - b}')"
	done
}

samples_of() {
	awk -F'\t' -v key="$1" '$1 == key {print $2}' "$WORK/samples"
}

bench_waits() {
	local disk=$DISK pair watcher
	say "4 KiB reads of a file on ext4, cached and direct, with --waits"
	make_loop 64M
	DISK=$LOOP
	mkfs.ext4 -q "$DISK"
	mkdir -p "$WORK/mnt"
	mount "$DISK" "$WORK/mnt"
	fio --name=fill --filename="$WORK/mnt/waits" --rw=write --bs=1M --size=4M --end_fsync=1 \
		--output-format=terse >/dev/null
	cat "$WORK/mnt/waits" >/dev/null
	for ((pair = 0; pair < PAIRS; pair++)); do
		for watcher in $(rotate "$pair" none record waits files empty empty_calls offcputime strace); do
			[[ $watcher == empty* ]] ||
				waits_once "$watcher" cached "$([ "$watcher" = strace ] && echo $((WAITS_CACHED / 10)) || echo $WAITS_CACHED)"
			case $watcher in
			waits | files | empty* | offcputime) waits_once "$watcher" direct "$WAITS_DIRECT" ;;
			esac
		done
	done
	for watcher in record waits files offcputime; do
		waits_added cached cpu_ns "$watcher" none
	done
	waits_added cached wall_ns strace none
	DISK=$disk
	row "a cached read" "ns of CPU" waits.cached.none.cpu_ns "" ""
	row "record: added to it" ns waits.cached.record.added_cpu_ns "" ""
	row "record --waits: added to it (peer: offcputime)" ns waits.cached.waits.added_cpu_ns \
		waits.cached.offcputime.added_cpu_ns "<=60"
	row "record --files: added to it (peer: strace -c, wall time)" ns waits.cached.files.added_cpu_ns \
		waits.cached.strace.added_wall_ns ""
	row "record --waits: its BPF time per read that sleeps (peer: offcputime)" ns waits.direct.waits.bpf_ns \
		waits.direct.offcputime.bpf_ns "<=300"
	row "record --files: the same (peer: offcputime)" ns waits.direct.files.bpf_ns \
		waits.direct.offcputime.bpf_ns ""
	row "programs that do nothing, at the tracepoints of --waits (peer: of --files)" ns \
		waits.direct.empty.bpf_ns waits.direct.empty_calls.bpf_ns ""
}
