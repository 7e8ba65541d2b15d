# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Blame of 20 mixes of 2 to 5 tasks on a disk of known latency, beside what the victim waits longer than alone, and
# beside replay --without of each of the others.

BLAME_US=${BENCH_BLAME_US:-8000} # of an IO of the disk
BLAME_READS=30                   # of the victim beside the others
BLAME_READS_ALONE=10             # and before them, as a recording of a day has them
BLAME_MIXES=${BENCH_BLAME_MIXES:-20}

# victim_reads FROM COUNT
victim_reads() {
	"$BLAME_NAMES/victim" if="$BLAME_DISK" of=/dev/null bs=4k skip="$1" count="$2" iflag=direct status=none
}

# run_mix [NAME HOW COUNT]...: COUNT processes of NAME read, or write, until the victim has read.
run_mix() {
	local name how count others=() i region=1
	victim_reads 0 "$BLAME_READS_ALONE"
	while [ $# -gt 0 ]; do
		name=$1 how=$2 count=$3
		shift 3
		for ((i = 0; i < count; i++)); do
			if [ "$how" = read ]; then
				"$BLAME_NAMES/$name" if="$BLAME_DISK" of=/dev/null bs=4k skip=$((region * 2048)) count=2000 \
					iflag=direct status=none &
			else
				"$BLAME_NAMES/$name" if=/dev/zero of="$BLAME_DISK" bs=4k seek=$((region * 2048)) count=2000 \
					oflag=direct conv=notrunc status=none &
			fi
			others+=($!)
			region=$((region + 1))
		done
	done
	sleep 0.3
	victim_reads "$BLAME_READS_ALONE" "$BLAME_READS"
	[ ${#others[@]} = 0 ] || kill "${others[@]}"
	wait
	return 0
}

# record_mix TRACE ARGUMENT...: of run_mix.
record_mix() {
	local trace=$1
	shift
	rm -f "$trace"
	"$BLKREEL" record --waits -d "$BLAME_DISK" -o "$trace" -- bash -c 'run_mix "$@"' mix "$@" 2>"$WORK/err" ||
		die "record: $(tail -n 1 "$WORK/err")"
	"$BLKREEL" explain --json "$trace" >"$trace.json" || [ $? = 5 ] || die "explain failed"
	"$BLKREEL" dump --rows io --format csv "$trace" >"$trace.csv"
}

# start_blame_disk AT_ONCE: sets BLAME_DISK.
start_blame_disk() {
	BLAME_SLOW=$WORK/blame.slow
	start_slow_disk "$WORK/blame.disk" "$BLAME_SLOW" "$BLAME_US" "$BLAME_US" "$BLAME_US" "$1"
	BLAME_DISK=$(losetup --find --show --direct-io=on "$BLAME_SLOW")
	echo none >"/sys/block/${BLAME_DISK#/dev/}/queue/scheduler"
}

end_blame_disk() {
	local i
	[ -n "${BLAME_DISK:-}" ] || return 0
	losetup -d "$BLAME_DISK"
	for ((i = 0; i < 100; i++)); do
		losetup "$BLAME_DISK" >/dev/null 2>&1 || break
		sleep 0.1
	done
	umount "$BLAME_SLOW"
	BLAME_DISK=''
}

# replay_without NAME: the mix. Again where another program has made a loop device meanwhile, which stops a replay.
replay_without() {
	local i
	for ((i = 0; i < 20; i++)); do
		rm -f "$WORK/$1.reel"
		! "$BLKREEL" replay "$WORK/mix" --target "$BLAME_DISK" --write --yes-destroy="$BLAME_DISK" --mode dependent \
			--without "task=$1" -o "$WORK/$1.reel" >"$WORK/out" 2>"$WORK/err" || return 0
		grep -q 'perhaps holds the data' "$WORK/err" || break
	done
	die "replay: $(tail -n 1 "$WORK/err")"
}

# mix_of NUMBER: prints "NAME HOW COUNT" of one to four others, whose counts differ by half at least.
mix_of() {
	python3 - "$1" <<-'END'
		import random, sys
		r = random.Random(int(sys.argv[1]))
		others = 1 + int(sys.argv[1]) % 4
		for name, count in zip("abcd", r.sample([1, 2, 3, 5], others)):
		    print("other_" + name, r.choice(["read", "write"]), count)
	END
}

# measure_mix NUMBER: prints a line and adds it to blame.all; fails where an event of the victim is missing.
measure_mix() {
	local mix=$1 name words others
	# Every fourth disk serves two at once.
	start_blame_disk $((mix % 4 == 3 ? 2 : 1))
	export BLAME_DISK BLAME_NAMES BLAME_READS BLAME_READS_ALONE
	export -f run_mix victim_reads
	words=$(mix_of "$mix")
	record_mix "$WORK/alone"
	# shellcheck disable=SC2086 # a list
	record_mix "$WORK/mix" $words
	others=$(awk '{print $1}' <<<"$words")
	for name in $others; do
		replay_without "$name"
		"$BLKREEL" dump --rows io --format csv "$WORK/$name.reel" >"$WORK/$name.csv"
	done
	end_blame_disk
	# shellcheck disable=SC2086 # a list
	python3 "$HERE/blame_mix.py" "$WORK" $others >"$WORK/blame.out" || return 1
	tee -a "$WORK/blame.all" <"$WORK/blame.out"
}

# measure_mix_patiently NUMBER: five times at most.
measure_mix_patiently() {
	local i
	for ((i = 0; i < 5; i++)); do
		! measure_mix "$1" || return 0
	done
	die "mix $1 cannot be measured: the kernel left out an event of the victim in each of $i recordings"
}

bench_blame() {
	local mix name
	BLAME_NAMES=$WORK/names
	mkdir "$BLAME_NAMES"
	for name in victim other_a other_b other_c other_d; do cp "$(command -v dd)" "$BLAME_NAMES/$name"; done
	truncate -s 256M "$WORK/blame.disk"
	say "blame of $BLAME_MIXES mixes on a disk of $BLAME_US us an IO"
	for ((mix = 0; mix < BLAME_MIXES; mix++)); do
		measure_mix_patiently "$mix"
	done
	python3 "$HERE/blame_mix.py" --summary "$WORK/blame.all"
}
