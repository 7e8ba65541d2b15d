# SPDX-License-Identifier: MIT
# --map: several recorded devices are replayed onto several targets at once, on one clock, each with all
# checks.
# bats file_tags=sanitized
load test_helper


# Three devices; the first begins 50 ms after the trace, the second 100 ms later.
three_devices() {
	printf '%s\n' '50000 1 read 0 4096' '60000 1 write 65536 8192' '150000 2 write 4096 4096' \
		'160000 2 write 0 12288 fua' '170000 2 read 8192 4096' '250000 3 write 1048576 4096' | write_trace 16M
}

# two_loops SIZE: sets A and B.
two_loops() {
	make_loop "$1"
	A=$LOOP
	make_loop "$1"
	B=$LOOP
}

@test "each device is replayed onto its own target, on one clock" {
	need_probes
	need_loop
	two_loops 16M
	three_devices
	replay --map disk1="$A" --map /dev/disk2="$B" --write --yes-destroy="$A" --yes-destroy="$B" \
		-o "$BATS_TEST_TMPDIR/new.reel" --json
	[ "$status" = 0 ]
	[ "$(value "d['issued'], d['completed'], d['errors'], d['bytes'], d['source']['ios']")" = "(5, 5, 0, 32768, 5)" ]
	[ "$(value "[(m['source']['device'], m['target']['path'], m['completed'], m['bytes'], m['intended_duration_ns']) for m in d['maps']]")" = \
		"[('disk1', '$A', 2, 12288, 10000000), ('disk2', '$B', 3, 20480, 120000000)]" ]
	# 120 ms is when disk2 ends, counted from the first IO of disk1: no IO goes before its time.
	[ "$(value "d['maps'][1]['duration_ns'] >= 120e6, d['duration_ns'] == max(m['duration_ns'] for m in d['maps'])")" = "(True, True)" ]
	[ "$(value "d['intended_duration_ns'], d['lateness_ns']['count'], sorted(d['ops']) == sorted({o for m in d['maps'] for o in m['ops']})")" = "(120000000, 5, True)" ]
	for pair in "disk1 $A" "disk2 $B"; do
		# shellcheck disable=SC2086
		set -- $pair
		"$BLKREEL" compare --exact --json "$TRACE" "$BATS_TEST_TMPDIR/new.reel" --device-a "$1" --device-b "${2#/dev/}" >"$BATS_TEST_TMPDIR/c.json"
		[ "$(json "$BATS_TEST_TMPDIR/c.json" "[d['exact'][k] for k in ('op', 'flags', 'size', 'order', 'missing')]")" = "[0, 0, 0, 0, 0]" ]
		[ "$(json "$BATS_TEST_TMPDIR/c.json" "[e for e in d['exact']['examples'] if e['b']['op'] != 'read']")" = "[]" ]
	done
}

@test "the text has a part for each map and one for all" {
	truncate -s 16M "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
	three_devices
	replay --map disk1="$BATS_TEST_TMPDIR/a" --map disk3="$BATS_TEST_TMPDIR/b" --write --mode asap
	[ "$status" = 0 ]
	[[ $output == *"(disk1) onto $BATS_TEST_TMPDIR/a"*"2 issued, 2 completed"*"(disk3) onto $BATS_TEST_TMPDIR/b"*"1 issued"*"all together"*"3 issued, 3 completed"* ]]
	# One map is as a target and its source.
	replay --map disk2="$BATS_TEST_TMPDIR/a" --write --json
	[ "$(value "d['completed'], d['source']['device'], 'maps' in d")" = "(3, 'disk2', False)" ]
}

@test "what was recorded of one device is not held against the IOs of all" {
	awk 'BEGIN { for (i = 0; i < 400; i++) print i * 100, 1 + i % 2, "read", i * 4096, 4096, "task=1", "took=50" }' | write_trace 16M
	truncate -s 16M "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
	replay --map disk1="$BATS_TEST_TMPDIR/a" --map disk2="$BATS_TEST_TMPDIR/b" --speed 100000 --json
	[ "$status" = 0 ]
	[ "$(value "'depth_max' in d['source'], [m['source']['depth_max'] for m in d['maps']]")" = "(False, [1, 1])" ]
	replay --map disk1="$BATS_TEST_TMPDIR/a" --map disk2="$BATS_TEST_TMPDIR/b" --speed 100000
	[[ ${output#*all together} != *"the recorded device had at most"* ]]
	# The task is on both.
	replay --map disk1="$BATS_TEST_TMPDIR/a" --map disk2="$BATS_TEST_TMPDIR/b" --mode dependent --speed 100
	[[ $output == *"; 1 task"$'\n'*"; 1 task"$'\n'*"all together"*"; 2 tasks, counted on each target"* ]]
}

@test "--without needs parties that have IOs, of any device" {
	local wrong
	{
		printf '%s\n' 'task 9 900 reader' 'task 10 901 writer' 'task 11 902 idle' 'cgroup 1 /shop'
		printf '%s\n' '0 1 read 0 4096 task=9 cgroup=1' '10 2 read 4096 4096 task=10 cgroup=1' '20 1 read 8192 4096 task=9'
	} | write_trace 16M
	truncate -s 16M "$BATS_TEST_TMPDIR/a"
	for wrong in task=readr task=idle cgroup=/shop/ file=/x; do
		replay --map disk1="$BATS_TEST_TMPDIR/a" --without task=writer --without "$wrong"
		[ "$status" = 2 ]
		one_line "$stderr"
		[ -z "$output" ]
		case $wrong in
		task=*) [[ $stderr == *"'$wrong'"*"there are: task=reader, task=writer" ]] ;;
		cgroup=*) [[ $stderr == *"'$wrong'"*"there are: cgroup=/shop" ]] ;;
		file=*) [[ $stderr == *"'$wrong'"*"there are: none" ]] ;;
		esac
	done
	replay --map disk1="$BATS_TEST_TMPDIR/a" --without task=writer --from 15us
	[ "$status" = 2 ]
	[[ $stderr == *"there are: task=reader" ]]
	# Of the other device, and of one IO both: each is found.
	replay --map disk1="$BATS_TEST_TMPDIR/a" --without task=writer --json
	[ "$status" = 0 ]
	[ "$(value "d['issued'], d['source']['left_out_ios']")" = "(2, 0)" ]
	replay --map disk1="$BATS_TEST_TMPDIR/a" --without task=writer --without cgroup=/shop --json
	[ "$status" = 0 ]
	[ "$(value "d['issued'], d['source']['left_out_ios']")" = "(1, 1)" ]
}

@test "a source may go to several targets, and reads of several sources to one" {
	truncate -s 16M "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
	three_devices
	replay --map disk2="$BATS_TEST_TMPDIR/a" --map disk2="$BATS_TEST_TMPDIR/b" --write --json --mode asap
	[ "$status" = 0 ]
	[ "$(value "[m['completed'] for m in d['maps']], d['completed']")" = "([3, 3], 6)" ]
	replay --map disk1="$BATS_TEST_TMPDIR/a" --map disk2="$BATS_TEST_TMPDIR/./a" --reads-only --json --loop 2
	[ "$status" = 0 ]
	[ "$(value "[m['completed'] for m in d['maps']], d['completed']")" = "([2, 2], 4)" ]
	truncate -s 16M "$BATS_TEST_TMPDIR/new"
	replay --map disk1="$BATS_TEST_TMPDIR/a" --map disk2="$BATS_TEST_TMPDIR/b" --map disk3="$BATS_TEST_TMPDIR/new" \
		--write --yes-destroy="$BATS_TEST_TMPDIR/a" --yes-destroy="$BATS_TEST_TMPDIR/b" --json --loop 2
	[ "$status" = 0 ]
	[ "$(value "[m['completed'] for m in d['maps']], d['completed'], d['ops']['write']['completed']")" = "([4, 6, 2], 12, 8)" ]
	# The second round begins for all when the last of them has ended, and the mean gap after.
	[ "$(value "{m['intended_duration_ns'] for m in d['maps']} == {200e6 + 40e6 + 10e6, 240e6 + 120e6, 240e6 + 200e6}")" = True ]
}

# refused_maps PATTERN TARGET...: disk1, disk2 ... onto these targets. No byte of any changes.
refused_maps() {
	local pattern=$1 target before number=1
	local -a maps=()
	shift
	for target in "$@"; do
		maps+=(--map "disk$number=$target" "--yes-destroy=$target")
		number=$((number + 1))
	done
	before=$(sha256sum "$@")
	replay "${maps[@]}" --write
	[ "$status" = 3 ]
	one_line "$stderr"
	[[ $stderr == *"refused: the targets $1 and "*$pattern*"give each source of --map a target of its own"* ]]
	[ "$before" = "$(sha256sum "$@")" ]
}

@test "two sources are never written to one target, whatever its two names are" {
	need_loop
	three_devices
	cd "$BATS_TEST_TMPDIR"
	head -c 16M /dev/urandom >a
	refused_maps "are one file" "$PWD/a" "$PWD/a"
	refused_maps "are one file" "$PWD/a" "$PWD/./a"
	ln a hard
	refused_maps "are one file" "$PWD/a" "$PWD/hard"
	ln -s a soft
	refused_maps "are one file" "$PWD/soft" "$PWD/hard"
	make_loop 16M
	refused_maps "are one device" "$LOOP" "$LOOP"
	mknod node b "$((0x$(stat -c %t "$LOOP")))" "$((0x$(stat -c %T "$LOOP")))"
	refused_maps "are one device" "$LOOP" "$PWD/node"
	refused_maps "a loop device leads from one to the other" "$LOOP" "$(losetup -n -O BACK-FILE "$LOOP" | tr -d ' ')"
	truncate -s 16M b
	replay --map disk1="$PWD/b" --map disk2="$PWD/a" --map disk3="$PWD/b" --write --yes-destroy="$PWD/a"
	[ "$status" = 3 ]
	[[ $stderr == *"the targets $PWD/b and $PWD/b are one file"* ]]
	[ "$(du -k b | cut -f 1)" = 0 ]
}

@test "a disk and its partition are not two targets; its two partitions are" {
	need_loop
	need_command addpart
	three_devices
	cd "$BATS_TEST_TMPDIR"
	make_loop 64M --partscan
	addpart "$LOOP" 1 2048 32768 || skip "needs partitions on loop devices"
	addpart "$LOOP" 2 34816 32768
	for n in 1 2; do
		mknod "p$n" b "$(cut -d : -f 1 <"/sys/class/block/${LOOP#/dev/}p$n/dev")" \
			"$(cut -d : -f 2 <"/sys/class/block/${LOOP#/dev/}p$n/dev")"
	done
	refused_maps "are a disk and its partition" "$LOOP" "$PWD/p1"
	refused_maps "are a disk and its partition" "$PWD/p2" "$LOOP"
	replay --map disk1="$PWD/p1" --map disk2="$PWD/p2" --write --yes-destroy="$PWD/p1" --yes-destroy="$PWD/p2"
	[ "$status" = 0 ]
}

@test "each target is confirmed, and nothing is written before all are" {
	need_loop
	local a b
	two_loops 16M
	three_devices
	a=$(sha256sum <"$A") b=$(sha256sum <"$B")
	for option in "" "--yes-destroy=$A" "--yes-destroy=$B" "--yes-destroy=$A --yes-destroy=$B --yes-destroy=/dev/null"; do
		# shellcheck disable=SC2086
		replay --map disk1="$A" --map disk2="$B" --write $option </dev/null
		[ "$status" = 3 ]
		one_line "$stderr"
	done
	[[ $stderr == *"'/dev/null' is none of the 2 targets"* ]]
	replay --map disk1="$A" --map disk2="$B" --write --yes-destroy="$A" </dev/null
	[[ $stderr == *"--yes-destroy=$B"* ]]
	[ "$a $b" = "$(sha256sum <"$A") $(sha256sum <"$B")" ]
	replay --map disk1="$A" --map disk2="$B" --write --yes-destroy="$A" --yes-destroy="${B#/dev/}"
	[ "$status" = 0 ]
	[ "$a" != "$(sha256sum <"$A")" ]
	[ "$b" != "$(sha256sum <"$B")" ]
}

@test "on a terminal replay asks for each target" {
	need_loop
	need_command script
	local a b
	two_loops 16M
	three_devices
	a=$(sha256sum <"$A") b=$(sha256sum <"$B")
	run script -qec "$BLKREEL replay $TRACE --map disk1=$A --map disk2=$B --write" /dev/null < <(printf '%s\n' "$A" "$A")
	[ "$status" = 3 ]
	[[ $output == *"$A: whole device"*"$B: whole device"*"'$A' is not the target: name $B"* ]]
	[ "$a $b" = "$(sha256sum <"$A") $(sha256sum <"$B")" ]
	run script -qec "$BLKREEL replay $TRACE --map disk1=$A --map disk2=$B --write" /dev/null < <(printf '%s\n' "$A" "$B")
	[ "$status" = 0 ]
}

@test "a refused target does not change the others" {
	need_loop
	need_command mkfs.ext4
	local a b
	two_loops 16M
	three_devices
	mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$B"
	a=$(sha256sum <"$A") b=$(sha256sum <"$B")
	replay --map disk1="$A" --map disk2="$B" --write --yes-destroy="$A" --yes-destroy="$B"
	[ "$status" = 3 ]
	one_line "$stderr"
	[[ $stderr == *"$B carries a signature: ext4"* ]]
	truncate -s 1M "$BATS_TEST_TMPDIR/small"
	replay --map disk1="$A" --map disk3="$BATS_TEST_TMPDIR/small" --write --yes-destroy="$A"
	[ "$status" = 3 ]
	one_line "$stderr"
	[[ $stderr == *"small is too small"* ]]
	replay --map disk1="$A" --map disk2="$TRACE" --write --yes-destroy="$A"
	[ "$status" = 3 ]
	[[ $stderr == *"is the source itself"* ]]
	replay --map disk1="$BATS_TEST_TMPDIR/new" --map disk3="$BATS_TEST_TMPDIR/small" --create-size 1M --write
	[ "$status" = 3 ]
	[ ! -e "$BATS_TEST_TMPDIR/new" ]
	[ "$a $b" = "$(sha256sum <"$A") $(sha256sum <"$B")" ]
}

@test "wrong maps: a usage error with the right form" {
	three_devices
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	for wrong in "--map disk1" "--map =f" "--map disk1=" "--map disk1=f --target f" "--map disk1=f --source disk1" \
		"--map disk1=f --map disk2=f --until-steady iops"; do
		# shellcheck disable=SC2086
		replay $wrong
		[ "$status" = 2 ]
		[ -z "$output" ]
		[ -n "$stderr" ]
	done
	replay --map disk1="$BATS_TEST_TMPDIR/f" --map sdz="$BATS_TEST_TMPDIR/f" --reads-only
	[ "$status" = 2 ]
	one_line "$stderr"
	[[ $stderr == *"no requests of a device 'sdz'; there are: disk1 (2 IOs), disk2 (3 IOs), disk3 (1 IO)"* ]]
	run --separate-stderr "$BLKREEL" replay "$ROOT/tests/golden/profiles/short.profile" --map disk1="$BATS_TEST_TMPDIR/f" --reads-only
	[ "$status" = 2 ]
	one_line "$stderr"
}

@test "--series has rows of each map that add up to its total" {
	truncate -s 16M "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b,\"c"
	awk 'BEGIN { for (i = 0; i < 61; i++) print i * 5000, 1 + i % 2, i % 5 ? "read" : "write", i * 4096, 4096 }' | write_trace 16M
	replay --map disk1="$BATS_TEST_TMPDIR/a" --map disk2="$BATS_TEST_TMPDIR/b,\"c" --write --round 100ms \
		--series "$BATS_TEST_TMPDIR/s.csv" --json
	[ "$status" = 0 ]
	run python3 - "$BATS_TEST_TMPDIR/s.csv" "$BATS_TEST_TMPDIR" <<-'END'
		import csv, sys
		rows = list(csv.DictReader(open(sys.argv[1], newline="")))
		for source in "disk1", "disk2":
		    own = [r for r in rows if r["source"] == source]
		    print(source, *(sum(int(r[key]) for r in own) for key in ("ios", "read_bytes", "write_bytes")), {r["target"][len(sys.argv[2]) + 1:] for r in own}, len(own) >= 2)
		print(all(None not in r and None not in r.values() for r in rows))
	END
	echo "$output"
	[ "${lines[0]}" = "disk1 31 $((24 * 4096)) $((7 * 4096)) {'a'} True" ]
	[ "${lines[1]}" = "disk2 30 $((24 * 4096)) $((6 * 4096)) {'b,\"c'} True" ]
	[ "${lines[2]}" = "True" ]
	replay --map disk1="$BATS_TEST_TMPDIR/a" --map disk2="$BATS_TEST_TMPDIR/a" --reads-only --series "$BATS_TEST_TMPDIR/s.csv"
	[ "$status" = 1 ]
	one_line "$stderr"
}

@test "--on-error stop ends the replay on all targets" {
	need_loop
	two_loops 16M
	printf '%s\n' '0 1 read 0 4096' '0 2 read 8388608 4096' '3600000000 1 read 0 4096' | write_trace 16M
	truncate -s 64K "$(losetup -n -O BACK-FILE "$B" | tr -d ' ')"
	replay --map disk1="$A" --map disk2="$B" --on-error stop --json
	[ "$status" = 1 ]
	one_line "$stderr"
	[ "$(value "d['stopped_at_error'], d['errors'], d['maps'][1]['errors'], d['maps'][0]['completed'] <= 1")" = "(True, 1, 1, True)" ]
	[ "$(value "d['errors_by'] == d['maps'][1]['errors_by'] and d['errors_by'][0]['op']")" = read ]
}

@test "an interrupt ends the replay on all targets with a report" {
	truncate -s 16M "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
	printf '%s\n' '0 1 read 0 4096' '0 2 read 0 4096' '3600000000 1 read 0 4096' '3600000000 2 read 0 4096' | write_trace 16M
	BLKREEL_FORCE_PROGRESS=1 timeout 300 "$BLKREEL" replay "$TRACE" --map disk1="$BATS_TEST_TMPDIR/a" --map disk2="$BATS_TEST_TMPDIR/b" --json \
		>"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	local replayer=$! code=0
	wait_until grep -q "replay: 2 of 4 IOs" "$BATS_TEST_TMPDIR/err"
	kill -INT "$(pgrep -P "$replayer")"
	wait "$replayer" || code=$?
	output=$(cat "$BATS_TEST_TMPDIR/out")
	[ "$code" = 130 ]
	[ "$(value "d['stopped'], d['completed'], [m['completed'] for m in d['maps']]")" = "(True, 2, [1, 1])" ]
}
