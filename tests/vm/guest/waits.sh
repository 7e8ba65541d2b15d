#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record --waits: every call and sleep of a known number of reads and syncs, and times that add up. Prints what this
# kernel can tell: exact, bounded, unavailable.
# vm: --virtio 64M --with mkfs.ext4 --with dd --with dmsetup
. "$GUEST/lib.bash"

# record_waits OPTION COMMAND...
record_waits() {
	local option=$1
	shift
	"$BLKREEL" record "$option" -d vda -o t.reel -- "$@" >/dev/null 2>record.err || {
		sed 's/^/# /' record.err
		return 1
	}
	"$BLKREEL" dump --rows wait --format csv t.reel >rows.csv
}

# of EXPRESSION: sums an awk expression over the rows.
of() {
	awk -F, "NR == 1 { for (i = 1; i <= NF; i++) c[\$i] = i; next } { sum += $1 } END { print sum + 0 }" rows.csv
}

# shellcheck disable=SC2016 # awk's fields
{
	calls='($c["call"] == "read" && $c["what"] != "sleep") * $c["count"]'
	slept='$c["what"] == "sleep" && $c["call"] == "read"'
	explained='$c["what"] == "sleep" && $c["call"] == "read" && $c["stack"] ~ /schedule/'
	whole='$c["what"] == "task" && $c["duration_ns"] - $c["cpu_ns"] - $c["run_queue_ns"] - $c["sleep_ns"] > $c["duration_ns"] / 100'
	syncs='$c["what"] == "call" && $c["call"] == "fsync"'
	journal='$c["stack"] ~ /jbd2_log_wait_commit/'
}
"$BLKREEL" doctor --json | awk -F'"' '$2 == "figure" { name = $4 } $2 == "quality" { print "# " name ": " $4 }' | grep wait
check "1,009 direct reads are recorded" record_waits --files "$HELPERS/issue_io" read /dev/vda 1009 4096
skipped=0
if probes_are_preempted; then
	skipped=$(lost t.reel recursion)
	echo "# this kernel preempts probes: $skipped calls of them were skipped"
fi
check "1,009 calls, or fewer by what was skipped" between $((1009 - skipped)) "$(of "$calls")" 1009
check "each sleep has a stack" equal "$(of "$explained")" "$(of "$slept")"
check "some slept" test "$(of "$slept")" -ge 1
check "the times of the tasks add up" equal "$(of "$whole")" 0
grep ",task," rows.csv | sed "s/^/# /" | cut -c1-150
check "nothing else was lost" equal "$(lost t.reel)" "$skipped"
mkfs.ext4 -q /dev/vda && mount -t ext4 /dev/vda /mnt || exit
check "without --files" record_waits --waits "$HELPERS/issue_io" read /dev/vda 1009 4096
check "as many calls as slept, or fewer" test "$(of "$calls")" -le 1009
check "at least one call for two sleeps" test "$((2 * $(of "$calls")))" -ge "$(of "$slept")"
check "each sleep has a stack" equal "$(of "$explained")" "$(of "$slept")"
check "the times of the tasks add up" equal "$(of "$whole")" 0
check "a file is written and synced" record_waits --waits dd if=/dev/zero of=/mnt/file bs=64k count=16 conv=fsync
check "one fsync" equal "$(of "$syncs")" 1
check "it waited for the journal" test "$(of "$journal")" -ge 1

# A mapped device has no queue: the turn in the scheduler is in that of the device below.
modprobe dm-mod
make_null_blk below size=64 irqmode=2 submit_queues=1 hw_queue_depth=1 completion_nsec=5000000 || exit
echo mq-deadline >"/sys/block/$disk/queue/scheduler"
dmsetup create --noudevsync --noudevrules above --table "0 65536 linear /dev/$disk 0" || exit
dm=dm-$(dmsetup info -c --noheadings -o minor above)
[ -e "/dev/$dm" ] || mknod "/dev/$dm" b "$(cut -d: -f1 "/sys/block/$dm/dev")" "$(cut -d: -f2 "/sys/block/$dm/dev")"
# shellcheck disable=SC2016 # expanded by the shell that is recorded
read_mapped='for i in 0 1 2 3 4 5; do
	dd if="/dev/$0" of=/dev/null bs=4k skip=$((i * 1000)) count=40 iflag=direct status=none &
done
wait'
"$BLKREEL" record --waits -d "$dm" --stack -o t.reel -- bash -c "$read_mapped" "$dm" >/dev/null 2>&1 || exit
"$BLKREEL" explain t.reel >explained
grep "waiting for" explained | sed "s/^/# /"
check "they wait for the scheduler below it" grep -q "waiting for the IO scheduler" explained
finish
