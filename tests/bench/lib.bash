# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by the parts of tests/bench/run: devices, samples, the programs under test.

WORK='' LOOP='' RECORDER='' LOAD='' BPF_STATS_BEFORE=''
LOOPS=()

die() {
	echo "bench: $*" >&2
	exit 1
}

say() {
	echo "bench: $*" >&2
}

check_needs() {
	local command number
	[ "$(id -u)" = 0 ] || die "needs root: it attaches probes and makes loop devices (sudo make bench)"
	[ -e /dev/loop-control ] || die "needs loop devices (modprobe loop)"
	for command in fio losetup mkfs.ext4 python3 zstd awk bpftool sysctl taskset perf bpftrace; do
		command -v "$command" >/dev/null || die "needs the command $command (make deps)"
	done
	[ -x "$BLKREEL" ] || die "$BLKREEL is not there: run 'make tests', or set BUILD"
	for number in "$PAIRS" "$REPLAY_PAIRS" "$RUN_SECONDS"; do
		[[ $number =~ ^[1-9][0-9]{0,2}$ ]] ||
			die "BENCH_PAIRS, BENCH_REPLAY_PAIRS and BENCH_SECONDS are numbers from 1 to 999"
	done
}

build_helpers() {
	local name libs
	mkdir -p "$BUILD/bench"
	read -ra libs < <(pkg-config --libs libdeflate libzstd jansson libsodium inih)
	for name in bench_trace bench_generate load_to_reel; do
		"${CC:-gcc}" -O2 -g -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-unused-parameter \
			-Iuserspace -o "$BUILD/bench/$name" "$HERE/$name.c" \
			"$BUILD/libblkreel.a" "${libs[@]}" -lm
	done
	"${CC:-gcc}" -O2 -g -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -o "$BUILD/bench/bare_uring" \
		"$HERE/bare_uring.c" -luring
	for name in read_calls stack_distances; do
		"${CC:-gcc}" -O2 -g -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -o "$BUILD/bench/$name" "$HERE/$name.c"
	done
	"${CC:-gcc}" -O2 -g -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -o "$BUILD/bench/empty_programs" \
		"$HERE/empty_programs.c" -l:libbpf.a -lelf -lz -lzstd
	"${CC:-gcc}" -O2 -g -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -o "$BUILD/bench/slow_disk" \
		"$HERE/../helpers/slow_disk.c"
}

clean_up() {
	local entry
	trap '' INT TERM
	[ -z "$RECORDER" ] || kill -TERM "$RECORDER" 2>/dev/null || true
	end_program
	! declare -F end_profile_disk >/dev/null || end_profile_disk
	! declare -F end_blame_disk >/dev/null || end_blame_disk || true
	[ -z "$LOAD" ] || kill -KILL "$LOAD" 2>/dev/null || true
	wait || true
	[ -z "$BPF_STATS_BEFORE" ] ||
		sysctl -qw "kernel.bpf_stats_enabled=$BPF_STATS_BEFORE" || true
	for entry in "${LOOPS[@]}"; do
		umount -q "$entry" || true
		# A loop device keeps the settings of its last use.
		echo 0 >"/sys/block/${entry#/dev/}/queue/nomerges" || true
		losetup -d "$entry" || true
	done
	[ -z "${SLOW:-}" ] || rmdir "$SLOW" || true
	[ -z "$WORK" ] || rm -rf "$WORK"
}

# make_loop SIZE: sets LOOP to a new loop device over a file in memory.
make_loop() {
	local file=$WORK/disk-${#LOOPS[@]}
	truncate -s "$1" "$file"
	LOOP=$(losetup --find --show "$file")
	LOOPS+=("$LOOP")
}

# Writes the whole device, so that no read meets a hole of the file under it.
fill() {
	fio --name=fill --filename="$1" --rw=write --bs=1M --direct=1 --ioengine=io_uring \
		--iodepth=4 --output-format=terse >/dev/null
}

# start_slow_disk BACKING MOUNT READ_US WRITE_US FLUSH_US [AT_ONCE]: mounts MOUNT, a new file; ends when MOUNT is unmounted.
start_slow_disk() {
	local ready
	: >"$2"
	exec {ready}< <(exec "$BUILD/bench/slow_disk" "$@")
	read -r -t 20 -u "$ready" _ || die "slow_disk did not start"
	exec {ready}<&-
}

# The kernel's own count of finished reads and writes of a disk.
kernel_ios() {
	awk '{print $1 + $5}' "/sys/block/${1#/dev/}/stat"
}

# sample KEY VALUE: stores one measurement.
sample() {
	printf '%s\t%s\n' "$1" "$2" >>"$WORK/samples"
}

# row WHAT UNIT OURS PEER TARGET: a line of the table. OURS and PEER are "KEY", "KEY*NUMBER" or
# "KEY/KEY*NUMBER", sample by sample. TARGET: "<=N" or ">=N" for ours, "ratio<=N" or "ratio>=N"
# for ours / peer, "ratio~N" where ours / peer may be at most as far from 1 as N, or nothing.
row() {
	(
		IFS=$'\t'
		printf '%s\n' "$*"
	) >>"$WORK/table"
}

# rotate N NAME...: the names, the first N moved to the end: another one is first each time.
rotate() {
	local count=$1
	shift
	local names=("$@") i
	for ((i = 0; i < $#; i++)); do
		echo "${names[(i + count) % $#]}"
	done
}

# json FILE EXPRESSION
json() {
	python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

# cpu_seconds COMMAND...: prints its user and system time; its output goes to $WORK/out.
cpu_seconds() {
	local TIMEFORMAT='%U %S'
	{ time "$@" >"$WORK/out" 2>"$WORK/err"; } 2>"$WORK/time" ||
		die "$1 failed: $(tail -n 1 "$WORK/err")"
	awk '{print $1 + $2}' "$WORK/time"
}

wait_for_file() {
	local i
	for ((i = 0; i < 200; i++)); do
		[ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -gt "$2" ] && return 0
		kill -0 "$RECORDER" 2>/dev/null || break
		sleep 0.05
	done
	die "the recorder did not start: $(tail -n 1 "$WORK/recorder.log")"
}

# wait_for_programs COUNT: until the recorder holds that many BPF programs.
wait_for_programs() {
	local i
	for ((i = 0; i < 200; i++)); do
		[ "$(cat "/proc/$RECORDER/fdinfo/"* 2>/dev/null | grep -c '^prog_id')" -lt "$1" ] || return 0
		kill -0 "$RECORDER" 2>/dev/null || break
		sleep 0.05
	done
	die "the recorder did not start: $(tail -n 1 "$WORK/recorder.log")"
}

# start_blkreel TRACE OPTION...: returns when the probes are attached: then the first block follows the
# head of the file.
start_blkreel() {
	local trace=$1
	shift
	rm -f "$trace"
	"$BLKREEL" record -o "$trace" "$@" 2>"$WORK/recorder.log" &
	RECORDER=$!
	wait_for_file "$trace" 32
}

stop_recorder() {
	kill -TERM "$RECORDER"
	wait "$RECORDER" || true
	RECORDER=
}

# ns of CPU of all threads of a process.
process_cpu_ns() {
	cat "/proc/$1/task/"*/schedstat | awk '{ns += $1} END {printf "%.0f\n", ns}'
}

process_peak_kib() {
	awk '/^VmHWM:/ {print $2}' "/proc/$1/status"
}
