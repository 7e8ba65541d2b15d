# SPDX-License-Identifier: MIT
# Counted nouns: a count of one has the singular, any other the plural.
load test_helper

setup() {
	TRACE=$BATS_TEST_TMPDIR/t.reel
	OUT=$BATS_TEST_TMPDIR/out
	: >"$OUT"
}

# prints EXPECTED COMMAND...: its output, which $OUT collects, contains EXPECTED.
prints() {
	local expected=$1
	shift
	run "$@"
	echo "$output" >>"$OUT"
	[[ $output == *"$expected"* ]] || {
		echo "'$expected' is not in: $output"
		return 1
	}
}

# No collected line has a count of one with a plural, or another count with a singular.
check_all() {
	local nouns='IO|record|row|file|byte|block|device|task|thread|window|seed|worker|round|place|event|operation|page|request'

	run ! grep -nE "(^|[^0-9.,])1 ($nouns|access|flush)e?s\b" "$OUT"
	run ! grep -nE "(^|[^0-9.,])([02-9]|[0-9,]*[0-9]{2}) ($nouns|access|flush)([^a-z]|\$)" "$OUT"
}

@test "messages count one IO, record, row and byte in the singular and two in the plural" {
	local csv=$BATS_TEST_TMPDIR/one.csv
	echo "0,1,read,0,4096" | tr ',' ' ' | write_trace 16M
	"$BLKREEL" -q dump "$TRACE" --format csv >"$csv"
	prints ": 1 IO of 1 device over " "$BLKREEL" import --from dump-csv "$csv" -o "$BATS_TEST_TMPDIR/i.reel"
	echo "hello" >>"$csv"
	prints "left out: 1 record that cannot be understood" "$BLKREEL" import --from dump-csv "$csv" -o "$BATS_TEST_TMPDIR/i.reel"
	echo "hello" >>"$csv"
	prints "left out: 2 records that cannot be understood" "$BLKREEL" import --from dump-csv "$csv" -o "$BATS_TEST_TMPDIR/i.reel"
	prints ": 1 IO in " "$BLKREEL" copy "$TRACE" -o "$BATS_TEST_TMPDIR/c.reel"
	prints ": 2 IOs in " "$BLKREEL" copy "$TRACE" "$TRACE" -o "$BATS_TEST_TMPDIR/c.reel"
	prints ": 1 row, " "$BLKREEL" repair "$TRACE" -o "$BATS_TEST_TMPDIR/r.reel"
	prints ", 1 row" "$BLKREEL" info "$TRACE" --verify
	prints "  0 IOs were in flight when recording started, 0 when it ended" "$BLKREEL" info "$TRACE"
	{
		cat "$TRACE"
		printf x
	} >"$BATS_TEST_TMPDIR/more.reel"
	prints ": left out: 1 byte behind the end mark" "$BLKREEL" repair "$BATS_TEST_TMPDIR/more.reel" -o "$BATS_TEST_TMPDIR/r.reel"
	prints "Generated again from the profile with 1 seed:" "$BLKREEL" profile "$TRACE" --seeds 1 -o "$BATS_TEST_TMPDIR/p"
	prints "generated with 1 seed:" "$BLKREEL" profile show "$BATS_TEST_TMPDIR/p"
	prints "1 window of " "$BLKREEL" profile show "$BATS_TEST_TMPDIR/p"
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	prints ", at most 1 IO in flight" "$BLKREEL" replay "$TRACE" --target "$BATS_TEST_TMPDIR/f" --iodepth 1
	prints "; 1 task" "$BLKREEL" replay "$TRACE" --target "$BATS_TEST_TMPDIR/f" --mode dependent --loop 1
	prints "only 1 IO is in flight" "$BLKREEL" replay "$TRACE" --target "$BATS_TEST_TMPDIR/f" --iodepth 1 --workers 2 --mode asap
	prints "only 1 IO is in flight" "$BLKREEL" replay "$TRACE" --target "$BATS_TEST_TMPDIR/f" --iodepth 1 --batch 2 --mode asap
	write_trace 64M <<<"0 1 write 0 50331648"
	prints "memory for only 1 IO in flight" "$BLKREEL" replay "$TRACE" --target "$BATS_TEST_TMPDIR/new" --create-size 64M --write --dedup 0 --workers 2
	echo "0,1,read,0,4096" | tr ',' ' ' | write_trace 16M
	prints ", 2 times over" "$BLKREEL" replay "$TRACE" --target "$BATS_TEST_TMPDIR/f" --loop 2
	check_all
}

@test "messages about one left-out or refused IO are in the singular" {
	printf '%s\n' "0 1 write 0 4096" "100 1 read 4096 4096" "200 1 discard 0 4096" | write_trace 16M
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	prints "2 of its 3 IOs change data" "$BLKREEL" replay "$TRACE" --target "$BATS_TEST_TMPDIR/f"
	prints "  2 IOs left out: only reads were asked for" "$BLKREEL" replay "$TRACE" --target "$BATS_TEST_TMPDIR/f" --reads-only
	prints "  1 IO left out: only reads were asked for" "$BLKREEL" replay "$TRACE" --target "$BATS_TEST_TMPDIR/f" --reads-only --to 150us
	prints "1 of its 2 IOs changes data" "$BLKREEL" replay "$TRACE" --target "$BATS_TEST_TMPDIR/f" --to 150us
	prints "left out: 1 IO of operation discard: msr cannot hold it" "$BLKREEL" dump "$TRACE" --format msr
	check_all
}
