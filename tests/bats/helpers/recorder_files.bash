# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Of tests of the files that one recorder of a loop device writes one after the other.

# Sets LOOP, DEVICE, OUT and ERRORS.
prepare_recorder() {
	make_loop 64M
	DEVICE=$(basename "$LOOP")
	OUT=$BATS_TEST_TMPDIR/out
	ERRORS=$BATS_TEST_TMPDIR/stderr
	RECORDER=
	mkdir -p "$OUT"
}

teardown() {
	local mount
	[ -z "$RECORDER" ] || kill -9 "$RECORDER" 2>/dev/null || true
	fsfreeze -u "$BATS_TEST_TMPDIR/below" 2>/dev/null || true
	# A loop device goes before what holds its file.
	[ ! -e "$BATS_TEST_TMPDIR/upper" ] || losetup -d "$(cat "$BATS_TEST_TMPDIR/upper")" 2>/dev/null || true
	for mount in below small mnt; do
		[ ! -d "$BATS_TEST_TMPDIR/$mount" ] || wait_until umounted "$BATS_TEST_TMPDIR/$mount" || true
	done
	clean_up
}

umounted() {
	umount "$1" 2>/dev/null || ! mountpoint -q "$1"
}

# start_on_loop OPTION...: a recorder of LOOP.
start_on_loop() {
	start_recorder "$BLKREEL" record -d "$LOOP" "$@"
}

# has_reported N: the recorder has reported N files as written.
has_reported() {
	[ "$(grep -c '\.reel: .* IOs\? in ' "$ERRORS")" = "$1" ]
}

# has_reported_at_least N: N files or more; on a slow machine two timed files can come at once.
has_reported_at_least() {
	[ "$(grep -c '\.reel: .* IOs\? in ' "$ERRORS")" -ge "$1" ]
}

# written_file NUMBER: the name of the NUMBER-th file that was reported as written.
written_file() {
	sed -n 's/^blkreel: \(.*\.reel\): .* IOs\? in .*/\1/p' "$ERRORS" | sed -n "$1p"
}

read_loop() {
	"$HELPERS/issue_io" read "$LOOP" "$1" 4096 >/dev/null
}

count_rows() {
	"$BLKREEL" dump "$1" --format csv | tail -n +2 | wc -l
}

info() {
	"$BLKREEL" info "$1" --json >"$BATS_TEST_TMPDIR/info.json"
	json "$BATS_TEST_TMPDIR/info.json" "$2"
}

explain() {
	"$BLKREEL" explain "$1" --json >"$BATS_TEST_TMPDIR/e.json"
	json "$BATS_TEST_TMPDIR/e.json" "$2"
}

# A whole trace that agrees with the kernel.
assert_good() {
	run -0 --separate-stderr "$BLKREEL" info --verify "$1"
	[[ $output == *"no problem"* ]]
	explain "$1" "d['devices'][0]['difference'], d['lost']"
	[ "$(explain "$1" "d['devices'][0]['agrees_with_kernel']")" = True ]
}

kernel_ios() {
	awk -v d="$DEVICE" '$3 == d { print $4 + $8 + $15 + $19 }' /proc/diskstats
}

# A loop device over a file whose file system is frozen does not finish a write: sets UPPER.
make_slow_loop() {
	need_command mkfs.ext4
	need_command fsfreeze
	mkfs.ext4 -q "$LOOP"
	mkdir "$BATS_TEST_TMPDIR/below"
	mount "$LOOP" "$BATS_TEST_TMPDIR/below"
	truncate -s 16M "$BATS_TEST_TMPDIR/below/disk"
	UPPER=$(new_loop "$BATS_TEST_TMPDIR/below/disk")
	echo "$UPPER" >"$BATS_TEST_TMPDIR/upper"
}

write_one_page() {
	dd if=/dev/zero of="$UPPER" bs=4k count=1 oflag=direct conv=notrunc status=none
}

# waits_of FILE COMM EXPRESSION: of the tasks of this name; times in s.
waits_of() {
	"$BLKREEL" explain "$1" --json >"$BATS_TEST_TMPDIR/e.json"
	python3 - "$BATS_TEST_TMPDIR/e.json" "$2" "$3" <<-'END'
		import json, sys
		d = json.load(open(sys.argv[1]))
		tasks = [t for t in d["waits"]["tasks"] if t["comm"] == sys.argv[2]]
		def total(rows, key):
		    return sum(row[key] for row in rows) / 1e9
		waited = total((c for t in tasks for c in t["causes"] if c["cause"] != "run_queue"), "ns")
		count = sum(c["count"] for t in tasks for c in t["calls"])
		duration, wall = d["duration_ns"] / 1e9, total(tasks, "wall_ns")
		parts = waited + sum(total(tasks, key) for key in ("cpu_ns", "run_queue_ns", "outside_ns", "unaccounted_ns"))
		adds_up = abs(wall - parts) <= 0.001 * wall
		print(f"waited {waited}, wall {wall}, parts {parts}, duration {duration}, calls {count}")
		sys.exit(not eval(sys.argv[3]))
	END
}
