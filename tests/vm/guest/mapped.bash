# SPDX-License-Identifier: MIT
# Functions for scripts that replay onto devices of the device mapper: "used" (somebody needs its data) and "it" (the
# target), on vda and vdb of 40 MiB each.

modprobe -a dm-mod loop ext4 2>/dev/null
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
