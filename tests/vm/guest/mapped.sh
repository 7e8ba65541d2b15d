#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# vm: --virtio 40M --virtio 40M --with dmsetup --with mkfs.ext4 --with dd --with losetup
# Devices of the device mapper share the sectors of a disk, and the kernel allows it: a target whose sectors are those
# of a device in use is refused, with every checksum unchanged. The first disk (40 MiB) is vda, the second one vdb;
# devices are called "used" (somebody needs its data) and "it" (the target).
. "$GUEST/lib.bash"

printf '%s\n' '0 1 write 0 4096' '100 1 write 65536 8192' '200 1 read 65536 8192' '300 1 write 1044480 4096' |
	"$HELPERS/trace_from_text" t.reel 1M

# map NAME LINE...: makes a mapped device of a table.
map() {
	local name=$1
	shift
	printf '%s\n' "$@" | dmsetup create --noudevsync --noudevrules "$name" || exit
	ln -sf "/dev/dm-$(dmsetup info -c --noheadings -o minor "$name")" "/dev/mapper/$name"
}

# unmap NAME...
unmap() {
	local name
	for name; do
		dmsetup remove --noudevsync --noudevrules --retry "$name" || exit
		rm -f "/dev/mapper/$name"
	done
}

# What both disks hold. Direct: the page cache of a disk does not know what a mapped device wrote.
sums() {
	local disk
	for disk in vda vdb; do dd if=/dev/$disk bs=1M iflag=direct 2>/dev/null | md5sum; done
}

# sum_of DISK FROM TO: of sectors of a disk, whole MiB.
sum_of() {
	dd if="/dev/$1" bs=1M skip="$(($2 / 2048))" count="$((($3 - $2) / 2048))" iflag=direct 2>/dev/null | md5sum
}

# play OPTION...: replays onto "it"; sets code.
play() {
	code=0
	"$BLKREEL" replay t.reel --target /dev/mapper/it --write --yes-destroy=/dev/mapper/it "$@" >out 2>err || code=$?
}

# refused NAME PATTERN [OPTION...]: exit 3, the reason, and nothing has changed.
refused() {
	local name=$1 pattern=$2 before
	shift 2
	before=$(sums)
	play "$@"
	sync
	check "$name: refused" equal "$code" 3
	check "$name: the reason" grep -q -- "$pattern" err
	grep -q -- "$pattern" err || sed 's/^/# /' err
	check "$name: nothing was written" equal "$(sums)" "$before"
}

# allowed NAME DISK FROM TO [OPTION...]: the replay runs, and these sectors of a disk stay as they are.
allowed() {
	local name=$1 disk=$2 from=$3 to=$4 before
	shift 4
	before=$(sum_of "$disk" "$from" "$to")
	play "$@"
	sync
	check "$name: allowed" equal "$code" 0
	[ "$code" = 0 ] || sed 's/^/# /' err
	check "$name: the other's sectors stay" equal "$(sum_of "$disk" "$from" "$to")" "$before"
}

# wipe DEVICE MIB: copies of superblocks count as signatures, too.
wipe() {
	dd if=/dev/zero of="$1" bs=1M count="$2" conv=fsync,notrunc 2>/dev/null
}

# use TABLE-LINE...: a file system on "used", mounted.
use() {
	map used "$@"
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard /dev/mapper/used || exit
	mount -o ro /dev/mapper/used /mnt || exit
}

modprobe -a dm-mod dm-delay dm-flakey dm-crypt loop ext4 2>/dev/null
mounted="a device that is mounted: /dev/mapper/used is on /mnt"

# Linear ---------------------------------------------------------------------------------------

use "0 32768 linear /dev/vda 16384"
map it "0 16384 linear /dev/vda 40960"
refused "linear, its start" "$mounted, and both lie on sectors 40960 to 49151 of vda;"
unmap it
map it "0 16385 linear /dev/vda 0"
refused "linear, one sector" "$mounted, and both lie on sectors 16384 to 16384 of vda;"
unmap it
map it "0 81920 linear /dev/vda 0"
refused "linear around it" "$mounted, and both lie on sectors 16384 to 49151 of vda;"
unmap it
map it "0 8192 linear /dev/vdb 0" "8192 8192 linear /dev/vda 49000"
refused "linear, the second segment" "$mounted, and both lie on sectors 49000 to 49151 of vda;"
unmap it
map it "0 16384 linear /dev/vda 0"
allowed "linear, ends where it begins" vda 16384 49152
unmap it
map it "0 16384 linear /dev/vda 49152"
allowed "linear, begins where it ends" vda 16384 49152
unmap it
map middle "0 32768 linear /dev/vda 16384"
map it "0 8192 linear /dev/mapper/middle 8192"
refused "linear on linear" "$mounted, and both lie on sectors 24576 to 32767 of vda;"
unmap it middle

# Types ----------------------------------------------------------------------------------------

map it "0 65536 striped 2 32 /dev/vdb 0 /dev/vda 0"
refused "striped" "$mounted, and both lie on sectors 16384 to 32767 of vda;"
unmap it
map it "0 32768 striped 2 32 /dev/vdb 0 /dev/vda 0"
allowed "striped before it" vda 16384 49152
unmap it
map it "0 32768 delay /dev/vda 16384 0"
refused "delay" "$mounted, and both lie on"
unmap it
map it "0 32768 delay /dev/vdb 16384 0 /dev/vda 16384 0"
refused "delay, writes elsewhere" "$mounted, and both lie on"
unmap it
map it "0 32768 delay /dev/vda 49152 0"
allowed "delay behind it" vda 16384 49152
unmap it
map it "0 32768 flakey /dev/vda 16384 60 0"
refused "flakey" "$mounted, and both lie on"
unmap it
map it "0 32768 flakey /dev/vda 49152 60 0"
allowed "flakey behind it" vda 16384 49152
unmap it
key=000102030405060708090a0b0c0d0e0f
map it "0 32768 crypt aes-cbc-plain64 $key 0 /dev/vda 16384"
refused "crypt" "$mounted, and both lie on"
check "crypt: no key in the message" test -z "$(grep $key err out)"
unmap it
map it "0 32768 crypt aes-cbc-plain64 $key 0 /dev/vda 49152"
allowed "crypt behind it" vda 16384 49152
unmap it

# Who uses it ----------------------------------------------------------------------------------

umount /mnt
map it "0 16384 linear /dev/vda 40960"
refused "not mounted, with a file system" "as does /dev/mapper/used carries a signature: ext4"
refused "not mounted, with another --force" "as does /dev/mapper/used carries a signature: ext4" --force xfs
allowed "not mounted, with --force" vda 0 40960 --force ext4
mkswap /dev/mapper/used >/dev/null
swapon /dev/mapper/used
refused "swap" "is used as swap (/dev/"
swapoff /dev/mapper/used
wipe /dev/mapper/used 16
map top "0 1024 linear /dev/mapper/used 0"
refused "a device on it" "/dev/mapper/used is part of dm-"
unmap top
loop=$(losetup --find --show /dev/mapper/used)
refused "a loop device on it" "holds the data of $loop"
losetup -d "$loop"
exec 8<>/dev/mapper/used
refused "open for writing" "has /dev/mapper/used open for writing, which shares its data"
exec 8>&-
mkfs.ext4 -q -F -E nodiscard /dev/mapper/used
mount -o ro /dev/mapper/used /mnt
setsid unshare -m sleep 600 &
holder=$!
until [ "$(readlink "/proc/$holder/ns/mnt")" != "$(readlink /proc/self/ns/mnt)" ]; do sleep 0.1; done
umount /mnt
refused "mounted in another mount namespace" "in the mount namespace of process $holder"
kill "$holder"
wait "$holder" 2>/dev/null
until [ "$(dmsetup info -c --noheadings -o open used)" = 0 ]; do sleep 0.1; done
wipe /dev/mapper/used 16
allowed "nobody uses it" vda 0 40960
unmap it
finish
