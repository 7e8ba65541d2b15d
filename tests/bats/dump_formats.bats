# bats file_tags=beside,sanitized
# SPDX-License-Identifier: MIT
# dump --format NAME: foreign formats are written, and come back with the same rows.
load test_helper
load helpers/foreign

@test "round trip: import, dump in the same format, import again gives the same rows" {
	tested=0
	for sample in "$SAMPLES"/*.sample; do
		name=$(format_of "$sample")
		written_formats | grep -qx "$name" || continue
		# These hold no merges and no requeues: import_blktrace.bats has their round trip.
		[[ $name != blkparse && $name != blktrace ]] || continue
		import_sample "$sample" "$BATS_TEST_TMPDIR/a.reel"
		"$BLKREEL" dump --format "$name" "$BATS_TEST_TMPDIR/a.reel" >"$BATS_TEST_TMPDIR/back"
		"$BLKREEL" import --from "$name" "$BATS_TEST_TMPDIR/back" -o "$BATS_TEST_TMPDIR/b.reel"
		for side in a b; do
			dump_csv "$BATS_TEST_TMPDIR/$side.reel" >"$BATS_TEST_TMPDIR/$side.csv"
			# The clock of vscsi has no known zero: only times within the trace are kept.
			[ "$name" != vscsi ] || sed -i -E 's/(,[^,]*){7}$//' "$BATS_TEST_TMPDIR/$side.csv"
		done
		[ "$(wc -l <"$BATS_TEST_TMPDIR/a.csv")" -gt 3 ]
		diff "$BATS_TEST_TMPDIR/a.csv" "$BATS_TEST_TMPDIR/b.csv" || { echo "$name" && return 1; }
		tested=$((tested + 1))
	done
	[ "$tested" -ge 10 ]
}

# normal FORMAT: removes what a writer of the format may choose: order, spelling, fields that a trace lacks.
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

@test "the dumped text equals the imported text" {
	for name in alibaba blkreplay disksim fio-iolog mqsim msr spc systor tencent; do
		import_sample "$SAMPLES/$name.sample" "$BATS_TEST_TMPDIR/t.reel"
		normal $name <"$SAMPLES/$name.sample" >"$BATS_TEST_TMPDIR/was"
		"$BLKREEL" dump --format $name "$BATS_TEST_TMPDIR/t.reel" | normal $name >"$BATS_TEST_TMPDIR/is"
		[ -s "$BATS_TEST_TMPDIR/was" ]
		diff "$BATS_TEST_TMPDIR/was" "$BATS_TEST_TMPDIR/is" || { echo "$name" && return 1; }
	done
}

@test "vscsi: version 2 is written byte for byte but for fields that a trace does not hold" {
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

@test "dump's own csv of several traces: import says what to do" {
	cd "$BATS_TEST_TMPDIR"
	make_trace --rows 20 a.reel && make_trace --rows 30 --seed 2 b.reel
	"$BLKREEL" dump --format csv a.reel b.reel >two.csv
	for from in "" "--from dump-csv"; do
		# shellcheck disable=SC2086 # two words, or none
		run -4 --separate-stderr "$BLKREEL" import $from two.csv -o t.reel
		one_line "$stderr"
		[[ $stderr == *"the rows are of several traces, which 'blkreel copy' joins; a dump of the copy can be imported" ]]
		[ ! -e t.reel ]
	done
	"$BLKREEL" copy a.reel b.reel -o ab.reel
	"$BLKREEL" dump --format csv ab.reel >two.csv
	run -0 --separate-stderr "$BLKREEL" import two.csv -o t.reel
	[ "$(dump_csv t.reel | wc -l)" = 51 ]
}

# fio_log DIRECTORY FIO-OPTION...: runs fio, which logs into DIRECTORY/log and reports into DIRECTORY/json.
fio_log() {
	local directory=$1
	shift
	fio --name=job --ioengine=psync --bs=4k --randseed=42 --write_iolog="$directory/log" \
		--output-format=json --output="$directory/json" "$@"
}

# The rows of fio's log, read by awk: us, device, operation, offset, bytes.
rows_of_fio_log() {
	awk 'NR > 1 && NF == 5 {
		op = $3 == "trim" ? "discard" : ($3 ~ /sync$/ ? "flush" : $3)
		print $1, $2, op, op == "flush" ? 0 : $4, op == "flush" ? 0 : $5
	}' "$1"
}

rows_of_csv() {
	tail -n +2 "$1" | awk -F, '{ printf "%d %s %s %d %d\n", $1 * 1e6 + 0.5, $2, $3, $4 * 512, $5 }'
}

fio_counts() {
	json "$1" '[d["jobs"][0][k]["total_ios"] for k in ("read", "write", "trim", "sync")]'
}

@test "fio: import reads fio's log, and fio replays an exported log" {
	need_command fio
	need_command python3
	cd "$BATS_TEST_TMPDIR"
	fio_log . --filename=data --size=4m --rw=randrw --io_size=400k --fsync=7 --fdatasync=11
	"$BLKREEL" import log -o t.reel
	dump_csv t.reel >csv
	rows_of_csv csv >is
	rows_of_fio_log log >should
	[ "$(wc -l <should)" -gt 100 ]
	diff should is
	[ "$(fio_counts json)" = "[$(grep -c ' read ' is), $(grep -c ' write ' is), 0, $(grep -c ' sync ' log)]" ]
	"$BLKREEL" dump --format fio-iolog t.reel >again
	fio --name=again --ioengine=psync --read_iolog=again --replay_no_stall=1 \
		--output-format=json --output=json.again
	# fio counts fsync, not fdatasync; our log has sync for both.
	[ "$(fio_counts json.again)" = "[$(grep -c ' read ' is), $(grep -c ' write ' is), 0, $(grep -c ' flush ' is)]" ]
}

@test "fio: times of its log are microseconds" {
	need_command fio
	cd "$BATS_TEST_TMPDIR"
	fio_log . --filename=data --size=1m --rw=read --io_size=40k --thinktime=20ms
	"$BLKREEL" import log -o t.reel
	# Nine gaps of at least 20 ms; a slow machine makes them longer, not a thousand times as long.
	dump_csv t.reel | awk -F, 'NR == 2 { first = $1 } { last = $1 } END { exit !(last - first >= 0.18 && last - first < 60) }'
}

@test "fio: trims on a device, there and back" {
	need_command fio
	need_loop
	make_loop 16M
	cd "$BATS_TEST_TMPDIR"
	fio_log . --filename="$LOOP" --size=4m --rw=randtrim --io_size=92k
	"$BLKREEL" import log -o t.reel
	dump_csv t.reel >csv
	rows_of_csv csv >is
	rows_of_fio_log log >should
	diff should is
	[ "$(grep -c ' discard ' is)" = 23 ]
	# fio 3.33 reads trims from a log but issues none of them, so the way back is compared as text.
	"$BLKREEL" dump --format fio-iolog t.reel | rows_of_fio_log /dev/stdin | diff should -
}

@test "export counts the IO priorities that no format holds" {
	printf '%s\n' '0 1 read 0 4096 ioprio=be/0' '10 1 write 8192 4096 ioprio=idle/0 hint=5' '20 1 read 4096 4096' \
		'30 1 read 12288 4096 ioprio=be/4' | write_trace 1G "$BATS_TEST_TMPDIR/t"
	run -0 bash -c '"$1" dump --format blktrace "$2" 2>&1 >/dev/null' - "$BLKREEL" "$BATS_TEST_TMPDIR/t"
	[[ $output == *"left out: the IO priority of 2 IOs: blktrace cannot hold it"* ]]
	[[ $output == *"left out: the write hint of 1 IO: blktrace cannot hold it"* ]]
	run -0 --separate-stderr "$BLKREEL" dump --format csv "$BATS_TEST_TMPDIR/t"
	[[ $stderr != *"left out"* ]]
}

@test "export counts the rows that a format cannot hold, by operation" {
	printf '%s\n' '0 1 read 0 4096' '10 1 flush 0 0' '20 1 discard 4096 4096' '30 2 write 8192 4096 fua' \
		'40 1 flush 0 0 machinery' '50 1 flush 0 0' '60 1 write 0 0 preflush' |
		write_trace 1G "$BATS_TEST_TMPDIR/t"
	run -0 --separate-stderr "$BLKREEL" dump --format msr "$BATS_TEST_TMPDIR/t"
	[ "${#lines[@]}" = 2 ]
	[[ $stderr == *"left out: 2 IOs of operation flush: msr cannot hold them"* ]]
	[[ $stderr == *"left out: 1 IO of operation discard: msr cannot hold it"* ]]
	[[ $stderr == *"left out: 1 flush (a write without data): msr cannot hold it"* ]]
	[[ $stderr == *"not written: 1 flush request of the kernel for PREFLUSH writes"* ]]
	[[ $stderr != *"operation write"* ]]
	[[ $stderr == *"1 IO written without fua or preflush"* ]]
	run -0 --separate-stderr "$BLKREEL" dump --format fio-iolog "$BATS_TEST_TMPDIR/t"
	[ "$(grep -c sync <<<"$output")" = 3 ]
	[ "$(grep -c trim <<<"$output")" = 1 ]
	[[ $stderr != *"left out"* ]]
	run -0 --separate-stderr "$BLKREEL" dump --format blkreplay "$BATS_TEST_TMPDIR/t"
	[[ $stderr == *"left out: 1 IO of other devices than disk1: blkreplay holds one device"* ]]
}

@test "an export is in the order of creation, and --from and --to hold for it" {
	printf '%s\n' '300 1 read 0 512' '100 1 read 512 512' '200 2 write 1024 512' '100 1 write 512 512' |
		write_trace 1G "$BATS_TEST_TMPDIR/t"
	"$BLKREEL" dump --format mqsim "$BATS_TEST_TMPDIR/t" | cut -d' ' -f1,5 | paste -sd, >"$BATS_TEST_TMPDIR/order"
	[ "$(cat "$BATS_TEST_TMPDIR/order")" = "100000 1,100000 0,200000 0,300000 1" ]
	make_trace --rows 3000 "$BATS_TEST_TMPDIR/t"
	"$BLKREEL" dump --format mqsim "$BATS_TEST_TMPDIR/t" >"$BATS_TEST_TMPDIR/all"
	sort -c -n -k1,1 "$BATS_TEST_TMPDIR/all"
	"$BLKREEL" dump --format csv "$BATS_TEST_TMPDIR/t" |
		awk -F, '($3 == "read" || $3 == "write") && $5 && $6 !~ /flush_machinery/' |
		wc -l >"$BATS_TEST_TMPDIR/should"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/all")" = "$(cat "$BATS_TEST_TMPDIR/should")" ]
	"$BLKREEL" dump --format mqsim --from 20ms --to 50ms "$BATS_TEST_TMPDIR/t" >"$BATS_TEST_TMPDIR/some"
	[ -s "$BATS_TEST_TMPDIR/some" ]
	awk '$1 >= 20000000 && $1 < 50000000' "$BATS_TEST_TMPDIR/all" | diff - "$BATS_TEST_TMPDIR/some"
}

@test "foreign formats hold io rows only, and binary ones are not for terminals" {
	need_command script
	run -2 --separate-stderr "$BLKREEL" dump --format msr --rows tick "$GOLDEN/plain.reel"
	[[ $stderr == "blkreel dump: --format msr holds io rows only"* ]]
	run -2 script -qec "'$BLKREEL' dump --format vscsi '$GOLDEN/plain.reel'" /dev/null
	[[ $output == *"--format vscsi is binary: send standard output to a file or a pipe"* ]]
	run -1 --separate-stderr bash -c '"$1" dump --format msr "$2" >/dev/full' - "$BLKREEL" "$GOLDEN/plain.reel"
	[[ $stderr == "blkreel: cannot write to standard output: "* ]]
}

@test "devices get numbers of their own where a format wants numbers" {
	cat >"$BATS_TEST_TMPDIR/csv" <<-'END'
		1,R,0,512,disk3
		2,R,0,512,sda
		3,R,0,512,loop3
		4,R,0,512,disk2
		5,R,0,512,disk3
	END
	"$BLKREEL" import --from csv --columns time,op,offset,size,device "$BATS_TEST_TMPDIR/csv" -o "$BATS_TEST_TMPDIR/t.reel"
	"$BLKREEL" dump --format mqsim "$BATS_TEST_TMPDIR/t.reel" | cut -d' ' -f2 | paste -sd' ' >"$BATS_TEST_TMPDIR/numbers"
	# disk3 and disk2 keep theirs unless taken; sda has the id 2, loop3 the id 3.
	[ "$(cat "$BATS_TEST_TMPDIR/numbers")" = "3 2 4 5 3" ]
}
