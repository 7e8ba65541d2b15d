#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What doctor says of this kernel, for docs/kernels.md (tests/vm/kernels); and that it is true: what it says
# is exact or bounded a recording calls the same.
. "$GUEST/lib.bash"

# "NAME QUALITY" of each figure of the JSON.
figures() {
	awk -F'"' '$2 == "figure" { name = $4 } $2 == "quality" && name { print name, $4; name = "" }'
}

all_of_recorded_are_said() {
	[ -s recorded ] && ! grep -vxFf said recorded
}

ask_doctor() {
	"$BLKREEL" doctor --json >/out/doctor.json
}

check "doctor finds that it can record" ask_doctor
check "it says so" grep -q '"can_record": true' /out/doctor.json
check "tp_btf programs work" grep -q '"how": "loaded and attached: tracepoints with' /out/doctor.json
make_null_blk any size=64 memory_backed=1 irqmode=0 || exit
check "a recording of everything" "$BLKREEL" record -d "$disk" --cache --stack -o t.reel -- true
"$BLKREEL" info t.reel --json | figures >recorded
figures </out/doctor.json >said
check "its figures are as good as doctor says" all_of_recorded_are_said
finish
