# SPDX-License-Identifier: MIT
# What the kernel does to a test that is no fault of blkreel: only a test that failed beside it is tried again.
#
# A file names in DISTURBED_BY, before it loads this, what its tests cannot bear:
#   reclaim  pages that the test has read leave the page cache: the kernel takes them (for want of memory, or
#            because DAMON found them cold), or somebody writes to /proc/sys/vm/drop_caches. cachestat() counts
#            what was taken of the files of the test, a memory group of the test what was taken and read again.
#   skip     the kernel skips a call of a probe that already runs on the CPU
#            (docs/design/block-probes.md). The trace counts it as lost, and so do the metrics of serve and the
#            lines of top. This is the default of a test that asks for probes (need_probes): a made-up trace with
#            losses excuses nothing.
DISTURBED_BY=${DISTURBED_BY:-}

# Pages that were taken and read again, and times that caches were dropped, since the machine started. Of all tasks where
# the test has no OWN_GROUP.
reclaims() {
	awk -v own="$OWN_GROUP" '
		$1 == "drop_pagecache" || $1 == "workingset_refault_file" && (own == "" || FILENAME != "/proc/vmstat") { sum += $2 }
		END { printf "%d", sum }' /proc/vmstat ${OWN_GROUP:+"$OWN_GROUP/memory.stat"}
}

# join_own_group: sets OWN_GROUP to a new memory group, and puts the test into it: DAMON and other programs keep the
# counts of the machine rising.
join_own_group() {
	local memory=/sys/fs/cgroup/memory
	[ -d "$memory" ] || memory=/sys/fs/cgroup
	LEFT_GROUP=$memory$(sed -nE 's/^([0-9]+:memory|0:):(.*)/\2/p' /proc/self/cgroup | head -n 1)
	OWN_GROUP=$memory/blkreel-own-$$
	echo "$OWN_GROUP" >>"$BATS_TEST_TMPDIR/groups"
	{ mkdir "$OWN_GROUP" && grep -q workingset_refault_file "$OWN_GROUP/memory.stat" && echo $$ >"$OWN_GROUP/cgroup.procs"; } 2>/dev/null || OWN_GROUP=
	RECLAIMS_BEFORE=$(reclaims)
}

# Called from teardown(): who is in OWN_GROUP goes back, also the clock of bats.
leave_own_group() {
	local pid
	[ -n "$OWN_GROUP" ] || return 0
	while read -r pid; do
		echo "$pid" 2>/dev/null >"$LEFT_GROUP/cgroup.procs" || true
	done <"$OWN_GROUP/cgroup.procs"
}

OWN_GROUP=
RECLAIMS_BEFORE=
[[ -z ${BATS_TEST_TMPDIR:-} || $DISTURBED_BY != *reclaim* ]] || join_own_group

# Pages of the test's files and device that the kernel took and nobody has read again.
evicted_pages() {
	python3 "$ROOT/tests/helpers/evicted_pages.py" "$BATS_TEST_TMPDIR" ${LOOP:+"$LOOP"} || echo 0
}

# The folder of the test, and what make_outside() made elsewhere.
folders_of_test() {
	echo "$BATS_TEST_TMPDIR"
	cat "$BATS_TEST_TMPDIR/outside" 2>/dev/null || true
}

# The calls that the kernel skipped, in all traces of the test, in the metrics of serve (METRICS) that it has read last
# and in the lines of top (LINES_FILE).
skipped_calls() {
	local trace sum=0 calls folders
	mapfile -t folders < <(folders_of_test)
	while IFS= read -r trace; do
		calls=$("$BLKREEL" info --json "$trace" 2>/dev/null |
			json /dev/stdin "d['lost']['recursion'] + d['lost']['io_event']" 2>/dev/null) || continue
		sum=$((sum + calls))
	done < <(find "${folders[@]}" -xdev -maxdepth 4 -name '*.reel' -type f 2>/dev/null)
	calls=$(awk '/^blkreel_lost_events_total{reason="((end|start|cache)_skipped|not_reported)"}/ { sum += $2 } END { printf "%d", sum }' \
		"${METRICS:-/dev/null}" 2>/dev/null) && sum=$((sum + calls))
	calls=$(python3 -c 'import json, sys
print(sum(json.loads(line)["lost"]["total"] for line in open(sys.argv[1]) if line.endswith("\n")))' \
		"${LINES_FILE:-/dev/null}" 2>/dev/null) && sum=$((sum + calls))
	echo "$sum"
}

# Prints what disturbed the test; fails if nothing did that DISTURBED_BY names. In a trap a bare return fails.
disturbance() {
	local what count
	for what in ${DISTURBED_BY:-}; do
		case $what in
		reclaim)
			# The kernel adds the counts of a group up every two seconds.
			[ -z "$OWN_GROUP" ] || sleep 3
			count=$(($(reclaims) - RECLAIMS_BEFORE + $(evicted_pages)))
			[ "$count" -le 0 ] || { echo "the kernel took $count pages out of the cache, or dropped all" && return 0; }
			;;
		skip)
			count=$(skipped_calls)
			[ "$count" -le 0 ] || { echo "the kernel skipped $count calls of probes" && return 0; }
			;;
		esac
	done
	return 1
}
