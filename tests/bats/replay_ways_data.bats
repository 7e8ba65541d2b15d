# SPDX-License-Identifier: MIT
# Regular files: one that holds data is named a second time, and nobody else begins to use one unnoticed while a
# replay writes to it.
# bats file_tags=beside,sanitized
load test_helper
load helpers/refusals

setup() {
	need_root
	write_refused_trace
	LONG=$BATS_TEST_TMPDIR/long.reel
}

teardown() {
	cd /
	[ ! -e "$BATS_TEST_TMPDIR/replay.pid" ] || kill "$(cat "$BATS_TEST_TMPDIR/replay.pid")" 2>/dev/null || true
	remove_attached
	remove_holders
	remove_mounts
	clean_up
}

# unnamed FILE [OPTION...]: a replay onto it is refused, because nobody named it, and changes nothing.
unnamed() {
	local file=$1 before
	shift
	before=$(sha256sum <"$file")
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$file" --write "$@" </dev/null
	echo "status $status, stderr '$stderr'"
	[ "$status" = 3 ]
	[ -z "$output" ]
	one_line "$stderr"
	[[ $stderr == *"data on $file would be destroyed: add --yes-destroy=$file"* ]]
	[ "$before" = "$(sha256sum <"$file")" ]
}

# taken FILE [OPTION...]: a replay onto it needs no name.
taken() {
	local file=$1
	shift
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$file" --write "$@" </dev/null
	echo "status $status, stderr '$stderr'"
	[ "$status" = 0 ]
}

need_marks() {
	setfattr -n user.test -v x "$1" 2>/dev/null ||
		python3 -c 'import os, sys; os.setxattr(sys.argv[1], "user.test", b"x")' "$1" 2>/dev/null || skip "needs extended attributes"
}

@test "data: a file of data needs its name" {
	fill disk 2
	unnamed "$PWD/disk"
	unnamed disk
	unnamed "$PWD/disk" --buffered
	unnamed "$PWD/disk" --force ext4
}

@test "data: the name of another file is not the name" {
	fill disk 2
	fill other 2
	refused "$PWD/disk" "'$PWD/other' is not the target" --yes-destroy="$PWD/other"
}

@test "data: another hard link is a name, too" {
	fill disk 2
	ln disk link
	taken "$PWD/disk" --yes-destroy=link
}

@test "data: on a terminal the name typed decides" {
	need_command script
	fill disk 2
	before=$(sha256sum <disk)
	run script -qec "$BLKREEL replay $TRACE --target $PWD/disk --write" /dev/null <<<"yes"
	[ "$status" = 3 ]
	[[ $output == *"$PWD/disk: file with data, 2.0 MiB, no signature on it"* ]]
	[ "$before" = "$(sha256sum <disk)" ]
	run script -qec "$BLKREEL replay $TRACE --target $PWD/disk --write" /dev/null <<<"$PWD/disk"
	[ "$status" = 0 ]
}

@test "data: one byte, at the start, in the middle or at the end" {
	local at
	for at in 0 1048577 2097151; do
		rm -f disk
		truncate -s 2M disk
		printf x | dd of=disk bs=1 seek="$at" conv=notrunc status=none
		unnamed "$PWD/disk"
	done
}

@test "data: one byte behind 1 MiB of written zeroes" {
	head -c 1M /dev/zero >disk
	printf x >>disk
	truncate -s 2M disk
	unnamed "$PWD/disk"
}

@test "data: through a symbolic link, a bind mount and /proc" {
	fill disk 2
	ln -s disk link
	unnamed "$PWD/link"
	mkdir folder
	mount_here --bind "$PWD" "$PWD/folder"
	unnamed "$PWD/folder/disk"
	holding 'f = os.open(sys.argv[1], os.O_RDONLY)' disk
	unnamed "/proc/$HOLDER/fd/3"
}

@test "data: on overlayfs, in the lower directory" {
	mount_overlay
	fill "$L/disk" 2
	unnamed "$M/disk"
	[ ! -s "$U/disk" ] || cmp "$L/disk" "$U/disk"
}

@test "no data: an empty file, holes, allocated space and zeroes need no name" {
	truncate -s 2M disk
	taken "$PWD/disk"
	fallocate -l 2M space
	taken "$PWD/space"
	head -c 2M /dev/zero >zeroes
	taken "$PWD/zeroes"
	taken "$PWD/new" --create-size 2M
}

@test "no data: what a replay left needs no name, until somebody else writes" {
	truncate -s 2M disk
	need_marks disk
	taken "$PWD/disk"
	taken "$PWD/disk"
	taken "$PWD/disk" --buffered
	taken "$PWD/new" --create-size 2M
	taken "$PWD/new"
	printf x | dd of=disk bs=1 seek=9 conv=notrunc status=none
	unnamed "$PWD/disk"
	cp "$BLKREEL" new
	truncate -s 2M new
	unnamed "$PWD/new"
}

@test "data: the mark of a replay is not believed on other bytes" {
	truncate -s 2M disk
	need_marks disk
	taken "$PWD/disk"
	cp --preserve=xattr disk copy
	unnamed "$PWD/copy"
	fill data 2
	cp --attributes-only --preserve=xattr disk data
	unnamed "$PWD/data"
	truncate -s 3M disk
	unnamed "$PWD/disk"
}

@test "data: a name once given is not a name for the next time" {
	fill disk 2
	taken "$PWD/disk" --yes-destroy="$PWD/disk"
	unnamed "$PWD/disk"
}

@test "data: a replay that was killed leaves data" {
	truncate -s 2M disk
	start_long disk
	kill -9 "$(cat replay.pid)"
	wait "$(cat replay.pid)" || true
	rm replay.pid
	unnamed "$PWD/disk"
}

@test "data: no confirmation is needed to read" {
	fill disk 2
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target disk --reads-only
	[ "$status" = 0 ]
}

# While it writes ------------------------------------------------------------------------------

# start_long FILE [OPTION...]: starts a replay of a write each 20 ms for a minute, and waits until it writes. Its
# messages go to "errors".
start_long() {
	local file=$1
	shift
	awk 'BEGIN { for (i = 0; i < 3000; i++) print i * 20000, 1, "write", (i % 512) * 4096, 4096 }' | write_trace 2M "$LONG"
	"$BLKREEL" replay "$LONG" --target "$file" --write "$@" >report 2>errors 3>&- &
	echo $! >replay.pid
	wait_until has_written "$file"
}

# It does not open the file: that would break the lease.
has_written() {
	local file=$1
	[ ! -b "$file" ] || file=$(losetup -n -O BACK-FILE "$file" | tr -d ' ')
	[ "$(stat -c %b "$file")" != 0 ] || ! kill -0 "$(cat replay.pid)" 2>/dev/null
}

# complaints: what the replay of start_long printed, but for what depends on the file system.
complaints() {
	grep -v "O_DIRECT does not work here" errors || true
}

# ended STATUS PATTERN: the replay of start_long ends with this, before its minute is over.
ended() {
	local code=0
	wait "$(cat replay.pid)" || code=$?
	rm replay.pid
	echo "code $code, errors '$(cat errors)'"
	[ "$code" = "$1" ]
	one_line "$(complaints)"
	[[ $(complaints) == *$2* ]]
	grep -q "IOs" report
	[ "$(awk '$1 == "IOs" { print $2 }' report | tr -d ,)" -lt 2900 ]
}

@test "meanwhile: a loop device on the file waits for the end of the replay, which stops" {
	need_loop
	truncate -s 2M disk
	start_long disk
	attach disk
	before=$(sha256sum <"$LOOP")
	ended 1 "disk: another program opens it for writing"
	[ "$before" = "$(sha256sum <"$LOOP")" ]
}

@test "meanwhile: a read-only loop device on the file ends the replay" {
	need_loop
	truncate -s 2M disk
	start_long disk
	attach disk --read-only
	ended 1 "holds the data of $LOOP"
}

@test "meanwhile: a program that opens the file to write waits, and the replay stops" {
	truncate -s 2M disk
	start_long disk
	printf x | dd of=disk bs=1 conv=notrunc status=none
	ended 1 "another program opens it for writing"
	[ "$(head -c 1 disk)" = x ]
}

@test "meanwhile: a loop device on the real file of overlayfs ends the replay" {
	need_loop
	mount_overlay
	truncate -s 2M "$M/disk"
	start_long "$M/disk"
	attach "$U/disk"
	ended 1 "holds the data of $LOOP"
}

@test "meanwhile: a loop device on the device ends the replay" {
	need_loop
	make_loop 2M
	start_long "$LOOP" --yes-destroy="$LOOP"
	target=$LOOP
	attach "$LOOP"
	ended 1 "$target holds the data of $LOOP"
}

@test "meanwhile: a second replay is refused, and does not disturb the first" {
	truncate -s 2M disk
	start_long disk
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target disk --write --yes-destroy=disk
	[ "$status" = 3 ]
	[[ $stderr == *"disk is in use"* ]]
	sleep 0.5
	kill -0 "$(cat replay.pid)"
	[ -z "$(complaints)" ]
}

@test "meanwhile: readers go on, and so does the replay" {
	truncate -s 2M disk
	start_long disk
	for _ in 1 2 3; do
		timeout 60 sha256sum disk
	done
	holding 'f = os.open(sys.argv[1], os.O_RDONLY)' disk
	sleep 0.3
	kill -0 "$(cat replay.pid)"
	[ -z "$(complaints)" ]
	# A writer that comes while a reader keeps the lease away is seen as well.
	holding 'f = os.open(sys.argv[1], os.O_RDWR)' disk
	ended 1 "process $HOLDER (python3)"
}

# cannot_lease FILE: it belongs to another user, and blkreel may not lease such files.
cannot_lease() {
	need_root
	need_command setpriv
	chown 65534 "$1"
	setpriv --bounding-set=-lease python3 -c 'import fcntl, sys
try:
    fcntl.fcntl(open(sys.argv[1], "r+"), fcntl.F_SETLEASE, fcntl.F_WRLCK)
except PermissionError:
    sys.exit(0)
sys.exit(1)' "$1"
	printf '#!/bin/sh\nexec setpriv --bounding-set=-lease "%s" "$@"\n' "$(realpath "$BLKREEL")" >without-lease
	chmod 755 without-lease
	BLKREEL=$PWD/without-lease
}

@test "meanwhile: a program that opens a file that cannot be leased ends the replay" {
	truncate -s 2M disk
	cannot_lease disk
	start_long disk
	holding 'f = os.open(sys.argv[1], os.O_RDWR)' disk
	ended 1 "process $HOLDER (python3)"
}

@test "meanwhile: a program that writes to a file that cannot be leased, and closes it, ends the replay" {
	truncate -s 2M disk
	cannot_lease disk
	start_long disk
	printf x | dd of=disk bs=1 seek=2097151 conv=notrunc status=none
	ended 1 "disk"
	[[ $(complaints) == *"for writing"* ]]
	[ "$(tail -c 1 disk)" = x ]
}

@test "open: a process has a file that cannot be leased open for writing" {
	fill disk 2
	cannot_lease disk
	holding 'f = os.open(sys.argv[1], os.O_WRONLY)' disk
	refused "$PWD/disk" "process $HOLDER (python3) has it open for writing"
}
