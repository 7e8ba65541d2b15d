# shellcheck shell=bash
# What recording costs the workload, the kernel and the machine, and whether anything is lost.
# The peer is perf record of the two tracepoints that every block tracer uses.

# Runs the workload (block or cache) and leaves fio's outcome in $WORK/fio.json.
run_workload() {
	local options=(--name=load --bs=4k --rw=randread --norandommap --time_based
		--runtime="$RUN_SECONDS" --output-format=json --output="$WORK/fio.json")
	case $1 in
	block) options+=(--filename="$DISK" --direct=1 --ioengine=io_uring --iodepth=32) ;;
	cache) options+=(--filename="$WORK/mnt/file" --size=256M --ioengine=psync --invalidate=0) ;;
	esac
	fio "${options[@]}" >/dev/null
}

start_recorder() {
	local load=$1 observer=$2 filter
	case $observer in
	blkreel)
		if [ "$load" = cache ]; then
			start_blkreel "$WORK/$load.reel" -d "$DISK" --cache
		else
			start_blkreel "$WORK/$load.reel" -d "$DISK"
		fi
		;;
	perf)
		filter="dev == $((7 << 20 | ${DISK#/dev/loop}))"
		rm -f "$WORK/perf.data"
		perf record -a -m 4M -o "$WORK/perf.data" -e block:block_rq_issue --filter "$filter" \
			-e block:block_rq_complete --filter "$filter" 2>"$WORK/recorder.log" &
		RECORDER=$!
		wait_for_file "$WORK/perf.data" 0
		sleep 0.3
		;;
	esac
}

# What the recording holds, beside what the kernel and fio counted.
check_recording() {
	local load=$1 observer=$2 kernel=$3 reads=$4 info=$WORK/info.json
	case $load.$observer in
	block.blkreel)
		"$BLKREEL" info --json "$WORK/block.reel" >"$info"
		sample block.blkreel.lost "$((kernel - $(json "$info" "d['rows']['io']")))"
		sample block.blkreel.incomplete "$(json "$info" "d['lost']['total']")"
		sample block.blkreel.bytes "$(stat -c %s "$WORK/block.reel")"
		;;
	block.perf)
		sample block.perf.lost "$((kernel - $(perf_samples) / 2))"
		sample block.perf.bytes "$(stat -c %s "$WORK/perf.data")"
		;;
	cache.blkreel)
		"$BLKREEL" explain --json "$WORK/cache.reel" >"$info"
		sample cache.blkreel.lost "$((reads - $(json "$info" "d['cache']['read']['pages']")))"
		;;
	esac
}

perf_samples() {
	sed -n 's/.*(\([0-9]*\) samples).*/\1/p' "$WORK/recorder.log"
}

# One run of one workload under one observer ("none": without).
record_once() {
	local load=$1 observer=$2 kernel cpu_ns reads
	start_recorder "$load" "$observer"
	kernel=$(kernel_ios "$DISK")
	[ "$observer" = none ] || cpu_ns=$(process_cpu_ns "$RECORDER")
	run_workload "$load"
	reads=$(json "$WORK/fio.json" "d['jobs'][0]['read']['total_ios']")
	kernel=$(($(kernel_ios "$DISK") - kernel))
	sample "$load.$observer.iops" "$(json "$WORK/fio.json" "d['jobs'][0]['read']['iops']")"
	[ "$observer" != none ] || return 0
	sample "$load.$observer.ios" "$reads"
	sample "$load.$observer.cpu_ns" "$(($(process_cpu_ns "$RECORDER") - cpu_ns))"
	sample "$load.$observer.peak_kib" "$(process_peak_kib "$RECORDER")"
	stop_recorder
	check_recording "$load" "$observer" "$kernel" "$reads"
}

# BPF time per read, apart from the rest: counting it costs something, too. False when more than 5 %
# of the runs of a program were for the IO of somebody else, whose cost would be added.
bpf_once() {
	local load=$1 reads main_program=block_rq_issue
	[ "$load" != cache ] || main_program=mm_filemap_get_pages
	start_recorder "$load" blkreel
	sysctl -qw kernel.bpf_stats_enabled=1
	run_workload "$load"
	reads=$(json "$WORK/fio.json" "d['jobs'][0]['read']['total_ios']")
	python3 "$HERE/bpf_cost.py" "$RECORDER" "$reads" >"$WORK/bpf"
	sysctl -qw "kernel.bpf_stats_enabled=$BPF_STATS_BEFORE"
	stop_recorder
	awk -v program="$main_program" '$1 == program {exit !($3 <= 1.05)}' "$WORK/bpf" || return 1
	sample "$load.bpf_ns" "$(awk '$1 == "total" {print $2}' "$WORK/bpf")"
	sed "s/^/bench:   /" "$WORK/bpf" >&2
}

measure_bpf() {
	local load=$1 wanted=$((PAIRS < 3 ? PAIRS : 3)) done=0 try
	say "BPF time of each program ($load), ns per run and runs per read"
	for ((try = 0; try < 4 * wanted && done < wanted; try++)); do
		if bpf_once "$load"; then
			done=$((done + 1))
		fi
	done
	[ "$done" = "$wanted" ] ||
		say "  $done of $wanted runs are usable: other IO of this machine came between"
}

observers() {
	echo none
	echo blkreel
	if [ "$1" = block ] && command -v perf >/dev/null; then
		echo perf
	fi
}

alternate() {
	local load=$1 pair observer words
	mapfile -t words < <(observers "$load")
	run_workload "$load"
	for ((pair = 0; pair < PAIRS; pair++)); do
		for observer in $(rotate "$pair" "${words[@]}"); do
			record_once "$load" "$observer"
		done
	done
	measure_bpf "$load"
}

bench_record() {
	say "recording 4 KiB random direct reads, io_uring, depth 32"
	alternate block
	row "record: throughput kept (peer: perf)" % block.blkreel.iops/block.none.iops*100 \
		block.perf.iops/block.none.iops*100 ">=90.1"
	row "record: BPF time per IO" ns block.bpf_ns "" "<=719"
	row "record: recorder CPU at 100 k IOPS (peer: perf)" "% of a core" \
		block.blkreel.cpu_ns/block.blkreel.ios*0.01 block.perf.cpu_ns/block.perf.ios*0.01 ""
	row "record: peak memory (peer: perf)" MiB block.blkreel.peak_kib*0.0009765625 \
		block.perf.peak_kib*0.0009765625 ""
	row "record: IOs without a row, of the kernel's count (peer: perf)" % \
		block.blkreel.lost/block.blkreel.ios*100 block.perf.lost/block.perf.ios*100 "<=0"
	row "record: rows marked incomplete" % block.blkreel.incomplete/block.blkreel.ios*100 "" "<=0"
	row "record: file size (peer: perf.data)" "B per IO" block.blkreel.bytes/block.blkreel.ios \
		block.perf.bytes/block.perf.ios "ratio<=1"
}

bench_cache() {
	local disk=$DISK
	say "recording 4 KiB random reads of a cached file (ext4), with --cache"
	make_loop 512M
	DISK=$LOOP
	mkfs.ext4 -q "$DISK"
	mkdir "$WORK/mnt"
	mount "$DISK" "$WORK/mnt"
	fio --name=fill --filename="$WORK/mnt/file" --rw=write --bs=1M --size=256M --end_fsync=1 \
		--output-format=terse >/dev/null
	cat "$WORK/mnt/file" >/dev/null
	alternate cache
	DISK=$disk
	row "record --cache: throughput kept, all reads hit" % \
		cache.blkreel.iops/cache.none.iops*100 "" ""
	row "record --cache: BPF time per read" ns cache.bpf_ns "" ""
	row "record --cache: recorder CPU at 100 k reads/s" "% of a core" \
		cache.blkreel.cpu_ns/cache.blkreel.ios*0.01 "" ""
	row "record --cache: peak memory" MiB cache.blkreel.peak_kib*0.0009765625 "" ""
	row "record --cache: pages read but not counted, of fio's count" % \
		cache.blkreel.lost/cache.blkreel.ios*100 "" "<=0"
}
