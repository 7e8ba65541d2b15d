# SPDX-License-Identifier: MIT
# What commands that take long show meanwhile, and what a signal leaves: no part of a file, one line, 128 + its number.
# bats file_tags=sanitized
load test_helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	make_trace --rows 200000 t.reel
}

# shown COMMAND...: the percentages that the command shows
shown() {
	BLKREEL_FORCE_PROGRESS=1 "$BLKREEL" "$@" 2>&1 >out | tr '\r' '\n' | sed -n "s/^\x1b\[K${1}: \([0-9]*\) %, \([0-9hms]*\) left$/\1/p"
}

@test "every command that reads a trace shows its share and the time left" {
	local command
	"$BLKREEL" -q profile t.reel --seeds 0 -o p
	for command in "explain t.reel" "info --verify t.reel" "compare t.reel t.reel" "compare t.reel p" \
		"report t.reel -o r.html" "report t.reel t.reel --json" "profile t.reel -o q" "dump t.reel" "dump -f fio-iolog t.reel" \
		"copy t.reel -o c.reel" "repair t.reel -o w.reel"; do
		# shellcheck disable=SC2086 # words
		shown $command >percent
		[ -s percent ] || { echo "$command: no progress"; false; }
		sort -nc percent
		[ "$(tail -n 1 percent)" -le 99 ]
	done
	BLKREEL_FORCE_PROGRESS=1 "$BLKREEL" profile generate p -o g.reel 2>err
	grep -q 'profile generate: [0-9]* %, [0-9hms]* left' err
	"$BLKREEL" dump -f blkparse t.reel >t.txt
	shown import --from blkparse t.txt -o i.reel >percent
	[ -s percent ]
}

@test "no progress into a pipe, nor with -q" {
	"$BLKREEL" explain t.reel 2>err >out
	[ ! -s err ]
	BLKREEL_FORCE_PROGRESS=1 "$BLKREEL" -q explain t.reel 2>err >out
	[ ! -s err ]
	BLKREEL_FORCE_PROGRESS=1 "$BLKREEL" explain t.reel 2>err >out
	[ -s err ]
	# The line is gone at the end.
	[[ $(cat err) == *$'\r\033[K' ]]
}

@test "on a terminal, progress appears when the work takes longer than a second" {
	"$BLKREEL" dump -f blkparse t.reel >t.txt
	split -n l/2 t.txt part.
	mkfifo slow
	{
		cat part.aa
		sleep 1.5
		cat part.ab
	} >slow 3>&- &
	python3 "$ROOT/tests/helpers/on_terminal.py" 24x80 "until=IOs of" "$BLKREEL" import --from blkparse slow -o i.reel >t.json
	[[ $(json t.json "''.join(d['output'])") == *$'\r\033[Kimport: '*" read"*$'\r\033[K'* ]]
	[ "$(json t.json "d['status']")" = 0 ]
	# The same input at once needs no line, if that takes less than a second.
	local start=${EPOCHREALTIME/./}
	python3 "$ROOT/tests/helpers/on_terminal.py" 24x80 "until=IOs of" "$BLKREEL" import --from blkparse t.txt -o j.reel >t.json
	[ $((${EPOCHREALTIME/./} - start)) -gt 1000000 ] ||
		[[ $(json t.json "''.join(d['output'])") != *"import: "* ]]
	cmp <("$BLKREEL" dump i.reel) <("$BLKREEL" dump j.reel)
}

# interrupt SIGNAL COMMAND...: *status* and *output*, without what clears the line
interrupt() {
	python3 "$ROOT/tests/helpers/interrupted.py" "$1" "$BLKREEL" "${@:2}" >i.json
	status=$(json i.json "d['status']")
	output=$(json i.json "d['output']" | tr -d '\r' | sed 's/.*\x1b\[K//')
}

@test "a signal says what was not made, and the exit code tells the signal" {
	local signal
	for signal in INT:130 TERM:143 HUP:129; do
		interrupt "${signal%:*}" explain t.reel
		[ "$status" = "${signal#*:}" ]
		[ "$output" = "blkreel: interrupted: t.reel was not explained" ]
	done
	interrupt INT info --verify t.reel
	[ "$status $output" = "130 blkreel: interrupted: t.reel was not read to its end" ]
	interrupt INT compare t.reel t.reel
	[ "$status $output" = "130 blkreel: interrupted: the comparison is not whole" ]
	interrupt INT report t.reel -o r.html
	[ "$status $output" = "130 blkreel: interrupted: r.html was not made" ]
	interrupt INT profile t.reel -o p
	[ "$status $output" = "130 blkreel: interrupted: p was not made" ]
	interrupt INT repair t.reel -o w.reel
	[ "$status $output" = "130 blkreel: interrupted: w.reel was not made" ]
	interrupt INT copy t.reel -o c.reel
	[ "$status $output" = "130 blkreel: interrupted: c.reel was not made" ]
	ls >left
	[ "$(cat left)" = $'i.json\nleft\nt.reel' ]
}

@test "a signal keeps the files that would have been replaced" {
	"$BLKREEL" -q report t.reel -o r.html
	"$BLKREEL" -q repair t.reel -o w.reel
	cp r.html r.before
	cp w.reel w.before
	interrupt INT report t.reel -o r.html
	interrupt INT repair t.reel -o w.reel
	cmp r.html r.before
	cmp w.reel w.before
	[ "$(find . -type f | sort | xargs)" = "./i.json ./r.before ./r.html ./t.reel ./w.before ./w.reel" ]
}

@test "a signal removes a file that has a temporary name, where files cannot be without one" {
	need_root
	need_command unshare
	# A file without a name gets one by way of /proc/self/fd.
	python3 "$ROOT/tests/helpers/interrupted.py" INT unshare --mount sh -c \
		'mount -t tmpfs none /proc/$$/fd || exit 99; exec "$@"' sh "$BLKREEL" repair t.reel -o w.reel >i.json
	[ "$(json i.json "d['status']")" = 130 ]
	[[ $(json i.json "d['output']") == *"interrupted: w.reel was not made"* ]]
	[ "$(find . -type f | sort | xargs)" = "./i.json ./t.reel" ]
}

@test "record -t shows the time that is left" {
	need_probes
	need_loop
	make_loop 16M
	python3 "$ROOT/tests/helpers/on_terminal.py" 24x80 "until=s left,until=IOs in" "$BLKREEL" record -d "$LOOP" -t 2 -o r.reel >t.json
	[ "$(json t.json "d['status']")" = 0 ]
	[[ $(json t.json "''.join(d['output'])") == *$'\r\033[Krecording: '*", "[12]"s left"* ]]
	python3 "$ROOT/tests/helpers/on_terminal.py" 24x80 "until=recording: ,wait=0.3,keys=^C,until=IOs in" "$BLKREEL" record -d "$LOOP" -o r.reel >t.json
	[ "$(json t.json "d['status']")" = 0 ]
	[[ $(json t.json "''.join(d['output'])") != *" left"* ]]
}
