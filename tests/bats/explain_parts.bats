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

@test "--from and --to explain what 'copy' would write, and what was in flight then" {
	local span listed
	make_trace --rows 3000 --devices 3 --batch 900 --cache 200 --ticks 30 --losses 6 t.reel
	"$BLKREEL" -q copy t.reel --to 0.01 -o part.reel
	# What goes on after the end of the part is in none of its figures of time.
	what_it_says part.reel | jq 'del(.devices[].depth)' >copied.json
	what_it_says --to 0.01 t.reel | jq 'del(.devices[].depth)' | diff copied.json -
	for span in "--from 1ms" "--from 1ms --to 20ms"; do
		# shellcheck disable=SC2086 # several words
		listed=$("$BLKREEL" dump --in-flight --format csv $span t.reel | tail -n +2 | wc -l)
		# shellcheck disable=SC2086
		what_it_says $span t.reel >part.json
		[ "$(jq .io_rows part.json)" = "$listed" ]
		[ "$listed" -gt 0 ]
		[ "$listed" -lt 3000 ]
	done
	"$BLKREEL" explain --json --from 1ms t.reel | jq -e '.file == "t.reel"'
}

# slow_ios: 64 writes from 10 s to 70 s after the start, and nothing else between 1 s and 79 s.
slow_ios() {
	echo 1.0,W,0,4096,0.001
	for i in $(seq 64); do
		echo "10.0,W,$((i * 4096)),4096,60"
	done
	echo 79.0,W,0,4096,0.001
}

@test "IOs that began earlier are explained where they were in flight, busy times end with the part" {
	slow_ios >io.csv
	"$BLKREEL" -q import --from csv --columns time,op,offset,size,latency:s io.csv -o t.reel
	# 19 s to 59 s after the first IO: all of them are in flight.
	run -0 --separate-stderr "$BLKREEL" explain --from 19 --to 59 t.reel
	[[ $output == *"disk1 was busy for 40.00 s of 40.00 s with 64 IOs."*"64 IOs began before this part and were in flight at its start."* ]]
	"$BLKREEL" explain --json --from 19 --to 59 t.reel >part.json
	jq -e '.io_rows == 64 and .devices[0].busy_ns == 40e9 and .devices[0].started_before == 64' part.json
	# 40 of their 60 seconds are in the part that ends with them.
	"$BLKREEL" explain --json --from 29 t.reel | jq -e '.devices[0].busy_ns == 40001e6'
	"$BLKREEL" explain --json --from 29 --to 69 t.reel | jq -e '.devices[0].busy_ns == 40e9'
	# With times of issue: 64 are at the driver in each part, whichever of them began or ends outside of it.
	"$BLKREEL" dump --format csv t.reel | awk -F, -v OFS=, 'NR > 1 { $20 = $19 } 1' >issued.csv
	"$BLKREEL" -q import issued.csv -o issued.reel
	for part in "--from 19 --to 59" "--from 29 --to 69" "--from 5 --to 29"; do
		# shellcheck disable=SC2086 # several words
		"$BLKREEL" explain --json $part issued.reel | jq -e '.devices[0].depth.mean_while_busy == 64'
	done
	# A copy has what began in it, and is not busy for longer than it lasts.
	run -0 --separate-stderr "$BLKREEL" copy --from 5 --to 19 t.reel -o copy.reel
	[[ $stderr != *"in flight"* ]]
	"$BLKREEL" explain --json copy.reel | jq -e '.io_rows == 64 and .devices[0].busy_ns == 10e9'
	run -0 --separate-stderr "$BLKREEL" copy --from 19 --to 59 t.reel -o copy.reel
	[[ $stderr == *"left out: 64 IOs that began before --from and were in flight then" ]]
	"$BLKREEL" explain copy.reel | grep '^Nothing happened'
}

@test "dump counts the IOs that were in flight at --from, or prints them with --in-flight" {
	slow_ios >io.csv
	"$BLKREEL" -q import --from csv --columns time,op,offset,size,latency:s io.csv -o t.reel
	run -0 --separate-stderr "$BLKREEL" dump --format csv --from 19 --to 59 t.reel
	[ "${#lines[@]}" = 1 ]
	[[ $stderr == *"left out: 64 IOs that began before --from and were in flight then; --in-flight prints them" ]]
	run -0 --separate-stderr "$BLKREEL" dump --format csv --in-flight --from 19 --to 59 t.reel
	[ "${#lines[@]}" = 65 ]
	[ -z "$stderr" ]
	run -0 --separate-stderr "$BLKREEL" dump --format csv --in-flight --from 70 t.reel
	[ "${#lines[@]}" = 2 ]
	run -2 --separate-stderr "$BLKREEL" dump --format msr --in-flight --from 19 t.reel
	[[ $stderr == *"--in-flight is for text, csv and json"* ]]
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

@test "files that share a time count each IO once, or are named" {
	make_trace --rows 3000 --devices 3 --batch 900 --cache 200 --ticks 20 --losses 5 t.reel
	"$BLKREEL" -q copy t.reel --to 200ms -o first.reel
	"$BLKREEL" -q copy t.reel --from 20ms -o second.reel
	what_it_says t.reel >whole.json
	for files in "second.reel first.reel" "t.reel t.reel" "first.reel t.reel second.reel"; do
		# shellcheck disable=SC2086 # several words
		run -0 --separate-stderr what_it_says $files
		[[ $stderr == "blkreel: "*" IOs that several of the traces hold count once" ]]
		for figures in .io_rows .lost '[.devices[] | [.name, .read.ios, .write.bytes]] | sort' .by_file[0].ios; do
			[ "$(jq -c "$figures" whole.json)" = "$(jq -c "$figures" <<<"$output")" ]
		done
	done
	run -0 --separate-stderr "$BLKREEL" copy t.reel t.reel -o copy.reel
	[[ $stderr == "blkreel: 3,000 IOs that several of the traces hold count once"* ]]
	cmp <("$BLKREEL" dump --format csv t.reel) <("$BLKREEL" dump --format csv copy.reel)
	# The same device, recorded by two at one time: their times differ.
	make_trace --rows 3000 --devices 3 --seed 2 other.reel
	run -0 --separate-stderr "$BLKREEL" explain t.reel other.reel
	[[ $stderr == *"warning: t.reel and other.reel are of one host and share 1.30 s of time, with"*"counts twice" ]]
	run -0 --separate-stderr "$BLKREEL" explain first.reel t.reel
	[[ $stderr != *warning* ]]
	for pair in "first.reel second.reel" "t.reel other.reel"; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr "$BLKREEL" profile --seeds 0 $pair
		[[ $stderr == *"warning: ${pair/ / and } are of one host and share "*" of time: what both recorded counts twice"* ]]
	done
	# Halves of one recording, and another host, share a time and no IO.
	"$BLKREEL" -q copy t.reel --op read -o reads.reel
	"$BLKREEL" -q copy t.reel --op write -o writes.reel
	make_trace --rows 3000 --devices 3 --seed 2 --host another another.reel
	for pair in "reads.reel writes.reel" "t.reel another.reel"; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr "$BLKREEL" copy $pair -o both.reel
		[[ $stderr != *"one host"* && $stderr != *"once"* ]]
	done
}

@test "a time of a recording that is not there, and traces that cannot be read, are said" {
	run -2 --separate-stderr "$BLKREEL" explain --from 1h "$T"
	[[ $stderr == *"--from 3600.00 s is after the end: $T lasts"* ]]
	[ -z "$output" ]
	run -2 --separate-stderr "$BLKREEL" explain --from 2s --to 1s "$T"
	[[ $stderr == *"--from must be before --to"* ]]
	run -1 --separate-stderr "$BLKREEL" explain "$T" gone.reel
	[ "$stderr" = "blkreel: gone.reel: No such file or directory" ]
	run -4 --separate-stderr "$BLKREEL" explain - <"$T"
	[ "$stderr" = "blkreel: -: is not a regular file: copy the trace into one first" ]
	run -4 --separate-stderr "$BLKREEL" compare - "$T" </dev/null
	[[ $stderr == "blkreel: standard input is not a profile, and a trace must be a file: "* ]]
	head -c 9000 "$T" >cut.reel
	run -5 --separate-stderr "$BLKREEL" explain --to 1s cut.reel
	[[ $stderr == *"cut.reel: ends in the middle of a block"* ]]
	[[ $output == "cut.reel: "* ]]
}
