#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# vm: --virtio 40M --virtio 40M --with dmsetup --with mkfs.ext4 --with dd --with losetup
# mapped.sh, for thin devices and snapshots, and for devices that are made, and tables that change, during a replay.
. "$GUEST/lib.bash"
. "$GUEST/mapped.bash"

modprobe -a dm-thin-pool dm-snapshot 2>/dev/null
mounted="a device that is mounted: /dev/mapper/used is on /mnt"

# content DEVICE: what it holds, with no page cache between.
content() {
	dd if="/dev/mapper/$1" bs=1M iflag=direct 2>/dev/null | md5sum
}

# harmless NAME DEVICE [OPTION...]: the replay runs, writes, and changes nothing of what DEVICE holds.
harmless() {
	local name=$1 device=$2 before before_sums
	shift 2
	before=$(content "$device")
	before_sums=$(sums)
	play "$@"
	sync
	check "$name: allowed" equal "$code" 0
	[ "$code" = 0 ] || sed 's/^/# /' err
	check "$name: it is written to" test "$(sums)" != "$before_sums"
	check "$name: $device holds what it held" equal "$(content "$device")" "$before"
}

# Thin devices ---------------------------------------------------------------------------------

map meta "0 8192 linear /dev/vdb 0"
map data "0 65536 linear /dev/vda 0"
map pool "0 65536 thin-pool /dev/mapper/meta /dev/mapper/data 128 0"
dmsetup message pool 0 "create_thin 0"
dmsetup message pool 0 "create_thin 1"
use "0 16384 thin /dev/mapper/pool 0"
map it "0 16384 thin /dev/mapper/pool 1"
harmless "thin, another" used
unmap it
dmsetup suspend --noudevsync used
dmsetup message pool 0 "create_snap 2 0"
dmsetup resume --noudevsync --noudevrules used
map it "0 16384 thin /dev/mapper/pool 2"
harmless "thin, a snapshot of it" used --force ext4
unmap it
map it "0 8192 thin /dev/mapper/pool 0"
refused "thin, the same once more" "$mounted, and both lie on thin device 0 of pool"
unmap it
map it "0 16384 linear /dev/vda 0"
refused "thin, the data of its pool" "$mounted, and both lie on"
unmap it
map it "0 8192 linear /dev/mapper/meta 0"
refused "thin, the metadata of its pool" "/dev/mapper/it"
unmap it
umount /mnt
dmsetup message pool 0 "create_thin 3"
map it "0 16384 thin /dev/mapper/pool 3 /dev/mapper/used"
harmless "thin, with it for an origin" used --force ext4
unmap it used
map it "0 16384 linear /dev/vda 65536"
dmsetup message pool 0 "create_thin 4"
mkfs.ext4 -q -F -E nodiscard /dev/mapper/it
map used "0 16384 thin /dev/mapper/pool 4 /dev/mapper/it"
mount -o ro /dev/mapper/used /mnt || exit
refused "thin, the origin of it" "/dev/mapper/it" --force ext4
umount /mnt
unmap used it pool data meta
wipe /dev/vda 40
wipe /dev/vdb 40

# Snapshots ------------------------------------------------------------------------------------

map base "0 16384 linear /dev/vda 16384"
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard /dev/mapper/base
map cow "0 8192 linear /dev/vdb 0"
map used "0 16384 snapshot /dev/mapper/base /dev/mapper/cow N 8"
mount -o ro /dev/mapper/used /mnt || exit
map it "0 16384 linear /dev/vda 16384"
refused "snapshot, its origin's sectors" "$mounted, and both lie on" --force ext4
unmap it
map it "0 16384 snapshot-origin /dev/mapper/base"
refused "snapshot, its origin" "$mounted, and both lie on" --force ext4
unmap it
map it "0 8192 linear /dev/vdb 0"
refused "snapshot, its store's sectors" "$mounted, and both lie on"
unmap it
map cow2 "0 8192 linear /dev/vdb 16384"
map it "0 16384 snapshot /dev/mapper/base /dev/mapper/cow2 N 8"
harmless "snapshot, another of the same" used --force ext4
unmap it cow2
umount /mnt
unmap used cow base
wipe /dev/vda 40
wipe /dev/vdb 40

# During a replay ------------------------------------------------------------------------------

for ((i = 0; i < 6000; i++)); do echo "$((i * 100000)) 1 write $((i % 256 * 4096)) 4096"; done |
	"$HELPERS/trace_from_text" long.reel 1M

# start_long: a replay of ten minutes onto "it", which has written when this returns.
start_long() {
	local before
	before=$(sums)
	"$BLKREEL" replay long.reel --target /dev/mapper/it --write --yes-destroy=/dev/mapper/it >out 2>err &
	replay=$!
	until [ "$(sums)" != "$before" ]; do
		kill -0 $replay 2>/dev/null || break
		sleep 0.2
	done
}

# ended NAME PATTERN: by itself, with the reason.
ended() {
	local name=$1 pattern=$2
	code=0
	wait $replay || code=$?
	check "$name: the replay ends" equal "$code" 1
	check "$name: the reason" grep -q -- "$pattern" err
	grep -q -- "$pattern" err || sed 's/^/# /' err
}

map it "0 16384 linear /dev/vda 0"
start_long
map apart "0 8192 linear /dev/vda 16384"
sleep 5
check "made meanwhile, elsewhere: the replay goes on" kill -0 $replay
unmap apart
map used "0 8192 linear /dev/vda 8192"
ended "made meanwhile" "/dev/mapper/it and /dev/mapper/used, which was made meanwhile, both lie on sectors 8192 to 16383 of vda"
unmap used it
wipe /dev/vda 8

use "0 16384 linear /dev/vda 32768"
map it "0 16384 linear /dev/vda 0"
start_long
echo "0 16384 linear /dev/vda 16384" | dmsetup reload --noudevsync it
dmsetup resume --noudevsync --noudevrules it
sleep 5
check "another table, elsewhere: the replay goes on" kill -0 $replay
echo "0 16384 linear /dev/vda 40960" | dmsetup reload --noudevsync it
dmsetup resume --noudevsync --noudevrules it
ended "another table" "/dev/mapper/it and /dev/mapper/used.* both lie on sectors 40960 to 49151 of vda"
umount /mnt
unmap used it
finish
