#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record --waits: a cause of waiting is injected, alone and beside a load of reads. At least 95 % of the time that the
# injection adds to the task is on its cause, and at most 5 % of its waiting is not explained. Writes the shares into
# /out/causes.
# vm: --icount --timeout 2400 --virtio 64M --with dd --with mkfs.ext4 --with dmsetup --with losetup --with fsfreeze --with sync
# shellcheck source=../guest/lib.bash
. "$GUEST/lib.bash"

LEAST_MS=200 # that an injection adds

# name PROGRAM NAME: a copy of the program, as a task of this name.
name() {
	mkdir -p names
	cp "$(command -v "$1")" "names/$2"
}
for task in plain victim plainer worst; do name dd "$task" && name sync "$task.sync"; done
name dd load
export PATH=$PATH:$PWD/names

# What a cause defines for the shells that are recorded: run NAME, the task that is disturbed; inject; restore; load.
inject() { :; }
restore() { :; }
load_reads() {
	while :; do load if="/dev/$watched" of=/dev/null bs=16k count=200 iflag=direct status=none; done
}
phases() {
	local beside
	run plain || return
	inject || return
	run victim || return
	restore
	load_reads &
	beside=$!
	run plainer || return
	inject || return
	run worst || return
	restore
	kill "$beside"
	wait "$beside"
	return 0
}

# waited TASK: "CAUSE NS" of each cause of it, with the run queue and what is not explained.
waited() {
	awk -v task="\"$1\"," -v sync="\"$1.sync\"," '
		/^  "waits"/ { waits = 1 }
		waits && /^    "worst"/ { exit }
		/^        "comm"/ { mine = $2 == task || $2 == sync }
		/^        "calls"/ { mine = 0 }
		mine && /^        "run_queue_ns"/ { queue += $2 }
		mine && /^        "unaccounted_ns"/ { unknown += $2 }
		mine && /^            "cause"/ { cause = $2; gsub(/[",]/, "", cause) }
		mine && /^            "ns"/ && cause != "run_queue" { ns[cause] += $2 }
		END { ns["run_queue"] = queue; ns["unaccounted"] = unknown; for (c in ns) print c, ns[c] }' explained.json
}

# share CAUSES BEFORE AFTER: prints the ms added, the thousandths of it on the causes, and those of all that are not explained.
share() {
	{ waited "$2" | sed 's/^/before /' && waited "$3" | sed 's/^/after /'; } | awk -v causes=",$1," '
		causes !~ /,run_queue,/ && $2 == "run_queue" { next }
		{ sign = $1 == "after" ? 1 : -1; added += sign * $3 }
		index(causes, "," $2 ",") { on += sign * $3 }
		$1 == "after" { all += $3; if ($2 == "other" || $2 == "unaccounted") unknown += $3 }
		END { printf("%d %d %d\n", added / 1e6, (added > 0) ? 1000 * on / added : 0, all ? 1000 * unknown / all : 0) }'
}

# judged NAME HOW CAUSES BEFORE AFTER
judged() {
	local ms on unknown
	read -r ms on unknown < <(share "$3" "$4" "$5")
	echo "# $1, $2: $ms ms added, $on per mille on $3, $unknown per mille not explained"
	[ "${on:-0}" -ge 950 ] || { waited "$4"; waited "$5"; } | sed 's/^/#   /'
	echo "$1 $2 $3 $ms $on $unknown" >>/out/causes
	check "$1, $2: time was added" test "$ms" -ge "$LEAST_MS"
	check "$1, $2: on $3" test "$on" -ge 950
	check "$1, $2: it is explained" between 0 "$unknown" 50
}

# cause NAME CAUSES DISK: records the phases.
cause() {
	watched=$3
	export watched
	# shellcheck disable=SC2046 # a list
	export -f $(compgen -A function)
	if ! timeout 300 "$BLKREEL" record --waits -d "$watched" -o t.reel -- bash -c phases >out 2>&1; then
		check "$1: is recorded" false
		sed 's/^/# /' out
		return
	fi
	sed 's/^/# /' out
	"$BLKREEL" explain --json t.reel >explained.json
	judged "$1" alone "$2" plain victim
	judged "$1" beside "$2" plainer worst
	inject() { :; }
	restore() { :; }
}

# new_disk KEY=VALUE...: sets $disk to one without a scheduler.
new_disk() {
	made=$((made + 1))
	make_null_blk "causes$made" size=600 irqmode=2 submit_queues=1 "$@" || exit
	echo none >"/sys/block/$disk/queue/scheduler"
}

read_directly() {
	"$1" if="/dev/$watched" of=/dev/null bs=4k count=40 iflag=direct status=none
}

limited_group() {
	echo "+io +memory" >/sys/fs/cgroup/cgroup.subtree_control
	GROUP=/sys/fs/cgroup/limited
	mkdir -p "$GROUP"
	export GROUP
}

cgroup_limit() {
	new_disk completion_nsec=1000000 hw_queue_depth=64
	limited_group
	run() { (echo 0 >"$GROUP/cgroup.procs" && read_directly "$1"); }
	inject() { echo "$(cat "/sys/block/$watched/dev") riops=20" >"$GROUP/io.max"; }
	restore() { echo "$(cat "/sys/block/$watched/dev") riops=max" >"$GROUP/io.max"; }
	cause io.max cgroup_limit "$disk"
}

iocost() {
	new_disk completion_nsec=1000000 hw_queue_depth=64
	limited_group
	[ -e /sys/fs/cgroup/io.cost.qos ] || { skip iocost "this kernel has none" && return; }
	run() { (echo 0 >"$GROUP/cgroup.procs" && read_directly "$1"); }
	inject() {
		echo "$(cat "/sys/block/$watched/dev") ctrl=user model=linear rbps=1000000 rseqiops=20 rrandiops=20 wbps=1000000 wseqiops=20 wrandiops=20" \
			>/sys/fs/cgroup/io.cost.model
		echo "$(cat "/sys/block/$watched/dev") enable=1 ctrl=user rpct=0 rlat=0 wpct=0 wlat=0 min=100 max=100" >/sys/fs/cgroup/io.cost.qos
	}
	restore() { echo "$(cat "/sys/block/$watched/dev") enable=0" >/sys/fs/cgroup/io.cost.qos; }
	cause iocost cgroup_limit "$disk"
}

wbt() {
	new_disk completion_nsec=20000000 hw_queue_depth=1024
	[ -e "/sys/block/$disk/queue/wbt_lat_usec" ] || { skip wbt "this kernel has none" && return; }
	echo 64 >"/sys/block/$disk/queue/max_sectors_kb"
	echo 0 >"/sys/block/$disk/queue/wbt_lat_usec"
	run() { "$1" if=/dev/zero of="/dev/$watched" bs=1M count=32 conv=fsync,notrunc status=none; }
	inject() { echo 2000 >"/sys/block/$watched/queue/wbt_lat_usec"; }
	restore() { echo 0 >"/sys/block/$watched/queue/wbt_lat_usec"; }
	cause wbt wbt "$disk"
}

dm_delay() {
	local dm
	new_disk completion_nsec=1000000 hw_queue_depth=64
	below=$disk
	export below
	set_delay() {
		dmsetup suspend slower &&
			dmsetup load slower --table "0 65536 delay /dev/$below 0 $1" &&
			dmsetup resume --noudevsync --noudevrules slower
	}
	dmsetup create --noudevsync --noudevrules slower --table "0 65536 delay /dev/$disk 0 0" || exit
	dm=dm-$(dmsetup info -c --noheadings -o minor slower)
	[ -e "/dev/$dm" ] || mknod "/dev/$dm" b "$(cut -d: -f1 "/sys/block/$dm/dev")" "$(cut -d: -f2 "/sys/block/$dm/dev")"
	run() { read_directly "$1"; }
	inject() { set_delay 20; }
	restore() { set_delay 0; }
	cause dm-delay device "$dm"
	dmsetup remove --noudevsync --noudevrules slower
}

# Requests wait for one of the scheduler's tags, then in the scheduler for the tag of the disk.
one_tag() {
	modprobe mq-deadline 2>/dev/null
	new_disk completion_nsec=5000000 hw_queue_depth=1
	echo mq-deadline >"/sys/block/$disk/queue/scheduler"
	run() { read_directly "$1"; }
	inject() {
		others=
		for _ in 1 2 3 4 5 6; do
			load if="/dev/$watched" of=/dev/null bs=4k iflag=direct status=none &
			others="$others $!"
		done
	}
	# shellcheck disable=SC2086 # a list
	restore() { kill $others && wait $others; }
	cause "one tag, mq-deadline" tag,scheduler "$disk"
}

journal() {
	new_disk completion_nsec=10000000 hw_queue_depth=2 memory_backed=1
	echo 256 >"/sys/block/$disk/queue/max_sectors_kb"
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "/dev/$disk" &&
		mount -t ext4 -o nodelalloc,dioread_lock "/dev/$disk" /mnt || exit
	sysctl -q -w vm.dirty_ratio=80 vm.dirty_background_ratio=70
	touch /mnt/small
	run() {
		for _ in 1 2 3; do
			touch /mnt/small
			"$1.sync" /mnt/small
		done
	}
	inject() { dd if=/dev/zero of=/mnt/large bs=1M count=200 status=none; }
	restore() { rm /mnt/large; }
	cause "commit of another's 200 MiB" journal "$disk"
	umount /mnt
}

dirty_limit() {
	new_disk completion_nsec=20000000 hw_queue_depth=1
	sysctl -q -w vm.dirty_ratio=80 vm.dirty_background_ratio=70
	exec 9<>"/dev/$disk" # the last close would write all
	run() { "$1" if=/dev/zero of="/dev/$watched" bs=64k count=512 conv=notrunc status=none; }
	inject() { sysctl -q -w vm.dirty_background_bytes=2000000 vm.dirty_bytes=4000000; }
	restore() { sysctl -q -w vm.dirty_ratio=80 vm.dirty_background_ratio=70; }
	cause "dirty limit" dirty_throttle "$disk"
	exec 9>&-
}

hog() {
	new_disk completion_nsec=100000 hw_queue_depth=64
	run() { "$1" if="/dev/$watched" of=/dev/null bs=1M count=256 status=none; }
	inject() {
		others=
		for _ in 1 2 3 4; do
			while :; do :; done &
			others="$others $!"
		done
	}
	# shellcheck disable=SC2086 # a list
	restore() { kill $others && wait $others; }
	exec 9<>"/dev/$disk" # its pages stay in the cache
	dd if="/dev/$disk" of=/dev/null bs=1M count=256 status=none
	cause "CPU hogs" run_queue "$disk"
	exec 9>&-
}

# The file of the loop device is on a file system that is frozen for a second.
stall() {
	local loop
	new_disk completion_nsec=100000 hw_queue_depth=64 memory_backed=1
	mkfs.ext4 -q -F "/dev/$disk" && mount -t ext4 "/dev/$disk" /mnt || exit
	dd if=/dev/zero of=/mnt/image bs=1M count=16 status=none
	sync /mnt/image
	modprobe loop
	loop=$(losetup --find --show /mnt/image) || exit
	run() { "$1" if=/dev/zero of="/dev/$watched" bs=4k count=4 oflag=direct status=none; }
	inject() {
		fsfreeze --freeze /mnt
		(sleep 1 && fsfreeze --unfreeze /mnt) &
		thaw=$!
	}
	restore() { wait "$thaw"; }
	cause "stalled loop device" device "${loop#/dev/}"
	losetup -d "$loop"
	umount /mnt
}

slow_flush() {
	local dm
	set_delay() {
		dmsetup suspend flushed &&
			dmsetup load flushed --table "0 65536 delay /dev/vda 0 0 /dev/vda 0 0 /dev/vda 0 $1" &&
			dmsetup resume --noudevsync --noudevrules flushed
	}
	dmsetup create --noudevsync --noudevrules flushed --table "0 65536 delay /dev/vda 0 0 /dev/vda 0 0 /dev/vda 0 0" || exit
	dm=dm-$(dmsetup info -c --noheadings -o minor flushed)
	[ -e "/dev/$dm" ] || mknod "/dev/$dm" b "$(cut -d: -f1 "/sys/block/$dm/dev")" "$(cut -d: -f2 "/sys/block/$dm/dev")"
	run() { for _ in 1 2 3; do "$1" if=/dev/zero of="/dev/$watched" bs=4k count=1 conv=fsync,notrunc status=none; done; }
	inject() { set_delay 200; }
	restore() { set_delay 0; }
	cause "slow flush" flush "$dm"
	dmsetup remove --noudevsync --noudevrules flushed
}

preferring() {
	modprobe bfq 2>/dev/null
	new_disk completion_nsec=2000000 hw_queue_depth=64
	grep -qw bfq "/sys/block/$disk/queue/scheduler" || { skip bfq "this kernel has none" && return; }
	run() {
		(while :; do ionice -c 1 load if="/dev/$watched" of=/dev/null bs=4k count=2000 iflag=direct status=none; done) &
		preferred=$!
		sleep 0.1
		ionice -c 3 "$1" if="/dev/$watched" of=/dev/null bs=4k skip=30000 count=6 iflag=direct status=none
		kill "$preferred"
		wait "$preferred"
		return 0
	}
	inject() { echo bfq >"/sys/block/$watched/queue/scheduler"; }
	restore() { echo none >"/sys/block/$watched/queue/scheduler"; }
	cause "bfq that prefers another" scheduler "$disk"
}

# Version 1 of memory cgroups has no limit of dirty pages: who writes waits while memory is freed.
reclaim() {
	new_disk completion_nsec=20000000 hw_queue_depth=2 memory_backed=1
	mkdir -p /tmp/memory
	mount -t cgroup -o memory none /tmp/memory 2>/dev/null || { skip reclaim "version 2 has the controller" && return; }
	GROUP=/tmp/memory/little
	mkdir -p "$GROUP"
	export GROUP
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "/dev/$disk" && mount -t ext4 "/dev/$disk" /mnt || exit
	run() {
		(echo 0 >"$GROUP/cgroup.procs" && "$1" if=/dev/zero of=/mnt/new bs=64k count=512 conv=notrunc status=none)
		rm /mnt/new
		sync
	}
	inject() { echo 4M >"$GROUP/memory.limit_in_bytes"; }
	restore() { echo 1G >"$GROUP/memory.limit_in_bytes"; }
	cause "little memory in the group" reclaim "$disk"
	umount /mnt
	rmdir "$GROUP"
	umount /tmp/memory
}

made=0
mkdir -p /out
: >/out/causes
# shellcheck disable=SC2048 # a list
for injection in ${CAUSES:-reclaim cgroup_limit iocost wbt dm_delay one_tag journal dirty_limit hog stall slow_flush preferring}; do
	$injection
done
finish
