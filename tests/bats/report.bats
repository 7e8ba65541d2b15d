#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# report: its data are those of explain, of compare and of the rows; its page holds them safely.
load test_helper

setup() {
	TRACE=$BATS_TEST_TMPDIR/t.reel
	PAGE=$BATS_TEST_TMPDIR/t.html
	DATA=$BATS_TEST_TMPDIR/t.json
	cd "$BATS_TEST_TMPDIR" || return 1
}

# The data that stand in a page, as a file.
data_of() {
	python3 - "$1" <<'PYTHON'
import re, sys
page = open(sys.argv[1], encoding="utf-8").read()
found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
assert len(found) == 1, len(found)
sys.stdout.write(found[0])
PYTHON
}

# check_rows FILE [START_NS]: all that the report says of a trace follows from its rows.
check_rows() {
	"$BLKREEL" report --json "$1" >"$DATA"
	"$BLKREEL" dump --format csv --rows io "$1" >io.csv
	"$BLKREEL" dump --format csv --rows cache "$1" >cache.csv
	python3 "$ROOT/tests/helpers/report_rows.py" "$DATA" io.csv cache.csv "${2:-1000000000000}"
}

@test "report --json: bins, cells, sizes, percentiles and slowest IOs are those of the rows" {
	need_command python3
	make_trace "$TRACE" --rows 7919 --cache 23 --ticks 5
	check_rows "$TRACE"
	make_trace "$TRACE" --rows 3001 --cache 7 --devices 3 --gap-ns 37 --latency-ns 9000
	check_rows "$TRACE"
	make_trace "$TRACE" --rows 2003 --stack --seed 5
	check_rows "$TRACE"
	make_trace "$TRACE" --rows 2003 --resolution-ns 1000 --gap-ns 5000000
	check_rows "$TRACE"
}

@test "report --json: a trace without an end has bins that double, and the same sums" {
	need_command python3
	make_trace "$TRACE" --rows 7919 --no-end --cache 11
	"$BLKREEL" dump --format csv --rows io "$TRACE" >io.csv || true
	"$BLKREEL" dump --format csv --rows cache "$TRACE" >cache.csv || true
	run -5 --separate-stderr "$BLKREEL" report --json "$TRACE"
	printf '%s' "$output" >"$DATA"
	python3 "$ROOT/tests/helpers/report_rows.py" "$DATA" io.csv cache.csv 1000000000000
	[ "$(json "$DATA" "d['traces'][0]['explain']['complete']")" = False ]
}

@test "report --json: the figures are those that explain prints" {
	need_command python3
	local trace
	make_trace "$TRACE" --rows 3000 --cache 50 --ticks 3 --devices 2
	for trace in "$TRACE" "$ROOT"/tests/golden/v1/*.reel; do
		"$BLKREEL" report --json "$trace" >"$DATA"
		"$BLKREEL" explain --json "$trace" >explain.json
		python3 - "$DATA" explain.json <<'PYTHON'
import json, sys
told = json.load(open(sys.argv[1]))["traces"][0]
report, explain = told["explain"], json.load(open(sys.argv[2]))
del explain["schema"]
for lists in (report, explain):
    for key in ("by_task", "by_command", "by_file", "by_unit", "by_pod", "by_container", "by_cgroup"):
        lists[key] = lists[key][:40]
    if lists["waits"]:
        lists["waits"]["tasks"] = lists["waits"]["tasks"][:40]
assert report == explain
PYTHON
	done
}

@test "report --json: of two traces, the comparison is that of compare" {
	need_command python3
	make_trace a.reel --rows 3000
	make_trace b.reel --rows 2500 --seed 9 --latency-ns 200000 --gap-ns 300000
	"$BLKREEL" report --json a.reel b.reel >"$DATA"
	"$BLKREEL" compare --json a.reel b.reel >compare.json
	python3 - "$DATA" compare.json <<'PYTHON'
import json, sys
a, b = json.load(open(sys.argv[1]))["traces"]
compare = json.load(open(sys.argv[2]))
del compare["schema"]
assert a["comparison"] is None
assert b["comparison"] == compare
assert a["bin_ns"] == b["bin_ns"], "both have the same bins"
PYTHON
}

@test "report --json: of several traces, charts and verdict are of the same device" {
	make_trace a.reel --rows 2000 --devices 2
	make_trace b.reel --rows 2000 --devices 2 --seed 4
	"$BLKREEL" report --json a.reel b.reel >"$DATA"
	"$BLKREEL" compare --json a.reel b.reel >compare.json
	[ "$(json "$DATA" '[[x["name"] for x in t["explain"]["devices"]] for t in d["traces"]]')" = \
		"$(json compare.json '[[d["a"]["device"]], [d["b"]["device"]]]')" ]
	[ "$(json "$DATA" '[sum(sum(o["ios"]) for o in t["load"].values()) for t in d["traces"]]')" = \
		"$(json compare.json '[d[s]["ios"] + d[s]["flush_machinery_ios"] for s in "ab"]')" ]
	# One trace has no verdict; and who names devices sees these.
	"$BLKREEL" report --json a.reel >"$DATA"
	[ "$(json "$DATA" 'len(d["traces"][0]["explain"]["devices"])')" = 2 ]
	"$BLKREEL" report --json -d nvme0n1 -d nvme1n1 a.reel b.reel >"$DATA"
	[ "$(json "$DATA" '[len(t["explain"]["devices"]) for t in d["traces"]]')" = '[2, 2]' ]
}

@test "report: of more than two traces, the page says how each differs, and which command says it as text" {
	make_trace a.reel --rows 2000
	make_trace b.reel --rows 2000 --latency-ns 300000
	make_trace c.reel --rows 2000 --latency-ns 20000
	make_trace d.reel --rows 1000
	"$BLKREEL" report a.reel b.reel c.reel d.reel -o "$PAGE"
	grep -qF '<h1>B and C are the same workload as A; D is another workload.</h1>' "$PAGE"
	grep -q 'b.reel: .*slower in B (.*p99 B / A' "$PAGE"
	grep -q 'c.reel: .*faster in C (.*p99 C / A' "$PAGE"
	run ! grep -q 'c.reel: .* in B' "$PAGE"
	grep -qF '<code>blkreel compare a.reel b.reel c.reel d.reel</code>' "$PAGE"
}

@test "report: the page has verdict, figures, tables and data, one policy, and no address" {
	need_command python3
	make_trace "$TRACE" --rows 3000 --cache 50
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	[ "$(find . -name 't.html*' | wc -l)" = 1 ]
	data_of "$PAGE" >"$DATA"
	"$BLKREEL" report --json "$TRACE" >whole.json
	python3 - "$DATA" whole.json "$PAGE" <<'PYTHON'
import html, json, re, sys
data, whole = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))

def near(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(near(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(near, a, b))
    return abs(a - b) <= 1e-5 * abs(b) if isinstance(b, float) else a == b

assert near(data, whole), "the page's data are those of --json, to six digits"
page = open(sys.argv[3], encoding="utf-8").read()
text = html.unescape(re.sub(r"<script.*?</script>|<style>.*?</style>", "", page, flags=re.S))
text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text))
explain = whole["traces"][0]["explain"]
for sentence in explain["verdict"].split(". "):
    assert sentence.rstrip(".") in text, sentence
for finding in explain["findings"]:
    for part in ("title", "evidence", "advice"):
        assert re.sub(r"\s+", " ", finding[part]) in text, finding[part]
for tier in explain["tiers"]:
    assert tier["figure"] in text
assert page.count("Content-Security-Policy") == 1
outside = re.sub(r"<script>.*?</script>", "", page, flags=re.S)
assert not re.search(r"https?://|//[a-z]+\.[a-z]|@import|url\(", outside), "an address"
assert not re.search(r"<(img|iframe|object|embed|link|form|base)\b", page)
scripts = re.search(r"<script>(.*?)</script>", page, re.S)
names = set(re.findall(r"https?://[^\"'`\s)>]+", scripts.group(1))) if scripts else set()
namespaces = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml", "http://www.w3.org/1999/xlink",
              "http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/"}
assert names <= namespaces, names - namespaces
PYTHON
	grep -qF "&middot; as JSON: <code>blkreel report --json t.reel" "$PAGE"
}

@test "report: the policy lets the page's own code run and no other" {
	need_command python3
	make_trace "$TRACE" --rows 100
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	python3 - "$PAGE" <<'PYTHON'
import base64, hashlib, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
allowed = re.search(r"script-src ([^;]*);", page).group(1)
codes = re.findall(r"<script>(.*?)</script>", page, re.S)
want = "'none'" if not codes else "'sha256-" + base64.b64encode(hashlib.sha256(codes[0].encode()).digest()).decode() + "'"
assert len(codes) < 2 and allowed == want, allowed
PYTHON
}

@test "report: names in a trace are only text" {
	need_command python3
	mkdir '<'
	echo '0,read,0,4096,0.001,7,</script><b>
1,write,4096,4096,0.002,8,&<!-->'"'" >rows.csv
	"$BLKREEL" import --from csv --columns time,op,offset,size,latency,pid,comm --device '<img src=x onerror=alert(1)>' \
		rows.csv -o '</script><img src=x onerror=alert(1)>.reel'
	"$BLKREEL" report '</script><img src=x onerror=alert(1)>.reel' -o "$PAGE"
	"$BLKREEL" report '</script><img src=x onerror=alert(1)>.reel' ./'</script><img src=x onerror=alert(1)>.reel' -o two.html
	local page
	for page in "$PAGE" two.html; do
		python3 - "$page" <<'PYTHON'
import html.parser, json, re, sys

class Parser(html.parser.HTMLParser):
    tags, stack = [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        bad = [name for name, _ in attributes if name.startswith("on")]
        assert not bad, (tag, bad)

page = open(sys.argv[1], encoding="utf-8").read()
Parser().feed(page)
assert not {"img", "iframe", "object"} & set(Parser.tags), Parser.tags
scripts = re.findall(r"<script[^>]*>(.*?)</script>", page, re.S)
assert len(scripts) == Parser.tags.count("script") and len(scripts) <= 2
assert "<" not in scripts[0]
assert json.loads(scripts[0])["traces"][0]["explain"]["file"].startswith("</script>")
assert "&lt;img src=x onerror=alert(1)&gt;" in page
PYTHON
	done
}

@test "report: bytes that are no UTF-8, and control characters, are shown as numbers" {
	need_command python3
	make_trace "$TRACE" --rows 500 --odd --cache 20
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	python3 - "$PAGE" <<'PYTHON'
import sys
text = open(sys.argv[1], "rb").read().decode("utf-8")
assert not [c for c in text if ord(c) < 32 and c not in "\n\t"], "a control character"
PYTHON
}

@test "report: the page of an anonymised trace holds no name" {
	make_trace "$TRACE" --rows 2000 --cache 40 --host secret-host
	"$BLKREEL" dump --format csv "$TRACE" >io.csv
	grep -q ibdata "$TRACE" || grep -q ibdata io.csv
	"$BLKREEL" copy --anonymize "$TRACE" -o anonymous.reel
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	grep -q ibdata "$PAGE"
	grep -q secret-host "$PAGE"
	"$BLKREEL" report anonymous.reel -o anonymous.html
	run ! grep -E 'ibdata|secret-host|/srv|kworker|postgres|mysqld' anonymous.html
}

@test "report: a page has 1.5 MB at most, and says when it shows less" {
	make_trace "$TRACE" --rows 400000 --gap-ns 250000 --latency-ns 8000000
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	[ "$(stat -c %s "$PAGE")" -le 1500000 ]
	make_trace b.reel --rows 300000 --gap-ns 250000 --latency-ns 30000000 --seed 7
	"$BLKREEL" report "$TRACE" b.reel b.reel b.reel b.reel -o two.html
	[ "$(stat -c %s two.html)" -le 1500000 ]
	grep -q "are shown coarser" two.html
	data_of two.html >"$DATA"
	[ "$(json "$DATA" "sum(sum(o['ios']) for o in d['traces'][0]['load'].values())")" = 400000 ]
	[ "$(json "$DATA" "len({(t['bin_ns'], t['latency']['rows_per_octave']) for t in d['traces']})")" = 1 ]
}

@test "report: without latencies the headline is the load, and the charts say what is missing" {
	write_trace 1M "$TRACE" <<<$'0 1 read 0 4096 took=0\n500000 1 write 4096 8192 took=0\n1000000 1 write 4096 8192 took=0'
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	grep -q '<h1>3 IOs in .*, 33 % reads' "$PAGE"
	grep -q 'id="latency" .*' "$PAGE"
	[ "$(grep -c 'No IO of this trace has a known latency' "$PAGE")" -ge 4 ]
	grep -q 'The page cache was not recorded' "$PAGE"
	"$BLKREEL" report --json "$TRACE" >"$DATA"
	[ "$(json "$DATA" "d['traces'][0]['latency']")" = None ]
}

@test "report: the headline of an hour says minutes, and when the busiest moment was" {
	python3 -c 'for second in range(3600): print(f"{second},read,{second * 4096},4096")
for i in range(500): print(f"{1200 + i / 1000},write,{i * 4096},4096")' | sort -n >io.csv
	"$BLKREEL" -q import --from csv --columns time,op,offset,size io.csv -o "$TRACE"
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	grep -qF '<h1>4,100 IOs in 60 minutes (1 a second), 88 % reads; no latencies: queue and device are unknown.</h1>' "$PAGE"
	grep -qF '>In bursts: 966 times the average in the busiest 10 ms, 20 minutes after the start.<' "$PAGE"
	grep -qF '1/s on average, 501/s in the busiest 1 s, 1,100/s in the busiest 10 ms<' "$PAGE"
	grep -qF '>None: without latencies, slow IOs, queues and a busy device cannot be found.' "$PAGE"
	grep -qF 'Whose IOs they were: not known, the trace names no process.' "$PAGE"
	grep -qF '>imported: losses of its source are not known<' "$PAGE"
	grep -qF 'it is as complete as its source' "$PAGE"
	run ! grep -E 'nothing lost|lost nothing' "$PAGE"
	make_trace "$TRACE" --rows 100
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	grep -qF '>nothing lost<' "$PAGE"
}

@test "report: what two layers of devices did counts once, unless devices are named" {
	make_trace "$TRACE" --rows 2003 --stack --seed 5
	"$BLKREEL" dump -f csv "$TRACE" >io.csv
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	data_of "$PAGE" >"$DATA"
	python3 - "$PAGE" "$DATA" io.csv <<'PYTHON'
import csv, json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
explained = json.load(open(sys.argv[2]))["traces"][0]["explain"]
rows = [r for r in csv.DictReader(open(sys.argv[3])) if not int(r["parent_id"] or 0)]
shown = re.search(r'data-figure="ios">.*?class="value">([0-9,]+)<', page, re.S).group(1)
assert int(shown.replace(",", "")) == len(rows) < 1500, (shown, len(rows))
for op in "read", "write":
    timed = sum(d["latency_by_op_ns"][op]["total"]["count"] - d["linked"]["latency"][op]["ios"]
                for d in explained["devices"])
    ours = [r for r in rows if r["op"] == op and int(r["bytes"])]
    assert timed == len(ours), (op, timed, len(ours))
    left = sum(o["ios"] for d in explained["devices"] for o in d["origin"][op].values()) - \
           sum(o["ios"] for d in explained["devices"] for o in d["linked"]["origin"][op].values())
    assert left == len([r for r in rows if r["op"] == op]), (op, left)
PYTHON
	"$BLKREEL" report -d nvme0n1 "$TRACE" -o "$PAGE"
	grep -q 'data-figure="ios">.*class="value">2,003<' "$PAGE"
}

@test "report: of several devices there is a table, and addresses say whose they are" {
	need_command python3
	make_trace "$TRACE" --rows 3000 --devices 3 --ticks 2
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	data_of "$PAGE" >"$DATA"
	python3 - "$PAGE" "$DATA" <<'PYTHON'
import json, re, sys
page, told = open(sys.argv[1], encoding="utf-8").read(), json.load(open(sys.argv[2]))["traces"][0]
body = re.search(r'<table id="devices">.*?<tbody>(.*?)</tbody>', page, re.S).group(1)
rows = re.findall(r"<tr><th[^>]*>([^<]*)</th>(.*?)</tr>", body)
assert [name for name, _ in rows] == [d["name"] for d in told["explain"]["devices"]]
for (_, cells), d in zip(rows, told["explain"]["devices"]):
    values = [float(v) for v in re.findall(r'data-v="([^"]*)"', cells)]
    ops = [d[op] for op in ("read", "write", "discard", "flush")]
    quantiles = [d["latency_by_op_ns"][op]["total"][q] for op in ("read", "write") for q in ("p50", "p99")]
    assert values[:2] == [sum(o["ios"] for o in ops), sum(o["bytes"] for o in ops)], values
    assert abs(values[2] - 100 * d["busy_ns"] / told["explain"]["duration_ns"]) < 0.01, values
    assert values[4:] == [d["depth"]["max"], *quantiles, d["errors"]], values
PYTHON
	grep -qF "hot spots (lines)? Of $(json "$DATA" "d['traces'][0]['addresses']['device']"), which has most IOs.<" "$PAGE"
	make_trace "$TRACE" --rows 300
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	run -1 grep -E 'id="devices"|which has most IOs' "$PAGE"
	for ((i = 0; i < 30; i++)); do
		echo "$i,sd$((i < 17 ? i : 17)),read,0,4096"
	done >many.csv
	"$BLKREEL" -q import --from csv --columns time,device,op,offset,size many.csv -o many.reel
	"$BLKREEL" report many.reel -o "$PAGE"
	grep -qF 'Of sd0, which has most IOs of the first 16 devices.<' "$PAGE"
}

@test "report: of several devices the page says what is of all of them" {
	make_trace "$TRACE" --rows 300 --devices 3
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	grep -qF 'Load, latency and queue are of all 3 devices together.' "$PAGE"
	grep -qF 'The curves are of all 3 devices together.' "$PAGE"
	make_trace "$TRACE" --rows 300
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	run -1 grep -F 'devices together.' "$PAGE"
}

@test "report: what tasks waited for is in tables, to which its findings lead" {
	need_command python3
	make_trace "$TRACE" --rows 2000 --waits 3000 --seed 23
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	data_of "$PAGE" >"$DATA"
	python3 - "$PAGE" "$DATA" <<'PYTHON'
import html, json, re, sys
page, waits = open(sys.argv[1], encoding="utf-8").read(), json.load(open(sys.argv[2]))["traces"][0]["explain"]["waits"]

def rows(table):
    body = re.search(rf'<table id="{table}">.*?<tbody>(.*?)</tbody>', page, re.S).group(1)
    return [[html.unescape(re.sub("<[^>]*>", "", cell)) for cell in re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)]
            for row in re.findall("<tr>(.*?)</tr>", body, re.S)]

calls = sorted((c for t in waits["tasks"] for c in t["calls"] if any(x["cause"] != "cpu" and x["ns"] for x in c["causes"])),
               key=lambda c: -c["ns"])
told = rows("calls")
assert [(r[1], int(r[3].replace(",", ""))) for r in told] == [(c["kind"], c["count"]) for c in calls[:40]], told
assert [r[11].split()[0] for r in told if r[11]] == [c["culprits"][0]["name"] for c in calls if c["culprits"]]
pairs = [b for b in waits["blame"] if b["by"] == "task" and b["victim"] != b["culprit"]]
assert [r[:3] for r in rows("pairs")] == [[b["victim"], b["culprit"], b["where"]] for b in pairs]
assert [r[3] for r in rows("longest")] == [w["kind"] for w in waits["worst"]]
assert '<a href="#waits-table">Waits</a>' in page
PYTHON
	make_trace "$TRACE" --rows 300
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	run -1 grep -F '#waits-table' "$PAGE"
}

@test "report: the first screen names whose IOs took the time" {
	local trace
	make_trace "$TRACE" --rows 3000
	make_trace other.reel --rows 70 --seed 9 --devices 2
	for trace in "$TRACE" other.reel; do
		"$BLKREEL" report "$trace" -o "$PAGE"
		"$BLKREEL" dump -f csv "$trace" >io.csv
		python3 - "$PAGE" io.csv <<'PYTHON'
import collections, csv, html, re, sys
answer = re.search(r'Whose IOs took the time: (.*?)\.</p>', open(sys.argv[1], encoding="utf-8").read()).group(1)
told = [(html.unescape(name), int(pct)) for name, pct in re.findall(r"<b>(.*?) \(pid \d+\)</b> (\d+) %", answer)]
times = collections.Counter()
for row in csv.DictReader(open(sys.argv[2])):
    if row["latency_ns"] and row["parent_id"] in ("", "0"):
        times[row["comm"]] += int(row["latency_ns"])
whole = sum(times.values())
assert 1 <= len(told) <= 3 and told == sorted(told, key=lambda owner: -owner[1]), told
for name, pct in told:
    assert abs(pct - 100 * times[name] / whole) <= 0.51, (name, pct, times[name] / whole)
assert all(pct >= 5 for _, pct in told[1:])
assert max(times.values()) == times[told[0][0]]
PYTHON
	done
}

@test "report: of many processes none is named, and the headline and the figure are of one device" {
	python3 -c 'for i in range(600): print(f"{i / 100},read,{i * 4096},4096,d{i % 3},{[4, 9, 1][i % 3] / 1000},{i},p{i}")' >io.csv
	"$BLKREEL" -q import --from csv --columns time,op,offset,size,device,latency,pid,comm io.csv -o "$TRACE"
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	grep -qF '>Whose IOs took the time: many processes, each less than 1 %.<' "$PAGE"
	grep -qF '<h1>d1 was busy for ' "$PAGE"
	grep -qF '<dt>d1 busy</dt>' "$PAGE"
	# Two IOs of d2 at once keep it as busy as one: longest busy is d0, longest waited for is d2.
	printf '%s\n' 0,read,0,4096,d0,0.010,1,a 0,read,0,4096,d2,0.009,1,a 0,read,4096,4096,d2,0.009,1,a >io.csv
	"$BLKREEL" -q import --from csv --columns time,op,offset,size,device,latency,pid,comm io.csv -o "$TRACE"
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	grep -qF '<h1>d2 was busy for ' "$PAGE"
	grep -qF '<dt>d2 busy</dt>' "$PAGE"
}

@test "report: empty traces, traces of counts only and one IO make pages" {
	local trace
	write_trace 1M one.reel <<<"0 1 read 0 4096"
	for trace in "$ROOT"/tests/golden/v1/{no-rows,aggregate,accesses}.reel one.reel; do
		"$BLKREEL" report "$trace" -o "$PAGE"
		data_of "$PAGE" | python3 -m json.tool >"$DATA"
		[[ $trace == */aggregate.reel ]] || "$BLKREEL" report "$trace" one.reel -o two.html
	done
	run -4 --separate-stderr "$BLKREEL" report "$ROOT/tests/golden/v1/aggregate.reel" one.reel -o two.html
	"$BLKREEL" report "$ROOT/tests/golden/v1/no-rows.reel" -o "$PAGE"
	[ "$(grep -c 'No IO was recorded' "$PAGE")" -ge 6 ]
	run ! grep -E 'no row for each IO|/s in the busiest|no latency is known' "$PAGE"
	grep -q 'Nothing happened' "$PAGE"
}

# tile ID: the text of a figure of the page.
tile() {
	python3 - "$PAGE" "$1" <<'PYTHON'
import html, re, sys
found = re.search(rf'data-figure="{sys.argv[2]}">.*?<dd>(.*?)</dd>', open(sys.argv[1], encoding="utf-8").read(), re.S).group(1)
print(html.unescape(re.sub("<[^>]*>", "", found.replace("</p><p>", ": "))))
PYTHON
}

@test "report --json: what a kernel cannot tell of the page cache is null" {
	make_trace "$TRACE" --cache 10 --old-kernel
	"$BLKREEL" report "$TRACE" --json >old.json
	[ "$(json old.json '[d["traces"][0]["page_cache"][p + "_pages"] for p in ("read", "miss", "readahead")]')" = '[None, None, None]' ]
	[ "$(json old.json 'sum(d["traces"][0]["page_cache"]["evicted_pages"]) > 0')" = True ]
}

@test "report: a figure that is missing has its own reason, and the larger side of the bytes comes first" {
	need_command python3
	write_trace 1M "$TRACE" <<<$'0 1 write 0 65536 took=100
500000 1 write 65536 65536 took=100
600000 1 read 0 4096 took=0'
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	[ "$(tile reads)" = "-: no latency is known" ]
	[ "$(tile bytes)" = "128.0 KiB written: 4.0 KiB read, 67 % of the IOs are writes" ]
	write_trace 1M writes.reel <<<$'0 1 write 0 4096 took=100
500000 1 write 4096 4096 took=100'
	"$BLKREEL" report writes.reel -o "$PAGE"
	[ "$(tile reads)" = "-: no reads" ]
	write_trace 1M reads.reel <<<$'0 1 read 0 8192 took=100
500000 1 read 8192 4096 took=100'
	"$BLKREEL" report reads.reel -o "$PAGE"
	[ "$(tile writes)" = "-: no writes" ]
	[ "$(tile bytes)" = "12.0 KiB read: 0 B written, 100 % of the IOs are reads" ]
	# An end that equals the beginning: without a duration there is no rate.
	printf '0,read,0,4096\n0,write,4096,4096\n' >rows.csv
	"$BLKREEL" -q import --from csv --columns time,op,offset,size rows.csv -o moment.reel
	"$BLKREEL" report moment.reel -o "$PAGE"
	[ "$(tile ios)" = "2: no rates: the trace has no duration" ]
}

@test "report: of two traces the page says which of them lacks reads, writes or their latencies" {
	write_trace 1M both.reel <<<$'0 1 read 0 4096 took=100
500000 1 write 4096 4096 took=100'
	write_trace 1M writes.reel <<<$'0 1 write 0 4096 took=100
500000 1 write 4096 4096 took=100'
	write_trace 1M untimed.reel <<<$'0 1 read 0 4096 took=0
500000 1 write 4096 4096 took=100'
	"$BLKREEL" report both.reel writes.reel -o "$PAGE"
	[ "$(grep -c '>B has no reads<' "$PAGE")" = 3 ]
	[ "$(grep -c '>B has no reads\.<' "$PAGE")" = 2 ]
	"$BLKREEL" report writes.reel both.reel -o "$PAGE"
	grep -q '>A has no reads\.<' "$PAGE"
	"$BLKREEL" report writes.reel writes.reel -o "$PAGE"
	grep -q '>A and B have no reads\.<' "$PAGE"
	"$BLKREEL" report both.reel untimed.reel -o "$PAGE"
	grep -q '>B has no known latency of reads\.<' "$PAGE"
	run ! grep -E 'not known in both|no writes|latency of writes' "$PAGE"
}

@test "report: of three traces the charts of reads are left out only if no trace has reads to compare" {
	write_trace 1M both.reel <<<$'0 1 read 0 4096 took=100
500000 1 write 4096 4096 took=100'
	write_trace 1M writes.reel <<<$'0 1 write 0 4096 took=100
500000 1 write 4096 4096 took=100'
	"$BLKREEL" report both.reel writes.reel both.reel -o "$PAGE"
	run ! grep -qE 'no reads|Needs reads' "$PAGE"
	"$BLKREEL" report both.reel writes.reel writes.reel -o "$PAGE"
	[ "$(grep -c '>Needs reads with a known latency in A and another trace\.<' "$PAGE")" = 2 ]
	run ! grep -q 'Needs writes' "$PAGE"
}

@test "report: of counts and histograms, load, latency and sizes are those of explain" {
	need_command python3
	make_trace "$TRACE" --rows 0 --hists 400 --ticks 20
	"$BLKREEL" report --json "$TRACE" >"$DATA"
	"$BLKREEL" dump --format csv --rows hist "$TRACE" >hist.csv
	python3 "$ROOT/tests/helpers/report_rows.py" --hist "$DATA" hist.csv
	"$BLKREEL" report "$ROOT/tests/golden/v1/aggregate.reel" -o "$PAGE"
	[ "$(grep -c 'The trace has no row for each IO' "$PAGE")" = 2 ]
}

@test "report: a cut trace is reported as far as it goes, exit 5" {
	make_trace whole.reel --rows 5000
	head -c 40000 whole.reel >"$TRACE"
	run -5 --separate-stderr "$BLKREEL" report "$TRACE" -o "$PAGE"
	grep -q 'the end of the trace is missing' "$PAGE"
	[[ $stderr == *"t.reel: "* ]]
}

@test "report: only its own pages are replaced, and no trace" {
	make_trace "$TRACE" --rows 100
	echo "my notes" >notes.txt
	run -2 --separate-stderr "$BLKREEL" report "$TRACE" -o notes.txt
	[[ $stderr == *"notes.txt: exists and is no page of 'blkreel report'"* ]]
	[ "$(cat notes.txt)" = "my notes" ]
	run -2 --separate-stderr "$BLKREEL" report "$TRACE" -o "$TRACE"
	[[ $stderr == *"is one of the traces"* ]]
	"$BLKREEL" info "$TRACE" >/dev/null
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	run -2 --separate-stderr "$BLKREEL" report "$TRACE"
	[[ $stderr == *"no -o PAGE given"* ]]
	run -2 --separate-stderr "$BLKREEL" report --json "$TRACE" -o "$PAGE"
	run -2 --separate-stderr "$BLKREEL" report "$TRACE" -d nothing -o "$PAGE"
	[[ $stderr == *"has no device 'nothing'"* ]]
	run -1 --separate-stderr "$BLKREEL" report "$TRACE" -o no/such/folder.html
	[[ $stderr == *"no/such/folder.html"* ]]
	run -4 --separate-stderr "$BLKREEL" report notes.txt -o "$PAGE"
}

@test "report -d: only the chosen devices count" {
	make_trace "$TRACE" --rows 2000 --devices 3
	"$BLKREEL" explain --json "$TRACE" >all.json
	name=$(json all.json "d['devices'][1]['name']")
	"$BLKREEL" report --json -d "$name" "$TRACE" >"$DATA"
	[ "$(json "$DATA" "d['traces'][0]['addresses']['device']")" = "$name" ]
	[ "$(json "$DATA" "sum(sum(o['ios']) for o in d['traces'][0]['load'].values())")" = \
		"$(json all.json "sum(d['devices'][1][o]['ios'] for o in ('read', 'write', 'discard', 'flush'))")" ]
}

@test "report: a build without npm makes pages of text and tables that say why" {
	cp -r "$ROOT/report" source
	mkdir bin
	for tool in bash dirname mkdir cp printf; do
		ln -s "$(command -v $tool)" bin/
	done
	run -0 env PATH="$PWD/bin" bash source/bundle "$PWD/made"
	[[ $output == *"npm was not there when blkreel was built"* ]]
	[ -s made/missing ]
	[ -s made/page.css ]
	[ ! -s made/page.js ]
	[ ! -s made/page.hash ]
}

@test "the commands below a page choose the devices of the page" {
	list_reads 50 500 | write_trace 16M
	"$BLKREEL" report -d disk1 "$TRACE" -o "$PAGE"
	grep -q "<code>blkreel explain -d disk1 <span class=.range.></span>t.reel</code>.*<code>blkreel report --json -d disk1 t.reel</code>.*blkreel dump -d disk1 " "$PAGE"
	"$BLKREEL" report -d disk1 "$TRACE" "$TRACE" -o "$PAGE"
	grep -q "<code>blkreel compare --device-a disk1 --device-b disk1 t.reel t.reel</code>" "$PAGE"
	"$BLKREEL" report "$TRACE" -o "$PAGE"
	# With a zoom, the page's code writes the part into them.
	grep -qF '<code>blkreel explain <span class="range"></span>t.reel</code>' "$PAGE"
	"$BLKREEL" explain --from 0.01s --to 0.02s "$TRACE" >/dev/null
}
