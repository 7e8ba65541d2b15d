#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# record --waits: the times of tasks, also of those that exit, share a place in a table, or have ended.
# bats file_tags=root

load test_helper
load helpers/waits

setup() {
	set_up_waits
}

teardown() {
	[ ! -e "$BATS_TEST_TMPDIR/hog" ] || kill "$(cat "$BATS_TEST_TMPDIR/hog")" || true
	clean_up
}

@test "CPU and run queue are those of the kernel, beside a task that never sleeps" {
	[ -e /proc/self/schedstat ] || skip "needs /proc/PID/schedstat"
	need_command taskset
	make_file file 4
	taskset -c 0 sh -c 'while :; do :; done' &
	echo $! >"$BATS_TEST_TMPDIR/hog"
	cat >"$BATS_TEST_TMPDIR/load.py" <<-'END'
		import mmap, os, sys
		fd = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
		buffer = mmap.mmap(-1, 4096)
		os.preadv(fd, [buffer], 0)
		before = open("/proc/self/schedstat").read().split()
		for i in range(500):
		    os.preadv(fd, [buffer], i * 4096)
		    sum(range(20000)) # much longer than a switch, of which the kernel counts more
		after = open("/proc/self/schedstat").read().split()
		print(int(after[0]) - int(before[0]), int(after[1]) - int(before[1]))
	END
	recorded taskset -c 0 python3 "$BATS_TEST_TMPDIR/load.py" "$MNT/file"
	read -r cpu queue <"$BATS_TEST_TMPDIR/output"
	echo "$cpu $queue"
	of python3 "t[0]['cpu_ns'], t[0]['run_queue_ns']"
	[ "$(of python3 "ns(t, 'run_queue') <= 1.05 * t[0]['run_queue_ns'] + 1")" = True ]
	[ "$(of python3 "$queue * 0.95 - 2e7 <= t[0]['run_queue_ns']")" = True ]
	[ "$(of python3 "t[0]['cpu_ns'] >= 0.9 * $cpu")" = True ]
}

@test "a task that waits while it exits: its time is whole" {
	local least
	umount "$LOOP"
	# The last close of a block device writes what is in its page cache.
	cat >"$BATS_TEST_TMPDIR/load.py" <<-'END'
		import mmap, os, sys, time
		direct = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
		cached = os.open(sys.argv[1], os.O_RDWR)
		page = mmap.mmap(-1, 4096)
		for i in range(101):
		    os.preadv(direct, [page], i * 4096)
		first = time.monotonic_ns()
		time.sleep(0.3)
		os.pwrite(cached, b"x" * (4 << 20), 64 << 20)
		open("/proc/self/comm", "w").write("waitload")
		print(time.monotonic_ns() - first, flush=True)
		os._exit(0)
	END
	for OPTION in --waits --files; do
		rm -f "$TRACE"
		recorded python3 "$BATS_TEST_TMPDIR/load.py" "$LOOP"
		of waitload "[{k: v for k, v in x.items() if k not in ('calls', 'causes')} for x in t]"
		read -r least <"$BATS_TEST_TMPDIR/output"
		[ "$(of waitload "len(t)")" = 1 ]
		[ "$(of waitload "t[0]['wall_ns'] >= $least and slept(t) <= t[0]['wall_ns']")" = True ]
		[ "$(of waitload "ns(t, 'writeback_of_page') > 0")" = True ]
	done
}

@test "the recording ends while a task runs: its last call has its sleep" {
	umount "$LOOP"
	cat >"$BATS_TEST_TMPDIR/load.py" <<-'END'
		import mmap, os, sys
		fd, page = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
		ready, slept = os.pipe()
		pid = os.fork()
		if pid:
		    open(sys.argv[2], "w").write(str(pid))
		    os.read(ready, 1)
		    os._exit(0)
		open("/proc/self/comm", "w").write("waitload")
		os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
		for i in range(50):
		    os.preadv(fd, [page], i * 4096)
		# Nothing takes its CPU from it now.
		try:
		    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
		except OSError:
		    os.nice(-20)
		os.preadv(fd, [page], 0)
		os.write(slept, b"x")
		while True:
		    pass
	END
	# A call lasts from its first switch to its last: it begins with its sleep.
	for OPTION in --waits --files; do
		rm -f "$TRACE"
		recorded python3 "$BATS_TEST_TMPDIR/load.py" "$LOOP" "$BATS_TEST_TMPDIR/hog"
		kill "$(cat "$BATS_TEST_TMPDIR/hog")"
		rm "$BATS_TEST_TMPDIR/hog"
		"$BLKREEL" dump --rows wait "$TRACE" >"$BATS_TEST_TMPDIR/rows"
		run awk '$4 == "waitload" && $3 == "read" {rows[$2]++} END {
			print rows["sleep"] + 0, rows["call"] + 0
			exit !(rows["call"] && rows["sleep"] >= rows["call"])}' "$BATS_TEST_TMPDIR/rows"
		echo "$OPTION: $output"
		[ "$status" = 0 ]
	done
}

@test "two tasks whose numbers share their place in the table: each has its calls" {
	[ -w /proc/sys/kernel/ns_last_pid ] || skip "needs /proc/sys/kernel/ns_last_pid"
	make_file file 1
	cat >"$BATS_TEST_TMPDIR/load.py" <<-'END'
		import mmap, os, sys, time
		def start(name, count, number=None):
		    go, gone = os.pipe()
		    pid = os.fork()
		    if pid:
		        return pid, gone
		    os.close(gone)
		    # A task that got another number than it needs reads nothing.
		    if number and os.getpid() != number:
		        os._exit(0)
		    open("/proc/self/comm", "w").write(name)
		    fd, page = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
		    os.preadv(fd, [page], 0)
		    os.read(go, 1)
		    for i in range(count - 1):
		        os.preadv(fd, [page], i % 200 * 4096)
		    os._exit(0)
		def last(pid):
		    open("/proc/sys/kernel/ns_last_pid", "w").write(str(pid))
		last(2000)
		first, go = start("firsttask", 401)
		for attempt in range(100):
		    last(first + 16384 - 1)
		    second, gone = start("secondtask", 701, first + 16384)
		    if second == first + 16384:
		        break
		    os.waitpid(second, 0)
		time.sleep(0.1)
		os.write(go, b"x"), os.write(gone, b"x")
		os.waitpid(first, 0), os.waitpid(second, 0)
		print(second - first)
	END
	for OPTION in --files --waits; do
		rm -f "$TRACE"
		recorded python3 "$BATS_TEST_TMPDIR/load.py" "$MNT/file"
		[ "$(cat "$BATS_TEST_TMPDIR/output")" = 16384 ] || skip "other tasks have the number"
		of firsttask "calls(t, 'read')"
		of secondtask "calls(t, 'read')"
		[ "$(of firsttask "0 < sum(c['count'] for c in calls(t, 'read')) <= 401")" = True ]
		[ "$(of secondtask "401 < sum(c['count'] for c in calls(t, 'read')) <= 701")" = True ]
		[ "$OPTION" = --waits ] || [ "$(of firsttask "sum(c['count'] for c in calls(t, 'read'))")" = 401 ]
		[ "$OPTION" = --waits ] || [ "$(of secondtask "sum(c['count'] for c in calls(t, 'read'))")" = 701 ]
	done
}

@test "tasks that have ended are forgotten" {
	make_file file 1
	"$BLKREEL" -v record --files -d "$LOOP" -o "$TRACE" -- bash -c '
		for i in $(seq 300); do dd if="$0" of=/dev/null bs=64k count=2 iflag=direct status=none; cat "$0" >/dev/null; done
		sleep 2' "$MNT/file" 2>"$BATS_TEST_TMPDIR/stderr"
	"$BLKREEL" explain --json "$TRACE" >"$EXPLAINED"
	[ "$(of dd "len(t)")" -ge 200 ]
	grep -o 'waits: .*' "$BATS_TEST_TMPDIR/stderr"
	read -r _ tasks _ _ kinds _ < <(grep -o 'waits: .* remembered' "$BATS_TEST_TMPDIR/stderr")
	[ "$tasks" -lt 50 ]
	[ "$kinds" -lt 100 ]
}

@test "of 20,000 reads each sleep has its stack, and none has the run queue" {
	make_file file 80
	recorded "$HELPERS/issue_io" read "$MNT/file" 20000 4096
	json "$EXPLAINED" "d['waits']['unexplained'], d['waits']['no_wakeup_ns']"
	[ "$(json "$EXPLAINED" "d['waits']['unexplained'], d['waits']['no_wakeup_ns']")" = "(0, 0)" ]
}
