# SPDX-License-Identifier: MIT
# copy: its output compared with the rows of its input
# bats file_tags=beside,sanitized
load test_helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# check_copy KIND EXPRESSION: copy.reel has those rows of t.reel for which the expression on `r` is true.
check_copy() {
	"$BLKREEL" dump --format csv --rows "$1" t.reel >all.csv
	"$BLKREEL" dump --format csv --rows "$1" copy.reel >copy.csv
	python3 - "$2" <<-'PYTHON'
		import csv, sys
		def load(path):
		    with open(path, encoding='latin-1', newline='') as f:
		        return list(csv.DictReader(f))
		moving = ("time_s", "from_s", "to_s")                 # count from the start, which may have moved
		def plain(rows):                                       # an id without an entry is only a number
		    return [{k: v if v[:1] != "#" else "#" for k, v in r.items() if k not in moving} for r in rows]
		every = load("all.csv")
		want = [r for r in every if eval(sys.argv[1])]
		got = load("copy.csv")
		assert plain(got) == plain(want), (len(got), len(want))
		print(len(want), "of", len(every))
	PYTHON
}

# check_bad_copy CODE: copy.reel has the rows that dump gets out of t.reel, for which it exits with CODE.
check_bad_copy() {
	"$BLKREEL" dump --format csv t.reel >all.csv || [ $? = "$1" ]
	"$BLKREEL" dump --format csv copy.reel | cmp - all.csv
}

@test "a full copy has the same rows in both decoders" {
	need_command python3
	need_command zstd
	make_trace --rows 30000 --odd --devices 20 --batch 900 --cache 500 --ticks 200 --hists 9000 --accesses 9000 --losses 14 t.reel
	run -0 --separate-stderr "$BLKREEL" copy t.reel -o copy.reel
	[ "$output" = "" ]
	[[ $stderr == "blkreel: copy.reel: 30,000 IOs in 4.00 s, "* ]]
	for rows in io cache tick loss hist access; do
		check_copy $rows True
		python3 "$ROOT/tools/decode_trace.py" --rows $rows copy.reel | cmp - copy.csv
	done
	"$BLKREEL" info --json t.reel >t.json
	"$BLKREEL" info --json copy.reel >copy.json
	for key in 'd["rows"]' 'd["lost"]' 'd["duration_ns"]' 'd["tiers"]'; do
		[ "$(json t.json "$key")" = "$(json copy.json "$key")" ]
	done
}

@test "each filter keeps the rows that it names, of every kind" {
	need_command python3
	make_trace --rows 30000 --odd --devices 3 --batch 700 --cache 300 --ticks 100 --losses 7 t.reel
	"$BLKREEL" copy t.reel -o copy.reel -d nvme1n1
	check_copy io 'r["device"] == "nvme1n1"'
	check_copy tick 'r["device"] == "nvme1n1"'
	check_copy cache False
	check_copy loss True
	"$BLKREEL" copy t.reel -o copy.reel --op write --op discard
	check_copy io 'r["op"] in ("write", "discard")'
	check_copy tick True
	check_copy cache False
	check_copy loss True
	"$BLKREEL" copy t.reel -o copy.reel --task fio --task 101
	check_copy io 'r["pid"] in ("101", "103")'
	check_copy tick True
	check_copy cache 'r["pid"] in ("101", "103")'
	check_copy loss True
	"$BLKREEL" copy t.reel -o copy.reel --from 1.5 --to 3
	check_copy io '1.5 <= float(r["time_s"]) < 3'
	check_copy tick '1.5 <= float(r["time_s"]) < 3'
	check_copy cache '1.5 <= float(r["time_s"]) < 3'
	check_copy loss 'float(r["to_s"]) >= 1.5 and float(r["from_s"]) < 3'
	"$BLKREEL" copy t.reel -o copy.reel --from 1 -d nvme0n1 --op read --task 104
	check_copy io 'float(r["time_s"]) >= 1 and r["device"] == "nvme0n1" and r["op"] == "read" and r["pid"] == "104"'
}

@test "copy -d says which rows it left out, and explain of the copy that it did" {
	TRACE=t.reel
	make_trace --rows 300 --batch 100 --devices 2 --cache 20 --knows-cache --waits 30 --losses 2 t.reel
	run -0 --separate-stderr "$BLKREEL" copy t.reel -o copy.reel -d nvme1n1
	[[ $stderr == *$'\n'"blkreel: warning: left out: 20 cache, 30 wait rows, which have no device and no operation" ]]
	run -0 --separate-stderr "$BLKREEL" explain copy.reel
	[[ $output == *$'\n'"Page cache: left out by 'blkreel copy' (its rows have no device)."* ]]
	run -0 --separate-stderr "$BLKREEL" copy t.reel -o copy.reel --task fio
	[[ $stderr != *"left out"* ]]
}

@test "a copy holds only the table entries that its rows refer to" {
	make_trace --rows 3000 --devices 9 --batch 100 t.reel
	"$BLKREEL" copy t.reel -o copy.reel -d nvme7n1 --task fio
	"$BLKREEL" info --json copy.reel >info.json
	[ "$(json info.json '[x["name"] for x in d["devices"]]')" = "['nvme7n1']" ]
	[[ $("$BLKREEL" info copy.reel) =~ tasks\ +1$'\n' ]]
	[ "$("$BLKREEL" dump --format csv copy.reel | tail -n +2 | cut -d, -f8,9 | sort -u)" = "fio,103" ]
}

@test "--from moves the start and --to the end; without them both stay" {
	make_trace --rows 30000 t.reel
	"$BLKREEL" copy t.reel -o copy.reel --from 1 --to 1.25
	"$BLKREEL" info --json copy.reel >info.json
	[ "$(json info.json 'd["duration_ns"]')" = 250000000 ]
	[[ $("$BLKREEL" info copy.reel) == *"2023-11-14 22:13:21 UTC"* ]]
	"$BLKREEL" dump --format csv copy.reel | awk -F, 'NR > 1 && ($1 < 0 || $1 >= 0.25) { bad = 1 } END { exit bad || NR < 1000 }'
	"$BLKREEL" copy t.reel -o copy.reel --to 1.25
	"$BLKREEL" info --json copy.reel >info.json
	[ "$(json info.json 'd["duration_ns"]')" = 1250000000 ]
	[[ $("$BLKREEL" info copy.reel) == *"2023-11-14 22:13:20 UTC"* ]]
	"$BLKREEL" copy t.reel -o copy.reel --op read
	[ "$("$BLKREEL" dump --format csv copy.reel | tail -n +2)" = "$("$BLKREEL" dump --format csv --op read t.reel | tail -n +2)" ]
}

@test "several traces: the copy has the rows of the merged dump; device names of another host carry its name" {
	need_command python3
	make_trace --rows 5000 --odd --devices 2 --host a --seed 1 a.reel
	make_trace --rows 3000 --odd --devices 2 --host b --seed 2 --start-ns 77000000000 --wall-ns 1700000000123456789 b.reel
	make_trace --rows 1000 --devices 1 --host a --seed 3 --start-ns 5000000000000 --wall-ns 1699999999900000000 c.reel
	"$BLKREEL" copy a.reel b.reel c.reel -o copy.reel
	"$BLKREEL" dump --format csv a.reel b.reel c.reel >merged.csv
	"$BLKREEL" dump --format csv copy.reel >copy.csv
	python3 - <<-'PYTHON'
		import csv
		def load(path):
		    with open(path, encoding='latin-1', newline='') as f:
		        return list(csv.DictReader(f))
		merged, copy = load("merged.csv"), load("copy.csv")
		assert len(merged) == len(copy) == 9000
		names = set()
		for m, c in zip(merged, copy):
		    host = m.pop("host")
		    if host == "b" and m["device"].startswith("nvme"):
		        m["device"] = "b:" + m["device"]
		    if m["device"].startswith("#"):                    # has no entry: its number means nothing
		        assert c["device"].startswith("#")
		        m["device"] = c["device"]
		    names.add((host, c["device"]))
		    assert list(m.items()) == list(c.items()), (m, c)
		assert len(names) == 6, names                         # a's two and b's two, and one of each without a name
	PYTHON
	"$BLKREEL" info --json copy.reel >info.json
	[ "$(json info.json 'sorted(x["name"] for x in d["devices"])')" = "['b:nvme0n1', 'b:nvme1n1', 'nvme0n1', 'nvme1n1']" ]
	[[ $("$BLKREEL" info copy.reel) == *"a,b (Linux"* ]]
}

@test "explain does not compare a filtered copy with the kernel's counters" {
	make_trace --rows 3000 --ticks 3 --devices 2 t.reel
	"$BLKREEL" explain --json t.reel >whole
	"$BLKREEL" copy t.reel -o copy.reel --op read
	"$BLKREEL" explain --json copy.reel >part
	[ "$(json whole 'd["devices"][0]["agrees_with_kernel"]')" = False ]
	[ "$(json part 'd["devices"][0]["agrees_with_kernel"]')" = None ]
	[[ $("$BLKREEL" explain copy.reel) == *$'\n'"  only op read"$'\n'* ]]
	# The rows of a device that is kept are whole.
	"$BLKREEL" copy t.reel -o copy.reel -d nvme0n1
	"$BLKREEL" explain --json copy.reel >part
	[ "$(json part 'd["devices"][0]["agrees_with_kernel"]')" = False ]
}

@test "a copy of a copy names the filters of both" {
	make_trace --rows 3000 t.reel
	"$BLKREEL" copy t.reel -o first.reel --op read
	"$BLKREEL" copy first.reel -o second.reel --task fio
	[[ $("$BLKREEL" explain second.reel) == *$'\n'"  only op read; task fio"$'\n'* ]]
}

@test "a cut trace: whole blocks are copied, exit 5; the copy is whole and names the cut" {
	make_trace --rows 300 --batch 100 --no-end t.reel
	truncate -s -1 t.reel
	run -5 --separate-stderr "$BLKREEL" copy t.reel -o copy.reel
	[[ $stderr == *"t.reel: ends in the middle of a block"* ]]
	run -0 --separate-stderr "$BLKREEL" info copy.reel
	[[ $output == *"by the whole blocks of a trace that was cut or damaged"* ]]
	check_bad_copy 5
	[ "$(wc -l <all.csv)" = 201 ]
}

@test "a damaged trace: the rows before the damage are copied, exit 4" {
	cp "$ROOT/tests/golden/bad/flipped-payload.reel" t.reel
	run -4 --separate-stderr "$BLKREEL" copy t.reel -o copy.reel
	[[ $stderr == *"t.reel: is damaged at byte"* ]]
	run -0 "$BLKREEL" info copy.reel
	check_bad_copy 4
}

@test "copy refuses an output that is one of its inputs, by any name" {
	make_trace --rows 100 t.reel
	make_trace --rows 100 --seed 2 u.reel
	ln -s t.reel symbolic
	ln t.reel hard
	cp t.reel before
	for out in t.reel ./t.reel symbolic hard "$PWD/t.reel"; do
		run -2 --separate-stderr "$BLKREEL" copy u.reel t.reel -o "$out"
		[[ $stderr == "blkreel copy: $out is one of the traces that are copied"* ]]
		cmp t.reel before
	done
}

@test "copy replaces a trace of that name, and refuses another file" {
	make_trace --rows 100 t.reel
	make_trace --rows 5 out.reel
	run -0 "$BLKREEL" copy t.reel -o out.reel
	"$BLKREEL" info --json out.reel >info.json
	[ "$(json info.json 'd["rows"]["io"]')" = 100 ]
	echo precious >file
	run -1 --separate-stderr "$BLKREEL" copy t.reel -o file
	one_line "$stderr"
	[ "$stderr" = "blkreel: file exists and is not a trace: name another file" ]
	[ "$(cat file)" = precious ]
}

@test "--from after the end: one line with the length, exit 2, no output; so with dump" {
	TRACE=t.reel
	printf '%s\n' "0 1 read 0 4096" "1000000 1 read 0 4096" | write_trace 16777216
	run -2 --separate-stderr "$BLKREEL" copy "$TRACE" -o copy.reel --from 5
	[[ $stderr == *"--from 5.00 s is after the end: $TRACE lasts 1.00 s"* ]]
	[ ! -e copy.reel ]
	run -2 --separate-stderr "$BLKREEL" copy "$TRACE" "$TRACE" -o copy.reel --from 5
	[[ $stderr == *"--from 5.00 s is after the end: the traces last 1.00 s"* ]]
	run -2 --separate-stderr "$BLKREEL" dump "$TRACE" --from 5
	[[ $stderr == *"is after the end"* ]]
	# A time without an IO before the end is a part as any other.
	run -0 "$BLKREEL" copy "$TRACE" -o copy.reel --from 0.3 --to 0.4
}

@test "--from and --to take a time of day, and a date with a time" {
	local midnight rows
	export TZ=UTC
	# 2026-11-21 23:59:58 UTC and after.
	midnight=1795305600
	for second in -2 -1 0 1 2 3; do
		echo "$((midnight + second)).5,R,$(((second + 2) * 4096)),4096"
	done >io.csv
	"$BLKREEL" import --from csv --columns time,op,offset,size io.csv -o t.reel
	while read -r from to want; do
		rows=$("$BLKREEL" dump t.reel --format csv --from "$from" --to "$to" | tail -n +2 | cut -d, -f4 | xargs)
		[ "$rows" = "$want" ]
		"$BLKREEL" copy t.reel -o copy.reel --from "$from" --to "$to"
		[ "$("$BLKREEL" dump copy.reel --format csv | tail -n +2 | cut -d, -f4 | xargs)" = "$want" ]
	done <<-'CASES'
		23:59:59 00:00:01 8 16
		00:00 00:00:02 16 24
		2026-11-22T00:00 2026-11-22T00:00:01 16
		2026-11-22T00:00:02Z 1h 32 40
	CASES
	[ "$(TZ=UTC-1 "$BLKREEL" dump t.reel --format csv --from 01:00 | tail -n +2 | wc -l)" = 4 ]
	run -2 --separate-stderr "$BLKREEL" dump t.reel --from 2026-11-21T23:00
	[[ $stderr == *"is before the start"* ]]
	run -2 --separate-stderr "$BLKREEL" dump t.reel --from 25:00
	[[ $stderr == *"--from takes a time"* ]]
	sed -i 's/^17953/3/' io.csv
	"$BLKREEL" import --from csv --columns time,op,offset,size io.csv -o t.reel
	run -2 --separate-stderr "$BLKREEL" dump t.reel --from 12:00
	[[ $stderr == *"does not tell at what time of day"* ]]
}

@test "a time of day in the second of the start is the start; one before it is no time of the next day" {
	local command start="t.reel: 2026-11-27 05:17:57 UTC to 2026-11-27 05:17:58 UTC"
	for ms in 600 900; do
		echo "1795756677.$ms,R,${ms}00,4096"
	done >io.csv
	echo "1795756678.700,R,0,4096" >>io.csv
	"$BLKREEL" import --from csv --columns time,op,offset,size io.csv -o t.reel
	for command in "dump --format csv" "explain --json"; do
		# shellcheck disable=SC2086 # several words
		"$BLKREEL" $command t.reel --to 05:17:58 >want
		# shellcheck disable=SC2086
		"$BLKREEL" $command t.reel --from 05:17:57 --to 05:17:58 >got
		diff want got
	done
	"$BLKREEL" dump t.reel --format csv --from 2026-11-27T05:17 --to 05:17:58 >got
	"$BLKREEL" dump t.reel --format csv --to 05:17:58 | diff - got
	for command in "dump t.reel" "explain t.reel" "copy t.reel -o c.reel"; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr "$BLKREEL" $command --from 3:05
		[[ $stderr == *"--from 3:05 is before the start ($start)"* ]]
		# shellcheck disable=SC2086
		run -2 --separate-stderr "$BLKREEL" $command --from 06:00
		[[ $stderr == *"--from 06:00 is after the end ($start)"* ]]
		# shellcheck disable=SC2086
		run -2 --separate-stderr "$BLKREEL" $command --to 05:17:57
		[[ $stderr == *"--to 05:17:57 is not after the start ($start)"* ]]
	done
}

@test "explain of a copy of several traces names the command of each, once" {
	for name in a b; do
		echo "1,R,0,4096" >$name.csv
		"$BLKREEL" import --from csv --columns time,op,offset,size $name.csv -o $name.reel
	done
	cp a.reel c.reel
	"$BLKREEL" copy a.reel b.reel c.reel -o all.reel
	run -0 --separate-stderr "$BLKREEL" explain all.reel
	text=$(tr -s ' \n' ' ' <<<"$output")
	[[ $text == *"command: import of 1 file, the first is a.csv; import of 1 file, the first is b.csv "* ]]
	# Commands that do not fit are counted.
	long=$(printf '%0100d' 1)
	for i in 1 2 3; do
		cp a.csv "$i$long.csv"
		"$BLKREEL" import --from csv --columns time,op,offset,size "$i$long.csv" -o $i.reel
	done
	"$BLKREEL" copy 1.reel 2.reel 3.reel a.reel -o all.reel
	"$BLKREEL" info --json all.reel >all.json
	[[ $(grep '"command":' all.json) == *" ... and 3 more\""* ]]
}

@test "an unknown device: exit 2, no output; an unknown task: a warning" {
	make_trace --rows 100 t.reel
	run -2 --separate-stderr "$BLKREEL" copy t.reel -o copy.reel -d sdx
	[[ $stderr == *"t.reel has no device 'sdx'"* ]]
	[ ! -e copy.reel ]
	make_trace --rows 7 earlier.reel
	cp earlier.reel copy.reel
	run -2 --separate-stderr "$BLKREEL" copy t.reel -o copy.reel -d sdx
	cmp earlier.reel copy.reel
	run -0 --separate-stderr "$BLKREEL" copy t.reel -o copy.reel --task nobody
	[[ $stderr == "blkreel: warning: t.reel has no task 'nobody'"* ]]
	check_copy io False
}

@test "usage errors: no output, no trace, an empty window, an unknown level" {
	make_trace --rows 100 t.reel
	run -2 --separate-stderr "$BLKREEL" copy t.reel
	[[ $stderr == "blkreel copy: -o is needed"* ]]
	run -2 --separate-stderr "$BLKREEL" copy -o copy.reel
	[[ $stderr == "blkreel copy: takes 1 to 64 traces"* ]]
	run -2 --separate-stderr "$BLKREEL" copy t.reel -o copy.reel --from 2 --to 2
	[[ $stderr == "blkreel copy: --from must be before --to"* ]]
	run -2 --separate-stderr "$BLKREEL" copy t.reel -o copy.reel --level 20
	run -2 --separate-stderr "$BLKREEL" copy t.reel -o copy.reel --op trim
	[ ! -e copy.reel ]
}

@test "--resolution rounds times down, --level makes smaller files" {
	make_trace --rows 20000 t.reel
	"$BLKREEL" copy t.reel -o copy.reel --resolution 1us
	"$BLKREEL" dump --format csv t.reel | awk -F, -v OFS=, 'NR > 1 { for (i = 19; i <= 21; i++) sub(/...$/, "000", $i); print $4, $19, $20, $21 }' >want
	"$BLKREEL" dump --format csv copy.reel | awk -F, -v OFS=, 'NR > 1 { print $4, $19, $20, $21 }' >got
	cmp want got
	[ "$(stat -c %s copy.reel)" -lt "$(stat -c %s t.reel)" ]
	# What was coarse stays so.
	"$BLKREEL" copy copy.reel -o again.reel --resolution 10ns
	"$BLKREEL" dump --format csv again.reel | awk -F, -v OFS=, 'NR > 1 { print $4, $19, $20, $21 }' | cmp want -
	"$BLKREEL" copy t.reel -o low.reel --level 1
	"$BLKREEL" copy t.reel -o high.reel --level 19
	[ "$(stat -c %s high.reel)" -lt "$(stat -c %s low.reel)" ]
}

@test "progress goes to stderr on request, and a signal removes the output" {
	make_trace --rows 3000000 t.reel
	BLKREEL_FORCE_PROGRESS=1 run -0 --separate-stderr "$BLKREEL" copy t.reel -o copy.reel
	[[ $stderr == *"copy: "*" %, "*" left"* ]]
	for signal in TERM:143 INT:130; do
		rm copy.reel
		# A shell starts its background jobs with SIGINT ignored.
		python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$BLKREEL" copy t.reel -o copy.reel 2>err &
		wait_until writes_into $! "$PWD"
		kill "-${signal%:*}" $!
		wait $! || status=$?
		[ "$status" = "${signal#*:}" ]
		[ "$(cat err)" = "blkreel: interrupted: copy.reel was not made" ]
		[ ! -e copy.reel ]
		touch copy.reel
	done
}

@test "an output that cannot be written is an error, and removed" {
	make_trace --rows 200000 t.reel
	run -1 --separate-stderr bash -c 'ulimit -f 100; "$1" copy t.reel -o copy.reel' - "$BLKREEL"
	[ "$stderr" = "blkreel: cannot write copy.reel: File too large" ]
	[ ! -e copy.reel ]
	run -1 --separate-stderr "$BLKREEL" copy t.reel -o nowhere/copy.reel
	one_line "$stderr"
	run -1 --separate-stderr "$BLKREEL" copy t.reel -o /dev/null
	one_line "$stderr"
}

@test "copies of one or several traces keep links between layers and scheduler times" {
	need_command python3
	make_trace --rows 3000 --stack --inserted-pct 50 --batch 700 --host a a.reel
	make_trace --rows 2000 --stack --inserted-pct 50 --host b --start-ns 5000000000 --seed 3 b.reel
	make_trace --rows 1000 --host c --seed 4 c.reel
	"$BLKREEL" copy a.reel b.reel c.reel -o all.reel
	"$BLKREEL" dump --format csv all.reel >all.csv
	"$BLKREEL" dump --format csv a.reel b.reel c.reel >woven.csv
	for name in a b; do
		"$BLKREEL" dump --format csv $name.reel >$name.csv
		"$BLKREEL" import $name.csv -o again.reel
		"$BLKREEL" dump --format csv again.reel | diff $name.csv -
	done
	"$BLKREEL" import a.csv b.csv -o both.reel
	"$BLKREEL" dump --format csv both.reel >both.csv
	python3 - <<-'PYTHON'
		import csv
		def load(name):
		    return list(csv.DictReader(open(name + ".csv")))
		def links(rows):
		    """Child and parent, by what makes a row out; and how long each waited for its insertion."""
		    def key(r):
		        return r["sector"], r["bytes"], r["op"], r["latency_ns"], r["pid"]
		    parents = {r["id"]: key(r) for r in rows if r["id"]}
		    assert len(parents) == sum(r["id"] != "" for r in rows), "an id twice"
		    waits = [(key(r), int(r["inserted_ns"]) - int(r["created_ns"])) for r in rows if r["inserted_ns"]]
		    return sorted((key(r), parents[r["parent_id"]]) for r in rows if r["parent_id"]), sorted(waits)
		a, b = links(load("a")), links(load("b"))
		assert len(a[0]) == 1500 and len(b[0]) == 1000 and 1400 < len(a[1]) < 1600, (len(a[0]), len(b[0]), len(a[1]))
		for name in ("all", "woven", "both"):
		    for i in range(2):
		        assert links(load(name))[i] == sorted(a[i] + b[i]), (name, i)
	PYTHON
}

@test "a copy of one device alone has no links to the layer above" {
	make_trace --rows 1000 --stack --devices 2 t.reel
	"$BLKREEL" copy t.reel -d nvme0n1 -o copy.reel
	[ "$("$BLKREEL" dump --format csv copy.reel | cut -d, -f 23,24 | sort -u)" = "$(printf ',\nid,parent_id')" ]
	"$BLKREEL" copy t.reel -d nvme0n1 -d nvme1n1 -o both.reel
	"$BLKREEL" dump --format csv t.reel >all.csv
	"$BLKREEL" dump --format csv both.reel | diff all.csv -
}

@test "a full disk: copy, import, repair and generate keep the trace that they would have replaced" {
	need_root
	need_command mount
	local words code=()
	make_trace --rows 30000 t.reel
	make_trace --rows 50 old.reel
	"$BLKREEL" dump --format csv t.reel >t.csv
	mkdir small
	for words in "copy t.reel" "import t.csv" "repair t.reel" "profile generate oltp"; do
		mount -t tmpfs -o size=128k none small
		cp old.reel small/old.reel
		dd if=/dev/zero of=small/filling bs=4k status=none 2>/dev/null || true
		# shellcheck disable=SC2086
		run --separate-stderr "$BLKREEL" $words -o small/old.reel
		code=("$status" "$(cmp old.reel small/old.reel && ls small)")
		umount small
		[ "${code[*]}" = $'1 filling\nold.reel' ] || { echo "$words: ${code[*]}"; return 1; }
		[[ $stderr == *"blkreel: cannot write small/old.reel: No space left on device; the trace of that name is as it was" ]] || { echo "$words: $stderr"; return 1; }
	done
	cp old.reel small/old.reel
	"$BLKREEL" copy t.reel -o small/old.reel
	"$BLKREEL" copy t.reel -o new.reel
	cmp new.reel small/old.reel
	[ "$(ls small)" = old.reel ]
}
