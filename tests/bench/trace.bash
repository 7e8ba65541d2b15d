# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Size of traces, and the speed of writing, reading and importing them.

# Makes a recording of the reads of part "record", unless there is one.
need_recording() {
	[ ! -e "$WORK/block.reel" ] || return 0
	start_recorder block blkreel
	run_workload block
	stop_recorder
}

# sizes NAME TRACE: samples NAME.{ios,ns,us,csv_ns,csv_us}; the last two: CSV through zstd -3.
sizes() {
	local name=$1 trace=$2 suffix resolution_ns results
	for suffix in ns us; do
		resolution_ns=$([ "$suffix" = ns ] && echo 1 || echo 1000)
		"$BUILD/bench/bench_trace" write "$trace" "$WORK/size.reel" "$resolution_ns" \
			>"$WORK/results"
		read -ra results <"$WORK/results"
		sample "$name.$suffix" "$(stat -c %s "$WORK/size.reel")"
		"$BUILD/bench/bench_trace" csv "$WORK/size.reel" | zstd -3 -c >"$WORK/size.zst"
		sample "$name.csv_$suffix" "$(stat -c %s "$WORK/size.zst")"
	done
	sample "$name.ios" "${results[0]}"
	rm -f "$WORK/size.reel" "$WORK/size.zst"
}

# size_rows NAME WHAT TARGET-NS TARGET-US
size_rows() {
	local name=$1 what=$2 target_ns=$3 target_us=$4
	row "size: $what, 1 ns (peer: CSV, zstd -3)" "B per IO" "$name.ns/$name.ios" \
		"$name.csv_ns/$name.ios" "$target_ns"
	row "size: $what, 1 us (peer: CSV, zstd -3)" "B per IO" "$name.us/$name.ios" \
		"$name.csv_us/$name.ios" "$target_us"
}

# imported_sizes NAME WHAT LOG TARGET-NS TARGET-US: sizes of a log that has no latencies.
imported_sizes() {
	local name=$1 what=$2 log=$3
	[ -e "$log" ] || return 0
	"$BLKREEL" -q import --dedup "$log" -o "$WORK/whole.reel"
	sizes "$name" "$WORK/whole.reel"
	rm -f "$WORK/whole.reel"
	size_rows "$name" "$what" "$4" "$5"
}

bench_size() {
	say "size of traces"
	need_recording
	sizes size_fio "$WORK/block.reel"
	size_rows size_fio "recorded random reads, all columns" "ratio<=1" "<=8"
	imported_sizes size_real "web server, no latencies" "$LOAD_LOG" "<=6.3" "<=4.5"
	imported_sizes size_mysql "mysql, no latencies" "$MYSQL_LOG" "<=4.8" "<=3.6"
}

# import_once LOG: samples rows per CPU second of each program that reads the log.
import_once() {
	local log=$1 seconds rows
	seconds=$(cpu_seconds "$BLKREEL" import "$log" -o "$WORK/imported.reel")
	rows=$("$BLKREEL" info --json "$WORK/imported.reel" >"$WORK/info.json" &&
		json "$WORK/info.json" 'd["rows"]["io"]')
	sample import.blkreel "$(awk "BEGIN {print $rows / $seconds / 1e6}")"
	seconds=$(cpu_seconds sh -c 'zcat "$1" | awk -F";" "{sectors += \$3; bytes += \$2} END {print NR, sectors, bytes}"' \
		- "$log")
	sample import.awk "$(awk "BEGIN {print $rows / $seconds / 1e6}")"
	seconds=$(cpu_seconds python3 "$HERE/parse_load.py" "$log")
	[ "$(cat "$WORK/out")" = "$rows" ] || die "Python read $(cat "$WORK/out") rows of $rows"
	sample import.python "$(awk "BEGIN {print $rows / $seconds / 1e6}")"
}

bench_import() {
	local pair
	say "import of the web server's log"
	[ -e "$LOAD_LOG" ] || return 0
	for ((pair = 0; pair < PAIRS; pair++)); do
		import_once "$LOAD_LOG"
	done
	rm -f "$WORK/imported.reel"
	row "import: rows (peer: zcat and awk, two sums)" "M/s of CPU" import.blkreel import.awk ">=2"
	row "import: rows (peer: Python, parsed to tuples)" "M/s of CPU" import.blkreel import.python "ratio>=1"
}

# codec_once: samples rows per CPU second of writing and reading, ours and the peers'.
codec_once() {
	local seconds results rows tool=$BUILD/bench/bench_trace
	"$tool" write "$WORK/block.reel" "$WORK/copy.reel" 1 >"$WORK/results"
	read -ra results <"$WORK/results"
	rows=${results[0]}
	sample codec.write "$(awk "BEGIN {print $rows / ${results[1]} * 1e3}")"
	sample codec.write_peak "${results[2]}"
	seconds=$(cpu_seconds zstd -3 -T1 -q -c "$WORK/rows.csv")
	sample codec.zstd "$(awk "BEGIN {print $rows / $seconds / 1e6}")"
	"$tool" read "$WORK/copy.reel" >"$WORK/results"
	read -ra results <"$WORK/results"
	[ "${results[0]}" = "$rows" ] || die "read ${results[0]} rows of $rows"
	sample codec.read "$(awk "BEGIN {print $rows / ${results[1]} * 1e3}")"
	sample codec.read_peak "${results[2]}"
	seconds=$(cpu_seconds awk -F, '{sum += $5 + $3} END {print NR, sum}' "$WORK/rows.csv")
	sample codec.awk "$(awk "BEGIN {print $rows / $seconds / 1e6}")"
}

bench_codec() {
	local pair
	say "speed of the trace library, one core"
	need_recording
	"$BUILD/bench/bench_trace" csv "$WORK/block.reel" >"$WORK/rows.csv"
	for ((pair = 0; pair < PAIRS; pair++)); do
		codec_once
	done
	rm -f "$WORK/rows.csv" "$WORK/copy.reel"
	row "write: rows (peer: zstd -3 of their CSV)" "M/s of CPU" codec.write codec.zstd ">=5"
	row "write: memory" MiB codec.write_peak*0.00000095367431640625 "" "<=64"
	row "read: rows (peer: awk on their CSV)" "M/s of CPU" codec.read codec.awk ">=20"
	row "read: memory" MiB codec.read_peak*0.00000095367431640625 "" "<=64"
}
