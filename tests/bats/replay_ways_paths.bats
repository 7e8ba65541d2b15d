# SPDX-License-Identifier: MIT
# Ways by which the path of a target leads a replay to another file than its user meant, or hides who uses the target.
# Each is refused, with every checksum unchanged.
# bats file_tags=beside,sanitized
load test_helper
load helpers/refusals

# Another user.
ATTACKER=65534

setup() {
	need_root
	write_refused_trace
}

teardown() {
	cd /
	[ ! -e "$BATS_TEST_TMPDIR/stopped" ] || kill -KILL "$(cat "$BATS_TEST_TMPDIR/stopped")" 2>/dev/null || true
	remove_attached
	remove_holders
	remove_mounts
	clean_up
}

# Links and folders of another user -----------------------------------------------------------

# other_users_folder: makes "theirs/dir" of another user, and "closed" of root with a file of data.
other_users_folder() {
	mkdir -p theirs/dir
	mkdir -m 700 closed
	fill closed/disk 2
	chown -R "$ATTACKER" theirs
}

@test "link: of another user, in a folder of theirs and where everybody may write" {
	other_users_folder
	mkdir -m 1777 shared
	ln -s "$PWD/closed/disk" theirs/link
	ln -s "$PWD/closed/disk" shared/link
	chown -h "$ATTACKER" theirs/link shared/link
	refused_data closed/disk "$PWD/theirs/link" "over a symbolic link that another user could have made"
	refused_data closed/disk "$PWD/shared/link" "over a symbolic link that another user could have made"
}

@test "link: of another user, to a device" {
	need_loop
	other_users_folder
	make_loop 2M
	ln -s "$LOOP" theirs/link
	chown -h "$ATTACKER" theirs/link
	refused "$PWD/theirs/link" "over a symbolic link"
	# What a user of the machine expects: names that root or the user made.
	ln -s "$LOOP" own
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target own --write --yes-destroy=own
	[ "$status" = 0 ]
}

@test "link: of another user, on the way to the file" {
	other_users_folder
	ln -s "$PWD/closed" theirs/way
	chown -h "$ATTACKER" theirs/way
	refused_data closed/disk "$PWD/theirs/way/disk" "over a symbolic link"
	refused_data closed/disk "$PWD/theirs/way/../closed/disk" "over a symbolic link"
	refused_data closed/disk /proc/self/cwd/theirs/way/disk "over a symbolic link"
}

@test "link: of root, to a link of another user" {
	other_users_folder
	ln -s "$PWD/closed/disk" theirs/link
	chown -h "$ATTACKER" theirs/link
	ln -s "$PWD/theirs/link" mine
	refused_data closed/disk "$PWD/mine" "over a symbolic link"
}

@test "link: to read, it is followed" {
	other_users_folder
	ln -s "$PWD/closed/disk" theirs/link
	chown -h "$ATTACKER" theirs/link
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target theirs/link --reads-only
	[ "$status" = 0 ]
}

# LAUNCHED is strace; its child is the replay.
is_stopped() {
	grep -qs 'stopped by SIGSTOP' calls && pgrep -P "$LAUNCHED" >stopped
}

# stopped_at CALL OPTION...: starts a replay that stops at its first system call of this name; go_on() lets it go on.
stopped_at() {
	local call=$1
	shift
	need_command strace
	ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o calls -e "trace=$call" -e "inject=$call:signal=STOP:when=1" \
		"$BLKREEL" replay "$TRACE" --write "$@" >out 2>errors 3>&- </dev/null &
	LAUNCHED=$!
	wait_until is_stopped
}

# go_on: the status of the replay.
go_on() {
	kill -CONT "$(cat stopped)"
	rm stopped
	wait "$LAUNCHED"
}

# exchange_folder: the other user exchanges "theirs/dir" with a link to "closed".
exchange_folder() {
	mv theirs/dir theirs/before
	ln -s "$PWD/closed" theirs/dir
	chown -h "$ATTACKER" theirs/dir
}

@test "race: the folder becomes a link when the file was created in it" {
	other_users_folder
	before=$(sha256sum <closed/disk)
	stopped_at fallocate --target "$PWD/theirs/dir/disk" --create-size 2M
	exchange_folder
	status=0
	go_on || status=$?
	cat errors
	[ "$status" = 3 ]
	grep -q "changed while it was examined" errors
	[ "$before" = "$(sha256sum <closed/disk)" ]
}

@test "race: the folder becomes a link before the file that was created is removed again" {
	other_users_folder
	# Too small for the trace, as the new one.
	truncate -s 32K closed/disk
	before=$(sha256sum <closed/disk)
	stopped_at fallocate --target "$PWD/theirs/dir/disk" --create-size 32K
	exchange_folder
	status=0
	go_on || status=$?
	[ "$status" = 3 ]
	[ "$before" = "$(sha256sum <closed/disk)" ]
}

@test "race: another folder has the name before the file that was created is removed again" {
	other_users_folder
	mkdir theirs/roots
	fill theirs/roots/disk 2
	before=$(sha256sum <theirs/roots/disk)
	stopped_at fallocate --target "$PWD/theirs/dir/disk" --create-size 32K
	mv theirs/dir theirs/before
	mv theirs/roots theirs/dir
	status=0
	go_on || status=$?
	[ "$status" = 3 ]
	[ "$before" = "$(sha256sum <theirs/dir/disk)" ]
}

@test "race: a file takes the place of the target when that was looked at" {
	fill disk 2
	fill other 2
	before=$(sha256sum <other)
	# statfs(2) follows stat(2).
	stopped_at statfs --target "$PWD/disk" --yes-destroy="$PWD/disk"
	mv other disk
	status=0
	go_on || status=$?
	cat errors
	[ "$status" = 3 ]
	grep -q "changed while it was examined" errors
	[ "$before" = "$(sha256sum <disk)" ]
}

@test "race: the source is overwritten by one with longer IOs when it was looked at" {
	truncate -s 2M disk
	printf '%s\n' '0 1 write 0 4096' '100 1 write 65536 8192' '200 1 read 0 1048576' | write_trace 2M "$PWD/longer.reel"
	stopped_at io_uring_setup --target "$PWD/disk"
	cat longer.reel >"$TRACE"
	status=0
	go_on || status=$?
	cat errors
	[ "$status" = 1 ]
	grep -q "the source changed while it was replayed" errors
}

# Files that are no data ----------------------------------------------------------------------

@test "kernel: a file of sysfs or of proc" {
	printf '%s\n' '0 1 write 0 4096' '100 1 read 0 4096' | write_trace 2M
	before=$(cat /sys/kernel/mm/transparent_hugepage/enabled /proc/sys/kernel/hostname)
	for file in /sys/kernel/mm/transparent_hugepage/enabled /proc/sys/kernel/hostname; do
		run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$file" --write --yes-destroy="$file" --fit wrap
		echo "status $status, stderr '$stderr'"
		[ "$status" = 3 ]
		one_line "$stderr"
		[[ $stderr == *"$file is a file of the kernel"* ]]
	done
	[ "$before" = "$(cat /sys/kernel/mm/transparent_hugepage/enabled /proc/sys/kernel/hostname)" ]
}

# without FOLDER: blkreel runs where an empty file system hides this folder.
without() {
	need_command unshare
	printf '#!/bin/sh\nexec unshare --mount sh -c '\''mount -t tmpfs none %s && exec "$0" "$@"'\'' "%s" "$@"\n' "$1" "$BLKREEL" >blkreel
	chmod +x blkreel
	BLKREEL=$PWD/blkreel
}

# not_known VICTIM TARGET PATTERN: a replay that cannot find out whether the target is in use ends with exit code 1.
not_known() {
	local before
	before=$(sha256sum <"$1")
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$2" --write --yes-destroy="$2"
	echo "status $status, stderr '$stderr'"
	[ "$status" = 1 ]
	one_line "$stderr"
	[[ $stderr == *"cannot find out $3"* ]]
	[ "$before" = "$(sha256sum <"$1")" ]
}

# start_fuse BACKING MOUNT: MOUNT shows the bytes of BACKING.
start_fuse() {
	[ -c /dev/fuse ] || skip "needs /dev/fuse"
	: >"$2"
	: >ready
	"$HELPERS/slow_disk" "$1" "$2" 0 0 0 >ready 3>&- &
	remember_holder $!
	wait_until grep -q ready ready
	echo "$2" >>"$BATS_TEST_TMPDIR/mounts"
}

@test "hidden: FUSE shows a file that a mounted loop device lies on" {
	need_loop
	make_ext4 below 16
	start_fuse "$PWD/below" "$PWD/shown"
	attach below
	mkdir mnt
	mount_here -o ro "$LOOP" "$PWD/mnt"
	refused_data below "$PWD/shown" "lies on FUSE: only the program behind it knows where the data is" --force ext4
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target shown --reads-only
	[ "$status" = 0 ]
}

@test "hidden: without sysfs, the file of a read-only loop device" {
	need_loop
	fill disk 2
	attach disk --read-only
	without /sys
	not_known disk "$PWD/disk" "whether a loop device uses it"
}

@test "hidden: without proc, a file and a device" {
	need_loop
	case $BUILD in *sanitize*) skip "needs a build without sanitizers, which read /proc" ;; esac
	fill disk 2
	attach disk
	without /proc
	not_known disk "$LOOP" "what is mounted"
	fill other 2
	not_known other "$PWD/other" "what is swap"
}

# Users that do not show in the first place where one looks -----------------------------------

# without_descriptor: a Python function map_shared(path), which leaves no descriptor, as mmap.mmap() does.
MAP_SHARED='import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
def map_shared(path):
    f = os.open(path, os.O_RDWR)
    assert libc.mmap(None, 4096, 3, 1, f, 0) != ctypes.c_void_p(-1).value
    os.close(f)
'

@test "open: a process has closed the device and writes to its pages" {
	need_loop
	fill disk 2
	attach disk
	holding "$MAP_SHARED"'
map_shared(sys.argv[1])' "$LOOP"
	[ "$(find "/proc/$HOLDER/fd" -lname "$LOOP")" = "" ]
	refused_data disk "$LOOP" "process $HOLDER"
}

@test "open: a process has closed the disk of the partition and writes to its pages" {
	need_loop
	fill disk 4
	attach disk --partscan
	make_partition "$LOOP" 1 2048 4096
	holding "$MAP_SHARED"'
map_shared(sys.argv[1])' "$LOOP"
	refused_data "$LOOP" "$PWD/p1" "process $HOLDER"
}

@test "open: a process has closed the file, through another hard link, and writes to its pages" {
	fill disk 2
	ln disk link
	holding "$MAP_SHARED"'
map_shared(sys.argv[1])' link
	[ "$(find "/proc/$HOLDER/fd" -lname "$PWD/link")" = "" ]
	refused "$PWD/disk" "process $HOLDER"
}

# A Python function in_thread(work), which runs it in a thread with a table of descriptors of its own.
IN_THREAD='import ctypes, threading
libc = ctypes.CDLL(None, use_errno=True)
def in_thread(work):
    done = threading.Event()
    def run():
        assert libc.unshare(0x400) == 0 # CLONE_FILES
        work()
        done.set()
        time.sleep(120)
    threading.Thread(target=run, daemon=True).start()
    done.wait()
'

@test "open: a thread alone has the device open" {
	need_loop
	fill disk 2
	attach disk
	holding "$IN_THREAD"'
in_thread(lambda: os.open(sys.argv[1], os.O_RDWR))' "$LOOP"
	[ "$(find "/proc/$HOLDER/fd" -lname "$LOOP")" = "" ]
	refused_data disk "$LOOP" "process $HOLDER"
}

@test "open: the thread that has the device open outlives the first one" {
	need_loop
	fill disk 2
	attach disk
	holding 'import ctypes, threading
libc = ctypes.CDLL(None)
f = os.open(sys.argv[1], os.O_RDWR)
first = threading.get_native_id()
def run():
    while open(f"/proc/self/task/{first}/stat").read().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.05)
    print("held", flush=True)
    time.sleep(120)
threading.Thread(target=run).start()
libc.syscall(60 if os.uname().machine == "x86_64" else 93, 0) # exit' "$LOOP"
	[ "$(find "/proc/$HOLDER/fd" -lname "$LOOP" 2>/dev/null)" = "" ]
	refused_data disk "$LOOP" "process $HOLDER"
}

@test "open: a descriptor that can only name the file is no reason to refuse" {
	truncate -s 2M disk
	holding 'f = os.open(sys.argv[1], os.O_PATH)' disk
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target disk --write
	[ "$status" = 0 ]
}

@test "open: a file in memory that may not be written any more" {
	holding 'w = os.memfd_create("data", os.MFD_ALLOW_SEALING)
os.write(w, b"data that nobody may lose" * 90000)
f = os.open(f"/proc/self/fd/{w}", os.O_RDONLY)
fcntl.fcntl(w, 1033, 8) # F_ADD_SEALS, F_SEAL_WRITE
os.dup2(f, 20)
os.close(w)
os.close(f)'
	before=$(sha256sum <"/proc/$HOLDER/fd/20")
	run "$BLKREEL" replay "$TRACE" --target "/proc/$HOLDER/fd/20" --write --yes-destroy="/proc/$HOLDER/fd/20"
	[ "$status" != 0 ]
	[[ $output == *"2 IOs failed"* ]]
	[ "$before" = "$(sha256sum <"/proc/$HOLDER/fd/20")" ]
}

# Mounts that no process shows ----------------------------------------------------------------

@test "mount: in a mount namespace without a process" {
	need_loop
	need_command unshare
	make_ext4 disk 16
	attach disk
	mkdir mnt ns
	mount_here --bind ns "$PWD/ns"
	mount --make-private ns
	: >ns/kept
	unshare --mount=ns/kept mount -o ro "$LOOP" mnt || skip "needs mount namespaces that are kept"
	echo "$PWD/ns/kept" >>mounts
	refused "$LOOP" "holds it exclusively" --force ext4
	refused "$PWD/disk" "holds the data of $LOOP" --force ext4
}

@test "mount: unmounted lazily, with an open file" {
	need_loop
	make_ext4 disk 16
	attach disk
	mkdir mnt
	mount -o ro "$LOOP" mnt
	holding 'f = os.open(sys.argv[1], os.O_RDONLY)' mnt/lost+found
	umount -l mnt
	refused "$LOOP" "holds it exclusively" --force ext4
	refused "$PWD/disk" "holds the data of $LOOP" --force ext4
}

@test "mount: the journal of a mounted file system is another device" {
	need_loop
	need_command mkfs.ext4
	truncate -s 16M journal
	truncate -s 32M disk
	attach journal
	journal=$LOOP
	attach disk
	mkfs.ext4 -q -F -b 4096 -O journal_dev "$journal"
	mkfs.ext4 -q -F -b 4096 -J "device=$journal" -E lazy_itable_init=0 "$LOOP"
	mount_here -o ro "$LOOP" "$PWD/mnt"
	refused_data "$LOOP" "$journal" "holds it exclusively" --force jbd
}

@test "mount: the second device of a mounted btrfs" {
	need_loop
	need_command mkfs.btrfs
	truncate -s 128M disk second
	attach disk
	disk=$LOOP
	attach second
	mkfs.btrfs -q -d raid1 -m raid1 "$disk" "$LOOP" >/dev/null 2>&1
	btrfs device scan "$disk" "$LOOP" >/dev/null
	mount_here -o ro "$disk" "$PWD/mnt" || skip "needs btrfs"
	refused_data "$disk" "$LOOP" "" --force btrfs
	refused_data second "$PWD/second" "holds the data of $LOOP" --force btrfs
	umount "$PWD/mnt"
	btrfs device scan --forget >/dev/null 2>&1 || true
}

# What may not be written ---------------------------------------------------------------------

# mount_disk: an ext4 at "mnt" with a file of data.
mount_disk() {
	need_loop
	make_ext4 image 64
	attach image
	mount_here "$LOOP" "$PWD/mnt"
	fill mnt/disk 2
}

@test "read-only: a file that is immutable, or takes only more data at its end" {
	need_command chattr
	mount_disk
	chattr +i mnt/disk
	refused "$PWD/mnt/disk" "is immutable: chattr -i"
	chattr -i +a mnt/disk
	refused "$PWD/mnt/disk" "can only grow: chattr -a"
	chattr -a mnt/disk
}

@test "read-only: a mount, and a bind mount of a file system that is not" {
	mount_disk
	mount_here --bind "$PWD/mnt" "$PWD/bind"
	mount -o remount,bind,ro bind
	refused_data mnt/disk "$PWD/bind/disk" "mounted read-only"
	mount -o remount,ro mnt
	refused "$PWD/mnt/disk" "mounted read-only"
}

@test "operations: what the target's file system can do is not asked of the one that a link to it lies on" {
	mount_disk
	mount_here -t tmpfs none "$PWD/links"
	ln -s "$PWD/mnt/disk" links/disk
	echo '0 1 write_zeroes 0 65536' | write_trace 2M
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target links/disk --write --yes-destroy=links/disk
	echo "status $status, stderr '$stderr'"
	[ "$status" = 0 ]
	cmp -n 65536 mnt/disk /dev/zero
}

@test "read-only: a device on a file system whose devices cannot be used" {
	need_loop
	fill disk 2
	attach disk
	mount_here -t tmpfs -o nodev none "$PWD/mnt"
	mknod mnt/node b $((0x$(stat -c %t "$LOOP"))) $((0x$(stat -c %T "$LOOP")))
	before=$(sha256sum <"$LOOP")
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target mnt/node --write --yes-destroy=mnt/node
	[ "$status" != 0 ]
	one_line "$stderr"
	[ "$before" = "$(sha256sum <"$LOOP")" ]
}

# What a replay writes beside its target ------------------------------------------------------

@test "output: what it writes beside never goes into the target, its source or a device" {
	need_loop
	fill disk 2
	fill other 2
	attach other
	ln disk hard
	ln -s disk soft
	before=$(sha256sum disk other "$TRACE")
	for option in --series --stamp -o; do
		for file in disk hard soft "$TRACE" "$LOOP" /proc/self/cwd/disk; do
			run --separate-stderr "$BLKREEL" replay "$TRACE" --target disk --write --yes-destroy=disk "$option" "$file"
			echo "$option $file: status $status, stderr '$stderr'"
			[ "$status" != 0 ]
			one_line "$stderr"
			[ "$before" = "$(sha256sum disk other "$TRACE")" ]
		done
	done
}
