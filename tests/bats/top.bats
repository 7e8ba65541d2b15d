#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# top: who does how many IOs, held against what two processes issued and the kernel's counters; its picture on a
# terminal, byte for byte.
# bats file_tags=root
# bats file_tags=sanitized

load test_helper

setup() {
	need_loop
	need_probes
	make_loop 16M
	DEVICE=$(basename "$LOOP")
	LINES_FILE=$BATS_TEST_TMPDIR/lines
	: >"$LINES_FILE"
}

teardown() {
	[ -z "$LOAD_PID" ] || kill "$LOAD_PID" 2>/dev/null || true
	[ -z "$TOP_PID" ] || kill "$TOP_PID" 2>/dev/null || true
	clean_up
}

# sum EXPRESSION: of all lines; `d` is one of them, `row` finds rows by name.
sum() {
	python3 - "$LINES_FILE" "$1" <<'PYTHON'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1]) if line.endswith("\n")]
def rows(d, *names):
    return [r for r in d["rows"] if r["name"] in names]
print(sum(eval(sys.argv[2], {"d": d, "rows": rows}) for d in lines))
PYTHON
}

has_seen() {
	[ "$(sum "d['total']['ios']")" -ge "$1" ]
}

@test "--json: each process has the IOs that it issued, and the sums are those of the kernel" {
	local before after
	read -r -a before <"/sys/block/$DEVICE/stat"
	"$BLKREEL" top --json -d "$LOOP" 0.1 >"$LINES_FILE" 3>&- &
	TOP_PID=$!
	wait_until test -s "$LINES_FILE"
	cp "$(command -v dd)" "$BATS_TEST_TMPDIR/one"
	cp "$(command -v dd)" "$BATS_TEST_TMPDIR/two"
	"$BATS_TEST_TMPDIR/one" if="$LOOP" of=/dev/null bs=4096 count=211 iflag=direct status=none &
	"$BATS_TEST_TMPDIR/two" if=/dev/zero of="$LOOP" bs=8192 count=307 oflag=direct status=none
	wait $!
	wait_until has_seen 518
	kill -INT "$TOP_PID"
	wait "$TOP_PID"
	TOP_PID=
	read -r -a after <"/sys/block/$DEVICE/stat"
	[ "$(sum "sum(r['read']['ios'] for r in rows(d, 'one'))")" = 211 ]
	[ "$(sum "sum(r['bytes'] for r in rows(d, 'one'))")" = $((211 * 4096)) ]
	[ "$(sum "sum(r['write']['ios'] for r in rows(d, 'two'))")" = 307 ]
	[ "$(sum "sum(r['bytes'] for r in rows(d, 'two'))")" = $((307 * 8192)) ]
	[ "$(sum "d['lost']['total']")" = 0 ]
	# Rows, total, devices and the kernel.
	[ "$(sum "sum(r['ios'] for r in d['rows']) + d['other']['ios'] - d['total']['ios']")" = 0 ]
	[ "$(sum "d['total']['read']['ios']")" = $((after[0] - before[0])) ]
	[ "$(sum "d['total']['write']['ios']")" = $((after[4] - before[4])) ]
	[ "$(sum "sum(x['kernel']['read']['ios'] for x in d['devices'])")" = $((after[0] - before[0])) ]
	[ "$(sum "sum(x['kernel']['write']['bytes'] for x in d['devices'])")" = $((307 * 8192)) ]
	[ "$(sum "sum(r['queue_ns'] > r['total_ns'] for r in d['rows'])")" = 0 ]
}

@test "--once prints one table, --rows cuts it and the others are counted; --by file names the file" {
	while :; do
		dd if="$LOOP" of=/dev/null bs=4k count=64 iflag=direct status=none || break
		dd if="$LOOP" of=/dev/null bs=4k count=64 status=none || break
	done 3>&- &
	LOAD_PID=$!
	run -0 "$BLKREEL" top --once --rows 1 -d "$LOOP" 1
	[ "${#lines[@]}" -ge 3 ]
	[[ ${lines[1]} == *WAIT/s*PROCESS ]]
	[[ $output == *" other"* ]]
	# Another process of this machine may look at the device, too, and wait longest.
	run -0 "$BLKREEL" top --once -d "$LOOP" 1
	echo "$output"
	grep -q " dd$" <<<"$output"
	run -0 "$BLKREEL" top --once --by device -d "$LOOP" 0.3
	[[ $output == *" $DEVICE"* ]]
	run -0 "$BLKREEL" top --once --by file -d "$LOOP" 1
	[[ $output == *"(direct IO)"* ]]
}

@test "after a stop the intervals that are over are not made up for, and COUNT counts those that are printed" {
	"$BLKREEL" top --json --no-cache -d "$LOOP" 0.1 12 >"$LINES_FILE" 3>&- &
	TOP_PID=$!
	wait_until test -s "$LINES_FILE"
	kill -STOP "$TOP_PID"
	sleep 2
	kill -CONT "$TOP_PID"
	wait "$TOP_PID"
	TOP_PID=
	[ "$(wc -l <"$LINES_FILE")" = 12 ]
	[ "$(sum "d['interval_ns'] > 1900000000")" = 1 ]
	# An interval can be short when the one before ended late.
	[ "$(sum "d['interval_ns'] < 20000000")" -le 2 ]
}

@test "options: what is wrong is named; without privileges the exit code says so" {
	run -2 "$BLKREEL" top 5ms
	[[ $output == *"INTERVAL is a time from 10ms to 1m"* ]]
	run -2 "$BLKREEL" top --once 1 2
	run -2 "$BLKREEL" top --no-cache --sort misses
	run -2 "$BLKREEL" top --by nobody
	run -1 "$BLKREEL" top --once -d nosuchdevice
	[[ $output == *"no such block device"* ]]
	run -6 setpriv --bounding-set=-all "$BLKREEL" top --once
}

@test "after the probes are attached no capability is left" {
	"$BLKREEL" top --json -d "$LOOP" 0.1 >"$LINES_FILE" 3>&- &
	TOP_PID=$!
	wait_until test -s "$LINES_FILE"
	[ "$(awk '/^Cap(Inh|Prm|Eff|Amb)/ { print $2 }' "/proc/$TOP_PID/status" | sort -u)" = 0000000000000000 ]
	kill -9 "$TOP_PID"
	wait "$TOP_PID" || [ $? = 137 ]
	TOP_PID=
}

# on_terminal ROWSxCOLUMNS STEPS COMMAND...
on_terminal() {
	env -u NO_COLOR TERM=xterm-256color LC_ALL=C.UTF-8 ${TERMINAL_ENV:+"$TERMINAL_ENV"} \
		python3 "$ROOT/tests/helpers/on_terminal.py" "$@" >"$BATS_TEST_TMPDIR/t.json"
	[ "$(json "$BATS_TEST_TMPDIR/t.json" "d['status'], d['settings_as_before']")" = "(0, True)" ]
}

load_device() {
	# The name of the command is one that a terminal must not act on, and has characters of two columns.
	cp "$(command -v dd)" "$BATS_TEST_TMPDIR/"$'d\e[2J漢字'
	while :; do
		"$BATS_TEST_TMPDIR/"$'d\e[2J漢字' if="$LOOP" of=/dev/null bs=4k count=64 iflag=direct status=none || break
	done 3>&- &
	LOAD_PID=$!
}

need_pyte() {
	/usr/bin/python3 -c "import pyte" 2>/dev/null || skip "needs pyte (python3-pyte)"
}

frames() {
	/usr/bin/python3 "$ROOT/tests/helpers/frames.py" "$BATS_TEST_TMPDIR/t.json" "$@" >"$BATS_TEST_TMPDIR/frames.json"
}

frame() {
	json "$BATS_TEST_TMPDIR/frames.json" "$1"
}

@test "on a terminal that is resized: no line is wrapped, nothing flickers, q leaves the terminal as it was" {
	need_pyte
	load_device
	local steps="until=nothing lost,wait=0.4,size=10x40,wait=0.6,size=60x200,wait=0.6,size=24x80,wait=0.6"
	on_terminal 24x80 "$steps,keys=q,wait=5" "$BLKREEL" top -d "$LOOP" 0.1
	frames 24x80 "$steps" "blkreel top" "WAIT/s"
	[ "$(frame "d['checked'] > 1000")" = True ]
	[ "$(frame "[len(p) for p in d['pictures']]")" = "[24, 24, 10, 60, 24]" ]
	[ "$(frame "all('WAIT/s' in p[2] for p in d['pictures'][1:])")" = True ]
	[ "$(frame "all('q quit' in p[-1] for p in d['pictures'][1:])")" = True ]
	[ "$(frame "'MAX' in d['pictures'][2][2], 'HIT%' in d['pictures'][3][2]")" = "(False, True)" ]
	[ "$(frame "'漢' in str(d['pictures'][3])")" = True ]
	# The other screen is left and the cursor comes back.
	[ "$(json "$BATS_TEST_TMPDIR/t.json" "''.join(d['output'][-2:]).count('\033[?1049l')")" = 1 ]
}

@test "on a terminal: keys change the rows and the order at once; ^C ends; other locales get '?'" {
	need_pyte
	load_device
	TERMINAL_ENV=LC_ALL=POSIX on_terminal 24x80 \
		"until=nothing lost,wait=0.4,keys=d,wait=0.5,keys=fi,wait=0.5,keys= ,wait=0.5,keys=^C,wait=5" "$BLKREEL" top -d "$LOOP" 0.2
	frames 24x80 "until=nothing lost,wait=0.4,wait=0.5,wait=0.5,wait=0.5" "blkreel top"
	[ "$(frame "'DEVICE' in d['pictures'][2][2] and '$DEVICE' in d['pictures'][2][3]")" = True ]
	[ "$(frame "'FILE' in d['pictures'][3][2] and 'file by ios' in d['pictures'][3][0]")" = True ]
	[ "$(frame "'PAUSED' in d['pictures'][4][0]")" = True ]
	[ "$(frame "'d?[2J??' in str(d['pictures'][1])")" = True ]
	[ "$(frame "str(d['pictures']).isascii()")" = True ]
}

@test "NO_COLOR: no colour; TERM=dumb: tables instead of a picture" {
	load_device
	on_terminal 24x80 "until=nothing lost,keys=q,wait=5" "$BLKREEL" top -d "$LOOP" 0.1
	[ "$(json "$BATS_TEST_TMPDIR/t.json" "'\033[36m' in ''.join(d['output'])")" = True ]
	TERMINAL_ENV=NO_COLOR=1 on_terminal 24x80 "until=nothing lost,keys=q,wait=5" "$BLKREEL" top -d "$LOOP" 0.1
	python3 - "$BATS_TEST_TMPDIR/t.json" <<'PYTHON'
import json, re, sys
text = "".join(json.load(open(sys.argv[1]))["output"])
assert "nothing lost" in text
assert not re.search(r"\033\[(\d+;)*(3[0-8]|4[0-8]|9\d)(;\d+)*m", text)
PYTHON
	TERMINAL_ENV=TERM=dumb on_terminal 24x80 "until=nothing lost,keys=^C,wait=5" "$BLKREEL" top -d "$LOOP" 0.1
	[ "$(json "$BATS_TEST_TMPDIR/t.json" "'\033' in ''.join(d['output'])")" = False ]
}

is_missed() {
	[ "$(sum "sum(r['demand_miss_pages'] for r in rows(d, 'python3'))")" -ge "$1" ]
}

# bats test_tags=slow
@test "the account of the page cache has room for new files once older ones were idle for ten seconds" {
	mount_many_files
	remount
	"$BLKREEL" top --json --sort misses -d "$LOOP" 1 >"$LINES_FILE" 3>&- &
	TOP_PID=$!
	wait_until test -s "$LINES_FILE"
	read_all "$MNT/a"
	sleep 14
	read_all "$MNT/b"
	wait_until is_missed 70006
	kill -INT "$TOP_PID"
	wait "$TOP_PID"
	TOP_PID=
	[ "$(sum "d['lost']['cache_table']")" = 0 ]
}
