# SPDX-License-Identifier: MIT
# Several workers share the IOs of one trace and have the same effect as one.
load test_helper

setup() {
	TRACE=$BATS_TEST_TMPDIR/t.reel
	OUT=$BATS_TEST_TMPDIR/out.json
}

# mixed COUNT: all ops, in few places, many of them across the borders of 4 MiB where regions of workers meet.
mixed() {
	python3 - "$1" <<-'PYTHON'
		import random, sys
		random.seed(23)
		region = 4 << 20
		ops = ["write"] * 12 + ["write fua"] * 2 + ["write preflush"] * 2 + ["read"] * 3 + ["discard"] * 2 + ["write_zeroes", "flush"]
		for i in range(int(sys.argv[1])):
		    op, *flags = random.choice(ops).split()
		    size = random.randint(1, 16) * 4096
		    if op == "discard" and random.random() < 0.2:
		        size = 3 * region
		    at = random.randint(0, 9) * region + random.randint(0, 15) * 4096
		    if random.random() < 0.3:
		        at = max(at // region * region - random.randint(1, 15) * 4096, 0)
		    at = min(at, 10 * region - size)
		    if op == "flush":
		        at = size = 0
		    print(i * 20, 1, op, at, size, *flags)
	PYTHON
}

# MODEL: the number of the last write to each 4 KiB of the target, or "-", and the expected counts of the kernel.
MODEL='
import sys
blocks, changes, stat = ["-"] * (40 << 8), 0, dict(reads=0, read_sectors=0, writes=0, write_sectors=0, discards=0, discard_sectors=0)
for line in open(sys.argv[1]):
    _, _, op, at, size, *flags = line.split()
    at, size = int(at), int(size)
    if op not in ("read", "flush"):
        changes += 1
        for block in range(at >> 12, (at + size) >> 12):
            blocks[block] = str(changes) if op == "write" else "-"
    kind = "reads" if op == "read" else "discards" if op == "discard" else "writes"
    stat[kind] += 1 + ("preflush" in flags)  # a flush is a write of nothing
    stat[kind[:-1] + "_sectors"] += size // 512
'
# The same of the target, by the stamps.
STAMPS='
import struct
def stamps(path):
    data = open(path, "rb").read()
    for at in range(0, len(data), 4096):
        magic, run, offset, number = struct.unpack_from("<8sQQQ", data, at)
        assert magic != b"blkreelW" or offset == at
        yield str(number) if magic == b"blkreelW" else "-"
'

kernel_counts() {
	awk '{ print $1, $3, $5, $7, $12, $14 }' "/sys/block/${LOOP#/dev/}/stat"
}

# play OPTION...: writes the JSON document to OUT.
play() {
	timeout 300 "$BLKREEL" replay "$TRACE" --target "$LOOP" --write --yes-destroy="$LOOP" --json "$@" >"$OUT"
}

@test "one, two and four workers leave the data of the model, and the kernel counts the same IOs" {
	local mode workers
	need_loop
	make_loop 40M
	echo 2 >"/sys/block/${LOOP#/dev/}/queue/nomerges"
	mixed 1009 >"$BATS_TEST_TMPDIR/t.txt"
	write_trace 40M <"$BATS_TEST_TMPDIR/t.txt"
	for mode in asap timed; do
		for workers in 1 2 4; do
			echo "$mode, $workers workers"
			rm -f "$BATS_TEST_TMPDIR/state"
			blkdiscard -f "$LOOP"
			kernel_counts >"$BATS_TEST_TMPDIR/before"
			play --mode "$mode" --workers "$workers" --stamp "$BATS_TEST_TMPDIR/state"
			kernel_counts >"$BATS_TEST_TMPDIR/after"
			[ "$(json "$OUT" "d['workers'], d['issued'], d['completed'], d['errors']")" = "($workers, 1009, 1009, 0)" ]
			python3 - "$BATS_TEST_TMPDIR/t.txt" "$LOOP" "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after" <<-PYTHON
				$MODEL
				$STAMPS
				found = list(stamps(sys.argv[2]))
				print([(i, a, b) for i, (a, b) in enumerate(zip(blocks, found)) if a != b][:10])
				assert found == blocks
				before, after = (list(map(int, open(path).read().split())) for path in sys.argv[3:])
				counts = [b - a for a, b in zip(before, after)]
				print(counts, stat)
				# Others may read, to look for file systems.
				assert counts[0] >= stat["reads"] and counts[1] >= stat["read_sectors"]
				assert counts[2:] == list(stat.values())[2:]
			PYTHON
			"$BLKREEL" replay "$TRACE" --target "$LOOP" --verify "$BATS_TEST_TMPDIR/state"
		done
	done
}

@test "workers share the IOs in flight and the batch of completions" {
	local workers expected
	need_loop
	make_loop 40M
	mixed 101 | write_trace 40M
	for expected in "1 7" "2 4" "3 3" "4 2" "8 1"; do
		read -r workers expected <<<"$expected"
		play --mode asap --workers "$workers" --iodepth 64 --batch 7
		[ "$(json "$OUT" "d['completion_batch'], d['highest_depth'] <= 64, d['completed']")" = "($expected, True, 101)" ]
	done
	# Three have four, three and three.
	play --mode asap --workers 3 --iodepth 10 --batch 10
	[ "$(json "$OUT" "d['completion_batch'], d['highest_depth'] <= 10, d['completed']")" = "(4, True, 101)" ]
}

@test "without stamps several workers leave the same bytes as one" {
	local workers first sum
	need_loop
	make_loop 40M
	mixed 1009 | write_trace 40M
	for workers in 1 2 3; do
		blkdiscard -f "$LOOP"
		play --mode asap --workers "$workers" --loop 2
		[ "$(json "$OUT" "d['completed']")" = 2018 ]
		sum=$(sha256sum <"$LOOP")
		first=${first:-$sum}
		[ "$sum" = "$first" ]
	done
}

@test "a recording of several workers has the same op, flags, size and order of overlapping IOs" {
	local mode
	need_probes
	need_loop
	make_loop 40M
	echo 2 >"/sys/block/${LOOP#/dev/}/queue/nomerges"
	mixed 401 | write_trace 40M
	for mode in asap timed; do
		# What the kernel did not report of an IO is counted, but here every row is needed.
		for _ in 1 2 3 4 5; do
			rm -f "$BATS_TEST_TMPDIR/new.reel"
			play --mode "$mode" --workers 3 -o "$BATS_TEST_TMPDIR/new.reel"
			"$BLKREEL" info "$BATS_TEST_TMPDIR/new.reel" --json >"$BATS_TEST_TMPDIR/i.json"
			[ "$(json "$BATS_TEST_TMPDIR/i.json" "sum(d['lost'].values())")" != 0 ] || break
		done
		"$BLKREEL" compare --exact --json "$TRACE" "$BATS_TEST_TMPDIR/new.reel" >"$BATS_TEST_TMPDIR/c.json"
		json "$BATS_TEST_TMPDIR/c.json" "d['exact']"
		[ "$(json "$BATS_TEST_TMPDIR/c.json" "[d['exact'][k] for k in ('op', 'flags', 'size', 'order', 'missing')]")" = "[0, 0, 0, 0, 0]" ]
	done
}

@test "a profile gives the same IOs with any number of workers" {
	local workers
	need_loop
	make_loop 40M
	mixed 1009 | write_trace 40M "$BATS_TEST_TMPDIR/source.reel"
	"$BLKREEL" profile "$BATS_TEST_TMPDIR/source.reel" -o "$TRACE"
	for workers in 1 3; do
		play --mode asap --workers "$workers" --fit wrap
		json "$OUT" "[(op, d['ops'][op]['completed'], d['ops'][op]['bytes']) for op in sorted(d['ops'])]" >"$BATS_TEST_TMPDIR/ops.$workers"
	done
	cmp "$BATS_TEST_TMPDIR/ops.1" "$BATS_TEST_TMPDIR/ops.3"
}

@test "the depth counts all workers, and the text has their number" {
	need_loop
	make_loop 40M
	mixed 1009 | write_trace 40M
	play --mode asap --workers 3 --iodepth 7
	[ "$(json "$OUT" "d['iodepth'], d['highest_depth'] <= 7, d['completed']")" = "(7, True, 1009)" ]
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --reads-only --workers 2
	[ "$status" = 0 ]
	[[ $output == *"2 workers, at most 1,024 IOs in flight"* ]]
}

@test "the series and the progress count all workers" {
	need_loop
	make_loop 40M
	mixed 1009 | write_trace 40M
	play --workers 4 --series "$BATS_TEST_TMPDIR/s.csv" --round 5ms
	python3 - "$BATS_TEST_TMPDIR/s.csv" <<-'PYTHON'
		import csv, sys
		rows = list(csv.DictReader(open(sys.argv[1])))
		assert sum(int(row["ios"]) for row in rows) == 1009, rows
		assert all(float(a["end_s"]) < float(b["end_s"]) for a, b in zip(rows, rows[1:]))
	PYTHON
}

@test "IOs that fail are counted, or the first one ends all workers" {
	need_loop
	make_loop_on_full_disk 40M
	awk 'BEGIN { for (i = 0; i < 600; i++) print i * 20, 1, "write", i * 65536, 4096 }' | write_trace 40M
	run -1 play --mode asap --workers 3
	[ "$(json "$OUT" "d['issued'], d['completed'] + d['errors'], [(e['op'], e['errno']) for e in d['errors_by']]")" = "(600, 600, [('write', 28)])" ]
	# How many had room is what the file system says.
	[ "$(json "$OUT" "d['completed']")" = $(($(stat -c %b "$SMALL/disk") * 512 / 4096)) ]
	run -1 play --mode asap --workers 3 --iodepth 3 --on-error stop
	[ "$(json "$OUT" "d['stopped_at_error'], 1 <= d['errors'] <= 3, d['issued'] < 600")" = "(True, True, True)" ]
	# The others wait for what is due in an hour.
	{
		echo '0 1 write 39321600 4096'
		for region in 0 1 2 3 4 5 6 7; do echo "3600000000 1 read $((region * 4194304)) 4096"; done
	} | write_trace 40M
	run -1 play --workers 3 --on-error stop
	[ "$(json "$OUT" "d['stopped_at_error'], d['errors'], d['issued']")" = "(True, 1, 1)" ]
}

@test "a signal ends all workers with the report so far" {
	local pid status=0
	truncate -s 40M "$BATS_TEST_TMPDIR/file"
	printf '%s\n' '0 1 read 0 4096' '0 1 read 8388608 4096' '3600000000 1 read 16777216 4096' | write_trace 40M
	BLKREEL_FORCE_PROGRESS=1 "$BLKREEL" replay "$TRACE" --target "$BATS_TEST_TMPDIR/file" --workers 3 --json >"$OUT" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	pid=$!
	wait_until grep -q "replay: 2 of 3 IOs" "$BATS_TEST_TMPDIR/err"
	kill -TERM "$pid"
	wait "$pid" || status=$?
	[ "$status" = 143 ]
	[ "$(json "$OUT" "d['stopped'], d['completed']")" = "(True, 2)" ]
}

@test "several workers use at most 128 MiB" {
	[[ $BUILD != *sanitize* ]] || skip "needs a build without sanitizers, which make system calls of their own"
	truncate -s 64M "$BATS_TEST_TMPDIR/f"
	make_trace "$TRACE" --rows 100003 --read-pct 50 --return-pct 20 --gap-ns 1000
	python3 - "$BLKREEL" replay "$TRACE" --target "$BATS_TEST_TMPDIR/f" --write --fit wrap --json --mode asap --workers 16 <<-'PYTHON'
		import json, resource, subprocess, sys
		done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True, timeout=300)
		peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
		print(f"{peak:.1f} MiB")
		assert json.loads(done.stdout)["completed"] == 100003
		assert peak <= 128, peak
	PYTHON
}

@test "options that workers do not support are refused in one line" {
	local words
	echo 0 1 read 0 4096 | write_trace 16M
	truncate -s 16M "$BATS_TEST_TMPDIR/file"
	for words in "--mode depth" "--mode dependent" --buffered --iopoll --sqpoll "--iodepth 1" "--verify state"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$BATS_TEST_TMPDIR/file" --workers 2 $words
		echo "$words: $stderr"
		[ "$status" = 2 ]
		[ -z "$output" ]
		[[ ${stderr_lines[0]} == *--workers* ]]
	done
	run --separate-stderr "$BLKREEL" replay "$TRACE" --files "$BATS_TEST_TMPDIR/folder" --workers 2
	[ "$status" = 2 ]
	run --separate-stderr "$BLKREEL" replay "$TRACE" --map a="$BATS_TEST_TMPDIR/file" --map b="$BATS_TEST_TMPDIR/other" --workers 2
	[ "$status" = 2 ]
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$BATS_TEST_TMPDIR/file" --workers 0
	[ "$status" = 2 ]
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$BATS_TEST_TMPDIR/file" --workers 17
	[ "$status" = 2 ]
}
