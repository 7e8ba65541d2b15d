# SPDX-License-Identifier: MIT
# Replays that must be refused, and what keeps a target in use meanwhile.

# write_refused_trace: makes TRACE, two writes and a read within 2 MiB; the test goes on in its own folder.
write_refused_trace() {
	TRACE=$BATS_TEST_TMPDIR/w.reel
	printf '%s\n' '0 1 write 0 4096' '100 1 write 65536 8192' '200 1 read 65536 8192' | write_trace 2M
	cd "$BATS_TEST_TMPDIR" || return 1
}

# refused TARGET PATTERN [OPTION...]: exit code 3, one line on stderr with PATTERN, nothing on
# stdout, and the target's content untouched. All options are given that would let a replay write.
refused() {
	local target=$1 pattern=$2 before after
	shift 2
	before=$(sha256sum <"$target")
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$target" --write "--yes-destroy=$target" "$@"
	after=$(sha256sum <"$target")
	echo "status $status, stdout '$output', stderr '$stderr'"
	[ "$status" = 3 ]
	[ -z "$output" ]
	one_line "$stderr"
	[[ $stderr == *"$target"* ]]
	[[ $stderr == *$pattern* ]]
	[ "$before" = "$after" ]
}

# refused_data VICTIM TARGET PATTERN [OPTION...]: the same, and the bytes of VICTIM stay, too.
refused_data() {
	local victim=$1 before
	shift
	before=$(sha256sum <"$victim")
	refused "$@"
	[ "$before" = "$(sha256sum <"$victim")" ]
}

# holding PROGRAM [ARGUMENT...]: starts a Python program, which prints "held" when it has what it shall hold;
# then it sleeps until remove_holders(). Sets HOLDER to its process.
holding() {
	local program=$1 out
	shift
	out=$(mktemp "$BATS_TEST_TMPDIR/held-XXXXXX")
	python3 -c "import fcntl, mmap, os, signal, socket, sys, time
$program
print('held', flush=True)
time.sleep(120)" "$@" >"$out" 3>&- &
	HOLDER=$!
	echo "$HOLDER" >>"$BATS_TEST_TMPDIR/holders"
	wait_until grep -q held "$out"
}

# remember_holder PID: remove_holders() ends this process, too.
remember_holder() {
	echo "$1" >>"$BATS_TEST_TMPDIR/holders"
}

# Called from teardown().
remove_holders() {
	local pid
	[ -e "$BATS_TEST_TMPDIR/holders" ] || return 0
	while read -r pid; do
		kill "$pid" 2>/dev/null || true
	done <"$BATS_TEST_TMPDIR/holders"
	rm -f "$BATS_TEST_TMPDIR/holders"
}

# attach FILE [LOSETUP-OPTION...]: sets LOOP to a loop device on a file that exists.
attach() {
	local file=$1
	shift
	LOOP=$(new_loop "$@" "$file")
	echo "$LOOP" >>"$BATS_TEST_TMPDIR/attached"
}

# mount_here ARGUMENT...: mount(8), undone by remove_mounts(); the last argument is where.
mount_here() {
	mkdir -p "${!#}" 2>/dev/null || true
	flock --close /dev/loop-control mount "$@" || return # see new_loop
	echo "${!#}" >>"$BATS_TEST_TMPDIR/mounts"
}

# Called from teardown(), before remove_holders(): detaches the devices of attach(), the last ones first. Without the
# mount of an overlayfs nobody can see where the data of a device on it lie, and the replay of another test is refused.
remove_attached() {
	local item
	[ -e "$BATS_TEST_TMPDIR/attached" ] || return 0
	while read -r item; do
		losetup -d "$item" 2>/dev/null || true
	done < <(tac "$BATS_TEST_TMPDIR/attached")
	rm -f "$BATS_TEST_TMPDIR/attached"
}

# Called from teardown(): detaches the devices, then unmounts, the last ones first.
remove_mounts() {
	local item
	remove_attached
	[ -e "$BATS_TEST_TMPDIR/mounts" ] || return 0
	while read -r item; do
		umount "$item" 2>/dev/null || umount -l "$item" 2>/dev/null || true
	done < <(tac "$BATS_TEST_TMPDIR/mounts")
	rm -f "$BATS_TEST_TMPDIR/mounts"
}

# mount_overlay: an overlayfs at M over L and U, directories of the test.
mount_overlay() {
	L=$BATS_TEST_TMPDIR/lower U=$BATS_TEST_TMPDIR/upper M=$BATS_TEST_TMPDIR/merged
	mkdir -p "$L" "$U" "$BATS_TEST_TMPDIR/work"
	mount_here -t overlay overlay -o "lowerdir=$L,upperdir=$U,workdir=$BATS_TEST_TMPDIR/work" "$M" 2>/dev/null ||
		skip "needs overlayfs on $BATS_TEST_TMPDIR"
}

# fill FILE MIB: a file of data that nobody may lose. Not random: random bytes can look like a signature.
fill() {
	yes "data that nobody may lose" 2>/dev/null | head -c "$(($2 << 20))" >"$1"
}

# make_ext4 FILE MIB: an image of a file system, without work that it does later by itself.
make_ext4() {
	need_command mkfs.ext4
	truncate -s "$2M" "$1"
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$1"
}

# make_partition DEVICE NUMBER START SECTORS: tells the kernel of a partition, and makes the node pNUMBER here.
make_partition() {
	local disk=$1 number=$2 numbers
	need_command addpart
	addpart "$disk" "$number" "$3" "$4" || skip "needs partitions on loop devices"
	IFS=: read -r -a numbers <"/sys/class/block/${disk#/dev/}p$number/dev"
	mknod "p$number" b "${numbers[@]}"
}
