# profile: building, showing, generating, and what it says about bad input.
load test_helper

setup() {
	TRACE=$BATS_TEST_TMPDIR/a.reel
	PROFILE=$BATS_TEST_TMPDIR/a.profile
	"$HELPERS/make_trace" "$TRACE" --rows 2000 --seed 7
}

build() {
	"$BLKREEL" profile "$TRACE" -o "$PROFILE" >"$BATS_TEST_TMPDIR/table"
}

@test "a profile of a trace is the same text on every machine" {
	run -0 --separate-stderr "$BLKREEL" profile "$TRACE" -o "$PROFILE"
	[ -z "$stderr" ]
	[[ "$output" == *"Generated again from the profile with 5 seeds:"* ]]
	cmp "$PROFILE" "$ROOT/tests/golden/profiles/make_trace-2000-7.profile"
}

@test "profiles that an earlier build wrote are read" {
	for golden in "$ROOT"/tests/golden/profiles/*.profile; do
		run -0 --separate-stderr "$BLKREEL" profile generate "$golden" --format csv
		[ "${#lines[@]}" -gt 1 ]
	done
}

@test "without -o the profile goes to standard output and the table to standard error" {
	build
	run -0 --separate-stderr "$BLKREEL" profile "$TRACE"
	[ "$output" = "$(cat "$PROFILE")" ]
	[[ "$stderr" == *"number of IOs"* ]]
	run -0 --separate-stderr "$BLKREEL" -q profile "$TRACE" -o -
	[ "$output" = "$(cat "$PROFILE")" ]
	[ -z "$stderr" ]
}

@test "the profile holds no name of the trace's tasks, files or device" {
	build
	run ! grep -E 'nvme0n1|postgres|/' <(grep -v '^#' "$PROFILE")
}

@test "generate gives as many IOs as the trace has, the same for the same seed" {
	build
	"$BLKREEL" profile generate "$PROFILE" --format csv >"$BATS_TEST_TMPDIR/1.csv"
	"$BLKREEL" profile generate "$PROFILE" --format csv --seed 1 >"$BATS_TEST_TMPDIR/2.csv"
	"$BLKREEL" profile generate "$PROFILE" --format csv --seed 2 >"$BATS_TEST_TMPDIR/3.csv"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/1.csv")" = 2001 ]
	cmp "$BATS_TEST_TMPDIR/1.csv" "$BATS_TEST_TMPDIR/2.csv"
	run ! cmp -s "$BATS_TEST_TMPDIR/1.csv" "$BATS_TEST_TMPDIR/3.csv"
	[ "$(head -1 "$BATS_TEST_TMPDIR/1.csv")" = "time_ns,op,sector,bytes,stream,flags" ]
}

@test "generate --count stops early and --format json prints an object a line" {
	build
	run -0 "$BLKREEL" profile generate "$PROFILE" --count 3 --format json
	[ "${#lines[@]}" = 3 ]
	python3 -c 'import json,sys
for line in sys.argv[1].splitlines(): assert json.loads(line)["bytes"] >= 0' "$output"
}

@test "generate -o writes a trace that compares as the same workload" {
	build
	run -0 "$BLKREEL" profile generate "$PROFILE" -o "$BATS_TEST_TMPDIR/b.reel"
	"$BLKREEL" compare "$PROFILE" "$BATS_TEST_TMPDIR/b.reel" --json >"$BATS_TEST_TMPDIR/c.json"
	[ "$(json "$BATS_TEST_TMPDIR/c.json" 'd["workload"]["gap_ks"]')" = 0.0 ]
	[ "$(json "$BATS_TEST_TMPDIR/c.json" 'd["workload"]["mrc_mae"]')" = 0.0 ]
	[ "$(json "$BATS_TEST_TMPDIR/c.json" 'd["same_workload"]')" = True ]
}

@test "show prints people's and machine's summary" {
	build
	run -0 "$BLKREEL" profile show "$PROFILE"
	[[ "$output" == *"2,000 in "* ]]
	"$BLKREEL" profile show "$PROFILE" --json >"$BATS_TEST_TMPDIR/s.json"
	[ "$(json "$BATS_TEST_TMPDIR/s.json" 'd["schema"]')" = blkreel.profile/1 ]
	[ "$(json "$BATS_TEST_TMPDIR/s.json" 'd["ios"]')" = 2000 ]
	[ "$(json "$BATS_TEST_TMPDIR/s.json" 'sum(s["ios"] for s in d["streams"])')" = 2000 ]
	[ "$(json "$BATS_TEST_TMPDIR/s.json" 'sum(d["windows_ios"])')" = 2000 ]
}

@test "two traces follow one another" {
	run -0 "$BLKREEL" profile "$TRACE" "$TRACE" -o "$PROFILE"
	grep -qx 'ios = 4000' "$PROFILE"
}

@test "a trace without IOs gives a profile without IOs" {
	"$HELPERS/make_trace" "$BATS_TEST_TMPDIR/none.reel" --rows 0
	run -0 "$BLKREEL" profile "$BATS_TEST_TMPDIR/none.reel" -o "$PROFILE"
	grep -qx 'ios = 0' "$PROFILE"
	run -0 --separate-stderr "$BLKREEL" profile generate "$PROFILE" --format csv
	[ "${#lines[@]}" = 1 ]
}

@test "of several devices the busiest is taken, said, and another can be chosen" {
	"$HELPERS/make_trace" "$TRACE" --rows 2000 --devices 3
	run -0 --separate-stderr "$BLKREEL" profile "$TRACE" -o "$PROFILE"
	[[ "$stderr" == *"the most of 3 devices; -d chooses another"* ]]
	run -0 --separate-stderr "$BLKREEL" profile "$TRACE" -d nvme2n1 -o "$PROFILE"
	[ -z "$stderr" ]
	run -2 --separate-stderr "$BLKREEL" profile "$TRACE" -d sdz -o "$PROFILE"
	one_line "$stderr"
	[[ "$stderr" == *"no requests of a device 'sdz'"* ]]
}

@test "a trace that was cut is used and exits 5" {
	"$HELPERS/make_trace" "$TRACE" --rows 2000 --no-end
	run -5 --separate-stderr "$BLKREEL" profile "$TRACE" -o "$PROFILE"
	grep -q '^ios = ' "$PROFILE"
}

@test "-o replaces a profile but nothing else" {
	build
	build
	echo precious >"$BATS_TEST_TMPDIR/notes"
	run -2 --separate-stderr "$BLKREEL" profile "$TRACE" -o "$BATS_TEST_TMPDIR/notes"
	one_line "$stderr"
	[[ "$stderr" == *"exists and is not a profile"* ]]
	[ "$(cat "$BATS_TEST_TMPDIR/notes")" = precious ]
	run -2 --separate-stderr "$BLKREEL" profile "$TRACE" -o "$TRACE"
	run -0 "$BLKREEL" profile "$TRACE" -o "$PROFILE"
}

@test "bad profiles are refused in one line with the line's number" {
	build
	sed 's/^seed = 1/seed = many/' "$PROFILE" >"$BATS_TEST_TMPDIR/bad"
	run -4 --separate-stderr "$BLKREEL" profile show "$BATS_TEST_TMPDIR/bad"
	one_line "$stderr"
	[[ "$stderr" =~ line\ [0-9]+:\ \'seed\':\ \'many\'\ is\ not\ a\ number ]]
	: >"$BATS_TEST_TMPDIR/empty"
	run -4 --separate-stderr "$BLKREEL" profile show "$BATS_TEST_TMPDIR/empty"
	one_line "$stderr"
	run -4 --separate-stderr "$BLKREEL" profile generate "$TRACE"
	one_line "$stderr"
	run -1 --separate-stderr "$BLKREEL" profile show "$BATS_TEST_TMPDIR/missing"
	one_line "$stderr"
}

@test "a full disk leaves no part of a profile, which could pass for another one" {
	need_root
	need_command mount
	build
	mkdir "$BATS_TEST_TMPDIR/small"
	mount -t tmpfs -o size=64k none "$BATS_TEST_TMPDIR/small"
	bash -c 'cd "$1"; head -c 65536 /dev/zero >filling
		"$2" profile "$3" -o p; echo "$?"; stat -c %s p' bash "$BATS_TEST_TMPDIR/small" "$(realpath "$BLKREEL")" "$TRACE" \
		>"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
	umount "$BATS_TEST_TMPDIR/small"
	[ "$(cat "$BATS_TEST_TMPDIR/out")" = $'1\n0' ]
	[[ $(cat "$BATS_TEST_TMPDIR/err") == *"No space left on device"* ]]
}

@test "usage errors" {
	run -2 --separate-stderr "$BLKREEL" profile
	run -2 --separate-stderr "$BLKREEL" profile scale "$PROFILE"
	[[ "$stderr" == *"'scale' does not exist; there are show, generate, and FILE..."* ]]
	run -2 --separate-stderr "$BLKREEL" profile generate
	run -2 --separate-stderr "$BLKREEL" profile generate "$PROFILE" --seed x
	run -2 --separate-stderr "$BLKREEL" profile generate "$PROFILE" --count 0
	run -2 --separate-stderr "$BLKREEL" profile show a b
	run -0 --separate-stderr "$BLKREEL" profile --help
	[ -z "$stderr" ]
	run -0 "$BLKREEL" profile show --help
	run -0 "$BLKREEL" profile generate --help
}
