# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The times of system calls by kind, of record --files, beside a plain bpftrace script that watches the same run.

# watched NAME COMMAND...: prints a line for each kind of call.
watched() {
	local name=$1 watcher
	shift
	bpftrace "$WORK/calls.bt" >"$WORK/calls.out" 2>"$WORK/calls.err" &
	watcher=$!
	for _ in $(seq 100); do
		! grep -q Attach "$WORK/calls.out" || break
		sleep 0.1
	done
	sleep 1.5
	# shellcheck disable=SC2016
	"$BLKREEL" record --files -d "$LOOP" -o "$WORK/calls.reel" -- bash -c \
		'"$0" "$1" 20000 nothing >/dev/null && shift && "$@"' "$WORK/waitnone" "$WORK/mnt/file" "$@" \
		>"$WORK/out" 2>"$WORK/err" ||
		die "$name failed: $(tail -n 1 "$WORK/err")"
	kill -INT "$watcher"
	wait "$watcher" || die "bpftrace: $(tail -n 1 "$WORK/calls.err")"
	"$BLKREEL" explain --json "$WORK/calls.reel" >"$WORK/calls.json"
	python3 "$HERE/call_times.py" "$name" "$WORK/calls.json" "$WORK/calls.out"
}

# etcd-like: a log to which each transaction appends 8 KiB.
append_and_sync() {
	python3 -c '
import os, sys
fd = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND)
for i in range(2000):
    os.write(fd, b"x" * 8192)
    os.fdatasync(fd)' "$1"
}

watch_fio() {
	local engine
	cp "$(command -v fio)" "$WORK/waitfio" # calls.bt knows it by this name
	for engine in libaio io_uring; do
		watched "fio $engine" "$WORK/waitfio" --name=a --filename="$WORK/mnt/file" --size=64M --rw=randrw \
			--bs=4k --direct=1 --ioengine="$engine" --iodepth=16 --io_size=100M --output="$WORK/fio.out"
	done
}

watch_postgres() {
	find_postgres || return 0
	PROGRAM_FOLDER=$WORK/mnt/postgres
	mkdir "$PROGRAM_FOLDER"
	chmod 755 "$WORK"
	prepare_program postgres_4_5
	start_server
	watched pgbench setpriv --reuid postgres --regid postgres --clear-groups \
		"$POSTGRES/pgbench" -h "$PROGRAM_FOLDER" -c 4 -T 5 postgres
	stop_server
}

bench_wait_truth() {
	local device repository
	export -f append_and_sync
	say "the times of calls by kind, of record --files and of a bpftrace script in the same run"
	make_loop 1G
	mkfs.ext4 -q "$LOOP"
	mkdir -p "$WORK/mnt"
	mount "$LOOP" "$WORK/mnt"
	device=$(stat -c %d "$WORK/mnt")
	sed "s/DEVICE/$(((device >> 8 & 0xfff) << 20 | (device & 0xff)))/" "$HERE/calls.bt" >"$WORK/calls.bt"
	dd if=/dev/urandom of="$WORK/mnt/file" bs=1M count=64 status=none
	cp "$BUILD/bench/read_calls" "$WORK/waitnone" # calls.bt knows it by this name
	echo "program kind calls calls_other s s_other difference_pct probes_ns difference_without_probes_pct" | tr ' ' '\t'
	watched appender bash -c "append_and_sync $WORK/mnt/log"
	if command -v sqlite3 >/dev/null; then
		PROGRAM_FOLDER=$WORK/mnt
		prepare_program sqlite_wal
		insert_rows 2000 >"$WORK/insert.sql"
		watched "SQLite, WAL" bash -c "sqlite3 $WORK/mnt/db <$WORK/insert.sql"
	fi
	watch_fio
	watch_postgres
	cp -r userspace "$WORK/mnt/tree"
	dd if=/dev/urandom of="$WORK/mnt/tree/large" bs=1M count=100 status=none
	watched cp cp -r "$WORK/mnt/tree" "$WORK/mnt/copy"
	repository=$WORK/mnt/repository
	git init -q "$repository"
	cp -r userspace "$repository"
	git -C "$repository" add -A
	git -C "$repository" -c user.name=a -c user.email=a@example.org commit -qm all
	watched "git gc" git -C "$repository" gc -q
	umount "$WORK/mnt"
}
