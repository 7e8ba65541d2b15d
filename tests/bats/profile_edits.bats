# SPDX-License-Identifier: MIT
# profile: what a person edits is what is generated; a table that says otherwise gives way.
# bats file_tags=sanitized
load test_helper

# Writes of 4 KiB, and of 64 KiB in bursts, on 1000 places of 64 KiB, and its profile.
setup() {
	TRACE=$BATS_TEST_TMPDIR/t.reel
	PROFILE=$BATS_TEST_TMPDIR/p.profile
	python3 - >"$BATS_TEST_TMPDIR/in.csv" <<-'END'
		import random
		random.seed(5)
		print("time,op,offset,size")
		for i in range(20000):
		    size = 65536 if i // 200 % 5 == 0 else 4096
		    print("%d,W,%d,%d" % (i * 3e6 + random.randrange(10**6), random.randrange(1000) * 65536, size))
	END
	"$BLKREEL" import --from csv --columns time:ns,op,offset,size --skip-lines 1 "$BATS_TEST_TMPDIR/in.csv" -o "$TRACE"
	"$BLKREEL" profile "$TRACE" --seeds 1 -o "$PROFILE" >/dev/null
	grep -q '^size_class.3' "$PROFILE"
	grep -q '^new_blocks' "$PROFILE"
}

# edit_key NAME VALUE: gives each key of that name (a pattern) this value, in e.profile.
edit_key() {
	python3 - "$PROFILE" "$1" "$2" >"$BATS_TEST_TMPDIR/e.profile" <<-'END'
		import re, sys
		text = open(sys.argv[1]).read()
		print(re.sub(r"(?m)^(%s) = .*(\n[ \t].*)*" % sys.argv[2], r"\1 = " + sys.argv[3], text), end="")
	END
}

# figures_of PROFILE: the share of IOs above 4 KiB, and different blocks of 4 KiB, of what it generates.
figures_of() {
	"$BLKREEL" -q profile generate "$1" -f csv 2>/dev/null | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
blocks = {(int(r["sector"]) + s) // 8 for r in rows for s in range(0, int(r["bytes"]) // 512, 8)}
print(sum(int(r["bytes"]) > 4096 for r in rows) / len(rows), len(blocks))'
}

@test "sizes that were edited are generated, and the size classes give way" {
	run -0 --separate-stderr "$BLKREEL" profile show "$PROFILE"
	[ -z "$stderr" ]
	[[ "$(figures_of "$PROFILE")" == 0.2\ * ]]
	edit_key sizes 4K:1
	run -0 --separate-stderr "$BLKREEL" profile show "$BATS_TEST_TMPDIR/e.profile"
	one_line "$stderr"
	[[ "$stderr" == *"'sizes' of others have 0 IOs above "*" bytes, but size_class.3 has "*": 'sizes' are taken"* ]]
	[[ "$(figures_of "$BATS_TEST_TMPDIR/e.profile")" == 0.0\ * ]]
	edit_key sizes '4K:1 64K:3'
	# Each stream repeats four sizes. Its last round is cut short if its IOs are no multiple of four.
	run -0 figures_of "$BATS_TEST_TMPDIR/e.profile"
	[[ "$output" == 0.75\ * || "$output" == 0.7499* || "$output" == 0.7500* || "$output" == 0.7501* ]]
	# What is saved says nothing else.
	"$BLKREEL" -q profile scale "$BATS_TEST_TMPDIR/e.profile" --time 2 -o "$BATS_TEST_TMPDIR/s.profile" 2>/dev/null
	run -0 --separate-stderr "$BLKREEL" profile show "$BATS_TEST_TMPDIR/s.profile"
	[ -z "$stderr" ]
}

@test "sizes edited inside a class, or together with it, keep the class" {
	edit_key sizes '4K:16000 128K:4000'
	run -0 --separate-stderr "$BLKREEL" profile show "$BATS_TEST_TMPDIR/e.profile"
	[ -z "$stderr" ]
}

@test "reuse that was edited is generated, and the feedback gives way" {
	local blocks before
	before=$(figures_of "$PROFILE" | cut -d' ' -f2)
	[ "$before" -ge 15000 ]
	[ "$before" -le 17000 ]
	# Nearly all blocks are among the last 8: b of reuse.B is for 2^(b-1)-1 to 2^b-2.
	edit_key 'reuse\.[0-9]+' '0:1 4:200'
	run -0 --separate-stderr "$BLKREEL" profile show "$BATS_TEST_TMPDIR/e.profile"
	one_line "$stderr"
	[[ "$stderr" == *"'reuse' was edited: it is taken"*"remove 'reuse_check'"* ]]
	blocks=$(figures_of "$BATS_TEST_TMPDIR/e.profile" | cut -d' ' -f2)
	echo "$before, edited $blocks"
	[ "$blocks" -le 4000 ]
	# Without the check sum both count.
	sed -i /^reuse_check/d "$BATS_TEST_TMPDIR/e.profile"
	run -0 --separate-stderr "$BLKREEL" profile show "$BATS_TEST_TMPDIR/e.profile"
	[ -z "$stderr" ]
}
