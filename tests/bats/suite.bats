# bats file_tags=once
# SPDX-License-Identifier: MIT
# The suite itself: it ends, whatever a test does, and its last line counts every result.
load test_helper

# Without the folder that bats adds.
SYSTEM_PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# Runs the made-up files of the test with tests/run, as make check does, but with a limit of 5 seconds (LIMIT) a test.
suite() {
	run timeout 120 env -i PATH="$SYSTEM_PATH" HOME="$HOME" BLKREEL_TEST_TIMEOUT="${LIMIT:-5}" "$@"
	echo "$output"
}

# made_up NAME: a file of tests from standard input, where bats does not look for them.
made_up() {
	sed 's/^TEST /@test /' >"$BATS_TEST_TMPDIR/$1"
}

# counts TEXT: expects it as the last line.
counts() {
	[ "${lines[-1]}" = "$1" ]
}

nobody_runs() {
	! grep -qsa "$1" /proc/[0-9]*/cmdline
}

@test "a test that fails and leaves a process with its output is one failure" {
	made_up left.bats <<-'END'
		TEST "first" { true; }
		TEST "leaves a recorder" { sleep 7701 & false; }
		TEST "leaves a session" { setsid sleep 7701 & true; }
		TEST "last" { skip "needs nothing"; }
	END
	suite "$ROOT/tests/run" "$BATS_TEST_TMPDIR/left.bats"
	[ "$status" = 1 ]
	[[ $output == *"not ok 2 leaves a recorder"* ]]
	counts "2 passed, 1 failed, 1 skipped"
	nobody_runs 7701
}

@test "a test that hangs is a failure with its name, and the others run" {
	made_up hang.bats <<-'END'
		TEST "first" { true; }
		TEST "hangs in a command" { sleep 7702; }
		TEST "hangs below run, out of reach of bats" { run bash -c 'trap "" TERM; sleep 7702; :'; }
		TEST "hangs in the shell" { while :; do sleep 0.1; done; }
		TEST "last" { true; }
	END
	suite "$ROOT/tests/run" "$BATS_TEST_TMPDIR/hang.bats"
	[ "$status" = 1 ]
	[[ $output == *"not ok 2 hangs in a command # timed out"* ]]
	[[ $output == *"not ok 3 hangs below run, out of reach of bats # timed out"* ]]
	[[ $output == *"not ok 4 hangs in the shell # timed out"* ]]
	counts "2 passed, 3 failed, 0 skipped"
	nobody_runs 7702
}

@test "a test that cannot be ended ends its file, and the rest of it is a failure" {
	made_up deaf.bats <<-'END'
		TEST "first" { true; }
		TEST "is deaf" { trap "" ABRT; while :; do sleep 0.1 || true; done; }
		TEST "third" { true; }
		TEST "fourth" { true; }
	END
	suite "$ROOT/tests/run" "$BATS_TEST_TMPDIR/deaf.bats"
	[ "$status" = 1 ]
	[[ $output == *"not ok 2 is deaf # timed out"* ]]
	[[ $output == *"not ok 2 tests after it did not run"* ]]
	counts "1 passed, 2 failed, 0 skipped"
}

@test "a suite that is no bats file has a limit, too" {
	suite "$ROOT/tests/supervise" --quiet-limit 1 --grace 1 bash -c 'echo ok before; trap "" TERM; while :; do sleep 1; done'
	[ "$status" = 124 ]
	[[ $output == *"not ok (after the line: ok before) # timed out: no line for 1 s"* ]]
	suite "$ROOT/tests/supervise" --limit 1 bash -c 'while :; do echo ok; sleep 0.2; done'
	[ "$status" = 124 ]
	[[ ${lines[-1]} == "not ok"*"# timed out: the suite took 1 s" ]]
}

@test "a suite that ignores a signal runs tests that do not" {
	made_up hup.bats <<-'END'
		TEST "hangup ends a process" { run bash -c 'kill -HUP $$; sleep 0.1'; [ "$status" = 129 ]; }
	END
	suite nohup "$ROOT/tests/run" "$BATS_TEST_TMPDIR/hup.bats"
	counts "1 passed, 0 failed, 0 skipped"
}

@test "only a test that the kernel disturbed is tried again; each try is listed, and why" {
	made_up again.bats <<-END
		BATS_TEST_DIRNAME=$ROOT/tests/bats
		load test_helper
		DISTURBED_BY="reclaim skip"
		reclaimed() { RECLAIMS_BEFORE=\$((RECLAIMS_BEFORE - 7)); }
		teardown() { clean_up; rm -rf "\${ELSEWHERE:-}"; }
		TEST "pages were reclaimed" { reclaimed; echo "lost 7"; [ "\$BATS_TEST_TRY_NUMBER" = 2 ]; }
		TEST "never works" { reclaimed; false; }
		TEST "hangs" { reclaimed; sleep 7707; }
		TEST "calls were skipped" { DISTURBED_BY=skip; echo "0 loss recursion 3" | write_trace 1M; [ "\$BATS_TEST_TRY_NUMBER" = 3 ]; }
		TEST "also elsewhere" { DISTURBED_BY=skip; ELSEWHERE=\$(make_outside -d /dev/shm/blkreel-test-XXXXXX); echo "0 loss recursion 5" | write_trace 1M "\$ELSEWHERE/t.reel"; [ "\$BATS_TEST_TRY_NUMBER" = 2 ]; }
		TEST "fails once" { DISTURBED_BY=skip; [ "\$BATS_TEST_TRY_NUMBER" = 2 ]; }
		TEST "does not mind" { DISTURBED_BY=; reclaimed; [ "\$BATS_TEST_TRY_NUMBER" = 2 ]; }
	END
	LIMIT=20 suite "$ROOT/tests/run" "$BATS_TEST_TMPDIR/again.bats"
	counts "3 passed, 4 failed, 0 skipped"
	[[ $output == *"#   the kernel took "*"#   lost 7"* ]]
	[[ $output == *"#   the kernel skipped 3 calls of probes"*"#   the kernel skipped 5 calls of probes"* ]]
	[[ $output == *"not ok 3 hangs # timed out after 20s"* ]]
	# The list of failures says what failed.
	[[ ${output##*Failed:} == *"never works"*"reclaimed; false; }' failed"*"hangs"* ]]
	for times in "1 pages were reclaimed" "2 never works" "0 hangs" "2 calls were skipped" "1 also elsewhere" "0 fails once" "0 does not mind"; do
		# Beside its tries, a failure is listed once.
		tries=$(grep -c "^# tried again: ${times#* }" <<<"$output" || true)
		[ "$tries" = "${times%% *}" ]
	done
}

@test "losses of a trace disturb a test that asks for probes, and no other" {
	[ -r /sys/kernel/btf/vmlinux ] || skip "needs a kernel with BTF"
	made_up default.bats <<-END
		BATS_TEST_DIRNAME=$ROOT/tests/bats
		load test_helper
		need_root() { true; }
		TEST "records" { need_probes; echo "0 loss recursion 3" | write_trace 1M; [ "\$BATS_TEST_TRY_NUMBER" = 2 ]; }
		TEST "makes a trace" { echo "0 loss recursion 3" | write_trace 1M; [ "\$BATS_TEST_TRY_NUMBER" = 2 ]; }
	END
	LIMIT=20 suite "$ROOT/tests/run" "$BATS_TEST_TMPDIR/default.bats"
	counts "1 passed, 1 failed, 0 skipped"
	[[ $output == *"# tried again: records"* ]]
	[[ $output != *"# tried again: makes a trace"* ]]
}

# page_out FILE: pages of it are in the cache, and leave it.
page_out() {
	python3 - "$1" <<-'END'
		import mmap, sys
		with open(sys.argv[1], "r+b") as file, mmap.mmap(file.fileno(), 0) as pages:
		    sum(pages[::4096])
		    pages.madvise(21, 0, 4096)  # MADV_PAGEOUT
	END
}

@test "pages that the kernel took out of a test's files disturb it, also once they are read again; dropped and others' do not" {
	need_loop
	join_own_group
	make_loop 64M
	mount_new ext4
	make_file f 4
	sync -f "$MNT"
	[ "$(evicted_pages)" = 0 ]
	dd if="$MNT/f" iflag=nocache count=0 status=none
	[ "$(evicted_pages)" = 0 ]
	# A few pages are enough.
	for _ in 1 2 3; do
		# shellcheck disable=SC2034 # disturbance reads it
		RECLAIMS_BEFORE=$(reclaims)
		page_out "$MNT/f"
		[ "$(evicted_pages)" -gt 0 ]
		cat "$MNT/f" >/dev/null
		DISTURBED_BY=reclaim disturbance
	done
	[ -n "$OWN_GROUP" ] || skip "needs the memory controller of cgroups"
	refaults() { awk '$1 == "workingset_refault_file" { print $2 }' "$OWN_GROUP/memory.stat"; }
	before=$(refaults)
	(
		echo $BASHPID >"$LEFT_GROUP/cgroup.procs"
		cp "$MNT/f" "$MNT/elsewhere"
		sync "$MNT/elsewhere"
		page_out "$MNT/elsewhere"
		cat "$MNT/elsewhere" >/dev/null
	)
	sleep 3
	[ "$(refaults)" = "$before" ]
}

@test "under CI a skip is a failure, but for what this machine lacks or another program took" {
	# shellcheck disable=SC2034 # skip_is_honest reads it
	local CI=true BTF=$BATS_TEST_TMPDIR/btf
	eval "$(sed -n '/^kernel_has() {/,/^}/p; /^skip_is_honest() {/,/^}/p' "$ROOT/tests/run" | sed "s|/sys/kernel/btf/vmlinux|$BTF|")"
	cd "$BATS_TEST_TMPDIR"
	honest() { skip_is_honest "$1" || { echo "a failure: $1" && return 1; }; }
	lies() { ! skip_is_honest "$1" || { echo "no failure: $1" && return 1; }; }
	honest "another program took /dev/loop7 meanwhile"
	honest "other tasks have the number"
	honest "needs the command blkreel-nothing"
	honest "needs device mapper"
	lies "needs the command bash"
	lies "something else"
	echo "btf_trace_sched_waking" >"$BTF"
	lies "needs a kernel where waits is exact or bounded"
	honest "needs a kernel where cache_demand_misses is exact"
	echo "btf_trace_mm_filemap_get_pages" >"$BTF"
	lies "needs a kernel where cache_demand_misses is exact"
	npm() { true; }
	lies "needs the packages of report/package-lock.json"
	unset -f npm
	PATH='' honest "needs the packages of report/package-lock.json"
	honest "needs the Python packages of tools/install-analytics"
	mkdir -p build/analytics-venv
	touch build/analytics-venv/installed.txt
	lies "needs the Python packages of tools/install-analytics --spark"
}

@test "a file that ends early is a failure" {
	made_up early.bats <<-'END'
		TEST "first" { true; }
		TEST "ends bats" { kill -9 $PPID; }
		TEST "third" { true; }
	END
	suite "$ROOT/tests/run" "$BATS_TEST_TMPDIR/early.bats"
	[ "$status" = 1 ]
	[[ ${lines[-1]} == *" failed, 0 skipped" ]]
	[[ ${lines[-1]} != *" 0 failed, "* ]]
}

@test "the number of a job that comes in two parts is one number, and a job that is not reported once is a failure" {
	# shellcheck disable=SC2034 # what the functions of tests/run use
	local cut='' job='' failures=''
	# shellcheck disable=SC2034
	local -a jobs=([1]="unit build a" [2]="unit build b" [3]="unit build c") reported=([1]=1 [3]=2)
	eval "$(sed -n '/^next_job() {/,/^}/p; /^check_reports() {/,/^}/p; /^title() {/,/^}/p' "$ROOT/tests/run")"
	fail() { failures+="$1;"; }
	mkfifo "$BATS_TEST_TMPDIR/ended"
	exec 7<>"$BATS_TEST_TMPDIR/ended"
	printf 2 >&7
	next_job 0.1 && false
	printf '30\n31\n' >&7
	next_job 60
	[ "$job" = 230 ]
	next_job 60
	[ "$job" = 31 ]
	exec 7>&-
	check_reports
	[ "$failures" = "b: reported 0 times;c: reported 2 times;" ]
}

@test "who ends the suite ends all that it started" {
	made_up long.bats <<-'END'
		TEST "long" { touch "$FILE"; setsid sleep 7705 & sleep 7705; }
	END
	env -i PATH="$SYSTEM_PATH" FILE="$BATS_TEST_TMPDIR/begun" "$ROOT/tests/run" "$BATS_TEST_TMPDIR/long.bats" >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
	suite=$!
	wait_until [ -e "$BATS_TEST_TMPDIR/begun" ]
	kill "$suite"
	status=0
	wait "$suite" || status=$?
	[ "$status" = 143 ]
	nobody_runs 7705
}

@test "teardown ends what a test started, also what stopped or left its parent" {
	made_up t.bats <<-END
		BATS_TEST_DIRNAME=$ROOT/tests/bats
		load test_helper
		TEST "fails" { sleep 7706 & false; }
		TEST "orphan" { nobody; (setsid sleep 7706 >/dev/null 2>&1 &); }
		TEST "stopped" { nobody; sleep 7706 & kill -STOP \$!; }
		TEST "nothing left" { nobody; }
		nobody() { ! grep -qsa "sleep.7706" /proc/[0-9]*/cmdline; }
	END
	LIMIT=60 suite "$ROOT/tests/run" "$BATS_TEST_TMPDIR/t.bats"
	counts "3 passed, 1 failed, 0 skipped"
	[[ $output != *"# ended: "* ]]
	nobody_runs 7706
}

# A made-up qemu, which prints the file "console" and reports the status in the file "status", or hangs without one.
make_machine() {
	local tools=$BATS_TEST_TMPDIR/cache/tools/usr/bin kernel=$BATS_TEST_TMPDIR/cache/kernels/5.10
	mkdir -p "$tools" "$kernel/boot" "$BATS_TEST_TMPDIR/cache/base"
	touch "$kernel/boot/vmlinuz"
	echo 5.10.0 >"$kernel/fetched"
	: >"$BATS_TEST_TMPDIR/cache/base/5.10.cpio"
	printf '#!/bin/sh\nexec cat >/dev/null\n' >"$tools/busybox"
	cat >"$tools/qemu-system-x86_64" <<-END
		#!/bin/bash
		for word in "\$@"; do [[ \$word != file:*/result ]] || result=\${word#file:}; done
		echo init >"\$result"
		cat "$BATS_TEST_TMPDIR/console"
		[ -s "$BATS_TEST_TMPDIR/status" ] || exec sleep 1000
		echo "status \$(cat "$BATS_TEST_TMPDIR/status")" >>"\$result"
	END
	chmod +x "$tools"/*
	export BLKREEL_VM_CACHE=$BATS_TEST_TMPDIR/cache BLKREEL_VM_ACCEL=tcg
}

@test "a guest that hangs is a failure with its name and its last line" {
	make_machine
	printf 'ok - first\nthe last line\n' >"$BATS_TEST_TMPDIR/console"
	printf '#!/bin/sh\n' >"$BATS_TEST_TMPDIR/long.sh"
	run --separate-stderr "$ROOT/tests/vm/run" 5.10 "$BATS_TEST_TMPDIR/long.sh" --timeout 2
	[ "$status" = 124 ]
	[ "$stderr" = "run: kernel 5.10: long.sh was stopped after 2 s, its last line: the last line" ]
	# A guest may not need what this machine lacks without a word.
	printf '#!/bin/sh\n# vm: --with mkfs.nothing\n' >"$BATS_TEST_TMPDIR/long.sh"
	run --separate-stderr "$ROOT/tests/vm/run" 5.10 "$BATS_TEST_TMPDIR/long.sh"
	[ "$status" = 2 ]
	[ "$stderr" = "initramfs: there is no command mkfs.nothing on this machine: run tools/install-deps --vm" ]
}

# guests: runs a script that is there with the made-up qemu.
guests() {
	run "$ROOT/tests/vm/all" -k 5.10 doctor
	echo "$output"
}

@test "results of guests are counted, skips and failures without a result, too" {
	make_machine
	printf 'ok - a\nok - b # skip none\nnot ok - c\nok - d\n' >"$BATS_TEST_TMPDIR/console"
	echo 1 >"$BATS_TEST_TMPDIR/status"
	guests
	[ "$status" = 1 ]
	[[ $output == *"5.10 doctor: 2 of 3 (1 s)"*"  not ok - c"* ]]
	counts "2 passed, 1 failed, 1 skipped"
	printf 'ok - a\nwhat it said\n' >"$BATS_TEST_TMPDIR/console"
	echo 2 >"$BATS_TEST_TMPDIR/status"
	guests
	[ "$status" = 1 ]
	[[ $output == *"5.10 doctor: status 2"*"  what it said"* ]]
	counts "1 passed, 1 failed, 0 skipped"
	: >"$BATS_TEST_TMPDIR/console"
	echo 0 >"$BATS_TEST_TMPDIR/status"
	guests
	[ "$status" = 1 ]
	counts "0 passed, 1 failed, 0 skipped"
}

@test "tools/install-deps knows every program that goes into a guest" {
	for program in $(sed -n 's/^# vm: //p' "$ROOT"/tests/vm/guest/*.sh | grep -oP '(?<=--with )\S+') \
		$(sed -n '/^PROGRAMS="/,/"$/p' "$ROOT/tests/vm/bats" | sed 's/PROGRAMS=//' | tr -d '"'); do
		case $program in dd | fallocate | head | losetup | mktemp | mount | umount | sleep | stat | tail | timeout | touch | truncate) continue ;; esac
		grep -q "|command:$program|" "$ROOT/tools/install-deps" || [ "$program" = blkparse ] || missing+=" $program"
	done
	echo "missing:${missing:-}"
	[ -z "${missing:-}" ]
}
