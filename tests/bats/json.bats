# SPDX-License-Identifier: MIT
# docs/man/blkreel-json.5 and the JSON documents have the same fields.
# bats file_tags=sanitized
load test_helper

PAGE=$ROOT/docs/man/blkreel-json.5
GOLDEN=$ROOT/tests/golden

# What no test makes everywhere; its keys are in the sources all the same.
NOT_MADE=(
	blkreel.bench/1:pts.tracked[].{bs_bytes,read_pct,rounds,reached,mean,range_pct,slope_pct}
	# More than 1,000 processes, files, control groups or owners of these.
	blkreel.explain/1:by_{task,command,file,unit,pod,container,cgroup}_others
	# A task that the IO limit of a control group held back.
	blkreel.explain/1:waits.tasks[].limit.{cgroup,direction,bytes_per_s,ios_per_s}
	# A request that made a trigger fire.
	blkreel.info/1:host.trigger_{device,op,latency_ns,end_ns}
	# A zoned device.
	blkreel.info/1:devices[].{zoned,zone_bytes}
)
# What takes a kernel and a user that can record.
RECORDED=(
	blkreel.explain/1:cache.what_if
	blkreel.explain/1:waits.worst[].file
	cache_size
	blkreel.doctor/1:self_test
	blkreel.replay/1:trace
	blkreel.replay_files/1:{trace,replayed}
	blkreel.stat/1
	blkreel.top/1
	top_counters
	live_counters
	live_distribution
)

# document NAME COMMAND ARGUMENT...: adds its output to the documents to check, with any verdict.
document() {
	local name=$1 code=0
	shift
	timeout 120 "$BLKREEL" "$@" >"$DOCUMENTS/$name" 2>stderr || code=$?
	[ -s "$DOCUMENTS/$name" ] || {
		echo "blkreel $*: no output, exit code $code"
		cat stderr
		return 1
	}
}

# Whether all figures can be recorded here, and loop devices made.
is_recorder() {
	[ "$(id -u)" = 0 ] && [ -e /dev/loop-control ] &&
		[ "$(json "$DOCUMENTS/doctor.json" \
			"d['can_record'] and all(f['quality'] != 'unavailable' for f in d['figures'])")" = True ]
}

of_traces() {
	local trace name
	for trace in "$GOLDEN"/v1/*.reel; do
		name=$(basename "$trace" .reel)
		document "info-$name.json" info --json --verify "$trace"
		document "explain-$name.json" explain --json "$trace"
	done
	document info-plain.json info --json "$GOLDEN/v1/plain.reel"
	document explain-size.json explain --json --cache-size 8MiB "$GOLDEN/v1/accesses.reel"
	document explain-device.json explain --json -d nvme1n1 "$GOLDEN/v1/odd.reel"
	head -c 3000 "$GOLDEN/v1/plain.reel" >cut.reel
	document info-cut.json info --json cut.reel
	# A task behind the IOs of another.
	make_trace waits.reel --rows 200 --waits 700 --seed 3
	document explain-behind.json explain --json waits.reel
	make_trace a.reel --rows 3000
	make_trace b.reel --rows 2000 --odd --read-pct 30 --seed 3
	{
		list_reads 3000 500
		echo 1500000 loss io_ring 3000
	} | write_trace 1G lossy.reel
	document compare-lossy.json compare --json b.reel lossy.reel
	document compare-1.json compare --json a.reel b.reel
	document compare-2.json compare --json --exact a.reel b.reel
	document compare-3.json compare --json --exact "$GOLDEN/v1/odd.reel" "$GOLDEN/v1/priorities.reel"
	write_trace 1M c.reel <<<$'0 1 read 0 4096\n10 1 write 4096 4096\n20 1 write 4096 8192 fua'
	write_trace 1M d.reel <<<$'0 1 write 0 4096\n10 1 write 4096 8192\n20 1 read 65536 4096'
	write_trace 1M untimed.reel <<<"0 1 read 0 4096 took=0"
	document explain-untimed.json explain --json untimed.reel
	write_trace 1M flushes.reel <<<$'0 1 write 0 4096\n10 1 write 0 0 preflush'
	document explain-flushes.json explain --json flushes.reel
	document compare-6.json compare --json --fail-above latency.read.mean=2 a.reel b.reel
	document compare-runs-1.json compare --json --fail-above latency.read.mean=2 a.reel b.reel b.reel
	document compare-runs-2.json compare --json a.reel b.reel a.reel -- a.reel b.reel a.reel
	document compare-runs-3.json compare --json a.reel a.reel -- b.reel lossy.reel
	document compare-5.json compare --json --exact c.reel d.reel
	document compare-4.json compare --json "$GOLDEN/v1/no-rows.reel" a.reel
	document report-one.json report --json "$GOLDEN/v1/accesses.reel"
	document report-odd.json report --json "$GOLDEN/v1/odd.reel"
	document report-untimed.json report --json untimed.reel
	document report-none.json report --json "$GOLDEN/v1/no-rows.reel"
	document report-two.json report --json a.reel b.reel
}

of_rows() {
	local rows trace
	for rows in io cache tick hist access loss wait; do
		for trace in odd aggregate accesses stack priorities waits; do
			"$BLKREEL" dump --rows "$rows" --format json "$GOLDEN/v1/$trace.reel" >"$DOCUMENTS/dump-$rows.$trace.lines"
		done
		document "dump-$rows.two.lines" dump --rows "$rows" --format json "$GOLDEN"/v1/{aggregate,accesses,waits}.reel
	done
	document generate-device.1.lines profile generate web --count 100 --format json
	document generate-files.1.lines profile generate files.profile --count 100 --format json
}

of_profiles() {
	local profile name
	for profile in "$GOLDEN"/profiles/*.profile; do
		name=$(basename "$profile")
		document "profile-$name.json" profile show --json "$profile"
	done
	write_trace 1M f.reel <<-'END'
		0 access truncate 1 0 0 task=1
		1000 access direct_write 1 100 100 task=1
		2000 access write 1 0 4096 task=1
		3000 access read 1 0 4096 miss=1 task=2
	END
	"$BLKREEL" profile --level files f.reel -o files.profile
	document profile-files.json profile show --json files.profile
	document profile-web.json profile show --json web
	document diff-1.json profile diff --json web oltp
	document diff-2.json profile diff --json "$GOLDEN/profiles/make_trace-2000-7.profile" web
}

of_replays() {
	local list target=t.img
	list=$(for ((i = 0; i < 200; i++)); do
		echo "$((i * 100)) $((1 + i % 2)) $( ((i % 3)) && echo write || echo read) $((i * 8192)) $((4096 << i % 4))"
	done)
	write_trace 4M t.reel <<<"$list"
	head -c 4M /dev/zero | tee t2.img >$target
	document plan-reads.json replay t.reel -d disk1 --target $target --reads-only --dry-run --json
	document plan.json replay t.reel -d disk1 --target $target --write --dry-run --json
	document replay-timed.json replay t.reel -d disk1 --target $target --yes-destroy=$target --write --json
	document replay-asap.json replay t.reel -d disk1 --target $target --yes-destroy=$target --write --mode asap --dedup 20 --loop 2 --json
	document replay-depth.json replay t.reel -d disk1 --target $target --reads-only --mode depth --json
	document replay-dependent.json replay t.reel -d disk1 --target $target --yes-destroy=$target --write --mode dependent --json
	document replay-maps.json replay t.reel --map disk1=$target --map disk2=t2.img --yes-destroy=$target --write --buffered --json
	document replay-steady.json replay t.reel -d disk1 --target $target --until-steady p99 --round 1h --reads-only --json
	document bench.json bench random --target t2.img --runtime 50ms --json
	document bench-steady.json bench random --target t2.img --runtime 300ms --round 10ms --until-steady iops --json
	document bench-pts.json bench pts-saturation --target pts.img --create-size 64K --write --runtime 50ms --json
	document replay-histograms.json replay t.reel -d disk1 --target $target --reads-only --histograms --json
	document bench-source.json bench t.reel -d disk1 --target t2.img --yes-destroy=t2.img --fit wrap --write --runtime 50ms --json
	document replay-profile.json replay web --target $target --reads-only --fit wrap --mode asap --duration 1s --json
	(
		ulimit -f 256
		trap '' XFSZ
		document replay-errors.json replay t.reel -d disk1 --target $target --yes-destroy=$target --write --mode asap --json
	)
}

of_files() {
	document files-timed.json replay f.reel --files tree1 --write --json
	document files-asap.json replay f.reel --files tree2 --write --mode asap --cache as-recorded --json
	document files-profile.json replay files.profile --files tree3 --mode asap --write --json
}

of_verify() {
	write_trace 1M v.reel <<<"0 1 write 0 65536"
	"$BLKREEL" replay v.reel --target v.img --create-size 1M --write --stamp state
	document verify-1.json replay v.reel --target v.img --verify state --json
	document verify-2.json replay v.reel --target v.img --verify state --after-crash --json
	dd if=/dev/urandom of=v.img bs=4096 seek=1 count=1 conv=notrunc status=none
	document verify-3.json replay v.reel --target v.img --verify state --json
}

of_this_machine() {
	document doctor.json doctor --json
	if ! is_recorder; then
		NOT_MADE+=("${RECORDED[@]}")
		return
	fi
	setpriv --bounding-set=-all "$BLKREEL" stat --json 20ms 1 >"$DOCUMENTS/stat-not-permitted.lines"
	make_loop 8M
	document stat.lines stat --json -d "$(basename "$LOOP")" 300ms 3 &
	local stat=$!
	while kill -0 "$stat" 2>/dev/null; do
		dd if=/dev/zero of="$LOOP" bs=4096 count=50 oflag=direct conv=fsync status=none
	done
	wait "$stat"
	local by
	mount_ext4 32M
	while dd if=/dev/zero of="$MNT/file" bs=4096 count=100 conv=fsync status=none; do :; done 3>&- &
	local load=$!
	for by in process cgroup file; do
		document "top-$by.lines" top --json --by "$by" 300ms 3
	done
	kill "$load"
	wait "$load" || true
	document top-no-cache.lines top --json --no-cache 100ms 1
	document doctor-self-test.json doctor --json --self-test /var/tmp
	document replay-recorded.json replay t.reel -d disk1 --target t.img --reads-only -o r.reel --json
	document files-recorded.json replay f.reel --files tree4 --write -o r2.reel --json
	document explain-what-if.json explain --json --cache-size 8MiB r2.reel
}

@test "each field that is printed is in blkreel-json(5), and each field of blkreel-json(5) is printed" {
	need_command python3
	cd "$BATS_TEST_TMPDIR"
	DOCUMENTS=$BATS_TEST_TMPDIR/documents
	mkdir "$DOCUMENTS"
	of_traces
	of_profiles
	of_rows
	of_replays
	of_files
	of_verify
	of_this_machine
	python3 "$ROOT/tests/helpers/json_fields.py" "$PAGE" "$ROOT/userspace" "$DOCUMENTS" "${NOT_MADE[@]}"
	# What cannot be recorded here was not compared: under CI tests/run asks the kernel whether that is right.
	need_loop
	need_probes
	for figure in $(json "$DOCUMENTS/doctor.json" "' '.join(f['figure'] for f in d['figures'])"); do
		need_figure "$figure" exact bounded
	done
}
