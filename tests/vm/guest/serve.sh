#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The sums of blkreel serve, held against io.stat and memory.stat of each control group. The bounds are those of
# blkreel-serve(8).
# vm: --virtio 256M --virtio 128M --with fio --with mkfs.ext4 --with blkdiscard
. "$GUEST/lib.bash"
. "$GUEST/serve.bash"

# Pages of the file system's own that reading or writing one file may bring into the page cache.
METADATA_PAGES=16

# What each CPU may hold back from memory.stat (MEMCG_CHARGE_BATCH).
LAZY_PAGES=$((64 * $(nproc)))

groups="alone deep merged discards reader writer tree"

# fio_on_vdb NAME OPTION...: in the group NAME.
fio_on_vdb() {
	local name=$1
	shift
	in_group "$name" fio --name="$name" --filename=/dev/vdb --bs=4k --direct=1 --ioengine=io_uring "$@" >/dev/null
}

make_groups() {
	echo "+io +memory" >$ROOT/cgroup.subtree_control || exit
	for group in $groups; do
		mkdir $ROOT/"$group"
	done
	echo "+io +memory" >$ROOT/tree/cgroup.subtree_control
	mkdir $ROOT/tree/one $ROOT/tree/two
}

# A file to read and one to write again, cold; an inode belongs to the group that first makes it dirty.
make_files() {
	# The kernel writes back when it is told, alone.
	echo 360000 >/proc/sys/vm/dirty_expire_centisecs
	echo 0 >/proc/sys/vm/dirty_writeback_centisecs
	mkfs.ext4 -q -b 4096 /dev/vda && mount /dev/vda /mnt || exit
	in_group reader dd if=/dev/zero of=/mnt/read bs=1M count=24 2>/dev/null
	in_group writer dd if=/dev/zero of=/mnt/written bs=1M count=8 2>/dev/null
	sync
	umount /mnt && mount /dev/vda /mnt || exit
	echo 3 >/proc/sys/vm/drop_caches
}

issue_direct() {
	in_group alone "$HELPERS/issue_io" read /dev/vdb 499 4096 >/dev/null
	in_group alone "$HELPERS/issue_io" write /dev/vdb 211 8192 50 >/dev/null
	fio_on_vdb deep --size=64M --io_size=8M --rw=randrw --iodepth=16 --randseed=7
	fio_on_vdb merged --size=8M --rw=write --iodepth=32 --iodepth_batch_submit=32 --iodepth_batch_complete_min=32
	in_group discards blkdiscard -o 32M -l 16M /dev/vdb
	in_group tree/one "$HELPERS/issue_io" read /dev/vdb 101 4096 >/dev/null
	in_group tree/two "$HELPERS/issue_io" write /dev/vdb 103 4096 50 >/dev/null
}

declare -A before
remember() {
	local group disk field
	for group in $groups; do
		for disk in vda vdb; do
			for field in {r,w,d}{bytes,ios}; do
				before[$group.$disk.$field]=$(io_stat "$group" $disk "$field")
			done
		done
	done
}

# kernel_count GROUP DISK FIELD: of io.stat, since remember.
kernel_count() {
	echo $(($(io_stat "$1" "$2" "$3") - before[$1.$2.$3]))
}

# same_bytes GROUP DISK
same_bytes() {
	equal "$(of_group io_bytes "$1" "$2" read) $(of_group io_bytes "$1" "$2" write) $(of_group io_bytes "$1" "$2" discard)" \
		"$(kernel_count "$1" "$2" rbytes) $(kernel_count "$1" "$2" wbytes) $(kernel_count "$1" "$2" dbytes)"
}

# same_ios GROUP DISK
same_ios() {
	equal "$(of_group ios "$1" "$2" read) $(of_group ios "$1" "$2" write) $(of_group ios "$1" "$2" discard)" \
		"$(kernel_count "$1" "$2" rios) $(kernel_count "$1" "$2" wios) $(kernel_count "$1" "$2" dios)"
}

# merges_explain OP FIELD: the bios of all groups are the IOs of the device and what was merged into them.
merges_explain() {
	local group bios=0
	for group in $groups; do
		bios=$((bios + $(kernel_count "$group" vdb "$2")))
	done
	equal "$bios" $(($(metric blkreel_device_ios_total "device=\"vdb\",op=\"$1\"") + $(metric blkreel_device_merges_total "device=\"vdb\",op=\"$1\"")))
}

# pages_in_cache GROUP METRIC: its file pages are those of the metric, and the file system's own.
pages_in_cache() {
	local pages
	pages=$(metric "blkreel_cache_$2_pages_total" "cgroup=\"/$1\"")
	between $((pages - LAZY_PAGES)) "$(memory_pages "$1" file)" $((pages + METADATA_PAGES + LAZY_PAGES))
}

# IOs of groups that are gone.
other_reads() {
	metric blkreel_cgroup_ios_total 'cgroup="other",device="vdb",op="read"'
}

# dirty_pages WANT: of the writer. Newer kernels add up the figures of their CPUs within some seconds.
dirty_pages() {
	for _ in {1..10}; do
		[ "$(memory_pages writer file_dirty file_writeback)" != "$1" ] || break
		sleep 1
	done
	scrape
	between $(($1 - LAZY_PAGES)) "$(memory_pages writer file_dirty file_writeback)" $(($1 + LAZY_PAGES)) &&
		equal $(($(metric blkreel_cache_dirtied_pages_total 'cgroup="/writer"') - $(metric blkreel_cgroup_written_back_pages_total 'cgroup="/writer"'))) "$1"
}

# Nothing is written back before 'sync', however slow the guest is.
echo 0 >/proc/sys/vm/dirty_writeback_centisecs
make_groups
make_files
start_serve -d vda -d vdb
remember
issue_direct
in_group reader cat /mnt/read >/dev/null
in_group writer dd if=/dev/zero of=/mnt/written bs=1M count=7 conv=notrunc 2>/dev/null
check "dirty: as many pages were dirtied and not written back" dirty_pages 1792
sync
check "dirty: all was written back" dirty_pages 0

for group in reader writer; do
	check "$group: bytes" same_bytes $group vda
done
for group in alone deep merged discards tree; do
	check "$group: bytes" same_bytes $group vdb
done
for group in alone discards tree; do
	check "$group: IOs" same_ios "$group" vdb
done
check "merged: each bio is counted by the kernel" equal "$(kernel_count merged vdb wios)" 2048
check "merged: the IOs are fewer" between 1 "$(of_group ios merged vdb write)" 2047
check "reads: bios of all groups are IOs and merges" merges_explain read rios
check "writes: bios of all groups are IOs and merges" merges_explain write wios
check "discards: bios of all groups are IOs and merges" merges_explain discard dios
if grep -q '^blkreel_cache_read_pages_total' metrics; then
	check "reader: 24 MiB were read" equal "$(metric blkreel_cache_read_pages_total 'cgroup="/reader"')" 6144
	check "reader: its file pages are those that it read" pages_in_cache reader read
else
	skip "reader: pages that were read" "$(grep missing serve.err | head -n 1)"
fi
check "writer: its file pages are those that it dirtied" pages_in_cache writer dirtied

# The kernel's counts of a group that is gone remain in the group above, unless the kernel is old, those of serve in "other".
in_group tree/two "$HELPERS/issue_io" read /dev/vdb 7 4096 >/dev/null
mkdir $ROOT/tree/short
in_group tree/short "$HELPERS/issue_io" read /dev/vdb 107 4096 >/dev/null
rmdir $ROOT/tree/short
# serve looks now and then which groups there are.
for _ in {1..20}; do
	scrape
	[ "$(other_reads)" = 0 ] || break
	sleep 1
done
if [ "$(kernel_count tree vdb rios)" = 108 ]; then
	skip "a group that is gone: the difference is in other" "this kernel forgets what groups did that are gone"
else
	check "a group that is gone: the difference is in other" equal \
		"$(kernel_count tree vdb rios)" $(($(of_group ios tree vdb read) + $(other_reads)))
fi
check "a group that is gone: its IOs are in other" equal "$(other_reads)" 107
check "nothing was lost" equal "$(metric blkreel_lost_events_total '')" 0
finish
