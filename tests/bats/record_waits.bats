#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# record --waits: what a task waits for, with a cause that the test makes. No test depends on how fast
# the machine is: shares are of the time that the task slept.
# bats file_tags=root

load test_helper
load helpers/waits
load helpers/slow_disk

setup() {
	set_up_waits
}

teardown() {
	[ ! -e "$BATS_TEST_TMPDIR/hog" ] || kill "$(cat "$BATS_TEST_TMPDIR/hog")" || true
	if [ -e "$BATS_TEST_TMPDIR/inner" ]; then
		losetup -d "$(cat "$BATS_TEST_TMPDIR/inner")" || true
		# Its end can be late; until then the file system below is in use.
		for _ in $(seq 100); do
			losetup "$(cat "$BATS_TEST_TMPDIR/inner")" >/dev/null 2>&1 || break
			sleep 0.1
		done
	fi
	if [ -e "$BATS_TEST_TMPDIR/bdi" ]; then
		echo 0 >"$(cat "$BATS_TEST_TMPDIR/bdi")/strict_limit" || true
		echo 100 >"$(cat "$BATS_TEST_TMPDIR/bdi")/max_ratio" || true
	fi
	remove_slow_loops
	clean_up
}

# mostly COMM CAUSE: at least 95 % of the sleeps but those for the device, which is as busy as the machine, and at
# most 5 % unknown.
mostly() {
	of "$1" "[(c['cause'], c['ns']) for x in t for c in x['causes']]"
	[ "$(of "$1" "ns(t, '$2') >= 0.95 * (slept(t) - (0 if '$2' == 'device' else ns(t, 'device') + ns(t, 'page_read')))")" = True ]
	[ "$(of "$1" "ns(t, '$2') >= 0.5 * slept(t)")" = True ]
	[ "$(of "$1" "ns(t, 'other') + w['unaccounted_ns'] <= 0.05 * slept(t)")" = True ]
}

# limit_ops DEVICE NUMBER: sets GROUP, whose tasks may read so often a second.
limit_ops() {
	make_group blkio blkio.throttle.read_iops_device io.max
	case $LIMIT in
	*io.max) echo "$(cat "/sys/block/$(basename "$1")/dev") riops=$2" >"$LIMIT" ;;
	*) echo "$(cat "/sys/block/$(basename "$1")/dev") $2" >"$LIMIT" ;;
	esac
}

# shellcheck disable=SC2016 # expanded by the shell that is recorded
in_group='echo $$ >"$0/cgroup.procs"; exec "$@"'

@test "each call has its time; times of tasks and calls add up; both decoders agree" {
	make_file file 4
	# shellcheck disable=SC2034 # recorded reads it
	OPTION=--files
	recorded bash -c '"$HELPERS/issue_io" read "$0" 503 4096 && dd if="$0" of=/dev/null bs=4k status=none && dd if=/dev/zero of="$0" bs=64k count=7 conv=notrunc,fsync status=none' "$MNT/file"
	[ "$(of issue_io "sum(c['count'] for c in calls(t, 'read'))")" -ge 503 ]
	[ "$(of dd "sum(c['count'] for c in calls(t, 'fsync'))")" = 1 ]
	[ "$(of dd "sum(c['count'] for c in calls(t, 'write'))")" = 7 ]
	[ "$(of dd "w['unaccounted_ns'] <= 0.001 * sum(x['wall_ns'] for x in w['tasks']) + 100000")" = True ]
	of dd "[{k: v for k, v in x.items() if k != 'calls'} for x in w['tasks']]"
	[ "$(of dd "[x['pid'] for x in w['tasks'] if abs(x['wall_ns'] - x['cpu_ns'] - x['run_queue_ns'] - x['outside_ns']
		- sum(c['ns'] for c in x['causes'] if c['cause'] != 'run_queue')) > 0.001 * x['wall_ns'] + 100000]")" = "[]" ]
	[ "$(of dd "-1000 <= sum(c['ns'] - sum(p['ns'] for p in c['causes']) for x in w['tasks'] for c in x['calls']) <= 1.01 * w['unaccounted_ns'] + 1000")" = True ]
	run -0 "$BLKREEL" info --verify "$TRACE"
	"$BLKREEL" dump --rows wait --format csv "$TRACE" >"$BATS_TEST_TMPDIR/wait.csv"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/wait.csv")" -gt 100 ]
	if [ -e "$ROOT/tools/decode_trace.py" ]; then
		python3 "$ROOT/tools/decode_trace.py" --rows wait "$TRACE" | cmp - "$BATS_TEST_TMPDIR/wait.csv"
	fi
	# A copy keeps stacks, wakers and files, whatever their numbers.
	"$BLKREEL" copy -o "$BATS_TEST_TMPDIR/copy.reel" "$TRACE"
	"$BLKREEL" dump --rows wait --format csv "$BATS_TEST_TMPDIR/copy.reel" | cmp - "$BATS_TEST_TMPDIR/wait.csv"
	run -0 "$BLKREEL" explain "$TRACE"
	[[ $output == *"Where the time of "*"running"* ]]
}

NO_PROCESS=1234567890 # above any pid_max

# recorded_beside SCRIPT COMMAND...: as recorded(), while bpftrace runs the script; what it printed is in OTHER.
recorded_beside() {
	local script=$1 other
	shift
	need_command bpftrace
	[ -d /sys/kernel/tracing/events ] || mount -t tracefs none /sys/kernel/tracing || skip "no tracefs"
	bpftrace -e 'BEGIN { exit(); }' >/dev/null || skip "needs bpftrace to run here"
	OTHER=$BATS_TEST_TMPDIR/other
	# bpftrace 0.17 overlooks a signal that comes while it reads events: a process that no kernel has ends it.
	bpftrace -e "BEGIN { printf(\"ready\\n\"); }
tracepoint:syscalls:sys_enter_kill /args->pid == $NO_PROCESS/ { exit(); }
$(<"$script")" >"$OTHER" 2>&1 &
	other=$!
	wait_until grep -q ready "$OTHER"
	recorded "$@"
	kill -0 $NO_PROCESS 2>/dev/null || true
	wait "$other"
	cat "$OTHER"
}

# sum_of NAME: a sum that bpftrace printed.
sum_of() {
	awk -v name="@$1:" '$1 == name { print $2 }' "$OTHER"
}

@test "the time of calls is that of another tracer, which watches the same run" {
	make_file file 16
	cat >"$BATS_TEST_TMPDIR/calls.bt" <<-'END'
		tracepoint:syscalls:sys_enter_pread64, tracepoint:syscalls:sys_enter_fdatasync /comm == "waitload"/ { @at[tid] = nsecs; }
		tracepoint:syscalls:sys_exit_pread64 /@at[tid]/ { @reads = count(); @read_ns = sum(nsecs - @at[tid]); delete(@at[tid]); }
		tracepoint:syscalls:sys_exit_fdatasync /@at[tid]/ { @syncs = count(); @sync_ns = sum(nsecs - @at[tid]); delete(@at[tid]); }
	END
	cat >"$BATS_TEST_TMPDIR/load.py" <<-'END'
		import os, random, sys
		open("/proc/self/comm", "w").write("waitload")
		fd = os.open(sys.argv[1], os.O_RDWR)
		os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
		for i in range(40):
		    for _ in range(25):
		        os.pread(fd, 65536, random.randrange(256) << 16)
		    os.pwrite(fd, b"x" * 8192, i * 8192)
		    os.fdatasync(fd)
	END
	# shellcheck disable=SC2034 # recorded_beside reads it
	OPTION=--files
	recorded_beside "$BATS_TEST_TMPDIR/calls.bt" python3 "$BATS_TEST_TMPDIR/load.py" "$MNT/file"
	of waitload "calls(t, 'read')[0]['ns'], calls(t, 'fdatasync')[0]['ns']"
	[ "$(of waitload "sum(c['count'] for c in calls(t, 'fdatasync'))")" = 40 ]
	[ "$(sum_of syncs)" = 40 ]
	[ "$(of waitload "abs(sum(c['ns'] for c in calls(t, 'fdatasync')) - $(sum_of sync_ns)) <= 0.02 * $(sum_of sync_ns)")" = True ]
	# Each of the two tracers adds some of its own time to a call.
	[ "$(of waitload "abs(sum(c['ns'] for c in calls(t, 'read')) - $(sum_of read_ns)) <= 0.02 * $(sum_of read_ns) + 3000 * 1100")" = True ]
}

# Of calls of "waitload" that block: a call lasts from when its task is first switched out to when it last comes back.
# Not every kernel reports each switch back: then bpftrace knows only until when it can have been. On its way back to
# the program a task may lose its CPU, when the call is over.
blocked_calls() {
	cat <<-'END'
		tracepoint:syscalls:sys_enter_preadv, tracepoint:syscalls:sys_enter_preadv2, tracepoint:syscalls:sys_enter_pwritev,
		tracepoint:syscalls:sys_enter_pwritev2, tracepoint:syscalls:sys_enter_fdatasync
		/comm == "waitload"/ { @in[tid] = 1; }
		tracepoint:sched:sched_switch {
			if (@in[args->prev_pid] && !@out[args->prev_pid]) { @out[args->prev_pid] = nsecs; }
			if (args->prev_comm == "waitload" && !@in[args->prev_pid]) { @outside = count(); @gone[args->prev_pid] = nsecs; }
			if (@gone[args->next_pid]) { @outside_ns = sum(nsecs - @gone[args->next_pid]); delete(@gone[args->next_pid]); }
			if (@out[args->next_pid]) { @back[args->next_pid] = nsecs; }
		}
		tracepoint:syscalls:sys_exit_preadv, tracepoint:syscalls:sys_exit_preadv2 {
			if (@out[tid]) {
				@reads = count();
				@read_most_ns = sum(nsecs - @out[tid]);
				if (@back[tid] > @out[tid]) { @read_least_ns = sum(@back[tid] - @out[tid]); }
			}
			delete(@in[tid]); delete(@out[tid]); delete(@back[tid]);
		}
		tracepoint:syscalls:sys_exit_pwritev, tracepoint:syscalls:sys_exit_pwritev2 {
			if (@out[tid]) {
				@writes = count();
				@write_most_ns = sum(nsecs - @out[tid]);
				if (@back[tid] > @out[tid]) { @write_least_ns = sum(@back[tid] - @out[tid]); }
			}
			delete(@in[tid]); delete(@out[tid]); delete(@back[tid]);
		}
		tracepoint:syscalls:sys_exit_fdatasync {
			if (@out[tid]) {
				@syncs = count();
				@sync_most_ns = sum(nsecs - @out[tid]);
				if (@back[tid] > @out[tid]) { @sync_least_ns = sum(@back[tid] - @out[tid]); }
			}
			delete(@in[tid]); delete(@out[tid]); delete(@back[tid]);
		}
	END
}

# as_bpftrace KIND SUMS SUM [NS]: calls of the kind have the count and the time that bpftrace saw, within 2 % of it and a
# millisecond, and NS more at most. The first calls may be known to one of the two only.
as_bpftrace() {
	of waitload "sum(c['count'] for c in calls(t, '$1')), sum(c['ns'] for c in calls(t, '$1'))"
	within() { [ "$(of waitload "0.98 * ${3:-0} - $5 <= sum(c['$2'] for c in calls(t, '$1')) <= 1.02 * ${4:-0} + $5")" = True ]; }
	within "$1" count "$(sum_of "$2")" "$(sum_of "$2")" 0
	within "$1" ns "$(sum_of "$3_least_ns")" "$(($(sum_of "$3_most_ns") + ${4:-0}))" 1000000
}

@test "without --files the calls that block are those of another tracer; no probe sees the others" {
	make_file file 4
	blocked_calls >"$BATS_TEST_TMPDIR/blocked.bt"
	cat >"$BATS_TEST_TMPDIR/load.py" <<-'END'
		import mmap, os, sys
		open("/proc/self/comm", "w").write("waitload")
		cached = os.open(sys.argv[1], os.O_RDONLY)
		fd = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
		buffer = mmap.mmap(-1, 65536)
		for i in range(300):
		    os.preadv(cached, [buffer], 0)
		    os.preadv(fd, [buffer], i % 30 << 16)
		    os.preadv(fd, [buffer], i % 30 << 16)
		    os.pwritev(fd, [buffer], (30 + i % 30) << 16)
		    os.fdatasync(fd)
	END
	recorded_beside "$BATS_TEST_TMPDIR/blocked.bt" python3 "$BATS_TEST_TMPDIR/load.py" "$MNT/file"
	of waitload "[{k: v for k, v in x.items() if k != 'causes'} for x in t]"
	outside_ns=$(sum_of outside_ns)
	as_bpftrace read reads read "$outside_ns"
	as_bpftrace write writes write "$outside_ns"
	as_bpftrace fdatasync syncs sync "$outside_ns"
}

@test "a call whose task loses its CPU on its way back to the program is one call, and over" {
	need_command taskset
	make_file file 4
	blocked_calls >"$BATS_TEST_TMPDIR/blocked.bt"
	# The kernel tells a task that goes before all others on this CPU of each read, at the end of the read.
	cat >"$BATS_TEST_TMPDIR/load.py" <<-'END'
		import ctypes, mmap, os, signal, sys
		libc = ctypes.CDLL(None)
		IN_ACCESS = 1
		watch = libc.inotify_init()
		libc.inotify_add_watch(watch, sys.argv[1].encode(), IN_ACCESS)
		first = os.fork()
		if not first:
		    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
		    while True:
		        os.read(watch, 4096)
		open("/proc/self/comm", "w").write("waitload")
		cached = os.open(sys.argv[1], os.O_RDONLY)
		fd = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
		buffer = mmap.mmap(-1, 65536)
		for i in range(300):
		    os.preadv(cached, [buffer], i % 60 << 16)
		    os.preadv(fd, [buffer], i % 60 << 16)
		os.kill(first, signal.SIGKILL)
	END
	recorded_beside "$BATS_TEST_TMPDIR/blocked.bt" taskset -c 0 python3 "$BATS_TEST_TMPDIR/load.py" "$MNT/file"
	as_bpftrace read reads read
}

@test "a flood of waits leaves the IOs their places in the rings" {
	make_file file 4
	cat >"$BATS_TEST_TMPDIR/load.py" <<-'END'
		import ctypes, mmap, os, platform, sys
		setup, wait = {"x86_64": (206, 208), "aarch64": (0, 4)}[platform.machine()]
		libc = ctypes.CDLL(None)
		context = ctypes.c_ulong()
		assert not libc.syscall(setup, 1, ctypes.byref(context))
		microsecond = (ctypes.c_long * 2)(0, 1000)
		# An IO may complete on another CPU than the one that submits it.
		for cpu in os.sched_getaffinity(0):
		    os.sched_setaffinity(0, [cpu])
		    for _ in range(1000):
		        libc.syscall(wait, context, ctypes.c_long(1), ctypes.c_long(1), (ctypes.c_char * 32)(), microsecond)
		fd = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
		buffer = mmap.mmap(-1, 4096)
		for i in range(300):
		    os.preadv(fd, [buffer], i * 4096)
	END
	# 512 records of a CPU, and about as many in its ring buffer.
	"$BLKREEL" record --waits -d "$LOOP" --ring-size 64k -o "$TRACE" 2>"$BATS_TEST_TMPDIR/stderr" &
	local recorder=$!
	wait_until grep -q "recording into" "$BATS_TEST_TMPDIR/stderr"
	kill -STOP "$recorder"
	python3 "$BATS_TEST_TMPDIR/load.py" "$MNT/file"
	kill -CONT "$recorder"
	kill -TERM "$recorder"
	wait "$recorder"
	"$BLKREEL" info "$TRACE" --json >"$BATS_TEST_TMPDIR/info.json"
	json "$BATS_TEST_TMPDIR/info.json" "d['rows'], d['lost']"
	[ "$(json "$BATS_TEST_TMPDIR/info.json" "d['lost']['io_ring']")" = 0 ]
	[ "$(json "$BATS_TEST_TMPDIR/info.json" "d['rows']['io'] + d['lost']['recursion'] + d['lost']['io_event'] >= 300")" = True ]
	[ "$(json "$BATS_TEST_TMPDIR/info.json" "d['lost']['waits'] > 0")" = True ]
}

@test "a limit of its cgroup: direct reads, and reads through the cache" {
	make_file file 4
	umount "$LOOP"
	mount "$LOOP" "$MNT"
	# So few that the device takes less of the time on a busy machine, too.
	limit_ops "$LOOP" 20
	recorded bash -c "$in_group" "$GROUP" dd if="$MNT/file" of=/dev/null bs=4k count=60 iflag=direct status=none
	mostly dd cgroup_limit
	run -0 "$BLKREEL" explain "$TRACE"
	[[ $(tr '\n' ' ' <<<"$output") == *"for the IO limit of its cgroup /"*"(20 reads a second)."* ]]
	[ "$(of dd "[(x['limit']['direction'], x['limit']['ios_per_s'], x['limit']['bytes_per_s']) for x in t]")" = "[('read', 20, None)]" ]
	[ "$(of dd "[x['limit']['cgroup'].rsplit('/')[-1] for x in t]")" = "['$(basename "$GROUP")']" ]
	json "$EXPLAINED" "[(f['id'], f['saves_ns'], f['saves_of']) for f in d['findings']]"
	[ "$(json "$EXPLAINED" "[d['findings'][0][k] for k in ('id', 'saves_of')]")" = "['limited-by-cgroup', 'dd']" ]
	[[ $(json "$EXPLAINED" "d['owners']") =~ "IOs of dd behind an IO limit took "[0-9]+" %." ]]
	[ "$(of dd "ns(t, 'cgroup_limit') <= json.load(open(sys.argv[1]))['findings'][0]['saves_ns'] <= w['total_ns']")" = True ]
	echo 0 >"/sys/block/$(basename "$LOOP")/queue/read_ahead_kb"
	recorded bash -c "$in_group" "$GROUP" dd if="$MNT/file" of=/dev/null bs=4k count=60 status=none
	mostly dd cgroup_limit
}

@test "a device that is slow for reasons of its own: its backing device has the limit" {
	make_file image 64
	sync "$MNT/image"
	limit_ops "$LOOP" 50
	INNER=$(new_loop --direct-io=on "$MNT/image")
	echo "$INNER" >"$BATS_TEST_TMPDIR/inner"
	LOOP=$INNER
	recorded bash -c "$in_group" "$GROUP" dd if="$INNER" of=/dev/null bs=4k count=60 iflag=direct status=none
	mostly dd device
}

@test "the limit of dirty pages" {
	local bdi
	bdi=/sys/class/bdi/$(cat "/sys/block/$(basename "$LOOP")/dev")
	{ [ -e "$bdi/strict_limit" ] && [ -e "$bdi/max_bytes" ]; } || skip "needs a limit of dirty pages per device (Linux 6.2)"
	echo "$bdi" >"$BATS_TEST_TMPDIR/bdi"
	echo 1 >"$bdi/strict_limit"
	echo 4194304 >"$bdi/max_bytes"
	recorded dd if=/dev/zero of="$MNT/file" bs=64k count=3000 status=none
	of dd "[(c['cause'], c['ns']) for x in t for c in x['causes']], w['other_functions']"
	[ "$(of dd "ns(t, 'dirty_throttle') >= 0.8 * slept(t)")" = True ]
}

@test "no free request: tag; with enough of them none" {
	need_command fio
	local queue
	# One read takes 1 ms, so that more tasks wait than there are requests, however slow they are.
	make_slow_loop 32M 1000 0 0 1
	queue=/sys/block/$(basename "$LOOP")/queue
	[[ $(cat "$queue/scheduler") == *mq-deadline* ]] || skip "needs mq-deadline"
	echo mq-deadline >"$queue/scheduler"
	run_fio() {
		recorded fio --name=a --filename="$LOOP" --rw=randread --bs=64k --direct=1 --ioengine=psync \
			--numjobs=12 --thread --io_size=2m --size=32m --output="$BATS_TEST_TMPDIR/fio"
	}
	echo 4 >"$queue/nr_requests"
	run_fio
	of fio "w['causes']"
	[ "$(of fio "ns(t, 'tag') > 0.2 * slept(t) and ns(t, 'other') <= 0.05 * slept(t)")" = True ]
	echo 256 >"$queue/nr_requests"
	run_fio
	[ "$(of fio "ns(t, 'tag')")" = 0 ]
}

# kinds_of COMM: of its entries in the table of tasks, whether each is a thread of the kernel.
kinds_of() {
	[ -e "$ROOT/tools/decode_trace.py" ] || skip "needs tools/decode_trace.py"
	python3 - "$ROOT/tools/decode_trace.py" "$TRACE" "$1" <<-'END'
		import importlib.util, sys
		sys.dont_write_bytecode = True
		spec = importlib.util.spec_from_file_location("decode_trace", sys.argv[1])
		decoder = importlib.util.module_from_spec(spec)
		spec.loader.exec_module(decoder)
		trace = decoder.Trace(open(sys.argv[2], "rb").read())
		for _ in trace.rows():
		    pass
		print({t["kernel_thread"] for t in trace.meta["tasks"].values() if t["comm"].startswith(sys.argv[3])})
	END
}

@test "fdatasync waits for the journal, into which another task has written" {
	recorded bash -c '
		dd if=/dev/zero of="$0/large" bs=1M count=48 status=none &
		python3 -c "
import os, sys
fd = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND)
for i in range(20):
    os.write(fd, b\"x\" * 8192)
    os.fdatasync(fd)" "$0/log"
		wait' "$MNT"
	of python3 "t, w['other_functions']"
	[ "$(of python3 "sum(c['count'] for c in calls(t, 'fdatasync'))")" = 20 ]
	[ "$(of python3 "{c['cause'] for x in calls(t, 'fdatasync') for c in x['causes']} >= {'journal', 'cpu'}")" = True ]
	# It wakes them, and has no wait of its own.
	[ "$(kinds_of jbd2/)" = "{True}" ]
	[ "$(kinds_of python3)" = "{False}" ]
	[ "$(of python3 "ns(t, 'other') + w['unaccounted_ns'] <= 0.05 * slept(t)")" = True ]
}

@test "a flush of a block device; a page fault; readahead on its way" {
	make_loop 32M
	recorded bash -c '
		dd if=/dev/zero of="$0" bs=64k count=9 conv=fsync status=none
		echo 1 >/proc/sys/vm/drop_caches
		python3 -c "
import mmap, os, sys
m = mmap.mmap(os.open(sys.argv[1], os.O_RDONLY), 32 << 20, prot=mmap.PROT_READ)
m.madvise(mmap.MADV_RANDOM)
sum(m[i] for i in range(16 << 20, 32 << 20, 1 << 18))" "$0"' "$LOOP"
	of dd "w['tasks']"
	[ "$(of dd "ns(t, 'flush') > 0")" = True ]
	# On a busy machine the page can be there before the task sleeps.
	[ "$(of python3 "32 <= calls(t, 'page_fault')[0]['count'] <= 64")" = True ]
	[ "$(of python3 "ns(t, 'page_read') >= 0.9 * slept(t)")" = True ]
}

# need_fio_uring: makes file, on the disk, with fio's io_uring.
need_fio_uring() {
	need_command fio
	fio --name=a --filename="$MNT/file" --size=4m --rw=write --ioengine=io_uring --direct=0 >/dev/null ||
		skip "fio has no io_uring here"
	sync "$MNT/file"
}

@test "reads through the page cache by io_uring" {
	need_fio_uring
	# fio drops the file from the cache before it begins.
	recorded fio --name=a --filename="$MNT/file" --size=4m --rw=randread --bs=4k --ioengine=io_uring --direct=0 \
		--iodepth=1 --thread --output="$BATS_TEST_TMPDIR/fio"
	of fio "[(c['kind'], c['ns'], [(p['cause'], p['ns']) for p in c['causes']]) for x in t for c in x['calls']]"
	[ "$(of fio "ns(t, 'page_read') >= 0.9 * slept(t)")" = True ]
	[ "$(of fio "sum(c['count'] for c in calls(t, 'io_uring')) >= 50")" = True ]
}

@test "fsync by io_uring, which a worker carries out" {
	need_fio_uring
	recorded fio --name=a --filename="$MNT/file" --size=1m --rw=write --bs=4k --ioengine=io_uring --direct=0 \
		--fsync=8 --thread --output="$BATS_TEST_TMPDIR/fio"
	of fio "[(x['comm'], [(p['cause'], p['ns']) for p in x['causes']]) for x in w['tasks']]"
	[ "$(of fio "'journal' in [p['cause'] for x in w['tasks'] if x['comm'].startswith('iou-wrk') for p in x['causes']]")" = True ]
	# Who collects the completion waits for it while the worker sleeps.
	waited=$(of fio "sum(p['ns'] for c in calls(t, 'io_uring') for p in c['causes'] if p['cause'] in ('journal', 'flush', 'writeback_of_page'))")
	slept=$(of fio "sum(ns([x for x in w['tasks'] if x['comm'].startswith('iou-wrk')], cause) for cause in ('journal', 'flush', 'writeback_of_page'))")
	echo "$waited of $slept"
	[ "$waited" -gt 0 ]
	[ "$waited" -le "$slept" ]
	# A thread of its process.
	[ "$(kinds_of iou-wrk)" = "{False}" ]
}

@test "without --waits no probe of it is loaded; --files implies it" {
	need_command bpftool
	make_file file 1
	# Others on this machine may record, too: the programs that the recorder itself holds.
	cat >"$BATS_TEST_TMPDIR/held" <<-'END'
		ids=$(cat /proc/"$PPID"/fdinfo/* | awk '$1 == "prog_id:" { print $2 }' | sort -u)
		bpftool prog show | awk -v ids=" $(echo $ids) " '{ id = $1; sub(":", "", id) } index(ids, " " id " ") && /name waits_/'
	END
	held() {
		"$BLKREEL" record "$@" -d "$LOOP" -o "$TRACE" -- bash "$BATS_TEST_TMPDIR/held" >"$BATS_TEST_TMPDIR/programs"
		wc -l <"$BATS_TEST_TMPDIR/programs"
	}
	[ "$(held)" = 0 ]
	[ "$(held --files)" = 5 ]
	[ "$(held --waits)" = 3 ]
	"$BLKREEL" explain --json "$TRACE" >"$EXPLAINED"
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" -- true
	"$BLKREEL" explain --json "$TRACE" >"$EXPLAINED"
	[ "$(json "$EXPLAINED" "d['waits']")" = None ]
	"$BLKREEL" record --files -d "$LOOP" -o "$TRACE" -- dd if="$MNT/file" of=/dev/null bs=4k status=none
	"$BLKREEL" explain --json "$TRACE" >"$EXPLAINED"
	[ "$(of dd "sum(c['count'] for c in calls(t, 'read'))")" = 257 ]
}

@test "the program that ends a call is the first of its tracepoint: the others are no part of the call" {
	need_command bpftool
	# Links are numbered in the order in which they are attached.
	cat >"$BATS_TEST_TMPDIR/links.py" <<-'END'
		import json, os, subprocess
		def ids(key):
		    folder = f"/proc/{os.getppid()}/fdinfo"
		    text = "".join(open(f"{folder}/{fd}").read() for fd in os.listdir(folder))
		    return {int(line.split()[1]) for line in text.splitlines() if line.startswith(key + ":")}
		def shown(kind, key):
		    held = ids(key)
		    every = json.loads(subprocess.check_output(["bpftool", kind, "show", "--json"]))
		    return [entry for entry in every if entry["id"] in held]
		names = {program["id"]: program["name"] for program in shown("prog", "prog_id")}
		links = {names[link["prog_id"]]: link["id"] for link in shown("link", "link_id") if link["prog_id"] in names}
		exits, enters = ([links[f"{part}_sys_{what}"] for part in ("waits", "access")] for what in ("exit", "enter"))
		print(exits, enters)
		print(exits[0] < exits[1] and enters[0] > enters[1])
	END
	"$BLKREEL" record --files -d "$LOOP" -o "$TRACE" -- python3 "$BATS_TEST_TMPDIR/links.py" >"$BATS_TEST_TMPDIR/order"
	cat "$BATS_TEST_TMPDIR/order"
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/order")" = True ]
}
