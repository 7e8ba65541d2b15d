#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# record --waits: a cause is injected into a load, alone and beside another load. At least 95 % of the time that the
# injection adds is on its cause. The injections take seconds and the load without them milliseconds, so that the
# speed of the machine is lost in the 5 %.
# bats file_tags=once
# bats file_tags=root

load test_helper
load helpers/wait_causes

setup() {
	need_loop
	need_probes
	need_figure waits exact bounded
	mount_ext4 256M -b 4096
	make_file file 4
	make_file other 16
	sync "$MNT/file" "$MNT/other"
	make_victims
	export BESIDE_READS=$MNT/other
}

teardown() {
	[ ! -e "$BATS_TEST_TMPDIR/frozen" ] || fsfreeze --unfreeze "$MNT" || true
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
	clean_up
}

read_directly='"$VICTIM" if="$MNT/file" of=/dev/null bs=4k count=40 iflag=direct status=none'

limit() {
	make_group blkio blkio.throttle.read_iops_device io.max
	case $LIMIT in
	*io.max) echo "$(cat "/sys/block/$(basename "$LOOP")/dev") riops=10" >"$LIMIT" ;;
	*) echo "$(cat "/sys/block/$(basename "$LOOP")/dev") 10" >"$LIMIT" ;;
	esac
	export GROUP
}

# shellcheck disable=SC2016 # expanded by the shell that is recorded
limited='(echo $BASHPID >"$GROUP/cgroup.procs"; exec "$VICTIM" if="$MNT/file" of=/dev/null bs=4k count=40 iflag=direct status=none)'

@test "a limit of its control group" {
	limit
	recorded without 0 "$read_directly"
	recorded with 0 "$limited"
	added cgroup_limit 2
}

@test "a limit of its control group, beside a load that has none" {
	limit
	recorded without 1 "$read_directly"
	recorded with 1 "$limited"
	added cgroup_limit 2
}

# The file of a loop device is on a frozen file system: a write to the loop device waits for a second.
stall() {
	make_file image 16
	sync "$MNT/image"
	DEVICE=$(new_loop "$MNT/image")
	echo "$DEVICE" >"$BATS_TEST_TMPDIR/inner"
	export DEVICE FLAG=$BATS_TEST_TMPDIR/frozen
}

# shellcheck disable=SC2016 # expanded by the shell that is recorded
write_directly='"$VICTIM" if=/dev/zero of="$DEVICE" bs=4k count=4 oflag=direct status=none'
# shellcheck disable=SC2016 # expanded by the shell that is recorded
frozen='touch "$FLAG"; fsfreeze --freeze "$MNT"; (sleep 1; fsfreeze --unfreeze "$MNT"; rm "$FLAG") & thaw=$!; '$write_directly'; wait $thaw'

@test "a device whose backing file stalls" {
	need_command fsfreeze
	stall
	recorded without 0 "$write_directly"
	recorded with 0 "$frozen"
	added device 0.8
}

@test "a device whose backing file stalls, beside a load of reads" {
	need_command fsfreeze
	stall
	recorded without 1 "$write_directly"
	recorded with 1 "$frozen"
	added device 0.8
}

# shellcheck disable=SC2016 # expanded by the shell that is recorded
write_much='"$VICTIM" if=/dev/zero of="$MNT/new" bs=64k count=2400 status=none; rm "$MNT/new"'

dirty() {
	local bdi
	bdi=/sys/class/bdi/$(cat "/sys/block/$(basename "$LOOP")/dev")
	{ [ -e "$bdi/strict_limit" ] && [ -e "$bdi/max_bytes" ]; } || skip "needs a limit of dirty pages per device (Linux 6.2)"
	recorded without "$1" "$write_much"
	echo "$bdi" >"$BATS_TEST_TMPDIR/bdi"
	echo 1 >"$bdi/strict_limit"
	echo 2097152 >"$bdi/max_bytes"
	recorded with "$1" "$write_much"
}

@test "the limit of dirty pages" {
	dirty 0
	added dirty_throttle 0.1
}

@test "the limit of dirty pages, beside a load of reads" {
	dirty 1
	added dirty_throttle 0.1
}
