# SPDX-License-Identifier: MIT
# profile: job files of fio, from a profile and to one.
# bats file_tags=sanitized
load test_helper

setup() {
	TRACE=$BATS_TEST_TMPDIR/a.reel
	PROFILE=$BATS_TEST_TMPDIR/a.profile
	make_trace "$TRACE" --rows 2000 --seed 7
}

@test "--to-fio: fio runs the job and issues its IOs" {
	need_command fio
	"$BLKREEL" profile scale mail --footprint 0.25 -o "$BATS_TEST_TMPDIR/m"
	"$BLKREEL" profile --to-fio "$BATS_TEST_TMPDIR/m" -o "$BATS_TEST_TMPDIR/job.fio"
	grep -q '^# What fio cannot express' "$BATS_TEST_TMPDIR/job.fio"
	run -2 --separate-stderr "$BLKREEL" profile --to-fio oltp -o "$BATS_TEST_TMPDIR/job.fio"
	[[ "$stderr" == *"exists already"* ]]
	truncate -s 2500M "$BATS_TEST_TMPDIR/target"
	# Counts instead of time, and any file system.
	sed 's/^number_ios=.*/number_ios=40/; s/^direct=1/direct=0/; s/^ioengine=.*/ioengine=psync/
		s/^rate_.*//; s/^group_reporting//' "$BATS_TEST_TMPDIR/job.fio" >"$BATS_TEST_TMPDIR/short.fio"
	TARGET=$BATS_TEST_TMPDIR/target fio --output-format=json --output="$BATS_TEST_TMPDIR/fio.json" \
		"$BATS_TEST_TMPDIR/short.fio"
	run -0 json "$BATS_TEST_TMPDIR/fio.json" \
		'[(j["error"], j["read"]["total_ios"] + j["write"]["total_ios"]) for j in d["jobs"]]'
	[ "$output" = "[(0, 40), (0, 40), (0, 40)]" ]
}

@test "--to-fio: the job has as many IOs as the streams; operations that fio lacks are refused" {
	run -0 "$BLKREEL" profile --to-fio mail
	counts=$(sed -n 's/^number_ios=//p' <<<"$output")
	"$BLKREEL" profile show mail --json >"$BATS_TEST_TMPDIR/s.json"
	[ "$counts" = "$(json "$BATS_TEST_TMPDIR/s.json" '"\n".join(str(s["ios"]) for s in d["streams"])')" ]
	for op in "flush 0 0" "write 0 0 preflush" "write_zeroes 0 4096"; do
		printf '%s\n' "0 1 $op" "100 1 $op" | write_trace 16777216
		"$BLKREEL" -q profile "$TRACE" -o "$PROFILE"
		run -2 --separate-stderr "$BLKREEL" profile --to-fio "$PROFILE" -o "$BATS_TEST_TMPDIR/job.fio"
		one_line "$stderr"
		[[ "$stderr" == *"fio can run none of its streams"* ]]
		[ ! -e "$BATS_TEST_TMPDIR/job.fio" ]
	done
	printf '%s\n' "0 1 read 0 4096" "100 1 flush 0 0" | write_trace 16777216
	"$BLKREEL" -q profile "$TRACE" -o "$PROFILE"
	run -0 "$BLKREEL" profile --to-fio "$PROFILE"
	[[ "$output" == *"] flush: fio has no such IO on its own."* ]]
}

@test "--from-fio: bsrange draws its sizes evenly, with '-' or ':', as fio does" {
	for range in 4k-32k 4k:32k 32k:4k 4k:32k,8k:8k; do
		printf '[a]\nrw=randread\nsize=100M\nrate_iops=100\nruntime=2\nbsrange=%s\n' "$range" >"$BATS_TEST_TMPDIR/job.fio"
		run -0 "$BLKREEL" -q profile --from-fio "$BATS_TEST_TMPDIR/job.fio" -o "$BATS_TEST_TMPDIR/p-$range"
		run -0 bash -c '"$0" profile show "$1" --json' "$BLKREEL" "$BATS_TEST_TMPDIR/p-$range"
		echo "$output" >"$BATS_TEST_TMPDIR/s.json"
		[ "$(json "$BATS_TEST_TMPDIR/s.json" 'sorted({z["bytes"] for s in d["streams"] for z in s["sizes"]} - {32768})')" = \
			"[4096, 8192, 12288, 16384, 20480, 24576, 28672]" ]
	done
	for range in 4k 4k- x:4k; do
		printf '[a]\nrw=randread\nbsrange=%s\n' "$range" >"$BATS_TEST_TMPDIR/job.fio"
		run ! "$BLKREEL" profile --from-fio "$BATS_TEST_TMPDIR/job.fio"
		[[ "$output" == *"'bsrange': '$range' is not two sizes"* ]]
	done
}

# Shares against those of the IOs that fio itself issues: 4,000 draws of each, whose shares differ by 1.1 % (one standard
# deviation) at the most.
@test "--from-fio: bsrange draws each size as often as fio, the shortest and the longest too" {
	need_command fio
	for range in 1k:16k 8k-20k; do
		printf '[a]\nrw=randread\nsize=100M\nrate_iops=2000\nruntime=2\nbsrange=%s\n' "$range" >"$BATS_TEST_TMPDIR/job.fio"
		"$BLKREEL" -q profile --from-fio "$BATS_TEST_TMPDIR/job.fio" -o "$BATS_TEST_TMPDIR/p-$range"
		"$BLKREEL" profile show "$BATS_TEST_TMPDIR/p-$range" --json >"$BATS_TEST_TMPDIR/s.json"
		rm -f "$BATS_TEST_TMPDIR/fio.log"
		fio --name=a --rw=randread --size=4M --norandommap --number_ios=4000 --io_size=1G --bsrange="$range" \
			--filename="$BATS_TEST_TMPDIR/data" --write_iolog="$BATS_TEST_TMPDIR/fio.log" >/dev/null
		python3 - "$BATS_TEST_TMPDIR/s.json" "$BATS_TEST_TMPDIR/fio.log" <<'PYTHON'
import collections, json, sys
ours, theirs = collections.Counter(), collections.Counter()
for stream in json.load(open(sys.argv[1]))["streams"]:
    for size in stream["sizes"]:
        ours[size["bytes"]] += size["ios"]
for line in open(sys.argv[2]):
    if " read " in line:
        theirs[int(line.split()[-1])] += 1
assert set(ours) == set(theirs), (sorted(ours), sorted(theirs))
for size in theirs:
    share, of_fio = ours[size] / sum(ours.values()), theirs[size] / sum(theirs.values())
    assert abs(share - of_fio) < .035, (size, share, of_fio)
PYTHON
	done
}

@test "--from-fio: takes sizes, mix, rate and flushes of the job, and names what it omits" {
	cat >"$BATS_TEST_TMPDIR/job.fio" <<-END
		[global]
		ioengine=libaio
		size=200M
		runtime=20
		time_based
		[db]
		rw=randrw
		rwmixread=70
		bssplit=4k/60:64k/40
		rate_iops=500
		[log]
		rw=write
		bs=16k
		offset=300M
		rate=1m
		fsync=10
		flow=3
	END
	run -0 --separate-stderr "$BLKREEL" profile --from-fio "$BATS_TEST_TMPDIR/job.fio" -o "$BATS_TEST_TMPDIR/p"
	one_line "$stderr"
	[[ "$stderr" == *"line 17: 'flow' is left out: no job waits"* ]]
	"$BLKREEL" profile show "$BATS_TEST_TMPDIR/p" --json >"$BATS_TEST_TMPDIR/s.json"
	# 500 reads and 500 writes a second for 20 s, as fio does whatever the mix; 64 a second of 16 KiB, and a
	# flush after each tenth.
	run -0 json "$BATS_TEST_TMPDIR/s.json" \
		'[sum(s["ios"] for s in d["streams"] if s["op"] == op) for op in ("read", "write", "flush")]'
	read -r reads writes flushes <<<"$(tr -d '[],' <<<"$output")"
	[ "$((reads + writes))" = $((20000 + 1280)) ]
	[ "$flushes" = 128 ]
	[ "$reads" -gt 9700 ]
	[ "$reads" -lt 10300 ]
	echo 'bs=4x' >>"$BATS_TEST_TMPDIR/job.fio"
	run -4 --separate-stderr "$BLKREEL" profile --from-fio "$BATS_TEST_TMPDIR/job.fio"
	[[ "$stderr" == *"line 18: 'bs': '4x' is not a size"* ]]
	echo hello >"$BATS_TEST_TMPDIR/job.fio"
	run -4 --separate-stderr "$BLKREEL" profile --from-fio "$BATS_TEST_TMPDIR/job.fio"
	[[ "$stderr" == *"is it a job file?"* ]]
	run -4 --separate-stderr "$BLKREEL" profile --from-fio "$ROOT/profiles/web.profile"
	one_line "$stderr"
	[[ "$stderr" == *"none of its "*" options is one of fio's: is it a job file?" ]]
	run -4 --separate-stderr "$BLKREEL" profile --from-fio /dev/zero # which has no end
	one_line "$stderr"
	run -2 "$BLKREEL" profile --from-fio --to-fio "$BATS_TEST_TMPDIR/job.fio"
}

@test "--from-fio: rwmixread counts only for jobs that mix, and what has no meaning is named" {
	cat >"$BATS_TEST_TMPDIR/job.fio" <<-END
		[global]
		rw=randread
		rwmixread=100
		size=100M
		runtime=10
		rate_iops=100
		[reads]
		rwmixread=30
		[all-reads]
		rw=randrw
		[tenth]
		rwmixwrite=90
		rw=randrw
		verify=md5
		[rest]
		rw=randwrite
		bs=4k,64k
		[last]
		bsrange=8k-64k
	END
	run -0 --separate-stderr "$BLKREEL" profile --from-fio "$BATS_TEST_TMPDIR/job.fio" -o "$BATS_TEST_TMPDIR/p"
	[ "$stderr" = "blkreel: warning: $BATS_TEST_TMPDIR/job.fio: line 14: 'verify' has no meaning in a profile: 'replay --stamp' and --verify check what was written" ]
	# A thousand IOs of each job that reads or writes, of a mix a thousand of either: three of reads, one of
	# writes, and a mix.
	"$BLKREEL" profile show "$BATS_TEST_TMPDIR/p" --json >"$BATS_TEST_TMPDIR/s.json"
	run -0 json "$BATS_TEST_TMPDIR/s.json" 'sum(s["ios"] for s in d["streams"] if s["op"] == "read")'
	[ "$output" -gt 3900 ]
	[ "$output" -lt 4100 ]
}

@test "--from-fio reads the zones that --to-fio writes, and names wrong ones" {
	cat >"$BATS_TEST_TMPDIR/job.fio" <<-END
		[hot]
		rw=randread
		size=64G
		number_ios=10000
		random_distribution=zoned:70/5:20/20:10/75
	END
	"$BLKREEL" -q profile --from-fio "$BATS_TEST_TMPDIR/job.fio" -o "$PROFILE" 2>/dev/null
	"$BLKREEL" profile --to-fio "$PROFILE" -o "$BATS_TEST_TMPDIR/first.fio"
	run -0 --separate-stderr "$BLKREEL" profile --from-fio "$BATS_TEST_TMPDIR/first.fio" -o "$BATS_TEST_TMPDIR/again"
	[[ $stderr != *"left out"* ]]
	"$BLKREEL" profile --to-fio "$BATS_TEST_TMPDIR/again" -o "$BATS_TEST_TMPDIR/second.fio"
	for job in first second; do
		run -0 python3 -c 'import re, sys
zones = re.search(r"zoned:(\S+)", open(sys.argv[1]).read()).group(1).split(":")
share = [int(zone.split("/")[0]) for zone in zones]
print(len(share), all(zone.endswith("/5") for zone in zones),
      abs(sum(share[:5]) - 90) <= 3, abs(sum(share[5:]) - 10) <= 3, share[0] > 50)' "$BATS_TEST_TMPDIR/$job.fio"
		[ "$output" = "20 True True True True" ]
	done
	sed -i 's/70/80/' "$BATS_TEST_TMPDIR/job.fio"
	run -4 --separate-stderr "$BLKREEL" profile --from-fio "$BATS_TEST_TMPDIR/job.fio"
	one_line "$stderr"
	[[ $stderr == *"line 5: 'random_distribution': 'zoned:80/5:20/20:10/75' is not zipf:THETA or zoned:ACCESS/SIZE:... of 100 %"* ]]
}
