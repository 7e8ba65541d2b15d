#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The minimum for every kernel, in one guest: known numbers of IOs, equal to the kernel's counters, and of pages where
# it shows them; a stack; requests that fail. No times.
# vm: --virtio 64M --with mkfs.ext4 --with dmsetup --with dd
. "$GUEST/lib.bash"
. "$GUEST/counts.bash"

check "doctor finds that it can record" "$BLKREEL" doctor
known_reads vda
known_writes vda

modprobe -a dm-mod
dmsetup create --noudevsync --noudevrules linear --table "0 65536 linear /dev/vda 2048" || exit
dm=dm-$(dmsetup info -c --noheadings -o minor linear)
stacked() {
	"$BLKREEL" record -d "$dm" --stack -o t.reel -- "$HELPERS/issue_io" read "/dev/$dm" 499 4096 >offsets 2>record.err
}
check "dm-linear: 499 reads" stacked
check "dm-linear: 499 rows above" equal "$(column t.reel op -d "$dm" | wc -l)" 499
check "dm-linear: 499 rows below, all of them with a parent" equal "$(column t.reel parent_id -d vda | grep -c .)" 499
check "dm-linear: nothing was lost" nothing_lost
dmsetup remove linear

make_null_blk bad size=64 memory_backed=1 irqmode=0 badblocks=+1000-1009 blocksize=512 || exit
read_sectors() {
	for sector in 8 1000 1004 2000 1009 1010 999; do
		dd if="/dev/$disk" of=/dev/null bs=512 skip="$sector" count=1 iflag=direct 2>/dev/null || echo refused
	done
}
export -f read_sectors
export disk
check "bad blocks: 7 reads" record "$disk" bash -c read_sectors
check "bad blocks: 3 reads failed" equal "$(grep -c refused offsets)" 3
check "bad blocks: the rows have these errors" equal "$(column t.reel error | sort -n | uniq -c | xargs)" "3 -5 4 0"

mkfs.ext4 -q /dev/vda && mount -t ext4 /dev/vda /mnt && dd if=/dev/urandom of=/mnt/file bs=1M count=8 2>/dev/null && umount /mnt &&
	mount -t ext4 /dev/vda /mnt || exit
cached() {
	umount /mnt
	mount -t ext4 /dev/vda /mnt && BLKREEL_FORCE_TIER=$1 "$BLKREEL" record --cache -d vda -o t.reel -- \
		"$HELPERS/issue_io" cached-random /mnt/file 1009 4096 >/dev/null 2>record.err
}
# The first figure of this name.
explained() {
	"$BLKREEL" explain t.reel --json | sed -n "s/.*\"$1\": \([0-9a-z]*\),*$/\1/p" | head -n 1
}
# by HOW: of the figure cache_reads.
by() {
	"$BLKREEL" info t.reel --json | tr -d ' \n' | grep -q "\"figure\":\"cache_reads\",\"how\":\"$1\""
}
# Linux 5.10 does not show which pages are read. Linux 6.1, as most kernels, has no tracepoint that does.
tiers=tp_btf known=1009
case $(uname -r) in 5.10.*) tiers=none known=null ;; 6.1.*) tiers="fentry kprobe" ;; esac
for tier in $tiers; do
	case $tier in fentry | kprobe) forced=$tier ;; *) forced= ;; esac
	check "1,009 pages are read" cached "$forced"
	check "seen by: $tier" by "$tier"
	check "of pages read, $known are known" equal "$(explained pages)" $known
	check "of misses, $known are known" equal "$(explained demand_miss_pages)" $known
	check "1,009 came from the device" equal "$(column t.reel origin --op read | grep -cx file)" 1009
	check "nothing was lost" nothing_lost
done
umount /mnt

waits() {
	"$BLKREEL" record --files -d vda -o t.reel -- "$HELPERS/issue_io" read /dev/vda 499 4096 >/dev/null 2>record.err &&
		"$BLKREEL" dump --rows wait --format csv t.reel >rows.csv
}
# rows CONDITION: the sum of `count` of these rows of waits, an expression of awk.
# shellcheck disable=SC2016 # awk's fields
rows() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } $c["call"] == "read" && '"$1"' { n += $c["what"] == "sleep" ? 1 : $c["count"] }
		END { print n + 0 }' rows.csv
}
check "499 reads are recorded with their waits" waits
skipped=0
! probes_are_preempted || skipped=$(lost t.reel recursion)
check "499 calls, or fewer by $skipped that were skipped" between $((499 - skipped)) "$(rows '$c["what"] != "sleep"')" 499
check "some slept" between 1 "$(rows '$c["what"] == "sleep"')" 998
check "each sleep has a stack" equal "$(rows '$c["what"] == "sleep" && $c["stack"] ~ /schedule/')" "$(rows '$c["what"] == "sleep"')"
finish
