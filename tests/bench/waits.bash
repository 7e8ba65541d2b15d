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

stop_waits() {
	[ -z "$RECORDER" ] || stop_recorder
	[ "$1" != waits ] || [ "$(lost_waits)" = 0 ] || die "record --waits lost records"
}

# waits_once WATCHER KIND COUNT: what a read takes.
waits_once() {
	local watcher=$1 kind=$2 count=$3 cpu_ns wall_ns slept
	start_watcher "$watcher"
	read -r cpu_ns wall_ns slept < <(read_calls "$watcher" "$kind" "$count")
	stop_waits "$watcher"
	sample "waits.$kind.$watcher.cpu_ns" "$cpu_ns"
	sample "waits.$kind.$watcher.wall_ns" "$wall_ns"
}

# A program that does nothing, at the same tracepoints in the same run: what the kernel counts of it is its counting.
start_floor() {
	local tracepoints=(sched_switch sched_waking)
	[ "$1" != files ] || tracepoints+=(sys_enter sys_exit)
	"$BUILD/bench/empty_programs" "${tracepoints[@]}" >"$WORK/floor" &
	LOAD=$!
	wait_for_file "$WORK/floor" 1
}

# own_cost COST FLOOR PREFIX: prints the ns that the programs of these names take beyond as many that do nothing,
# their runs, and what a run of one that does nothing takes. The files are of bpf_cost.py.
own_cost() {
	awk -v prefix="$3" '
		NR == FNR && $1 == "does_nothing" { floor_ns += $2 * $3; floor_runs += $3 }
		NR != FNR && index($1, prefix) == 1 { ns += $2 * $3; runs += $3 }
		END { print ns - runs * floor_ns / floor_runs, runs, floor_ns / floor_runs }' "$2" "$1"
}

# waits_counted WATCHER COUNT: the time of its programs, which run for all tasks of the machine, by the reads that
# slept.
waits_counted() {
	local watcher=$1 slept own_ns runs floor_ns
	start_watcher "$watcher"
	start_floor "$watcher"
	sysctl -qw kernel.bpf_stats_enabled=1
	read -r _ _ slept < <(read_calls "$watcher" direct "$2")
	python3 "$HERE/bpf_cost.py" "$RECORDER" "$slept" >"$WORK/bpf"
	python3 "$HERE/bpf_cost.py" "$LOAD" "$slept" >"$WORK/bpf.floor"
	sysctl -qw "kernel.bpf_stats_enabled=$BPF_STATS_BEFORE"
	kill "$LOAD"
	wait "$LOAD" || true
	LOAD=
	stop_waits "$watcher"
	read -r own_ns runs floor_ns < <(own_cost "$WORK/bpf" "$WORK/bpf.floor" \
		"$([ "$watcher" = offcputime ] && echo sched_switch || echo waits_)")
	sample "waits.direct.$watcher.own_ns" "$own_ns"
	sample "waits.direct.$watcher.runs" "$runs"
	sample "waits.direct.$watcher.floor_ns" "$floor_ns"
	sed "s/^/bench:   /" "$WORK/bpf" >&2
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
		for watcher in $(rotate "$pair" none record waits files offcputime strace); do
			waits_once "$watcher" cached "$([ "$watcher" = strace ] && echo $((WAITS_CACHED / 10)) || echo $WAITS_CACHED)"
			[ "$watcher" = strace ] || waits_once "$watcher" direct "$WAITS_DIRECT"
			case $watcher in
			waits | files | offcputime) waits_counted "$watcher" "$WAITS_DIRECT" ;;
			esac
		done
	done
	for watcher in record waits files offcputime; do
		waits_added cached cpu_ns "$watcher" none
		waits_added direct wall_ns "$watcher" none
	done
	waits_added cached wall_ns strace none
	DISK=$disk
	row "a cached read" "ns of CPU" waits.cached.none.cpu_ns "" ""
	row "record: added to it" ns waits.cached.record.added_cpu_ns "" ""
	row "record --waits: added to it (peer: offcputime)" ns waits.cached.waits.added_cpu_ns \
		waits.cached.offcputime.added_cpu_ns "<=60"
	row "record --files: added to it (peer: strace -c, wall time)" ns waits.cached.files.added_cpu_ns \
		waits.cached.strace.added_wall_ns ""
	row "a direct read" "ns of wall time" waits.direct.none.wall_ns "" ""
	row "record: added to it" ns waits.direct.record.added_wall_ns "" ""
	row "record --waits: added to it (peer: offcputime)" ns waits.direct.waits.added_wall_ns \
		waits.direct.offcputime.added_wall_ns ""
	row "record --files: added to it" ns waits.direct.files.added_wall_ns "" ""
	row "record --waits: own BPF time per read that sleeps (peer: offcputime)" ns waits.direct.waits.own_ns \
		waits.direct.offcputime.own_ns "<=300"
	row "record --files: the same (peer: offcputime)" ns waits.direct.files.own_ns \
		waits.direct.offcputime.own_ns ""
	row "runs of the programs of --waits per read (peer: offcputime)" "" waits.direct.waits.runs \
		waits.direct.offcputime.runs ""
	row "a run of a program that does nothing" ns waits.direct.waits.floor_ns "" ""
}
