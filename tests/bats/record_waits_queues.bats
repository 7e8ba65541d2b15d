#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# record --waits: causes in the device, the queue and the journal are injected, alone and beside a load, as in
# record_waits_causes.bats. The device takes a known time for each IO.
# bats file_tags=slow

load test_helper
load helpers/slow_disk
load helpers/wait_causes

setup() {
	need_loop
	need_probes
	need_figure waits exact bounded
	need_command python3
	make_victims
}

teardown() {
	remove_slow_loops
	clean_up
}

# on_disk READ_US WRITE_US FLUSH_US [AT_ONCE]: sets LOOP, which the load reads.
on_disk() {
	make_slow_loop 256M "$@"
	QUEUE=/sys/block/$(basename "$LOOP")/queue
	[ ! -e "$QUEUE/wbt_lat_usec" ] || echo 0 >"$QUEUE/wbt_lat_usec"
	BESIDE_READS=$LOOP
	export LOOP BESIDE_READS
}

# queue FILE VALUE: of LOOP.
queue() {
	[ -e "$QUEUE/$1" ] || skip "needs $1 of a queue"
	[ "$1" != scheduler ] || [[ $(cat "$QUEUE/$1") == *"$2"* ]] || skip "needs the scheduler $2"
	echo "$2" >"$QUEUE/$1"
}

# The task of Python calls itself "victim".
# shellcheck disable=SC2034 # expanded by the shell that is recorded
export PYTHON_VICTIM='
import os, sys
open("/proc/self/comm", "w").write("victim")
fd = os.open(sys.argv[1], os.O_RDWR)
'

# shellcheck disable=SC2016 # expanded by the shell that is recorded
write_and_flush='for i in 1 2 3 4 5 6; do "$VICTIM" if=/dev/zero of="$LOOP" bs=4k count=1 conv=fsync,notrunc status=none; done'

flush() {
	on_disk 1000 0 0
	recorded without "$1" "$write_and_flush"
	on_disk 1000 0 200000
	recorded with "$1" "$write_and_flush"
	added flush 1.1
}

@test "a device that is slow to flush" {
	flush 0
}

@test "a device that is slow to flush, beside a load of reads" {
	flush 1
}

# shellcheck disable=SC2016 # expanded by the shell that is recorded
read_at_once='
	for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
		"$VICTIM" if="$LOOP" of=/dev/null bs=4k skip=$((i * 1000)) count=10 iflag=direct status=none &
		pids="$pids $!"
	done
	wait $pids'

few_requests() {
	on_disk 20000 0 0
	queue scheduler mq-deadline
	queue nr_requests 64
	recorded without "$1" "$read_at_once"
	queue nr_requests 4
	recorded with "$1" "$read_at_once"
	queue nr_requests 64
	queue scheduler none
	added tag 3
}

@test "few requests of mq-deadline" {
	few_requests 0
}

@test "few requests of mq-deadline, beside a load of reads" {
	few_requests 1
}

# Blocks are allocated at once, so that a commit writes what they hold. None begins by itself.
ext4_on_disk() {
	on_disk "$@"
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$LOOP"
	MNT=$BATS_TEST_TMPDIR/mnt
	mkdir -p "$MNT"
	mount -o nodelalloc,dioread_lock,commit=300 "$LOOP" "$MNT"
	export MNT
}

# shellcheck disable=SC2016 # expanded by the shell that is recorded
commit='python3 -c "$PYTHON_VICTIM
os.system(sys.argv[2])
for i in range(4):
    os.utime(fd, (i, i))
    os.fsync(fd)" "$MNT/small" "$BEFORE"'

journal() {
	ext4_on_disk 100 10000 0 2
	echo >"$MNT/small"
	sync "$MNT/small"
	export BEFORE=true
	recorded without "$1" "$commit"
	BEFORE="dd if=/dev/zero of=$MNT/large bs=1M count=200 status=none"
	recorded with "$1" "$commit"
	added journal 0.5
}

@test "the commit of another's 200 MiB" {
	journal 0
}

@test "the commit of another's 200 MiB, beside a load of reads" {
	journal 1
}

# The victim has the idle class, which bfq serves when no other has requests, and now and then.
# shellcheck disable=SC2016 # expanded by the shell that is recorded
read_last='
	for i in 1 2 3; do
		ionice -c 1 "$LOAD" if="$LOOP" of=/dev/null bs=4k iflag=direct status=none &
		preferred="$preferred $!"
	done
	for load in $preferred; do
		until grep -q "^read_bytes: [1-9]" /proc/$load/io; do sleep 0.05; done
	done
	ionice -c 3 "$VICTIM" if="$LOOP" of=/dev/null bs=4k skip=30000 count=10 iflag=direct status=none
	kill $preferred
	wait $preferred
	true'

@test "bfq, which prefers a load of reads" {
	need_command ionice
	[ -e /proc/self/io ] || skip "needs /proc/PID/io"
	on_disk 2000 0 0
	queue scheduler none
	recorded without 0 "$read_last"
	queue scheduler bfq
	recorded with 0 "$read_last"
	queue scheduler none
	added scheduler 0.5
}

# Version 1 of memory cgroups has no limit of dirty pages: who writes waits while memory is freed.
reclaim() {
	[ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ] || skip "needs the memory controller of cgroups v1"
	ext4_on_disk 100 30000 0 2
	limit_memory $((1 << 30))
	export GROUP
	recorded without "$1" "$write_in_group"
	echo $((8 << 20)) >"$LIMIT"
	# Where nobody has the time to write pages back, a commit waits for them, too.
	for _ in 1 2 3; do
		recorded with "$1" "$write_in_group"
		! added reclaim 0.5 || return 0
	done
	return 1
}

# The kernel may end who fills the group: then the next one goes on.
# shellcheck disable=SC2016 # expanded by the shell that is recorded
write_in_group='for _ in {1..20}; do
		(echo $BASHPID >"$GROUP/cgroup.procs"; exec "$VICTIM" if=/dev/zero of="$MNT/new" bs=64k count=1600 status=none) && break
	done
	rm "$MNT/new"'

@test "little memory in its control group" {
	reclaim 0
}

@test "little memory in its control group, beside a load of reads" {
	reclaim 1
}
