# bats file_tags=slow,beside
# SPDX-License-Identifier: MIT
# bench: job files as fio runs them, tests of the SNIA, steady states, results of several hosts, and the page. fio, the
# kernel's counters and a second computation of the raw figures are the truth; how fast a target is is not judged.
load test_helper

setup() {
	RESULTS=$BATS_TEST_TMPDIR/results
	TARGET=$BATS_TEST_TMPDIR/t.img
}

teardown() {
	clean_up
}

# bench PLAN OPTION...: sets output, stderr and status.
bench() {
	local plan=$1
	shift
	run --separate-stderr timeout 400 "$BLKREEL" -q bench "$plan" --target "$TARGET" "$@"
	echo "status $status, stderr '$stderr'"
}

# Sets TARGET to a device that does so many reads and writes a second for what this shell starts.
throttled_device() {
	local number
	make_loop $((1047 * 512))
	TARGET=$LOOP
	number=$(cat "/sys/block/$(basename "$LOOP")/dev")
	make_group blkio blkio.throttle.read_iops_device io.max
	case $LIMIT in
	*io.max) echo "$number riops=$1 wiops=$2" >"$LIMIT" ;;
	*)
		echo "$number $1" >"$LIMIT"
		echo "$number $2" >"$GROUP/blkio.throttle.write_iops_device"
		;;
	esac
}

@test "jobs that wait are points of their own, with as many IOs and bytes as fio does" {
	need_command fio
	truncate -s 8M "$TARGET"
	cat >"$BATS_TEST_TMPDIR/job.fio" <<-END
		[global]
		filename=$TARGET
		ioengine=libaio
		iodepth=4
		direct=1
		size=2m
		[seq]
		rw=read
		bs=64k
		[beside]
		rw=read
		bs=16k
		[then]
		stonewall
		rw=randread
		bs=4k
		numjobs=2
		[last]
		stonewall
		rw=randread
		bs=8k
		io_size=1m
		[half]
		stonewall
		rw=read
		bs=64k
		size=50%
	END
	fio --output-format=json --output="$BATS_TEST_TMPDIR/fio.json" "$BATS_TEST_TMPDIR/job.fio"
	bench "$BATS_TEST_TMPDIR/job.fio" --json
	[ "$status" = 0 ]
	run -0 python3 -c 'import json, sys
fio, ours = (json.load(open(path)) for path in sys.argv[1:])
sums = {}
for job in fio["jobs"]:
    ios, size = sums.get(job["jobname"], (0, 0))
    sums[job["jobname"]] = ios + job["read"]["total_ios"], size + job["read"]["io_bytes"]
for point in ours["points"]:
    wanted = [sum(values) for values in zip(*(sums[name] for name in point["name"].split("+")))]
    print(point["name"], point["ios"], point["bytes"], wanted, point["depth"])
    assert [point["ios"], point["bytes"]] == wanted
print([(p["name"], p["depth"]) for p in ours["points"]])' "$BATS_TEST_TMPDIR/fio.json" "$BATS_TEST_TMPDIR/printed.json" \
		< <(printf '%s' "$output" >"$BATS_TEST_TMPDIR/printed.json")
	[ "${lines[-1]}" = "[('seq+beside', 8), ('then', 8), ('last', 4), ('half', 4)]" ]
}

@test "a job that is time based runs for its time, and more jobs than a point can hold are refused with the line" {
	truncate -s 8M "$TARGET"
	printf '[a]\nrw=randread\nsize=64k\nruntime=1\ntime_based\n[b]\nstonewall\nrw=randread\nsize=64k\n' >"$BATS_TEST_TMPDIR/job.fio"
	bench "$BATS_TEST_TMPDIR/job.fio" --json
	[ "$status" = 0 ]
	[ "$(value "[p['duration_ns'] >= 9e8 for p in d['points']], d['points'][1]['ios']")" = "([True, False], 16)" ]
	for job in $(seq 9); do printf '[j%d]\nrw=read\nsize=1m\n' "$job"; done >"$BATS_TEST_TMPDIR/job.fio"
	bench "$BATS_TEST_TMPDIR/job.fio"
	[ "$status" = 4 ]
	[[ $stderr == *"job.fio: line 25: [j9]: more than 8 jobs run together" ]]
}

# Of a throttled device, so that the rounds are steady although the machine is busy.
@test "a test of the SNIA purges and fills the target, and its steady state is that of its raw rounds" {
	need_loop
	throttled_device 400 300
	local discarded written
	discarded=$(diskstat "$TARGET" 14) written=$(diskstat "$TARGET" 7)
	run --separate-stderr timeout 400 bash -c 'echo $$ >"$1/cgroup.procs" && exec "$2" -q bench pts-throughput --target "$3" \
		--write --yes-destroy "$3" --runtime 250ms --json -o "$4"' - "$GROUP" "$BLKREEL" "$TARGET" "$RESULTS"
	echo "$stderr"
	[ "$status" = 0 ]
	[ "$(($(diskstat "$TARGET" 14) - discarded))" = 1047 ]
	[ "$(($(diskstat "$TARGET" 7) - written))" -ge 2094 ]
	[ "$(value "[(p['name'], p['bytes']) for p in d['points'][:2]]")" = "[('purge', 0), ('precondition', 1072128)]" ]
	run -0 python3 -c 'import csv, json, sys
rows = [r for r in csv.DictReader(open(sys.argv[1] + "/results.csv")) if r["round"]]
pts = json.load(open(sys.argv[1] + "/results.json"))["pts"]
rounds = max(int(r["round"]) for r in rows)
assert pts["rounds"] == rounds and len(rows) == 2 * rounds and 5 <= rounds <= 25, rounds
def steady(t, last):
    values = [float(r["bytes_per_s"]) for r in rows if (int(r["bs_bytes"]), int(r["read_pct"])) == (t["bs_bytes"], t["read_pct"])][:last]
    window = values[-5:]
    mean = sum(window) / 5
    slope = sum((x - 2) * y for x, y in enumerate(window)) / 10
    return mean, 100 * (max(window) - min(window)) / mean, 100 * abs(slope) * 4 / mean
near = lambda a, b: abs(a - b) <= 1e-3 + 1e-4 * abs(b)
for t in pts["tracked"]:
    mean, spread, slope = steady(t, rounds)
    print(t["bs_bytes"], t["read_pct"], mean, spread, slope, t)
    assert near(t["mean"], mean) and near(t["range_pct"], spread) and near(t["slope_pct"], slope)
    assert t["reached"] == (spread <= 20 and slope <= 10)
fine = lambda last: all(spread <= 20 and slope <= 10 for _, spread, slope in (steady(t, last) for t in pts["tracked"]))
# It ended at the first round at which both criteria hold.
assert [fine(last) for last in range(5, rounds + 1)] == (rounds - 5) * [False] + [pts["reached"]], rounds
assert pts["reached"] or rounds == 25
print(len(pts["tracked"]))' "$RESULTS"
	[ "${lines[-1]}" = 2 ]
	[ "$(grep -c 'reached' "$RESULTS/index.html")" -ge 1 ]
}

@test "--until-steady ends a point by both criteria, or after --runtime" {
	truncate -s 8M "$TARGET"
	bench random --grid depth=1,2 --until-steady iops --round 20ms --runtime 400ms --json
	[ "$status" = 0 ]
	[ "$(value "all(p['steady_reached'] == (p['steady_range_pct'] <= 20 and p['steady_slope_pct'] <= 10) and p['steady_rounds'] >= 5 for p in d['points'])")" = True ]
	bench pts-iops --until-steady iops --write
	[ "$status" = 2 ]
	bench pts-iops --grid bs=4k --write
	[ "$status" = 2 ]
}

@test "results of several hosts become one: rates are added, percentiles are those of all IOs" {
	truncate -s 8M "$TARGET"
	bench random --grid depth=1,4 --runtime 200ms -o "$RESULTS-1"
	[ "$status" = 0 ]
	bench random --grid depth=1,4 --runtime 200ms -o "$RESULTS-2"
	[ "$status" = 0 ]
	run -0 --separate-stderr "$BLKREEL" bench --merge "$RESULTS-1" "$RESULTS-2/results.json" --json -o "$RESULTS"
	printf '%s' "$output" >"$BATS_TEST_TMPDIR/merged.json"
	run -0 python3 -c 'import json, math, sys
one, two, merged = (json.load(open(path))["points"] for path in sys.argv[1:])
def pairs(point):
    return [tuple(map(int, pair.split(":"))) for pair in point["latencies"].split()]
for a, b, m in zip(one, two, merged):
    assert m["ios"] == a["ios"] + b["ios"] and m["max_ns"] == max(a["max_ns"], b["max_ns"])
    assert abs(m["iops"] - a["iops"] - b["iops"]) < 1e-3 * m["iops"]
    counts = {}
    for ns, ios in pairs(a) + pairs(b):
        counts[ns] = counts.get(ns, 0) + ios
    assert counts == dict(pairs(m)) and sum(counts.values()) == m["ios"]
    for name, pct in (("p50_ns", 50), ("p99_ns", 99), ("p99_9_ns", 99.9)):
        rank, seen = math.ceil(pct / 100 * m["ios"]), 0
        for ns in sorted(counts):
            seen += counts[ns]
            if seen >= rank:
                break
        # The middle of a bin that is a 64th of its power of two.
        assert ns <= m[name] <= ns * (1 + 1 / 64) + 1 or m[name] == m["max_ns"], (name, ns, m[name])
print(len(merged))' "$RESULTS-1/results.json" "$RESULTS-2/results.json" "$BATS_TEST_TMPDIR/merged.json"
	[ "$output" = 2 ]
	[ -s "$RESULTS/index.html" ]
	bench random --grid depth=1 --runtime 100ms -o "$RESULTS-3"
	run -4 --separate-stderr "$BLKREEL" bench --merge "$RESULTS-1" "$RESULTS-3"
	[[ $stderr == *"has other points than the first result" ]]
	echo '{"schema": "blkreel.bench/1", "points": [{"name": "x"}]}' >"$BATS_TEST_TMPDIR/bad.json"
	run -4 --separate-stderr "$BLKREEL" bench --merge "$BATS_TEST_TMPDIR/bad.json"
	one_line "$stderr"
}

@test "--sync-start: points begin at their times, and a time that is past is refused" {
	truncate -s 8M "$TARGET"
	bench random --sync-start 1000 --runtime 100ms
	[ "$status" = 2 ]
	bench pts-iops --sync-start 99999999999 --write
	[ "$status" = 2 ]
	local start=$(($(date +%s) + 4))
	bench random --sync-start "$start" --runtime 100ms
	[ "$status" = 0 ]
	[ "$(date +%s)" -ge "$start" ]
}

@test "the page of results has tables and data, asks for nothing, and hostile names are text" {
	truncate -s 8M "$TARGET"
	local plan="$BATS_TEST_TMPDIR/<img src=x onerror=alert(1)>.profile"
	cp "$ROOT/profiles/rand-read.profile" "$plan"
	bench "$plan" --fit wrap --runtime 50ms -o "$RESULTS"
	[ "$status" = 0 ]
	run -1 grep '<img' "$RESULTS/index.html"
	run -0 python3 -c 'import json, re, sys
page = open(sys.argv[1]).read()
data = json.loads(re.search("<script type=\"application/json\" id=\"data\">(.*?)</script>", page, re.S)[1])
assert data["schema"] == "blkreel.bench/1" and len(data["points"]) == 1
assert "id=\"points-table\"" in page
urls = set(re.findall(r"https?://[^\s\"<)]+", re.sub(r"/\*.*?\*/", "", page, flags=re.S)))
print(sorted(u for u in urls if not u.startswith("http://www.w3.org/")))' "$RESULTS/index.html"
	[ "$output" = "[]" ]
}
