# SPDX-License-Identifier: MIT
# Control groups that limit memory or another resource.

# make_group CONTROLLER FILE-V1 FILE-V2: sets GROUP, a new group, and LIMIT, the file of its limit.
make_group() {
	local root
	for root in "/sys/fs/cgroup/$1" /sys/fs/cgroup /sys/fs/cgroup/unified; do
		GROUP=$root/blkreel-test-$$-$BATS_TEST_NUMBER-$RANDOM
		mkdir "$GROUP" 2>/dev/null || continue
		echo "$GROUP" >>"$BATS_TEST_TMPDIR/groups"
		for LIMIT in "$GROUP/$2" "$GROUP/$3"; do
			[ ! -e "$LIMIT" ] || return 0
		done
	done
	skip "needs the cgroup file $2 or $3"
}

# limit_memory BYTES: sets GROUP, a control group that may use no more.
limit_memory() {
	make_group memory memory.limit_in_bytes memory.max
	echo "$1" >"$LIMIT"
}

# Called from teardown(): removes the groups that were noted, with those in them, and instances of tracefs, which are
# removed in the same way. The last process of one may still end.
remove_groups() {
	local group
	[ -e "$BATS_TEST_TMPDIR/groups" ] || return 0
	while read -r group; do
		for _ in {1..20}; do
			[ -e "$group" ] || break
			rmdir "$group" 2>/dev/null || find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.1
		done
	done <"$BATS_TEST_TMPDIR/groups"
}
