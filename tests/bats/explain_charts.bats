# SPDX-License-Identifier: MIT
# explain --charts: what is drawn on a terminal agrees with the rows of the trace, and fits.
# bats file_tags=sanitized
load test_helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	make_trace --rows 3000 --latency-ns 300000 --gap-ns 700000 t.reel
}

# drawn ROWSxCOLUMNS [VARIABLE=VALUE...]: the charts of t.reel
drawn() {
	env -u NO_COLOR -u LC_ALL -u LC_CTYPE LANG=C.UTF-8 TERM=xterm PYTHONCOERCECLOCALE=0 "${@:2}" python3 "$ROOT/tests/helpers/on_terminal.py" "$1" wait=0.5 \
		"$BLKREEL" explain --charts t.reel >t.json
	[ "$(json t.json "d['status']")" = 0 ]
	json t.json "''.join(d['output']).replace('\r', '')" | sed -n '/^IOs a second/,$p' >charts
	[ -s charts ]
}

@test "load and latency agree with the rows at every width" {
	local size
	"$BLKREEL" dump -f csv t.reel >t.csv
	for size in 24x80 10x40 10x30 50x200 24x300; do
		drawn "$size" NO_COLOR=1
		python3 - charts t.csv "${size#*x}" <<'PYTHON'
import collections, csv, math, re, sys
lines = open(sys.argv[1]).read().split("\n")
rows = list(csv.DictReader(open(sys.argv[2])))
width = min(max(int(sys.argv[3]), 40), 200)
assert max(map(len, lines)) < width, (width, max(map(len, lines)))
assert max(map(len, lines)) > width / 2 - 1
units = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
def seconds(text):
    number, unit = text.split()
    return float(number) * units[unit]
column_s = seconds(re.search(r"a column is ([^)]*)", lines[0]).group(1))
time = lambda row: float(row["time_s"])
end = max(map(time, rows))

# The rate of each column, and of the most; the last one may be cut.
for op in "read", "write":
    columns = collections.Counter(int(time(row) / column_s) for row in rows if row["op"] == op)
    at = next(i for i, line in enumerate(lines) if line.startswith(f"{op + 's':>9} "))
    drawn = lines[at][10:]
    most = int(lines[at + 1].split()[2].replace(",", ""))
    full = max(n for column, n in columns.items() if (column + 1) * column_s <= end) / column_s
    assert abs(most - full) <= 1 or most > full, (most, full)
    for column in range(int(end / column_s)):
        glyph = drawn[column] if column < len(drawn) else " "
        rate = columns[column] / column_s
        # "at most" is a whole number: at a border either glyph is right
        want = {" ▁▂▃▄▅▆▇█"[min(8, math.ceil(rate / (most + d) * 8))] for d in (-0.5, 0, 0.5)}
        assert glyph in want, (op, column, glyph, want)

# A cell is blank if and only if no IO has its time and latency.
at = next(i for i, line in enumerate(lines) if line.startswith("Latency "))
drawn = [(seconds(line[:9]), line[10:]) for line in lines[at + 1:] if re.match(r" *[\d.]+ [mun]?s ", line)]
lows = [low for low, _ in drawn]
assert 4 <= len(drawn) <= 12 and lows == sorted(lows, reverse=True)
cells = collections.Counter()
for row in rows:
    latency = int(row["latency_ns"]) / 1e9
    line = next((i for i, low in enumerate(lows) if latency >= low * 1.003), len(lows) - 1)
    near = next((i for i, low in enumerate(lows) if latency >= low * 0.997), len(lows) - 1)
    if line == near:
        cells[line, int(time(row) / column_s)] += 1
assert sum(cells.values()) > 0.95 * len(rows)
for line, column in cells:
    text = drawn[line][1]
    assert column < len(text) and text[column] != " ", (line, column)
PYTHON
	done
}

@test "glyphs are plain where the locale is not UTF-8" {
	drawn 24x80 NO_COLOR=1 LANG=C
	LC_ALL=C run -1 grep -P '[^\x00-\x7f]' charts
	grep -q '^    reads [-.:=+*#]' charts
	drawn 24x80 NO_COLOR=1 LC_ALL=POSIX
	LC_ALL=C run -1 grep -P '[^\x00-\x7f]' charts
	drawn 24x80 NO_COLOR=1
	grep -q '^    reads .*[▁▂▃▄▅▆▇█]' charts
}

@test "colours end with their line, and NO_COLOR and TERM=dumb have none" {
	drawn 24x80
	[ "$(grep -c $'\x1b' charts)" = 2 ]
	[ "$(grep -c $'\x1b\[0m$' charts)" = 2 ]
	drawn 24x80 NO_COLOR=1
	[ "$(grep -c $'\x1b' charts)" = 0 ]
	drawn 24x80 TERM=dumb
	[ "$(grep -c $'\x1b' charts)" = 0 ]
}

@test "a pipe gets the text alone and a note, --json refuses" {
	"$BLKREEL" explain t.reel >without
	run -0 --separate-stderr "$BLKREEL" explain --charts t.reel
	[ "$output" = "$(cat without)" ]
	[ "$stderr" = "blkreel: standard output is no terminal: no charts are drawn; 'blkreel report' draws them on a page" ]
	run -2 --separate-stderr "$BLKREEL" explain --charts --json t.reel
	[[ $stderr == *"--charts draws on a terminal, not in JSON"* ]]
}

@test "the text above the charts is that without them" {
	python3 "$ROOT/tests/helpers/on_terminal.py" 24x80 wait=0.5 "$BLKREEL" explain t.reel >w.json
	json w.json "''.join(d['output']).replace('\r', '')" >without
	python3 "$ROOT/tests/helpers/on_terminal.py" 24x80 wait=0.5 "$BLKREEL" explain --charts t.reel >w.json
	json w.json "''.join(d['output']).replace('\r', '')" | sed '/^IOs a second/,$d' >with
	diff -B without with
}

@test "a trace without IOs or latencies says so instead of an empty chart" {
	make_trace --rows 0 --ticks 3 t.reel
	python3 "$ROOT/tests/helpers/on_terminal.py" 24x80 wait=0.5 "$BLKREEL" explain --charts t.reel >w.json
	[ "$(json w.json "'No chart: the trace has no IO.' in ''.join(d['output'])")" = True ]
	printf '%s\n' 0,read,0,4096 1,write,4096,4096 >io.csv
	"$BLKREEL" -q import --from csv --columns time,op,offset,size io.csv -o t.reel
	drawn 24x80
	grep -q '^  is not known of any IO' charts
}
