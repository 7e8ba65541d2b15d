# SPDX-License-Identifier: MIT
# Loop devices, file systems on them, and the kernel's counters of them.

# new_loop [LOSETUP-OPTION...] FILE: prints a new loop device over FILE. Of two that ask at one time the kernel names the
# same free device to both, and the slower one holds it open for a moment when it is the other's already.
new_loop() {
	local loop
	loop=$(flock --close /dev/loop-control losetup --find --show "$@") || return
	reset_settings "/sys/block/$(basename "$loop")"
	echo "$loop"
}

# reset_settings FOLDER: a loop device keeps the settings of its last use.
reset_settings() {
	local queue=$1/queue bdi
	bdi=/sys/class/bdi/$(cat "$1/dev")
	echo none >"$queue/scheduler"
	echo 1 >"$queue/iostats"
	echo 128 >"$queue/read_ahead_kb"
	echo 0 >"$queue/nomerges"
	cat "$queue/max_hw_sectors_kb" >"$queue/max_sectors_kb"
	echo 100 >"$bdi/max_ratio"
	[ ! -e "$bdi/strict_limit" ] || echo 0 >"$bdi/strict_limit"
}

# make_loop SIZE [LOSETUP-OPTION...]: sets LOOP to a new loop device over a sparse file in memory.
make_loop() {
	local size=$1 file
	shift
	file=$(mktemp "/dev/shm/blkreel-test-XXXXXX")
	truncate -s "$size" "$file"
	LOOP=$(new_loop "$@" "$file")
	echo "$LOOP $file" >>"$BATS_TEST_TMPDIR/loops"
}

# make_loop_on_full_disk SIZE: sets LOOP to a device whose file system, mounted at SMALL, has 1 MiB
# only: writes of more fail.
make_loop_on_full_disk() {
	SMALL=$BATS_TEST_TMPDIR/small
	mkdir "$SMALL"
	mount -t tmpfs -o size=1m tmpfs "$SMALL"
	truncate -s "$1" "$SMALL/disk"
	LOOP=$(new_loop "$SMALL/disk")
	echo "$LOOP $SMALL/disk" >>"$BATS_TEST_TMPDIR/loops"
	echo "$SMALL" >>"$BATS_TEST_TMPDIR/small-disks"
}

# What is said of a loop device that was detached: another test may take its number before anyone looks.
# shellcheck disable=SC2034 # tests use it
GONE="(has disappeared|is another disk now)"

# is_loop_of DEVICE FILE: a device that a test has detached may be another test's by now.
is_loop_of() {
	[[ $(cat "/sys/block/${1#/dev/}/loop/backing_file" 2>/dev/null) == "$2"* ]]
}

# Called from teardown(): unmounts and removes the devices of make_loop and make_loop_on_full_disk.
remove_loops() {
	local loop file mount
	[ -e "$BATS_TEST_TMPDIR/loops" ] || return 0
	while read -r loop file; do
		if is_loop_of "$loop" "$file"; then
			while umount "$loop" 2>/dev/null; do :; done
			losetup -d "$loop" 2>/dev/null || true
		fi
		rm -f "$file"
	done <"$BATS_TEST_TMPDIR/loops"
	rm -f "$BATS_TEST_TMPDIR/loops"
	[ -e "$BATS_TEST_TMPDIR/small-disks" ] || return 0
	while read -r mount; do
		umount -l "$mount" || true
	done <"$BATS_TEST_TMPDIR/small-disks"
	rm -f "$BATS_TEST_TMPDIR/small-disks"
}

# swap_on PATH [OPTION...]: swapon(8), undone by remove_swaps().
swap_on() {
	echo "$1" >>"$BATS_TEST_TMPDIR/swaps"
	swapon "$@" 2>/dev/null
}

# Called from teardown(), before what the swap lies on goes.
remove_swaps() {
	local item
	[ -e "$BATS_TEST_TMPDIR/swaps" ] || return 0
	while read -r item; do
		swapoff "$item" 2>/dev/null || true
	done <"$BATS_TEST_TMPDIR/swaps"
	rm -f "$BATS_TEST_TMPDIR/swaps"
}

# mount_new FILESYSTEM [OPTION...]: makes it on LOOP and mounts it at MNT. It starts no work of its own
# later.
mount_new() {
	local kind=$1
	shift
	need_command "mkfs.$kind"
	case $kind in
	ext4) mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$@" "$LOOP" ;;
	xfs) mkfs.xfs -q -f -K "$@" "$LOOP" ;;
	btrfs) mkfs.btrfs -q -f -K "$@" "$LOOP" ;;
	esac
	MNT=$BATS_TEST_TMPDIR/mnt
	mkdir -p "$MNT"
	mount "$LOOP" "$MNT" || skip "needs $kind"
}

# mount_ext4 SIZE [OPTION...]: sets LOOP, and MNT to where an empty ext4 on it is mounted.
mount_ext4() {
	local size=$1
	shift
	make_loop "$size"
	mount_new ext4 "$@"
}

# Unmounting is the one way to be sure that nothing of the file system is cached.
remount() {
	umount "$LOOP"
	mount "$LOOP" "$MNT"
}

# make_file NAME MIB: a file in MNT; its pages stay in the cache.
make_file() {
	dd if=/dev/urandom of="$MNT/$1" bs=1M count="$2" status=none
}

# diskstat DEVICE FIELD: a field of /proc/diskstats, from 1 after the name (Documentation/admin-guide/iostats.rst).
diskstat() {
	awk -v name="${1#/dev/}" -v field="$2" '$3 == name { print $(field + 3) }' /proc/diskstats
}

# read_into_file DEVICE COUNT: direct reads of 4096 bytes each, into the pages of a file that is mapped.
read_into_file() {
	python3 - "$1" "$2" "$BATS_TEST_TMPDIR/mapped" <<-'PYTHON'
		import mmap, os, sys
		with open(sys.argv[3], "wb+") as file:
		    file.truncate(4096)
		    memory = mmap.mmap(file.fileno(), 4096)
		device = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
		for at in range(int(sys.argv[2])):
		    assert os.preadv(device, [memory], 4096 * at) == 4096
	PYTHON
}
