# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# How late is a replay, and how fast can it go? The peer is fio's read_iolog.

TIMED_SPEED=20
TIMED_SECONDS=600
DENSE_SPEED=200
DENSE_TURNS=2
RATE=200000
RATE_SECONDS=3
ASAP_ROUNDS=4
SLOW=

fio_iolog() {
	fio --name=replay --read_iolog="$1" --ioengine=io_uring --direct=1 --output-format=json \
		--output="$WORK/fio.json" "${@:2}" >/dev/null
}

# Writes the IOs of the timed replay to $WORK/timed.{reel,iolog,schedule}, the same IOs in each.
prepare_timed() {
	local load=$WORK/timed.load
	if [ -e "$LOAD_LOG" ]; then
		zcat "$LOAD_LOG" >"$load"
	else
		say "$LOAD_LOG is missing: a made-up trace is replayed"
		"$BUILD/helpers/make_trace" --rows 28000 --gap-ns 21000000 "$WORK/made.reel"
		"$BUILD/bench/bench_trace" csv "$WORK/made.reel" | awk -F, '
			NR == 1 { start = $1 }
			{ ns = $1 - start
			  printf "%d.%09d ; %s ; %d ; %s ; 0.0 ; 0.0\n", ns / 1e9, ns % 1e9, $4,
				$5 / 512, $15 == 0 ? "R" : "W" }' >"$load"
	fi
	"$BUILD/bench/load_to_reel" "$WORK/timed.reel" "$WORK/timed.iolog" "$WORK/timed.schedule" \
		"$DISK" 1G "$TIMED_SPEED" "$TIMED_SECONDS" <"$load" >"$WORK/out"
	rm -f "$load"
}

# own_samples PREFIX: what the replay reports in $WORK/replay.json.
own_samples() {
	sample "$1.own_p50_ns" "$(json "$WORK/replay.json" "d['lateness_ns']['p50']")"
	sample "$1.own_p99_ns" "$(json "$WORK/replay.json" "d['lateness_ns']['p99']")"
	sample "$1.over_ns" "$(json "$WORK/replay.json" "abs(d['duration_ns'] - d['intended_duration_ns'])")"
	sample "$1.over_pct" "$(json "$WORK/replay.json" \
		"100 * abs(d['duration_ns'] / d['intended_duration_ns'] - 1)")"
}

# play_timed PREFIX PLAYER SPEED [OPTION...]
play_timed() {
	local p50 p99 elapsed
	case $2 in
	blkreel)
		"$BLKREEL" replay "$WORK/timed.reel" --target "$DISK" --speed "$3" "${@:4}" \
			--write --yes-destroy="$DISK" --json >"$WORK/replay.json"
		own_samples "$1"
		;;
	bare)
		"$BUILD/bench/bare_uring" "$DISK" "$WORK/timed.schedule" $(($3 / TIMED_SPEED)) \
			>"$WORK/bare" || die "bare_uring failed"
		read -r p50 p99 elapsed <"$WORK/bare"
		sample "$1.bare_p50_ns" "$p50"
		sample "$1.bare_p99_ns" "$p99"
		say "  bare loop: p50 $p50 ns, p99 $p99 ns, $elapsed s"
		;;
	fio) fio_iolog "$WORK/timed.iolog" --iodepth=1024 ;;
	esac
}

# Steal time of all CPUs, in ticks of 10 ms.
stolen_ticks() {
	awk '$1 == "cpu" { print $9 }' /proc/stat
}

# The same recorder watches each player; lateness is computed from the creation times of the requests.
# watched_once PREFIX PLAYER SPEED [OPTION...]
watched_once() {
	local name value stolen
	start_blkreel "$WORK/seen.reel" -d "$DISK"
	stolen=$(stolen_ticks)
	play_timed "$@"
	stolen=$((($(stolen_ticks) - stolen) * 10))
	stop_recorder
	sample "$1.stolen_ms" "$stolen"
	"$BUILD/bench/bench_trace" csv "$WORK/seen.reel" |
		python3 "$HERE/lateness.py" "$WORK/timed.schedule" "$(($3 / TIMED_SPEED))" >"$WORK/lateness"
	while read -r name value; do
		sample "$1.$2.$name" "$value"
	done <"$WORK/lateness"
	say "  $2 at ${3}x ${*:4}: $(paste -sd' ' "$WORK/lateness"), $stolen ms stolen"
}

# Each player replays the same IOs, in turn. The bare loop is one thread that is always awake.
# own_once PREFIX PAIR SPEED PLAYER...
own_once() {
	local player
	for player in $(rotate "$2" "${@:4}" bare sqpoll); do
		case $player in
		sqpoll) watched_once "$1.sqpoll" blkreel "$3" --sqpoll ;;
		awake) watched_once "$1.awake" blkreel "$3" --sqpoll --spin always ;;
		*) watched_once "$1" "$player" "$3" ;;
		esac
	done
}

# lateness_rows PREFIX SPEED-AND-OPTIONS TARGET-P50 TARGET-P99
lateness_rows() {
	row "replay, timed at $2: reported lateness p50 (peer: a bare io_uring loop, always awake)" us \
		"$1.own_p50_ns*0.001" "${1%.*}.bare_p50_ns*0.001" "$3"
	row "replay, timed at $2: reported lateness p99 (peer: a bare io_uring loop, always awake)" us \
		"$1.own_p99_ns*0.001" "${1%.*}.bare_p99_ns*0.001" "$4"
}

# own_rows PREFIX SPEED PEER-OF-THE-GAPS
own_rows() {
	lateness_rows "$1" "${2}x" "<=1" "<=50"
	lateness_rows "$1.sqpoll" "${2}x, --sqpoll" "<=1" "<=50"
	row "replay, timed at ${2}x: error of the duration" % "$1.over_pct" "" "<=0.01"
	row "replay, timed at ${2}x: error of the duration" us "$1.over_ns*0.001" "" "<=1000"
	row "replay, timed at ${2}x: error of the gaps at the device, p50" us \
		"$1.blkreel.gap_error_p50_ns*0.001" "$3" "<=5"
	row "replay, timed at ${2}x, --sqpoll: error of the gaps at the device, p50 (peer: a bare loop)" us \
		"$1.sqpoll.blkreel.gap_error_p50_ns*0.001" "$1.bare.gap_error_p50_ns*0.001" "<=5"
	row "replay, timed at ${2}x: CPU time stolen by the host (--sqpoll)" ms \
		"$1.sqpoll.stolen_ms" "" ""
	lateness_rows "$1.awake" "${2}x, --sqpoll --spin always" "<=1" "<=50"
	row "replay, timed at ${2}x, --sqpoll --spin always: error of the gaps at the device, p50 (peer: a bare loop)" us \
		"$1.awake.blkreel.gap_error_p50_ns*0.001" "$1.bare.gap_error_p50_ns*0.001" "<=5"
}

# The same bursts at DENSE_SPEED: the limit is what one core can submit.
bench_dense() {
	local turn
	for ((turn = 0; turn < REPLAY_PAIRS * DENSE_TURNS; turn++)); do
		own_once dense "$turn" "$DENSE_SPEED" blkreel awake
	done
	own_rows dense "$DENSE_SPEED" dense.bare.gap_error_p50_ns*0.001
}

# rate_once PLAYER: RATE reads of 4 KiB a second, evenly spaced.
rate_once() {
	local p50 p99 elapsed
	case $1 in
	blkreel)
		"$BLKREEL" replay "$WORK/rate.reel" --target "$DISK" --reads-only --json \
			>"$WORK/replay.json"
		own_samples rate
		;;
	bare)
		"$BUILD/bench/bare_uring" "$DISK" 4096 $((RATE * RATE_SECONDS)) 1024 "$RATE" >"$WORK/bare" ||
			die "bare_uring failed"
		read -r p50 p99 elapsed <"$WORK/bare"
		sample rate.bare_p50_ns "$p50"
		sample rate.bare_p99_ns "$p99"
		say "  bare loop: p50 $p50 ns, p99 $p99 ns, $elapsed s"
		;;
	esac
}

bench_rate() {
	local pair player
	say "timed replay: $RATE reads a second for $RATE_SECONDS s, by one thread"
	awk -v rate="$RATE" -v seconds="$RATE_SECONDS" 'BEGIN {
		srand(23)
		for (i = 0; i < rate * seconds; i++)
			print int(i * 1e6 / rate), 1, "read", int(rand() * 262144) * 4096, 4096
	}' | "$BUILD/helpers/trace_from_text" "$WORK/rate.reel" 1G
	for ((pair = 0; pair < PAIRS; pair++)); do
		for player in $(rotate "$pair" blkreel bare); do
			rate_once "$player"
		done
	done
	row "replay, 200 k IOPS: lateness p50 (peer: a bare io_uring loop, always awake)" us \
		rate.own_p50_ns*0.001 rate.bare_p50_ns*0.001 ""
	row "replay, 200 k IOPS: lateness p99 (peer: a bare io_uring loop, always awake)" us \
		rate.own_p99_ns*0.001 rate.bare_p99_ns*0.001 "<=100"
	row "replay, 200 k IOPS: error of the duration" % rate.over_pct "" "<=0.01"
}

# make_slow_group IOPS [BYTES]: sets SLOW to a control group that is limited to so many reads, and as many writes, a
# second, and so many bytes of each (v1: blkio.throttle, v2: io.max).
make_slow_group() {
	local number limit=$1 bytes=${2:-}
	number=$(cat "/sys/block/${DISK#/dev/}/dev")
	if [ -e /sys/fs/cgroup/blkio/cgroup.procs ]; then
		SLOW=/sys/fs/cgroup/blkio/${WORK##*/}
		mkdir -p "$SLOW"
		echo "$number $limit" >"$SLOW/blkio.throttle.read_iops_device"
		echo "$number $limit" >"$SLOW/blkio.throttle.write_iops_device"
		[ -z "$bytes" ] || echo "$number $bytes" >"$SLOW/blkio.throttle.read_bps_device"
		[ -z "$bytes" ] || echo "$number $bytes" >"$SLOW/blkio.throttle.write_bps_device"
	elif grep -qw io /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
		SLOW=/sys/fs/cgroup/${WORK##*/}
		mkdir -p "$SLOW"
		echo "$number riops=$limit wiops=$limit rbps=${bytes:-max} wbps=${bytes:-max}" >"$SLOW/io.max"
	fi
}

# slowly COMMAND...: runs it in the group SLOW.
slowly() {
	(
		echo "$BASHPID" >"$SLOW/cgroup.procs"
		exec "$@"
	)
}

# The time from the first creation to the last completion of a recording.
recorded_span_ns() {
	"$BUILD/bench/bench_trace" csv "$1" | awk -F, '
		NR == 1 || $1 < first { first = $1 } $3 > last { last = $3 } END { printf "%.0f", last - first }'
}

# A reader that rests between batches is recorded on the fast device; its run time is predicted for a slow one.
bench_dependent() {
	local pair mode truth reader=(fio --name=reader --filename="$DISK" --rw=randread --bs=4k --direct=1
		--ioengine=psync --number_ios=200 --thinktime=200000 --thinktime_blocks=20
		--output-format=terse)
	make_slow_group 100
	if [ -z "$SLOW" ]; then
		say "no control group can limit a device here: mode dependent is skipped"
		return
	fi
	say "replay, dependent: the run time on a slow device"
	for ((pair = 0; pair < REPLAY_PAIRS; pair++)); do
		start_blkreel "$WORK/fast.reel" -d "$DISK"
		"${reader[@]}" >"$WORK/out"
		stop_recorder
		start_blkreel "$WORK/slow.reel" -d "$DISK"
		slowly "${reader[@]}" >"$WORK/out"
		stop_recorder
		truth=$(recorded_span_ns "$WORK/slow.reel")
		"$BLKREEL" -q profile --seeds 0 "$WORK/fast.reel" -o "$WORK/fast.profile" ||
			die "no profile of $WORK/fast.reel"
		for mode in dependent timed profile; do
			local source=$WORK/fast.reel how=$mode
			[ "$mode" != profile ] || source=$WORK/fast.profile how=dependent
			slowly "$BLKREEL" replay "$source" --target "$DISK" --mode "$how" --json \
				>"$WORK/replay.json"
			sample "predict.$mode.error_pct" "$(json "$WORK/replay.json" \
				"100 * abs(d['duration_ns'] / $truth - 1)")"
		done
	done
	row "replay, dependent: error of the run time on a slow device (peer: open loop)" % \
		predict.dependent.error_pct predict.timed.error_pct "<=10"
	row "replay, dependent, of the profile: error of the run time on a slow device (peer: the trace)" % \
		predict.profile.error_pct predict.dependent.error_pct "<=10"
}

bench_timed() {
	local pair
	say "timed replay: $TIMED_SECONDS s at ${TIMED_SPEED}x, $REPLAY_PAIRS times five players of $((TIMED_SECONDS / TIMED_SPEED)) s each"
	prepare_timed
	for ((pair = 0; pair < REPLAY_PAIRS; pair++)); do
		own_once timed "$pair" "$TIMED_SPEED" blkreel fio awake
	done
	row "replay, timed: lateness p50 (peer: fio read_iolog)" us timed.blkreel.p50_ns*0.001 \
		timed.fio.p50_ns*0.001 "ratio<=1"
	row "replay, timed: lateness p99 (peer: fio read_iolog)" us timed.blkreel.p99_ns*0.001 \
		timed.fio.p99_ns*0.001 "ratio<=1"
	own_rows timed "$TIMED_SPEED" timed.fio.gap_error_p50_ns*0.001
	row "replay, timed: longer than intended (peer: fio read_iolog)" % \
		timed.blkreel.stretch_pct timed.fio.stretch_pct ""
	row "replay, timed: IOs not seen at the device (peer: fio)" IOs timed.blkreel.missing \
		timed.fio.missing "<=0"
	bench_dense
}

# user_seconds COMMAND...: runs it, its user CPU time goes to $WORK/user.
user_seconds() {
	local TIMEFORMAT=%U
	{ time "$@" 2>"$WORK/err"; } 2>"$WORK/user" || die "$1 failed: $(tail -n 1 "$WORK/err")"
}

play_asap() {
	local before=$1 player=$2 ios
	case $player in
	blkreel)
		user_seconds "$BLKREEL" replay "$WORK/block.reel" --target "$DISK" --mode asap \
			--iodepth 32 --reads-only --json >"$WORK/replay.json"
		sample asap.blkreel "$(json "$WORK/replay.json" "d['iops']")"
		ios=$(json "$WORK/replay.json" "d['completed']")
		sample asap.process_ns "$(json "$WORK/replay.json" "$(cat "$WORK/user") * 1e9 / $ios")"
		;;
	bare)
		ios=$(json "$WORK/replay.json" "d['completed']")
		"$BUILD/bench/bare_uring" "$DISK" 4096 "$ios" 32 >"$WORK/bare" || die "bare_uring failed"
		sample asap.bare "$(cut -d' ' -f1 "$WORK/bare")"
		;;
	iolog)
		user_seconds fio_iolog "$WORK/asap.iolog" --iodepth=32 --replay_no_stall=1
		sample asap.iolog "$(json "$WORK/fio.json" "d['jobs'][0]['read']['iops']")"
		ios=$(json "$WORK/fio.json" "d['jobs'][0]['read']['total_ios']")
		sample asap.iolog_ns "$(json "$WORK/fio.json" "$(cat "$WORK/user") * 1e9 / $ios")"
		;;
	randread)
		run_workload block
		sample asap.randread "$(json "$WORK/fio.json" "d['jobs'][0]['read']['iops']")"
		ios=$(json "$WORK/fio.json" "d['jobs'][0]['read']['total_ios']")
		;;
	esac
	before=$(($(kernel_ios "$DISK") - before))
	[ "$before" = "$ios" ] || die "$player reports $ios IOs, the kernel counted $before"
}

# The kernel divides CPU time between user and system by samples of its timer, 250 a second: a run of two seconds is
# far too short to see a difference of a tenth.
# submitter_once PLAYER
submitter_once() {
	case $1 in
	blkreel)
		"$BLKREEL" replay "$WORK/block.reel" --target "$DISK" --mode asap --iodepth 32 \
			--loop "$ASAP_ROUNDS" --reads-only --json >"$WORK/replay.json"
		sample asap.user_ns "$(json "$WORK/replay.json" "d['cpu_user_ns'] / d['completed']")"
		sample asap.thread_ns "$(json "$WORK/replay.json" \
			"(d['cpu_user_ns'] + d['cpu_system_ns']) / d['completed']")"
		;;
	bare)
		"$BUILD/bench/bare_uring" "$DISK" 4096 "$(json "$WORK/replay.json" "d['completed']")" 32 \
			>"$WORK/bare" || die "bare_uring failed"
		sample asap.bare_user_ns "$(cut -d' ' -f2 "$WORK/bare")"
		sample asap.bare_thread_ns "$(awk '{print $2 + $3}' "$WORK/bare")"
		;;
	esac
}

bench_asap() {
	local pair player
	say "replay as fast as possible, depth 32"
	need_recording
	{
		printf 'fio version 3 iolog\n0 %s add\n0 %s open\n' "$DISK" "$DISK"
		"$BUILD/bench/bench_trace" csv "$WORK/block.reel" |
			awk -F, -v disk="$DISK" '{printf "0 %s read %d %d\n", disk, $4 * 512, $5}'
		echo "0 $DISK close"
	} >"$WORK/asap.iolog"
	for ((pair = 0; pair < PAIRS; pair++)); do
		for player in blkreel $(rotate "$pair" bare iolog randread); do
			play_asap "$(kernel_ios "$DISK")" "$player"
		done
		submitter_once blkreel
		submitter_once bare
	done
	row "replay, asap (peer: a bare io_uring loop)" "k IOPS" asap.blkreel*0.001 asap.bare*0.001 \
		"ratio>=0.9"
	row "replay, asap: user CPU per IO, submitting thread (peer: the bare loop)" us \
		asap.user_ns*0.001 asap.bare_user_ns*0.001 "<=0.12"
	row "replay, asap: user and system CPU per IO, submitting thread (peer: the bare loop)" us \
		asap.thread_ns*0.001 asap.bare_thread_ns*0.001 ""
	row "replay, asap: user CPU per IO, whole process (peer: fio read_iolog, no stall)" us \
		asap.process_ns*0.001 asap.iolog_ns*0.001 "ratio<=0.5"
	row "replay, asap (peer: fio read_iolog, no stall)" "k IOPS" asap.blkreel*0.001 \
		asap.iolog*0.001 "ratio>=2"
	row "replay, asap (peer: fio randread)" "k IOPS" asap.blkreel*0.001 asap.randread*0.001 \
		"ratio>=1"
}
