# SPDX-License-Identifier: MIT
# profile: build, show, generate, and its messages about bad input.
# bats file_tags=beside,sanitized
load test_helper

setup() {
	TRACE=$BATS_TEST_TMPDIR/a.reel
	PROFILE=$BATS_TEST_TMPDIR/a.profile
	make_trace "$TRACE" --rows 2000 --seed 7
}

@test "a profile of a trace is the same text on every machine" {
	run -0 --separate-stderr "$BLKREEL" profile "$TRACE" -o "$PROFILE"
	[ -z "$stderr" ]
	[[ "$output" == *"Generated again from the profile with 5 seeds:"* ]]
	cmp "$PROFILE" "$ROOT/tests/golden/profiles/make_trace-2000-7.profile"
}

@test "the golden profiles are read" {
	for golden in "$ROOT"/tests/golden/profiles/*.profile; do
		run -0 --separate-stderr "$BLKREEL" profile generate "$golden" --format csv
		[ "${#lines[@]}" -gt 1 ]
	done
}

@test "show: the busiest eighth of a period, if it has more than an even one" {
	golden=$ROOT/tests/golden/profiles/timer.profile
	"$BLKREEL" profile show "$golden" | grep -qx "  period      5.00 s: an eighth of it has 73 % of the writes and flushes"
	sed '/^period_shape/a period_shape.r = 1 1 1 1 9 9 1 1' "$golden" >"$PROFILE"
	"$BLKREEL" profile show "$PROFILE" |
		grep -qx "  period      5.00 s: an eighth of it has 73 % of the writes and flushes; an eighth of it has 38 % of the reads"
	sed 's/^\(period_shape.o\) .*/\1 = 1 1 1 1 1 1 1 1/' "$golden" >"$PROFILE"
	"$BLKREEL" profile show "$PROFILE" | grep -qx "  period      5.00 s"
	# A discard neither reads nor writes.
	sed 's/^op = write/op = discard/' "$golden" >"$PROFILE"
	"$BLKREEL" profile show "$PROFILE" | grep -qx "  period      5.00 s: an eighth of it has 73 % of all but the reads"
}

@test "a closed loop that is off is named as a use that the profile is not good for" {
	golden=$ROOT/tests/golden/profiles/make_trace-2000-7.profile
	"$BLKREEL" profile show "$golden" | tr '\n' ' ' >"$BATS_TEST_TMPDIR/good"
	grep -q "is good for .*replay in mode dependent" "$BATS_TEST_TMPDIR/good"
	sed 's/^latency_shift = .*/latency_shift = 0.554 0.56/' "$golden" >"$PROFILE"
	"$BLKREEL" profile show "$PROFILE" | tr '\n' ' ' >"$BATS_TEST_TMPDIR/off"
	grep -q "not .*replay in mode dependent (latency 0.554)\." "$BATS_TEST_TMPDIR/off"
	run ! grep -q "queues" "$BATS_TEST_TMPDIR/off"
}

@test "of a trace without IOs nothing is said but that" {
	write_trace 1M </dev/null
	run -0 --separate-stderr "$BLKREEL" profile "$TRACE" -o "$PROFILE"
	[ -z "$output" ]
	[[ $stderr == *"no IOs: the profile is empty" ]]
	run -0 --separate-stderr "$BLKREEL" profile show "$PROFILE"
	[[ $output != *"is good for"* ]]
}

@test "without -o the profile goes to standard output and the table to standard error" {
	build_profile
	run -0 --separate-stderr "$BLKREEL" profile "$TRACE"
	[ "$output" = "$(cat "$PROFILE")" ]
	[[ "$stderr" == *"number of IOs"* ]]
	run -0 --separate-stderr "$BLKREEL" -q profile "$TRACE" -o -
	[ "$output" = "$(cat "$PROFILE")" ]
	[ -z "$stderr" ]
}

@test "the profile holds no name of the trace's tasks, files or device" {
	build_profile
	run ! grep -E 'nvme0n1|postgres|/' <(grep -v '^#' "$PROFILE")
}

@test "generate gives as many IOs as the trace has, the same for the same seed" {
	build_profile
	"$BLKREEL" profile generate "$PROFILE" --format csv >"$BATS_TEST_TMPDIR/1.csv"
	"$BLKREEL" profile generate "$PROFILE" --format csv --seed 1 >"$BATS_TEST_TMPDIR/2.csv"
	"$BLKREEL" profile generate "$PROFILE" --format csv --seed 2 >"$BATS_TEST_TMPDIR/3.csv"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/1.csv")" = 2001 ]
	cmp "$BATS_TEST_TMPDIR/1.csv" "$BATS_TEST_TMPDIR/2.csv"
	run ! cmp -s "$BATS_TEST_TMPDIR/1.csv" "$BATS_TEST_TMPDIR/3.csv"
	[ "$(head -1 "$BATS_TEST_TMPDIR/1.csv")" = "time_ns,op,sector,bytes,stream,flags" ]
}

@test "generate --count stops early and --format json prints an object a line" {
	build_profile
	run -0 "$BLKREEL" profile generate "$PROFILE" --count 3 --format json
	[ "${#lines[@]}" = 3 ]
	python3 -c 'import json,sys
for line in sys.argv[1].splitlines(): assert json.loads(line)["bytes"] >= 0' "$output"
}

@test "generate -o writes a trace that compares as the same workload" {
	build_profile
	run -0 "$BLKREEL" profile generate "$PROFILE" -o "$BATS_TEST_TMPDIR/b.reel"
	"$BLKREEL" compare "$PROFILE" "$BATS_TEST_TMPDIR/b.reel" --json >"$BATS_TEST_TMPDIR/c.json"
	[ "$(json "$BATS_TEST_TMPDIR/c.json" 'd["workload"]["gap_ks"]')" = 0.0 ]
	[ "$(json "$BATS_TEST_TMPDIR/c.json" 'd["workload"]["mrc_mae"]')" = 0.0 ]
	[ "$(json "$BATS_TEST_TMPDIR/c.json" 'd["same_workload"]')" = True ]
}

@test "show prints a summary as text and as JSON" {
	build_profile
	run -0 "$BLKREEL" profile show "$PROFILE"
	[[ "$output" == *"2,000 in "* ]]
	for part in "  Mix" "  Sizes, up to" "  Arrivals, " "  Addresses, " "  Misses of a cache" "with 5 seeds"; do
		[[ "$output" == *"$part"* ]]
	done
	[ "$(printf '%s\n' "$output" | awk '{ if (length > m) m = length } END { print m < 80 }')" = 1 ]
	"$BLKREEL" profile show "$PROFILE" --json >"$BATS_TEST_TMPDIR/s.json"
	[ "$(json "$BATS_TEST_TMPDIR/s.json" 'd["schema"]')" = blkreel.profile/1 ]
	[ "$(json "$BATS_TEST_TMPDIR/s.json" 'd["ios"]')" = 2000 ]
	[ "$(json "$BATS_TEST_TMPDIR/s.json" 'sum(s["ios"] for s in d["streams"])')" = 2000 ]
	[ "$(json "$BATS_TEST_TMPDIR/s.json" 'sum(d["windows_ios"])')" = 2000 ]
	[ "$(json "$BATS_TEST_TMPDIR/s.json" 'd["error"]["size_tvd"]["median"] < 0.01')" = True ]
	[ "$(json "$BATS_TEST_TMPDIR/s.json" 'd["error"]["idc_ratio.60s"]')" = "{'median': None, 'worst': None}" ]
	[[ "$output" =~ "bursts at 60 s"\ +-\ +-$'\n' ]]
}

# write_profile_of_reads FILE SECTOR: a hand-made profile of 1000 reads of 4 KiB in 100 s, from SECTOR on.
write_profile_of_reads() {
	cat >"$1" <<-END
		[profile]
		version = 1
		ios = 1000
		duration_ns = 100000000000
		device_bytes = 1073741824
		first_sector = $2
		end_sector = $(($2 + 100000))
		phases = 2
		[arrival]
		windows = 100 200 300 400
		split_levels = 10
		[stream 1]
		op = read
		ios = 1000
		phases = 300 700
		sizes = 4096:1
	END
}

@test "the profile keeps each figure of its own error" {
	build_profile
	run -0 grep -c '^[a-z0-9_.]* = -*[0-9.]* -*[0-9.]*$' "$PROFILE"
	[ "$output" -ge 10 ] # idc_ratio of 1 s and 60 s cannot be said of a second
	grep -q '^seeds = 5$' "$PROFILE"
	"$BLKREEL" -q profile "$TRACE" --seeds 0 -o "$PROFILE"
	run ! grep -q '^\[error\]' "$PROFILE"
}

@test "scale: the rate doubles, the mix stays, and the time is stretched" {
	build_profile
	"$BLKREEL" profile scale "$PROFILE" --load 2 -o "$BATS_TEST_TMPDIR/2.profile"
	"$BLKREEL" profile diff "$PROFILE" "$BATS_TEST_TMPDIR/2.profile" --json >"$BATS_TEST_TMPDIR/d.json"
	[ "$(json "$BATS_TEST_TMPDIR/d.json" 'd["workload"]["size_tvd"] < 0.02')" = True ]
	[ "$(json "$BATS_TEST_TMPDIR/d.json" 'd["workload"]["mrc_mae"] < 0.03')" = True ]
	[ "$(json "$BATS_TEST_TMPDIR/d.json" '1.98 < d["workload"]["bytes_ratio"] < 2.02')" = True ]
	[ "$(json "$BATS_TEST_TMPDIR/d.json" 'abs(d["workload"]["read_ios_delta_pp"]) < 0.1')" = True ]
	grep -qx 'ios = 4000' "$BATS_TEST_TMPDIR/2.profile"
}

@test "scale: the gap table of the largest class stays in that class" {
	cat >"$PROFILE" <<-'END'
		[profile]
		version = 1
		ios = 400
		duration_ns = 40000000
		end_sector = 8000
		phases = 1
		[arrival]
		windows = 400
		gap.129 = 17:1
		[stream 1]
		op = read
		ios = 400
		sizes = 4096:400
	END
	"$BLKREEL" profile scale "$PROFILE" --load 2 -o "$BATS_TEST_TMPDIR/2.profile"
	grep -qx 'gap.129 = 16:1' "$BATS_TEST_TMPDIR/2.profile"
	grep -qx 'windows = 800' "$BATS_TEST_TMPDIR/2.profile"
}

@test "scale: the result is readable for any factor, and streams and windows have the same IOs" {
	for load in 0.0005 0.0037 0.37 1000; do
		"$BLKREEL" profile scale "$ROOT/tests/golden/profiles/make_trace-2000-7.profile" --load $load -o "$BATS_TEST_TMPDIR/s"
		"$BLKREEL" profile show "$BATS_TEST_TMPDIR/s" --json >"$BATS_TEST_TMPDIR/s.json"
		[ "$(json "$BATS_TEST_TMPDIR/s.json" 'sum(s["ios"] for s in d["streams"]) - d["ios"]')" = 0 ]
	done
	# Streams without phases share by a weight.
	"$BLKREEL" profile scale "$ROOT/tests/golden/profiles/short.profile" --load 0.02 -o "$BATS_TEST_TMPDIR/s"
	"$BLKREEL" profile scale "$BATS_TEST_TMPDIR/s" --time 3 --load 100 -o "$BATS_TEST_TMPDIR/t"
	"$BLKREEL" profile generate "$BATS_TEST_TMPDIR/t" --format csv >"$BATS_TEST_TMPDIR/t.csv"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/t.csv")" = 2001 ]
}

@test "scale: a warning says that no IO is left" {
	run -0 --separate-stderr "$BLKREEL" profile scale oltp --load 1e-6 -o "$BATS_TEST_TMPDIR/s"
	one_line "$stderr"
	[[ $stderr == *"oltp: no IOs are left: the profile is empty" ]]
	grep -qx 'ios = 0' "$BATS_TEST_TMPDIR/s"
}

@test "scale: half the IOs keep the distribution of sizes" {
	"$BLKREEL" profile scale web --load 0.5 -o "$BATS_TEST_TMPDIR/h"
	"$BLKREEL" profile diff web "$BATS_TEST_TMPDIR/h" --json >"$BATS_TEST_TMPDIR/d.json"
	[ "$(json "$BATS_TEST_TMPDIR/d.json" '0.495 < d["workload"]["bytes_ratio"] < 0.505')" = True ]
	[ "$(json "$BATS_TEST_TMPDIR/d.json" 'd["workload"]["size_tvd"] < 0.005')" = True ]
}

@test "scale: half the footprint is half the blocks" {
	# 6000 reads of 1000 blocks.
	awk 'BEGIN { x = 1; for (i = 0; i < 6000; i++) { x = (x * 1103 + 12345) % 1048573; print i ",R," x % 1000 * 4096 ",4096" } }' \
		>"$BATS_TEST_TMPDIR/a.csv"
	"$BLKREEL" -q import --from csv --columns time:ms,op,offset,size "$BATS_TEST_TMPDIR/a.csv" \
		-o "$BATS_TEST_TMPDIR/a2.reel"
	"$BLKREEL" -q profile "$BATS_TEST_TMPDIR/a2.reel" -o "$PROFILE"
	"$BLKREEL" profile scale "$PROFILE" --footprint 0.5 -o "$BATS_TEST_TMPDIR/h.profile"
	"$BLKREEL" profile diff "$PROFILE" "$BATS_TEST_TMPDIR/h.profile" --json >"$BATS_TEST_TMPDIR/d.json"
	[ "$(json "$BATS_TEST_TMPDIR/d.json" '0.45 < d["workload"]["footprint_ratio"] < 0.55')" = True ]
	"$BLKREEL" profile scale "$PROFILE" --time 3 -o "$BATS_TEST_TMPDIR/t.profile"
	duration=$(sed -n 's/^duration_ns = //p' "$PROFILE")
	grep -qx "duration_ns = $((3 * duration))" "$BATS_TEST_TMPDIR/t.profile"
}

@test "mix: each part keeps its share, place and rate" {
	write_profile_of_reads "$BATS_TEST_TMPDIR/a" 0
	write_profile_of_reads "$BATS_TEST_TMPDIR/b" 8
	"$BLKREEL" profile mix "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b=3" -o "$BATS_TEST_TMPDIR/m"
	"$BLKREEL" profile generate "$BATS_TEST_TMPDIR/m" --format csv >"$BATS_TEST_TMPDIR/m.csv"
	# 1 GiB, the size of the first device, is where the second begins.
	run -0 awk -F, 'NR > 1 { parts[$3 < 2097152]++ } END { print parts[1], parts[0] }' \
		"$BATS_TEST_TMPDIR/m.csv"
	[ "$output" = "1000 3000" ]
}

@test "slice: a phase, the busiest time, from and to" {
	write_profile_of_reads "$BATS_TEST_TMPDIR/a" 0
	"$BLKREEL" profile slice "$BATS_TEST_TMPDIR/a" --phase 2 -o "$BATS_TEST_TMPDIR/s"
	grep -qx 'ios = 700' "$BATS_TEST_TMPDIR/s"
	"$BLKREEL" profile slice "$BATS_TEST_TMPDIR/a" --busiest 25s -o "$BATS_TEST_TMPDIR/s"
	# The last window has 400; where the IOs of the one before lie in it is random.
	grep -qxE 'ios = 4[0-4][0-9]' "$BATS_TEST_TMPDIR/s"
	"$BLKREEL" profile slice "$BATS_TEST_TMPDIR/a" --from 25s --to 50s -o "$BATS_TEST_TMPDIR/s"
	grep -qx 'ios = 200' "$BATS_TEST_TMPDIR/s"
	run -2 --separate-stderr "$BLKREEL" profile slice "$BATS_TEST_TMPDIR/a" --from 101s
	[[ "$stderr" == *"there are no IOs in that time"* ]]
	run -2 --separate-stderr "$BLKREEL" profile slice "$BATS_TEST_TMPDIR/a" --phase 3
	[[ "$stderr" == *"there are only 2"* ]]
}

@test "mix and slice write at most 16 KiB" {
	"$BLKREEL" profile mix web oltp=0.01 -o "$BATS_TEST_TMPDIR/m"
	"$BLKREEL" profile slice web --from 10m --to 30m -o "$BATS_TEST_TMPDIR/s"
	# Four workloads that share a device: without comments, and their time in fewer parts.
	"$BLKREEL" profile slice web --from 10m --to 15m -o "$BATS_TEST_TMPDIR/w"
	cp "$BATS_TEST_TMPDIR/w" "$BATS_TEST_TMPDIR/x"
	"$BLKREEL" profile mix "$BATS_TEST_TMPDIR/w" "$BATS_TEST_TMPDIR/x=0.3" "$BATS_TEST_TMPDIR/s=0.2" mail=0.1 -o "$BATS_TEST_TMPDIR/four"
	for shortened in m s four; do
		[ "$(stat -c %s "$BATS_TEST_TMPDIR/$shortened")" -le 16384 ]
		"$BLKREEL" profile show "$BATS_TEST_TMPDIR/$shortened" >/dev/null
	done
	grep -q '^# A workload' "$BATS_TEST_TMPDIR/four"
	[ "$(sed '1,/^\[/d' "$BATS_TEST_TMPDIR/four" | grep -c '^#')" = 0 ]
}

@test "slice: --from and --to take a time of day, and a slice knows its own" {
	local start=1795305600 second # 2026-11-22 00:00:00 UTC
	export TZ=UTC
	# Ten reads in each second of an even minute, none in an odd one.
	for ((second = 0; second < 360; second++)); do
		((second / 60 % 2)) || for i in {0..9}; do echo "$((start + second)).$i,R,$((second * 40960 + i * 4096)),4096"; done
	done >"$BATS_TEST_TMPDIR/io.csv"
	"$BLKREEL" import --from csv --columns time,op,offset,size "$BATS_TEST_TMPDIR/io.csv" -o "$BATS_TEST_TMPDIR/t.reel"
	"$BLKREEL" profile "$BATS_TEST_TMPDIR/t.reel" --seeds 0 -o "$BATS_TEST_TMPDIR/p" 2>/dev/null
	ios() { "$BLKREEL" profile show --json "$1" | json /dev/stdin "d['ios'], d['start_wall_ns'] // 10**9 - $start"; }
	[ "$(ios "$BATS_TEST_TMPDIR/p")" = "(1800, 0)" ]
	"$BLKREEL" profile show "$BATS_TEST_TMPDIR/p" | grep -qx "  first IO    2026-11-22 00:00:00 UTC"
	# An IO at the edge of a minute may be generated on either side of it.
	near() { "$BLKREEL" profile show --json "$1" | json /dev/stdin "abs(d['ios'] - $2) <= 2, d['start_wall_ns'] // 10**9 - $start"; }
	"$BLKREEL" profile slice "$BATS_TEST_TMPDIR/p" --from 00:02 --to 2026-11-22T00:03 -o "$BATS_TEST_TMPDIR/s"
	[ "$(near "$BATS_TEST_TMPDIR/s" 600)" = "(True, 120)" ]
	"$BLKREEL" profile slice "$BATS_TEST_TMPDIR/s" --to 00:02:30 -o "$BATS_TEST_TMPDIR/half"
	[ "$(near "$BATS_TEST_TMPDIR/half" 300)" = "(True, 120)" ]
	run -2 --separate-stderr "$BLKREEL" profile slice "$BATS_TEST_TMPDIR/p" --from 00:03 --to 00:02
	run -2 --separate-stderr "$BLKREEL" profile slice "$BATS_TEST_TMPDIR/p" --from noon
	[[ $stderr == *"--from takes a time"* ]]
	"$BLKREEL" profile mix "$BATS_TEST_TMPDIR/p" "$BATS_TEST_TMPDIR/p" -o "$BATS_TEST_TMPDIR/mix"
	"$BLKREEL" profile scale "$BATS_TEST_TMPDIR/p" --time 2 -o "$BATS_TEST_TMPDIR/scaled"
	for other in mix scaled; do
		run -2 --separate-stderr "$BLKREEL" profile slice "$BATS_TEST_TMPDIR/$other" --from 00:01
		[[ $stderr == *"does not tell at what time of day"* ]]
	done
}

@test "slice --busiest takes the stretch with the most IOs, to the IO" {
	local seconds most
	"$BLKREEL" profile generate web --format csv >"$BATS_TEST_TMPDIR/all.csv"
	for seconds in 0.01 0.37 1 2.5 1000; do
		# Every stretch that begins with an IO, counted by a program that is not blkreel.
		most=$(python3 - "$BATS_TEST_TMPDIR/all.csv" "$seconds" <<-'PYTHON'
			import bisect, csv, sys
			times = sorted(int(row["time_ns"]) for row in csv.DictReader(open(sys.argv[1])))
			length = round(float(sys.argv[2]) * 1e9)
			print(max(bisect.bisect_left(times, t + length) - i for i, t in enumerate(times)))
		PYTHON
		)
		"$BLKREEL" profile slice web --busiest "${seconds}s" -o "$BATS_TEST_TMPDIR/s"
		[ "$(grep -m 1 "^ios = " "$BATS_TEST_TMPDIR/s")" = "ios = $most" ]
	done
}

@test "generate --duration repeats the profile, or stops early" {
	write_profile_of_reads "$BATS_TEST_TMPDIR/a" 0
	"$BLKREEL" profile generate "$BATS_TEST_TMPDIR/a" --duration 300s --format csv >"$BATS_TEST_TMPDIR/g.csv"
	run -0 awk -F, 'NR > 1 { n++; last = $1 } END { print (n > 2950 && n <= 3000), (last < 3e11) }' \
		"$BATS_TEST_TMPDIR/g.csv"
	[ "$output" = "1 1" ]
	"$BLKREEL" profile generate "$BATS_TEST_TMPDIR/a" --duration 25s --format csv >"$BATS_TEST_TMPDIR/g.csv"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/g.csv")" = 101 ]
}

@test "built-in profiles have names and name their source; a file of that name comes first" {
	for file in "$ROOT"/profiles/*.profile; do
		name=$(basename "$file" .profile)
		"$BLKREEL" profile show "$name" --json >"$BATS_TEST_TMPDIR/s.json"
		[ "$(json "$BATS_TEST_TMPDIR/s.json" 'd["ios"] > 1000')" = True ]
		head -3 "$file" | grep -q 'Source:'
		[ "$(stat -c %s "$file")" -lt 16384 ]
	done
	"$BLKREEL" profile show oltp --json >"$BATS_TEST_TMPDIR/s.json"
	[ "$(json "$BATS_TEST_TMPDIR/s.json" '74 < sum(s["weight_pct"] for s in d["streams"] if s["op"] == "read") < 76')" = True ]
	run -1 --separate-stderr "$BLKREEL" profile show oltp2
	one_line "$stderr"
	[[ "$stderr" == *"these are: backup mail oltp"* ]]
	build_profile
	cp "$PROFILE" "$BATS_TEST_TMPDIR/oltp"
	program=$(realpath "$BLKREEL")
	cd "$BATS_TEST_TMPDIR"
	"$program" profile show oltp --json >"$BATS_TEST_TMPDIR/s.json"
	[ "$(json "$BATS_TEST_TMPDIR/s.json" 'd["ios"]')" = 2000 ]
}

@test "replay accepts the name of a built-in profile" {
	truncate -s 5G "$BATS_TEST_TMPDIR/target"
	run -0 --separate-stderr "$BLKREEL" replay oltp --target "$BATS_TEST_TMPDIR/target" --reads-only --to 200ms --json
	[[ "$output" == *'"errors": 0'* ]]
}

@test "a profile that replaces another one is synced before and after its rename" {
	need_command strace
	"$BLKREEL" profile scale oltp --load 2 -o "$PROFILE"
	ASAN_OPTIONS=detect_leaks=0 strace -qq -y -e trace=fsync,linkat,rename,renameat,renameat2 -e signal=none \
		-o "$BATS_TEST_TMPDIR/calls" "$BLKREEL" profile scale oltp --load 3 -o "$PROFILE"
	cat "$BATS_TEST_TMPDIR/calls"
	[ "$(sed -E 's/\(.*//' "$BATS_TEST_TMPDIR/calls" | grep -v link | tr '\n' ' ')" = "fsync renameat fsync " ]
	head -1 "$BATS_TEST_TMPDIR/calls" | grep -q "^fsync([0-9]*<$(dirname "$PROFILE")/"
	grep -q "^renameat.*, \"${PROFILE##*/}\.[0-9a-f]\{8\}\", .*, \"${PROFILE##*/}\")" "$BATS_TEST_TMPDIR/calls"
	tail -1 "$BATS_TEST_TMPDIR/calls" | grep -q "^fsync([0-9]*<$(dirname "$PROFILE")>)"
}

@test "profile joins two traces, one after the other" {
	run -0 "$BLKREEL" profile "$TRACE" "$TRACE" -o "$PROFILE"
	grep -qx 'ios = 4000' "$PROFILE"
}

@test "a trace without IOs gives a profile without IOs" {
	make_trace "$BATS_TEST_TMPDIR/none.reel" --rows 0
	run -0 "$BLKREEL" profile "$BATS_TEST_TMPDIR/none.reel" -o "$PROFILE"
	grep -qx 'ios = 0' "$PROFILE"
	run -0 --separate-stderr "$BLKREEL" profile generate "$PROFILE" --format csv
	[ "${#lines[@]}" = 1 ]
}

@test "profile takes the busiest device, names it, and -d chooses another" {
	make_trace "$TRACE" --rows 2000 --devices 3
	run -0 --separate-stderr "$BLKREEL" profile "$TRACE" -o "$PROFILE"
	[[ "$stderr" == *"the most of 3 devices; -d chooses another"* ]]
	run -0 --separate-stderr "$BLKREEL" profile "$TRACE" -d nvme2n1 -o "$PROFILE"
	[ -z "$stderr" ]
	run -2 --separate-stderr "$BLKREEL" profile "$TRACE" -d sdz -o "$PROFILE"
	one_line "$stderr"
	[[ "$stderr" == *"no requests of a device 'sdz'"* ]]
}

@test "profile counts the IOs that a profile cannot describe" {
	printf '%s\n' '0 1 write 65536 16384 atomic' '100 1 write 131072 4096 atomic ioprio=be/7 hint=3' '200 1 read 0 4096 ioprio=rt/2' \
		'300 1 read 8192 4096 ioprio=idle/0' '400 2 write 0 4096 atomic' |
		write_trace 16777216
	run -0 --separate-stderr "$BLKREEL" profile "$TRACE" -d disk1 -o "$PROFILE"
	[ "$stderr" = "blkreel: not kept: the atomicity of 2 writes, which the profile counts as other writes
blkreel: not kept: the IO priority of 3 IOs
blkreel: not kept: the write hint of 1 IO" ]
}

@test "a cut trace is used, exit 5" {
	make_trace "$TRACE" --rows 2000 --no-end
	run -5 --separate-stderr "$BLKREEL" profile "$TRACE" -o "$PROFILE"
	grep -q '^ios = ' "$PROFILE"
}

@test "-o replaces a profile but nothing else" {
	build_profile
	build_profile
	echo precious >"$BATS_TEST_TMPDIR/notes"
	run -2 --separate-stderr "$BLKREEL" profile "$TRACE" -o "$BATS_TEST_TMPDIR/notes"
	one_line "$stderr"
	[[ "$stderr" == *"exists and is not a profile"* ]]
	[ "$(cat "$BATS_TEST_TMPDIR/notes")" = precious ]
	echo 'how to edit [profile] of a profile' >"$BATS_TEST_TMPDIR/notes"
	run -2 --separate-stderr "$BLKREEL" profile "$TRACE" -o "$BATS_TEST_TMPDIR/notes"
	[ "$(cat "$BATS_TEST_TMPDIR/notes")" = "how to edit [profile] of a profile" ]
	run -2 --separate-stderr "$BLKREEL" profile "$TRACE" -o "$TRACE"
	run -0 "$BLKREEL" profile "$TRACE" -o "$PROFILE"
}

@test "bad profiles are refused in one line with the line's number" {
	build_profile
	# Two that include each other: neither is read any further.
	for name in one two; do
		{
			echo "include = $BATS_TEST_TMPDIR/$([ $name = one ] && echo two || echo one)"
			cat "$PROFILE"
		} >"$BATS_TEST_TMPDIR/$name"
		run -4 --separate-stderr "$BLKREEL" profile show "$BATS_TEST_TMPDIR/$name"
		one_line "$stderr"
		[[ "$stderr" == *"line 1: a key before the first [section]" ]]
		sed "s|^seed = 1|include = $BATS_TEST_TMPDIR/$name|" "$PROFILE" >"$BATS_TEST_TMPDIR/$name"
		run -4 --separate-stderr "$BLKREEL" profile show "$BATS_TEST_TMPDIR/$name"
		one_line "$stderr"
		[[ "$stderr" == *"line $(grep -n '^include' "$BATS_TEST_TMPDIR/$name" | cut -d: -f1): a profile includes no other file;"* ]]
	done
	sed 's/^seed = 1/seed = many/' "$PROFILE" >"$BATS_TEST_TMPDIR/bad"
	run -4 --separate-stderr "$BLKREEL" profile show "$BATS_TEST_TMPDIR/bad"
	one_line "$stderr"
	[[ "$stderr" =~ line\ [0-9]+:\ \'seed\':\ \'many\'\ is\ not\ a\ number ]]
	: >"$BATS_TEST_TMPDIR/empty"
	run -4 --separate-stderr "$BLKREEL" profile show "$BATS_TEST_TMPDIR/empty"
	one_line "$stderr"
	run -4 --separate-stderr "$BLKREEL" profile generate "$TRACE"
	one_line "$stderr"
	run -1 --separate-stderr "$BLKREEL" profile show "$BATS_TEST_TMPDIR/missing"
	one_line "$stderr"
}

@test "hostile text: exit 4, one line with the place and the command that makes profiles" {
	local name want made="('blkreel profile TRACE -o FILE' makes profiles)"
	mkdir "$BATS_TEST_TMPDIR/h"
	cd "$BATS_TEST_TMPDIR/h"
	python3 - "$ROOT/profiles/web.profile" <<-'PYTHON'
		import re, sys
		text = open(sys.argv[1], "rb").read()
		def write(name, data, message):
		    open(name, "wb").write(data)
		    open("expected", "a").write(f"{name} {message}\n")
		last = text.count(b"\n") + 1
		def ios(value):
		    return re.sub(rb"\nios = \d+", b"\nios = " + value, text, count=1)
		def where(data):                                       # of the first IOs
		    return 1 + data[:data.index(b"\nios =") + 1].count(b"\n")
		too_many = f"line {where(text)}: 'ios': '%s' is not a number from 0 to 1099511627776"
		write("long-line", text + b"# " + b"x" * 10_000_000 + b"\n", "it is larger than 1 MiB")
		write("long-value", text + b"[profile]\nseed = " + b"1" * 900_000 + b"\n", f"line {last + 1}: longer than 190")
		write("lines", b"#\n" * 1_000_000, "it is larger than 1 MiB")
		write("blank", b"\n" * 1_000_000, "[profile] with 'version = 1' is missing")
		write("nul", text[:500] + b"\0" + text[500:], f"line {1 + text[:500].count(10)}: not text")
		write("escape", text + b"[\x1b[31m]\nx = 1\n", f"line {last}: not text")
		write("cr", text.replace(b"ios =", b"\rios =", 1), f"line {where(text)}: not text")
		write("utf-16", text.decode().encode("utf-16"), "not a profile: line 1: not text")
		write("latin-1", text + b"[\xff]\nx = 1\n", f"line {last + 1}: there is no section [")
		write("over", ios(b"1099511627777"), too_many % 1099511627777)
		write("over-64", ios(b"18446744073709551616"), too_many % 18446744073709551616)
		write("negative", ios(b"-1"), too_many % -1)
		write("twice", text + text, f"line {last + text[:text.index(b'version =')].count(10)}: 'version' is given twice")
		write("open", text + b"[stream 1\n", f"line {last}: neither 'key = value'")
		write("cut", text[:3000], "the last line has no end: was the file cut?")
		write("cut-lines", text[:text.rindex(b"\n[") + 1], "but there are only 3: was the file cut?")
		write("foreign", b"hello\n", "not a profile: line 1: neither 'key = value'")
		write("empty", b"", "not a profile: it is empty")
	PYTHON
	mkdir dir
	printf '%s\n' "dir not a profile: it is a directory" "/dev/zero it is larger than 1 MiB" >>expected
	while read -r name want; do
		run -4 --separate-stderr timeout 30 "$BLKREEL" profile show "$name"
		[ "$output" = "" ]
		one_line "$stderr" && [[ $stderr == "blkreel: $name: "*"$want"* ]] || { echo "$name: $stderr"; return 1; }
		case $name in
		lines | blank | foreign | empty | utf-16) [[ $stderr == *"$made" ]] ;;
		esac
	done <expected
	run -4 --separate-stderr "$BLKREEL" profile --from-fio dir
	[ "$stderr" = "blkreel: dir: is a directory, not a job file" ]
	sed 's/$/\r/' "$ROOT/profiles/web.profile" >crlf
	printf %s "$(cat "$ROOT/profiles/web.profile")" >unended
	for name in crlf unended; do
		run -0 "$BLKREEL" profile diff $name web
	done
}

@test "no part of a profile stays on a full disk" {
	need_root
	need_command mount
	build_profile
	mkdir "$BATS_TEST_TMPDIR/small"
	mount -t tmpfs -o size=64k none "$BATS_TEST_TMPDIR/small"
	bash -c 'cd "$1"; head -c 65536 /dev/zero >filling
		"$2" profile "$3" -o p; echo "$?"; ls' bash "$BATS_TEST_TMPDIR/small" "$(realpath "$BLKREEL")" "$TRACE" \
		>"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
	umount "$BATS_TEST_TMPDIR/small"
	[ "$(cat "$BATS_TEST_TMPDIR/out")" = $'1\nfilling' ]
	[[ $(cat "$BATS_TEST_TMPDIR/err") == *"No space left on device"* ]]
}

@test "generate -o: no part of a trace stays after a signal or on a full disk" {
	# Without an end, so that the signal comes before it however fast this is.
	"$BLKREEL" profile generate seq-read --duration 100000h -o "$BATS_TEST_TMPDIR/g.reel" 2>"$BATS_TEST_TMPDIR/err" &
	local pid=$! code=0
	wait_until writes_into "$pid" "$BATS_TEST_TMPDIR"
	kill -TERM "$pid"
	wait "$pid" || code=$?
	[ "$code" = 143 ]
	one_line "$(cat "$BATS_TEST_TMPDIR/err")"
	[[ $(cat "$BATS_TEST_TMPDIR/err") == *"interrupted: "*" was not made"* ]]
	[ ! -e "$BATS_TEST_TMPDIR/g.reel" ]
	need_root
	need_command mount
	build_profile
	mkdir "$BATS_TEST_TMPDIR/small"
	mount -t tmpfs -o size=16k none "$BATS_TEST_TMPDIR/small"
	bash -c 'cd "$1"; "$2" profile generate "$3" -o g.reel; echo "$?"; ls' bash "$BATS_TEST_TMPDIR/small" \
		"$(realpath "$BLKREEL")" "$PROFILE" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
	umount "$BATS_TEST_TMPDIR/small"
	[ "$(cat "$BATS_TEST_TMPDIR/out")" = 1 ]
	one_line "$(cat "$BATS_TEST_TMPDIR/err")"
}

@test "a full disk keeps the profile that would have been replaced" {
	need_root
	need_command mount
	build_profile
	mkdir "$BATS_TEST_TMPDIR/small"
	mount -t tmpfs -o size=64k none "$BATS_TEST_TMPDIR/small"
	bash -c 'cd "$1"; cp "$4" p; chmod 640 p; head -c 65536 /dev/zero >filling 2>/dev/null
		"$2" profile "$3" -o p; echo "$?"; cmp "$4" p && ls; rm filling
		"$2" -q profile "$3" -o p; echo "$?"; cmp "$5" p && ls; stat -c %a p' bash "$BATS_TEST_TMPDIR/small" \
		"$(realpath "$BLKREEL")" "$TRACE" "$ROOT/profiles/oltp.profile" "$PROFILE" \
		>"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
	umount "$BATS_TEST_TMPDIR/small"
	[ "$(grep -v '^[A-Z ]\|^$' "$BATS_TEST_TMPDIR/out" | grep -xE '[0-9]+|p|filling' | xargs)" = "1 filling p 0 p 640" ]
	[[ $(cat "$BATS_TEST_TMPDIR/err") == *"No space left on device"* ]]
}

@test "a profile text that would be too long is coarsened to 15 KiB and keeps its error figures" {
	"$BLKREEL" -q profile generate web --duration 3h -o "$BATS_TEST_TMPDIR/w.reel"
	"$BLKREEL" -q profile "$BATS_TEST_TMPDIR/w.reel" --seeds 0 -o "$PROFILE"
	[ "$(stat -c %s "$PROFILE")" -le 15360 ]
	[ "$(stat -c %s "$PROFILE")" -gt 13000 ]
}

@test "usage errors" {
	run -2 --separate-stderr "$BLKREEL" profile
	run -2 --separate-stderr "$BLKREEL" profile scale
	run -2 --separate-stderr "$BLKREEL" profile scale "$PROFILE" --load 0
	run -2 --separate-stderr "$BLKREEL" profile scale "$PROFILE" -o "$BATS_TEST_TMPDIR/copy"
	[[ $stderr == *"takes --load, --time or --footprint"* ]]
	[ ! -e "$BATS_TEST_TMPDIR/copy" ]
	run -2 --separate-stderr "$BLKREEL" profile mix
	run -2 --separate-stderr "$BLKREEL" profile mix "$PROFILE=x"
	run -2 --separate-stderr "$BLKREEL" profile slice "$PROFILE"
	run -2 --separate-stderr "$BLKREEL" profile slice "$PROFILE" --from 2 --to 1
	run -2 --separate-stderr "$BLKREEL" profile diff "$PROFILE"
	run -2 --separate-stderr "$BLKREEL" profile "$TRACE" --seeds 101
	run -2 --separate-stderr "$BLKREEL" profile generate
	run -2 --separate-stderr "$BLKREEL" profile generate "$PROFILE" --seed x
	run -2 --separate-stderr "$BLKREEL" profile generate "$PROFILE" --count 0
	run -2 --separate-stderr "$BLKREEL" profile show a b
	run -0 --separate-stderr "$BLKREEL" profile --help
	[ -z "$stderr" ]
	run -0 "$BLKREEL" profile show --help
	run -0 "$BLKREEL" profile generate --help
}

@test "a profile says how many IOs its trace lost, and passes that on" {
	{
		list_reads 3000 500
		echo 1000000 loss io_ring 1000
	} | write_trace 1G
	run -0 --separate-stderr "$BLKREEL" profile "$TRACE" -o "$PROFILE"
	[[ "$stderr" == *"1,000 of 4,000 IOs are missing (25.0 %; io_ring: 1,000)"* ]]
	[[ "$output" == *"25 % of the IOs of the trace were lost"* ]]
	grep -qx "lost_ppm = 250000" "$PROFILE"
	run -0 "$BLKREEL" profile show "$PROFILE"
	[[ "$output" == *"lost        25 % of the IOs of the trace"* ]]
	"$BLKREEL" profile show "$PROFILE" --json >"$BATS_TEST_TMPDIR/p.json"
	[ "$(json "$BATS_TEST_TMPDIR/p.json" 'd["lost_pct"]')" = 25.0 ]
	"$BLKREEL" profile scale "$PROFILE" --load 2 -o "$BATS_TEST_TMPDIR/b.profile"
	"$BLKREEL" profile mix "$PROFILE" "$BATS_TEST_TMPDIR/b.profile" -o "$BATS_TEST_TMPDIR/c.profile"
	grep -qx "lost_ppm = 250000" "$BATS_TEST_TMPDIR/c.profile"
	run -5 "$BLKREEL" compare "$BATS_TEST_TMPDIR/c.profile" "$PROFILE"
	[[ "$output" == *"No verdict"* ]]
}
