# SPDX-License-Identifier: MIT
# Shared by every .bats file: where the binary is, what a test needs, loop devices that vanish.
bats_require_minimum_version 1.5.0

BUILD=${BUILD:-$BATS_TEST_DIRNAME/../../build}
BLKREEL=${BLKREEL:-$BUILD/blkreel}
export HELPERS=$BUILD/helpers
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
export ROOT NO_COLOR=1

# Skips with a reason; under CI tests/run turns a skip for something that this machine has into a
# failure, so a need is always named by one of these functions.
need_root() {
	[ "$(id -u)" = 0 ] || skip "needs root"
}

need_command() {
	command -v "$1" >/dev/null || skip "needs the command $1"
}

need_loop() {
	need_root
	[ -e /dev/loop-control ] || skip "needs loop devices"
}

need_probes() {
	need_root
	[ -r /sys/kernel/btf/vmlinux ] || skip "needs a kernel with BTF"
}

# make_loop SIZE [LOSETUP-OPTION...]: sets LOOP to a new loop device over a sparse file in memory.
make_loop() {
	local size=$1 file
	shift
	file=$(mktemp "/dev/shm/blkreel-test-XXXXXX")
	truncate -s "$size" "$file"
	LOOP=$(losetup --find --show "$@" "$file")
	# A loop device keeps the settings of its last use.
	echo 128 >"/sys/block/$(basename "$LOOP")/queue/read_ahead_kb"
	echo 0 >"/sys/block/$(basename "$LOOP")/queue/nomerges"
	echo "$LOOP $file" >>"$BATS_TEST_TMPDIR/loops"
}

# mount_ext4 SIZE: sets LOOP, and MNT to where an empty ext4 on it is mounted.
mount_ext4() {
	make_loop "$1"
	MNT=$BATS_TEST_TMPDIR/mnt
	mkdir "$MNT"
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$LOOP"
	mount "$LOOP" "$MNT"
}

# limit_memory BYTES: sets GROUP, a cgroup that may have no more.
limit_memory() {
	local root limit
	for root in /sys/fs/cgroup/memory /sys/fs/cgroup /sys/fs/cgroup/unified; do
		GROUP=$root/blkreel-test-$$-$1
		mkdir "$GROUP" 2>/dev/null || continue
		echo "$GROUP" >>"$BATS_TEST_TMPDIR/groups"
		for limit in "$GROUP/memory.limit_in_bytes" "$GROUP/memory.max"; do
			[ -e "$limit" ] || continue
			echo "$1" >"$limit"
			return 0
		done
	done
	skip "needs cgroups that limit memory"
}

# Called from teardown(): the control groups whose folders stand in the file "groups".
remove_groups() {
	local group
	[ -e "$BATS_TEST_TMPDIR/groups" ] || return 0
	while read -r group; do
		rmdir "$group" || true
	done <"$BATS_TEST_TMPDIR/groups"
}

# Called from teardown(): unmounts and removes what make_loop made.
remove_loops() {
	local loop file
	[ -e "$BATS_TEST_TMPDIR/loops" ] || return 0
	while read -r loop file; do
		while umount "$loop" 2>/dev/null; do :; done
		losetup -d "$loop" 2>/dev/null || true
		rm -f "$file"
	done <"$BATS_TEST_TMPDIR/loops"
	rm -f "$BATS_TEST_TMPDIR/loops"
}

teardown() {
	remove_loops
}

# wait_until COMMAND...: until it succeeds, for at most two minutes.
wait_until() {
	local i
	for ((i = 0; i < 2400; i++)); do
		"$@" && return 0
		sleep 0.05
	done
	echo "gave up waiting for: $*" >&2
	return 1
}

# json FILE EXPRESSION: a value out of a JSON document, by python3 ("d['rows']['io']").
json() {
	python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

# one_line TEXT: fails unless TEXT is exactly one line that is not empty.
one_line() {
	[ -n "$1" ] && [ "$(printf '%s\n' "$1" | wc -l)" = 1 ]
}

# read_into_file DEVICE COUNT: so many direct reads of 4096 bytes, into the pages of a file that is mapped.
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
