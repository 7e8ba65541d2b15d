#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Blame, and replay --without: who made whom wait, and what the others gain where it is left out. The device takes
# 125 ms for each read of 128 KiB, one after the other, whatever else the machine does: a loop device on one that is
# limited to 1 MiB/s.
# bats file_tags=sanitized
# bats file_tags=root

load test_helper

setup() {
	need_loop
	need_probes
	need_figure waits exact bounded
	mount_ext4 128M -b 4096
	TRACE=$BATS_TEST_TMPDIR/t.reel
	EXPLAINED=$BATS_TEST_TMPDIR/explained.json
	make_file image 16
	sync "$MNT/image"
	make_group blkio blkio.throttle.read_bps_device io.max
	case $LIMIT in
	*io.max) echo "$(cat "/sys/block/$(basename "$LOOP")/dev") rbps=1048576" >"$LIMIT" ;;
	*) echo "$(cat "/sys/block/$(basename "$LOOP")/dev") 1048576" >"$LIMIT" ;;
	esac
	DEVICE=$(new_loop --direct-io=on "$MNT/image")
	echo "$DEVICE" >"$BATS_TEST_TMPDIR/inner"
	for name in reader bulk mid; do
		cp "$(command -v dd)" "$BATS_TEST_TMPDIR/$name"
	done
}

teardown() {
	if [ -e "$BATS_TEST_TMPDIR/inner" ]; then
		losetup -d "$(cat "$BATS_TEST_TMPDIR/inner")" || true
		# Its end can be late; until then the file system below is in use.
		for _ in $(seq 100); do
			losetup "$(cat "$BATS_TEST_TMPDIR/inner")" >/dev/null 2>&1 || break
			sleep 0.1
		done
	fi
	clean_up
}

# in_group COMMAND...: runs it in the limited control group.
in_group() {
	# shellcheck disable=SC2016 # expanded by the shell that is started
	bash -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$GROUP" "$@"
}

# record_mix READERS BULKS MIDS: so many at once, 6 reads each.
record_mix() {
	# shellcheck disable=SC2016 # expanded by the shell that is recorded
	"$BLKREEL" record --waits -d "$DEVICE" -o "$TRACE" -- bash -c '
		echo $$ >"$2/cgroup.procs"
		run() {
			for i in $(seq "$2"); do
				"$1" if="$DEVICE" of=/dev/null bs=128k count=6 skip=$((i * 8)) iflag=direct status=none &
			done
		}
		DEVICE=$0
		run "$1/reader" "$3"; run "$1/bulk" "$4"; run "$1/mid" "$5"
		wait' "$DEVICE" "$BATS_TEST_TMPDIR" "$GROUP" "$@"
	"$BLKREEL" explain --json "$TRACE" >"$EXPLAINED"
}

# blame VICTIM CULPRIT: in ns, at the device.
blame() {
	json "$EXPLAINED" "sum(b['ns'] for b in d['waits']['blame'] if b['by'] == 'task' and b['where'] == 'device'
		and (b['victim'], b['culprit']) == ('$1', '$2'))"
}

@test "alone, a task blames nobody" {
	record_mix 1 0 0
	[ "$(blame reader reader)" -gt 100000000 ]
	[ "$(json "$EXPLAINED" "sum(b['ns'] for b in d['waits']['blame'] if b['by'] == 'task' and b['victim'] == 'reader'
		and b['culprit'] != 'reader') <= 0.02 * $(blame reader reader)")" = True ]
}

@test "blame adds up to the waiting, and is divided by whose reads were served; findings name the culprit" {
	record_mix 1 3 1
	json "$EXPLAINED" "[b for b in d['waits']['blame'] if b['by'] == 'task']"
	[ "$(json "$EXPLAINED" "sum(b['ns'] for b in d['waits']['blame'] if b['by'] == 'task') == sum(c['ns'] for c in
		d['waits']['causes'] if c['cause'] in ('device', 'page_read', 'readahead_in_flight', 'scheduler', 'journal',
		'writeback_of_page', 'flush'))")" = True ]
	# Of five reads in the queue, three are of bulk and one is of mid.
	python3 -c "import sys; a, b, c = map(int, sys.argv[1:]); sys.exit(not 2 * b < a < 4 * b or not 0.7 * b < c < 1.4 * b)" \
		"$(blame reader bulk)" "$(blame reader mid)" "$(blame reader reader)"
	[ "$(json "$EXPLAINED" "[f['saves_ns'] for f in d['findings'] if f['id'] == 'waits-behind-others']")" != "[]" ]
	run -0 "$BLKREEL" explain "$TRACE"
	[[ $output == *"reader waited behind bulk at the device"* ]]
	# The command of the advice leaves the IOs of the culprit out. Each pair has three times one read behind another:
	# which of them waited most is chance.
	local without culprit
	culprit=$(json "$EXPLAINED" "next(b['culprit'] for b in d['waits']['blame']
		if b['by'] == 'task' and b['victim'] != b['culprit'])")
	without=$(json "$EXPLAINED" "([f['advice'] for f in d['findings'] if f['id'] == 'waits-behind-others'][0]
		.split('blkreel replay --without ')[1].split(chr(39))[0])")
	[ "$without" = "task=$culprit" ]
	run -0 --separate-stderr "$BLKREEL" replay "$TRACE" --target "$DEVICE" --reads-only --mode asap --without "$without" --json
	echo "$output" >"$BATS_TEST_TMPDIR/without.json"
	[ "$(json "$BATS_TEST_TMPDIR/without.json" "d['source']['left_out_ios']")" = \
		"$([ "$culprit" = bulk ] && echo 18 || echo 6)" ]
}

@test "--without: what the others gain is what was blamed, and in the same order" {
	local party gained=()
	record_mix 1 3 1
	for party in bulk mid; do
		run -0 --separate-stderr in_group "$BLKREEL" replay "$TRACE" --target "$DEVICE" --reads-only --mode dependent \
			--without "task=$party" -o "$BATS_TEST_TMPDIR/$party.reel" --json
		echo "$output" >"$BATS_TEST_TMPDIR/$party.json"
		[ "$(json "$BATS_TEST_TMPDIR/$party.json" "d['source']['without']")" = "['task=$party']" ]
		run --separate-stderr "$BLKREEL" compare "$TRACE" "$BATS_TEST_TMPDIR/$party.reel"
		echo "$stderr"
		[[ $stderr == *"left out task=$party: "*"the IOs of the others took "*"less"*"blame: tasks waited"* ]]
		"$BLKREEL" dump --rows io --format csv "$BATS_TEST_TMPDIR/$party.reel" >"$BATS_TEST_TMPDIR/$party.csv"
		gained+=("$party")
	done
	[ "$(json "$BATS_TEST_TMPDIR/bulk.json" "d['source']['left_out_ios'], d['source']['ios']")" = "(18, 12)" ]
	[ "$(json "$BATS_TEST_TMPDIR/mid.json" "d['source']['left_out_ios'], d['source']['ios']")" = "(6, 24)" ]
	"$BLKREEL" dump --rows io --format csv "$TRACE" >"$BATS_TEST_TMPDIR/all.csv"
	"$BLKREEL" explain --json "$TRACE" >"$EXPLAINED"
	python3 - "$BATS_TEST_TMPDIR" "$EXPLAINED" <<-'END'
		import csv, json, sys
		folder, explained = sys.argv[1:]
		def took(name, party):
		    return sum(int(r["latency_ns"]) for r in csv.DictReader(open(f"{folder}/{name}.csv")) if r["comm"] != party)
		blame = json.load(open(explained))["waits"]["blame"]
		gained, blamed = {}, {}
		for party in "bulk", "mid":
		    gained[party] = took("all", party) - took(party, party)
		    blamed[party] = sum(b["ns"] for b in blame if b["by"] == "task" and b["where"] == "device"
		                        and b["culprit"] == party and b["victim"] != party)
		print(gained, blamed)
		assert gained["bulk"] > gained["mid"] > 0 and blamed["bulk"] > blamed["mid"]
		assert all(abs(gained[p] - blamed[p]) <= 0.25 * gained[p] for p in gained)
	END
}

@test "--without takes parties of a trace only, and refuses what it cannot leave out" {
	record_mix 1 1 0
	run -2 --separate-stderr "$BLKREEL" replay "$TRACE" --target "$DEVICE" --without bulk
	[[ $stderr == *"--without 'bulk': not task=NAME, cgroup=PATH or file=NAME"* ]]
	run -2 "$BLKREEL" replay "$TRACE" --files "$BATS_TEST_TMPDIR/new" --without task=bulk
	run -2 "$BLKREEL" replay oltp --target "$DEVICE" --without task=bulk
	run -4 --separate-stderr "$BLKREEL" replay "$TRACE" --target "$DEVICE" --without task=bulk --without task=reader
	[[ $stderr == *"of others than those of --without"* ]]
	run -2 --separate-stderr "$BLKREEL" replay "$TRACE" --target "$DEVICE" --reads-only --without task=nobody
	one_line "$stderr"
	[[ $stderr == *"no IO of --without 'task=nobody'"*"there are: "*task=reader* ]]
}
