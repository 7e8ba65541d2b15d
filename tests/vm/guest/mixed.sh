#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A mixed load on virtio-blk: requests, merges and sectors of each operation equal the kernel's counts. Runs 20 s, or
# longer: `tests/vm/run KERNEL guest/mixed.sh --append MIXED_SECONDS=300 --timeout 1200`.
# vm: --virtio 256M --with fio
. "$GUEST/lib.bash"
. "$GUEST/counts.bash"

load() {
	fio --filename=/dev/vda --direct=1 --ioengine=libaio --time_based --runtime="${MIXED_SECONDS:-20}" \
		--output-format=terse --iodepth=16 --fsync=64 --bssplit=4k/60:16k/30:128k/10 \
		--name=random --rw=randrw --name=sequential --rw=rw --bs=8k --iodepth_batch_submit=8 \
		--name=trim --rw=randtrim --iodepth=4 --rate_iops=50 >fio.txt 2>&1
}

# ours OP FIELD: from the device's first account, which precedes the kernel's.
ours() {
	awk -v op="\"$1\":" -v field="\"$2\":" '
		!found && $1 == op { inside = 1 }
		inside && $1 == field { sub(",", "", $2); print $2; found = 1; exit }' explain.json
}

export -f load
check "a mixed load runs" record vda bash -c load
"$BLKREEL" explain --json t.reel >explain.json
check "nothing was lost" nothing_lost
at=1
for op in read write discard flush; do
	check "$op: as many as the kernel counted ($(delta $at))" equal "$(ours "$op" ios)" "$(delta $at)"
	check "$op: there were some" [ "$(delta $at)" -gt 0 ]
	if [ "$op" != flush ]; then
		check "$op: merges ($(delta $((at + 1))))" equal "$(ours "$op" merges)" "$(delta $((at + 1)))"
		check "$op: sectors ($(delta $((at + 2))))" equal "$(($(ours "$op" bytes) / 512))" "$(delta $((at + 2)))"
		echo "# $op ticks: ours $(ours "$op" ticks_ms), the kernel's $(delta $((at + 3)))"
	fi
	# The ticks of writes are followed by three figures of the whole disk.
	at=$((at + (at == 5 ? 7 : 4)))
done
finish
