#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A copy inside the kernel (copy_file_range) of a cached file: it sleeps to write, and waits for no page.
# bats file_tags=root

load test_helper
load helpers/slow_disk

setup() {
	need_loop
	need_probes
	need_figure waits exact bounded
	need_figure cache_waits exact bounded
	TRACE=$BATS_TEST_TMPDIR/t.reel
	# copy.py FOLDER SECONDS SYNCS: copies table; beside it another task syncs a file if SYNCS is 1.
	cat >"$BATS_TEST_TMPDIR/copy.py" <<-'END'
		import os, sys, threading, time
		folder, is_over = sys.argv[1], False
		def sync():
		    fd = os.open(folder + "/log", os.O_WRONLY)
		    while not is_over:
		        os.pwrite(fd, b"x" * 4096, 0)
		        os.fsync(fd)
		syncing = threading.Thread(target=sync)
		if sys.argv[3] == "1":
		    syncing.start()
		table, copy = os.open(folder + "/table", os.O_RDONLY), os.open(folder + "/copy", os.O_WRONLY)
		end = time.monotonic() + float(sys.argv[2])
		while time.monotonic() < end:
		    for offset in range(0, 8 << 20, 65536):
		        os.copy_file_range(table, copy, 65536, offset, offset)
		is_over = True
	END
}

teardown() {
	if [ -e "$BATS_TEST_TMPDIR/bdi" ]; then
		echo 0 >"$(cat "$BATS_TEST_TMPDIR/bdi")/strict_limit" || true
		echo 100 >"$(cat "$BATS_TEST_TMPDIR/bdi")/max_ratio" || true
	fi
	remove_slow_loops
	clean_up
}

# copied CAUSE SECONDS SYNCS: the copy waited for CAUSE, and for no page of the file that it read.
copied() {
	"$BLKREEL" record --waits --cache -d "$LOOP" -o "$TRACE" -- python3 "$BATS_TEST_TMPDIR/copy.py" "$MNT" "$2" "$3"
	"$BLKREEL" dump --rows cache --format csv "$TRACE" >"$BATS_TEST_TMPDIR/cache.csv"
	"$BLKREEL" explain --json "$TRACE" >"$BATS_TEST_TMPDIR/e.json"
	python3 - "$BATS_TEST_TMPDIR" "$1" <<-'END'
		import csv, json, sys
		folder, cause = sys.argv[1:]
		told = json.load(open(folder + "/e.json"))
		slept = sum(c["ns"] for t in told["waits"]["tasks"] for call in t["calls"] if call["kind"] == "splice"
		            for c in call["causes"] if c["cause"] == cause)
		rows = [r for r in csv.DictReader(open(folder + "/cache.csv")) if r["file"].endswith("/table")]
		pages, waits, wait_ns = (sum(int(r[k]) for r in rows) for k in ("read_pages", "waits", "wait_ns"))
		print(f"slept {slept} ns for {cause}; {pages} pages read, {waits} waits of {wait_ns} ns", told["verdict"])
		assert pages > 0 and slept > 0
		assert waits == 0
		assert "Readers slept" not in told["verdict"]
	END
}

@test "a copy that sleeps for the journal" {
	make_slow_loop 256M 100 10000 0 2
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$LOOP"
	MNT=$BATS_TEST_TMPDIR/mnt
	mkdir -p "$MNT"
	mount "$LOOP" "$MNT"
	make_file table 8
	cp "$MNT/table" "$MNT/copy"
	echo >"$MNT/log"
	sync -f "$MNT"
	copied journal 3 1
}

@test "a copy that sleeps at the limit of dirty pages" {
	local bdi
	mount_ext4 300M
	make_file table 8
	cp "$MNT/table" "$MNT/copy"
	sync -f "$MNT"
	bdi=/sys/class/bdi/$(cat "/sys/block/$(basename "$LOOP")/dev")
	{ [ -e "$bdi/strict_limit" ] && [ -e "$bdi/max_bytes" ]; } || skip "needs a limit of dirty pages per device (Linux 6.2)"
	echo "$bdi" >"$BATS_TEST_TMPDIR/bdi"
	echo 1 >"$bdi/strict_limit"
	echo 2097152 >"$bdi/max_bytes"
	copied dirty_throttle 2 0
}
