#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# vm: --virtio 40M --virtio 40M --with dmsetup --with mkfs.ext4 --with dd --with losetup
# Devices of the device mapper share the sectors of a disk, and the kernel allows it: a target whose sectors are those
# of a device in use is refused, with every checksum unchanged. The first disk (40 MiB) is vda, the second one vdb;
# devices are called "used" (somebody needs its data) and "it" (the target).
. "$GUEST/lib.bash"
. "$GUEST/mapped.bash"

modprobe -a dm-delay dm-flakey dm-crypt 2>/dev/null
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
