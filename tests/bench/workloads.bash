# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Records everyday programs on a small file system; profiles are judged by these traces. TREE_DISK is a
# device of 2 GiB, MOUNT its mount point, TRACES the folder of the traces. Existing traces are reused.

TREE_DISK='' MOUNT='' TRACES=''

# Drops the page cache of the file system at $MOUNT.
cold() {
	sync -f "$MOUNT"
	umount "$MOUNT"
	mount "$TREE_DISK" "$MOUNT"
}

# keep_trace NAME COMMAND...: records the disk while the command runs, if the program is installed.
keep_trace() {
	local name=$1
	shift
	[ ! -e "$TRACES/$name.reel" ] || return 0
	command -v "$1" >/dev/null || declare -F "$1" >/dev/null || return 0
	say "profiles: recording $name"
	timeout 120 "$BLKREEL" -q record -d "$TREE_DISK" -o "$TRACES/$name.reel" -- "$@" \
		>"$WORK/out" 2>"$WORK/err" ||
		say "profiles: $name ended with $?: $(tail -n 1 "$WORK/err")"
}

shell_in_tree() {
	(cd "$MOUNT" && bash -euo pipefail -c "$1")
}

# tree NAME COMMANDS: records a shell in the file system, with a cold cache and a sync at the end.
tree() {
	[ ! -e "$TRACES/$1.reel" ] || return 0
	cold
	export -f shell_in_tree
	export MOUNT
	keep_trace "$1" bash -c "shell_in_tree '$2; sync -f .'"
}

job() {
	local name=$1
	shift
	keep_trace "fio-$name" fio --name="$name" --filename="$TREE_DISK" --size=400M --offset=600M \
		--ioengine=io_uring --direct=1 --output-format=terse --time_based \
		--randrepeat=1 --runtime=8 "$@"
}

# A few thousand small files of this system, and a large one.
make_tree() {
	mkdir -p "$MOUNT/tree"
	find /usr/include /usr/share/doc /usr/lib/python3* -type f -size -64k 2>/dev/null |
		sort >"$WORK/names"
	head -n 9000 "$WORK/names" | tar cf - -P -T - | tar xf - -C "$MOUNT/tree"
	head -c 60M /dev/urandom >"$MOUNT/large"
}

record_fio() {
	job rand-read --rw=randread --bs=4k --iodepth=8 --rate_iops=900 --rate_process=poisson
	job rand-even --rw=randread --bs=4k --iodepth=1 --rate_iops=250
	job mixed --rw=randrw --rwmixread=70 --bssplit=4k/60:8k/20:64k/20 --iodepth=4 --rate_iops=400,200
	job zipf --rw=randread --bs=4k --random_distribution=zipf:1.1 --iodepth=4 --thinktime=500
	job seq-read --rw=read --bs=128k --iodepth=1 --rate=40m
	job seq-write --rw=write --bs=256k --iodepth=2 --rate=30m
	job log-writer --rw=write --bs=4k --fdatasync=1 --thinktime=2000
	job loop-scan --rw=read --bs=64k --size=24M --iodepth=1 --thinktime=1500
	job bursts --rw=randwrite --bs=4k --iodepth=32 --thinktime=300000 --thinktime_blocks=200
	job four --rw=randread --bs=16k --numjobs=4 --thinktime=4000
	job short --rw=randrw --bs=4k --iodepth=1 --thinktime=3000 --runtime=1
}

# Files and databases in the file system.
record_files() {
	tree tar "tar cf /dev/null tree >/dev/null; tar cf - tree | wc -c"
	tree grep "grep -r unlikely tree | wc -l || true"
	tree find "find . -type f -printf %s | wc -c"
	tree copy "cp -a tree copy"
	tree untar "tar cf - -C / usr/include | tar xf - -C ."
	tree delete "rm -rf copy usr"
	tree dd-write "dd if=/dev/zero of=zero bs=1M count=150 conv=fsync"
	tree dd-read "dd if=large of=/dev/null bs=1M"
	tree sqlite "sqlite3 s.db \"create table t(a,b,c); create index i on t(b);\"; for i in \$(seq 250); do echo \"insert into t select value, abs(random())%5000, hex(randomblob(80)) from generate_series(1,20); select count(*) from t where b<\$i;\"; done | sqlite3 s.db"
	tree git "git init -q g; cd g; cp -a ../tree .; git add -A; git -c user.name=a -c user.email=a@b commit -qm a; git gc -q --prune=now; git status | tail -n 1"
	tree compile "mkdir -p c; for i in \$(seq 60); do echo \"#include <stdio.h>
#include <stdlib.h>
int f\$i(void){return printf(\\\"x\\\");}\" > c/\$i.c; gcc -O1 -c c/\$i.c -o c/\$i.o; done"
	tree appends "for i in \$(seq 400); do echo line \$i >> log; sync log; sleep 0.01; done"
	tree postgres "chmod 755 .; b=\$(echo /usr/lib/postgresql/*/bin); [ -x \$b/initdb ]; mkdir pg; chown postgres pg; run() { setpriv --reuid postgres --clear-groups \"\$@\"; }; run \$b/initdb -D pg >/dev/null; run \$b/pg_ctl -w -D pg -o \"-k /tmp -p 54329 -c listen_addresses=\" start >/dev/null; run pgbench -h /tmp -p 54329 -i -q -s 4 postgres; run pgbench -h /tmp -p 54329 -c 4 -R 150 -T 10 postgres; run \$b/pg_ctl -w -D pg stop"
	tree timers "for i in \$(seq 300); do dd if=/dev/zero of=beat bs=4k count=1 conv=fsync 2>&1; sleep 0.02; done"
}

# All of them, on a new device.
record_workloads() {
	make_loop 2G
	TREE_DISK=$LOOP
	MOUNT=$WORK/tree
	mkdir -p "$MOUNT"
	chmod 711 "$WORK" # the database is not root
	mkfs.ext4 -q "$TREE_DISK"
	mount "$TREE_DISK" "$MOUNT"
	make_tree
	record_files
	umount "$MOUNT"
	record_fio
	keep_trace mkfs mkfs.ext4 -qF "$TREE_DISK"
}

# cut_trace FROM TO OPTION...: writes a part of a trace as a trace.
cut_trace() {
	local from=$TRACES/$1.reel to=$TRACES/$2.reel
	shift 2
	[ ! -e "$from" ] || [ -e "$to" ] || "$BLKREEL" -q copy "$from" -o "$to" "$@"
}

# Imports the logs that exist.
import_logs() {
	[ ! -e "$LOAD_LOG" ] || [ -e "$TRACES/web.reel" ] ||
		"$BLKREEL" -q import --from blkreplay --dedup "$LOAD_LOG" -o "$TRACES/web.reel"
	[ ! -e "$MYSQL_LOG" ] || [ -e "$TRACES/mysql.reel" ] ||
		"$BLKREEL" -q import --from blkreplay --dedup "$MYSQL_LOG" -o "$TRACES/mysql.reel"
}

# The logs, and parts cut out of them.
import_samples() {
	local name
	import_logs
	for name in web mysql; do
		cut_trace "$name" "$name-first-half" --to 30m
		cut_trace "$name" "$name-5min" --from 20m --to 25m
		cut_trace "$name" "$name-1min" --from 41m --to 42m
		cut_trace "$name" "$name-reads" --op read
		cut_trace "$name" "$name-writes" --op write
	done
}

# Traces of the built-in models.
generate_models() {
	local model
	for model in oltp snia-65-35 snia-5-95 mail backup seq-read rand-read; do
		[ -e "$TRACES/model-$model.reel" ] ||
			"$BLKREEL" -q profile generate "$model" --seed 77 -o "$TRACES/model-$model.reel"
	done
	[ -e "$TRACES/model-web-3h.reel" ] ||
		"$BLKREEL" -q profile generate web --seed 77 --duration 3h -o "$TRACES/model-web-3h.reel"
}
