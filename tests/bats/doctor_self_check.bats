#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# doctor --self-test: the probes and the kernel's system calls count a known load.
# bats file_tags=root,sanitized

# shellcheck disable=SC2034 # helpers/disturbance.bash says what this is
DISTURBED_BY="reclaim skip"
load test_helper

setup() {
	need_loop
	need_probes
	need_command mkfs.xfs
	make_loop 400M
	MNT=$BATS_TEST_TMPDIR/mnt
	REPORT=$BATS_TEST_TMPDIR/report.json
	mkdir "$MNT"
	mkfs.xfs -q -f "$LOOP"
	mount "$LOOP" "$MNT" || skip "needs xfs"
}

# counted LOAD FIGURE: the count in the report.
counted() {
	json "$REPORT" "[r['counted'] for r in d['self_test'] if '$1' in r['load'] and r['figure'] == '$2'][0]"
}

@test "doctor --self-test: each figure that this kernel has is right" {
	"$BLKREEL" doctor --json --self-test "$MNT" >"$REPORT"
	[ "$(json "$REPORT" "sorted({r['verdict'] for r in d['self_test']} - {'not checked'})")" = "['right']" ]
	[ "$(json "$REPORT" "len(d['self_test'])")" = 12 ]
	need_figure cache_demand_misses
	[ "$(counted "nothing cached" demand_miss_pages)" = 211 ]
	[ "$(counted "again" read_pages)" = 211 ]
	[ "$(counted "again" demand_miss_pages)" = 0 ]
	[ "$(counted "mapping" fault_pages)" = 53 ]
	[ "$(counted "sequence" readahead_used_pages)" -gt 900 ]
	[ -z "$(ls "$MNT")" ]
	run -0 "$BLKREEL" doctor --self-test "$MNT"
	[[ "$output" = *"every checked figure is right"* ]]
}

@test "a folder that cannot be used: one line with the reason" {
	run --separate-stderr -1 "$BLKREEL" doctor --self-test /dev/shm
	one_line "$stderr"
	[[ "$stderr" = *"name a directory on a disk"* ]]
	run --separate-stderr -1 "$BLKREEL" doctor --self-test "$MNT/none"
	one_line "$stderr"
	[[ "$stderr" = *"No such file or directory"* ]]
	run --separate-stderr -2 "$BLKREEL" doctor --self-test "$MNT" more
}
