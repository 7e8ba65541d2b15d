# SPDX-License-Identifier: MIT
# compare: figures, verdicts, gates and errors.
# bats file_tags=sanitized
load test_helper

setup() {
	A=$BATS_TEST_TMPDIR/a.reel
	B=$BATS_TEST_TMPDIR/b.reel
	JSON=$BATS_TEST_TMPDIR/c.json
	make_trace "$A" --rows 3000 --latency-ns 80000
	make_trace "$B" --rows 3000 --latency-ns 400000
}

compare_json() {
	"$BLKREEL" compare "$@" --json >"$JSON"
}

@test "a trace compares with itself as the same workload at the same speed" {
	compare_json "$A" "$A"
	[ "$(json "$JSON" 'd["schema"]')" = blkreel.compare/1 ]
	[ "$(json "$JSON" 'd["same_workload"]')" = True ]
	[ "$(json "$JSON" 'd["workload"]["gap_ks"]')" = 0.0 ]
	[ "$(json "$JSON" 'd["workload"]["bytes_ratio"]')" = 1.0 ]
	[ "$(json "$JSON" 'd["latency"]["read"]["ratio"]["p99"]')" = 1.0 ]
	[[ "$(json "$JSON" 'd["summary"]')" == *"Reads take as long in B as in A"* ]]
}

@test "the IOs that compare and replay count, and the flush requests that they do not, are those of explain" {
	local machinery
	# The kernel's request completes before the write that asked for it; disk 2 has nothing else.
	awk 'BEGIN { for (i = 0; i < 203; i++) {
			if (i % 2) print i * 100 + 5, 1, "flush", 0, 0, "machinery", "took=5", "task=" 1 + i % 4
			print i * 100, 1, "write", i * 4096, 4096, "took=20", "task=" 1 + i % 4, i % 2 ? "preflush" : "" }
		print 30000, 2, "flush", 0, 0, "machinery" }' | write_trace 16M "$A"
	machinery=$("$BLKREEL" dump "$A" --device disk1 --format csv | grep -c flush_machinery)
	[ "$machinery" = 101 ]
	"$BLKREEL" explain "$A" | grep -q "^disk1 .* with 304 IOs"
	"$BLKREEL" compare "$A" "$A" >"$BATS_TEST_TMPDIR/text"
	grep -qE "^number of IOs +203 +203 " "$BATS_TEST_TMPDIR/text"
	grep -qx "Not counted: flush requests of the kernel for PREFLUSH writes (A 101, B 101)." "$BATS_TEST_TMPDIR/text"
	compare_json "$A" "$A"
	[ "$(json "$JSON" 'd["a"]["ios"], d["a"]["flush_machinery_ios"]')" = "(203, 101)" ]
	truncate -s 16M "$BATS_TEST_TMPDIR/target"
	"$BLKREEL" replay "$A" --target "$BATS_TEST_TMPDIR/target" --write --mode asap >"$BATS_TEST_TMPDIR/text"
	grep -qx " *IOs  *203 issued, 203 completed, 0 failed" "$BATS_TEST_TMPDIR/text"
	grep -qx " *not counted: 101 flush requests of the kernel for PREFLUSH writes" "$BATS_TEST_TMPDIR/text"
	# A party that is left out takes its writes with it, not the kernel's requests.
	"$BLKREEL" replay "$A" --target "$BATS_TEST_TMPDIR/target" --write --yes-destroy "$BATS_TEST_TMPDIR/target" \
		--mode asap --without task=task2 --json >"$JSON"
	[ "$(json "$JSON" "[d['source'][k] for k in ('ios', 'left_out_ios', 'flush_machinery_ios')]")" = "[152, 51, 101]" ]
	"$BLKREEL" compare "$B" "$B" >"$BATS_TEST_TMPDIR/text"
	run ! grep -q "Not counted" "$BATS_TEST_TMPDIR/text"
}

@test "the JSON document has every documented key" {
	compare_json "$A" "$B"
	python3 - "$JSON" <<-'END'
		import json, sys
		d = json.load(open(sys.argv[1]))
		w = d["workload"]
		for key in ("read_ios_delta_pp bytes_ratio size_tvd gap_ks peak_10ms_ratio mrc_mae "
		            "sequential_delta_pp footprint_ratio busy_reads_delta_pp op_tvd").split():
		    assert isinstance(w[key], float), key
		assert set(w["idc_ratio"]) == {"10ms", "1s", "60s"}
		assert w["idc_ratio"]["60s"] is None and "idc_ratio.60s" in w["reasons"]
		fields = {"count", "min", "mean", "p50", "p90", "p99", "p99_9", "max"}
		for op in ("read", "write"):
		    for part in (d["latency"][op], d["latency"][op]["queue"], d["latency"][op]["device"]):
		        assert set(part["a"]) == set(part["b"]) == fields
		        assert set(part["ratio"]) == fields - {"count", "min"}
		for side in ("a", "b"):
		    assert {"name", "ios", "bytes", "duration_ns"} <= set(d[side])
	END
}

@test "IOs without an issue time blame neither the queue nor the device" {
	cd "$BATS_TEST_TMPDIR"
	# The first IO takes 100 ms, the others 1 ms: in B ten times as long.
	awk 'BEGIN { for (i = 0; i < 3000; i++) {
		line = sprintf("%.3f,%s,%d,4096,", 1 + i / 1000, i % 2 ? "W" : "R", i * 8192)
		print line (i ? 1 : 100) >"a.csv"; print line (i ? 10 : 1000) >"b.csv" } }'
	for name in a b; do
		"$BLKREEL" import --from csv --columns time,op,offset,size,latency:ms $name.csv -o $name.reel
	done
	run -0 "$BLKREEL" compare a.reel b.reel
	[[ ${output//$'\n'/ } == *"Reads are x10.00 slower in B "*", it is not known where. Writes"* ]]
	[[ $output != *queue* && $output != *"device A"* ]]
	compare_json a.reel b.reel
	[ "$(json "$JSON" '[d["latency"]["read"][p]["a"]["count"] for p in ("queue", "device")]')" = "[0, 0]" ]
}

@test "compare attributes a slower device to the device part of the latency" {
	compare_json "$A" "$B"
	[ "$(json "$JSON" 'd["same_workload"]')" = True ]
	[ "$(json "$JSON" '4.5 < d["latency"]["read"]["device"]["ratio"]["mean"] < 5.5')" = True ]
	[ "$(json "$JSON" 'd["latency"]["read"]["queue"]["ratio"]["mean"]')" = 1.0 ]
	[[ "$(json "$JSON" 'd["summary"]')" == *"slower in B"*", in the device."* ]]
}

@test "another mix is another workload, and the text names the difference" {
	make_trace "$B" --rows 3000 --read-pct 20
	run -0 --separate-stderr "$BLKREEL" compare "$A" "$B"
	[ -z "$stderr" ]
	[[ "$output" == *"Not the same workload: share of reads -"* ]]
	[[ "$output" == *"share of reads"*" pp  differs"* ]]
	[ "$(printf '%s\n' "$output" | awk '{ if (length > m) m = length } END { print m < 80 }')" = 1 ]
}

# An even load, as fio with rate_iops=2000 makes: variance / mean in 1 s is 0.000 to 0.003.
@test "an even load is the same workload as its own profile" {
	python3 - <<-'END' >"$BATS_TEST_TMPDIR/even.txt"
		import random
		random.seed(7)
		for i in range(2000 * 31):
		    print((i + 1) * 500 + random.randrange(60), 1, "read", random.randrange(65536) * 4096, 4096)
	END
	write_trace 1G "$A" <"$BATS_TEST_TMPDIR/even.txt"
	"$BLKREEL" profile "$A" --seeds 0 -o "$BATS_TEST_TMPDIR/even.profile"
	run -0 --separate-stderr "$BLKREEL" compare "$A" "$BATS_TEST_TMPDIR/even.profile"
	[[ "$output" == *"The same workload."* ]]
	[[ "$output" == *"are near 0 and count as that"* ]]
	run -0 "$BLKREEL" compare "$A" "$BATS_TEST_TMPDIR/even.profile" \
		--fail-above workload.idc_ratio.1s=1 --fail-above workload.bytes_idc_ratio=1
}

@test "the recording of a replay is named as that, with the figures that its device decides" {
	local of as_replay
	list_reads 70000 500 | write_trace 1G "$A"
	for of in trace profile; do
		as_replay=(dependent)
		[ $of = trace ] || as_replay+=(generated)
		list_reads 70000 300 | "$HELPERS/trace_from_text" "$B" 1G "${as_replay[@]}"
		run -0 --separate-stderr "$BLKREEL" compare "$A" "$B"
		grep -qx "B  $B, device disk1: a replay of a $of in mode dependent" <<<"$output"
		text=$(tr -s '\n ' ' ' <<<"$output")
		[[ "$text" == *"Not compared: gaps between IOs, bursts at 10 ms, bursts at 1 s, bursts at 60 s, peak in 10"*": one is of a replay whose times follow the device."* ]]
		[ "$of" = trace ] || [[ "$text" == *" The same workload, generated by a profile; its times follow the device. "* ]]
		[ "$of" != trace ] || [[ "$text" == *" The same IOs; their times follow the device. "* ]]
		[ "$(awk '/^A |^B / { next } { if (length > m) m = length } END { print m < 80 }' <<<"$output")" = 1 ]
	done
	# A recording needs no name, and what is too short says so.
	run -0 --separate-stderr "$BLKREEL" compare "$A" "$A"
	grep -qx "A  $A, device disk1" <<<"$output"
	grep -qx "Not compared: bursts at 60 s: needs a duration of 30 windows of 60 s in both." <<<"$output"
	"$BLKREEL" profile "$A" --seeds 0 -o "$BATS_TEST_TMPDIR/a.profile"
	"$BLKREEL" compare "$A" "$BATS_TEST_TMPDIR/a.profile" | grep -qx "B  $BATS_TEST_TMPDIR/a.profile: a profile"
	"$BLKREEL" compare "$A" "$A" -- "$B" "$B" | grep -qx "B1  $B, device disk1: a replay of a profile in mode dependent"
}

@test "compare(8) has the limit of each figure of the workload, and --help names the page" {
	"$BLKREEL" compare --help | grep -q 'blkreel-compare(8)'
	"$BLKREEL" compare --json "$A" "$A" >"$JSON"
	json "$JSON" '"\n".join(k for k in d["workload"] if k != "reasons")' >"$BATS_TEST_TMPDIR/figures"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/figures")" -ge 12 ]
	while read -r figure; do
		grep -q "^\.It .* Ta $figure.* Ta " "$ROOT/docs/man/blkreel-compare.8" || { echo "no $figure" && return 1; }
	done <"$BATS_TEST_TMPDIR/figures"
}

# write_even FILE LINE...: 3,000 reads, and further lines of the text form.
write_even() {
	local file=$1
	shift
	{
		list_reads 3000 500
		[ $# = 0 ] || printf '%s\n' "$@"
	} | write_trace 1G "$file"
}

@test "compare gives no verdict when more than 1 % of the IOs were lost" {
	write_even "$A"
	write_even "$B" "1500000 loss io_ring 3000" "1500000 loss io_event 9"
	run -5 --separate-stderr "$BLKREEL" compare "$A" "$B"
	text=$(tr "\n" " " <<<"$output")
	[[ "$text" == *"No verdict: more than 1 % of the IOs of B are missing"* ]]
	[[ "$text" == *"In B 3,000 of 6,000 IOs are missing (50.0 %; io_ring: 3,000)."* ]]
	[[ "$text" != *"same workload"* && "$text" != *"as long in B"* && "$text" != *"slower"* ]]
	run -5 --separate-stderr "$BLKREEL" compare "$B" "$A" --json
	echo "$output" >"$JSON"
	[ "$(json "$JSON" 'd["same_workload"]')" = None ]
	[ "$(json "$JSON" 'd["differs"]')" = '[]' ]
	[[ "$(json "$JSON" 'd["no_verdict_reason"]')" == "more than 1 % of the IOs of A are missing"* ]]
	[ "$(json "$JSON" 'd["a"]["missing"]["lost_ios"], d["a"]["missing"]["lost_pct"]')" = '(3000, 50.0)' ]
	[ "$(json "$JSON" 'd["b"]["missing"]["lost_ios"]')" = 0 ]
}

@test "compare gives no verdict on two traces without an IO" {
	write_trace 1M "$A" </dev/null
	cp "$A" "$B"
	run -5 --separate-stderr "$BLKREEL" compare "$A" "$B"
	[[ $output == *"No verdict: neither A nor B has an IO."* ]]
	run -5 --separate-stderr "$BLKREEL" compare "$A" "$B" -- "$A" "$B"
	[[ $output == *"No verdict: neither A nor B has an IO."* ]]
	[[ $output != *"Median of the runs"* ]]
}

@test "compare says why it compares no latency" {
	echo 0 1 read 0 4096 | write_trace 1M "$A"
	echo 0 1 write 0 4096 | write_trace 1M "$B"
	compare_json "$A" "$B"
	[[ $(json "$JSON" 'd["summary"]') == *"Latency cannot be compared: A and B have no operation in common." ]]
	write_trace 1M "$B" </dev/null
	compare_json "$A" "$B"
	[[ $(json "$JSON" 'd["summary"]') == *"Latency cannot be compared: B has no reads or writes with a known latency." ]]
	echo 0 1 flush 0 0 took=1000 | write_trace 1M "$B"
	compare_json "$B" "$B"
	[[ $(json "$JSON" 'd["summary"]') == *"Latency cannot be compared: neither has reads or writes with a known latency." ]]
}

@test "compare names a small loss and gives its verdict" {
	write_even "$A"
	write_even "$B" "1500000 loss io_ring 6"
	run -0 --separate-stderr "$BLKREEL" compare "$A" "$B"
	text=$(tr "\n" " " <<<"$output")
	[[ "$text" == *"The same workload."*"In B 6 of 3,006 IOs are missing (0.200 %; io_ring: 6)."* ]]
	compare_json "$A" "$B"
	[ "$(json "$JSON" 'd["same_workload"], "no_verdict_reason" in d')" = '(True, False)' ]
}

@test "--fail-above fails when a figure is above its limit" {
	run -0 "$BLKREEL" compare "$A" "$B" --fail-above workload.size_tvd=0.05
	run -7 --separate-stderr "$BLKREEL" compare "$A" "$B" --fail-above latency.read.p99=1.2
	one_line "$stderr"
	[[ "$stderr" == *"latency.read.p99 is 4."*", above the limit of 1.2"* ]]
	run -7 "$BLKREEL" compare "$A" "$B" --json --fail-above workload.gap_ks=0.1 \
		--fail-above latency.write.device.mean=2
	run -0 "$BLKREEL" compare "$A" "$B" --fail-above latency.read.queue.p50=1
}

@test "--fail-above fails for a figure that is unknown" {
	run -7 --separate-stderr "$BLKREEL" compare "$A" "$B" --fail-above workload.idc_ratio.60s=2
	[[ "$stderr" == *"is not known"* ]]
}

@test "--fail-above refuses figures and limits that do not exist" {
	for spec in latency.read.p98=1 latency.read.p99 =1 latency.read.p99=x workload.x=1 \
		latency.read.p99=-1; do
		run -2 --separate-stderr "$BLKREEL" compare "$A" "$B" "--fail-above=$spec"
		[[ "$stderr" == *"not FIGURE=LIMIT"* ]]
	done
}

@test "-d chooses a device on each side" {
	make_trace "$A" --rows 3000 --devices 2
	run -0 --separate-stderr "$BLKREEL" compare "$A" "$A" -d nvme1n1
	[ -z "$stderr" ]
	[[ "$output" == *"device nvme1n1"* ]]
	compare_json "$A" "$A" --device-a nvme0n1 --device-b nvme1n1
	[ "$(json "$JSON" 'd["a"]["device"], d["b"]["device"]')" = "('nvme0n1', 'nvme1n1')" ]
	run -0 --separate-stderr "$BLKREEL" compare "$A" "$B" --device-b nvme0n1
	[[ "$stderr" == *"the most of 2 devices; --device-a chooses another"* ]]
}

@test "bad input: one line and its exit code" {
	echo nonsense >"$B"
	run -4 --separate-stderr "$BLKREEL" compare "$A" "$B"
	one_line "$stderr"
	[[ "$stderr" == *"neither a trace nor a profile"* ]]
	run -1 --separate-stderr "$BLKREEL" compare "$A" "$BATS_TEST_TMPDIR/missing"
	one_line "$stderr"
	run -2 --separate-stderr "$BLKREEL" compare "$A"
	run -2 --separate-stderr "$BLKREEL" compare "$A" "$A" -d sdz
	one_line "$stderr"
	rm "$B"
	make_trace "$B" --rows 3000 --no-end
	run -5 "$BLKREEL" compare "$A" "$B"
}

@test "--exact counts the IOs that differ, by field" {
	printf '%s\n' '0 1 read 0 4096' '10 1 write 4096 8192' '20 1 write 65536 4096 fua' '30 1 discard 131072 4096' '40 1 flush 0 0' |
		write_trace 16M "$A"
	printf '%s\n' '0 1 write 4096 8192' '10 1 read 0 4096' '20 1 write 65536 4096' '30 1 write_zeroes 131072 4096' '40 1 flush 0 0' |
		write_trace 16M "$B"
	compare_json "$A" "$A" --exact
	[ "$(json "$JSON" 'd["exact"]["a_ios"], d["exact"]["b_ios"], d["exact"]["differences"], d["exact"]["examples"]')" = "(5, 5, 0, [])" ]
	[[ "$(json "$JSON" 'd["summary"]')" == *"IO by IO: 0 differences in op, flags, priority, size and order of overlapping IOs, in 5 IOs."* ]]
	compare_json "$A" "$B" --exact
	[ "$(json "$JSON" '[d["exact"][k] for k in ("differences", "op", "flags", "size", "order", "missing", "added")]')" = "[2, 1, 1, 0, 0, 0, 0]" ]
	[[ "$(json "$JSON" 'd["summary"]')" == *"IO by IO: 2 differences (op: 1, flags: 1) of 5 IOs in A and 5 in B." ]]
	compare_json "$A" "$B"
	[ "$(json "$JSON" '"exact" in d')" = False ]
	run -7 --separate-stderr "$BLKREEL" compare "$A" "$B" --fail-above exact.differences=1
	one_line "$stderr"
	[[ "$output" == *"flags "*"A: write (fua) of 4096 bytes at 65536  B: write of 4096 bytes at 65536"* ]]
	run -0 "$BLKREEL" compare "$A" "$B" --fail-above exact.order=0 --fail-above exact.differences=2
	run -4 --separate-stderr "$BLKREEL" compare "$A" "$ROOT/tests/golden/profiles/short.profile" --exact
	one_line "$stderr"
	printf '%s\n' '0 1 read 0 4096' '10 1 read 4096 8192 ioprio=be/7' | write_trace 16M "$A"
	printf '%s\n' '0 1 read 0 4096' '10 1 read 4096 8192' '20 1 read 65536 4096' | write_trace 16M "$B"
	compare_json "$A" "$B" --exact
	[[ "$(json "$JSON" 'd["summary"]')" == *"IO by IO: 2 differences (priority: 1, added: 1) of 2 IOs in A and 3 in B." ]]
}
