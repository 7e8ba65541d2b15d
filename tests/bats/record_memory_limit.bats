# SPDX-License-Identifier: MIT
# Control groups that allow less memory than the probes need.
load test_helper

setup() {
	TRACE=$BATS_TEST_TMPDIR/t.reel
	need_probes
	[[ $BUILD != *sanitize* ]] || skip "needs a build without sanitizers, which take memory of their own"
	limit_memory 268435456
}

# in_group COMMAND...: runs it there. The group is given up before it is removed.
in_group() {
	# shellcheck disable=SC2016 # the inner shell expands it
	run --separate-stderr timeout 120 bash -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$GROUP" "$@"
	echo "status $status, stderr '$stderr'"
}

# The kernel charges maps to the group since 5.11, which is when this function of BPF came.
need_charged_maps() {
	grep -aq BPF_FUNC_ktime_get_coarse_ns /sys/kernel/btf/vmlinux ||
		skip "needs a kernel that charges BPF maps to control groups"
}

@test "a group with enough memory says nothing" {
	in_group "$BLKREEL" record -t 0.1 -o "$TRACE"
	[ "$status" = 0 ]
	[[ $stderr != *"control group"* ]]
}

@test "a group that is far too small is named, with what it allows and what is needed" {
	for mib in 2 8 12 16; do
		echo $((mib << 20)) >"$LIMIT"
		in_group "$BLKREEL" record -t 0.1 -o "$TRACE"
		[ "$status" = 1 ]
		one_line "$stderr"
		[[ $stderr == *"the memory control group $GROUP allows $mib.0 MiB, and recording needs at least "*" MiB: raise the limit"* ]]
		[ ! -e "$TRACE" ]
		in_group "$BLKREEL" record --aggregate -t 0.1 -o "$TRACE"
		[ "$status" = 1 ]
		one_line "$stderr"
		[[ $stderr == *"the memory control group $GROUP allows $mib.0 MiB, and counting needs at least "* ]]
	done
}

@test "a group too small for the maps is named, too, also one above the recorder's own" {
	need_charged_maps
	echo $((30 << 20)) >"$LIMIT"
	in_group "$BLKREEL" record -t 0.1 -o "$TRACE"
	[ "$status" = 1 ]
	one_line "$stderr"
	[[ $stderr == *"the memory control group $GROUP allows 30.0 MiB, and recording needs at least "* ]]
	outer=$GROUP
	echo +memory >"$outer/cgroup.subtree_control" 2>/dev/null || true
	mkdir "$outer/inner"
	GROUP=$outer/inner
	in_group "$BLKREEL" record -t 0.1 -o "$TRACE"
	rmdir "$GROUP"
	[ "$status" = 1 ]
	[[ $stderr == *"the memory control group $outer allows 30.0 MiB, and recording needs at least "* ]]
}

@test "stat shows the kernel's counters and names the group for the rest" {
	echo $((12 << 20)) >"$LIMIT"
	in_group "$BLKREEL" stat 1 1
	[ "$status" = 0 ]
	[[ $output == *DEVICE* ]]
	[ "$(grep -c "warning: missing: .*the memory control group $GROUP allows 12.0 MiB" <<<"$stderr")" = 2 ]
}
