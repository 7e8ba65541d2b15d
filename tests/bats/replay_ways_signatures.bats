# SPDX-License-Identifier: MIT
# Ways in which the data of somebody show by a mark only: file systems, partition tables, RAID, LVM and encryption
# whose first copy is gone, or that lie inside a partition. Each is refused by name, with every byte unchanged, and
# overwritten only with --force of that name.
# bats file_tags=beside,sanitized
load test_helper
load helpers/refusals
load helpers/slow_disk

setup() {
	need_root
	write_refused_trace
}

teardown() {
	cd /
	remove_mounts
	remove_slow_loops
	clean_up
}

# marked NAME SIZE PROGRAM: makes a file "disk" of SIZE that the Python program changes (f, size; put(offset, bytes)).
# A replay onto it is refused for the signature NAME, with --force of others, and plays with --force NAME.
marked() {
	local name=$1
	truncate -s "$2" disk
	python3 - disk "$3" <<-'PYTHON'
		import struct, sys, uuid, zlib
		with open(sys.argv[1], "r+b") as f:
		    size = f.seek(0, 2)
		    def put(offset, data):
		        f.seek(offset if offset >= 0 else size + offset)
		        f.write(data)
		    exec(sys.argv[2])
	PYTHON
	refused "$PWD/disk" "signature: $name; if its data may be destroyed, add --force $name" --force dos --force xfs
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$PWD/disk" --write --yes-destroy="$PWD/disk" --force "$name"
	echo "status $status, stderr '$stderr'"
	[ "$status" = 0 ]
}

# A Python function: a header of a GPT in sector `lba`, and its entries from `entries_lba` on.
GPT='def gpt(lba, other, entries_lba, sector=512):
    entries = struct.pack("<16s16sQQQ72s", uuid.UUID("0fc63daf-8483-4772-8e79-3d69d8477de4").bytes_le, uuid.uuid4().bytes_le, 2048, 3071, 0, b"").ljust(128 * 128, b"\0")
    header = lambda crc: struct.pack("<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, crc, 0, lba, other, 34, size // sector - 34, uuid.uuid5(uuid.NAMESPACE_DNS, "x").bytes_le, entries_lba, 128, 128, zlib.crc32(entries))
    put(lba * sector, header(zlib.crc32(header(0))))
    put(entries_lba * sector, entries)
'

@test "GPT: only the copy at the end" {
	marked gpt 4M "$GPT"'
last = size // 512 - 1
gpt(last, 1, last - 32)'
}

@test "GPT: only the copy at the end, of sectors of 4 KiB" {
	marked gpt 4M "$GPT"'
last = size // 4096 - 1
gpt(last, 1, last - 4, 4096)'
}

@test "GPT: only the header at the start, without a protective table" {
	marked gpt 4M "$GPT"'
gpt(1, size // 512 - 1, 2)'
}

@test "GPT: only the header at the end, with a wrong checksum" {
	marked gpt 4M 'put(-512, b"EFI PART\0\0\1\0")'
}

@test "GPT: the copy of a smaller disk, which has grown since" {
	marked gpt 4M "$GPT"'
last = (size - (1 << 20)) // 512 - 1
gpt(last, 1, last - 32)'
}

@test "btrfs: only the copy at 64 MiB" {
	marked btrfs 80M 'put((64 << 20) + 64, b"_BHRfS_M")'
}

@test "btrfs: only the copy at 256 GiB" {
	truncate -s 257G probe 2>/dev/null || skip "needs a file system with files of 257 GiB"
	rm probe
	truncate -s 257G disk
	printf _BHRfS_M | dd of=disk bs=1 seek=$(((256 << 30) + 64)) conv=notrunc status=none
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$PWD/disk" --write --yes-destroy="$PWD/disk"
	[ "$status" = 3 ]
	[[ $stderr == *"signature: btrfs"* ]]
	[ "$(head -c 1M disk | tr -d '\0' | wc -c)" = 0 ]
}

@test "btrfs: a real one, without its first superblock" {
	need_command mkfs.btrfs
	truncate -s 128M disk
	mkfs.btrfs -q disk
	marked btrfs 128M 'put(65536, bytes(4096))'
}

@test "ext4: a real one, without its first superblock" {
	make_ext4 disk 16
	marked ext4 16M 'put(0, bytes(4096))'
}

@test "ext4: with blocks of 4 KiB, only the copy at 128 MiB" {
	need_command mkfs.ext4
	truncate -s 160M disk
	mkfs.ext4 -q -F -b 4096 -E lazy_itable_init=0,lazy_journal_init=0,nodiscard disk
	marked ext4 160M 'put(0, bytes(4096))'
}

@test "LVM: the label in the first and in the fourth sector" {
	local sector
	for sector in 0 3; do
		rm -f disk
		marked LVM2_member 4M "put($sector * 512, b\"LABELONE\" + struct.pack(\"<Q\", $sector))"
	done
}

@test "LVM: only the metadata, at the start or at the end" {
	marked LVM2_member 4M 'put(4096, b"\0\0\0\0 LVM2 x[5A%r0N*>\1\0\0\0")'
	rm disk
	marked LVM2_member 4M 'put(-(1 << 20), b"\0\0\0\0 LVM2 x[5A%r0N*>\1\0\0\0")'
}

@test "RAID: mdadm 0.90, at the end" {
	marked linux_raid_member 4M 'put((size & ~0xffff) - 0x10000, struct.pack("<4I", 0xa92b4efc, 0, 90, 0))'
}

@test "RAID: mdadm 0.90 of a machine of the other byte order" {
	marked linux_raid_member 4M 'put((size & ~0xffff) - 0x10000, struct.pack(">4I", 0xa92b4efc, 0, 90, 0))'
}

@test "RAID: mdadm 1.0, at the end" {
	marked linux_raid_member 4M 'put((size - 8192) & ~4095, struct.pack("<2I", 0xa92b4efc, 1))'
}

@test "RAID: mdadm 1.1 and 1.2, at the start" {
	marked linux_raid_member 4M 'put(0, struct.pack("<2I", 0xa92b4efc, 1).ljust(128, b"\0"))'
	rm disk
	marked linux_raid_member 4M 'put(4096, struct.pack("<2I", 0xa92b4efc, 1).ljust(128, b"\0"))'
}

@test "LUKS: the first header" {
	marked crypto_LUKS 4M 'put(0, b"LUKS\xba\xbe\0\2" + struct.pack(">Q", 16384))'
}

@test "LUKS: only the second header, at the first and the last place where it can be, and between" {
	local at
	for at in 0x4000 0x40000 0x200000 0x400000; do
		rm -f disk
		marked crypto_LUKS 5M "put($at, b\"SKUL\xba\xbe\0\2\" + struct.pack(\">Q\", $at))"
	done
}

@test "bcache and bcachefs: at the start and at the end" {
	marked bcache 4M 'put(4096 + 24, bytes.fromhex("c68573f64e1a45ca8265f57f48ba6d81"))'
	rm disk
	marked bcachefs 4M 'put(-(1 << 20) + 24, bytes.fromhex("c68573f666ce90a9d96a60cf803df7ef"))'
}

@test "ZFS: only the labels at the end" {
	marked zfs_member 4M 'put(-(256 << 10) + (128 << 10), struct.pack("<2Q", 0xbab10c, 5000))'
	rm disk
	marked zfs_member 4M 'put(-(512 << 10) + (130 << 10), struct.pack(">2Q", 0xbab10c, 5000))'
}

@test "f2fs: only the second superblock" {
	marked f2fs 4M 'put(0x1400, struct.pack("<IHH", 0xf2f52010, 1, 0))'
}

@test "NTFS, exFAT and FAT: only the copy of the first sector" {
	marked ntfs 4M 'put(-512, b"\xeb\x52\x90NTFS    ")'
	rm disk
	marked exfat 4M 'put(12 * 512, b"\xeb\x76\x90EXFAT   ")'
	rm disk
	marked vfat 4M 'put(6 * 512 + 82, b"FAT32   ")'
}

@test "HFS+: only the superblock at the end" {
	marked hfsplus 4M 'put(-1024, b"H+\0\4")'
}

@test "xfs: with a wrong checksum" {
	need_command mkfs.xfs
	truncate -s 320M disk
	mkfs.xfs -q disk
	printf xxxxxxxx | dd of=disk bs=1 seek=300 conv=notrunc status=none
	refused "$PWD/disk" "signature: xfs" --force ext4
}

@test "swap: with pages of 4, 16 and 64 KiB" {
	local page
	for page in 4096 16384 65536; do
		rm -f disk
		marked swap 4M "put(1024, struct.pack(\"<II\", 1, 100)); put($page - 10, b\"SWAPSPACE2\")"
	done
}

@test "hibernation: the image of a machine that sleeps" {
	marked swsuspend 4M 'put(4096 - 10, b"S1SUSPEND\0")'
}

@test "squashfs and iso9660: images that are only read" {
	marked squashfs 4M 'put(0, b"hsqs".ljust(28, b"\1") + struct.pack("<HH", 4, 0))'
	rm disk
	marked iso9660 4M 'put(32768, b"\1CD001\1\0".ljust(2048, b" "))'
}

# partition_table DISK START SECTORS: a partition table with one partition.
partition_table() {
	python3 - "$@" <<-'PYTHON'
		import struct, sys
		entry = struct.pack('<B3sB3sII', 0, b'\0\2\0', 0x83, b'\0\0\0', int(sys.argv[2]), int(sys.argv[3]))
		with open(sys.argv[1], 'r+b') as f:
		    f.seek(446)
		    f.write(entry)
		    f.seek(510)
		    f.write(b'\x55\xaa')
	PYTHON
}

@test "partitions: --force of the table does not cover a file system inside it" {
	need_command mkfs.ext4
	truncate -s 16M disk
	partition_table disk 2048 20480
	mkfs.ext4 -q -F -E offset=1048576,lazy_itable_init=0 disk 8M
	refused "$PWD/disk" "signature: dos"
	refused "$PWD/disk" "signature: ext4 (in partition 1, at 1.0 MiB)" --force dos
	refused "$PWD/disk" "signature: dos" --force ext4
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target disk --write --yes-destroy=disk --force dos --force ext4
	[ "$status" = 0 ]
}

@test "partitions: what the kernel still has is looked at, without a table" {
	need_loop
	need_command mkfs.ext4
	truncate -s 16M disk
	attach disk --partscan
	make_partition "$LOOP" 1 2048 20480
	mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 p1
	refused "$LOOP" "signature: ext4 (in partition 1, at 1.0 MiB)"
	refused "$PWD/p1" "signature: ext4"
	refused "$LOOP" "signature: ext4" --force dos --force gpt
}

@test "partitions: a logical one" {
	need_command sfdisk
	need_command mkfs.ext4
	truncate -s 32M disk
	sfdisk -q disk <<<$'2048 4096 83\n8192 40000 5\n10240 16384 83'
	mkfs.ext4 -q -F -E offset=$((10240 * 512)),lazy_itable_init=0 disk 8M
	refused "$PWD/disk" "(in partition 5, at 5.0 MiB)" --force dos
}

@test "partitions: each of a GPT, with LUKS in the second" {
	need_command sfdisk
	truncate -s 32M disk
	sfdisk -q disk <<<$'label: gpt\nstart=2048, size=4096\nstart=8192, size=8192'
	printf 'LUKS\xba\xbe\0\2' | dd of=disk bs=512 seek=8192 conv=notrunc status=none
	refused "$PWD/disk" "signature: crypto_LUKS (in partition 2, at 4.0 MiB)" --force gpt --force PMBR --force dos
}

@test "partitions: the copy at the end of one" {
	need_command sfdisk
	truncate -s 32M disk
	sfdisk -q disk <<<$'label: gpt\nstart=2048, size=4096\nstart=8192, size=8192'
	python3 -c 'import struct, sys
with open("disk", "r+b") as f:
    f.seek((2048 + 4096) * 512 - 8192)
    f.write(struct.pack("<2I", 0xa92b4efc, 1))'
	refused "$PWD/disk" "signature: linux_raid_member (in partition 1" --force gpt --force PMBR --force dos
}

@test "no signature: random bytes are none" {
	head -c 8M /dev/urandom >disk
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target disk --write --yes-destroy=disk
	[ "$status" = 0 ]
}

# unreadable AT PIECE: the sector at byte AT of a disk of 64 MiB cannot be read. The replay names the page of it, at byte
# PIECE, and begins when what the message says was done.
unreadable() {
	local remedy
	make_slow_loop 64M 0 0 0 1024 "$1"
	refused_unread "$LOOP"
	[[ $stderr == *": 4096 bytes at $2 (sector $(($2 / 512))) cannot be read: Input/output error; "* ]]
	remedy=${stderr#*overwrite them (}
	remedy=${remedy%%)*}
	[[ $remedy == "dd if=/dev/zero of=$LOOP "* ]]
	refused_unread "$LOOP" --force ext4 --force gpt
	$remedy status=none
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --write --yes-destroy="$LOOP"
	echo "status $status, stderr '$stderr'"
	[ "$status" = 0 ]
}

# refused_unread TARGET [OPTION...]: exit code 1, one line, and no write reached the device.
refused_unread() {
	local target=$1 before
	shift
	before=$(awk '{ print $5 }' "/sys/block/${target#/dev/}/stat")
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$target" --write --yes-destroy="$target" "$@"
	echo "status $status, stderr '$stderr'"
	[ "$status" = 1 ]
	[ -z "$output" ]
	one_line "$stderr"
	[ "$before" = "$(awk '{ print $5 }' "/sys/block/${target#/dev/}/stat")" ]
}

@test "bad sector: at the start, where ZFS has a label" {
	unreadable $((1001 * 512)) 512000
}

@test "bad sector: where the copy of a superblock would be" {
	unreadable $((32 << 20)) $((32 << 20))
}

@test "bad sector: the last one" {
	unreadable $(((64 << 20) - 512)) $(((64 << 20) - 4096))
}
