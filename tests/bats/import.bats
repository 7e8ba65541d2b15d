# blkreel import, and dump's way back: every format's sample, traps, round trips, bad inputs
load test_helper

SAMPLES=$BATS_TEST_DIRNAME/../golden/foreign
GOLDEN=$BATS_TEST_DIRNAME/../golden/v1
CSV_COLUMNS=time:ms,op,offset:4096,size:sectors,device,latency:ms,pid,comm,-

# format_of SAMPLE: "fio-iolog-v2.sample" is of the format fio-iolog.
format_of() {
	basename "$1" .sample | sed -E 's/-v[0-9]+$//'
}

# import_sample SAMPLE TRACE [OPTION...]
import_sample() {
	local sample=$1 trace=$2 options=()
	shift 2
	[ "$(format_of "$sample")" != csv ] || options=(--skip-lines 1 --columns "$CSV_COLUMNS")
	"$BLKREEL" import --from "$(format_of "$sample")" "${options[@]}" "$@" "$sample" -o "$trace"
}

# formats: all names, as --help has them; with '*' where --from is needed.
formats() {
	"$BLKREEL" import --help | sed -n '/^Formats/,/^$/p' | sed -nE 's/^  ([ *]) ([a-z0-9-]+) .*/\2\1/p'
}

written_formats() {
	"$BLKREEL" dump --help | sed -n '/^Foreign/,/^$/p' | sed -nE 's/^  ([a-z0-9-]+) .*/\1/p'
}

dump_csv() {
	"$BLKREEL" dump --format csv "$1"
}

@test "every format has a sample, which becomes the rows that it should" {
	for name in $(formats | tr -d ' *'); do
		[ "$name" = dump-csv ] || [ -e "$SAMPLES/$name.sample" ] || { echo "no sample of $name" && return 1; }
	done
	for sample in "$SAMPLES"/*.sample; do
		import_sample "$sample" "$BATS_TEST_TMPDIR/t.reel"
		dump_csv "$BATS_TEST_TMPDIR/t.reel" >"$BATS_TEST_TMPDIR/csv"
		diff "${sample%.sample}.csv" "$BATS_TEST_TMPDIR/csv" || { echo "$sample" && return 1; }
	done
}

@test "every sample is recognised as what it is, or as nothing" {
	for sample in "$SAMPLES"/*.sample; do
		name=$(format_of "$sample")
		if formats | grep -qFx "$name*"; then
			run -4 --separate-stderr "$BLKREEL" import "$sample" -o "$BATS_TEST_TMPDIR/t.reel"
			one_line "$stderr"
			[[ $stderr == *"name it with --from"* ]]
			[ ! -e "$BATS_TEST_TMPDIR/t.reel" ]
		else
			run -0 --separate-stderr "$BLKREEL" import "$sample" -o "$BATS_TEST_TMPDIR/t.reel"
			[[ ${stderr##*$'\n'} == *" from $name, "* ]]
			rm "$BATS_TEST_TMPDIR/t.reel"
		fi
	done
}

@test "round trip: import, dump in the same format, import again gives the same rows" {
	tested=0
	for sample in "$SAMPLES"/*.sample; do
		name=$(format_of "$sample")
		written_formats | grep -qx "$name" || continue
		import_sample "$sample" "$BATS_TEST_TMPDIR/a.reel"
		"$BLKREEL" dump --format "$name" "$BATS_TEST_TMPDIR/a.reel" >"$BATS_TEST_TMPDIR/back"
		"$BLKREEL" import --from "$name" "$BATS_TEST_TMPDIR/back" -o "$BATS_TEST_TMPDIR/b.reel"
		for side in a b; do
			dump_csv "$BATS_TEST_TMPDIR/$side.reel" >"$BATS_TEST_TMPDIR/$side.csv"
			# The clock of vscsi has no known zero: only times within the trace are kept.
			[ "$name" != vscsi ] || sed -i -E 's/(,[^,]*){3}$//' "$BATS_TEST_TMPDIR/$side.csv"
		done
		[ "$(wc -l <"$BATS_TEST_TMPDIR/a.csv")" -gt 3 ]
		diff "$BATS_TEST_TMPDIR/a.csv" "$BATS_TEST_TMPDIR/b.csv" || { echo "$name" && return 1; }
		tested=$((tested + 1))
	done
	[ "$tested" -ge 10 ]
}

# normal FORMAT: what is left to a writer of the format: order, spelling, what we do not keep.
normal() {
	case $1 in
	alibaba) sed -E 's/,1000,100,/,512,1024,/; /,0,0,/d' | sort -t, -k5,5n ;;
	blkreplay) sed -E '0,/^start ;/d; s/ w / W /; / ; 0 ; /d; s/0\.0$/0.000000000/' ;;
	disksim) sed -E '/^$/d; / 0 1$/d; s/ 11$/ 1/' ;;
	fio-iolog) sed -E 's/datasync/sync/; / (add|open|close)$/d; s/[^ ]*(.of.many)/\1/' ;;
	mqsim) cat ;;
	msr) sed -E 's/,-15$/,0/; s/,86400000000000$/,0/; s/,1000,2048,/,512,2560,/' | sort -t, -k1,1n ;;
	spc) sed -E 's/,w,/,W,/; s/,r,/,R,/; s/,7,extra//; s/0+$//' ;;
	systor) sed -E 's/\r//; /,,,/d; s/118999,/118000,/' ;;
	tencent) sed -E '/,24,0,/d' ;;
	esac
}

@test "the text that is dumped is the text that was imported" {
	for name in alibaba blkreplay disksim fio-iolog mqsim msr spc systor tencent; do
		import_sample "$SAMPLES/$name.sample" "$BATS_TEST_TMPDIR/t.reel"
		normal $name <"$SAMPLES/$name.sample" >"$BATS_TEST_TMPDIR/was"
		"$BLKREEL" dump --format $name "$BATS_TEST_TMPDIR/t.reel" | normal $name >"$BATS_TEST_TMPDIR/is"
		[ -s "$BATS_TEST_TMPDIR/was" ]
		diff "$BATS_TEST_TMPDIR/was" "$BATS_TEST_TMPDIR/is" || { echo "$name" && return 1; }
	done
}

@test "vscsi: version 2 is written byte for byte but for what it cannot know" {
	need_command python3
	import_sample "$SAMPLES/vscsi.sample" "$BATS_TEST_TMPDIR/t.reel"
	"$BLKREEL" dump --format vscsi "$BATS_TEST_TMPDIR/t.reel" >"$BATS_TEST_TMPDIR/back"
	python3 - "$SAMPLES/vscsi.sample" "$BATS_TEST_TMPDIR/back" <<-'PYTHON'
		import struct, sys
		def records(path):
		    return list(struct.iter_unpack('<HHIIIQQQ', open(path, 'rb').read()))
		was = [r for r in records(sys.argv[1]) if r[0] != 0x12 and (r[3] or r[0] == 0x35)]
		back = records(sys.argv[2])
		assert len(was) == len(back) == 4
		for i, (w, b) in enumerate(zip(was, back)):
		    assert (w[0], w[1], i, w[3], w[5], w[6] - was[0][6], w[7]) == (b[0], b[1], b[2], b[3], b[5], b[6], b[7]), (w, b)
	PYTHON
}

@test "dump's own csv is recognised and comes back with every column" {
	for file in plain odd microseconds; do
		"$BLKREEL" import "$GOLDEN/$file.io.csv" -o "$BATS_TEST_TMPDIR/t.reel"
		dump_csv "$BATS_TEST_TMPDIR/t.reel" >"$BATS_TEST_TMPDIR/csv"
		diff "$GOLDEN/$file.io.csv" "$BATS_TEST_TMPDIR/csv" || { echo "$file" && return 1; }
	done
}
