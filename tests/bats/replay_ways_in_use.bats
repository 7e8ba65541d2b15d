# SPDX-License-Identifier: MIT
# Ways by which a replay could reach the data of somebody who uses them at the same time: through another name,
# another layer, another namespace, or an open file. Each is refused, with every checksum unchanged.
# bats file_tags=beside,sanitized
load test_helper
load helpers/refusals

setup() {
	need_loop
	write_refused_trace
}

teardown() {
	cd /
	remove_attached
	remove_holders
	remove_mounts
	clean_up
}

# Overlayfs ------------------------------------------------------------------------------------

@test "overlayfs: the target shows the file that a mounted loop device lies on" {
	mount_overlay
	make_ext4 "$U/disk" 16
	attach "$U/disk"
	mount_here -o ro "$LOOP" "$BATS_TEST_TMPDIR/mnt"
	refused_data "$U/disk" "$M/disk" "holds the data of $LOOP" --force ext4
}

@test "overlayfs: the target is the file that a loop device on overlayfs lies on" {
	mount_overlay
	fill "$M/disk" 2
	attach "$M/disk"
	refused_data "$LOOP" "$U/disk" "holds the data of $LOOP"
}

@test "overlayfs: the target is the lower file that a read-only loop device shows" {
	mount_overlay
	fill "$L/disk" 2
	attach "$M/disk" --read-only
	refused_data "$LOOP" "$L/disk" "holds the data of $LOOP"
}

@test "overlayfs: a bind mount of a folder of it hides which file it is" {
	mount_overlay
	mkdir "$M/folder"
	fill "$M/folder/disk" 2
	attach "$U/folder/disk"
	mount_here --bind "$M/folder" "$BATS_TEST_TMPDIR/bind"
	refused_data "$LOOP" "$BATS_TEST_TMPDIR/bind/disk" "holds the data of $LOOP"
}

@test "overlayfs: a bind mount of one file of it" {
	mount_overlay
	fill "$M/disk" 2
	attach "$U/disk"
	: >"$BATS_TEST_TMPDIR/one"
	mount --bind "$M/disk" "$BATS_TEST_TMPDIR/one"
	echo "$BATS_TEST_TMPDIR/one" >>"$BATS_TEST_TMPDIR/mounts"
	refused_data "$LOOP" "$BATS_TEST_TMPDIR/one" "holds the data of $LOOP"
}

@test "overlayfs: the upper directory is a file system of its own" {
	mount_here -t tmpfs tmpfs "$BATS_TEST_TMPDIR/memory"
	mkdir "$BATS_TEST_TMPDIR"/{lower,memory/upper,memory/work}
	mount_here -t overlay overlay -o "lowerdir=$BATS_TEST_TMPDIR/lower,upperdir=$BATS_TEST_TMPDIR/memory/upper,workdir=$BATS_TEST_TMPDIR/memory/work" \
		"$BATS_TEST_TMPDIR/merged" || skip "needs overlayfs"
	fill "$BATS_TEST_TMPDIR/merged/disk" 2
	attach "$BATS_TEST_TMPDIR/memory/upper/disk"
	refused_data "$LOOP" "$BATS_TEST_TMPDIR/merged/disk" "holds the data of $LOOP"
}

@test "overlayfs: in two layers" {
	mount_overlay
	fill "$M/disk" 2
	mkdir "$BATS_TEST_TMPDIR"/{upper2,work2}
	mount_here -t overlay overlay -o "lowerdir=$M,upperdir=$BATS_TEST_TMPDIR/upper2,workdir=$BATS_TEST_TMPDIR/work2" \
		"$BATS_TEST_TMPDIR/merged2" || skip "needs overlayfs on overlayfs"
	attach "$BATS_TEST_TMPDIR/merged2/disk" --read-only
	refused_data "$LOOP" "$U/disk" "holds the data of $LOOP"
	refused_data "$LOOP" "$M/disk" "holds the data of $LOOP"
}

@test "overlayfs: mounted in another mount namespace only" {
	need_command unshare
	mkdir -p "$BATS_TEST_TMPDIR"/{lower,upper,work,merged}
	fill "$BATS_TEST_TMPDIR/upper/disk" 2
	unshare --mount sh -c "mount -t overlay overlay -o lowerdir=$BATS_TEST_TMPDIR/lower,upperdir=$BATS_TEST_TMPDIR/upper,workdir=$BATS_TEST_TMPDIR/work $BATS_TEST_TMPDIR/merged &&
		flock --close /dev/loop-control losetup --read-only --find --show $BATS_TEST_TMPDIR/merged/disk && exec sleep 120" >"$BATS_TEST_TMPDIR/loop" 3>&- &
	remember_holder $!
	wait_until test -s "$BATS_TEST_TMPDIR/loop"
	LOOP=$(cat "$BATS_TEST_TMPDIR/loop")
	echo "$LOOP" >>"$BATS_TEST_TMPDIR/attached"
	refused_data "$LOOP" "$BATS_TEST_TMPDIR/upper/disk" "holds the data of $LOOP"
}

@test "overlayfs: with an upper directory that cannot be seen, what cannot be known is refused" {
	mount_overlay
	fill "$M/disk" 2
	attach "$U/disk"
	mount_here -t tmpfs tmpfs "$U"
	refused_data "$LOOP" "$M/disk" "perhaps holds the data of /dev/loop"
}

@test "overlayfs: another file in the covered upper directory does not pass for the real one" {
	mount_overlay
	fill "$M/disk" 2
	attach "$U/disk"
	cp -p "$U/disk" "$BATS_TEST_TMPDIR/copy"
	mount_here -t tmpfs tmpfs "$U"
	head -c 2M /dev/zero >"$U/disk"
	refused_data "$LOOP" "$M/disk" "perhaps holds the data of /dev/loop"
}

@test "overlayfs: the real file is open for writing" {
	mount_overlay
	fill "$M/disk" 2
	holding 'f = open(sys.argv[1], "r+b")' "$U/disk"
	refused_data "$U/disk" "$M/disk" "open for writing"
}

@test "overlayfs: the file is open for writing, the target is the real one" {
	mount_overlay
	fill "$M/disk" 2
	holding 'f = open(sys.argv[1], "r+b")' "$M/disk"
	refused_data "$M/disk" "$U/disk" "open for writing"
}

# Loop devices ---------------------------------------------------------------------------------

@test "loop: another hard link of its file" {
	fill disk 2
	ln disk link
	attach disk
	refused "$PWD/link" "holds the data of $LOOP"
}

@test "loop: a symbolic link to its file" {
	fill disk 2
	ln -s disk link
	attach disk
	refused "$PWD/link" "holds the data of $LOOP"
}

@test "loop: a bind mount of the folder of its file" {
	mkdir folder
	fill folder/disk 2
	attach folder/disk
	mount_here --bind "$PWD/folder" "$PWD/bind"
	refused "$PWD/bind/disk" "holds the data of $LOOP"
}

@test "loop: its file is deleted, and open in a process" {
	fill disk 2
	holding 'f = open(sys.argv[1], "rb")' disk
	attach disk
	rm disk
	refused_data "$LOOP" "/proc/$HOLDER/fd/3" "holds the data of $LOOP"
}

@test "loop: its file is deleted, another hard link stays" {
	fill disk 2
	ln disk link
	attach disk
	rm disk
	refused "$PWD/link" "holds the data of $LOOP"
}

@test "loop: it shows the middle of the file only" {
	fill disk 2
	attach disk --offset 512K --sizelimit 1M
	refused "$PWD/disk" "holds the data of $LOOP"
}

@test "loop: it is read-only" {
	fill disk 2
	attach disk --read-only
	refused "$PWD/disk" "holds the data of $LOOP"
}

@test "loop: the file lies on a btrfs subvolume" {
	need_command mkfs.btrfs
	need_command btrfs
	truncate -s 128M image
	mkfs.btrfs -q image
	mount_here -o loop image "$PWD/mnt" || skip "needs btrfs"
	btrfs subvolume create mnt/sub >/dev/null
	fill mnt/sub/disk 2
	ln mnt/sub/disk mnt/sub/link
	attach mnt/sub/disk
	refused "$PWD/mnt/sub/link" "holds the data of $LOOP"
}

@test "loop: the target is a second loop device on the file of a mounted one" {
	make_ext4 disk 16
	attach disk
	mount_here -o ro "$LOOP" "$PWD/mnt"
	mounted=$LOOP
	attach disk
	refused_data "$mounted" "$LOOP" "shares its data with a device that is mounted" --force ext4
}

@test "loop: the target is a second loop device on the file of one that nobody has mounted" {
	fill disk 2
	attach disk
	first=$LOOP
	attach disk
	refused_data "$first" "$LOOP" "holds the data of $first"
}

@test "loop: the target is a second loop device, through overlayfs, on the file of one" {
	mount_overlay
	fill "$M/disk" 2
	attach "$U/disk"
	first=$LOOP
	attach "$M/disk"
	refused_data "$first" "$LOOP" "holds the data of $first"
}

@test "loop: the target is a loop device on a mounted device" {
	make_ext4 disk 16
	attach disk
	lower=$LOOP
	attach "$lower"
	mount_here -o ro "$lower" "$PWD/mnt"
	refused_data "$lower" "$LOOP" "shares its data with a device that is mounted" --force ext4
}

@test "loop: the target is a loop device on a device that is held exclusively" {
	fill disk 2
	attach disk
	lower=$LOOP
	attach "$lower"
	holding 'f = os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)' "$lower"
	refused_data "$lower" "$LOOP" "holds exclusively"
}

@test "loop: three devices on each other, the lowest file is the target" {
	fill disk 2
	attach disk
	bottom=$LOOP
	attach "$bottom"
	attach "$LOOP"
	refused_data "$LOOP" "$PWD/disk" "holds the data of /dev/loop"
	refused_data "$LOOP" "$bottom" "holds the data of /dev/loop"
}

@test "loop: a device of a partition of a device" {
	fill disk 4
	attach disk --partscan
	disk=$LOOP
	make_partition "$disk" 1 2048 4096
	attach p1
	refused_data "$LOOP" "$disk" "holds the data of $LOOP"
	refused_data "$LOOP" "$PWD/p1" "holds the data of $LOOP"
	refused_data "$LOOP" "$PWD/disk" "holds the data of /dev/loop"
}

@test "loop: the target is a partition of a disk on which a loop device lies" {
	fill disk 4
	attach disk --partscan
	disk=$LOOP
	make_partition "$disk" 1 2048 4096
	attach "$disk"
	refused_data "$LOOP" "$PWD/p1" "holds the data of $LOOP"
}

# Mounts ---------------------------------------------------------------------------------------

@test "mount: in another mount namespace only" {
	need_command unshare
	make_ext4 disk 16
	attach disk
	mkdir mnt
	unshare --mount sh -c "mount -o ro $LOOP mnt && echo held && exec sleep 120" >held 3>&- &
	remember_holder $!
	wait_until grep -q held held
	refused "$LOOP" "in the mount namespace of process" --force ext4
}

@test "mount: another node of the same device" {
	make_ext4 disk 16
	attach disk
	mount_here -o ro "$LOOP" "$PWD/mnt"
	mknod node b $((0x$(stat -c %t "$LOOP"))) $((0x$(stat -c %T "$LOOP")))
	refused "$PWD/node" "umount $PWD/mnt" --force ext4
}

@test "mount: the target is a partition of a mounted disk" {
	make_ext4 disk 32
	attach disk --partscan
	make_partition "$LOOP" 1 2048 4096
	mount_here -o ro "$LOOP" "$PWD/mnt"
	refused_data "$LOOP" "$PWD/p1" "umount $PWD/mnt"
}

@test "mount: a file of a file system that is mounted from a file of it" {
	make_ext4 disk 64
	mount_here -o loop,noatime disk "$PWD/outer"
	make_ext4 outer/disk 16
	mount_here -o loop outer/disk "$PWD/inner"
	# Otherwise the kernel writes to the files while their content is compared; so it does for times of access.
	sync -f "$PWD/inner"
	sync -f "$PWD/outer"
	refused "$PWD/outer/disk" "holds the data of /dev/loop" --force ext4
	refused "$PWD/disk" "holds the data of /dev/loop" --force ext4
}

# Swap -----------------------------------------------------------------------------------------

@test "swap: another hard link of a swap file, and overlayfs above it" {
	need_command mkswap
	[ "$(stat -f -c %T .)" != tmpfs ] || skip "needs a disk: swap over a file in memory can deadlock"
	mount_overlay
	head -c 1M /dev/zero >"$U/swap"
	chmod 600 "$U/swap"
	mkswap -q "$U/swap" >/dev/null
	ln "$U/swap" link
	swap_on "$U/swap" -p 0 || skip "needs swap"
	refused "$PWD/link" "swapoff $U/swap" --force swap
	refused "$M/swap" "swapoff $U/swap" --force swap
}

# Programs -------------------------------------------------------------------------------------

@test "open: a process has the file open for writing, whatever its mode" {
	fill disk 2
	holding 'f = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)' disk
	refused "$PWD/disk" "process $HOLDER (python3) has it open for writing"
}

@test "open: a process has another hard link of the file open for writing" {
	fill disk 2
	ln disk link
	holding 'f = os.open(sys.argv[1], os.O_RDWR)' link
	refused "$PWD/disk" "process $HOLDER"
}

# Python's mmap keeps a descriptor of its own.
MAPPED='import ctypes
c = ctypes.CDLL(None, use_errno=True)
c.mmap.restype = ctypes.c_void_p
c.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
f = os.open(sys.argv[1], os.O_RDWR)
if c.mmap(None, 4096, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, f, 0) in (None, ctypes.c_void_p(-1).value):
    sys.exit(os.strerror(ctypes.get_errno()))
os.close(f)'

@test "open: a process has closed the file and writes to its pages" {
	fill disk 2
	holding "$MAPPED" disk
	refused "$PWD/disk" "process $HOLDER"
}

@test "open: the open file is on its way from one process to another" {
	fill disk 2
	holding 'f = os.open(sys.argv[1], os.O_RDWR)
a, b = socket.socketpair()
socket.send_fds(a, [b"x"], [f])
os.close(f)' disk
	refused "$PWD/disk" "open for writing"
}

@test "open: the process cannot be seen from the namespace of blkreel" {
	need_command unshare
	fill disk 2
	holding 'f = os.open(sys.argv[1], os.O_RDWR)' disk
	printf '#!/bin/sh\nexec unshare --pid --fork --mount-proc "%s" "$@"\n' "$BLKREEL" >blkreel
	chmod +x blkreel
	BLKREEL=$PWD/blkreel
	refused "$PWD/disk" "a process that cannot be seen from here has it open for writing"
}

@test "open: the target is another process's open file" {
	fill disk 2
	holding 'f = os.open(sys.argv[1], os.O_RDWR)' disk
	refused "/proc/$HOLDER/fd/3" "open for writing"
}

@test "open: a nameless file of another process" {
	holding 'f = os.open(sys.argv[1], os.O_TMPFILE | os.O_RDWR)
os.write(f, os.urandom(1 << 20) * 2)' "$PWD"
	refused "/proc/$HOLDER/fd/3" "open for writing"
}

@test "open: the standard output of the replay itself" {
	fill disk 2
	before=$(sha256sum <disk)
	run bash -c "'$BLKREEL' replay '$TRACE' --target '$PWD/disk' --write --yes-destroy='$PWD/disk' 1<>'$PWD/disk'"
	[ "$status" = 3 ]
	[[ $output == *"has it open for writing"* ]]
	[ "$before" = "$(sha256sum <disk)" ]
}

@test "open: a program that runs" {
	cp "$(command -v sleep)" program
	truncate -s 2M program
	./program 120 3>&- &
	remember_holder $!
	wait_until grep -q program "/proc/$!/comm"
	refused "$PWD/program" "a program that runs"
}

@test "open: a lease of another program, for reading" {
	fill disk 2
	holding 'f = os.open(sys.argv[1], os.O_RDONLY)
signal.signal(signal.SIGIO, signal.SIG_IGN)
fcntl.fcntl(f, fcntl.F_SETLEASE, fcntl.F_RDLCK)' disk
	refused "$PWD/disk" "holds a lease"
}

@test "lock: flock(2) and a lock for reading" {
	fill disk 2
	holding 'f = os.open(sys.argv[1], os.O_RDONLY)
fcntl.flock(f, fcntl.LOCK_SH)' disk
	refused "$PWD/disk" "has locked it"
	remove_holders
	fill disk2 2
	holding 'f = os.open(sys.argv[1], os.O_RDONLY)
fcntl.lockf(f, fcntl.LOCK_SH)' disk2
	refused "$PWD/disk2" "has locked it"
}

@test "open: a process writes to the device, not exclusively" {
	fill disk 2
	attach disk
	holding 'f = os.open(sys.argv[1], os.O_RDWR)' "$LOOP"
	refused "$LOOP" "process $HOLDER (python3) has it open for writing"
}

@test "open: a process has closed the device and writes to its pages" {
	fill disk 2
	attach disk
	holding "$MAPPED" "$LOOP"
	refused "$LOOP" "process $HOLDER (python3) has it open for writing"
}

@test "open: a process writes to another node of the device" {
	fill disk 2
	attach disk
	mknod node b $((0x$(stat -c %t "$LOOP"))) $((0x$(stat -c %T "$LOOP")))
	holding 'f = os.open(sys.argv[1], os.O_RDWR)' node
	refused "$LOOP" "process $HOLDER"
}

@test "open: a process writes to the file behind the device" {
	fill disk 2
	attach disk
	holding 'f = os.open(sys.argv[1], os.O_RDWR)' disk
	refused "$LOOP" "process $HOLDER"
}

@test "open: a process writes to the disk of the partition, or to a partition of the disk" {
	fill disk 4
	attach disk --partscan
	make_partition "$LOOP" 1 2048 4096
	holding 'f = os.open(sys.argv[1], os.O_RDWR)' "$LOOP"
	refused_data "$LOOP" "$PWD/p1" "process $HOLDER"
	remove_holders
	holding 'f = os.open(sys.argv[1], os.O_RDWR)' p1
	refused "$LOOP" "process $HOLDER"
}

@test "open: a reader is no reason to refuse" {
	truncate -s 2M disk
	holding 'f = os.open(sys.argv[1], os.O_RDONLY)' disk
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target disk --write
	[ "$status" = 0 ]
}
