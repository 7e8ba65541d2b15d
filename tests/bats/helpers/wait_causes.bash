# SPDX-License-Identifier: MIT
# What a task waits for with an injected cause, and without it: the task is called "victim".

# make_victims: copies of dd that are called "victim" and "load", for the shells that are recorded.
make_victims() {
	cp "$(command -v dd)" "$BATS_TEST_TMPDIR/victim"
	cp "$(command -v dd)" "$BATS_TEST_TMPDIR/load"
	export VICTIM=$BATS_TEST_TMPDIR/victim LOAD=$BATS_TEST_TMPDIR/load MNT LOOP
}

# recorded NAME BESIDE SCRIPT: records the script, beside a load that reads the same device if BESIDE is 1.
recorded() {
	# shellcheck disable=SC2016 # expanded by the shell that is recorded
	"$BLKREEL" record --waits -d "${DEVICE:-$LOOP}" -o "$BATS_TEST_TMPDIR/$1.reel" -- bash -c '
		if [ "$0" = 1 ]; then
			(while :; do "$LOAD" if="$BESIDE_READS" of=/dev/null bs=64k iflag=direct status=none; done) &
			beside=$!
		fi
		eval "$1" || exit 3
		[ "$0" = 0 ] || { kill $beside; wait $beside; }
		exit 0' "$2" "$3" >/dev/null
	"$BLKREEL" explain --json "$BATS_TEST_TMPDIR/$1.reel" >"$BATS_TEST_TMPDIR/$1.json"
	[ "$(json "$BATS_TEST_TMPDIR/$1.json" "d['lost']['waits']")" = 0 ]
}

# added CAUSE SECONDS: the run "with" waited that much longer for CAUSE than the run "without" at least, and that is
# 95 % of all that it waited longer. CAUSE may be several, with commas. The run queue is the machine's, unless it is the
# cause: then also time on the run queue outside of calls counts.
added() {
	python3 - "$BATS_TEST_TMPDIR" "$@" <<-'END'
		import json, sys
		folder, causes, least = sys.argv[1], sys.argv[2].split(","), float(sys.argv[3])
		def waited(name):
		    w = json.load(open(f"{folder}/{name}.json"))["waits"]
		    causes_of = {}
		    for task in w["tasks"]:
		        if task["comm"] != "victim":
		            continue
		        for c in task["causes"]:
		            if c["cause"] != "run_queue":
		                causes_of[c["cause"]] = causes_of.get(c["cause"], 0) + c["ns"]
		        if "run_queue" in causes:
		            causes_of["run_queue"] = causes_of.get("run_queue", 0) + task["run_queue_ns"]
		        causes_of["other"] = causes_of.get("other", 0) + task["unaccounted_ns"]
		    return causes_of
		before, after = waited("without"), waited("with")
		more = sum(after.values()) - sum(before.values())
		on_cause = sum(after.get(c, 0) - before.get(c, 0) for c in causes)
		print(before, after)
		assert more > 0, "the injection did not work"
		print(f"added {more / 1e9:.3f} s, {100 * on_cause / more:.2f} % on {causes}, other {100 * after['other'] / sum(after.values()):.2f} %")
		assert on_cause >= least * 1e9, "the injection did not work"
		assert on_cause >= 0.95 * more
		assert after["other"] <= 0.05 * sum(after.values())
	END
}
