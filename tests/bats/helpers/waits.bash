# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Recordings of waits, and figures of what explain says of them.

# set_up_waits: sets TRACE, EXPLAINED, and MNT on a new disk.
set_up_waits() {
	need_loop
	need_probes
	need_figure waits exact bounded
	mount_ext4 256M -b 4096
	TRACE=$BATS_TEST_TMPDIR/t.reel
	EXPLAINED=$BATS_TEST_TMPDIR/explained.json
}

# recorded COMMAND...: records it with its waits.
recorded() {
	"$BLKREEL" record "${OPTION:---waits}" -d "$LOOP" -o "$TRACE" -- "$@" >"$BATS_TEST_TMPDIR/output"
	"$BLKREEL" explain --json "$TRACE" >"$EXPLAINED"
	[ "$(json "$EXPLAINED" "d['lost']['waits']")" = 0 ]
}

# of COMM EXPRESSION: of t, the tasks of this name; ns(t, CAUSE) sums a cause, slept(t) all sleeps in storage.
of() {
	python3 - "$EXPLAINED" "$1" "$2" <<-'END'
		import json, sys
		w = json.load(open(sys.argv[1]))["waits"]
		t = [task for task in w["tasks"] if task["comm"] == sys.argv[2]]
		def ns(tasks, cause):
		    return sum(c["ns"] for task in tasks for c in task["causes"] if c["cause"] == cause)
		def slept(tasks):
		    return sum(c["ns"] for task in tasks for c in task["causes"] if c["cause"] != "run_queue")
		def calls(tasks, kind):
		    return [call for task in tasks for call in task["calls"] if call["kind"] == kind]
		print(eval(sys.argv[3]))
	END
}
