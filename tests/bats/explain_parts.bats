# SPDX-License-Identifier: MIT
# explain of a time of a recording, and of several traces as one
# bats file_tags=beside,sanitized
load test_helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	need_command jq
	T=$ROOT/tests/golden/v1/waits.reel
}

# what_it_says ARGUMENT...: the document of explain but for the name of the trace.
what_it_says() {
	"$BLKREEL" explain --json "$@" | jq -S 'del(.file)'
}

@test "--from and --to explain what 'copy' would write" {
	local span
	make_trace --rows 3000 --devices 3 --batch 900 --cache 200 --ticks 30 --losses 6 t.reel
	for span in "--from 1ms" "--to 0.01" "--from 1ms --to 20ms"; do
		# shellcheck disable=SC2086 # several words
		"$BLKREEL" -q copy t.reel $span -o part.reel
		what_it_says part.reel >copied.json
		# shellcheck disable=SC2086
		what_it_says $span t.reel >part.json
		diff copied.json part.json
		[ "$(jq .io_rows part.json)" -gt 0 ]
		[ "$(jq .io_rows part.json)" -lt 3000 ]
	done
	"$BLKREEL" explain --json --from 1ms t.reel | jq -e '.file == "t.reel"'
}

@test "several files of one recording are explained as the whole" {
	make_trace --rows 3000 --devices 3 --batch 900 --cache 200 t.reel
	"$BLKREEL" -q copy t.reel --to 10ms -o first.reel
	"$BLKREEL" -q copy t.reel --from 10ms -o second.reel
	what_it_says t.reel >whole.json
	what_it_says second.reel first.reel >joined.json
	for figures in .io_rows '[.devices[] | [.name, .read.ios, .write.bytes]] | sort' .by_file[0].ios; do
		[ "$(jq -c "$figures" whole.json)" = "$(jq -c "$figures" joined.json)" ]
	done
	"$BLKREEL" explain first.reel second.reel | head -1 | grep '^first.reel and 1 more:'
}

@test "a time of a recording that is not there, and traces that cannot be read, are said" {
	run -2 --separate-stderr "$BLKREEL" explain --from 1h "$T"
	[[ $stderr == *"--from 3600.00 s is after the end: $T lasts"* ]]
	[ -z "$output" ]
	run -2 --separate-stderr "$BLKREEL" explain --from 2s --to 1s "$T"
	[[ $stderr == *"--from must be before --to"* ]]
	run -1 --separate-stderr "$BLKREEL" explain "$T" gone.reel
	[ "$stderr" = "blkreel: gone.reel: No such file or directory" ]
	head -c 9000 "$T" >cut.reel
	run -5 --separate-stderr "$BLKREEL" explain --to 1s cut.reel
	[[ $stderr == *"cut.reel: ends in the middle of a block"* ]]
	[[ $output == "cut.reel: "* ]]
}
