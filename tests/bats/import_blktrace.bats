# SPDX-License-Identifier: MIT
# Import and export of blktrace's binaries and blkparse's text, compared with blkparse, btt and fio
# bats file_tags=sanitized
load test_helper

SAMPLES=$BATS_TEST_DIRNAME/../golden/foreign
MAKE=$BATS_TEST_DIRNAME/../helpers/make_blktrace.py
GENERATE=$BATS_TEST_DIRNAME/../helpers/generate_block_events.py

setup() {
	need_command python3
	cd "$BATS_TEST_TMPDIR" || return 1
}

# import_to NAME INPUT...: NAME.reel and NAME.csv
import_to() {
	local name=$1
	shift
	"$BLKREEL" import "$@" -o "$name.reel" 2>"$name.err"
	"$BLKREEL" dump --format csv "$name.reel" >"$name.csv"
}

# columns_of_truth FILE.csv: the columns that generate_block_events.py writes
columns_of_truth() {
	awk -F, 'NR > 1 {
		print $19 - 1e9, $20 - 1e9, $21 - 1e9, $3, $4, $5, $14, $15, $12, $13
	}' OFMT=%.0f CONVFMT=%.0f "$1" | sort
}

@test "each sample is recognised by its content and gives the expected rows" {
	import_to a "$SAMPLES/blktrace.sample"
	cmp a.csv "$SAMPLES/blktrace.csv"
	grep -q 'from blktrace' a.err
	import_to b "$SAMPLES/blkparse.sample"
	cmp b.csv "$SAMPLES/blkparse.csv"
	grep -q 'from blkparse' b.err
	# The same events are the same rows.
	cmp a.csv b.csv
}

@test "both versions and both byte orders, with and without cgroups, are the same trace" {
	"$MAKE" <"$SAMPLES/blktrace.events" | cmp - "$SAMPLES/blktrace.sample"
	for options in "--big" "--version 8" "--version 8 --big" "--cgroup" "--version 8 --cgroup --big"; do
		# shellcheck disable=SC2086
		"$MAKE" $options <"$SAMPLES/blktrace.events" >sample
		import_to sample sample
		cmp sample.csv "$SAMPLES/blktrace.csv"
	done
}

@test "version 8 traces give zone operations and write-zeroes" {
	"$MAKE" --version 8 >sample <<-'END'
		0 1000 8:0 1 Q ZR 524288 0
		0 1001 8:0 1 D ZR 524288 0
		0 1002 8:0 1 C ZR 524288 0
		0 1010 8:0 1 Q WZ 0 8
		0 1011 8:0 1 D WZ 0 8
		0 1012 8:0 1 C WZ 0 8
		0 1020 8:0 1 Q ZA 1048576 8
		0 1021 8:0 1 D ZA 1048576 8
		0 1022 8:0 1 C ZA 1048640 8
	END
	import_to sample sample
	[ "$(cut -d, -f3,4,5,17 sample.csv | sed 1d | paste -sd' ')" = \
		"zone_reset,524288,0,1 write_zeroes,0,4096,1 zone_append,1048576,4096,1" ]
}

@test "thousands of requests on four CPUs: each row has the generator's values" {
	for seed in 1 2 3; do
		rm -f nvme0n1.blktrace.*
		"$GENERATE" $seed 2003 truth | "$MAKE" --prefix nvme0n1
		import_to g nvme0n1.blktrace.*
		sort truth | diff - <(columns_of_truth g.csv)
		[ "$(cut -d, -f2 g.csv | sed 1d | sort -u)" = nvme0n1 ]
	done
}

@test "blkparse counts the same events: issues, merges, completions and sectors" {
	need_command blkparse
	"$GENERATE" 4 2003 truth | "$MAKE" --prefix nvme0n1
	blkparse -q -i nvme0n1 >text
	import_to g nvme0n1.blktrace.*
	import_to t text
	sed 1d g.csv | sed 's/nvme0n1/259:3/' | cmp - <(sed 1d t.csv)
	[ "$(grep -c ' Q ' text)" = "$(awk -F, 'NR > 1 { n += 1 + $14 } END { print n }' g.csv)" ]
	[ "$(awk '$6 == "Q" { n += $10 } END { print n * 512 }' text)" = \
		"$(awk -F, 'NR > 1 { n += $5 } END { print n }' g.csv)" ]
	[ "$(awk '$6 == "D"' text | wc -l)" = \
		"$(($(awk '$6 == "R"' text | wc -l) + $(sed 1d g.csv | wc -l)))" ]
	[ "$(awk '$6 == "R"' text | wc -l)" = "$(grep -c requeued g.csv)" ]
}

@test "the merged file of blkparse -d is the same trace as its parts" {
	need_command blkparse
	"$GENERATE" 5 1009 truth | "$MAKE" --prefix sdc
	blkparse -q -O -i sdc -d merged >out
	import_to parts sdc.blktrace.*
	import_to merged merged
	cmp <(sed 's/sdc/259:3/' parts.csv) merged.csv
}

@test "a raw stream that interleaves CPUs is sorted" {
	"$GENERATE" 6 1009 truth | "$MAKE" --prefix sdc
	cat sdc.blktrace.* >raw
	import_to raw raw
	sort truth | diff - <(columns_of_truth raw.csv)
}

@test "no IO is counted twice, whichever actions the trace holds" {
	need_command blkparse
	"$GENERATE" 7 1009 truth | "$MAKE" --prefix sdc
	blkparse -q -i sdc | awk '$6 != "R" && $1 ~ /,/' >text
	merges=$(awk '{ n += $7 } END { print n }' truth)
	for actions in Q D C QD QC DC QDC QGIDCMF; do
		awk -v actions=$actions 'index(actions, $6)' text >some
		import_to some --from blkparse some
		case $actions in
		Q) expected=$((1009 + merges)) ;;
		D | C | DC) expected=$(grep -c " ${actions:0:1} " some) ;; # parts and repetitions are IOs
		QC) expected=$(grep -c " C " some) ;;
		*) expected=1009 ;;
		esac
		[ "$(sed 1d some.csv | wc -l)" = "$expected" ] || {
			echo "$actions: $(sed 1d some.csv | wc -l) rows, not $expected"
			return 1
		}
	done
}

@test "import keeps the wall clock of the trace" {
	import_to a "$SAMPLES/blktrace.sample"
	grep -q '2023-11-14' <("$BLKREEL" info a.reel)
	"$BLKREEL" dump --format blktrace a.reel >again
	import_to again again
	[ "$("$BLKREEL" info a.reel | grep started)" = "$("$BLKREEL" info again.reel | grep started)" ]
}

@test "damage in the middle and a cut end lose only the events that they hit" {
	"$MAKE" --prefix sdd <"$SAMPLES/blktrace.events"
	head -c 1400 sdd.blktrace.0 >short
	run -5 --separate-stderr "$BLKREEL" import short -o short.reel
	[[ $stderr == *"short, before byte "*"the last record is cut"* ]]
	[ "$("$BLKREEL" dump --format csv short.reel | sed 1d | wc -l)" = 8 ]
	# 80 bytes of nonsense: one piece of damage, and the reader finds the next record.
	python3 -c '
data = bytearray(open("sdd.blktrace.0", "rb").read())
data[480:560] = b"\xee" * 80
open("sdd.blktrace.0", "wb").write(data)'
	run -5 --separate-stderr "$BLKREEL" import --from blktrace sdd.blktrace.0 sdd.blktrace.1 -o bad.reel
	[[ $stderr == *"left out: 1 record that cannot be understood"* ]]
	[ "$("$BLKREEL" dump --format csv bad.reel | sed 1d | wc -l)" -ge 9 ]
}

@test "import names stacked devices, and --dedup keeps the upper one" {
	"$MAKE" >stack <<-'END'
		0 1000 253:0 100 Q WS 0 16
		0 1010 8:0 100 A WS 1000 16 from=253:0/0
		0 1015 8:0 100 A WS 3048 16 from=8:1/1000
		0 1020 8:0 100 Q WS 3048 16
		0 1040 8:0 100 D WS 3048 16
		0 1050 8:0 0 C WS 3048 16
		0 1060 253:0 0 C WS 0 16
		0 1100 8:0 100 Q R 9000 8
		0 1120 8:0 100 D R 9000 8
		0 1130 8:0 0 C R 9000 8
	END
	run -0 --separate-stderr "$BLKREEL" import stack -o both.reel
	[[ $stderr == *"253:0 on 8:0"* ]]
	[ "$("$BLKREEL" dump --format csv both.reel | sed 1d | wc -l)" = 3 ]
	run -0 --separate-stderr "$BLKREEL" import --dedup stack -o one.reel
	[[ $stderr == *"left out: 1 record of devices below"* ]]
	[ "$("$BLKREEL" dump --format csv one.reel | sed 1d | cut -d, -f2,4 | paste -sd' ')" = \
		"253:0,0 8:0,9000" ]
}

@test "dump --format blkparse prints what blkparse prints from dump --format blktrace" {
	need_command blkparse
	import_to a "$SAMPLES/blktrace.sample"
	make_trace --rows 20011 b.reel
	for trace in a b; do
		"$BLKREEL" dump --format blktrace $trace.reel >binary
		"$BLKREEL" dump --format blkparse $trace.reel >text
		blkparse -q -i - <binary | cmp - text
	done
	# Of one moment blkparse prints events of several CPUs by their numbers, and equal numbers in
	# an order that depends on how it reads.
	make_trace --rows 5003 --devices 3 --resolution-ns 1000000 c.reel
	"$BLKREEL" dump --format blktrace c.reel >binary
	"$BLKREEL" dump --format blkparse c.reel >text
	by_order() { awk '{ print $4, $1, $3, $2, $0 }' "$1" | LC_ALL=C sort; }
	blkparse -q -i - <binary >theirs
	cmp <(by_order theirs) <(by_order text)
	awk '{ print $4, $1, $3 }' text | cmp - <(awk '{ print $4, $1, $3 }' theirs)
}

@test "an exported trace imports with equal fields, from binary and from text" {
	"$GENERATE" 8 2003 truth | "$MAKE" --prefix sdc
	import_to in sdc.blktrace.*
	"$BLKREEL" dump --format blktrace in.reel >binary
	"$BLKREEL" dump --format blkparse in.reel >text
	import_to binary --from blktrace binary
	import_to text --from blkparse text
	cmp binary.csv text.csv
	# All but what these formats cannot hold: the name of the device, merges, requeues (and with
	# them what the depth was while a request was back).
	without() { awk -F, -v OFS=, '{ $2 = $13 = $14 = ""; sub(/\|?requeued/, "", $6); print }' "$1"; }
	diff <(without in.csv) <(without binary.csv)
	# And a second time without any loss.
	"$BLKREEL" dump --format blktrace binary.reel | cmp - binary
}

@test "a name with a line break stays on one line of text" {
	local golden=$BATS_TEST_DIRNAME/../golden/v1/odd.reel
	"$BLKREEL" dump --format csv "$golden" | grep -q '^[^"]*"[^"]*$'
	"$BLKREEL" dump --format blkparse "$golden" >"$BATS_TEST_TMPDIR/text"
	run ! env LC_ALL=C grep -qavE '^ *[0-9]+,[0-9]+ .*\]$' "$BATS_TEST_TMPDIR/text"
	# Exit 0: no line of it is bad.
	run -0 "$BLKREEL" import "$BATS_TEST_TMPDIR/text" -o "$BATS_TEST_TMPDIR/t.reel"
}

@test "btt measures the same latencies in an exported trace" {
	need_command btt
	make_trace --rows 10007 a.reel
	"$BLKREEL" dump --format blktrace a.reel >binary
	btt -i binary >figures
	import_to b binary
	for pair in Q2C:18 D2C:17; do
		awk -F, -v column="${pair#*:}" 'NR > 1 {
			sum += $column; n++
			min = NR == 2 || $column < min ? $column : min
			max = $column > max ? $column : max
		} END { printf "%.9f %.9f %.9f %d\n", min / 1e9, sum / n / 1e9, max / 1e9, n }' b.csv >ours
		awk -v name="${pair%:*}" '$1 == name { print $2, $3, $4, $5; exit }' figures >theirs
		# btt cuts the mean off where awk rounds it.
		paste -d' ' ours theirs | awk '{
			exit !($1 == $5 && $2 - $6 < 2e-9 && $6 - $2 < 2e-9 && $3 == $7 && $4 == $8)
		}'
	done
}

@test "fio replays an exported trace: the same IOs and bytes" {
	need_command fio
	need_command fio-btrace2fio
	make_trace --rows 2003 a.reel
	"$BLKREEL" dump --format blktrace a.reel >binary
	truncate -s 64G disk
	fio --name=replay --read_iolog=binary --replay_redirect="$PWD/disk" --ioengine=psync --size=64g \
		--replay_no_stall=1 --output-format=json --output=fio.json 2>/dev/null
	rm disk
	"$BLKREEL" dump --format csv a.reel | awk -F, 'NR > 1 { n[$3]++; b[$3] += $5 }
		END { printf "%d %.0f %d %.0f\n", n["read"], b["read"], n["write"], b["write"] }' >ours
	python3 -c '
import json
text = open("fio.json").read()
job = json.loads(text[text.index("{"):])["jobs"][0]
print(*[job[op][key] for op in ("read", "write") for key in ("total_ios", "io_bytes")])' >theirs
	cmp ours theirs
	fio-btrace2fio -n 1 -t 1 binary >profile 2>/dev/null
	[ "$(sed -n 's/Total: reads=\([0-9]*\), writes=\([0-9]*\)/\1 \2/p' profile)" = "$(cut -d' ' -f1,3 ours)" ]
}

@test "export counts and omits the rows that blktrace's records cannot hold" {
	"$MAKE" --version 8 >sample <<-'END'
		0 1000 8:0 1 Q WZ 0 8
		0 1010 8:0 1 Q R 0 8
	END
	import_to sample sample
	run -0 --separate-stderr "$BLKREEL" dump --format blkparse sample.reel
	[[ $stderr == *"left out: 1 IO of operation write_zeroes: blkparse cannot hold it"* ]]
	[ "$(grep -c ' R 0 + 8 ' <<<"$output")" = 1 ]
}

@test "an IO that outlasts the sorting window loses only its first events" {
	awk 'BEGIN {
		print "8,0 0 1 0.000000001 7 Q R 99999992 + 8 [a]"
		print "8,0 0 1 0.000000002 7 D R 99999992 + 8 [a]"
		for (i = 1; i <= 140001; i++)
			for (a = 1; a <= 3; a++)
				printf "8,0 0 1 0.%09d 7 %s W %d + 8 [%s]\n", i * 1000 + a,
					substr("QDC", a, 1), i * 8, a == 3 ? 0 : "a"
		print "8,0 0 1 0.500000000 0 C R 99999992 + 8 [0]"
	}' >text
	import_to text text
	[ "$(grep -c ',read,' text.csv)" = 1 ]
	run -0 --separate-stderr bash -c '"$1" dump --format blktrace text.reel >binary' - "$BLKREEL"
	[[ $stderr == *"left out: 3 events that came too late to be sorted"* ]]
	import_to binary binary
	[ "$(sed 1d binary.csv | wc -l)" = 140002 ]
	[ "$(grep ',read,' binary.csv | cut -d, -f19-20)" = , ]
	[ "$(grep -c ',write,' <(awk -F, '$19 && $20 && $21' binary.csv))" = 140001 ]
}

@test "a file whose name is another device's number names no device" {
	"$MAKE" --prefix 8:1 <<-'END'
		0 1000 8:0 1 D R 0 8
		0 1001 8:1 1 D R 0 8
	END
	import_to two 8:1.blktrace.0
	[ "$(cut -d, -f2 two.csv | sed 1d | paste -sd' ')" = "8:0 8:1" ]
}
