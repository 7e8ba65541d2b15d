# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# How far profiles are from their traces, and whether a device can tell them apart.

# shellcheck source=workloads.bash
. "$HERE/workloads.bash"

PROFILE_PAIRS=${BENCH_PROFILE_PAIRS:-5}
PROFILE_SPEED=${BENCH_PROFILE_SPEED:-15}
PROFILE_UNTIL=${BENCH_PROFILE_UNTIL:-1h}
PROFILE_IOPS=${BENCH_PROFILE_IOPS:-}
PROFILE_AT_ONCE=${BENCH_PROFILE_AT_ONCE:-}
PROFILE_DISK=${BENCH_PROFILE_DISK:-}
PROFILE_LOOP='' PROFILE_MOUNT=''

bench_profiles() {
	TRACES=${BENCH_TRACES:-$WORK/traces}
	mkdir -p "$TRACES" "$WORK/profiles"
	record_workloads
	import_samples
	generate_models
	say "profiles: building one of each trace, with five seeds"
	python3 "$HERE/profiles.py" "$BLKREEL" "$WORK/profiles" "$TRACES"/*.reel
}

# judge SCRIPT: of the traces in BENCH_TRACES, else of the logs that exist.
judge() {
	TRACES=${BENCH_TRACES:-$WORK/traces}
	python3 -c 'import numpy' 2>/dev/null || die "parts and ablation need numpy (make deps)"
	mkdir -p "$TRACES" "$WORK/profiles"
	[ -n "${BENCH_TRACES:-}" ] || import_logs
	compgen -G "$TRACES/*.reel" >/dev/null || die "there is no trace: set BENCH_TRACE or BENCH_TRACES"
	python3 "$HERE/$1" "$BLKREEL" "$BUILD/bench/stack_distances" "$WORK/profiles" "$TRACES"/*.reel
}

bench_parts() {
	say "parts: five seeds of the profile of each trace"
	judge parts.py
}

bench_ablation() {
	say "ablation: each table of each profile is left out alone"
	judge ablation.py
}

# play PLAYER PAIR: replays the trace or its profile; each pair has another seed.
play() {
	local play=() seed=()
	[ -z "$PROFILE_IOPS" ] || play=(slowly)
	[ "$1" = reel ] || seed=(--seed "$(($2 + 1))")
	"${play[@]}" "$BLKREEL" -q replay "$WORK/web.$1" --target "$DISK" --fit wrap --to "$PROFILE_UNTIL" "${seed[@]}" \
		--speed "$PROFILE_SPEED" --write --yes-destroy="$DISK" --json >"$WORK/replay-$1-$2.json"
}

# Samples latency from the due time, and lateness.
note_played() {
	local json=$WORK/replay-$1-$2.json
	sample "same.$1.p50_ns" "$(json "$json" "d['latency_ns']['intended']['p50']")"
	sample "same.$1.p99_ns" "$(json "$json" "d['latency_ns']['intended']['p99']")"
	sample "same.$1.late_p99_ns" "$(json "$json" "d['lateness_ns']['p99']")"
}

# Sets DISK to a device with the latency and concurrency of BENCH_PROFILE_DISK ("200:8": 200 us per IO, 8 at a time).
start_profile_disk() {
	local file delay_us=${PROFILE_DISK%:*}
	file=$(losetup --noheadings --output BACK-FILE "$DISK")
	PROFILE_MOUNT=$WORK/profile.disk
	start_slow_disk "$file" "$PROFILE_MOUNT" "$delay_us" "$delay_us" "$delay_us" "${PROFILE_DISK#*:}"
	PROFILE_LOOP=$(losetup --find --show --direct-io=on "$PROFILE_MOUNT")
	DISK=$PROFILE_LOOP
}

end_profile_disk() {
	[ -z "$PROFILE_LOOP" ] || losetup -d "$PROFILE_LOOP" || true
	[ -z "$PROFILE_MOUNT" ] || umount --lazy "$PROFILE_MOUNT" || true
	PROFILE_LOOP='' PROFILE_MOUNT=''
}

# The device is filled first: a trace writes to the same places each time, a profile elsewhere with each seed, and the
# first write to a page of a file in memory takes longer.
play_in_turn() {
	local pair player
	fill "$DISK"
	[ -z "$PROFILE_DISK" ] || start_profile_disk
	[ -z "$PROFILE_IOPS" ] || make_slow_group "$PROFILE_IOPS"
	for ((pair = 0; pair < PROFILE_PAIRS; pair++)); do
		for player in $(rotate "$pair" reel profile); do
			play "$player" "$pair"
		done
	done
	end_profile_disk
}

# Replays each onto its own device; all devices are equal. Starts are some seconds apart, so that copies of one burst
# do not coincide.
play_at_once() {
	local pair player players=()
	for ((pair = 0; pair < PROFILE_PAIRS; pair++)); do
		for player in $(rotate "$pair" reel profile); do
			make_loop 320M
			DISK=$LOOP
			fill "$DISK"
			[ -z "$PROFILE_IOPS" ] || make_slow_group "$PROFILE_IOPS"
			play "$player" "$pair" &
			players+=($!)
		done
		sleep 7
	done
	for player in "${players[@]}"; do
		wait "$player" || die "a replay failed"
	done
}

bench_replay_profile() {
	local pair
	if [ ! -e "$LOAD_LOG" ]; then
		say "the web server's log is missing: part replay-profile is skipped"
		return
	fi
	[[ $PROFILE_DISK =~ ^([0-9]+:[0-9]+)?$ ]] || die "BENCH_PROFILE_DISK is us per IO and IOs at a time, as 200:8"
	[ -z "$PROFILE_DISK" ] || [ -z "$PROFILE_AT_ONCE" ] ||
		die "BENCH_PROFILE_DISK cannot be combined with BENCH_PROFILE_AT_ONCE"
	[ -z "$PROFILE_IOPS" ] || make_slow_group "$PROFILE_IOPS"
	if [ -n "$PROFILE_IOPS" ] && [ -z "$SLOW" ]; then
		say "no control group can limit a device here: part replay-profile is skipped"
		return
	fi
	say "replay of a trace and of its profile: $PROFILE_PAIRS pairs of $PROFILE_UNTIL at ${PROFILE_SPEED}x"
	"$BLKREEL" -q import --from blkreplay --dedup "$LOAD_LOG" -o "$WORK/web.reel"
	"$BLKREEL" -q profile --seeds 0 "$WORK/web.reel" -o "$WORK/web.profile"
	if [ -n "$PROFILE_AT_ONCE" ]; then
		play_at_once
	else
		play_in_turn
	fi
	for ((pair = 0; pair < PROFILE_PAIRS; pair++)); do
		note_played reel "$pair"
		note_played profile "$pair"
	done
	row "replay of a profile: latency p50 (peer: of its trace)" ms \
		same.profile.p50_ns*0.000001 same.reel.p50_ns*0.000001 "ratio~1.1"
	row "replay of a profile: latency p99 (peer: of its trace)" ms \
		same.profile.p99_ns*0.000001 same.reel.p99_ns*0.000001 "ratio~1.1"
	row "replay of a profile: lateness p99 (peer: of its trace)" ms \
		same.profile.late_p99_ns*0.000001 same.reel.late_p99_ns*0.000001 ""
}
