# blkreel dump, and the second decoder against it
load test_helper

GOLDEN=$BATS_TEST_DIRNAME/../golden/v1

@test "csv of each golden file is what it was" {
	for file in "$GOLDEN"/*.reel; do
		for rows in io cache tick loss; do
			"$BLKREEL" dump --format csv --rows $rows "$file" >"$BATS_TEST_TMPDIR/csv"
			cmp "$BATS_TEST_TMPDIR/csv" "${file%.reel}.$rows.csv"
		done
	done
}

@test "the decoder written from the document prints the same" {
	need_command python3
	need_command zstd
	for file in "$GOLDEN"/*.reel; do
		for rows in io cache tick loss; do
			python3 "$ROOT/tools/decode_trace.py" --rows $rows "$file" >"$BATS_TEST_TMPDIR/csv"
			cmp "$BATS_TEST_TMPDIR/csv" "${file%.reel}.$rows.csv"
		done
	done
}

@test "the second decoder agrees on a trace of many blocks" {
	need_command python3
	need_command zstd
	"$HELPERS/make_trace" --rows 20000 --odd --devices 40 --cache 9000 --ticks 100 --seed 11 "$BATS_TEST_TMPDIR/t"
	for rows in io cache tick; do
		"$BLKREEL" dump --format csv --rows $rows "$BATS_TEST_TMPDIR/t" >"$BATS_TEST_TMPDIR/c"
		python3 "$ROOT/tools/decode_trace.py" --rows $rows "$BATS_TEST_TMPDIR/t" >"$BATS_TEST_TMPDIR/python"
		cmp "$BATS_TEST_TMPDIR/c" "$BATS_TEST_TMPDIR/python"
	done
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
	[ "$stderr" = "" ]
	[ "${#lines[@]}" = 61 ]
	[[ ${lines[0]} =~ ^\ +time_s\ device\ +op\ +sector\ +bytes ]]
	[[ ${lines[1]} =~ ^\ +0\.[0-9]{9}\ nvme0n1\ +(read|write)\  ]]
}

@test "--from and --to keep what is between them" {
	run -0 --separate-stderr "$BLKREEL" dump --format csv --from 2ms --to 4ms "$GOLDEN/plain.reel"
	want=$(awk -F, 'NR == 1 || ($1 >= 0.002 && $1 < 0.004)' "$GOLDEN/plain.io.csv")
	[ "$output" = "$want" ]
	[ "${#lines[@]}" -gt 5 ]
	run -2 --separate-stderr "$BLKREEL" dump --from 2 --to 1 "$GOLDEN/plain.reel"
	[[ $stderr == "blkreel dump: --from must be before --to"* ]]
}

@test "--rows access: none in this version, and it says so" {
	run -0 --separate-stderr "$BLKREEL" dump --rows access "$GOLDEN/plain.reel"
	[ "$output" = "" ]
	[[ $stderr == *"holds no access rows"* ]]
}

@test "unknown rows and formats: the choices are named, exit 2" {
	run -2 --separate-stderr "$BLKREEL" dump --rows all "$GOLDEN/plain.reel"
	[[ $stderr == *"one of io, access, cache, tick, loss, not 'all'"* ]]
	run -2 --separate-stderr "$BLKREEL" dump --format xml "$GOLDEN/plain.reel"
	[[ $stderr == *"one of text, csv, json"*"not 'xml'"* ]]
}

@test "a cut trace: all rows of its whole blocks, a warning, exit 5" {
	"$HELPERS/make_trace" --rows 300 --batch 100 --no-end "$BATS_TEST_TMPDIR/t"
	"$HELPERS/make_trace" --rows 300 "$BATS_TEST_TMPDIR/whole"
	size=$(stat -c %s "$BATS_TEST_TMPDIR/t")
	truncate -s $((size - 1)) "$BATS_TEST_TMPDIR/t"
	run -5 --separate-stderr "$BLKREEL" dump --format csv "$BATS_TEST_TMPDIR/t"
	one_line "$stderr"
	[ "$output" = "$("$BLKREEL" dump --format csv "$BATS_TEST_TMPDIR/whole" | head -201)" ]
}

@test "a damaged trace: the rows before the damage, an error, exit 4" {
	"$HELPERS/make_trace" --rows 300 --batch 100 "$BATS_TEST_TMPDIR/t"
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

@test "a reader that goes away ends the dump quietly" {
	"$HELPERS/make_trace" --rows 50000 "$BATS_TEST_TMPDIR/t"
	run -0 --separate-stderr bash -c '"$1" dump "$2" | head -3 | wc -l' - "$BLKREEL" "$BATS_TEST_TMPDIR/t"
	[ "$output" = 3 ]
	[ "$stderr" = "" ]
}

@test "standard output that is full is an error" {
	run -1 --separate-stderr bash -c '"$1" dump "$2" >/dev/full' - "$BLKREEL" "$GOLDEN/plain.reel"
	one_line "$stderr"
	[[ $stderr == "blkreel: cannot write to standard output: "* ]]
}
