# SPDX-License-Identifier: MIT
# import: samples of each format, special cases, bad inputs. What dump writes: dump_formats.bats.
# bats file_tags=beside,sanitized
load test_helper
load helpers/foreign

@test "each format has a sample that gives the expected rows" {
	for name in $(formats | tr -d ' *'); do
		[ "$name" = dump-csv ] || [ -e "$SAMPLES/$name.sample" ] || { echo "no sample of $name" && return 1; }
	done
	for sample in "$SAMPLES"/*.sample; do
		import_sample "$sample" "$BATS_TEST_TMPDIR/t.reel"
		dump_csv "$BATS_TEST_TMPDIR/t.reel" >"$BATS_TEST_TMPDIR/csv"
		diff "${sample%.sample}.csv" "$BATS_TEST_TMPDIR/csv" || { echo "$sample" && return 1; }
	done
}

@test "each sample is recognised as its own format, or as none" {
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

@test "a byte order mark before the text changes nothing: each sample, and a csv without names" {
	for sample in "$SAMPLES"/*.sample; do
		! LC_ALL=C grep -qaP '[^\x00-\x7f]|\x00' "$sample" || continue
		import_sample "$sample" "$BATS_TEST_TMPDIR/plain.reel"
		{ printf '\xef\xbb\xbf' && cat "$sample"; } >"$BATS_TEST_TMPDIR/$(basename "$sample")"
		import_sample "$BATS_TEST_TMPDIR/$(basename "$sample")" "$BATS_TEST_TMPDIR/marked.reel"
		diff <(dump_csv "$BATS_TEST_TMPDIR/plain.reel") <(dump_csv "$BATS_TEST_TMPDIR/marked.reel")
	done
	printf '\xef\xbb\xbf1,R,0,4096\n2,W,0,4096\n3,R,0,4096\n' >"$BATS_TEST_TMPDIR/io.csv"
	run -0 "$BLKREEL" import --from csv --columns time,op,offset,size "$BATS_TEST_TMPDIR/io.csv" -o "$BATS_TEST_TMPDIR/t.reel"
	[ "$(dump_csv "$BATS_TEST_TMPDIR/t.reel" | grep -c 'read\|write')" = 3 ]
	# A format that is recognised by its content still is.
	{ printf '\xef\xbb\xbf' && cat "$SAMPLES/fio-iolog-v2.csv"; } >"$BATS_TEST_TMPDIR/io.log"
	run -0 "$BLKREEL" import "$BATS_TEST_TMPDIR/io.log" -o "$BATS_TEST_TMPDIR/t.reel"
}

@test "compressed inputs and standard input; several inputs on one clock" {
	need_command zstd
	need_command xz
	cd "$BATS_TEST_TMPDIR"
	{ head -3 "$SAMPLES/msr.sample" | gzip && tail -n +4 "$SAMPLES/msr.sample" | gzip; } >two.gz
	zstd -q "$SAMPLES/msr.sample" -o one.zst
	xz -k -c "$SAMPLES/msr.sample" >one.xz
	for file in two.gz one.zst one.xz; do
		"$BLKREEL" import $file -o t.reel
		dump_csv t.reel | diff "$SAMPLES/msr.csv" -
	done
	"$BLKREEL" import - -o t.reel <two.gz
	dump_csv t.reel | diff "$SAMPLES/msr.csv" -
	grep hm,0 "$SAMPLES/msr.sample" >hm_0
	grep -v hm,0 "$SAMPLES/msr.sample" >rest
	"$BLKREEL" import hm_0 rest -o t.reel
	dump_csv t.reel | diff "$SAMPLES/msr.csv" -
}

@test "a cut input: the records before the cut are imported, exit 5" {
	cd "$BATS_TEST_TMPDIR"
	for i in $(seq 2000); do echo "$((128166372003061629 + i * 7919)),hm,0,Write,$((i * 4096)),4096,$((i * 13 + 7))"; done >msr
	gzip -k msr
	head -c $(($(stat -c %s msr.gz) - 100)) msr.gz >cut.gz
	run -5 --separate-stderr "$BLKREEL" import --from msr cut.gz -o t.reel
	[[ $stderr == *"cut.gz: ends too early or is damaged; the records before that were imported"* ]]
	rows=$(dump_csv t.reel | wc -l)
	[ "$rows" -gt 100 ]
	[ "$rows" -lt 2001 ]
	head -c 100 "$SAMPLES/vscsi.sample" >vscsi
	run -5 --separate-stderr "$BLKREEL" import --from vscsi vscsi -o t.reel
	[ "$(dump_csv t.reel | wc -l)" = 3 ]
	[[ $stderr == *"vscsi: ends too early or is damaged"* ]]
}

@test "bad records: counted, the first is named, exit 5; nothing but bad ones, exit 4" {
	cd "$BATS_TEST_TMPDIR"
	{ cat "$SAMPLES/alibaba.sample" && echo '1,X,0,4096,1577808000000046' && echo junk; } >some
	run -5 --separate-stderr "$BLKREEL" import --from alibaba some -o t.reel
	[[ $stderr == *"left out: 2 records that cannot be understood; the first: some, line 6: the operation is neither R nor W"* ]]
	[ "$(dump_csv t.reel | wc -l)" = 5 ]
	yes junk | head -5000 >all
	run -4 --separate-stderr "$BLKREEL" import --from alibaba all -o none.reel
	one_line "$stderr"
	[[ $stderr == *"no valid alibaba in the first 1,001 records (all, line 2: no device)"* ]]
	[ ! -e none.reel ]
}

@test "numbers beyond any disk or clock are bad records" {
	cd "$BATS_TEST_TMPDIR"
	local max=18446744073709551615
	printf '%s\n' "1,R,$max,4096,1577808000000046" "1,R,0,$max,1577808000000046" "1,R,0,4096,$max" \
		"1,R,0,${max}0,1577808000000046" "7,R,0,4096,1577808000000046" >alibaba
	printf '%s\n' "$max,0,8,0,1" "1,$max,8,0,1" "1,0,$max,0,1" "1,0,8,2,1" "1,0,8,0,7" >tencent
	printf '%s\n' "$max,hm,0,Read,0,4096,1" "1,hm,0,Read,0,4096,1" "128166372003061629,hm,0,Read,$max,4096,1" \
		"128166372003061629,hm,0,read,0,4096,1" "128166372003061629,hm,0,Read,0,4096,7" >msr
	printf '%s\n' "0,$max,4096,R,0.1" "0,0,$max,R,0.1" "0,0,4096,R,$max.1" "0,0,4096,X,0.1" "7,0,4096,R,0.7" >spc
	printf '%s\n' "$max 0 0 8 1" "0 0 $max 8 1" "0 0 0 $max 1" "0 0 0 8 x" "0 7 0 8 1" >mqsim
	for name in alibaba tencent msr spc mqsim; do
		run -5 --separate-stderr "$BLKREEL" import --from $name $name -o t.reel
		[[ $stderr == *"left out: 4 records that cannot be understood"* ]] || { echo "$name: $stderr" && return 1; }
		[ "$(dump_csv t.reel | wc -l)" = 2 ]
	done
}

@test "more devices than a trace holds: one line with the reason, exit 4" {
	seq 17000 | sed 's/^/1538323199,8,8,0,/' >"$BATS_TEST_TMPDIR/many"
	run -4 --separate-stderr "$BLKREEL" import --from tencent "$BATS_TEST_TMPDIR/many" -o "$BATS_TEST_TMPDIR/t.reel"
	[ "$stderr" = "blkreel: tencent: more than 16,384 devices: split the input by device" ]
	[ ! -e "$BATS_TEST_TMPDIR/t.reel" ]
}

@test "thousands of devices: profile, compare and replay take the one of -d" {
	cd "$BATS_TEST_TMPDIR"
	seq 3000 | awk '{ print $1 ",R,0,4096,disk" $1; print $1 ",W,4096,4096,disk" $1 }' >csv
	"$BLKREEL" import --from csv --columns time,op,offset,size,device csv -o t.reel
	"$BLKREEL" profile -d disk2500 t.reel -o t.profile
	"$BLKREEL" compare --device-a disk7 --device-b disk2999 t.reel t.reel | grep -q '^The same workload'
	truncate -s 1M target
	"$BLKREEL" replay t.reel --source disk2500 --reads-only --target target | grep -q '1 issued, 1 completed'
}

@test "no input and the wrong input: one line, the right exit code, nothing is left" {
	cd "$BATS_TEST_TMPDIR"
	: >empty
	head -c 100000 /dev/urandom >garbage
	head -c 300000 /dev/zero >zeros
	printf 'a line without an end' >text
	for format in $(formats | tr -d ' *'); do
		options=()
		[ "$format" != csv ] || options=(--columns "time,op,offset,size")
		for file in empty garbage zeros text; do
			# Any 24 bytes are a record of oracleGeneral, and zeros are IOs of no length.
			[ "$format $file" != "oracle-general garbage" ] || continue
			run --separate-stderr "$BLKREEL" import --from "$format" "${options[@]}" $file -o t.reel
			[ "$status" = 4 ] || { echo "$format $file: $status $stderr" && return 1; }
			one_line "$stderr"
			[ ! -e t.reel ]
		done
	done
	for file in empty garbage zeros text; do
		run -4 --separate-stderr "$BLKREEL" import $file -o t.reel
		one_line "$stderr"
	done
	run -1 --separate-stderr "$BLKREEL" import missing -o t.reel
	[[ $stderr == "blkreel: missing: No such file or directory" ]]
	run -4 --separate-stderr "$BLKREEL" import / -o t.reel
	[[ $stderr == "blkreel: /: is a directory: name the files in it" ]]
	[ ! -e t.reel ]
}

@test "an input that may not be read, exit 1" {
	need_root
	need_command setpriv
	cd "$BATS_TEST_TMPDIR"
	cp "$SAMPLES/msr.sample" secret
	chmod 600 secret
	chmod 777 .
	cp "$BLKREEL" blkreel
	run -1 --separate-stderr setpriv --reuid=65534 --clear-groups ./blkreel import "$PWD/secret" -o t.reel
	[[ $stderr == *"secret: Permission denied" ]]
}

@test "wrong options: exit 2, the input is unchanged" {
	cd "$BATS_TEST_TMPDIR"
	cp "$SAMPLES/msr.sample" msr
	run -2 --separate-stderr "$BLKREEL" import msr -o msr
	[[ $stderr == "blkreel import: the output is one of the inputs"* ]]
	cmp msr "$SAMPLES/msr.sample"
	run -2 --separate-stderr "$BLKREEL" import msr
	run -2 --separate-stderr "$BLKREEL" import -o t.reel
	run -2 --separate-stderr "$BLKREEL" import --from nothing msr -o t.reel
	[[ $stderr == *"no format is called 'nothing'"* ]]
	run -2 --separate-stderr "$BLKREEL" import --columns time,op,offset,size msr -o t.reel
	[[ $stderr == *"are for --from csv"* ]]
	run -2 --separate-stderr "$BLKREEL" import --from csv --delimiter ab msr -o t.reel
	for columns in time time,op,offset,size,time time:x,op,offset,size; do
		run -2 --separate-stderr "$BLKREEL" import --from csv --columns $columns msr -o t.reel
		[[ $stderr == *"--columns"* ]]
	done
	run -2 --separate-stderr "$BLKREEL" import --from csv msr -o t.reel
	[[ $stderr == *"--columns is needed"* ]]
	run -1 --separate-stderr "$BLKREEL" import "$SAMPLES/spc.sample" -o msr
	[ "$stderr" = "blkreel: msr exists and is not a trace: name another file" ]
	cmp msr "$SAMPLES/msr.sample"
	[ ! -e t.reel ]
}

@test "--anonymize: no name of a file or host remains as a device name" {
	cd "$BATS_TEST_TMPDIR"
	mkdir in
	cp "$SAMPLES/blktrace.sample" in/payroll-sda.blktrace.0
	cp "$SAMPLES/blktrace.sample" in/sda.blktrace.0
	sed 's/hm/payroll/' "$SAMPLES/msr.sample" >in/msr
	for input in in/payroll-sda.blktrace.0 in/msr; do
		"$BLKREEL" import "$input" -o named.reel
		"$BLKREEL" import --anonymize "$input" -o imported.reel
		"$BLKREEL" copy --anonymize named.reel -o copied.reel
		"$BLKREEL" info --json named.reel | grep -q payroll
		for trace in imported copied; do
			run ! grep -q payroll <("$BLKREEL" info --json $trace.reel && dump_csv $trace.reel)
		done
	done
	# What the kernel calls its devices is no secret.
	"$BLKREEL" import --anonymize in/sda.blktrace.0 -o t.reel
	dump_csv t.reel | cut -d, -f2 | grep -qx sda
	"$BLKREEL" import --anonymize "$SAMPLES/blkparse.sample" -o t.reel
	dump_csv t.reel | cut -d, -f2 | grep -qx 8:0
}

@test "import refuses an output that is a symbolic link or has a writer, with the reason" {
	need_command flock
	cd "$BATS_TEST_TMPDIR"
	cp "$GOLDEN/plain.reel" busy
	ln -s nowhere link
	for command in "import $SAMPLES/msr.sample" "copy $GOLDEN/plain.reel" "repair $GOLDEN/plain.reel"; do
		# shellcheck disable=SC2086
		run -1 --separate-stderr "$BLKREEL" $command -o link
		[ "$stderr" = "blkreel: link is a symbolic link: name the file itself with -o" ]
		# shellcheck disable=SC2086
		run -1 --separate-stderr flock busy "$BLKREEL" $command -o busy
		[ "$stderr" = "blkreel: busy is being written by another blkreel: name another file" ]
	done
	[ ! -e nowhere ]
	cmp busy "$GOLDEN/plain.reel"
}

@test "a signal removes what was imported so far" {
	need_command python3
	cd "$BATS_TEST_TMPDIR"
	mkfifo endless
	python3 -c 'import sys; sys.stdout.write(5000 * open(sys.argv[1]).read())' "$SAMPLES/spc.sample" >long
	for signal in TERM:143 INT:130 HUP:129 XCPU:152; do
		while :; do cat long || break; done >endless 2>/dev/null &
		python3 -c 'import os, signal, sys
for number in (signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$BLKREEL" import --from spc endless -o t.reel 2>err &
		wait_until writes_into $! "$PWD"
		kill "-${signal%:*}" $!
		status=0
		wait $! || status=$?
		[ "$status" = "${signal#*:}" ]
		[ "$(cat err)" = "blkreel: interrupted: t.reel was not made" ]
		[ ! -e t.reel ]
	done
}

@test "a full disk: exit 1, no part of a trace is left" {
	need_root
	cd "$BATS_TEST_TMPDIR"
	mkdir small
	mount -t tmpfs -o size=16k none small
	for i in $(seq 20000); do echo "$((i * 7919)) 0 $((i * i * 7919 % 100000007)) 8 1"; done >mqsim
	run --separate-stderr "$BLKREEL" import --from mqsim mqsim -o small/t.reel
	left=$(ls small)
	umount small
	[ "$status" = 1 ]
	[[ $stderr == *"small/t.reel: No space left on device" ]]
	[ "$left" = "" ]
}

@test "--columns: units, delimiters, quotes, operations" {
	cd "$BATS_TEST_TMPDIR"
	# import_csv COLUMNS [OPTION...] <TEXT: "time_s device op sector bytes latency_ns comm pid" of each row
	import_csv() {
		local columns=$1
		shift
		"$BLKREEL" import --from csv --columns "$columns" "$@" - -o t.reel
		dump_csv t.reel | tail -n +2 | awk -F, '{ print $1, $2, $3, $4, $5, $18, $8, $9 }' | tr -s ' '
	}
	[ "$(echo 128166372003061629,Write,512,4096 | import_csv time:filetime,op,offset,size)" = "0.000000000 disk1 write 1 4096 " ]
	[ "$(echo 1 7 3 28 | import_csv time,offset:4096,sectors,op:scsi --delimiter space --device sdx)" = "0.000000000 sdx read 56 1536 " ]
	[ "$(printf '1\t0\t8\t8\n2\t1\t8\t8\n' | import_csv time:ms,op:read0,sector,size:sectors --delimiter tab)" = \
		$'0.000000000 disk1 read 8 4096 \n0.001000000 disk1 write 8 4096 ' ]
	[ "$(printf '1,0,8,8\n2,1,8,8\n' | import_csv time:ns,op:write0,sector,sectors)" = \
		$'0.000000000 disk1 write 8 4096 \n0.000000001 disk1 read 8 4096 ' ]
	[ "$(echo '1,trim,0,512,0.5,7,cp,"a ""b"""' | import_csv time,op,offset,size,latency:us,pid,comm,device)" = \
		'0.000000000 "a ""b""" discard 0 512 500 cp 7' ]
	run -4 --separate-stderr "$BLKREEL" import --from csv --columns time,op,offset,size - -o t2.reel <<<'1,0,0,512'
	[[ $stderr == *"op:read0"* ]]
	# K5cloud, and libCacheSim's csv, as docs/formats.md says.
	[ "$(printf 'ID,Timestamp,Type,Offset,Length\n3,1538323199.000123,R,4096,8192\n' | import_csv device,time,op,offset,size)" = "0.000000000 3 read 8 8192 " ]
	[ "$(printf 'version,time,op,size,lbn\n2,5633898,2a,4096,16\n' | import_csv -,time,op:scsi,size,sector)" = "0.000000000 disk1 write 16 4096 " ]
}

@test "csv: --op gives the operation of records without one" {
	printf '1,0,4096\n2,8192,512\n' >"$BATS_TEST_TMPDIR/io.csv"
	for op in read write discard; do
		run -0 "$BLKREEL" import --from csv --columns time,offset,size --op $op "$BATS_TEST_TMPDIR/io.csv" -o "$BATS_TEST_TMPDIR/t.reel"
		[ "$(dump_csv "$BATS_TEST_TMPDIR/t.reel" | cut -d, -f1,3-5)" = "time_s,op,sector,bytes
0.000000000,$op,0,4096
1.000000000,$op,16,512" ]
	done
	for words in "--columns time,op,offset,size --op read" "--columns time,offset,size" "--columns time,offset,size --op x"; do
		read -ra words <<<"$words"
		run -2 --separate-stderr "$BLKREEL" import --from csv "${words[@]}" "$BATS_TEST_TMPDIR/io.csv" -o "$BATS_TEST_TMPDIR/u.reel"
		[[ $stderr == *"--op"* ]]
	done
}

@test "fio-iolog: --time-unit reads times in ns, ms or s, to the nanosecond" {
	printf 'fio version 3 iolog\n0 f add\n0 f open\n0 f read 0 4096\n1234 f write 4096 4096\n' >"$BATS_TEST_TMPDIR/v3.log"
	printf 'fio version 2 iolog\nf add\nf open\nf read 0 4096\nf wait 1234 0\nf write 4096 4096\n' >"$BATS_TEST_TMPDIR/v2.log"
	for version in v2 v3; do
		while read -r unit seconds; do
			"$BLKREEL" -q import --from fio-iolog --time-unit "$unit" "$BATS_TEST_TMPDIR/$version.log" -o "$BATS_TEST_TMPDIR/t.reel"
			[ "$(dump_csv "$BATS_TEST_TMPDIR/t.reel" | sed -n 's/,.*//;3p')" = "$seconds" ]
		done <<-'UNITS'
			ns 0.000001234
			us 0.001234000
			ms 1.234000000
			s 1234.000000000
		UNITS
	done
	run -2 --separate-stderr "$BLKREEL" import --time-unit ns "$BATS_TEST_TMPDIR/v3.log" -o "$BATS_TEST_TMPDIR/u.reel"
	[[ $stderr == *"--time-unit is for --from fio-iolog"* ]]
}

@test "csv: names of columns are skipped, a bad first record is counted" {
	cd "$BATS_TEST_TMPDIR"
	for first in 'time,op,offset,size' '"time","op","offset","size"' '# of host 7'; do
		printf '%s\n' "$first" 1,R,0,512 >csv
		"$BLKREEL" import --from csv --columns time,op,offset,size csv -o t.reel
		[ "$(dump_csv t.reel | wc -l)" = 2 ]
	done
	for first in 1e3x,R,0,512 -1,R,0,512 99999999999999999999,R,0,512 1,R; do
		printf '%s\n' "$first" 1,R,0,512 >csv
		run -5 --separate-stderr "$BLKREEL" import --from csv --columns time,op,offset,size csv -o t.reel
		[[ $stderr == *"left out: 1 record that cannot be understood; the first: csv, line 1: "* ]]
	done
}

@test "systor: times are exact to a microsecond, and come back" {
	"$BLKREEL" dump --format systor "$GOLDEN/plain.reel" >"$BATS_TEST_TMPDIR/systor"
	grep -q ^1700000000.000078000,0.000121000,R, "$BATS_TEST_TMPDIR/systor"
	"$BLKREEL" import "$BATS_TEST_TMPDIR/systor" -o "$BATS_TEST_TMPDIR/t.reel"
	"$BLKREEL" dump --format systor "$BATS_TEST_TMPDIR/t.reel" | diff "$BATS_TEST_TMPDIR/systor" -
}

@test "a blkreel trace needs no import: one line says so" {
	run -4 --separate-stderr "$BLKREEL" import "$GOLDEN/plain.reel" -o "$BATS_TEST_TMPDIR/t.reel"
	one_line "$stderr"
	[[ $stderr == *"plain.reel: is a blkreel trace already" ]]
}

@test "import keeps Unix times as the wall clock, and no other times" {
	need_command python3
	cd "$BATS_TEST_TMPDIR"
	"$BLKREEL" import "$SAMPLES/alibaba.sample" -o t.reel
	"$BLKREEL" info t.reel | grep -qF "2019-12-31 16:00:00 UTC"
	"$BLKREEL" import "$SAMPLES/vscsi-v1.sample" -o t.reel
	run ! grep -F UTC <("$BLKREEL" info t.reel)
}

@test "IOs before the start are counted: two days in the wrong order, exit 5" {
	cd "$BATS_TEST_TMPDIR"
	for day in 1 2; do
		awk -v day=$day 'BEGIN { for (i = 0; i < 100003; i++)
			printf "0,%d,4096,R,%.4f\n", i * 8, (day - 1) * 86400 + i / 2000 }' >day$day
	done
	run -5 --separate-stderr "$BLKREEL" import --from spc - -o t.reel < <(cat day2 day1)
	[[ $stderr == *"100,003 IOs came out of order, by up to "* ]]
	[[ $stderr == *"100,003 IOs lie before the start of this trace"*"sort the input by time, or name its parts as inputs of their own, which are merged"* ]]
	# What the formats cannot hold is counted there, too.
	run -0 --separate-stderr "$BLKREEL" dump --format spc t.reel
	[[ $stderr == *"100,003 IOs are older than the start of the trace: written with time 0"* ]]
	run -0 --separate-stderr "$BLKREEL" dump --format msr t.reel
	[[ $stderr != *"with time 0"* ]]
	# Named one by one they are merged.
	run -0 --separate-stderr "$BLKREEL" import --from spc day2 day1 -o t.reel
	[[ $stderr != *"order"* && $stderr != *"before"* ]]
	"$BLKREEL" dump --format spc t.reel | cut -d, -f2 | cmp - <(cat day1 day2 | cut -d, -f2)
}

@test "numbers with exponents are read; what is no response time is counted and quoted" {
	cd "$BATS_TEST_TMPDIR"
	printf '%s\n' '0,0,4096,W,1e-05' '0,8,4096,W,1.5e-05,x' '0,16,4096,W,0.5abc' '0,24,4096,W,5.51706e-01' >spc
	run -5 --separate-stderr "$BLKREEL" import --from spc spc -o t.reel
	[[ $stderr == *"left out: 1 record that cannot be understood; the first: spc, line 3: the timestamp is no number"* ]]
	[ "$(dump_csv t.reel | sed 1d | cut -d, -f1 | paste -sd' ')" = "0.000010000 0.000015000 0.551706000" ]
	printf '%s\n' time,op,offset,size,latency 0.5,R,0,4096,1e-05 1e+00,R,0,4096,2.5e-03 1.1,R,0,4096,1s 1.2,R,0,4096, \
		1.3,R,0,4096,nan >io.csv
	run -0 --separate-stderr "$BLKREEL" import --from csv --columns time,op,offset,size,latency io.csv -o t.reel
	[[ $stderr == *"the completion of 3 IOs is not known: the response time is missing, 0 or implausible "*"; the first: io.csv, line 4 ('1s')"* ]]
	"$BLKREEL" dump --format csv t.reel | awk -F, '{ for (i = 1; i <= NF; i++) if (NR == 1 && $i == "latency_ns") column = i
		print $column }' | paste -sd' ' >latencies
	[ "$(cat latencies)" = "latency_ns 10000 2500000   " ]
}

@test "what repeats within a second is the workload: no advice of --dedup, which is refused" {
	cd "$BATS_TEST_TMPDIR"
	# A hot block, written four times a second.
	seq 0 399 | awk '{ print 1538323200 + int($1 / 4) ",2048,8,1,7" }' >tencent
	run -0 --separate-stderr "$BLKREEL" import --from tencent tencent -o t.reel
	[[ $stderr == *"all times are whole seconds"* ]]
	[[ $stderr != *"dedup"* ]]
	run -2 --separate-stderr "$BLKREEL" import --from tencent --dedup tencent -o u.reel
	[[ $stderr == *"--dedup needs times finer than 200 us: in multiples of 1.00 s,"* ]]
	run -2 --separate-stderr "$BLKREEL" import --from fio-iolog --time-unit ms --dedup tencent -o u.reel
	[[ $stderr == *"--dedup needs times finer than 200 us"* ]]
	# csv may have any times.
	csv=(--from csv --columns "time,offset,size,-,-" --op write)
	run -0 --separate-stderr "$BLKREEL" import "${csv[@]}" tencent -o t.reel
	[[ $stderr == *"all times are whole seconds"* && $stderr != *"dedup"* ]]
	run -4 --separate-stderr "$BLKREEL" import "${csv[@]}" --dedup tencent -o u.reel
	one_line "$stderr"
	[[ $stderr == *"csv: all times are whole seconds: --dedup would leave out what the workload repeats" ]]
	[ ! -e u.reel ]
}

@test "inputs without devices are a disk each, or parts of the one that --device names" {
	cd "$BATS_TEST_TMPDIR"
	for vm in 1 2; do
		printf 'start ; sector; length ; op ; ...\n' >vm$vm
		seq 1 30 | awk -v vm=$vm '{ printf "%d.%d ; %d ; 8 ; R ; 0.0 ; 0.001\n", $1, vm, $1 * 8 }' >>vm$vm
	done
	run -0 --separate-stderr "$BLKREEL" import vm1 vm2 -o t.reel
	[[ $stderr == *"the inputs name no devices: they became disk1, disk2 ... in their order; --device NAME takes them for parts of one device"* ]]
	[ "$(dump_csv t.reel | sed 1d | cut -d, -f2 | sort | uniq -c | tr -s ' ')" = " 30 disk1"$'\n'" 30 disk2" ]
	[ "$(dump_csv t.reel | sed -n '2,3s/,read.*//p' | paste -sd' ')" = "0.000000000,disk1 0.100000000,disk2" ]
	run -0 --separate-stderr "$BLKREEL" import --device sda vm1 vm2 -o t.reel
	[[ $stderr != *"name no devices"* ]]
	[ "$(dump_csv t.reel | sed 1d | cut -d, -f2 | sort | uniq -c | tr -s ' ')" = " 60 sda" ]
	run -0 --separate-stderr "$BLKREEL" import vm1 -o t.reel
	[[ $stderr != *"name no devices"* ]]
	# In a csv with a device in some lines, the others are of the input.
	printf '%s\n' 1,R,0,512,sdb 2,R,0,512, >a.csv
	printf '%s\n' 3,R,0,512, 4,R,0,512,sdb >b.csv
	"$BLKREEL" import --from csv --columns time,op,offset,size,device a.csv b.csv -o t.reel
	[ "$(dump_csv t.reel | sed 1d | cut -d, -f2 | paste -sd' ')" = "sdb disk1 disk2 sdb" ]
}

@test "a text whose first IO comes late begins with it: the time before is not idle" {
	cd "$BATS_TEST_TMPDIR"
	awk 'function event(n, at, action, sector) { printf "  8,0    1 %d %.9f    77  %s   R %d + 8 [%s]\n", n, at, action, sector, action == "C" ? 0 : "dd" }
		BEGIN { for (i = 0; i < 20000; i++) {
			event(3 * i + 1, 3600 + i / 1000, "Q", i * 8)
			event(3 * i + 2, 3600.0001 + i / 1000, "D", i * 8)
			event(3 * i + 3, 3600.0009 + i / 1000, "C", i * 8) } }' >blkparse
	"$BLKREEL" import blkparse -o t.reel
	"$BLKREEL" explain t.reel >text
	grep -qx "t.reel: 20.00 s" text
	grep -q "busy for 18.00 s of 20.00 s" text
	run ! grep -q "idle" text
	[ "$(dump_csv t.reel | sed -n '2s/,.*//p')" = 0.000000000 ]
	# The first IO that completes need not be the first.
	{ sed '1s/\(.*\) 3600.0000.*/\1 3599.500000000    77  Q   R 8 + 8 [dd]/' blkparse | head -1 && cat blkparse; } >before
	"$BLKREEL" import before -o t.reel
	[ "$(dump_csv t.reel | sed -n '2s/,.*//p')" = 0.500000000 ]
	# Within the first second the times are those of the text.
	sed 's/ 36\([0-9][0-9]\)\./ \1./; s/ 0\([0-9]\)\./ \1./' blkparse >early
	"$BLKREEL" import early -o t.reel
	[ "$(dump_csv t.reel | sed -n '1001s/,.*//p')" = 0.999000000 ]
	# Unix times give the wall clock in every text of numbers.
	printf '0,8,4096,R,1201639675.5\n0,8,4096,W,1201639695.25\n' >spc
	"$BLKREEL" import spc -o t.reel
	"$BLKREEL" info t.reel >text
	grep -q "2008-01-29 20:47:55 UTC" text
	grep -q "duration  *19\.75 s" text
	[ "$("$BLKREEL" dump --format spc t.reel | cut -d, -f5 | paste -sd' ')" = "0.000000000 19.750000000" ]
}

@test "--align moves IOs that begin at the sectors of an old partition; without it the warning names it" {
	cd "$BATS_TEST_TMPDIR"
	awk 'BEGIN { for (i = 0; i < 21; i++) printf "%f,read,%d,4096\n", i / 1000, 3584 + 4096 * i }' >rows.csv
	run -0 --separate-stderr "$BLKREEL" import --from csv --columns time,op,offset,size rows.csv -o t.reel
	[[ $stderr == *"21 IOs of disk1 begin 7 sectors above a multiple of 4 KiB,"*"; --align moves them"* ]]
	[ "$(dump_csv t.reel | cut -d, -f4 | sed -n '2,4p' | paste -sd' ')" = "7 15 23" ]
	run -0 --separate-stderr "$BLKREEL" import --align --from csv --columns time,op,offset,size rows.csv -o t2.reel
	[[ $stderr == *"addresses were moved by up to 7 sectors (disk1: by 1)"* ]]
	[ "$(dump_csv t2.reel | cut -d, -f4 | sed -n '2,4p' | paste -sd' ')" = "8 16 24" ]
	[ "$(dump_csv t2.reel | tail -n 1 | cut -d, -f4)" = 168 ]
}

@test "real traces: a production web server and MQSim's TPC-C" {
	need_command xz
	traces=$ROOT/../shared/traces
	[ -r "$traces/mqsim-tpcc-small.trace.xz" ] || skip "needs the shared sample traces"
	cd "$BATS_TEST_TMPDIR"
	"$BLKREEL" import --from mqsim "$traces/mqsim-tpcc-small.trace.xz" -o t.reel
	xz -dc "$traces/mqsim-tpcc-small.trace.xz" | awk '{ print $1, "disk" $2, $5 % 2 ? "read" : "write", $3, $4 * 512 }' | sort -n >should
	dump_csv t.reel | tail -n +2 | awk -F, '{ printf "%d %s %s %d %d\n", $1 * 1e9 + 0.5, $2, $3, $4, $5 }' | sort -n >is
	[ "$(wc -l <is)" = 6999 ]
	diff <(sort should) <(sort is)
	"$BLKREEL" dump --format mqsim t.reel | diff <(xz -dc "$traces/mqsim-tpcc-small.trace.xz" | awk '{ print $1, $2, $3, $4, $5 % 2 }') -
	"$BLKREEL" import "$traces/blkreplay-linux-webserver-2.load.gz" -o t.reel
	[ "$(dump_csv t.reel | tail -n +2 | wc -l)" = 269007 ]
	"$BLKREEL" import --dedup "$traces/blkreplay-linux-webserver-2.load.gz" -o t.reel
	[ "$(dump_csv t.reel | tail -n +2 | wc -l)" = 181679 ]
}

@test "blkreplay: text may come between the head and the first record, and the head again" {
	cd "$BATS_TEST_TMPDIR"
	{
		printf 'Copyright somebody\nstart ; sector; length ; op ; ...\n'
		printf 'Copying is allowed\n\nPLEASE rename.\n#####\nstart ; sector; length ; op ; ...\n'
		printf '  0.0 ; 2048 ; 8 ; R ; 0.0 ; 0.0\n  1.5 ; 4096 ; 16 ; W ; 0.0 ; 0.0\n'
	} >load
	run -0 --separate-stderr "$BLKREEL" import load -o t.reel
	[[ $stderr != *warning* ]]
	[ "$(dump_csv t.reel | wc -l)" = 3 ]
	echo 'no record' >>load
	run -5 --separate-stderr "$BLKREEL" import load -o t.reel
	[[ $stderr == *"left out: 1 record that cannot be understood; the first: load, line 10: no start time"* ]]
}

@test "a bzip2 file: the message names the command that decompresses it" {
	printf 'BZh91AY&SY.....' >"$BATS_TEST_TMPDIR/t.bz2"
	run -4 --separate-stderr "$BLKREEL" import --from tencent "$BATS_TEST_TMPDIR/t.bz2" -o "$BATS_TEST_TMPDIR/t.reel"
	[[ $stderr == *"t.bz2: is compressed with bzip2: give 'bzcat' of it to 'import --from FORMAT -'"* ]]
	[ ! -e "$BATS_TEST_TMPDIR/t.reel" ]
}

@test "a dump in csv without the times of a clock is refused with the reason; a row without them is told" {
	cd "$BATS_TEST_TMPDIR"
	printf '%s\n' time_s,device,op,sector,bytes,latency_ns 1,sda,read,0,4096,1000 2,sda,read,8,4096,1000 >short.csv
	run -4 --separate-stderr "$BLKREEL" import short.csv -o short.reel
	[[ $stderr == *"no IO was found"*"the header names none of created_ns, issued_ns and completed_ns; --from csv --columns takes other CSV"* ]]
	[ ! -e short.reel ]
	printf '%s\n' time_s,device,op,sector,bytes,created_ns 0,sda,read,0,4096,5000000000 1,sda,read,8,4096, >one.csv
	run -5 --separate-stderr "$BLKREEL" import one.csv -o one.reel
	[[ $stderr == *"1 IO lies before the start of this trace"* ]]
}
