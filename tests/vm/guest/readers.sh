#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Five kinds of readers, each with its own control group and name: every IO is attributed to the task that
# submitted it and to its group, whatever thread sent it to the disk.
# vm: --virtio 256M --with fio --with mkfs.ext4
. "$GUEST/lib.bash"

ROOT=/sys/fs/cgroup

# share OF WHERE: of the bytes of read rows that match WHERE, how many in a thousand match OF too (awk conditions on the
# variables comm, cgroup and file).
share() {
	"$BLKREEL" dump t.reel --format csv | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["op"] == "read" { comm = $c["comm"]; cgroup = $c["cgroup"]
			if ('"$2"') { all += $c["bytes"]; if ('"$1"') some += $c["bytes"] } }
		END { printf "%d\n", all ? some * 1000 / all : -1 }'
}

bytes_read() {
	"$BLKREEL" dump t.reel --format csv | awk -F, -v group="/$1" '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["op"] == "read" && $c["cgroup"] == group { n += $c["bytes"] }
		END { printf "%d\n", n }'
}

bytes_of() {
	sed -n "s/.*rbytes=\([0-9]*\).*/\1/p" "$ROOT/$1/io.stat" | head -n 1
}

# job GROUP FIO-OPTION...: reads 8 MiB of the group's own file, as the program fio-GROUP.
job() {
	local group=$1
	shift
	(echo 0 >"$ROOT/$group/cgroup.procs" && exec "/tmp/fio-$group" --name="$group" \
		--filename="/mnt/$group" --size=8M --bs=16k --thread "$@") >/dev/null
}
export ROOT
export -f job

echo "+io +memory" >$ROOT/cgroup.subtree_control || exit
mkfs.ext4 -q /dev/vda && mount /dev/vda /mnt || exit
groups="cached mapped direct ring aio"
for group in $groups; do
	mkdir "$ROOT/$group"
	cp "$(command -v fio)" "/tmp/fio-$group"
	dd if=/dev/urandom of="/mnt/$group" bs=1M count=8 2>/dev/null
done
sync
echo 3 >/proc/sys/vm/drop_caches

declare -A before
for group in $groups; do
	before[$group]=$(bytes_of "$group")
done
check "five groups read in five ways at once" "$BLKREEL" record -d vda -o t.reel -- bash -c '
	job cached --rw=read --ioengine=psync &
	job mapped --rw=randread --ioengine=mmap &
	job direct --rw=randread --ioengine=psync --direct=1 &
	job ring --rw=randread --ioengine=io_uring --iodepth=8 --direct=1 &
	job aio --rw=randread --ioengine=libaio --iodepth=8 --direct=1 &
	wait'
check "nothing was lost" equal "$(lost t.reel)" 0
for group in $groups; do
	check "$group: what its task read is attributed to its group" between 999 \
		"$(share "cgroup == \"/$group\"" "comm == \"fio-$group\"")" 1000
	check "$group: what is attributed to its group was read by its task" between 999 \
		"$(share "comm == \"fio-$group\"" "cgroup == \"/$group\"")" 1000
	check "$group: as many bytes as in its io.stat" equal "$(bytes_read "$group")" \
		"$(($(bytes_of "$group") - ${before[$group]:-0}))"
	check "$group: the file was read" between 6291456 "$(bytes_read "$group")" 12582912
done
finish
