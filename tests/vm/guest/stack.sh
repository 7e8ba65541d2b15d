#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# vm: --virtio 64M --virtio 64M --nvme 64M --with dmsetup --with sfdisk --with fio --with mkfs.ext4
# Stacks of devices: each IO is one row at each layer, equal to the kernel's counters, and linked.
. "$GUEST/lib.bash"
. "$GUEST/cache.bash"

# The counters that are compared: reads, sectors read, writes, sectors written.
data_counters() {
	awk '{ print $1, $3, $5, $7 }' "/sys/block/$1/stat"
}

# like_counters DEVICE [data]: the same from the rows; with "data" only from rows with data.
like_counters() {
	"$BLKREEL" dump t.reel --format csv -d "$1" | awk -F, -v data_only="${2-}" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		data_only && !$column["bytes"] { next }
		{ op = $column["op"]; n[op]++; sectors[op] += $column["bytes"] / 512 }
		END { print n["read"] + 0, sectors["read"] + 0, n["write"] + 0, sectors["write"] + 0 }'
}

# as_counted DEVICE: rows equal the counters; newer md does not count the flushes that it receives.
as_counted() {
	[[ $1 == md* && $(like_counters "$1" data) == "${counted[$1]}" ]] && return
	equal "$(like_counters "$1")" "${counted[$1]}"
}

# md does not show what it sends on for them either: while this is 1, links of IO without data are not checked.
data_only=0

# record_stack TOP BELOW... -- COMMAND...: writes t.reel, and the count of each device to counted[].
declare -A counted
record_stack() {
	local devices=() device before=() after i status
	while [ "$1" != -- ]; do
		devices+=("$1")
		shift
	done
	shift
	for device in "${devices[@]}"; do before+=("$(data_counters "$device")"); done
	"$BLKREEL" record -d "${devices[0]}" --stack -o t.reel -- "$@" >offsets 2>record.err
	status=$?
	[ "$status" = 0 ] || sed 's/^/# /' record.err
	counted=()
	for i in "${!devices[@]}"; do
		after=$(data_counters "${devices[$i]}")
		counted[${devices[$i]}]=$(echo "${before[$i]} $after" | awk '{ print $5 - $1, $6 - $2, $7 - $3, $8 - $4 }')
	done
	return "$status"
}

# links DEVICE: prints the numbers of rows, rows with a parent, parents without a row, and parents on the same
# device or newer than their child.
links() {
	"$BLKREEL" dump t.reel --format csv | awk -F, -v device="$1" -v data_only=$data_only '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$column["id"] != "" { at[$column["id"]] = $column["device"]; born[$column["id"]] = $column["created_ns"] }
		data_only && !$column["bytes"] { next }
		# Requests of the flush machinery of a disk belong to no bio.
		$column["device"] == device && $column["flags"] !~ /flush_machinery/ {
			rows++
			if ($column["parent_id"] != "") { linked++; parent[linked] = $column["parent_id"]; created[linked] = $column["created_ns"] }
		}
		END {
			for (i = 1; i <= linked; i++) {
				missing += !(parent[i] in at)
				wrong += at[parent[i]] == device || born[parent[i]] > created[i]
			}
			print rows + 0, linked + 0, missing + 0, wrong + 0
		}'
}

# layers NAME TOP BELOW...: the checks of every stack.
layers() {
	local name=$1 device
	shift
	for device; do
		check "$name: rows of $device are what the kernel counted" as_counted "$device"
	done
	check "$name: $1 is on top" equal "$(links "$1" | awk '{ print $2, $3, $4 }')" "0 0 0"
	shift
	for device; do
		check "$name: all rows of $device have a parent above" \
			equal "$(links "$device")" "$(links "$device" | awk '{ print $1, $1, 0, 0 }')"
	done
	check "$name: nothing was lost" equal "$(lost t.reel)" 0
	check "$name: nothing is unlinked" equal "$(grep -c parent_id record.err)" 0
}

# known_load TARGET: 499 reads, 211 writes with flushes, large reads that are split.
known_load() {
	"$HELPERS/issue_io" read "$1" 499 4096 >/dev/null
	"$HELPERS/issue_io" write "$1" 211 8192 50 >/dev/null
	dd if="$1" of=/dev/null bs=1M count=7 iflag=direct 2>/dev/null
}

stack_of() {
	local name=$1
	shift
	check "$name: recorded" record_stack "$@" -- bash -c "$(declare -f known_load); known_load /dev/$1"
	check "$name: no row is missing at the top" between 717 "$(like_counters "$1" | awk '{ print $1 + $3 }')" 900
	layers "$name" "$@"
}

# files_above NAME TOP BELOW: the page cache of a file on TOP, of which BELOW is recorded.
files_above() {
	local name=$1 device=$2 fs=ext4
	mkfs.ext4 -q "/dev/$device" && mount -t ext4 "/dev/$device" /mnt && dd if=/dev/zero of=/mnt/file bs=1M count=4 2>/dev/null || exit
	forget
	check "$name: 211 reads of a file on $device" "$BLKREEL" record --cache -d "$3" -o t.reel -- \
		"$HELPERS/issue_io" cached-random /mnt/file 211 4096 >/dev/null
	expect "$name: 211 pages were read" cache_reads read pages 211
	expect "$name: all of them were demand misses" cache_demand_misses read demand_miss_pages 211
	umount /mnt
}

# make_dm NAME TABLE: sets $dm to the name under /dev.
make_dm() {
	dmsetup create --noudevsync --noudevrules "$1" --table "$2" || return
	dm=dm-$(dmsetup info -c --noheadings -o minor "$1")
	[ -e "/dev/$dm" ]
}

# make_md NAME LEVEL DISK...: an array without superblocks.
make_md() {
	local name=$1 level=$2 md=/sys/block/$1/md disk slot=0
	shift 2
	echo "$name" >/sys/module/md_mod/parameters/new_array || return
	[ "$level" != raid0 ] || echo 65536 >"$md/chunk_size" || return
	echo none >"$md/metadata_version" || return
	echo "$level" >"$md/level" || return
	echo $# >"$md/raid_disks" || return
	[ "$level" != raid1 ] || echo 16384 >"$md/component_size" || return
	for disk; do
		cat "/sys/block/$disk/dev" >"$md/new_dev" || return
		echo "$slot" >"$md/dev-$disk/slot" || return
		echo 32768 >"$md/dev-$disk/size" || return
		slot=$((slot + 1))
	done
	[ "$level" != raid1 ] || echo none >"$md/resync_start" || return
	echo active >"$md/array_state" || return
	[ -e "/dev/$name" ]
}

modprobe dm-mod
modprobe dm-delay
check "linear: made" make_dm linear "0 65536 linear /dev/vda 2048"
stack_of "dm-linear" "$dm" vda
check "dm-linear: dump shows it" equal "$("$BLKREEL" dump t.reel | awk 'NR == 1 { print $(NF - 1), $NF }')" "id parent_id"
check "on linear: made" make_dm upper "0 32768 linear /dev/$dm 64"
stack_of "dm-linear on dm-linear" "$dm" "dm-$((${dm#dm-} - 1))" vda
# A recording of all disks links them in the same way.
read -ra before <"/sys/block/$dm/stat"
"$BLKREEL" record -o t.reel -- bash -c "$(declare -f known_load); known_load /dev/$dm" 2>record.err
read -ra after <"/sys/block/$dm/stat"
check "every disk: rows of $dm" equal "$(like_counters "$dm" | cut -d' ' -f 1)" $((after[0] - before[0]))
check "every disk: all rows of vda have a parent" equal "$(links vda)" "$(links vda | awk '{ print $1, $1, 0, 0 }')"

# A recording that begins and ends in the middle of IO.
fio --name=x --filename="/dev/$dm" --readonly --rw=randread --bs=4k --direct=1 --ioengine=io_uring --iodepth=16 \
	--runtime=60 --time_based --output=/dev/null &
load=$!
sleep 2
"$BLKREEL" record -d "$dm" --stack -t 1 -o t.reel 2>record.err
kill "$load"
wait "$load"
check "under load: rows are there" between 100 "$(like_counters "$dm" | cut -d' ' -f 1)" 1000000
if [ "$(lost t.reel)" = 0 ] || ! probes_are_preempted; then
	"$BLKREEL" explain t.reel --json >explained
	check "under load: agrees with the kernel's counters" equal "$(grep -c '"agrees_with_kernel": true' explained)" 3
else
	skip "under load: agrees with the kernel's counters" "this kernel preempts probes: $(lost t.reel) calls were skipped, which are counted"
fi
# A batch of requests has one time of the kernel, which --lean takes.
"$BLKREEL" record --lean -d "$dm" --stack -o t.reel -- fio --name=x --filename="/dev/$dm" --readonly --rw=randread --bs=4k \
	--direct=1 --ioengine=io_uring --iodepth=16 --iodepth_batch_submit=16 --iodepth_batch_complete_min=16 \
	--number_ios=499 --output=/dev/null 2>record.err
check "lean: rows of vda are there" between 400 "$(like_counters vda | cut -d' ' -f 1)" 499
check "lean: all rows of vda have a parent" \
	equal "$(links vda | cut -d' ' -f 1-3)" "$(links vda | awk '{ print $1, $1, 0 }')"
dmsetup remove upper
dmsetup remove linear

# The addresses of a partition are not those of its disk.
echo "start=4096, size=65536" | sfdisk -q /dev/vdb >/dev/null
check "partition: made" test -e /dev/vdb1
check "on a partition: made" make_dm part "0 65536 linear /dev/vdb1 0"
stack_of "dm-linear on a partition" "$dm" vdb
check "above that: made" make_dm above "0 32768 linear /dev/$dm 0"
files_above "dm-linear on dm-linear on a partition" "$dm" vdb
dmsetup remove above
dmsetup remove part
dd if=/dev/zero of=/dev/vdb bs=1M count=1 2>/dev/null
sfdisk -q --delete /dev/vdb >/dev/null 2>&1

# With one tag, attempts that must not wait fail and are repeated.
make_null_blk tags memory_backed=1 size=64 irqmode=2 completion_nsec=100000 submit_queues=1 hw_queue_depth=1
check "one tag: made" make_dm tags "0 65536 linear /dev/$disk 0"
check "one tag: recorded" record_stack "$dm" "$disk" -- fio --name=x --filename="/dev/$dm" --readonly --rw=randread \
	--bs=4k --direct=1 --ioengine=io_uring --iodepth=16 --number_ios=499 --output=/dev/null
if [ "$(lost t.reel)" = 0 ] || ! probes_are_preempted; then
	check "one tag: each IO once above" equal "$(like_counters "$dm")" "499 3992 0 0"
	check "one tag: and below" equal "$(like_counters "$disk")" "${counted[$disk]}"
	check "one tag: all linked" equal "$(links "$disk")" "499 499 0 0"
else
	skip "one tag: each IO once" "this kernel preempts probes: $(lost t.reel) calls were skipped, which are counted"
fi
dmsetup remove tags

check "stripe: made" make_dm stripe "0 65536 striped 2 128 /dev/vda 0 /dev/vdb 0"
stack_of "dm-stripe" "$dm" vda vdb
dmsetup remove stripe

check "delay: made" make_dm delay "0 65536 delay /dev/vda 0 1 /dev/vda 0 1"
check "dm-delay: recorded" record_stack "$dm" vda -- "$HELPERS/issue_io" read "/dev/$dm" 47 4096
if grep -q dm_submit_bio_remap /proc/kallsyms; then
	layers "dm-delay" "$dm" vda
else
	skip "dm-delay: linked" "this kernel does not show bios that targets submit themselves"
fi
check "dm-delay: 47 rows" equal "$(like_counters "$dm")" "47 376 0 0"
dmsetup remove delay

data_only=1
modprobe raid0
modprobe raid1
check "raid0: made" make_md md_zero raid0 vda vdb
# This is the first time that anyone opens it: the kernel gives it another sequence number.
stack_of "md raid0" md_zero vda vdb
# An array that is stopped is gone.
"$BLKREEL" record -d md_zero -o t.reel -- bash -c "dd if=/dev/md_zero of=/dev/null bs=4k count=7 iflag=direct
	echo clear >/sys/block/md_zero/md/array_state
	sleep 1" 2>record.err
check "stopped: the recorder says so" \
	grep -qE 'warning: md_zero (is another disk now|has disappeared): it is not recorded any more' record.err
check "stopped: 7 rows" equal "$(like_counters md_zero)" "7 56 0 0"
check "raid1: made" make_md md_one raid1 vda vdb
stack_of "md raid1" md_one vda vdb
files_above "md raid1" md_one vdb
echo clear >/sys/block/md_one/md/array_state

data_only=0
modprobe lzo-rle
modprobe zram num_devices=1
if echo 32M >/sys/block/zram0/disksize; then
	check "zram: recorded" record_stack zram0 -- "$HELPERS/issue_io" read /dev/zram0 499 4096
	check "zram: 499 rows" equal "$(like_counters zram0)" "499 3992 0 0"
	check "zram: as the kernel counted" equal "${counted[zram0]}" "499 3992 0 0"
else
	skip "zram: 499 rows" "this kernel's zram has no algorithm: $(cat /sys/block/zram0/comp_algorithm)"
fi

modprobe brd rd_nr=1 rd_size=32768
check "brd: recorded" record_stack ram0 -- "$HELPERS/issue_io" read /dev/ram0 499 4096
check "brd: 499 rows" equal "$(like_counters ram0)" "499 3992 0 0"

check "nvme: recorded" record_stack nvme0n1 -- "$HELPERS/issue_io" read /dev/nvme0n1 499 4096
check "nvme: 499 rows at the head" equal "$(like_counters nvme0n1)" "499 3992 0 0"
if [ ! -e /sys/block/nvme0n1/mq ]; then
	# Before 5.15 its name is not known outside of the kernel.
	path=$(column t.reel device | grep -v '^nvme0n1$' | head -n 1)
	[ "${counted[nvme0n1]}" = "0 0 0 0" ] ||
		check "nvme: as the head counted" equal "${counted[nvme0n1]}" "499 3992 0 0"
	check "nvme: 499 rows at the path" equal "$(like_counters "$path")" "499 3992 0 0"
	check "nvme: all linked" equal "$(links "$path")" "499 499 0 0"
fi
finish
