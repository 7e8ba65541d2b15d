#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# stat on a terminal: what it draws, its size, keys and colours.
# bats file_tags=sanitized
# bats file_tags=root

# shellcheck disable=SC2034 # helpers/disturbance.bash says what this is
DISTURBED_BY="reclaim skip"
load test_helper

setup() {
	need_loop
	need_probes
	make_loop 64M
	DEVICE=$(basename "$LOOP")
}

teardown() {
	clean_up
}

on_terminal() {
	env -u NO_COLOR TERM=xterm ${TERMINAL_ENV:+"$TERMINAL_ENV"} python3 "$ROOT/tests/helpers/on_terminal.py" "$@" >"$BATS_TEST_TMPDIR/t.json"
}

terminal() {
	json "$BATS_TEST_TMPDIR/t.json" "$1"
}

@test "on a terminal: stat draws in place and follows a resize; ^C restores it and prints totals" {
	on_terminal 24x140 "until=$DEVICE,wait=0.3,size=12x80,until=idle,wait=0.05,keys=^C,wait=1" \
		"$BLKREEL" stat -d "$LOOP" 0.2
	[ "$(terminal "d['status'], d['settings_as_before']")" = "(0, True)" ]
	# One picture begins at the top left and is not scrolled; the other screen is left at the end.
	[ "$(terminal "d['output'][0].startswith('\033[?1049h') and '\033[H' in d['output'][0]")" = True ]
	[ "$(terminal "'AQU-SZ' in d['output'][0]")" = True ]
	[ "$(terminal "'AQU-SZ' in d['output'][2] + d['output'][3]")" = False ]
	[ "$(terminal "'\033[?1049l' in d['output'][4] and 'total of' in d['output'][4].split('\033[?1049l')[1]")" = True ]
	[ "$(terminal "'\033[?25h' in d['output'][4]")" = True ]
	# No picture is wider or higher than the terminal was.
	python3 - "$BATS_TEST_TMPDIR/t.json" <<'PYTHON'
import json, re, sys
d = json.load(open(sys.argv[1]))
text = re.sub(r"\033\[[0-9;?]*[A-GI-Za-z]", "", "".join(d["output"][:1]))
for picture in text.split("\033[H")[1:]:
    lines = re.sub(r"\033\[[0-9;?]*[A-Za-z]", "", picture).replace("\r", "").split("\n")
    assert len(lines) <= 24 and max(map(len, lines)) <= 140, (len(lines), max(map(len, lines)))
small = "".join(d["output"][3:4])
for picture in small.split("\033[H")[1:]:
    lines = re.sub(r"\033\[[0-9;?]*[A-Za-z]", "", picture).replace("\r", "").split("\n")
    assert len(lines) <= 12 and max(map(len, lines)) <= 80, lines
PYTHON
}

@test "on a terminal of 60 columns: no line is wider, the page cache included" {
	on_terminal 24x60 "until=$DEVICE,wait=0.3,keys=^C,wait=1" "$BLKREEL" stat -d "$LOOP" 0.1
	python3 - "$BATS_TEST_TMPDIR/t.json" <<'PYTHON'
import json, re, sys
text = re.sub(r"\033\[[0-9;?]*[A-GI-Za-z]", "", "".join(json.load(open(sys.argv[1]))["output"][:2]))
pictures = text.split("\033[H")[1:]
assert any("cache B/s" in picture for picture in pictures)
for picture in pictures:
    lines = re.sub(r"\033\[[0-9;?]*[A-Za-z]", "", picture).replace("\r", "").split("\n")
    assert max(map(len, lines)) <= 60, lines
    # What is wider would be cut.
    if "cache B/s" in picture:
        cache = " ".join(" ".join(lines).split("cache B/s:")[1].split())
        assert all(re.search(rf"\b{name} [\d.]", cache) for name in ("read", "hit", "miss", "readahead", "used", "wasted", "dirtied", "written")), cache
PYTHON
}

@test "on a terminal: q ends stat, and typed text is not shown" {
	on_terminal 24x100 "until=$DEVICE,keys=xyzzyq,wait=1" "$BLKREEL" stat -d "$LOOP" 0.2
	[ "$(terminal "d['status'], d['settings_as_before']")" = "(0, True)" ]
	[ "$(terminal "'xyzzy' in ''.join(d['output'])")" = False ]
}

@test "colour: on a terminal only, and not with NO_COLOR; TERM=dumb gets plain lines" {
	on_terminal 24x140 "until=$DEVICE,keys=^C" "$BLKREEL" stat -d "$LOOP" 0.1
	[ "$(terminal "'\033[1m' in ''.join(d['output'])")" = True ]
	TERMINAL_ENV=NO_COLOR=1 on_terminal 24x140 "until=$DEVICE,keys=^C" "$BLKREEL" stat -d "$LOOP" 0.1
	[ "$(terminal "'\033[1m' in ''.join(d['output'])")" = False ]
	TERMINAL_ENV=TERM=dumb on_terminal 24x140 "until=$DEVICE,keys=^C" "$BLKREEL" stat -d "$LOOP" 0.1
	[ "$(terminal "'\033' in ''.join(d['output'])")" = False ]
	[ "$(terminal "'TIME ' in ''.join(d['output'])")" = True ]
}

# picture ROWSxCOLUMNS STEPS: the screen after so many steps; fails on a line that is wider
picture() {
	python3 "$ROOT/tests/helpers/picture.py" "$BATS_TEST_TMPDIR/t.json" "$1" "$2" >"$BATS_TEST_TMPDIR/picture"
}

@test "on a terminal: load and latency over time stand in the lines that are left, also after a resize" {
	while :; do dd if="$LOOP" of=/dev/null bs=4k count=64 iflag=direct status=none || break; done 3>&- &
	local load=$!
	TERMINAL_ENV=LC_ALL=C.UTF-8 on_terminal 24x80 "until=now,wait=0.5,size=10x40,wait=1,size=40x200,until=now,wait=1,keys=^C,wait=1" \
		"$BLKREEL" stat -d "$LOOP" 0.05
	kill "$load"
	wait "$load" || true
	[ "$(terminal "d['status'], d['settings_as_before']")" = "(0, True)" ]
	picture 24x80 2
	grep -q "^$DEVICE: at most [0-9,]* IO/s, p99 [0-9.]* [mun]\?s$" "$BATS_TEST_TMPDIR/picture"
	grep -q '^     IO/s .*█' "$BATS_TEST_TMPDIR/picture"
	grep -q '^      p99 .*█' "$BATS_TEST_TMPDIR/picture"
	grep -qE '^ *[0-9.]+ [mun]?s [ ·░▒▓█]*[·░▒▓█]' "$BATS_TEST_TMPDIR/picture"
	grep -q ' now$' "$BATS_TEST_TMPDIR/picture"
	# Ten lines are too few for all; the table stays.
	python3 - "$BATS_TEST_TMPDIR/t.json" <<'PYTHON'
import json, re, sys
output = json.load(open(sys.argv[1]))["output"]
for step, rows, columns in (2, 10, 40), (4, 40, 200):
    # The picture during which the size changed is of the earlier one.
    pictures = re.sub(r"\033\[(?!H)[0-9;?]*[A-Za-z]", "", output[step]).split("\033[H")[2:-1]
    assert pictures
    for picture in pictures:
        lines = picture.replace("\r", "").split("\n")
        assert len(lines) <= rows and max(map(len, lines)) <= columns, lines
        assert any("DEVICE" in line for line in lines), lines
PYTHON
}

@test "on a terminal: the charts are of ASCII characters where the locale is not UTF-8" {
	dd if="$LOOP" of=/dev/null bs=4k count=64 iflag=direct status=none
	while :; do dd if="$LOOP" of=/dev/null bs=4k count=64 iflag=direct status=none || break; done 3>&- &
	local load=$!
	TERMINAL_ENV=LC_ALL=POSIX on_terminal 24x80 "until=now,wait=0.3,keys=^C" "$BLKREEL" stat -d "$LOOP" 0.05
	kill "$load"
	wait "$load" || true
	picture 24x80 2
	grep -q '^     IO/s .*#' "$BATS_TEST_TMPDIR/picture"
	LC_ALL=C run -1 grep -P '[^\x00-\x7f]' "$BATS_TEST_TMPDIR/picture"
}
