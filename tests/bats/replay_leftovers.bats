# SPDX-License-Identifier: MIT
# What a replay that was killed leaves behind, and the next one removes.
load test_helper

# Sets OWN to the group of REPLAY.
find_own() {
	OWN=$(find /sys/fs/cgroup -maxdepth 2 \( -name "blkreel-replay-$REPLAY" -o -name "blkreel-replay-$REPLAY-*" \))
	[ -n "$OWN" ]
}

# start_replay SECONDS: one that takes that long, in a group of its own; sets REPLAY and OWN.
start_replay() {
	local i
	for ((i = 0; i <= $1; i++)); do
		echo "$((i * 1000000)) access read 1 $((i * 4096)) 4096"
	done | write_trace 1G
	"$BLKREEL" replay "$TRACE" --files "$BATS_TEST_TMPDIR/tree" --memory 32M --mode timed >/dev/null 2>&1 &
	REPLAY=$!
	wait_until find_own
	echo "$OWN" >>"$BATS_TEST_TMPDIR/groups"
	# Its child is the one that replays: only then is the group no more than about to be used.
	wait_until grep -q . "$OWN/cgroup.procs"
}

kill_replay() {
	kill -9 "$REPLAY"
	wait "$REPLAY" || true
	REPLAY=
	# Its child ends with it.
	wait_until empty "$OWN"
}

empty() {
	[ -z "$(cat "$1/cgroup.procs")" ]
}

# Another replay, with the same options.
replay_again() {
	write_trace 1G <<<"0 access read 1 0 4096"
	replay --files "$BATS_TEST_TMPDIR/tree2" --memory 32M --mode asap
	[ "$status" = 0 ]
	[ -z "$stderr" ]
}

# start_of PID: when it began, in ticks since boot.
start_of() {
	sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f20
}

@test "the control group of a replay that was killed is removed by the next" {
	need_root
	limit_memory 104857600 # whether there are such groups
	start_replay 60
	kill_replay
	replay_again
	[ ! -e "$OWN" ]
}

@test "the group of a replay that runs stays" {
	need_root
	limit_memory 104857600
	start_replay 60
	replay_again
	[ -e "$OWN" ]
	kill_replay
	replay_again
	[ ! -e "$OWN" ]
}

@test "only groups that blkreel made, of a process that is gone, and empty ones are removed" {
	need_root
	limit_memory 104857600
	root=$(dirname "$LIMIT")/..
	root=$(realpath "$root")
	numbers=$(stat -L -c %i /proc/self/ns/pid)
	sleep 600 &
	SLEEPER=$!
	start=$(start_of "$SLEEPER")
	keep=("$root/blkreel-replay-$SLEEPER-$start-$numbers"     # alive
		"$root/blkreel-replay-$SLEEPER-1-$((numbers + 1))" # of another PID namespace
		"$root/blkreel-replay-" "$root/blkreel-replay-x" "$root/blkreel-replay-12-5-$numbers.slice"
		"$root/blkreel-replay-12-05-$numbers" "$root/blkreel-replay--12-5-$numbers-"
		"$root/blkreel-replay-4194303-7-$numbers" # dead, but not empty
	)
	gone=("$root/blkreel-replay-4194303-6-$numbers"  # no such process
		"$root/blkreel-replay-$SLEEPER-1-$numbers" # its number belongs to another process
	)
	printf '%s\n' "${keep[@]}" "${gone[@]}" >>"$BATS_TEST_TMPDIR/groups"
	mkdir "${keep[@]}" "${gone[@]}"
	echo "$SLEEPER" >"$root/blkreel-replay-4194303-7-$numbers/cgroup.procs"
	replay_again
	for group in "${keep[@]}"; do
		[ -d "$group" ]
	done
	for group in "${gone[@]}"; do
		[ ! -e "$group" ]
	done
}
