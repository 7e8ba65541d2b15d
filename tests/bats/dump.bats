# SPDX-License-Identifier: MIT
# dump, and the second decoder compared with it
# bats file_tags=sanitized
load test_helper

GOLDEN=$BATS_TEST_DIRNAME/../golden/v1

@test "csv of each golden file equals its expected text" {
	for file in "$GOLDEN"/*.reel; do
		for rows in io cache tick loss hist access; do
			"$BLKREEL" dump --format csv --rows $rows "$file" >"$BATS_TEST_TMPDIR/csv"
			cmp "$BATS_TEST_TMPDIR/csv" "${file%.reel}.$rows.csv"
		done
	done
}

@test "the decoder written from the document prints the same" {
	need_command python3
	need_command zstd
	for file in "$GOLDEN"/*.reel; do
		for rows in io cache tick loss hist access; do
			python3 "$ROOT/tools/decode_trace.py" --rows $rows "$file" >"$BATS_TEST_TMPDIR/csv"
			cmp "$BATS_TEST_TMPDIR/csv" "${file%.reel}.$rows.csv"
		done
	done
}

@test "the second decoder agrees on a trace of many blocks" {
	need_command python3
	need_command zstd
	make_trace --rows 20000 --odd --devices 40 --cache 9000 --ticks 100 --hists 9000 --accesses 20000 --seed 11 "$BATS_TEST_TMPDIR/t"
	for rows in io cache tick hist access; do
		"$BLKREEL" dump --format csv --rows $rows "$BATS_TEST_TMPDIR/t" >"$BATS_TEST_TMPDIR/c"
		python3 "$ROOT/tools/decode_trace.py" --rows $rows "$BATS_TEST_TMPDIR/t" >"$BATS_TEST_TMPDIR/python"
		cmp "$BATS_TEST_TMPDIR/c" "$BATS_TEST_TMPDIR/python"
	done
}

@test "names with blanks at an end are quoted in csv, and import takes them as they are" {
	need_command python3
	need_command zstd
	cd "$BATS_TEST_TMPDIR"
	local name n=0
	for name in ' lead' 'trail ' $'\ttab' $'end\t' ' ' 'in the middle' '"quoted" '; do
		printf '%d,read,4096,4096,%d,"%s"\n' $((++n)) $n "${name//\"/\"\"}"
	done >rows.csv
	"$BLKREEL" import --from csv --columns time,op,offset,size,pid,comm rows.csv -o a.reel
	"$BLKREEL" dump --format csv a.reel >a.csv
	grep -q ',"trail ",' a.csv
	grep -q ',in the middle,' a.csv
	"$BLKREEL" import a.csv -o b.reel
	"$BLKREEL" dump --format csv b.reel | cmp - a.csv
	python3 "$ROOT/tools/decode_trace.py" a.reel | cmp - a.csv
}

@test "csv and json say the same, and both are well formed" {
	need_command python3
	"$BLKREEL" dump --format csv "$GOLDEN/odd.reel" >"$BATS_TEST_TMPDIR/csv"
	"$BLKREEL" dump --format json "$GOLDEN/odd.reel" >"$BATS_TEST_TMPDIR/json"
	python3 - "$BATS_TEST_TMPDIR" <<-'PYTHON'
		import csv, json, re, sys
		from decimal import Decimal
		def unescape(text):
		    raw = re.sub(rb'\\x([0-9a-f]{2})', lambda m: bytes([int(m[1], 16)]), text.encode())
		    return raw.decode('latin-1')
		with open(sys.argv[1] + '/csv', encoding='latin-1', newline='') as f:
		    rows = list(csv.DictReader(f))
		with open(sys.argv[1] + '/json') as f:
		    objects = [json.loads(line, parse_float=Decimal) for line in f]
		assert len(rows) == len(objects) == 200, (len(rows), len(objects))
		for row, o in zip(rows, objects):
		    assert list(row) == list(o)
		    for key, value in o.items():
		        want = '' if value is None else unescape(value) if isinstance(value, str) else str(value)
		        assert row[key] == want, (key, row[key], want)
	PYTHON
}

@test "text: a header and one line per row" {
	run -0 --separate-stderr "$BLKREEL" dump "$GOLDEN/plain.reel"
	one_line "$stderr"
	[[ "$stderr" == *"plain.reel: 9 of 69 IOs are missing (13.0 %; io_ring: 1; io_state: 2; output: 6)" ]]
	[ "${#lines[@]}" = 61 ]
	[[ ${lines[0]} =~ ^\ +time_s\ device\ +op\ +sector\ +bytes ]]
	[[ ${lines[1]} =~ ^\ +0\.[0-9]{9}\ nvme0n1\ +(read|write)\  ]]
}

@test "--from and --to keep the rows between them" {
	run -0 --separate-stderr "$BLKREEL" dump --format csv --from 2ms --to 4ms "$GOLDEN/plain.reel"
	want=$(awk -F, 'NR == 1 || ($1 >= 0.002 && $1 < 0.004)' "$GOLDEN/plain.io.csv")
	[ "$output" = "$want" ]
	[ "${#lines[@]}" -gt 5 ]
	run -2 --separate-stderr "$BLKREEL" dump --from 2 --to 1 "$GOLDEN/plain.reel"
	[[ $stderr == "blkreel dump: --from must be before --to"* ]]
}

# check_rows CSV-OF-ALL CSV-OF-SOME EXPRESSION: those of the first for which the expression on `r` is true.
check_rows() {
	python3 - "$@" <<-'PYTHON'
		import csv, sys
		def load(path):
		    with open(path, encoding='latin-1', newline='') as f:
		        return list(csv.DictReader(f))
		every, some = load(sys.argv[1]), load(sys.argv[2])
		want = [r for r in every if eval(sys.argv[3])]
		assert 0 < len(want) < len(every), (len(want), len(every))
		assert some == want, (len(some), len(want))
	PYTHON
}

@test "-d, --op, --task, --from and --to keep the rows that they name" {
	need_command python3
	local t=$BATS_TEST_TMPDIR/t all=$BATS_TEST_TMPDIR/all some=$BATS_TEST_TMPDIR/some
	make_trace --rows 30000 --odd --devices 5 --batch 700 --cache 300 --ticks 100 "$t"
	"$BLKREEL" dump --format csv "$t" >"$all"
	while IFS='|' read -r options expression; do
		read -ra words <<<"$options"
		"$BLKREEL" dump --format csv "${words[@]}" "$t" >"$some"
		check_rows "$all" "$some" "$expression" || { echo "$options" && return 1; }
	done <<-'CASES'
		-d nvme1n1|r["device"] == "nvme1n1"
		-d nvme1n1 -d /dev/nvme4n1|r["device"] in ("nvme1n1", "nvme4n1")
		--op write|r["op"] == "write"
		--op read --op flush|r["op"] in ("read", "flush")
		--task mysqld|r["comm"] == "mysqld"
		--task 103|r["pid"] == "103"
		--task jbd2 --task 101|r["pid"] in ("101", "105")
		--from 1s|float(r["time_s"]) >= 1
		--to 1s|float(r["time_s"]) < 1
		--from 2.5 --to 2.501|2.5 <= float(r["time_s"]) < 2.501
		-d nvme0n1 --op read --task fio --from 1 --to 2|r["device"] == "nvme0n1" and r["op"] == "read" and r["comm"] == "fio" and 1 <= float(r["time_s"]) < 2
	CASES
	"$BLKREEL" dump --format csv --rows tick "$t" >"$all"
	"$BLKREEL" dump --format csv --rows tick -d nvme2n1 --from 10 --to 50 "$t" >"$some"
	check_rows "$all" "$some" 'r["device"] == "nvme2n1" and 10 <= float(r["time_s"]) < 50'
	"$BLKREEL" dump --format csv --rows cache "$t" >"$all"
	"$BLKREEL" dump --format csv --rows cache --task 102 "$t" >"$some"
	check_rows "$all" "$some" 'r["pid"] == "102"'
}

@test "dump refuses unknown operations and devices and filters that its rows lack, and warns of an unknown task" {
	run -2 --separate-stderr "$BLKREEL" dump -d nvme9n1 "$GOLDEN/plain.reel"
	[[ $stderr == *"plain.reel has no device 'nvme9n1'"* ]]
	run -2 --separate-stderr "$BLKREEL" dump --op trim "$GOLDEN/plain.reel"
	[[ $stderr == *"--op takes an operation such as read, write, flush or discard, not 'trim'"* ]]
	run -2 --separate-stderr "$BLKREEL" dump --rows cache -d nvme0n1 "$GOLDEN/plain.reel"
	[[ $stderr == *"--device: cache rows have no device"* ]]
	run -2 --separate-stderr "$BLKREEL" dump --rows tick --task fio "$GOLDEN/plain.reel"
	[[ $stderr == *"--task: tick rows have no task"* ]]
	run -0 --separate-stderr "$BLKREEL" dump --task nobody "$GOLDEN/plain.reel"
	[[ $stderr == *"warning: "*"plain.reel has no task 'nobody'"* ]]
	[ "${#lines[@]}" = 1 ]
}

@test "--from near the end of a large trace reads little of it" {
	need_command python3
	[ -r /proc/self/io ] || skip "needs /proc/PID/io"
	make_trace --rows 400000 "$BATS_TEST_TMPDIR/t"
	read_bytes "$BATS_TEST_TMPDIR/t" >"$BATS_TEST_TMPDIR/all"
	read_bytes --from 39.9 "$BATS_TEST_TMPDIR/t" >"$BATS_TEST_TMPDIR/some"
	size=$(stat -c %s "$BATS_TEST_TMPDIR/t")
	[ "$(cat "$BATS_TEST_TMPDIR/all")" -ge "$size" ]
	[ "$(cat "$BATS_TEST_TMPDIR/some")" -lt $((size / 10)) ]
}

# read_bytes OPTION... FILE: the bytes that dump reads, by the kernel's count for the process.
read_bytes() {
	python3 - "$BLKREEL" dump "$@" <<-'PYTHON'
		import os, subprocess, sys
		p = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
		os.waitid(os.P_PID, p.pid, os.WEXITED | os.WNOWAIT)
		with open(f"/proc/{p.pid}/io") as f:
		    print(dict(line.split(": ") for line in f)["rchar"].strip())
		sys.exit(p.wait())
	PYTHON
}

@test "several traces: in order of wall time, each in its own order, the host first" {
	need_command python3
	local dir=$BATS_TEST_TMPDIR
	make_trace --rows 5000 --batch 300 --odd --host a --seed 1 "$dir/a"
	make_trace --rows 3000 --odd --host b --seed 2 --start-ns 77000000000 \
		--wall-ns 1700000000123456789 "$dir/b"
	make_trace --rows 4000 --devices 2 --host c --seed 3 --start-ns 5000000000000 \
		--wall-ns 1699999999900000000 "$dir/c"
	for name in a b c; do
		"$BLKREEL" dump --format csv "$dir/$name" >"$dir/$name.csv"
	done
	"$BLKREEL" dump --format csv "$dir/a" "$dir/b" "$dir/c" >"$dir/all.csv"
	python3 - "$dir" <<-'PYTHON'
		import csv, heapq, sys
		offset_ns = {"a": 100000000, "b": 223456789, "c": 0}
		first_start_ns = 1000000000000 - offset_ns["a"]
		start_ns = {"a": 1000000000000, "b": 77000000000, "c": 5000000000000}
		times = ("created_ns", "inserted_ns", "issued_ns", "completed_ns")
		def load(name):
		    with open(f"{sys.argv[1]}/{name}.csv", encoding="latin-1", newline="") as f:
		        return list(csv.DictReader(f))
		def shifted(name):
		    for row in load(name):
		        for key in times:
		            if row[key]:
		                row[key] = str(int(row[key]) - start_ns[name] + offset_ns[name] + first_start_ns)
		        seen = [row[key] for key in times if row[key]]
		        if seen:
		            after = int(seen[0]) - first_start_ns
		            row["time_s"] = f"{after // 10**9}.{after % 10**9:09}"
		        yield {"host": name, **row}
		def recorded(row):
		    return int(row["completed_ns"] or row["issued_ns"] or row["created_ns"] or 0)
		want = list(heapq.merge(*(list(shifted(n)) for n in "abc"), key=recorded))
		got = load("all")
		assert len(got) == 12000, len(got)
		for i, (g, w) in enumerate(zip(got, want)):
		    assert list(g.items()) == list(w.items()), (i, g, w)
	PYTHON
	run -0 --separate-stderr "$BLKREEL" dump "$dir/a" "$dir/b"
	[[ ${lines[0]} =~ ^host\ +time_s\ device ]]
	[[ ${lines[1]} =~ ^[ab]\ + ]]
}

@test "several traces: a cut one ends, the others go on, exit 5; a missing one is an error" {
	local dir=$BATS_TEST_TMPDIR
	make_trace --rows 300 --batch 100 --no-end --host cut "$dir/cut"
	make_trace --rows 300 --host whole "$dir/whole"
	run -5 --separate-stderr "$BLKREEL" dump --format csv "$dir/cut" "$dir/whole"
	one_line "$stderr"
	[[ $stderr == *"$dir/cut: has no end mark"* ]]
	[ "${#lines[@]}" = 601 ]
	cp "$ROOT/tests/golden/bad/flipped-payload.reel" "$dir/damaged"
	run -4 --separate-stderr "$BLKREEL" dump --format csv "$dir/cut" "$dir/whole" "$dir/damaged"
	[ "$(wc -l <<<"$stderr")" = 2 ]
	run -1 --separate-stderr "$BLKREEL" dump "$dir/whole" "$dir/nothing"
	one_line "$stderr"
	[ "$output" = "" ]
}

@test "--rows access of a trace without accesses: the header alone, and a line that names record --files" {
	run -0 --separate-stderr "$BLKREEL" dump --format csv --rows access "$GOLDEN/plain.reel"
	[[ $output == "time_s,op,comm,pid,file,offset,bytes,"* ]]
	[ "${#lines[@]}" = 1 ]
	[[ $stderr == *"holds no access rows"* ]]
}

@test "dump prints accesses as text, csv and json, by task and time; other commands say that they leave them out" {
	need_command python3
	cd "$BATS_TEST_TMPDIR" || return
	printf '%s\n' '100 access read 1 4000 5000 took=25 miss=2 readahead=6' '150 1 read 0 4096' \
		'200 access write 2 0 8192 took=7 task=2' '300 access truncate 2 4096 0' |
		write_trace 1G t.reel
	run -0 "$BLKREEL" dump --rows access t.reel
	[ "${#lines[@]}" = 4 ]
	[ "$(tr -s ' ' <<<"${lines[1]}")" = " 0.000100000 read task1 1001 /file1 4000 5000 1 2 6 0 0 25000 - -" ]
	[ "$(tr -s ' ' <<<"${lines[3]}")" = " 0.000300000 truncate task1 1001 /file2 4096 0 0 0 0 0 0 - - -" ]
	run -0 "$BLKREEL" dump --rows access --format csv --task task2 t.reel
	[ "${#lines[@]}" = 2 ]
	[ "${lines[1]}" = "0.000200000,write,task2,1002,/file2,0,8192,2,0,0,0,0,7000,,,1000000200000" ]
	"$BLKREEL" dump --rows access --format json --from 250us t.reel >t.json
	[ "$(json t.json "(d['op'], d['offset'], d['duration_ns'])")" = "('truncate', 4096, None)" ]
	run -0 --separate-stderr "$BLKREEL" profile t.reel -o p.profile
	[[ $stderr == *"t.reel: its 3 accesses to files are not used"* ]]
	# Of one device alone there are none.
	"$BLKREEL" copy -d disk1 t.reel -o c.reel
	"$BLKREEL" info --json c.reel >c.json
	[ "$(json c.json "d['rows']['access']")" = 0 ]
}

@test "unknown rows and formats: the choices are named, exit 2" {
	run -2 --separate-stderr "$BLKREEL" dump --rows all "$GOLDEN/plain.reel"
	[[ $stderr == *"one of io, access, cache, tick, loss, hist, wait, not 'all'"* ]]
	run -2 --separate-stderr "$BLKREEL" dump --format xml "$GOLDEN/plain.reel"
	[[ $stderr == *"one of text, csv, json, "*", not 'xml'"* ]]
}

@test "a cut trace: all rows of its whole blocks, a warning, exit 5" {
	make_trace --rows 300 --batch 100 --no-end "$BATS_TEST_TMPDIR/t"
	make_trace --rows 300 "$BATS_TEST_TMPDIR/whole"
	size=$(stat -c %s "$BATS_TEST_TMPDIR/t")
	truncate -s $((size - 1)) "$BATS_TEST_TMPDIR/t"
	run -5 --separate-stderr "$BLKREEL" dump --format csv "$BATS_TEST_TMPDIR/t"
	one_line "$stderr"
	[ "$output" = "$("$BLKREEL" dump --format csv "$BATS_TEST_TMPDIR/whole" | head -201)" ]
}

@test "a damaged trace: the rows before the damage, an error, exit 4" {
	make_trace --rows 300 --batch 100 "$BATS_TEST_TMPDIR/t"
	python3 - "$BATS_TEST_TMPDIR/t" <<-'PYTHON'
		import sys
		data = bytearray(open(sys.argv[1], 'rb').read())
		at = -1
		while True:                                   # the second block of io rows
		    at = data.index(b'RBLK ', at + 1)
		    if at != data.index(b'RBLK '):
		        break
		data[at + 60] ^= 1
		open(sys.argv[1], 'wb').write(data)
	PYTHON
	run -4 --separate-stderr "$BLKREEL" dump --format csv "$BATS_TEST_TMPDIR/t"
	one_line "$stderr"
	[[ $stderr == *"is damaged at byte "*"the checksum of a block is wrong"* ]]
	[ "${#lines[@]}" = 101 ]
}

@test "a closed pipe ends the dump without a message" {
	make_trace --rows 50000 "$BATS_TEST_TMPDIR/t"
	run -0 --separate-stderr bash -c '"$1" dump "$2" | head -3 | wc -l' - "$BLKREEL" "$BATS_TEST_TMPDIR/t"
	[ "$output" = 3 ]
	[ "$stderr" = "" ]
}

@test "standard output that is full is an error" {
	run -1 --separate-stderr bash -c '"$1" dump "$2" >/dev/full' - "$BLKREEL" "$GOLDEN/plain.reel"
	one_line "$stderr"
	[[ $stderr == "blkreel: cannot write to standard output: "* ]]
}

@test "dump says which rows are missing, of the time that was asked for" {
	TRACE=$BATS_TEST_TMPDIR/lossy.reel
	{
		list_reads 100 50000
		echo 3000000 loss io_ring 300
		echo 3500000 loss access_ring 7
	} | write_trace 1G
	run -0 --separate-stderr "$BLKREEL" dump "$TRACE"
	[ "$stderr" = "blkreel: warning: $TRACE: 300 of 400 IOs are missing (75.0 %; io_ring: 300)" ]
	run -0 --separate-stderr "$BLKREEL" dump --format fio-iolog "$TRACE"
	[[ "$stderr" == *"300 of 400 IOs are missing"* ]]
	run -0 --separate-stderr "$BLKREEL" dump --from 2 --to 4 "$TRACE"
	[ "$stderr" = "blkreel: warning: $TRACE: 300 IOs are missing (io_ring: 300)" ]
	run -0 --separate-stderr "$BLKREEL" dump --to 2 "$TRACE"
	[ -z "$stderr" ]
	run -0 --separate-stderr "$BLKREEL" dump --rows loss "$TRACE"
	[ -z "$stderr" ]
}
