# SPDX-License-Identifier: MIT
# Each command that reads traces gets files that are no whole trace: it prints one line with the reason,
# exits with the right code and does not crash.
# bats file_tags=sanitized
load test_helper

BAD=$BATS_TEST_DIRNAME/../golden/bad
GOOD=$BATS_TEST_DIRNAME/../golden/v1/plain.reel
READERS="info dump copy explain compare-a compare-b profile replay"

# read_with COMMAND FILE: that command, with the options that it needs.
read_with() {
	local command=$1 file=$2
	case $command in
	compare-a) "$BLKREEL" compare "$file" "$GOOD" ;;
	compare-b) "$BLKREEL" compare "$GOOD" "$file" ;;
	copy) "$BLKREEL" copy "$file" -o "$BATS_TEST_TMPDIR/out.reel" ;;
	profile) "$BLKREEL" profile "$file" -o "$BATS_TEST_TMPDIR/out.profile" ;;
	replay)
		truncate -s 64M "$BATS_TEST_TMPDIR/target"
		"$BLKREEL" replay "$file" --target "$BATS_TEST_TMPDIR/target" --reads-only --mode asap --fit wrap
		;;
	*) "$BLKREEL" "$command" "$file" ;;
	esac
}

# expect CODE REGEX COMMAND FILE: that exit code, and one line on stderr that names the file and matches REGEX.
expect() {
	local code=$1 text=$2 command=$3 file=$4 line
	run --separate-stderr read_with "$command" "$file"
	line=$(grep -Ei -- "$text" <<<"$stderr" || true)
	if [ "$status" != "$code" ] || ! one_line "$line" || [[ $line != *"$file"* ]]; then
		printf '%s %s: exit %s, not %s; no single line like "%s" in:\n%s\n' \
			"$command" "$file" "$status" "$code" "$text" "$stderr"
		return 1
	fi
	[[ $stderr != *Sanitizer* ]]
}

expect_all() {
	local command
	for command in $READERS; do
		expect "$1" "$2" "$command" "$3"
	done
}

@test "golden bad files: info prints exactly the expected error" {
	for file in "$BAD"/*.reel; do
		read -r code message <"${file%.reel}.expected"
		run --separate-stderr "$BLKREEL" info "$file"
		[ "$status" = "$code" ] && one_line "$stderr" && [[ $stderr == *"$file: $message" ]] || {
			echo "$file: exit $status: $stderr"
			echo "expected $code: $message"
			return 1
		}
	done
}

@test "golden bad files: the second decoder comes to the same verdict" {
	need_command python3
	need_command zstd
	for file in "$BAD"/*.reel; do
		read -r code _ <"${file%.reel}.expected"
		run --separate-stderr python3 "$ROOT/tools/decode_trace.py" "$file"
		[ "$status" = "$code" ] || {
			echo "$file: exit $status, not $code: $stderr"
			return 1
		}
	done
}

@test "an empty file" {
	: >"$BATS_TEST_TMPDIR/f"
	expect_all 4 "is empty" "$BATS_TEST_TMPDIR/f"
}

@test "one byte" {
	printf x >"$BATS_TEST_TMPDIR/f"
	expect_all 4 "is not a blkreel trace|neither a trace nor a profile" "$BATS_TEST_TMPDIR/f"
}

@test "a text file" {
	printf 'some,text\n1,2\n' >"$BATS_TEST_TMPDIR/f"
	expect_all 4 "is not a blkreel trace|neither a trace nor a profile" "$BATS_TEST_TMPDIR/f"
}

@test "a profile where a trace is needed" {
	for command in info dump explain; do
		expect 4 "is a profile, not a trace: 'blkreel profile show' draws it" "$command" "$ROOT/profiles/web.profile"
	done
}

@test "a directory" {
	expect_all 4 "is a directory, not a trace" "$BATS_TEST_TMPDIR"
}

@test "a file that is not there" {
	expect_all 1 "No such file" "$BATS_TEST_TMPDIR/nothing"
}

@test "a device" {
	expect_all 4 "is not a regular file|neither a trace nor a profile" /dev/zero
}

@test "no command hangs on a FIFO without a writer" {
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	for command in info dump copy; do
		expect 4 "is not a regular file" "$command" "$BATS_TEST_TMPDIR/fifo"
	done
}

@test "a trace that was cut inside its last rows" {
	head -c 2800 "$GOOD" >"$BATS_TEST_TMPDIR/f"
	for command in info dump copy explain compare-a compare-b profile; do
		expect 5 "the rows before that are whole" "$command" "$BATS_TEST_TMPDIR/f"
	done
}

@test "a trace with a flipped bit" {
	cp "$BAD/flipped-payload.reel" "$BATS_TEST_TMPDIR/f"
	expect_all 4 "is damaged at byte" "$BATS_TEST_TMPDIR/f"
}

@test "a trace of a newer version" {
	cp "$BAD/newer-version.reel" "$BATS_TEST_TMPDIR/f"
	expect_all 4 "newer blkreel" "$BATS_TEST_TMPDIR/f"
}
