#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A replay onto devices that refuse some IOs, and onto one that is removed meanwhile.
# vm: --with dd
. "$GUEST/lib.bash"

# key NAME: a number in out.json, from the line that begins with NAME.
key() {
	awk -v name="\"$1\":" '$1 == name { gsub(/[^0-9]/, "", $2); print $2; exit }' out.json
}

# errors: "OP ERRNO COUNT" of each kind of error in out.json.
errors() {
	awk '/"errors_by"/ { inside = 1 } inside && /^ *\]/ { exit }
		inside && /"op":/ { gsub(/[",]/, "", $2); op = $2 }
		inside && /"errno":/ { gsub(/,/, "", $2); errno = $2 }
		inside && /"count":/ { gsub(/,/, "", $2); count = $2 }
		inside && /}/ { print op, errno, count }' out.json | sort | paste -s -d ';'
}

# play DISK OPTION...: replays t.reel; sets code.
play() {
	local target=/dev/$1
	shift
	code=0
	"$BLKREEL" replay t.reel --target "$target" --write --yes-destroy="$target" --json "$@" >out.json 2>err || code=$?
	[ -s out.json ] || sed 's/^/# /' err
}

gone() {
	[ ! -e "/sys/block/$1" ]
}

# Sectors 20000 to 20009 cannot be read or written: 10 MB from the start no signature is looked for (ZFS has one at sector
# 1000), and a device whose signatures cannot be read is refused.
make_null_blk bad size=64 memory_backed=1 discard=1 irqmode=0 badblocks=+20000-20009 blocksize=512 || exit
# IOs that are submitted together may be merged, Linux 5.10 does so across other IOs: the request then fails as one.
echo 2 >"/sys/block/$disk/queue/nomerges"
{
	for i in 0 1 2 3 4 5 6 7 8 9 10 11 12; do
		echo "$((i * 1000)) 1 read $(((19998 + i) * 512)) 512"
		echo "$((i * 1000 + 500)) 1 write $(((19995 + i) * 512)) 512"
	done
	echo 20000 1 flush 0 0
} | "$HELPERS/trace_from_text" t.reel 64M
play "$disk"
check "bad sectors: exit 1" equal "$code" 1
check "bad sectors: 10 reads and 8 writes of the 13 each" equal "$(errors)" "read 5 10;write 5 8"
check "bad sectors: every IO was issued" equal "$(key issued)" 27
check "bad sectors: the rest completed" equal "$(key completed)" 9
play "$disk" --on-error stop --iodepth 1
check "bad sectors: the first error stops the replay" equal "$(errors)" "read 5 1"
check "bad sectors: after 5 IOs" equal "$(key issued)" 5

# A sector that cannot be read where a signature is looked for.
make_null_blk unreadable size=64 memory_backed=1 discard=1 irqmode=0 badblocks=+1001-1001 blocksize=512 || exit
play "$disk"
check "bad sector of a signature: refused" equal "$code" 1
check "bad sector of a signature: it is named" grep -q "4096 bytes at 512000 (sector 1000) cannot be read" err
check "bad sector of a signature: nothing was written" equal "$(counter "$disk" 5)" 0

# A device that is removed while IOs are in flight and more are due.
modprobe sd_mod
modprobe scsi_debug dev_size_mb=64 delay=0 || exit
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ -b /dev/sda ] && break
	sleep 0.2
done
for ((i = 0; i < 2000; i++)); do
	echo "$((i * 5000)) 1 $([ $((i % 2)) = 0 ] && echo read || echo write) $((i * 4096)) 4096"
done | "$HELPERS/trace_from_text" t.reel 64M
for how in continue stop; do
	if gone sda; then
		echo "- - -" >/sys/class/scsi_host/host0/scan
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			[ -b /dev/sda ] && break
			sleep 0.2
		done
	fi
	before=$(($(counter sda 1) + $(counter sda 5)))
	play sda --on-error "$how" &
	for ((tries = 0; tries < 600; tries++)); do
		[ $(($(counter sda 1) + $(counter sda 5))) -ge $((before + 100)) ] && break
		sleep 0.05
	done
	echo 1 >/sys/block/sda/device/delete
	wait
	check "removed, $how: some IOs completed, some failed" test "$(key completed)" -ge 50 -a "$(key errors)" -ge 1
	if [ $how = continue ]; then
		check "removed, $how: every IO was issued" equal "$(key issued)" 2000
		check "removed, $how: each completed or failed" equal "$(($(key completed) + $(key errors)))" 2000
		check "removed, $how: reads and writes failed, each counted" equal "$(errors | tr ';' '\n' | cut -d' ' -f1 | sort -u | paste -s -d ' ')" "read write"
	else
		check "removed, $how: the rest was not issued" test "$(key issued)" -lt 2000
	fi
done
finish
