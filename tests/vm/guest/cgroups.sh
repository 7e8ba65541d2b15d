#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Control groups v2 that write in five ways: writeback by the kernel's threads belongs to the group that
# dirtied the pages.
# vm: --virtio 256M --with fio --with mkfs.ext4
. "$GUEST/lib.bash"

ROOT=/sys/fs/cgroup

# bytes_of GROUP FIELD: the kernel's own count for the group.
bytes_of() {
	sed -n "s/.*$2=\([0-9]*\).*/\1/p" "$ROOT/$1/io.stat" | head -n 1
}

# in_group GROUP COMMAND...
in_group() {
	local group=$1
	shift
	(echo 0 >"$ROOT/$group/cgroup.procs" && exec "$@")
}
export ROOT
export -f in_group

# job GROUP FIO-OPTION...: 16 MiB into a file of the group's own name.
job() {
	local group=$1
	shift
	in_group "$group" fio --name="$group" --filename="/mnt/$group" --size=16M --bs=64k "$@" >/dev/null
}
export -f job

# owned GROUP: how many in a thousand bytes of its file are attributed to it.
owned() {
	"$BLKREEL" dump t.reel --format csv | awk -F, -v group="/$1" '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["op"] == "write" && $c["file"] == "/mnt" group { all += $c["bytes"]; own += ($c["cgroup"] == group) * $c["bytes"] }
		END { printf "%d\n", all ? own * 1000 / all : -1 }'
}

# written GROUP: bytes of the rows that are attributed to it.
written() {
	"$BLKREEL" dump t.reel --format csv | awk -F, -v group="/$1" '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["op"] == "write" && $c["cgroup"] == group { n += $c["bytes"] }
		END { printf "%d\n", n }'
}

echo "+io +memory" >$ROOT/cgroup.subtree_control || exit
mkfs.ext4 -q /dev/vda && mount /dev/vda /mnt || exit
groups="cached1 cached2 mapped direct ring"
for group in $groups; do
	mkdir "$ROOT/$group"
	# An inode belongs to the group that first makes it dirty.
	in_group "$group" fallocate -l 16M "/mnt/$group"
done
sync

declare -A before
for group in $groups; do
	before[$group]=$(bytes_of "$group" wbytes)
done
check "five groups write and the cache is written back" "$BLKREEL" record -d vda -o t.reel -- bash -c '
	job cached1 --rw=write --ioengine=psync &
	job cached2 --rw=randwrite --ioengine=psync &
	job mapped --rw=write --ioengine=mmap &
	job direct --rw=write --ioengine=psync --direct=1 &
	job ring --rw=write --ioengine=io_uring --iodepth=8 --direct=1 &
	wait; sync'
check "nothing was lost" equal "$(lost t.reel)" 0
for group in cached1 cached2 mapped; do
	check "$group: the pages of its file are attributed to it" between 999 "$(owned $group)" 1000
done
for group in $groups; do
	check "$group: at least its 16 MiB" between 16777216 "$(written "$group")" 18874368
	check "$group: as many bytes as in its io.stat" equal "$(written "$group")" \
		"$(($(bytes_of "$group" wbytes) - ${before[$group]:-0}))"
done
finish
