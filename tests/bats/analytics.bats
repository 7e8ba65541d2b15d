# SPDX-License-Identifier: MIT
# reel-to-parquet, and the queries of docs/analytics.md in DuckDB and Spark
# bats file_tags=slow
load test_helper

VENV=$ROOT/build/analytics-venv
DOC=$ROOT/docs/analytics.md
CONVERT=$ROOT/tools/reel-to-parquet

# have_python_packages [WORD]: those of tools/analytics-requirements.txt, or of tools/analytics-WORD-requirements.txt.
have_python_packages() {
	[ -e "$VENV/installed.txt" ] || return 1
	! grep -vxFf "$VENV/installed.txt" "$ROOT/tools/analytics-${1:+$1-}requirements.txt" | grep -q .
}

need_python_packages() {
	have_python_packages || skip "needs the Python packages of tools/install-analytics"
}

# The traces of the document, three hosts: the second has rows and names that are hard to store.
setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	make_trace --host db1 --rows 7001 --devices 2 --seed 1 db1.reel
	make_trace --host db2 --rows 5003 --devices 2 --seed 2 --odd --read-pct 40 --latency-ns 200000 db2.reel
	make_trace --host web1 --rows 3001 --seed 3 --read-pct 95 --latency-ns 500000 web1.reel
	for host in db1 db2 web1; do
		"$BLKREEL" dump --format csv $host.reel >$host.csv
	done
	if have_python_packages; then
		"$CONVERT" --blkreel "$BLKREEL" -o lake db1.reel db2.reel web1.reel >converted
	fi
}

setup() {
	need_python_packages
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return
}

convert() {
	"$CONVERT" --blkreel "$BLKREEL" "$@"
}

python() {
	"$VENV/bin/python" "$@"
}

# The ```text block of the document that follows the line "PRINTS".
printed_in_document() {
	awk -v prints="$1" '
		$0 == prints { wanted = 1 }
		/^```$/ && inside { exit }
		inside { print }
		wanted && /^```text$/ { inside = 1 }' "$DOC"
}

# Runs the queries of the document: the answers equal those from the CSV and those in the document.
check_queries() {
	local engine=$1 query
	cd "$BATS_FILE_TMPDIR" || return
	mkdir "$BATS_TEST_TMPDIR/out"
	SPARK_LOCAL_IP=127.0.0.1 python "$ROOT/tests/helpers/run_doc_queries.py" "$engine" "$DOC" "$BATS_TEST_TMPDIR/out"
	for query in devices sizes; do
		python3 "$ROOT/tests/helpers/expected_parquet.py" $query {db1=db1,db2=db2,web1=web1}.csv >"$BATS_TEST_TMPDIR/truth"
		[ "$(wc -l <"$BATS_TEST_TMPDIR/truth")" -ge 6 ]
		diff "$BATS_TEST_TMPDIR/truth" "$BATS_TEST_TMPDIR/out/$query.csv" || {
			echo "$engine, $query: < from the CSV, > from the query"
			return 1
		}
	done
}

@test "DuckDB loads the files without conversion; its answers are exact and match the document" {
	check_queries DuckDB
	grep -qx 'time,TIMESTAMP WITH TIME ZONE' "$BATS_TEST_TMPDIR/out/schema.csv"
	[ "$(grep -c ',BIGINT$' "$BATS_TEST_TMPDIR/out/schema.csv")" = 17 ]
	[ "$(grep -c ',VARCHAR$' "$BATS_TEST_TMPDIR/out/schema.csv")" = 10 ]
	diff <(printed_in_document "DuckDB prints:") "$BATS_TEST_TMPDIR/out/devices.txt"
}

@test "Spark loads the files without conversion; its answers are exact and match the document" {
	have_python_packages spark || skip "needs the Python packages of tools/install-analytics --spark"
	need_command java
	check_queries Spark
	grep -qx 'time,timestamp' "$BATS_TEST_TMPDIR/out/schema.csv"
	[ "$(grep -c ',bigint$' "$BATS_TEST_TMPDIR/out/schema.csv")" = 17 ]
	[ "$(grep -c ',string$' "$BATS_TEST_TMPDIR/out/schema.csv")" = 10 ]
	diff <(printed_in_document "Spark prints:") "$BATS_TEST_TMPDIR/out/sizes.txt"
}

@test "the document shows the real output of the conversion and names every column" {
	diff <(sed -n '/^\$ tools\/reel-to-parquet/,/^```/p' "$DOC" | sed '1d; $d') "$BATS_FILE_TMPDIR/converted"
	for rows in io cache tick loss hist access wait; do
		columns=$("$BLKREEL" dump --format csv --rows $rows "$BATS_FILE_TMPDIR/db1.reel" | head -1 | sed -E 's/_s(,|$)/_ns\1/g; s/,/, /g')
		grep -qxF "| $rows | $columns |" "$DOC" || { echo "$rows: $columns" && return 1; }
	done
}

@test "each row of each kind arrives with all values and the wall-clock time" {
	make_trace --odd --rows 3001 --cache 97 --ticks 53 --hists 977 --accesses 1009 --waits 701 --losses 13 --devices 3 --seed 7 t.reel
	for rows in io cache tick loss hist access wait; do
		convert --rows $rows -o $rows.parquet t.reel
		"$BLKREEL" dump --format csv --rows $rows t.reel >$rows.csv
		python3 "$ROOT/tests/helpers/expected_parquet.py" rows $rows.csv >truth
		python - $rows.parquet truth <<-'PYTHON'
			import json, sys
			import pyarrow.parquet as pq
			got = pq.read_table(sys.argv[1]).to_pylist()
			truth = [json.loads(line) for line in open(sys.argv[2])]
			assert len(got) == len(truth) > 10, (len(got), len(truth))
			for row, want in zip(got, truth):
			    time = row.pop('time')
			    assert row.pop('host') == 'example' and row.pop('trace') == 't.reel'
			    assert row == want, (row, want)
			    since = next(iter(want.values()))
			    if since is None:
			        assert time is None
			    else:
			        us = (time - type(time)(2023, 11, 14, 22, 13, 20, tzinfo=time.tzinfo)) // (time.resolution)
			        assert us == since // 1000, (time, since)
		PYTHON
	done
}

@test "a long trace becomes groups of 2^20 rows, and no row is lost between two groups" {
	make_trace --odd --rows 1200007 long.reel
	convert -o long.parquet long.reel
	"$BLKREEL" dump --format csv long.reel >long.csv
	want=$(python3 - <<-'PYTHON'
		import csv
		rows = [(int(r["bytes"]), int(r["created_ns"] or 0))
		        for r in csv.DictReader(open("long.csv", encoding="latin-1", newline=""))]
		print(len(rows), *map(sum, zip(*rows)))
	PYTHON
	)
	got=$(python - <<-'PYTHON'
		import pyarrow.parquet as pq
		groups = pq.ParquetFile("long.parquet").metadata
		assert groups.num_row_groups == 2 and groups.row_group(0).num_rows >= 1 << 20
		t = pq.read_table("long.parquet", columns=["bytes", "created_ns"])
		print(len(t), *(sum(v or 0 for v in c.to_pylist()) for c in t.columns))
	PYTHON
	)
	echo "want $want, got $got"
	[ "$got" = "$want" ]
	[ "${got%% *}" = 1200007 ]
}

@test "a cut trace: the converter writes its whole blocks, prints one line, exit 5" {
	make_trace --rows 300 --batch 100 --no-end cut.reel
	truncate -s -1 cut.reel
	run -5 --separate-stderr convert -o cut.parquet cut.reel
	[ "$output" = "cut.parquet: 200 io rows" ]
	one_line "$stderr"
	[[ $stderr == "reel-to-parquet: warning: cut.reel: ends in the middle of a block at byte "* ]]
	[ "$(python -c 'import pyarrow.parquet as p; print(p.read_table("cut.parquet").num_rows)')" = 200 ]
}

@test "a damaged trace is left out, the others are converted; one line, exit 4" {
	make_trace --rows 30000 --batch 1000 bad.reel
	printf '\xff\xfe\xfd' | dd of=bad.reel bs=1 seek=200000 conv=notrunc status=none
	run -4 --separate-stderr convert -o lake bad.reel "$BATS_FILE_TMPDIR/web1.reel"
	one_line "$stderr"
	[[ $stderr == "reel-to-parquet: bad.reel: is damaged at byte "*"; nothing was written" ]]
	[ "$output" = "lake/io/host=web1/web1-20231114T221320Z.parquet: 3,001 io rows" ]
	[ "$(find lake -type f)" = "${output%%:*}" ]
	echo text >text.reel
	run -4 --separate-stderr convert -o text.parquet text.reel
	[[ $stderr == "reel-to-parquet: text.reel: is not a blkreel trace"* ]]
	run -1 --separate-stderr convert -o none.parquet none.reel
	[ "$stderr" = "reel-to-parquet: none.reel: No such file or directory" ]
	[ "$(ls -A)" = "$(printf '%s\n' bad.reel lake text.reel)" ]
}

@test "a failed write: one line, exit 1; the old file stays, no part of a new one remains" {
	echo old >t.parquet
	run -1 --separate-stderr bash -c 'ulimit -f 100; exec "$@"' - "$CONVERT" --blkreel "$BLKREEL" -o t.parquet "$BATS_FILE_TMPDIR/db1.reel"
	one_line "$stderr"
	[[ $stderr == *"cannot convert: "*"File too large" ]]
	[ "$(cat t.parquet)" = old ]
	[ "$(ls -A)" = t.parquet ]
}

@test "after a stopped converter there are no files" {
	cat >endless <<-SH
		#!/bin/sh
		[ "\$1" = dump ] || exec "$BLKREEL" "\$@"
		"$BLKREEL" "\$@" | awk '{ print } END { for (;;) print }'
	SH
	chmod +x endless
	"$CONVERT" --blkreel ./endless -o t.parquet "$BATS_FILE_TMPDIR/db1.reel" 3>&- &
	wait_until compgen -G '.reel-to-parquet-*.tmp'
	sleep 0.5
	kill -TERM $!
	wait $! || status=$?
	[ "${status:-0}" = 143 ]
	[ "$(ls -A)" = endless ]
}

@test "names of hosts and traces cannot leave the directory or hide the file" {
	make_trace --rows 7 --host '../../a b%' _x.reel
	echo 0 1 read 0 4096 | write_trace 1M .y.reel # of no host
	run -0 --separate-stderr convert -o lake _x.reel .y.reel
	[ "$stderr" = "" ]
	[ "$(find . -name '*.parquet' | sort)" = "$(printf '%s\n' \
		'./lake/io/host=..%2F..%2Fa%20b%25/trace_x-20231114T221320Z.parquet' \
		'./lake/io/host=__HIVE_DEFAULT_PARTITION__/trace.y-19700101T000000Z.parquet')" ]
	run -0 python -c 'import duckdb; print(duckdb.sql("SELECT host, count(*) FROM \"lake/io/**/*.parquet\" GROUP BY 1 ORDER BY 2").fetchall())'
	[ "$output" = "[(None, 1), ('../../a b%', 7)]" ]
	run -1 --separate-stderr convert -o again _x.reel _x.reel
	[[ $stderr == *"was just made from another trace"* ]]
}

@test "help on stdout, usage errors on stderr with exit 2" {
	run -0 --separate-stderr "$CONVERT" --help
	[[ $output == "usage: reel-to-parquet "* ]]
	[ "$stderr" = "" ]
	for words in "" "-o x" "--rows all -o x t.reel" "-o x.parquet a.reel b.reel" "--no-such -o x t.reel"; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr "$CONVERT" $words
		[ "$output" = "" ]
		one_line "$stderr"
		[[ $stderr == "reel-to-parquet: "* ]]
	done
	run -1 --separate-stderr bash -c '"$@" >/dev/full' - "$CONVERT" --blkreel "$BLKREEL" -o t.parquet "$BATS_FILE_TMPDIR/db1.reel"
	[ "$stderr" = "reel-to-parquet: cannot write to standard output: No space left on device" ]
}
