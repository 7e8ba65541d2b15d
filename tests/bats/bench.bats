# bats file_tags=beside
# SPDX-License-Identifier: MIT
# bench: the points of a plan, each measured by a replay; the kernel's counters are the truth of how many IOs there
# were. How fast they were is not judged.
load test_helper

setup() {
	TARGET=$BATS_TEST_TMPDIR/t.img
	RESULTS=$BATS_TEST_TMPDIR/results
	TRACE=$BATS_TEST_TMPDIR/t.reel
	head -c 4M /dev/zero >"$TARGET"
}

teardown() {
	clean_up
}

# bench PLAN OPTION...: sets output, stderr and status.
bench() {
	local plan=$1
	shift
	run --separate-stderr timeout 300 "$BLKREEL" bench "$plan" --target "$TARGET" "$@"
	echo "status $status, stderr '$stderr'"
}

@test "a grid is measured point by point, in one order, as a table, CSV and JSON alike" {
	bench random --write --grid bs=4k,64k mix=100,0 depth=1,4 --grid jobs=1,2 --runtime 100ms --json -o "$RESULTS"
	[ "$status" = 0 ]
	[ "$(value "[(p['bs_bytes'], p['read_pct'], p['jobs'], p['depth'], p['repeat']) for p in d['points']] == [(b, m, j, q, 1) for b in (4096, 65536) for m in (100, 0) for j in (1, 2) for q in (1, 4)]")" = True ]
	[ "$(value "d['points_planned'], d['runtime_ns'], d['plan']")" = "(16, 100000000, 'random')" ]
	[ "$(value "all(p['ios'] > 0 and p['errors'] == 0 and p['p50_ns'] <= p['p99_ns'] <= p['max_ns'] for p in d['points'])")" = True ]
	[ "$(value "all((p['read_iops'] > 0) == (p['read_pct'] == 100) and (p['write_iops'] > 0) == (p['read_pct'] == 0) for p in d['points'])")" = True ]
	[ "$(value "all(abs(p['iops'] * p['bs_bytes'] - p['bytes_per_s']) <= 0.001 * p['bytes_per_s'] + 1 for p in d['points'])")" = True ]
	diff <(printf '%s\n' "$output") "$RESULTS/results.json"
	[ "$(python3 -c 'import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1] + "/results.csv")))
points = json.load(open(sys.argv[1] + "/results.json"))["points"]
print(len(rows), all(int(r[k]) == p[k] for r, p in zip(rows, points) for k in ("bs_bytes", "read_pct", "depth", "jobs", "ios", "p99_ns")), all(r["point"] == p["name"] for r, p in zip(rows, points)))' "$RESULTS")" = "16 True True" ]
	# The same options again measure nothing and say the same.
	cp "$RESULTS/results.csv" "$BATS_TEST_TMPDIR/before.csv"
	bench random --write --grid bs=4k,64k mix=100,0 depth=1,4 jobs=1,2 --runtime 100ms -o "$RESULTS"
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	cmp "$RESULTS/results.csv" "$BATS_TEST_TMPDIR/before.csv"
	[ "$(grep -cE '^  random +(4|64)\.0 KiB +(100|0) +[14] +[12] ' <<<"$output")" = 16 ]
}

@test "a point of which IOs fail is in the table, and said on stderr" {
	need_loop
	make_loop_on_full_disk 16M
	TARGET=$LOOP
	bench random --write --yes-destroy "$LOOP" --grid bs=64k mix=0,100 --runtime 300ms -o "$RESULTS"
	[ "$status" = 1 ]
	[[ $(grep failed <<<"$stderr") == "blkreel: random: "*" of "*" IOs failed; the figures are of the others" ]]
	[ "$(grep -cE '^  random +64\.0 KiB +(100|0) ' <<<"$output")" = 2 ]
	[ "$(python3 -c 'import json, sys
print([p["errors"] > 0 for p in json.load(open(sys.argv[1]))["points"]])' "$RESULTS/results.json")" = "[True, False]" ]
	# The points are kept: the same command measures nothing and says the same.
	bench random --write --yes-destroy "$LOOP" --grid bs=64k mix=0,100 --runtime 300ms -o "$RESULTS"
	[ "$status" = 1 ]
	one_line "$stderr"
}

@test "the IOs of a point are those that the device counts" {
	need_loop
	make_loop 16M
	TARGET=$LOOP
	# The kernel merges neighbours that go together.
	reads=$(($(diskstat "$LOOP" 1) + $(diskstat "$LOOP" 2))) sectors=$(diskstat "$LOOP" 3)
	bench random --grid bs=8k --runtime 300ms --json
	[ "$status" = 0 ]
	ios=$(value "d['points'][0]['ios']")
	[ "$(($(diskstat "$LOOP" 1) + $(diskstat "$LOOP" 2) - reads))" = "$ios" ]
	[ "$(($(diskstat "$LOOP" 3) - sectors))" = "$((ios * 16))" ]
}

@test "a suite has its points; a job file, a profile and a trace are one" {
	bench six-job --write --runtime 50ms --json
	[ "$status" = 0 ]
	[ "$(value "[(p['name'], p['bs_bytes'], p['read_pct']) for p in d['points']]")" = \
		"[('seq-read', 131072, 100), ('seq-write', 131072, 0), ('seq-mix', 131072, 50), ('rand-read', 4096, 100), ('rand-write', 4096, 0), ('rand-mix', 4096, 50)]" ]
	printf '[a]\nrw=randread\nbs=16k\nsize=1m\n' >"$BATS_TEST_TMPDIR/job.fio"
	bench "$BATS_TEST_TMPDIR/job.fio" --runtime 50ms --json
	[ "$status" = 0 ]
	[ "$(value "[(p['name'], p['depth'], p['bytes_per_s'] > 0, 'bs_bytes' in p) for p in d['points']]")" = "[('a', 1, True, False)]" ]
	[ "$(value "[(p['reads'] == p['ios'], p['read_bytes'] == 16384 * p['reads'], p['writes'], p['write_bytes']) for p in d['points']]")" = "[(True, True, 0, 0)]" ]
	bench "$BATS_TEST_TMPDIR/job.fio" --runtime 50ms
	grep -qE '^  a +16\.0 KiB +100 +1 +1 ' <<<"$output"
	list_reads 100 1000 | write_trace 4M
	bench "$TRACE" --fit wrap --runtime 50ms --repeat 3 --grid depth=2 --json
	[ "$status" = 0 ]
	[ "$(value "[(p['depth'], p['repeat'], p['ios'] > 0) for p in d['points']]")" = "[(2, 1, True), (2, 2, True), (2, 3, True)]" ]
}

nobody_has_target() {
	! fuser -s "$TARGET" 2>/dev/null
}

# points_of DOCUMENT: which points it has, and all their figures that do not depend on how fast the target was.
points_of() {
	json "$1" "[[p[k] for k in ('name', 'bs_bytes', 'read_pct', 'depth', 'jobs', 'repeat', 'runtime_ns', 'errors')] for p in d['points']]"
}

# A point is 100 ms long. However long the machine takes, the first kills come before the end of all.
@test "killed at ten random moments, the same command goes on, measures no point twice and gives the table of one that was left alone" {
	local options=(bench random --target "$TARGET" --write --grid "bs=4k,8k" "depth=1,2,4" --runtime 100ms) i pid
	run -0 --separate-stderr "$BLKREEL" -q "${options[@]}" --json -o "$RESULTS-alone"
	for i in $(seq 10); do
		"$BLKREEL" -q "${options[@]}" -o "$RESULTS" >/dev/null 2>&1 3>&- &
		pid=$!
		sleep "0.$(printf '%03d' $((RANDOM % 400)))"
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" || true
		# The replay ends with it, and may take as long as its device.
		wait_until nobody_has_target
		[ ! -s "$BATS_TEST_TMPDIR/done" ] || md5sum -c --quiet "$BATS_TEST_TMPDIR/done"
		find "$RESULTS" -name 'point-*.json' -exec md5sum {} + >"$BATS_TEST_TMPDIR/done" 2>/dev/null || true
		echo "kill $i: $(wc -l <"$BATS_TEST_TMPDIR/done") points"
		[ "$(find "$RESULTS" -name 'results.*' 2>/dev/null | wc -l)" = 0 ] || [ "$(wc -l <"$BATS_TEST_TMPDIR/done")" = 6 ]
	done
	run -0 --separate-stderr "$BLKREEL" -q "${options[@]}" --json -o "$RESULTS"
	[ ! -s "$BATS_TEST_TMPDIR/done" ] || md5sum -c --quiet "$BATS_TEST_TMPDIR/done"
	[ "$(points_of "$RESULTS/results.json")" = "$(points_of "$RESULTS-alone/results.json")" ]
	[ "$(wc -l <"$RESULTS/results.csv")" = 7 ]
	[ "$(python3 -c 'import json, sys
folder = sys.argv[1]
points = json.load(open(folder + "/results.json"))["points"]
kept = [json.load(open(f"{folder}/point-{i:04}.json")) for i in range(6)]
print(all(abs(k[f] - p[f]) <= 1e-6 * abs(p[f]) for k, p in zip(kept, points) for f in p if f in k and f != "latencies"))' "$RESULTS")" = True ]
	[ "$(find "$RESULTS" -type f | wc -l)" = 9 ]
	# Nothing is left to measure: the table is the same, byte for byte.
	cp "$RESULTS/results.csv" "$BATS_TEST_TMPDIR/first.csv"
	run -0 --separate-stderr "$BLKREEL" -q "${options[@]}" -o "$RESULTS"
	cmp "$RESULTS/results.csv" "$BATS_TEST_TMPDIR/first.csv"
}

@test "an interrupted bench prints what is done and exits with 128 + the signal" {
	"$BLKREEL" -q bench random --target "$TARGET" --grid depth=1,2 --runtime 1h --json >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	local pid=$!
	for _ in $(seq 300); do
		! pgrep -P "$pid" >/dev/null || break
		sleep 0.1
	done
	sleep 0.5
	kill -TERM "$pid"
	code=0
	wait "$pid" || code=$?
	echo "code $code, $(cat "$BATS_TEST_TMPDIR/err")"
	[ "$code" = 143 ]
	[ ! -s "$BATS_TEST_TMPDIR/out" ]
}

@test "what cannot be measured is refused before the first point" {
	for wrong in "random" "random --target" "random --target f --grid bs" "random --target f --grid bs=" "random --target f --grid bs=3" \
		"random --target f --grid depth=0" "random --target f --grid mix=101" "random --target f --grid size=4k" \
		"random --target f --grid bs=4k,4k" "random more --target f" "web --target f --grid bs=4k" "random --target f --runtime 0"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$BLKREEL" bench $wrong
		echo "'$wrong': $status $stderr"
		[ "$status" = 2 ]
		[ -z "$output" ]
	done
	sum=$(md5sum <"$TARGET")
	bench six-job --runtime 50ms
	[ "$status" = 3 ]
	[ "$stderr" = "blkreel: refused: seq-write writes: give --write, or --grid mix=100" ]
	[ "$(md5sum <"$TARGET")" = "$sum" ]
	truncate -s 1k "$TARGET"
	bench random --runtime 50ms
	[ "$status" = 3 ]
	[[ $stderr == *"t.img is smaller than an IO of random"* ]]
	truncate -s 4M "$TARGET"
	bench random --runtime 50ms -o "$RESULTS"
	[ "$status" = 0 ]
	bench random --runtime 60ms -o "$RESULTS"
	[ "$status" = 2 ]
	[[ $stderr == *"holds results of another bench, or damaged ones: name another -o"* ]]
	truncate -s 20 "$RESULTS/point-0000.json"
	bench random --runtime 50ms -o "$RESULTS"
	[ "$status" = 2 ]
}

@test "a target that holds data is not written without --yes-destroy" {
	head -c 4M /dev/urandom >"$TARGET"
	sum=$(md5sum <"$TARGET")
	bench random --write --grid mix=0 --runtime 50ms </dev/null
	[ "$status" = 3 ]
	[ "$(md5sum <"$TARGET")" = "$sum" ]
	bench random --write --grid mix=0 --runtime 50ms --yes-destroy "$TARGET" --json
	[ "$status" = 0 ]
	[ "$(md5sum <"$TARGET")" != "$sum" ]
}
