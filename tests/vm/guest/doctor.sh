#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Writes doctor's answer for this kernel, for docs/kernels.md (tests/vm/kernels), and checks it: a recording must have
# the qualities that doctor announced.
. "$GUEST/lib.bash"

# "NAME QUALITY" of each figure of the JSON.
figures() {
	awk -F'"' '$2 == "figure" { name = $4 } $2 == "quality" && name { print name, $4; name = "" }'
}

recorded_as_announced() {
	[ -s recorded ] && ! grep -vxFf announced recorded
}

ask_doctor() {
	"$BLKREEL" doctor --json >/out/doctor.json
}

check "doctor finds that it can record" ask_doctor
check "doctor reports that it can record" grep -q '"can_record": true' /out/doctor.json
check "tp_btf programs work" grep -q '"how": "loaded and attached: tracepoints with' /out/doctor.json
make_null_blk any size=64 memory_backed=1 irqmode=0 || exit
check "a recording of everything" "$BLKREEL" record -d "$disk" --cache --stack -o t.reel -- true
"$BLKREEL" info t.reel --json | figures >recorded
figures </out/doctor.json >announced
check "its figures have the quality that doctor announced" recorded_as_announced
finish
