# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Part gate of tests/bench/run: how often the gate of a continuous integration system is right. A device that
# is throttled to 1,000 IOPS is recorded twice as often as one that is throttled to 950; each gate holds
# GATE_RUNS fresh runs of one against GATE_RUNS of the other. The kernel counts by slices of time, so that these
# limits are some 10 % apart: the ratio that compare sees is printed.

GATES=${BENCH_GATES:-100}
GATE_RUNS=${BENCH_GATE_RUNS:-9}
GATE_LIMITS=(--fail-below throughput.iops=0.95)

# gate_run NAME IOPS: records NAME.reel.
gate_run() {
	make_slow_group "$2"
	"$BLKREEL" -q record -d "$DISK" -o "$WORK/gate/$1.reel" -- bash -c \
		'echo $$ >"$0/cgroup.procs"; exec "$@"' "$SLOW" \
		fio --name=gate --filename="$DISK" --rw=randread --bs=4k --direct=1 --ioengine=libaio \
		--iodepth=4 --number_ios=1000 --output-format=terse >/dev/null
}

# gate_code CANDIDATE GATE: the exit code of the gate.
gate_code() {
	local run base=() candidate=() code=0
	for ((run = 0; run < GATE_RUNS; run++)); do
		base+=("$WORK/gate/base$run.reel")
		candidate+=("$WORK/gate/$1$run.reel")
	done
	"$BLKREEL" -q compare --json "${GATE_LIMITS[@]}" "${base[@]}" -- "${candidate[@]}" \
		>"$WORK/gate/$1.json" 2>/dev/null || code=$?
	echo "$code"
}

bench_gate() {
	local gate run same slow
	make_slow_group 1000
	if [ -z "$SLOW" ]; then
		say "no control group can limit a device here: the gate is skipped"
		return
	fi
	say "gate: $GATES times three sides of $GATE_RUNS runs, of a second each"
	mkdir "$WORK/gate"
	for ((gate = 0; gate < GATES; gate++)); do
		for ((run = 0; run < GATE_RUNS; run++)); do
			gate_run "base$run" 1000
			gate_run "same$run" 1000
			gate_run "slow$run" 950
		done
		same=$(gate_code same)
		slow=$(gate_code slow)
		[[ $same == [07] && $slow == [07] ]] || die "compare ended with $same and $slow"
		sample gate.same_passed_pct "$((same == 0 ? 100 : 0))"
		sample gate.slow_failed_pct "$((slow == 7 ? 100 : 0))"
		sample gate.slow_ratio "$(json "$WORK/gate/slow.json" \
			'd["candidates"][0]["throughput"]["iops"]["value"]')"
		rm "$WORK/gate/"*.reel
	done
	awk -v gates="$GATES" '
		$1 == "gate.same_passed_pct" { passed += $2 / 100 }
		$1 == "gate.slow_failed_pct" { failed += $2 / 100 }
		$1 == "gate.slow_ratio" { ratio += $2 / gates }
		END {
			printf "The same device passes %d of %d gates; a device with x%.3f of its IOPS fails %d of %d.\n",
				passed, gates, ratio, failed, gates
		}' "$WORK/samples"
}
