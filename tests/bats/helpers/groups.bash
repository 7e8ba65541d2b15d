# SPDX-License-Identifier: MIT
# Control groups of a test.

# make_groups NAME...: control groups for IO and memory, below one of the test. BASE is its path in both hierarchies.
make_groups() {
	local root name roots=(/sys/fs/cgroup/blkio /sys/fs/cgroup/memory)
	if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
		roots=(/sys/fs/cgroup)
		echo "+io +memory" >/sys/fs/cgroup/cgroup.subtree_control || skip "needs the cgroup controllers io and memory"
	fi
	[ -d "${roots[0]}" ] || skip "needs cgroups with the controller blkio or io"
	BASE=/blkreel-groups-$$-$BATS_TEST_NUMBER
	GROUP_ROOTS=("${roots[@]}")
	for root in "${roots[@]}"; do
		echo "$root$BASE" >>"$BATS_TEST_TMPDIR/groups"
		mkdir "$root$BASE"
		[ -d /sys/fs/cgroup/blkio ] || echo "+io +memory" >"$root$BASE/cgroup.subtree_control"
		for name in "$@"; do
			mkdir -p "$root$BASE/$name"
		done
	done
}

# in_group NAME COMMAND...
in_group() {
	local name=$1
	shift
	(
		for root in "${GROUP_ROOTS[@]}"; do
			echo "$BASHPID" >"$root$BASE/$name/cgroup.procs"
		done
		exec "$@"
	)
}

# remove_group [NAME]: one, or all that make_groups made.
remove_group() {
	local root
	for root in "${GROUP_ROOTS[@]}"; do
		find "$root$BASE${1:+/$1}" -depth -type d -exec rmdir {} \;
	done
}
