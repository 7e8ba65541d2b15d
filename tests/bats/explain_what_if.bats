#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What explain predicts for a page cache of another size, compared with runs in memory groups of that size.
# bats file_tags=sanitized
# bats file_tags=root

# shellcheck disable=SC2034 # helpers/disturbance.bash says what this is
DISTURBED_BY="reclaim skip"
load test_helper

setup() {
	need_loop
	need_probes
	for figure in cache_demand_misses access_rows; do
		need_figure "$figure" exact bounded
	done
	! grep -qs '[1-9a-f]$' /sys/kernel/mm/lru_gen/enabled || skip "needs a kernel without MGLRU"
	mount_ext4 100M
	for file in one two; do
		dd if=/dev/zero of="$MNT/$file" bs=1M count=32 status=none
	done
}

# A load that still waits for its start keeps the file system and its group busy.
teardown() {
	local pid
	if [ -e "$BATS_TEST_TMPDIR/load" ]; then
		pid=$(cat "$BATS_TEST_TMPDIR/load")
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	fi
	clean_up
}

is_in_group() {
	grep -qx "$1" "$GROUP/cgroup.procs"
}

# run_load LIMIT-MIB RECORD-OPTION LOAD: with nothing cached, in a group of that size; recorded and explained
# as $LIMIT.json, with the pages that the device read in $LIMIT.device.
run_load() {
	local out=$BATS_TEST_TMPDIR/$1 pid before after
	limit_memory $(($1 << 20))
	remount
	mkfifo "$out.go"
	exec 5<>"$out.go"
	"$HELPERS/cache_load" "$GROUP" "$3" "$MNT/one" "$MNT/two" <&5 5<&- 3>&- &
	pid=$!
	echo "$pid" >"$BATS_TEST_TMPDIR/load"
	wait_until is_in_group "$pid"
	before=$(awk '{ print $3 }' "/sys/block/$(basename "$LOOP")/stat")
	# shellcheck disable=SC2016 # expanded by the shell that is recorded
	"$BLKREEL" record "$2" --pid "$pid" -d "$LOOP" --ring-size 16M -o "$out.reel" -- bash -c '
		echo >"$1"
		while [ -e "/proc/$2" ] && ! grep -q "^State:.*Z" "/proc/$2/status" 2>/dev/null; do sleep 0.05; done' \
		- "$out.go" "$pid" >/dev/null
	after=$(awk '{ print $3 }' "/sys/block/$(basename "$LOOP")/stat")
	wait "$pid"
	rm "$BATS_TEST_TMPDIR/load"
	exec 5<&-
	echo $(((after - before) / 8)) >"$out.device"
	"$BLKREEL" explain --json "$out.reel" >"$out.json"
}

# predicted LOAD: of runs in 8, 16 and 32 MiB the second one predicts all three.
predicted() {
	run_load 8 --cache "$1"
	run_load 16 --files "$1"
	run_load 32 --cache "$1"
	python3 - "$BATS_TEST_TMPDIR" <<-'END'
		import json, os, sys
		what_if = json.load(open(f"{sys.argv[1]}/16.json"))["cache"]["what_if"]
		assert what_if["present_cache_of"] == "cgroup", what_if
		switch = "/sys/kernel/mm/lru_gen/enabled"
		mglru = os.path.exists(switch) and int(open(switch).read(), 16) & 1 == 1
		assert what_if["recorded_with_mglru"] == mglru, what_if
		assert 14 << 20 < what_if["present_cache_bytes"] < 16 << 20, what_if
		assert [size["factor"] for size in what_if["sizes"]] == [0.5, 1, 2, 4]
		wrong = 0
		for limit, size in zip((8, 16, 32), what_if["sizes"]):
		    read = json.load(open(f"{sys.argv[1]}/{limit}.json"))["cache"]["read"]
		    device = int(open(f"{sys.argv[1]}/{limit}.device").read())
		    hits = 100 * read["hit_pages"] / read["pages"]
		    fetched = size["fetched_bytes"] / 4096
		    off = 100 * (fetched - device) / read["pages"]
		    print(f"{limit} MiB: hits {hits:.1f} %, predicted {size['hit_pct']:.1f} %; "
		          f"read from the device {device} pages, predicted {fetched:.0f}: {off:.1f} % of what was read")
		    assert read["pages"] == size["read_pages"] or what_if["lost_accesses"]
		    wrong += abs(size["hit_pct"] - hits) > 5 or abs(off) > 5
		assert not wrong
	END
}

@test "skewed reads in half and twice the memory: predicted hits and device reads are within 5 points" {
	local trace=$BATS_TEST_TMPDIR/16.reel
	predicted skewed
	"$BLKREEL" explain "$trace" | grep "With another size of the page cache (now 15.. MiB, of the control group)"
	"$BLKREEL" explain --json --cache-size 8MiB "$trace" >"$BATS_TEST_TMPDIR/given.json"
	[ "$(json "$BATS_TEST_TMPDIR/given.json" "d['cache']['what_if']['present_cache_of']")" = given ]
	[ "$(json "$BATS_TEST_TMPDIR/given.json" "[s['cache_bytes'] >> 20 for s in d['cache']['what_if']['sizes']]")" = "[4, 8, 16, 32]" ]
}

@test "a loop that fits only into twice the memory is predicted; without accesses there is no prediction" {
	predicted loop
	"$BLKREEL" explain --json --cache-size 8MiB "$BATS_TEST_TMPDIR/8.reel" >"$BATS_TEST_TMPDIR/without.json"
	[ "$(json "$BATS_TEST_TMPDIR/without.json" "d['cache']['what_if']")" = None ]
}

@test "a hot set beside a scan: predicted hits are within 5 points" {
	predicted mixed
}

# whole_file COMMAND...: recorded with nothing cached, it reads the file one; explained as $E.
whole_file() {
	E=$BATS_TEST_TMPDIR/whole.json
	remount
	rm -f "$BATS_TEST_TMPDIR/whole.reel"
	"$BLKREEL" record --files -d "$LOOP" --ring-size 16M -o "$BATS_TEST_TMPDIR/whole.reel" -- "$@" >/dev/null
	"$BLKREEL" explain --json "$BATS_TEST_TMPDIR/whole.reel" >"$E"
}

# The file one has 8,192 pages; readahead can be off by a window of 32.
agrees_with_recording() {
	python3 - "$E" "$1" <<-'END'
		import json, sys
		what_if = json.load(open(sys.argv[1]))["cache"]["what_if"]
		recorded, same = what_if["recorded"], what_if["sizes"][1]
		print(what_if)
		assert recorded["read_pages"] == int(sys.argv[2])
		assert what_if["distinct_pages"] == 8192
		assert abs(recorded["hit_pct"] - same["hit_pct"]) < 0.5
		assert abs(same["fetched_bytes"] // 4096 - 8192 * (int(sys.argv[2]) // 8192)) <= 32
	END
}

copies() {
	python3 - "$@" <<-'END'
		import os, sys
		how, source, bytes = sys.argv[1], os.open(sys.argv[2], os.O_RDONLY), int(sys.argv[3])
		if how == "sendfile":
		    to, at = os.open("/dev/null", os.O_WRONLY), 0
		    while part := os.sendfile(to, source, at, bytes):
		        at += part
		else:
		    to = os.open(sys.argv[4], os.O_WRONLY | os.O_CREAT)
		    while os.copy_file_range(source, to, bytes):
		        pass
	END
}

@test "sendfile, copy_file_range and cp: in the same cache the model has the recorded hits, page reads and pages" {
	export -f copies
	rm "$MNT/two"
	whole_file bash -c "copies sendfile $MNT/one 1048576"
	agrees_with_recording 8192
	whole_file bash -c "copies sendfile $MNT/one 33554432"
	agrees_with_recording 8192
	whole_file bash -c "copies copy_file_range $MNT/one 1048576 $MNT/new"
	agrees_with_recording 8192
	rm "$MNT/new"
	whole_file cp "$MNT/one" "$MNT/new"
	agrees_with_recording 8192
}

@test "reads that are longer than a readahead window: the model has the recorded hits and readahead" {
	whole_file dd if="$MNT/one" of=/dev/null bs=1M status=none
	agrees_with_recording 8192
}

@test "a file that is read four times and dropped in between has its own number of different pages" {
	whole_file bash -c "for _ in 1 2 3 4; do dd if=$MNT/one of=/dev/null bs=64k iflag=nocache status=none; done"
	agrees_with_recording 32768
}

@test "memory that was never full: the present size is what is cached and what is free" {
	local free_kb
	whole_file cat "$MNT/one"
	free_kb=$(awk '$1 == "MemFree:" { print $2 }' /proc/meminfo)
	[ "$free_kb" -gt 4000000 ] || skip "needs 4 GB of free memory"
	python3 - "$E" "$free_kb" <<-'END'
		import json, sys
		what_if = json.load(open(sys.argv[1]))["cache"]["what_if"]
		assert what_if["present_cache_of"] == "machine"
		free = what_if["present_free_bytes"]
		# Others use memory meanwhile, and the kernel keeps some free.
		assert .5 < free / (int(sys.argv[2]) * 1024) < 1.5, what_if
		assert what_if["present_cache_bytes"] > free + (32 << 20)
		assert what_if["sizes"][1]["cache_bytes"] == what_if["present_cache_bytes"]
	END
	"$BLKREEL" explain "$BATS_TEST_TMPDIR/whole.reel" | grep "The memory was never full: .* cached, .* free."
}

@test "a command in a limited control group, or in one below it: the limit is seen without --cgroup" {
	local where
	limit_memory $((24 << 20))
	mkdir "$GROUP/below"
	echo "$GROUP/below" >>"$BATS_TEST_TMPDIR/groups"
	tac "$BATS_TEST_TMPDIR/groups" >"$BATS_TEST_TMPDIR/reversed"
	mv "$BATS_TEST_TMPDIR/reversed" "$BATS_TEST_TMPDIR/groups"
	for where in "$GROUP" "$GROUP/below"; do
		# shellcheck disable=SC2016 # expanded by the shell that is recorded
		whole_file bash -c 'echo $$ >"$1/cgroup.procs" && cat "$2" "$2" >/dev/null' - "$where" "$MNT/one"
		python3 - "$E" "$LIMIT" <<-'END'
			import json, sys
			what_if, limit = json.load(open(sys.argv[1]))["cache"]["what_if"], int(open(sys.argv[2]).read())
			print(what_if)
			assert limit == 24 << 20
			assert what_if["present_cache_of"] == "cgroup"
			assert .8 * limit < what_if["present_cache_bytes"] <= limit
			assert what_if["present_free_bytes"] == 0
			# 32 MiB twice through 24 MiB: each page comes from the device twice, and with 48 MiB once.
			fetched = [what_if["recorded"]["fetched_bytes"]] + [s["fetched_bytes"] for s in what_if["sizes"]]
			for found, mib in zip(fetched, (64, 64, 64, 32, 32)):
			    assert abs(found / (mib << 20) - 1) < .02, fetched
		END
	done
}
