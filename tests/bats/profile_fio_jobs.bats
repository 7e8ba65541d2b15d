# SPDX-License-Identifier: MIT
# profile --from-fio: what fio replaces in a job file, jobs that wait for each other, values for each direction,
# and what is refused, with its line.
# bats file_tags=sanitized
load test_helper

setup() {
	JOB=$BATS_TEST_TMPDIR/job.fio
	PROFILE=$BATS_TEST_TMPDIR/p
}

teardown() {
	clean_up
}

# Reads the job file from standard input; "shown" is what the profile of it has.
import_job() {
	cat >"$JOB"
	run -0 --separate-stderr "$BLKREEL" profile --from-fio "$JOB" -o "$PROFILE"
	"$BLKREEL" profile show "$PROFILE" --json >"$BATS_TEST_TMPDIR/shown.json"
	rm "$PROFILE"
}

shown() {
	json "$BATS_TEST_TMPDIR/shown.json" "$1"
}

# How many IOs there are of each operation and size: "read 4096: 12, write 8192: 3".
counts() {
	shown '", ".join(f"{op} {size}: {n}" for (op, size), n in sorted(__import__("functools").reduce(
		lambda all, z: {**all, z[0]: all.get(z[0], 0) + z[1]},
		[((s["op"], z["bytes"]), z["ios"]) for s in d["streams"] for z in s["sizes"]], {}).items()))'
}

# refused TEXT: the job file on standard input is refused with this message, and with nothing else.
refused() {
	cat >"$JOB"
	run -4 --separate-stderr "$BLKREEL" profile --from-fio "$JOB" -o "$PROFILE"
	echo "$stderr"
	[ "$stderr" = "blkreel: $JOB: $1" ]
	[ ! -e "$PROFILE" ]
}

@test "variables of the environment, \$pagesize, \$ncpus, \$mb_memory, sums and comments" {
	SIZE=4m MIX=30 import_job <<-'END'
		; fio takes what follows a semicolon or a hash for a comment, wherever it is
		[a]
		rw=randrw   # both
		rwmixread=${MIX}
		size=${SIZE}	; four
		bs=2*$pagesize
		rate_iops=1
		[b]
		rw=write
		size=$mb_memory*0+(1m+1Mb)/2
		bs=4K
		numjobs=$ncpus
		rate_iops=1000000
		directory=${NOT_SET_AND_OF_NO_MEANING}
	END
	[ -z "$stderr" ]
	[ "$(shown 'sorted({z["bytes"] for s in d["streams"] for z in s["sizes"]})')" = "[4096, $((2 * $(getconf PAGESIZE)))]" ]
	# 1 MiB of 4 KiB by each copy, and the mix: one read and one write a second, for a minute.
	[ "$(shown 'sum(s["ios"] for s in d["streams"] if s["op"] == "write") - sum(s["ios"] for s in d["streams"] if s["op"] == "read") - 256 * '"$(getconf _NPROCESSORS_ONLN)"' in range(-40, 41)')" = True ]
}

@test "reads, writes and trims have values of their own" {
	import_job <<-'END'
		[a]
		rw=randrw
		rwmixread=50
		bs=4k,64k
		rate_iops=300,100
		size=1g
		runtime=10
		time_based
	END
	[ -z "$stderr" ]
	# 3,000 and 1,000, drawn.
	[[ $(counts) =~ ^read\ 4096:\ (2[89]|3[01])[0-9][0-9],\ write\ 65536:\ (9|10)[0-9][0-9]$ ]]
	import_job <<-'END'
		[a]
		rw=randrw
		bssplit=4k/100,8k/50:16k/50
		rate_iops=100
		size=1g
		runtime=10
	END
	[[ $(counts) =~ ^read\ 4096:\ [0-9]+,\ write\ 8192:\ [45][0-9][0-9],\ write\ 16384:\ [45][0-9][0-9]$ ]]
	import_job <<-'END'
		[a]
		rw=trimwrite
		bs=16k
		size=16m
		rate_iops=100
	END
	[ "$(counts)" = "discard 16384: 1024, write 16384: 1024" ]
}

@test "a job with stonewall begins when all jobs before have ended" {
	cat >"$JOB" <<-'END'
		[global]
		rate_iops=1000
		size=4m
		[first]
		rw=read
		[beside]
		rw=trim
		[then]
		stonewall
		rw=write
		startdelay=1
	END
	run -0 --separate-stderr "$BLKREEL" profile --from-fio "$JOB" -o "$PROFILE"
	[ -z "$stderr" ]
	run -0 --separate-stderr "$BLKREEL" profile generate "$PROFILE" -f json
	[ "$(python3 -c 'import json, sys
rows = [json.loads(line) for line in sys.stdin if line.strip()]
time = {op: [r["time_ns"] for r in rows if r["op"] == op] for op in ("read", "discard", "write")}
print({op: len(times) for op, times in time.items()}, min(time["write"]) > max(time["read"] + time["discard"]), min(time["discard"]) < max(time["read"]))' <<<"$output")" = \
		"{'read': 1024, 'discard': 1024, 'write': 1024} True True" ]
}

@test "include reads a file from the folder of the job file, and a file that includes itself is refused" {
	mkdir "$BATS_TEST_TMPDIR/parts"
	printf 'bs=16k\nsize=16m\nrate_iops=1000\n' >"$BATS_TEST_TMPDIR/parts/common.inc"
	cd /
	import_job <<-'END'
		[global]
		include parts/common.inc
		[a]
		rw=read
	END
	[ -z "$stderr" ]
	[ "$(counts)" = "read 16384: 1024" ]
	refused "line 2: 'parts/none.inc' is to be included and cannot be read" <<-'END'
		[global]
		include parts/none.inc
	END
	echo 'bs=16q' >>"$BATS_TEST_TMPDIR/parts/common.inc"
	refused "line 4 of common.inc: 'bs': '16q' is not a size" <<-'END'
		[a]
		include parts/common.inc
	END
	echo 'include job.fio' >"$BATS_TEST_TMPDIR/parts/common.inc"
	cp "$BATS_TEST_TMPDIR/parts/common.inc" "$JOB"
	refused "line 1 of job.fio: 'job.fio' is included too deep: does a file include itself?" <"$BATS_TEST_TMPDIR/parts/common.inc"
}

@test "what cannot be done is refused with its line, what has no meaning is left out with its line" {
	refused "line 3: 'rw': 'FIO_RW' is not set in the environment" <<-'END'
		[a]
		size=1g
		rw=${FIO_RW}
	END
	refused "line 2: [burn] does no IO of data (its ioengine), and no other job does" <<-'END'
		[burn]
		ioengine=cpuio
	END
	refused "line 2: 'size': '8z' is not a size in bytes: a profile knows no zones" <<-'END'
		[a]
		size=8z
	END
	refused "line 2: 'bs': '4k*' is not a size" <<-'END'
		[a]
		bs=4k*
	END
	import_job <<-'END'
		[burn]
		ioengine=cpuio
		stonewall
		[a]
		rw=read
		size=4m
		rate_iops=1000
		ramp_time=5
		buffered=1
		nothing_of_fio=1
		exitall
		flow=8
	END
	echo "$stderr"
	[ "$stderr" = "blkreel: warning: $JOB: line 4: 'burn' does no IO of data (ioengine): the job is left out
blkreel: warning: $JOB: line 8: 'ramp_time' has no meaning in a profile: use 'replay --ramp'
blkreel: warning: $JOB: line 9: 'buffered' has no meaning in a profile: 'replay --buffered' uses the page cache
blkreel: warning: $JOB: line 10: 'nothing_of_fio' is not understood and left out
blkreel: warning: $JOB: line 11: 'exitall' is left out: each job runs to its own end
blkreel: warning: $JOB: line 12: 'flow' is left out: no job waits for another one's IOs" ]
	[ "$(counts)" = "read 4096: 1024" ]
}

@test "a job with too many IOs is cut, and says so" {
	import_job <<-'END'
		[a]
		rw=read
		size=1g
		rate_iops=100000
	END
	[ "$stderr" = "blkreel: warning: $JOB: [a] would do 262,144 IOs: the first 131,072 stand for all" ]
	[ "$(counts)" = "read 4096: 131072" ]
	import_job <<-'END'
		[a]
		rw=randread
		size=1g
		rate_iops=1000
		runtime=2
		time_based
	END
	[ -z "$stderr" ]
}

@test "a size in per cent is of the files, or of an assumed target, which is said" {
	import_job <<-'END'
		[a]
		rw=read
		bs=1m
		size=25%
		rate_iops=1000
	END
	[ "$stderr" = "blkreel: warning: $JOB: [a] has a size in per cent: a target of 1 GiB is assumed" ]
	[ "$(counts)" = "read 1048576: 256" ]
	import_job <<-'END'
		[a]
		rw=read
		bs=1m
		filesize=16m
		nrfiles=4
		size=50%
		loops=2
		rate_iops=1000
	END
	[ "$(counts)" = "read 1048576: 64" ]
}

# The truth is fio's own count of what it did.
@test "each job does as many IOs of as many bytes as fio does of it" {
	need_command fio
	cat >"$JOB" <<-END
		[global]
		filename=$BATS_TEST_TMPDIR/target
		size=4m
		randrepeat=1
		[reads]
		rw=read
		bs=8k
		[mixed]
		stonewall
		rw=randrw
		bs=4k,16k
		[few]
		wait_for_previous
		rw=randwrite
		bs=4k
		io_size=1m
		[twice]
		stonewall
		rw=randread
		bs=32k
		numjobs=2
		group_reporting
	END
	cd "$BATS_TEST_TMPDIR"
	fio --output-format=json --output="$BATS_TEST_TMPDIR/fio.json" "$JOB"
	"$BLKREEL" -q profile --from-fio "$JOB" -o "$PROFILE"
	"$BLKREEL" profile show "$PROFILE" --json >"$BATS_TEST_TMPDIR/shown.json"
	run -0 python3 -c 'import json, sys
fio, ours = (json.load(open(path)) for path in sys.argv[1:])
jobs = {j["jobname"]: j for j in fio["jobs"]}
ios = lambda name, op: jobs[name][op]["total_ios"]
print("fio", {n: (ios(n, "read"), ios(n, "write")) for n in jobs})
sizes = {}
for stream in ours["streams"]:
    for size in stream["sizes"]:
        key = stream["op"], size["bytes"]
        sizes[key] = sizes.get(key, 0) + size["ios"]
print("blkreel", sizes)
close = lambda key, wanted, by: abs(sizes[key] - wanted) <= by
# What is drawn differs by chance, here by less than four standard deviations.
assert close(("read", 8192), ios("reads", "read"), 2)
assert close(("read", 32768), ios("twice", "read"), 2)
assert close(("read", 4096), ios("mixed", "read"), 80)
assert close(("write", 16384), ios("mixed", "write"), 80)
assert close(("write", 4096), ios("few", "write"), 2)' "$BATS_TEST_TMPDIR/fio.json" "$BATS_TEST_TMPDIR/shown.json"
}

@test "replay takes a job file as it is, by its name, and says the line of what is wrong" {
	truncate -s 16M "$BATS_TEST_TMPDIR/target"
	cat >"$JOB" <<-'END'
		[global]
		size=4m
		bs=16k
		[reads]
		rw=read
		[then]
		stonewall
		rw=randread
		bs=4k
		verify=md5
	END
	run --separate-stderr "$BLKREEL" replay "$JOB" --target "$BATS_TEST_TMPDIR/target" --mode asap --json
	[ "$status" = 0 ]
	[[ $stderr == *"$JOB: line 10: 'verify' has no meaning in a profile"* ]]
	[ "$(value "d['completed'], d['bytes'], d['source']['path']")" = "($((256 + 1024)), $((2 * 4194304)), '$JOB')" ]
	run --separate-stderr "$BLKREEL" replay "$JOB" --target "$BATS_TEST_TMPDIR/target" --mode asap --runtime 1s --loop 1000000000 --json
	[ "$status" = 0 ]
	[ "$(value "d['runtime_over']")" = True ]
	# One that writes is refused like any other source.
	sed -i 's/randread/randwrite/' "$JOB"
	run --separate-stderr "$BLKREEL" replay "$JOB" --target "$BATS_TEST_TMPDIR/target" --mode asap
	[ "$status" = 3 ]
	echo 'bs=none' >>"$JOB"
	run --separate-stderr "$BLKREEL" replay "$JOB" --target "$BATS_TEST_TMPDIR/target" --mode asap
	[ "$status" = 4 ]
	[ "$stderr" = "blkreel: $JOB: line 11: 'bs': 'none' is not a size" ]
	[ -z "$output" ]
	rm "$JOB"
	run --separate-stderr "$BLKREEL" replay "$JOB" --target "$BATS_TEST_TMPDIR/target" --mode asap
	[ "$status" = 1 ]
	one_line "$stderr"
}
