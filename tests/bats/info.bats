# SPDX-License-Identifier: MIT
# info: the text and the JSON about a trace
load test_helper

GOLDEN=$BATS_TEST_DIRNAME/../golden/v1

@test "text: what a trace holds" {
	run -0 --separate-stderr "$BLKREEL" info "$GOLDEN/plain.reel"
	[ "$stderr" = "" ]
	[[ $output == *"blkreel trace version 1"* ]]
	[[ $output == *"2023-11-14 22:13:20 UTC"* ]]
	[[ $output == *"example (Linux 6.1.0, x86_64)"* ]]
	[[ $output =~ io\ +60\ +[0-9.]+\ bytes ]]
	[[ $output =~ cache\ +7 ]]
	[[ $output =~ nvme0n1\ +259:0\ +64.0\ GiB ]]
	[[ $output =~ exact\ +block\ +by\ tp_btf ]]
	[[ $output == *"complete: closed by its recorder"* ]]
}

@test "json: the contract's names and figures" {
	run -0 --separate-stderr "$BLKREEL" info --json "$GOLDEN/plain.reel"
	[ "$stderr" = "" ]
	echo "$output" >"$BATS_TEST_TMPDIR/j"
	expect() {
		local got
		got=$(json "$BATS_TEST_TMPDIR/j" "$1")
		[ "$got" = "$2" ] || {
			echo "$1 is $got, not $2"
			return 1
		}
	}
	expect 'd["schema"]' blkreel.info/1
	expect 'd["rows"]' "{'io': 60, 'cache': 7, 'tick': 7, 'loss': 6, 'hist': 0, 'access': 0, 'wait': 0}"
	# Losses of 1 to 6, one class each.
	expect 'd["lost"]["total"]' 21
	expect 'd["lost"]["io_ring"], d["lost"]["io_state"], d["lost"]["cache_table"]' "(1, 2, 3)"
	expect 'd["lost"]["recursion"], d["lost"]["names"], d["lost"]["output"]' "(4, 5, 6)"
	expect 'd["duration_ns"]' 1006000000
	expect 'd["file_bytes"]' "$(stat -c %s "$GOLDEN/plain.reel")"
	expect 'd["devices"][0]["name"], d["devices"][0]["size_bytes"]' "('nvme0n1', $((64 << 30)))"
	expect 'd["tasks"], d["files"], d["cgroups"]' "(5, 4, 2)"
	expect 'd["tiers"]' "[{'figure': 'block', 'how': 'tp_btf', 'quality': 'exact', 'note': ''}]"
	expect 'd["host"]["hostname"], d["host"]["start_ns"]' "('example', 1000000000000)"
	expect 'd["complete"], d["end_message"]' "(True, '')"
	expect 'd["in_flight_at_end"], d["started_before"], d["command_status"]' "(0, 0, 0)"
}

@test "a clock that jumped is warned of: by info, explain, and where a part of the trace is asked for" {
	cd "$BATS_TEST_TMPDIR"
	make_trace a.reel --rows 3000 --stop-wall-ns 1700003601300000000
	run -0 "$BLKREEL" info a.reel
	[[ $output == *"the clock jumped ahead by 3600.00 s"* ]]
	run -0 "$BLKREEL" explain a.reel
	[[ $output == *"the clock jumped ahead by 3600.00 s"* ]]
	[ "$(json <("$BLKREEL" info --json a.reel) "d['clock_jump_ns']")" = 3600000000000 ]
	[ "$(json <("$BLKREEL" explain --json a.reel) "d['clock_jump_ns']")" = 3600000000000 ]
	run -0 --separate-stderr "$BLKREEL" dump --to 0.1 a.reel
	[[ $stderr == *"a.reel: the clock jumped ahead by 3600.00 s"* ]]
	run -0 --separate-stderr "$BLKREEL" dump a.reel
	[ "$stderr" = "" ]
	"$BLKREEL" copy -o whole.reel a.reel
	[ "$(json <("$BLKREEL" info --json whole.reel) "d['clock_jump_ns']")" = 3600000000000 ]
	# What has no time of its end, or was cut, does not tell.
	"$BLKREEL" copy --to 0.1 -o part.reel a.reel
	[ "$(json <("$BLKREEL" info --json part.reel) "d['clock_jump_ns']")" = None ]
	[ "$(json <("$BLKREEL" info --json "$ROOT/tests/golden/v1/plain.reel") "d['clock_jump_ns']")" = None ]
}

@test "a cut trace: its rows, one line on stderr, exit 5" {
	head -c 2500 "$GOLDEN/plain.reel" >"$BATS_TEST_TMPDIR/cut.reel"
	run -5 --separate-stderr "$BLKREEL" info "$BATS_TEST_TMPDIR/cut.reel"
	one_line "$stderr"
	[[ $stderr == *"ends in the middle of a block at byte "*" of 2500: "*"the rows before that are whole" ]]
	[[ $output =~ io\ +60 ]]
	[[ $output == *"not complete; the rows above"* ]]
	[[ $output == *$'Losses\n  not known: the trace is not complete'* ]]
	[[ $output != *"nothing was lost"* && $output != *"bytes each"* ]]
	run -5 --separate-stderr "$BLKREEL" info --json "$BATS_TEST_TMPDIR/cut.reel"
	echo "$output" >"$BATS_TEST_TMPDIR/j"
	[ "$(json "$BATS_TEST_TMPDIR/j" 'd["complete"], d["in_flight_at_end"], d["bytes_per_io"]')" = "(False, None, None)" ]
}

@test "names from a trace cannot send control characters to the terminal" {
	run -0 "$BLKREEL" info "$GOLDEN/odd.reel"
	[[ $output != *$'\x1b'* ]]
	run -0 --separate-stderr "$BLKREEL" dump "$GOLDEN/odd.reel"
	[ "${#lines[@]}" = 201 ]
	[[ $output == *'a,"b"\x0a\xff\x5c'* ]]
}

@test "each option that a remedy names belongs to record" {
	run -0 "$BLKREEL" info "$GOLDEN/plain.reel"
	options=$(sed -n '/^Losses/,/^$/p' <<<"$output" | grep -o -e '--[a-z-]*' | sort -u)
	[ -n "$options" ]
	run -0 "$BLKREEL" record --help
	for option in $options; do
		[[ $output == *"$option "* ]] || {
			echo "record has no $option"
			return 1
		}
	done
}

@test "standard output that is full is an error" {
	run -1 --separate-stderr bash -c '"$1" info "$2" >/dev/full' - "$BLKREEL" "$GOLDEN/plain.reel"
	[[ $stderr == "blkreel: cannot write to standard output: "* ]]
}
