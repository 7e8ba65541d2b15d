# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Programs that wait for their device are recorded on a fast one and predicted for a slow one: SQLite
# and PostgreSQL on ext4, on a loop device over a file in memory, with and without slow_disk between.

PROGRAM_READ_US=2000
PROGRAM_WRITE_US=3000
PROGRAM_FLUSH_US=5000
PROGRAM_LOOP='' PROGRAM_FOLDER='' PROGRAM_DISK='' PROGRAM_SERVER='' POSTGRES=''

# find_postgres: sets POSTGRES to the folder of its programs; in Debian it is not in PATH.
find_postgres() {
	local initdb
	for initdb in "$(command -v initdb)" /usr/lib/postgresql/*/bin/initdb; do
		[ ! -x "$initdb" ] || POSTGRES=${initdb%/*}
	done
	[ -x "$POSTGRES/pgbench" ] && id postgres >/dev/null 2>&1
}

as_postgres() {
	setpriv --reuid postgres --regid postgres --clear-groups "$@"
}

start_server() {
	PROGRAM_SERVER=1
	as_postgres "$POSTGRES/pg_ctl" -w -D "$PROGRAM_FOLDER/cluster" -l "$PROGRAM_FOLDER/server.log" \
		-o "-k $PROGRAM_FOLDER -c listen_addresses= -c shared_buffers=64MB" start >/dev/null
}

stop_server() {
	[ -z "$PROGRAM_SERVER" ] ||
		as_postgres "$POSTGRES/pg_ctl" -w -m fast -D "$PROGRAM_FOLDER/cluster" stop >/dev/null
	PROGRAM_SERVER=
}

# insert_rows COUNT: prints so many transactions of one row.
insert_rows() {
	awk -v n="$1" 'BEGIN { while (n--) print "insert into t(b) values (hex(randomblob(300)));" }'
}

prepare_program() {
	case $1 in
	sqlite_*)
		sqlite3 "$PROGRAM_FOLDER/db" "create table t(a integer primary key, b text);"
		[ "$1" != sqlite_wal ] || sqlite3 "$PROGRAM_FOLDER/db" "pragma journal_mode=wal;" >/dev/null
		;;
	postgres_*)
		chown postgres "$PROGRAM_FOLDER"
		as_postgres "$POSTGRES/initdb" -A trust -D "$PROGRAM_FOLDER/cluster" >/dev/null
		start_server
		as_postgres "$POSTGRES/pgbench" -h "$PROGRAM_FOLDER" -i -q -s "${1##*_}" postgres >/dev/null 2>&1
		stop_server
		;;
	esac
}

run_program() {
	local clients=${1#postgres_}
	clients=${clients%_*}
	case $1 in
	sqlite_journal) insert_rows 150 | sqlite3 "$PROGRAM_FOLDER/db" ;;
	sqlite_wal) insert_rows 250 | sqlite3 -cmd "pragma synchronous=full" "$PROGRAM_FOLDER/db" ;;
	postgres_*)
		as_postgres "$POSTGRES/pgbench" -h "$PROGRAM_FOLDER" -n -c "$clients" -j 1 \
			-t $((400 / clients)) postgres >"$WORK/out" 2>&1
		;;
	esac
}

# Sets PROGRAM_LOOP to a device with a copy of $WORK/program.first.
attach_fast() {
	cp --sparse=always "$WORK/program.first" "$WORK/program.disk"
	PROGRAM_LOOP=$(losetup --find --show "$WORK/program.disk")
}

attach_slow() {
	cp --sparse=always "$WORK/program.first" "$WORK/program.disk"
	start_slow_disk "$WORK/program.disk" "$WORK/slow.disk" \
		"$PROGRAM_READ_US" "$PROGRAM_WRITE_US" "$PROGRAM_FLUSH_US"
	PROGRAM_DISK=$WORK/slow.disk
	PROGRAM_LOOP=$(losetup --find --show --direct-io=on "$PROGRAM_DISK")
}

detach_program() {
	[ -z "$PROGRAM_LOOP" ] || losetup -d "$PROGRAM_LOOP"
	PROGRAM_LOOP=
	[ -z "$PROGRAM_DISK" ] || umount "$PROGRAM_DISK"
	PROGRAM_DISK=
}

mount_program() {
	mount "$PROGRAM_LOOP" "$PROGRAM_FOLDER"
	case $1 in postgres_*) start_server ;; esac
	sync -f "$PROGRAM_FOLDER"
}

# A server that has reported its end may still use its folder for a moment.
unmount_program() {
	local i
	stop_server
	for ((i = 0; i < 100; i++)); do
		umount -q "$PROGRAM_FOLDER" && return
		sleep 0.1
	done
	die "$PROGRAM_FOLDER cannot be unmounted"
}

# Works in any state.
end_program() {
	stop_server || true
	! mountpoint -q "$PROGRAM_FOLDER" || (unmount_program) || true
	detach_program || true
}

# run_ns PROGRAM: prints its run time on the attached device.
run_ns() {
	local start end
	start=$(date +%s%N)
	run_program "$1" || die "$1 failed: $(tail -n 1 "$WORK/out")"
	end=$(date +%s%N)
	echo $((end - start))
}

# Makes $WORK/program.first, the initial content of the program's disk.
first_disk() {
	rm -f "$WORK/program.first"
	truncate -s 512M "$WORK/program.first"
	mkfs.ext4 -q -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 "$WORK/program.first"
	attach_fast
	mount "$PROGRAM_LOOP" "$PROGRAM_FOLDER"
	prepare_program "$1"
	unmount_program
	detach_program
	mv "$WORK/program.disk" "$WORK/program.first"
}

record_program() {
	attach_fast
	mount_program "$1"
	start_blkreel "$WORK/program.reel" -d "$PROGRAM_LOOP"
	run_ns "$1" >"$WORK/fast.ns"
	stop_recorder
	unmount_program
	detach_program
}

predict_program() {
	local mode=$2 truth=$3
	attach_slow
	wipefs -qa "$PROGRAM_LOOP"
	"$BLKREEL" replay "$WORK/program.reel" --target "$PROGRAM_LOOP" --mode "$mode" --json --write \
		--yes-destroy="$PROGRAM_LOOP" >"$WORK/replay.json" || die "the replay of $1 failed"
	detach_program
	sample "program.$1.$mode" "$(json "$WORK/replay.json" "100 * abs(d['duration_ns'] / $truth - 1)")"
	say "  $1, $mode: $(json "$WORK/replay.json" "round(d['duration_ns'] / 1e6)") ms," \
		"real run $((truth / 1000000)) ms, on the fast device $(($(cat "$WORK/fast.ns") / 1000000)) ms"
}

bench_program() {
	local program=$1 what=$2 target=$3 pair truth
	for ((pair = 0; pair < REPLAY_PAIRS; pair++)); do
		first_disk "$program"
		record_program "$program"
		attach_slow
		mount_program "$program"
		truth=$(run_ns "$program")
		unmount_program
		detach_program
		predict_program "$program" dependent "$truth"
		predict_program "$program" timed "$truth"
	done
	row "replay, dependent: error of the run time of $what (peer: open loop)" % \
		"program.$program.dependent" "program.$program.timed" "$target"
}

bench_programs() {
	if [ ! -c /dev/fuse ]; then
		say "no /dev/fuse: the programs on a slow disk are skipped"
		return
	fi
	say "replay, dependent: the run time of programs on a disk of $PROGRAM_READ_US us a read," \
		"$PROGRAM_WRITE_US us a write and $PROGRAM_FLUSH_US us a flush"
	chmod 711 "$WORK"
	PROGRAM_FOLDER=$WORK/program
	mkdir -p "$PROGRAM_FOLDER"
	bench_program sqlite_journal "SQLite" "<=10"
	bench_program sqlite_wal "SQLite with a write-ahead log" "<=10"
	if ! find_postgres; then
		say "no PostgreSQL (tools/install-deps --bench): skipped"
		return
	fi
	bench_program postgres_1_2 "PostgreSQL, 1 client" "<=10"
	bench_program postgres_4_2 "PostgreSQL, 4 clients" "<=10"
	bench_program postgres_8_10 "PostgreSQL, 8 clients, shared commits" ""
}
