# SPDX-License-Identifier: MIT
# repair and info --verify
# bats file_tags=sanitized
load test_helper

GOLDEN=$BATS_TEST_DIRNAME/../golden/v1
BAD=$BATS_TEST_DIRNAME/../golden/bad

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# dump_all FILE: the rows of every kind but loss.
dump_all() {
	for rows in io cache tick; do
		"$BLKREEL" dump --rows $rows --format csv "$1"
	done
}

# A trace of several blocks of each kind; the offset and kind of each block, one a line, in `blocks`.
make_blocks() {
	make_trace --rows 40000 --cache 20 --ticks 20 whole.reel
	python3 - >blocks <<-'END'
		import struct
		data, at = open("whole.reel", "rb").read(), 32
		while at < len(data):
		    print(at, data[at + 4], struct.unpack_from("<I", data, at + 8)[0])
		    at += 32 + struct.unpack_from("<I", data, at + 16)[0]
	END
}

# change_byte FILE OFFSET: another byte there.
change_byte() {
	python3 - "$1" "$2" <<-'END'
		import sys
		with open(sys.argv[1], "r+b") as f:
		    f.seek(int(sys.argv[2]))
		    byte = f.read(1)[0]
		    f.seek(int(sys.argv[2]))
		    f.write(bytes([byte ^ 0x55]))
	END
}

# with_payload KIND PYTHON: whole.reel with the payload p of the first block of KIND changed by an expression, its
# checksums right, as changed.reel.
with_payload() {
	python3 - "$@" <<-'END'
		import json, struct, subprocess, sys, zlib
		kind, change = int(sys.argv[1]), sys.argv[2]
		data, at = open("whole.reel", "rb").read(), 32
		while data[at + 4] != kind:
		    at += 32 + struct.unpack_from("<I", data, at + 16)[0]
		stored = struct.unpack_from("<I", data, at + 16)[0]
		p = data[at + 32:at + 32 + stored]
		if data[at + 5]:
		    p = subprocess.run(["zstd", "-dcq"], input=p, stdout=subprocess.PIPE, check=True).stdout
		size, p = len(p), eval(change, {"json": json}, {"p": json.loads(p)})
		p = json.dumps(p).encode()
		p += b" " * (size - len(p)) if kind == 9 else b""
		head = data[at:at + 5] + b"\0" + data[at + 6:at + 12] + struct.pack("<III", len(p), len(p), 0)
		head += struct.pack("<I", zlib.crc32(p))
		head += struct.pack("<I", zlib.crc32(head))
		open("changed.reel", "wb").write(data[:at] + head + p + data[at + 32 + stored:])
	END
}

@test "a whole trace is copied, and a line says so" {
	run -0 --separate-stderr "$BLKREEL" repair "$GOLDEN/plain.reel" -o copy.reel
	[ "$output" = "" ]
	one_line "$stderr"
	[[ $stderr == "blkreel: copy.reel: 80 rows, "*"; nothing was wrong, it is a copy" ]]
	[ "$(stat -c %a copy.reel)" = 600 ]
	cmp <(dump_all "$GOLDEN/plain.reel") <(dump_all copy.reel)
	run -0 "$BLKREEL" info --verify copy.reel
	[[ $output == *"no problem: blocks, index and end mark agree"* ]]
}

@test "a damaged byte in the middle loses its block alone" {
	need_command python3
	make_blocks
	read -r at _ rows < <(awk '$2 == 32' blocks | sed -n 2p)
	[ "$rows" = 8192 ]
	cp whole.reel damaged.reel
	change_byte damaged.reel $((at + 100))
	run -4 --separate-stderr "$BLKREEL" info damaged.reel
	[[ $output == *"'blkreel repair' makes a complete trace of the undamaged part"* ]]
	run -0 --separate-stderr "$BLKREEL" repair damaged.reel -o repaired.reel
	[[ $stderr == *"bytes in 1 place could not be read; 8,192 rows were lost there (see 'blkreel info', file_damage)"* ]]
	[[ $stderr != *"at least"* ]]
	run -0 --separate-stderr "$BLKREEL" info --verify --json repaired.reel
	echo "$output" >j
	[ "$(json j 'd["lost"]["file_damage"], d["lost"]["total"], d["rows"]["io"]')" = "(8192, 8192, $((40000 - 8192)))" ]
	[ "$(json j 'd["verify"]["problems"], d["complete"], d["repaired"]')" = "([], True, False)" ]
	# The rows before and behind are those that were there.
	"$BLKREEL" dump --format csv whole.reel | sed '8194,16385d' >expected.csv
	"$BLKREEL" dump --format csv repaired.reel | cmp - expected.csv
	# The time of the loss is that of the lost rows.
	"$BLKREEL" dump --rows loss --format csv repaired.reel >loss.csv
	[ "$(wc -l <loss.csv)" = 2 ]
	first=$("$BLKREEL" dump --format csv whole.reel | sed -n 8194p | cut -d, -f1)
	[[ $(tail -1 loss.csv) == "$first,"*",file_damage,8192" ]]
}

@test "a trace of a killed recorder: whole blocks stay, summary and end are added" {
	need_command python3
	make_blocks
	read -r at _ rows < <(awk '$2 == 32' blocks | sed -n 3p)
	[ "$rows" = 8192 ]
	head -c $((at + 500)) whole.reel >torn.reel
	run -0 --separate-stderr "$BLKREEL" repair torn.reel -o repaired.reel
	[[ $stderr == *"the recorder's summary was lost"* ]]
	[[ $stderr == *"there was no end mark: index and end mark were written again; whether the recording went on is not known"* ]]
	[[ $stderr == *"500 bytes in 1 place could not be read; 8,192 rows were lost"* ]]
	run -0 "$BLKREEL" info --verify repaired.reel
	[[ $output == *"repaired: its recorder did not end it"* ]]
	[[ $output == *"no problem"* ]]
	"$BLKREEL" info --json repaired.reel >j
	[ "$(json j 'd["rows"]["io"], d["repaired"], d["in_flight_at_end"], d["command_status"]')" = "(16384, True, None, None)" ]
	# Cut between two blocks: nothing is known to be lost.
	head -c "$at" whole.reel >torn.reel
	run -0 --separate-stderr "$BLKREEL" repair torn.reel -o repaired.reel
	[[ $stderr != *"rows were lost"* ]]
	"$BLKREEL" info --json repaired.reel >j
	[ "$(json j 'd["lost"]["total"]')" = 0 ]
	# Cut inside a header: what it was cannot be known.
	head -c $((at + 9)) whole.reel >torn.reel
	run -0 --separate-stderr "$BLKREEL" repair torn.reel -o repaired.reel
	[[ $stderr == *"9 bytes in 1 place could not be read; at least 1 row was lost"* ]]
}

@test "lost names are counted; rows keep their ids" {
	need_command python3
	make_blocks
	read -r at _ < <(awk '$2 == 4' blocks)
	cp whole.reel damaged.reel
	change_byte damaged.reel $((at + 40))
	run -0 --separate-stderr "$BLKREEL" repair damaged.reel -o repaired.reel
	[[ $stderr == *"a block of metadata was lost (processes): rows keep their ids without names"* ]]
	[[ $stderr == *"no rows were lost"* ]]
	"$BLKREEL" info --verify --json repaired.reel >j
	[ "$(json j 'd["rows"]["io"], d["lost"]["total"], d["verify"]["ids_without_entry"] >= 40000')" = "(40000, 0, True)" ]
}

@test "an unreadable block may have held names, and a line says so" {
	need_command python3
	make_blocks
	read -r at _ < <(awk '$2 == 3' blocks)
	tail -c +$((at + 9)) whole.reel >beheaded.reel
	run -0 --separate-stderr "$BLKREEL" repair beheaded.reel -o repaired.reel
	[[ $stderr == *"what could not be read may have held names as well"* ]]
	"$BLKREEL" info --verify --json repaired.reel >j
	[ "$(json j 'd["verify"]["ids_without_entry"] >= 40000')" = True ]
}

@test "head and host block destroyed: both are rebuilt" {
	need_command python3
	make_blocks
	cp whole.reel damaged.reel
	dd if=/dev/zero of=damaged.reel bs=1 count=60 conv=notrunc status=none
	run -4 "$BLKREEL" info damaged.reel
	run -0 --separate-stderr "$BLKREEL" repair damaged.reel -o repaired.reel
	[[ $stderr == *"the head of the file was damaged"* ]]
	[[ $stderr == *"the host block was lost"* ]]
	"$BLKREEL" info --verify --json repaired.reel >j
	[ "$(json j 'd["rows"]["io"], d["host"]["hostname"], d["verify"]["problems"]')" = "(40000, '', [])" ]
	[ "$(json j 'd["host"]["start_ns"]')" = "$("$BLKREEL" dump --format csv whole.reel | sed -n 2p | cut -d, -f19)" ]
}

@test "golden bad files are refused, or repaired into traces that both decoders accept" {
	need_command python3
	need_command zstd
	local repaired=0
	for file in "$BAD"/*.reel; do
		rm -f out.reel
		run --separate-stderr "$BLKREEL" repair "$file" -o out.reel
		[[ $stderr != *Sanitizer* ]]
		case $status in
		4) one_line "$stderr" && [ ! -e out.reel ] || { echo "$file: $stderr" && return 1; } ;;
		0)
			repaired=$((repaired + 1))
			"$BLKREEL" info --verify out.reel >/dev/null || { echo "$file: not whole" && return 1; }
			python3 "$ROOT/tools/decode_trace.py" out.reel >/dev/null || { echo "$file: decoder" && return 1; }
			;;
		*) echo "$file: exit $status: $stderr" && return 1 ;;
		esac
	done
	[ "$repaired" -ge 15 ]
}

@test "a file that is no trace, or of a newer version, is refused" {
	printf 'some,text\n%.0s' {1..50} >text
	for file in text "$BAD/newer-version.reel" "$BAD/newer-block.reel" "$BAD/reserved-bit.reel" \
		"$BAD/block-reserved-bit.reel" "$BAD/empty.reel" .; do
		run -4 --separate-stderr "$BLKREEL" repair "$file" -o out.reel
		one_line "$stderr"
		[ ! -e out.reel ]
	done
	run -1 --separate-stderr "$BLKREEL" repair nothing -o out.reel
	# A newer head that is damaged as well may not be taken for one of this version.
	cp "$BAD/newer-version.reel" f.reel
	printf x | dd of=f.reel bs=1 seek=20 conv=notrunc status=none
	run -4 --separate-stderr "$BLKREEL" repair f.reel -o out.reel
	[ ! -e out.reel ]
}

@test "repair refuses an output that is its input, a link or no trace" {
	cp "$BAD/no-end-mark.reel" f.reel
	ln f.reel hard.reel
	ln -s f.reel soft.reel
	sum=$(sha256sum <f.reel)
	run -2 --separate-stderr "$BLKREEL" repair f.reel -o f.reel
	run -2 --separate-stderr "$BLKREEL" repair f.reel -o ./hard.reel
	[[ $stderr == *"is the damaged trace itself"* ]]
	run -2 --separate-stderr "$BLKREEL" repair soft.reel -o f.reel
	echo precious >precious
	run -1 --separate-stderr "$BLKREEL" repair f.reel -o precious
	[ "$(cat precious)" = precious ]
	ln -s elsewhere.reel other.reel
	run -1 --separate-stderr "$BLKREEL" repair f.reel -o other.reel
	[ ! -e elsewhere.reel ]
	[ "$(sha256sum <f.reel)" = "$sum" ]
	run -2 --separate-stderr "$BLKREEL" repair f.reel
	[[ $stderr == *"needs -o"* ]]
	run -1 --separate-stderr "$BLKREEL" repair f.reel -o /dev/full
}

@test "verify: reports a whole trace as text and JSON" {
	run -0 --separate-stderr "$BLKREEL" info --verify "$GOLDEN/plain.reel"
	[ "$stderr" = "" ]
	[[ $output == *"Verified"*"13 blocks, $(stat -c %s "$GOLDEN/plain.reel" | sed 's/^\(.\)\(...\)$/\1,\2/') bytes, 80 rows"* ]]
	"$BLKREEL" info --verify --json "$GOLDEN/odd.reel" >j
	[ "$(json j 'sorted(d["verify"])')" = "['blocks', 'bytes', 'ids_without_entry', 'problem_count', 'problems', 'row_blocks', 'rows', 'times_out_of_order', 'unknown_blocks', 'unused_bytes']" ]
	[ "$(json j 'd["verify"]["bytes"] == d["file_bytes"], d["verify"]["problems"], d["verify"]["rows"]')" = "(True, [], 211)" ]
	run -0 "$BLKREEL" info --json "$GOLDEN/odd.reel"
	[[ $output != *'"verify"'* ]]
}

# expect_problem CODE TEXT: info alone is content with changed.reel, --verify finds exactly this.
expect_problem() {
	run -0 "$BLKREEL" info changed.reel
	run -4 --separate-stderr "$BLKREEL" info --verify changed.reel
	one_line "$stderr"
	[[ $stderr == *"changed.reel: $1"* ]] || { echo "$stderr" && return 1; }
	[[ $output == *"problem: "* ]]
	run -4 --separate-stderr "$BLKREEL" info --verify --json changed.reel
	echo "$output" >j
	[ "$(json j 'd["verify"]["problem_count"] >= 1')" = True ]
	# A repair makes a right index again.
	"$BLKREEL" repair changed.reel -o again.reel
	"$BLKREEL" info --verify again.reel
}

@test "verify: finds a wrong index with right checksums" {
	need_command python3
	need_command zstd
	make_blocks
	with_payload 8 'p'
	run -0 "$BLKREEL" info --verify changed.reel
	with_payload 8 '[[e[0] + (i == 1)] + e[1:] for i, e in enumerate(p)]'
	expect_problem "the index is wrong about the row block at byte "
	with_payload 8 '[e[:3] + [e[3] + (i == 2), e[4]] for i, e in enumerate(p)]'
	expect_problem "the index has wrong times of the row block at byte "
	with_payload 9 '{**p, "index_at": 0}'
	expect_problem "there is no index (and more, see above)"
	with_payload 9 '{**p, "index_at": 32}'
	expect_problem "the index has fewer entries than there are row blocks (and more, see above)"
}

@test "verify: a cut trace: exit 5; a damaged one: exit 4" {
	head -c 2500 "$GOLDEN/plain.reel" >cut.reel
	run -5 --separate-stderr "$BLKREEL" info --verify cut.reel
	one_line "$stderr"
	[[ $output == *"problem: cut in the middle of a block at byte "* ]]
	run -4 --separate-stderr "$BLKREEL" info --verify "$BAD/flipped-payload.reel"
	one_line "$stderr"
	[[ $output == *"problem: damaged at byte "*"the checksum of a block is wrong"* ]]
}
