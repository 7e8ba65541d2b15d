# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What recording costs the workload, the kernel and the machine, and whether anything is lost.
# The observer one_program is record --lean. The peer is perf record of the two tracepoints that every block tracer uses.

# Runs the workload (block: as fast as possible, to measure the time of the probes; offered: 250,000 IOs a second;
# slow: 20,000; cache: cached reads) and writes fio's result to $WORK/fio.json.
run_workload() {
	local options=(--name=load --bs=4k --rw=randread --norandommap --time_based
		--runtime="$RUN_SECONDS" --output-format=json --output="$WORK/fio.json")
	case $1 in
	block) options+=(--filename="$DISK" --direct=1 --ioengine=io_uring --iodepth=32) ;;
	offered) # one job alone cannot keep to a rate that high
		options+=(--filename="$DISK" --direct=1 --ioengine=io_uring --iodepth=64 --numjobs=4
			--rate_iops=62500 --rate_process=poisson --group_reporting)
		;;
	slow)
		options+=(--filename="$DISK" --direct=1 --ioengine=io_uring --iodepth=32
			--rate_iops=20000 --rate_process=poisson)
		;;
	cache)
		options+=(--filename="$WORK/mnt/file" --size=256M --ioengine=psync --invalidate=0
			--cpus_allowed="$(($(nproc) - 1))")
		;;
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
	totals) start_blkreel "$WORK/$load.reel" -d "$DISK" --cache --aggregate ;;
	counts)
		start_blkreel "$WORK/$load.reel" -d "$DISK" --aggregate
		sleep 1.2 # its first second is not typical: it keeps a table of IOs in flight
		;;
	cachestat)
		bpftrace -q "$HERE/cachestat.bt" -o "$WORK/cachestat.out" >"$WORK/recorder.log" 2>&1 &
		RECORDER=$!
		wait_for_programs 2
		sleep 0.3
		;;
	one_program) start_blkreel "$WORK/$load.reel" -d "$DISK" --lean ;;
	perf)
		filter="dev == $((7 << 20 | ${DISK#/dev/loop}))"
		rm -f "$WORK/perf.data"
		perf record -a -m 16M -o "$WORK/perf.data" -e block:block_rq_issue --filter "$filter" \
			-e block:block_rq_complete --filter "$filter" 2>"$WORK/recorder.log" &
		RECORDER=$!
		wait_for_file "$WORK/perf.data" 0
		sleep 0.3
		;;
	bpftrace)
		rm -f "$WORK/bpftrace.out"
		bpftrace -q "$HERE/biosnoop.bt" -o "$WORK/bpftrace.out" >"$WORK/recorder.log" 2>&1 &
		RECORDER=$!
		wait_for_programs 2
		sleep 0.3
		;;
	esac
}

# Cached reads get the last core to themselves, if there are several.
keep_recorder_away() {
	local last=$(($(nproc) - 1))
	[ "$1" != cache ] || [ "$last" = 0 ] ||
		taskset -acp "0-$((last - 1))" "$RECORDER" >/dev/null
}

# Compares the recording with the counts of the kernel and of fio.
check_recording() {
	local load=$1 observer=$2 kernel=$3 reads=$4 info=$WORK/info.json
	case $load.$observer in
	block.blkreel | block.one_program | offered.blkreel | slow.blkreel)
		"$BLKREEL" info --json "$WORK/$load.reel" >"$info"
		sample "$load.$observer.lost" "$((kernel - $(json "$info" "d['rows']['io']")))"
		sample "$load.$observer.incomplete" "$(json "$info" "d['lost']['total']")"
		sample "$load.$observer.bytes" "$(stat -c %s "$WORK/$load.reel")"
		;;
	block.counts)
		sample block.counts.lost "$((kernel - $(counted_ios "$WORK/block.reel")))"
		;;
	block.bpftrace)
		sample block.bpftrace.lost "$((kernel - $(grep -c '^[0-9]' "$WORK/bpftrace.out")))"
		sample block.bpftrace.bytes "$(stat -c %s "$WORK/bpftrace.out")"
		;;
	block.perf)
		sample block.perf.lost "$((kernel - $(perf_samples) / 2))"
		sample block.perf.bytes "$(stat -c %s "$WORK/perf.data")"
		;;
	cache.blkreel | cache.totals)
		"$BLKREEL" explain --json "$WORK/cache.reel" >"$info"
		sample "cache.$observer.lost" "$((reads - $(json "$info" "d['cache']['read']['pages']")))"
		;;
	esac
}

# The number of IOs in the latency histograms of a recording with --aggregate.
counted_ios() {
	"$BLKREEL" dump --rows hist --format csv "$1" | python3 -c '
import csv, sys
print(sum(int(row["count"]) for row in csv.DictReader(sys.stdin) if row["figure"] == "total_ns"))'
}

perf_samples() {
	sed -n 's/.*(\([0-9]*\) samples).*/\1/p' "$WORK/recorder.log"
}

# One run of a workload with an observer ("none": no recorder).
record_once() {
	local load=$1 observer=$2 kernel cpu_ns reads
	start_recorder "$load" "$observer"
	kernel=$(kernel_ios "$DISK")
	if [ "$observer" != none ]; then
		keep_recorder_away "$load"
		cpu_ns=$(process_cpu_ns "$RECORDER")
	fi
	run_workload "$load"
	reads=$(json "$WORK/fio.json" "d['jobs'][0]['read']['total_ios']")
	kernel=$(($(kernel_ios "$DISK") - kernel))
	sample "$load.$observer.iops" "$(json "$WORK/fio.json" "d['jobs'][0]['read']['iops']")"
	sample "$load.$observer.latency_ns" "$(json "$WORK/fio.json" "d['jobs'][0]['read']['lat_ns']['mean']")"
	[ "$observer" != none ] || return 0
	sample "$load.$observer.ios" "$reads"
	sample "$load.$observer.cpu_ns" "$(($(process_cpu_ns "$RECORDER") - cpu_ns))"
	sample "$load.$observer.peak_kib" "$(process_peak_kib "$RECORDER")"
	stop_recorder
	check_recording "$load" "$observer" "$kernel" "$reads"
}

# BPF time per read, in a run of its own because counting has a cost. Fails when more than 5 % of the runs of a
# program were for the IO of other programs, which would count as well.
bpf_once() {
	local load=$1 observer=$2 reads main_program
	case $observer in
	blkreel) main_program=block_rq_issue ;;
	one_program) main_program=block_rq_complete ;;
	counts) main_program=tally_complete ;;
	bpftrace) main_program=tracepoint_bloc ;;
	esac
	[ "$load" != cache ] || main_program=mm_filemap_get_pages
	[ "$observer" != cachestat ] || main_program=none # it sees the reads of all programs
	start_recorder "$load" "$observer"
	keep_recorder_away "$load"
	sysctl -qw kernel.bpf_stats_enabled=1
	run_workload "$load"
	reads=$(json "$WORK/fio.json" "d['jobs'][0]['read']['total_ios']")
	python3 "$HERE/bpf_cost.py" "$RECORDER" "$reads" >"$WORK/bpf"
	sysctl -qw "kernel.bpf_stats_enabled=$BPF_STATS_BEFORE"
	stop_recorder
	awk -v program="$main_program" 'index($1, program) == 1 && $3 > 1.05 {bad = 1} END {exit bad}' \
		"$WORK/bpf" || return 1
	sample "$load.$observer.bpf_ns" "$(awk '$1 == "total" {print $2}' "$WORK/bpf")"
	sed "s/^/bench:   /" "$WORK/bpf" >&2
}

# measure_bpf LOAD OBSERVER...: bpf_once for each of them, alternating, PAIRS times.
measure_bpf() {
	local load=$1 pair observer try
	shift
	say "BPF time of each program ($load), ns per run and runs per read"
	for ((pair = 0; pair < PAIRS; pair++)); do
		for observer in $(rotate "$pair" "$@"); do
			for ((try = 0; try < 4; try++)); do
				! bpf_once "$load" "$observer" || break
			done
			[ "$try" -lt 4 ] || die "IO of other programs disturbed four runs"
		done
	done
}

# measure LOAD OBSERVER...: the workload with each of them, alternating, PAIRS times.
measure() {
	local load=$1 pair observer
	shift
	run_workload "$load"
	for ((pair = 0; pair < PAIRS; pair++)); do
		for observer in $(rotate "$pair" "$@"); do
			record_once "$load" "$observer"
		done
	done
}

# row_recorder NAME OBSERVER: rows about the cost of a blkreel recorder at the highest rate.
row_recorder() {
	local name=$1 us=block.$2
	row "$name: throughput kept (peer: perf)" % "$us.kept*100" "block.perf.kept*100" ">=97"
	row "$name: recorder CPU at 100 k IOPS (peer: perf)" "% of a core" "$us.cpu_ns/$us.ios*0.01" \
		block.perf.cpu_ns/block.perf.ios*0.01 "<=10"
	row "$name: peak memory (peer: perf)" MiB "$us.peak_kib*0.0009765625" \
		block.perf.peak_kib*0.0009765625 "<=$((64 + 16 * $(nproc)))"
	row "$name: IOs without a row, of the kernel's count (peer: perf)" % "$us.lost/$us.ios*100" \
		block.perf.lost/block.perf.ios*100 "<=0"
	row "$name: rows marked incomplete" % "$us.incomplete/$us.ios*100" "" "<=0"
	row "$name: file size (peer: perf.data)" "B per IO" "$us.bytes/$us.ios" \
		block.perf.bytes/block.perf.ios "ratio<=1"
}

bench_record() {
	say "recording 4 KiB random direct reads, io_uring, depth 32"
	measure_windows blkreel one_program counts perf bpftrace
	row "record: the load without a recorder" "k IOPS" block.none.iops*0.001 "" ">=250"
	row "control, no recorder: throughput kept, by which all others are divided" % "block.control.kept*100" "" ""
	row_recorder record blkreel
	row_recorder "record --lean" one_program
	row "record: throughput kept (peer: bpftrace)" % "block.blkreel.kept*100" "block.bpftrace.kept*100" ""
	row "bpftrace: IOs without a line, of the kernel's count" % \
		block.bpftrace.lost/block.bpftrace.ios*100 "" ""
	row "record --aggregate: throughput kept (peer: perf)" % "block.counts.kept*100" "block.perf.kept*100" ">=97"
	row "record --aggregate: recorder CPU at 100 k IOPS (peer: perf)" "% of a core" \
		block.counts.cpu_ns/block.counts.ios*0.01 block.perf.cpu_ns/block.perf.ios*0.01 "<=10"
	row "record --aggregate: IOs in no histogram, of the kernel's count" % \
		block.counts.lost/block.counts.ios*100 "" "<=0"
	say "the same with 250,000 IOPS offered"
	measure offered none blkreel one_program perf bpftrace
	row "250 k IOPS offered: done without a recorder" "k IOPS" offered.none.iops*0.001 "" ">=245"
	row "record: throughput kept, 250 k IOPS offered (peer: perf)" % \
		offered.blkreel.iops/offered.none.iops*100 offered.perf.iops/offered.none.iops*100 ">=97"
	row "record: throughput kept, 250 k IOPS offered (peer: bpftrace)" % \
		offered.blkreel.iops/offered.none.iops*100 offered.bpftrace.iops/offered.none.iops*100 ">=97"
	row "record --lean: throughput kept, 250 k IOPS offered (peer: perf)" % \
		offered.one_program.iops/offered.none.iops*100 offered.perf.iops/offered.none.iops*100 ">=97"
	row "record: IOs without a row, 250 k IOPS offered" % \
		offered.blkreel.lost/offered.blkreel.ios*100 "" "<=0"
	say "the same at 20,000 IOPS"
	measure slow none blkreel
	row "record: throughput kept at 20 k IOPS" % slow.blkreel.iops/slow.none.iops*100 "" ">=99"
	row "record: latency at 20 k IOPS, relative to no recorder" % \
		slow.blkreel.latency_ns/slow.none.latency_ns*100 "" ""
	row "record: IOs without a row at 20 k IOPS" % slow.blkreel.lost/slow.blkreel.ios*100 "" "<=0"
	measure_bpf block blkreel one_program counts bpftrace
	row "record: BPF time per IO (peer: bpftrace)" ns block.blkreel.bpf_ns block.bpftrace.bpf_ns "<=300"
	row "record --lean: BPF time per IO (peer: bpftrace)" ns block.one_program.bpf_ns \
		block.bpftrace.bpf_ns "<=150"
	row "record --aggregate: BPF time per IO (peer: bpftrace)" ns block.counts.bpf_ns \
		block.bpftrace.bpf_ns "<=300"
	row "record: BPF time as a ratio (0.05: bpftrace needs 20 times as much)" ns block.blkreel.bpf_ns \
		block.bpftrace.bpf_ns "ratio<=0.05"
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
	measure cache none totals blkreel cachestat
	measure_bpf cache totals blkreel cachestat
	DISK=$disk
	row "cached reads without a recorder" "k reads/s" cache.none.iops*0.001 "" ">=800"
	row "record --aggregate --cache: throughput kept (peer: bpftrace)" % \
		cache.totals.iops/cache.none.iops*100 cache.cachestat.iops/cache.none.iops*100 ">=90"
	row "record --aggregate --cache: BPF time per read (peer: bpftrace)" ns cache.totals.bpf_ns \
		cache.cachestat.bpf_ns "<=120"
	row "record --aggregate --cache: pages read but not counted" % \
		cache.totals.lost/cache.totals.ios*100 "" "<=0"
	row "record --cache: throughput kept, all reads hit" % \
		cache.blkreel.iops/cache.none.iops*100 "" ""
	row "record --cache: BPF time per read (peer: bpftrace)" ns cache.blkreel.bpf_ns \
		cache.cachestat.bpf_ns ""
	row "record --cache: recorder CPU at 100 k reads/s" "% of a core" \
		cache.blkreel.cpu_ns/cache.blkreel.ios*0.01 "" ""
	row "record --cache: peak memory" MiB cache.blkreel.peak_kib*0.0009765625 "" ""
	row "record --cache: pages read but not counted, of fio's count" % \
		cache.blkreel.lost/cache.blkreel.ios*100 "" "<=0"
}
