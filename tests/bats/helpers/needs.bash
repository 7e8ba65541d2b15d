# SPDX-License-Identifier: MIT
# What a test needs of the machine. Each function skips the test with a reason; under CI tests/run
# turns a skip for something that the machine has into a failure, so a test names each need here.

need_root() {
	[ "$(id -u)" = 0 ] || skip "needs root"
}

need_command() {
	command -v "$1" >/dev/null || skip "needs the command $1"
}

need_loop() {
	need_root
	[ -e /dev/loop-control ] || skip "needs loop devices"
}

need_probes() {
	need_root
	[ -r /sys/kernel/btf/vmlinux ] || skip "needs a kernel with BTF"
	: "${DISTURBED_BY:=skip}"
}

# need_figure FIGURE [QUALITY...]: a kernel where doctor gives the figure one of these qualities (exact).
need_figure() {
	local figure=$1 doctor=$BATS_FILE_TMPDIR/doctor.json quality wanted
	shift
	[ $# -gt 0 ] || set -- exact
	[ -s "$doctor" ] || "$BLKREEL" doctor --json >"$doctor" || true
	quality=$(json "$doctor" "[f['quality'] for f in d['figures'] if f['figure'] == '$figure'][0]")
	for wanted in "$@"; do
		[ "$quality" != "$wanted" ] || return 0
	done
	wanted=$*
	skip "needs a kernel where $figure is ${wanted// / or }"
}
