# SPDX-License-Identifier: MIT
# compare of several runs of each side, and of several candidates with one base.
# bats file_tags=sanitized
load test_helper

setup() {
	JSON=$BATS_TEST_TMPDIR/c.json
	cd "$BATS_TEST_TMPDIR" || return
}

# write_runs NAME COUNT SEED LATENCY_US SPREAD: NAME1.reel ..., each 1,500 IOs whose mean latency
# differs from run to run by SPREAD (standard deviation, share of the mean).
write_runs() {
	local i
	for i in $(seq "$2"); do
		python3 - "$3$i" "$4" "$5" <<-'END' | write_trace 1000000000 "$1$i.reel"
			import random, sys
			seed, latency_us, spread = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
			rng = random.Random(seed)
			factor = rng.gauss(1, spread)
			for i in range(1500):
			    took = max(5, latency_us * factor * rng.gauss(1, .1))
			    print(i * 500, 1, "read" if i % 3 else "write", (i * 37 % 4096) * 4096, 4096,
			          "took=%d" % took)
		END
	done
}

@test "several runs are compared by the medians of all pairs, as a script computes them" {
	write_runs a 3 1 1000 .05
	write_runs b 4 2 1300 .05
	run -0 --separate-stderr "$BLKREEL" compare --json a?.reel -- b?.reel
	echo "$output" >"$JSON"
	for file in a?.reel b?.reel; do
		"$BLKREEL" dump --format json "$file" >"${file%.reel}.rows"
	done
	python3 - "$JSON" <<-'END'
		import glob, json, statistics, sys
		def means(side, op):
		    found = []
		    for name in sorted(glob.glob(side + "?.rows")):
		        rows = [json.loads(line) for line in open(name)]
		        took = [r["completed_ns"] - r["created_ns"] for r in rows if r["op"] == op]
		        found.append(sum(took) / len(took))
		    return found
		d = json.load(open(sys.argv[1]))
		assert d["schema"] == "blkreel.compare-runs/1"
		assert len(d["base"]) == 3 and len(d["candidates"][0]["runs"]) == 4
		c = d["candidates"][0]
		assert c["same_workload"] is True and c["differs"] == []
		for op in ("read", "write"):
		    want = statistics.median(b / a for a in means("a", op) for b in means("b", op))
		    got = c["latency"][op]["mean"]
		    assert abs(got["value"] - want) < 1e-9, (got, want)
		    assert got["low"] <= got["value"] <= got["high"]
		    assert c["latency"][op]["verdict"] == "slower"
		assert abs(c["throughput"]["iops"]["value"] - 1) < 1e-9
	END
}

@test "a difference within the noise of the runs is said to be that, and passes a gate" {
	run=0
	for latency in 1000 700 1400 900 1200; do
		write_runs a$((run += 1)) 1 "$run" "$latency" 0
		write_runs b$run 1 "$run$run" "$((latency + 100))" 0
	done
	run --separate-stderr "$BLKREEL" compare --json a??.reel -- b??.reel
	echo "$output" >"$JSON"
	value=$(json "$JSON" 'd["candidates"][0]["latency"]["read"]["mean"]["value"]')
	[ "$(json "$JSON" 'd["candidates"][0]["latency"]["read"]["verdict"]')" = within_noise ]
	run -0 "$BLKREEL" compare a??.reel -- b??.reel
	[[ "$(tr '\n' ' ' <<<"$output")" == *"Reads: no difference beyond the noise of the runs"* ]]
	limit=$(python3 -c "print('%.3f' % ($value - .01))")
	run -0 "$BLKREEL" compare --fail-above "latency.read.mean=$limit" a??.reel -- b??.reel
	[[ "$output" == *"but within the noise of the runs"* ]]
	# One run of each side knows no noise: its difference alone decides.
	run -7 "$BLKREEL" compare --fail-above latency.read.mean=0.5 a11.reel b11.reel
}

@test "a difference beyond the noise fails a gate, in text, JSON, markdown and JUnit XML" {
	write_runs a 5 1 1000 .01
	write_runs b 5 2 1100 .01
	limits=(--fail-above latency.read.mean=1.05 --fail-below throughput.iops=0.95)
	run -7 --separate-stderr "$BLKREEL" compare "${limits[@]}" a?.reel -- b?.reel
	[[ "$stderr" == *"latency.read.mean is 1."*"95 % interval"*"above the limit of 1.05"* ]]
	[[ "$output" == *"failed: latency.read.mean"*"passed: throughput.iops"* ]]
	run -7 --separate-stderr "$BLKREEL" compare "${limits[@]}" --json a?.reel -- b?.reel
	echo "$output" >"$JSON"
	[ "$(json "$JSON" '[l["outcome"] for l in d["candidates"][0]["limits"]]')" = "['failed', 'passed']" ]
	run -7 --separate-stderr "$BLKREEL" compare "${limits[@]}" --format markdown a?.reel -- b?.reel
	[[ "$output" == *"| B b1.reel | 5 | the same |"* ]]
	[[ "$output" == *"- **failed**: latency.read.mean"*"- **passed**: throughput.iops"* ]]
	run -7 --separate-stderr "$BLKREEL" compare "${limits[@]}" --format junit a?.reel -- b?.reel
	echo "$output" >junit.xml
	python3 - <<-'END'
		import xml.etree.ElementTree as tree
		suite = tree.parse("junit.xml").getroot()
		assert suite.tag == "testsuite" and suite.get("tests") == "2" and suite.get("failures") == "1"
		cases = {c.get("name"): c for c in suite}
		assert cases["latency.read.mean"].find("failure") is not None
		assert cases["throughput.iops"].find("failure") is None
	END
}

@test "a limit on the other side of no difference fails if the whole interval is beyond it" {
	write_runs a 3 1 1000 .01
	write_runs b 3 2 900 .01
	run -7 --separate-stderr "$BLKREEL" compare --fail-above latency.read.mean=0.5 a?.reel -- b?.reel
	[[ "$stderr" == *"latency.read.mean is 0."*"above the limit of 0.5"* ]]
	run -7 --separate-stderr "$BLKREEL" compare --fail-below throughput.iops=1.9 a?.reel -- b?.reel
	[[ "$stderr" == *"throughput.iops is 1"*"below the limit of 1.9"* ]]
	run -7 --separate-stderr "$BLKREEL" compare --fail-below latency.read.mean=1.5 a?.reel -- b?.reel
	run -0 --separate-stderr "$BLKREEL" compare --fail-above latency.read.mean=0.95 a?.reel -- b?.reel
}

@test "several candidates stand in one table with their base" {
	write_runs base 1 1 1000 0
	write_runs fast 1 2 500 0
	write_runs slow 1 3 2000 0
	run -0 --separate-stderr "$BLKREEL" compare base1.reel fast1.reel slow1.reel
	[[ "$output" == *"base1.reel"*"base"* ]]
	[[ "$output" =~ fast1.reel[^\n]*x0.50 ]]
	[[ "$output" =~ slow1.reel[^\n]*x2.00 ]]
	output=$(tr -s ' \n' ' ' <<<"$output")
	[[ "$output" == *"A base1.reel"*"B fast1.reel"*"C slow1.reel"* ]]
	[[ "$output" == *"B fast1.reel: "*"faster in B"*"C slow1.reel: "*"slower in C"* ]]
	run -0 --separate-stderr "$BLKREEL" compare --format markdown base1.reel fast1.reel slow1.reel
	[[ "$output" == *"base A base1.reel"*"| B fast1.reel"*"| C slow1.reel"*"**C slow1.reel**: "*"slower in C"* ]]
	run -0 --separate-stderr "$BLKREEL" compare base1.reel fast1.reel slow1.reel
	[ "$(printf '%s\n' "$output" | awk '{ if (length > m) m = length } END { print m <= 90 }')" = 1 ]
	run -7 --separate-stderr "$BLKREEL" compare --fail-above latency.read.mean=1.5 base1.reel fast1.reel slow1.reel
	[[ "$stderr" == *"slow1.reel: latency.read.mean is 2"* ]]
	[[ "$stderr" != *fast1.reel* ]]
}

@test "several candidates may have several runs each" {
	write_runs a 3 1 1000 .01
	write_runs b 3 2 1000 .01
	write_runs c 3 3 2000 .01
	run -0 --separate-stderr "$BLKREEL" compare --json a?.reel -- b?.reel -- c?.reel
	echo "$output" >"$JSON"
	[ "$(json "$JSON" '[len(d["base"])] + [len(c["runs"]) for c in d["candidates"]]')" = '[3, 3, 3]' ]
	[ "$(json "$JSON" '[c["latency"]["read"]["verdict"] for c in d["candidates"]]')" = "['same', 'slower']" ]
}

@test "workload.same is a figure" {
	write_runs a 1 1 1000 .01
	list_reads 900 100 | write_trace 1000000000 other.reel
	run -0 "$BLKREEL" compare --fail-below workload.same=1 a1.reel a1.reel
	run -7 --separate-stderr "$BLKREEL" compare --fail-below workload.same=1 a1.reel other.reel
	[[ "$stderr" == *"workload.same is 0, below the limit of 1"* ]]
}

@test "a run that lost more than 1 % of its IOs leaves no verdict" {
	write_runs a 3 1 1000 .01
	{
		list_reads 900 500
		echo "100000 loss io_ring 900"
	} | write_trace 1000000000 lossy.reel
	run -5 --separate-stderr "$BLKREEL" compare a1.reel a2.reel -- a3.reel lossy.reel
	[[ "$(tr '\n' ' ' <<<"$output")" == *"No verdict: "*"In run 2 of B 900 of 1,800 IOs are missing"* ]]
	run -5 --separate-stderr "$BLKREEL" compare --json a1.reel a2.reel -- a3.reel lossy.reel
	echo "$output" >"$JSON"
	[ "$(json "$JSON" 'd["candidates"][0]["same_workload"]')" = None ]
}

@test "no gate passes without a verdict, but the exact ones" {
	write_runs a 1 1 1000 .01
	{
		list_reads 900 500
		echo "100000 loss io_ring 900"
	} | write_trace 1000000000 lossy.reel
	limits=(--fail-above latency.read.mean=1000 --fail-below throughput.iops=0 --fail-above exact.op=2000)
	run -7 --separate-stderr "$BLKREEL" compare "${limits[@]}" a1.reel lossy.reel
	[[ $stderr == *"latency.read.mean is not known"*"throughput.iops is not known"* ]]
	[[ $stderr != *exact.op* ]]
	run -7 --separate-stderr "$BLKREEL" compare "${limits[@]}" --json a1.reel lossy.reel
	echo "$output" >"$JSON"
	[ "$(json "$JSON" '[l["outcome"] for l in d["limits"]]')" = "['unknown', 'passed', 'unknown']" ]
	run -7 --separate-stderr "$BLKREEL" compare "${limits[@]}" --format junit a1.reel lossy.reel
	[[ $output == *'tests="3" failures="2"'* ]]
}

@test "names of files cannot act in markdown or XML" {
	write_runs a 1 1 1000 .01
	hostile='<img src=x onerror=alert(1)>|"&.reel'
	cp a1.reel "$hostile"
	run -0 "$BLKREEL" compare --format markdown a1.reel "$hostile"
	[[ "$output" != *"<img"* ]]
	run -0 "$BLKREEL" compare --format junit a1.reel "$hostile"
	python3 -c 'import sys, xml.dom.minidom as m
case = m.parseString(sys.argv[1]).getElementsByTagName("testcase")[0]
assert case.getAttribute("classname") == sys.argv[2]' "$output" "$hostile"
}

@test "usage errors of several runs" {
	write_runs a 1 1 1000 .01
	run -2 "$BLKREEL" compare a1.reel
	[[ "$output" == *"takes at least two traces or profiles"* ]]
	run -2 "$BLKREEL" compare a1.reel -- a1.reel --json
	[[ "$output" == *"takes its options before the first '--'"* ]]
	run -2 "$BLKREEL" compare a1.reel -- -- a1.reel
	run -2 "$BLKREEL" compare --exact a1.reel a1.reel a1.reel
	[[ "$output" == *"--exact takes one run of A and one of B"* ]]
	run -2 "$BLKREEL" compare --json --format junit a1.reel a1.reel
	run -2 "$BLKREEL" compare --fail-below throughput.nothing=1 a1.reel a1.reel
}
