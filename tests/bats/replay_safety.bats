# SPDX-License-Identifier: MIT
# A replay must never destroy data that somebody needs: each rule refuses with one line that names the
# target and the remedy, and changes no byte.
# bats file_tags=beside
load test_helper
load helpers/refusals

setup() {
	need_loop
	TRACE=$BATS_TEST_TMPDIR/w.reel
	printf '%s\n' '0 1 write 0 4096' '100 1 write 65536 8192' '200 1 read 65536 8192' |
		write_trace 16M
	HOLDER=
	MAPPER=
	PARTITION=
	UPPER=
}

teardown() {
	[ -z "$HOLDER" ] || kill "$HOLDER" 2>/dev/null || true
	[ -z "$MAPPER" ] || dmsetup remove "$MAPPER"
	[ -z "$PARTITION" ] || umount "$PARTITION" 2>/dev/null || true
	[ -z "$UPPER" ] || losetup -d "$UPPER"
	clean_up
}

@test "the same replay is accepted on an empty device (so that the refusals mean something)" {
	make_loop 16M
	before=$(sha256sum <"$LOOP")
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --write "--yes-destroy=$LOOP"
	[ "$status" = 0 ]
	[ "$before" != "$(sha256sum <"$LOOP")" ]
}

@test "writes without --write are refused before the target is opened" {
	make_loop 16M
	before=$(sha256sum <"$LOOP")
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP"
	[ "$status" = 3 ]
	one_line "$stderr"
	[[ $stderr == *"2 of its 3 IOs change data"*--write*--reads-only* ]]
	[ "$before" = "$(sha256sum <"$LOOP")" ]
}

@test "--write alone is refused when nobody can be asked" {
	make_loop 16M
	before=$(sha256sum <"$LOOP")
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --write </dev/null
	[ "$status" = 3 ]
	one_line "$stderr"
	[[ $stderr == *"--yes-destroy=$LOOP"* ]]
	[ "$before" = "$(sha256sum <"$LOOP")" ]
}

@test "--yes-destroy that names another device is refused" {
	make_loop 16M
	other=$LOOP
	make_loop 16M
	refused "$LOOP" "'$other' is not the target" "--yes-destroy=$other"
	refused "$LOOP" "is not the target" --yes-destroy=/dev/null
}

@test "on a terminal the name typed decides" {
	need_command script
	make_loop 16M
	before=$(sha256sum <"$LOOP")
	run script -qec "$BLKREEL replay $TRACE --target $LOOP --write" /dev/null <<<"/dev/other"
	[[ $output == *"is not the target"* ]]
	[[ $output == *"$LOOP: whole device, 16.0 MiB, no signature on it"* ]]
	[ "$status" = 3 ]
	[ "$before" = "$(sha256sum <"$LOOP")" ]
	run script -qec "$BLKREEL replay $TRACE --target $LOOP --write" /dev/null <<<"$LOOP"
	[ "$status" = 0 ]
	[ "$before" != "$(sha256sum <"$LOOP")" ]
}

@test "a mounted device is refused, with any --force" {
	need_command mkfs.ext4
	make_loop 16M
	# Nothing that the file system writes later by itself may change the checksum.
	mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$LOOP"
	mkdir -p "$BATS_TEST_TMPDIR/mnt"
	mount -o ro "$LOOP" "$BATS_TEST_TMPDIR/mnt"
	refused "$LOOP" "umount $BATS_TEST_TMPDIR/mnt" --force ext4
}

@test "a device with a mounted partition is refused" {
	need_command mkfs.ext4
	need_command addpart
	make_loop 32M --partscan
	addpart "$LOOP" 1 2048 32768 || skip "needs partitions on loop devices"
	PARTITION=$BATS_TEST_TMPDIR/partition
	# shellcheck disable=SC2046
	mknod "$PARTITION" b $(tr : ' ' <"/sys/class/block/${LOOP#/dev/}p1/dev")
	# Nothing that the file system writes later by itself may change the checksum.
	mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$PARTITION"
	mkdir -p "$BATS_TEST_TMPDIR/mnt"
	mount -o ro "$PARTITION" "$BATS_TEST_TMPDIR/mnt"
	refused "$LOOP" "its partition ${LOOP#/dev/}p1 is on"
	refused "$PARTITION" "umount $BATS_TEST_TMPDIR/mnt"
	umount "$BATS_TEST_TMPDIR/mnt"
	refused "$PARTITION" "signature: ext4"
}

# write_mbr DEVICE START SECTORS: a partition table with one Linux partition.
write_mbr() {
	python3 - "$@" <<'PYTHON'
import struct, sys
device, start, sectors = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
mbr = bytearray(512)
mbr[446:462] = struct.pack('<B3sB3sII', 0, b'\0\2\0', 0x83, b'\0\0\0', start, sectors)
mbr[510:512] = b'\x55\xaa'
with open(device, 'r+b') as f:
    f.write(mbr)
PYTHON
}

@test "a file system is refused by name; --force of that name alone overrides it" {
	need_command mkfs.ext4
	make_loop 16M
	mkfs.ext4 -q "$LOOP"
	refused "$LOOP" "--force ext4"
	refused "$LOOP" "signature: ext4" --force xfs
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --write "--yes-destroy=$LOOP" --force ext4
	[ "$status" = 0 ]
}

@test "a swap signature is refused" {
	need_command mkswap
	make_loop 16M
	mkswap -q "$LOOP" >/dev/null 2>&1
	refused "$LOOP" "signature: swap"
}

# /proc/swaps is a file of the test in its own mount namespace: real swap over a file in memory can
# deadlock.
@test "active swap is refused, with any --force" {
	need_command unshare
	make_loop 16M
	printf 'Filename Type Size Used Priority\n%s partition 16380 0 -2\n' "$LOOP" >"$BATS_TEST_TMPDIR/swaps"
	cat >"$BATS_TEST_TMPDIR/blkreel" <<-END
		#!/bin/sh
		exec unshare --mount sh -c 'mount --bind "$BATS_TEST_TMPDIR/swaps" /proc/swaps && exec "$BLKREEL" "\$@"' sh "\$@"
	END
	chmod +x "$BATS_TEST_TMPDIR/blkreel"
	BLKREEL=$BATS_TEST_TMPDIR/blkreel
	refused "$LOOP" "swapoff $LOOP" --force swap
}

@test "a partition table is refused" {
	make_loop 16M
	write_mbr "$LOOP" 2048 16384
	refused "$LOOP" "signature: dos"
}

@test "RAID and LVM signatures are refused" {
	make_loop 16M
	python3 - "$LOOP" <<'PYTHON'
import struct, sys
# The label of an LVM physical volume, made by hand: "LABELONE" in sector 1, with its checksum.
def crc(data, value=0xf597a6cf):
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0xedb88320 if value & 1 else 0)
    return value
tail = struct.pack('<I8s', 32, b'LVM2 001') + b'A' * 32 + struct.pack('<Q', 16 << 20)
tail = tail.ljust(512 - 20, b'\0')
label = b'LABELONE' + struct.pack('<QI', 1, crc(tail)) + tail
with open(sys.argv[1], 'r+b') as f:
    f.seek(512)
    f.write(label)
PYTHON
	refused "$LOOP" "LVM2_member"
}

@test "a file with a file system inside is refused too" {
	need_command mkfs.ext4
	file=$BATS_TEST_TMPDIR/disk.img
	truncate -s 16M "$file"
	mkfs.ext4 -q -F "$file"
	refused "$file" "signature: ext4"
}

@test "a device that another program holds exclusively is refused, with any --force" {
	make_loop 16M
	python3 -c 'import os,sys,time
fd = os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)
print("held", flush=True)
time.sleep(60)' "$LOOP" >"$BATS_TEST_TMPDIR/held" &
	HOLDER=$!
	wait_until grep -q held "$BATS_TEST_TMPDIR/held"
	refused "$LOOP" "is in use" --force ext4
}

@test "the file behind a loop device is refused" {
	make_loop 16M
	refused "$(losetup -n -O BACK-FILE "$LOOP" | tr -d ' ')" "holds the data of $LOOP"
}

@test "a device behind a loop device is refused" {
	make_loop 16M
	lower=$LOOP
	UPPER=$(new_loop "$lower")
	refused "$lower" "holds the data of $UPPER"
}

@test "a device under device mapper is refused" {
	need_command dmsetup
	make_loop 16M
	dmsetup create "blkreel-test-$$" --table "0 32768 linear $LOOP 0" 2>/dev/null || skip "needs device mapper"
	MAPPER=blkreel-test-$$
	refused "$LOOP" "is part of dm-"
}

@test "a file that another program has locked is refused" {
	file=$BATS_TEST_TMPDIR/disk.img
	truncate -s 16M "$file"
	python3 -c 'import fcntl,sys,time
f = open(sys.argv[1], "r+b")
fcntl.lockf(f, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(60)' "$file" >"$BATS_TEST_TMPDIR/held" &
	HOLDER=$!
	wait_until grep -q held "$BATS_TEST_TMPDIR/held"
	refused "$file" "has locked it"
}

@test "a read-only device is refused for writes and read with --reads-only" {
	make_loop 16M --read-only
	refused "$LOOP" "is read-only"
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --reads-only --json
	[ "$status" = 0 ]
	[ "$(python3 -c 'import json,sys; d=json.load(sys.stdin); print(d["completed"], d["skipped_not_read"])' <<<"$output")" = "1 2" ]
}

@test "a target that is neither disk nor file is refused, for reads as well" {
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	for target in /dev/null /dev/zero "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/fifo" "$BATS_TEST_TMPDIR/none"; do
		for mode in "--reads-only" "--write"; do
			run --separate-stderr timeout 120 "$BLKREEL" replay "$TRACE" --target "$target" $mode
			echo "$target: $status, $stderr"
			[ "$status" = 3 ]
			one_line "$stderr"
			[[ $stderr == *"$target"* ]]
		done
	done
}

@test "a target that is too small is refused, and accepted with --fit" {
	make_loop 64K
	refused "$LOOP" "too small"
	[[ $stderr == *"--fit wrap"* ]]
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --write "--yes-destroy=$LOOP" --fit wrap --json
	[ "$status" = 0 ]
	[ "$(python3 -c 'import json,sys; print(json.load(sys.stdin)["wrapped"])' <<<"$output")" = 2 ]
}

@test "an empty file is refused; --create-size makes one, but never over another" {
	file=$BATS_TEST_TMPDIR/new.img
	: >"$file"
	refused "$file" "is empty"
	refused "$file" "exists" --create-size 16M
	[ -f "$file" ]
	[ ! -s "$file" ]
	rm "$file"
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$file" --write --create-size 16M
	[ "$status" = 0 ]
	[ "$(stat -c %s "$file")" = 16777216 ]
}

@test "the source is refused as a target" {
	refused "$TRACE" "is the source itself" --fit wrap
}

@test "a trace is refused as a target, with any --force" {
	other=$BATS_TEST_TMPDIR/other.reel
	cp "$TRACE" "$other"
	truncate -s 16M "$other"
	refused "$other" "is a trace" --force trace
}

@test "the recording of a replay replaces neither its source nor its target" {
	make_loop 16M
	ln "$TRACE" "$BATS_TEST_TMPDIR/hard.reel"
	before=$(sha256sum <"$TRACE")
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --reads-only -o "$BATS_TEST_TMPDIR/hard.reel"
	[ "$status" = 3 ]
	one_line "$stderr"
	[[ $stderr == *"hard.reel is the source itself"* ]]
	[ "$before" = "$(sha256sum <"$TRACE")" ]
	# a trace can be the target of reads
	cp "$TRACE" "$BATS_TEST_TMPDIR/other.reel"
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$BATS_TEST_TMPDIR/other.reel" --reads-only --fit wrap \
		-o "$BATS_TEST_TMPDIR/other.reel"
	[ "$status" = 3 ]
	[[ $stderr == *"is the target itself"* ]]
	cmp "$TRACE" "$BATS_TEST_TMPDIR/other.reel"
	# operations on files
	files=$BATS_TEST_TMPDIR/files.reel
	echo '0 access read 1 0 4096 miss=1' | write_trace 16M "$files"
	before=$(sha256sum <"$files")
	run --separate-stderr "$BLKREEL" replay "$files" --files "$BATS_TEST_TMPDIR/tree" -o "$files"
	[ "$status" = 3 ]
	one_line "$stderr"
	[[ $stderr == *"$files is the source itself"* ]]
	[ "$before" = "$(sha256sum <"$files")" ]
	[ ! -e "$BATS_TEST_TMPDIR/tree" ]
}

@test "the recording of a replay may be called as the kernel calls the device" {
	need_probes
	make_loop 16M
	cd "$BATS_TEST_TMPDIR"
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --reads-only -o "${LOOP##*/}"
	echo "status $status, stderr '$stderr'"
	[ "$status" = 0 ]
	"$BLKREEL" info "${LOOP##*/}"
}

# A closed standard stream would be the number of the target's descriptor.
@test "no output reaches the target, not even with closed standard streams" {
	for closed in '>&-' '2>&-' '<&- >&-' '<&- 2>&-' '<&- >&- 2>&-'; do
		file=$BATS_TEST_TMPDIR/closed.img
		rm -f "$file"
		run bash -c "'$BLKREEL' replay '$TRACE' --target '$file' --create-size 16M --write --seed 1 $closed"
		[ -e "$BATS_TEST_TMPDIR/first.img" ] || cp "$file" "$BATS_TEST_TMPDIR/first.img"
		cmp "$file" "$BATS_TEST_TMPDIR/first.img"
		run grep -c "Replay of" "$file"
		[ "$output" = 0 ]
	done
	rm -f "$file"
	"$BLKREEL" replay "$TRACE" --target "$file" --create-size 16M --write --seed 1
	cmp "$file" "$BATS_TEST_TMPDIR/first.img"
}

@test "a refused replay removes the file that it created" {
	file=$BATS_TEST_TMPDIR/new.img
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$file" --write --create-size 32K
	[ "$status" = 3 ]
	one_line "$stderr"
	[ ! -e "$file" ]
}

@test "a mounted device may be read" {
	need_command mkfs.ext4
	make_loop 16M
	mkfs.ext4 -q "$LOOP"
	mkdir -p "$BATS_TEST_TMPDIR/mnt"
	mount "$LOOP" "$BATS_TEST_TMPDIR/mnt"
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --reads-only
	[ "$status" = 0 ]
}

@test "a target without queues to poll is refused for --iopoll" {
	make_loop 16M
	refused "$LOOP" "nvme.poll_queues" --iopoll
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --reads-only --iopoll --sqpoll
	[ "$status" = 2 ]
	[[ $stderr == *"--iopoll and --sqpoll exclude each other"* ]]
}

@test "operations that the target lacks are refused at the start, or skipped and counted" {
	printf '%s\n' '0 1 write 0 4096' '100 1 zone_reset 65536 8192' '200 1 read 65536 8192' |
		write_trace 16M "$BATS_TEST_TMPDIR/zone.reel"
	TRACE=$BATS_TEST_TMPDIR/zone.reel
	make_loop 16M
	refused "$LOOP" "--unsupported skip"
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --write "--yes-destroy=$LOOP" --unsupported skip --json
	[ "$status" = 0 ]
	[ "$(python3 -c 'import json,sys; d=json.load(sys.stdin); print(d["unsupported"], d["issued"])' <<<"$output")" = "1 2" ]
}

# At any moment of the change: only the device that the name led to first is written to.
@test "a symbolic link that changes during the checks never leads to another device" {
	local mine theirs before
	make_loop 16M
	mine=$LOOP
	make_loop 16M
	theirs=$LOOP
	head -c 16M /dev/urandom >"$theirs"
	sync
	before=$(sha256sum <"$theirs")
	ln -s "$mine" "$BATS_TEST_TMPDIR/link"
	python3 - "$BATS_TEST_TMPDIR" "$mine" "$theirs" 3>&- <<'PYTHON' &
import os, sys, time
folder, mine, theirs = sys.argv[1:]
while True:
    for device in (theirs, mine):
        os.symlink(device, folder + '/next')
        os.rename(folder + '/next', folder + '/link')
        time.sleep(0.0005)
PYTHON
	HOLDER=$!
	played=0 refused=0
	for _ in $(seq 8); do
		run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$BATS_TEST_TMPDIR/link" --write "--yes-destroy=$mine" --mode asap
		case $status in
		0) played=$((played + 1)) ;;
		3)
			refused=$((refused + 1))
			one_line "$stderr"
			[[ $stderr == *"changed while it was examined"* || $stderr == *"is not the target"* ]]
			;;
		*)
			echo "status $status, $stderr"
			false
			;;
		esac
	done
	echo "$played played, $refused refused"
	kill "$HOLDER"
	[ $((played + refused)) = 8 ]
	[ "$before" = "$(sha256sum <"$theirs")" ]
}

@test "before it asks, replay prints whether the target is a device or a partition, its size and its content" {
	need_command script
	need_command mkfs.ext4
	need_command addpart
	local before
	make_loop 32M --partscan
	addpart "$LOOP" 1 2048 32768 || skip "needs partitions on loop devices"
	PARTITION=$BATS_TEST_TMPDIR/partition
	# shellcheck disable=SC2046
	mknod "$PARTITION" b $(tr : ' ' <"/sys/class/block/${LOOP#/dev/}p1/dev")
	mkfs.ext4 -q "$PARTITION"
	before=$(sha256sum <"$LOOP")
	run script -qec "$BLKREEL replay $TRACE --target $PARTITION --write --force ext4" /dev/null <<<"no"
	[ "$status" = 3 ]
	[[ $output == *"$PARTITION: partition of ${LOOP#/dev/}, 16.0 MiB, ext4"* ]]
	# The name of the disk is not that of its partition, nor the other way round.
	run script -qec "$BLKREEL replay $TRACE --target $PARTITION --write --force ext4" /dev/null <<<"$LOOP"
	[ "$status" = 3 ]
	run script -qec "$BLKREEL replay $TRACE --target $LOOP --write --force ext4" /dev/null <<<"${LOOP}p1"
	[ "$status" = 3 ]
	[[ $output == *"$LOOP: whole device, 32.0 MiB"* ]]
	[ "$before" = "$(sha256sum <"$LOOP")" ]
}
