# SPDX-License-Identifier: MIT
# profile: show and diff of a profile with several parts and of one with very few IOs.
load test_helper

# write_profile_of_zones FILE SECTOR LAST_ZONE: a hand-made profile of 1000 IOs in 100 s, half of them reads, from SECTOR on.
write_profile_of_zones() {
	cat >"$1" <<-END
		[profile]
		version = 1
		ios = 1000
		duration_ns = 100000000000
		device_bytes = 1073741824
		first_sector = $2
		end_sector = $(($2 + 1048576))
		phases = 2
		[arrival]
		windows = 100 200 300 400
		split_levels = 10
		[addresses]
		new_blocks = 300 700
		distances = 0:1000
		[stream 1]
		op = read
		ios = 500
		phases = 150 350
		sizes = 4096:1
		zones = 0:1 $3:1
		[stream 2]
		op = write
		ios = 500
		phases = 150 350
		sizes = 4096:1
		zones = 0:1 $3:1
	END
}

@test "diff: a mix equals itself, and its parts are counted together" {
	write_profile_of_zones "$BATS_TEST_TMPDIR/a" 0 20
	"$BLKREEL" profile mix "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/a=2" -o "$BATS_TEST_TMPDIR/m"
	"$BLKREEL" profile diff "$BATS_TEST_TMPDIR/m" "$BATS_TEST_TMPDIR/m" --json >"$BATS_TEST_TMPDIR/d.json"
	[ "$(json "$BATS_TEST_TMPDIR/d.json" 'sorted((s["op"], s["a_pct"], s["b_pct"]) for s in d["streams"])')" = \
		"[('read', 50.0, 50.0), ('write', 50.0, 50.0)]" ]
	"$BLKREEL" profile diff "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/m" --json >"$BATS_TEST_TMPDIR/d.json"
	[ "$(json "$BATS_TEST_TMPDIR/d.json" 'sorted((s["op"], s["a_pct"], s["b_pct"]) for s in d["streams"])')" = \
		"[('read', 50.0, 50.0), ('write', 50.0, 50.0)]" ]
}

@test "show: prints the addresses of all parts and the cache misses of each" {
	write_profile_of_zones "$BATS_TEST_TMPDIR/a" 0 63
	"$BLKREEL" profile mix "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/a=2" -o "$BATS_TEST_TMPDIR/m"
	run -0 "$BLKREEL" profile show "$BATS_TEST_TMPDIR/m"
	# 512 MiB of a device of 1 GiB, and the same again on a second: the middle third holds nothing.
	[[ "$output" =~ "is most)"$'\n'"    |"([^|]+)"|" ]]
	heat=${BASH_REMATCH[1]}
	echo "$heat"
	[ "${heat:0:1}" != " " ]
	[ "${heat:63:1}" = "@" ]
	[ "${heat:24:16}" = "                " ]
	[[ "$output" =~ "[addresses N]"\ +1\ +2$'\n' ]]
	[[ "$output" =~ "footprint"\ +([0-9.]+)" MiB"\ +([0-9.]+)" MiB"$'\n' ]]
	awk "BEGIN { exit !(${BASH_REMATCH[1]} > 3.5 && ${BASH_REMATCH[1]} < 4.1 && ${BASH_REMATCH[2]} > 7 && ${BASH_REMATCH[2]} < 8.2) }"
	run -0 "$BLKREEL" profile show "$BATS_TEST_TMPDIR/a"
	[[ "$output" == *"Misses of a cache of (footprint 3.9 MiB)"* ]]
}

@test "show: rates below one a second have digits" {
	write_profile_of_zones "$BATS_TEST_TMPDIR/a" 0 63
	sed 's/^duration_ns = .*/duration_ns = 3600000000000000/' "$BATS_TEST_TMPDIR/a" >"$BATS_TEST_TMPDIR/slow"
	run -0 "$BLKREEL" profile show "$BATS_TEST_TMPDIR/slow"
	[[ "$output" == *"1,000 in 3600000.00 s, 0.000278 a second"* ]]
	# 400 in 900,000 s, in six steps.
	[[ "$output" == *"    0.00044 |   #|"* ]]
	[[ "$output" == *"    0.00007 |"* ]]
	run -0 "$BLKREEL" profile show "$BATS_TEST_TMPDIR/a"
	[[ "$output" == *"       16.0 |   #|"* ]]
}

@test "mix: blocks of 4 KiB of each part are blocks of the mix" {
	write_profile_of_zones "$BATS_TEST_TMPDIR/a" 0 20
	write_profile_of_zones "$BATS_TEST_TMPDIR/b" 7 20
	sed -i '/^first_sector/i block_offset_sectors = 7' "$BATS_TEST_TMPDIR/b"
	run -0 bash -c "'$BLKREEL' profile generate '$BATS_TEST_TMPDIR/b' --format csv | awk -F, 'NR > 1 { n[\$3 % 8]++ } END { print n[7] }'"
	[ "$output" = 1000 ]
	"$BLKREEL" profile mix "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b" -o "$BATS_TEST_TMPDIR/m"
	run -0 bash -c "'$BLKREEL' profile generate '$BATS_TEST_TMPDIR/m' --format csv | awk -F, 'NR > 1 { n[\$3 % 8]++ } END { print n[0] }'"
	[ "$output" = 2000 ]
	"$BLKREEL" profile mix "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b" --same-addresses -o "$BATS_TEST_TMPDIR/m"
	run -0 bash -c "'$BLKREEL' profile generate '$BATS_TEST_TMPDIR/m' --format csv | awk -F, 'NR > 1 { n[\$3 < 1048583]++ } END { print n[1] }'"
	[ "$output" = 2000 ]
}

@test "mix: more address ranges than a profile holds are refused with this reason" {
	write_profile_of_zones "$BATS_TEST_TMPDIR/a" 0 20
	"$BLKREEL" profile mix "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/a" -o "$BATS_TEST_TMPDIR/m"
	run -2 --separate-stderr "$BLKREEL" profile mix "$BATS_TEST_TMPDIR/m" "$BATS_TEST_TMPDIR/m" "$BATS_TEST_TMPDIR/m"
	one_line "$stderr"
	[[ "$stderr" == *"more than 8 ranges of addresses"* ]]
}

@test "profile reads standard input" {
	write_profile_of_zones "$BATS_TEST_TMPDIR/a" 0 20
	run -0 bash -c "'$BLKREEL' profile scale - --load 2 <'$BATS_TEST_TMPDIR/a' | '$BLKREEL' profile slice - --phase 2 | '$BLKREEL' profile generate - --format csv"
	[ "${#lines[@]}" = 1401 ]
	run -0 bash -c "'$BLKREEL' profile diff '$BATS_TEST_TMPDIR/a' - --json <'$BATS_TEST_TMPDIR/a' >'$BATS_TEST_TMPDIR/d.json'"
	[ "$(json "$BATS_TEST_TMPDIR/d.json" 'd["workload"]["mrc_mae"]')" = 0.0 ]
	run -4 --separate-stderr "$BLKREEL" profile show - </dev/null
	[[ "$stderr" == "blkreel: -: not a profile: it is empty "* ]]
}

@test "scale: a footprint that the IOs cannot touch is refused" {
	write_profile_of_zones "$BATS_TEST_TMPDIR/a" 0 20
	run -2 --separate-stderr "$BLKREEL" profile scale "$BATS_TEST_TMPDIR/a" --footprint 2 -o "$BATS_TEST_TMPDIR/f"
	[ ! -e "$BATS_TEST_TMPDIR/f" ]
	[ "$stderr" = "blkreel: $BATS_TEST_TMPDIR/a: its IOs touch 1,000 blocks of 4 KiB in all, of which 1,000 are different already: the footprint can grow to about x1.00" ]
	# Without 'reuse' all blocks are new.
	run -2 --separate-stderr "$BLKREEL" profile scale "$BATS_TEST_TMPDIR/a" --footprint 0.5 -o "$BATS_TEST_TMPDIR/f"
	[ "$stderr" = "blkreel: $BATS_TEST_TMPDIR/a: the footprint cannot be scaled to x0.5: of several tries the nearest came to x1.000" ]
}

# blocks_of PROFILE: different blocks of 4 KiB of the IOs that it generates.
blocks_of() {
	"$BLKREEL" profile generate "$1" -f csv | python3 -c '
import csv, sys
print(len({(int(r["sector"]) + s) // 8 for r in csv.DictReader(sys.stdin) for s in range(0, int(r["bytes"]) // 512, 8)}))'
}

@test "scale: the footprint is within 5 % of what was asked" {
	local profile=$ROOT/tests/golden/profiles/make_trace-2000-7.profile whole blocks
	whole=$(blocks_of "$profile")
	for percent in 25 45 75; do
		run -0 --separate-stderr "$BLKREEL" profile scale "$profile" --footprint 0.$percent -o "$BATS_TEST_TMPDIR/s"
		[[ "$stderr" == "blkreel: footprint x0."*" (asked: x0.$percent). Miss ratios of caches of 1/64 to 1/2 of the footprint are at most 0."* ]]
		blocks=$(blocks_of "$BATS_TEST_TMPDIR/s")
		echo "$percent %: $blocks of $whole blocks"
		[ $((blocks * 100)) -ge $((whole * percent * 95 / 100)) ]
		[ $((blocks * 100)) -le $((whole * percent * 105 / 100)) ]
	done
}

@test "mix: too many IOs are refused before any is generated" {
	run -2 --separate-stderr timeout 20 "$BLKREEL" profile mix oltp=1000000
	one_line "$stderr"
	[[ "$stderr" == *"more than 268 million IOs"*"scale it down" ]]
}

@test "show: which streams have IOs when, where the workload changes and comes back" {
	local PROFILE=$BATS_TEST_TMPDIR/p
	awk 'BEGIN { for (i = 0; i < 24000; i++) {
			large = i >= 8000 && i < 16000
			printf "%d 1 read %d %d\n", i * 1000, (i * 7919 % 24000) * 65536, large ? 65536 : 4096 } }' | write_trace 2G
	"$BLKREEL" profile --seeds 0 "$TRACE" -o "$PROFILE"
	run -0 "$BLKREEL" profile show "$PROFILE"
	[[ $output == *$'\n  When the streams have IOs (#), in 24 parts of 1.00 s\n    ########........########  1\n    ........########........  2\n'* ]]
	"$BLKREEL" profile show "$PROFILE" --json >"$BATS_TEST_TMPDIR/json"
	[ "$(json "$BATS_TEST_TMPDIR/json" "[(s['ios'], sum(s['phases_ios']), sum(s['phases_ios'][8:16])) for s in d['streams']]")" = \
		"[(16000, 16000, 0), (8000, 8000, 8000)]" ]
	# Streams of one regime need no such lines.
	awk 'BEGIN { for (i = 0; i < 24000; i++)
			printf "%d 1 read %d 4096\n", i * 1000, (i * 7919 % 24000) * 65536 }' | write_trace 2G
	"$BLKREEL" profile --seeds 0 "$TRACE" -o "$PROFILE"
	run -0 "$BLKREEL" profile show "$PROFILE"
	[[ $output != *"When the streams"* ]]
}
