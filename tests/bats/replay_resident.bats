# SPDX-License-Identifier: MIT
# replay --files --cache as-recorded reads first the pages that were cached when the recording began, and no
# others, by cachestat or mincore and the counters of the device.
# bats file_tags=root
# bats file_tags=sanitized
# shellcheck disable=SC2034 # helpers/disturbance.bash says what this is
DISTURBED_BY="reclaim skip"
load test_helper

setup() {
	TRACE=$BATS_TEST_TMPDIR/t.reel
	TREE=$BATS_TEST_TMPDIR/mnt/tree
}

replay_tree() {
	replay --files "$TREE" "$@"
}

# reads_of_loop: in bytes.
reads_of_loop() {
	local counts
	read -ra counts <"/sys/block/${LOOP#/dev/}/stat"
	echo $((counts[2] * 512))
}

@test "pages whose first access was a hit were cached at the start; pages that the recording fetched were not" {
	need_loop
	mount_ext4 32M
	{
		# Every third of 61 pages at random was there; touched again, and whole, it is a hit anyway.
		awk 'BEGIN { for (i = 0; i < 61; i++) print i * 10, "access read 1", (i * 7 % 61) * 8192, 4096, i % 3 ? "miss=1" : "" }'
		awk 'BEGIN { for (i = 0; i < 61; i++) print 1000 + i * 10, "access read 1", (i * 11 % 61) * 8192, 4096 }'
		# From the start on, with readahead: nothing was there.
		echo 3000 access read 2 0 16384 miss=4 readahead=12
		echo 3010 access read 2 16384 49152
		# Cut off, written anew and read: that was not there, but for the first two pages.
		echo 4000 access read 3 0 8192
		echo 4010 access truncate 3 8192 0
		echo 4020 access write 3 8192 8192 miss=2
		echo 4030 access read 3 8192 8192
	} | write_trace 1G
	replay_tree --cache as-recorded --write --mode asap --json
	[ "$status" = 0 ]
	[ "$(value "d['cache'], d['resident_pages'], d['resident_guessed_pages'], d['cached_at_start_bytes']")" = "('as-recorded', 23, 0, $((23 * 4096)))" ]
	# Now that the files are there: each page comes from the device once, before or by the replay.
	before=$(reads_of_loop)
	replay_tree --cache as-recorded --write --mode asap --json
	[ "$status" = 0 ]
	[ "$(value "d['cached_at_start_bytes']")" = $((23 * 4096)) ]
	read=$(($(reads_of_loop) - before))
	echo "read $read"
	# File 1 at random, file 2 whole, of file 3 what is not written anew; and some blocks of the file system.
	[ "$read" -ge $(((61 + 16 + 2) * 4096)) ]
	[ "$read" -le $(((61 + 16 + 2 + 16) * 4096)) ]
	replay_tree --cache cold --mode asap --json
	[ "$(value "d['cached_at_start_bytes'], 'resident_pages' in d")" = "(0, False)" ]
	replay_tree --cache as-recorded --write --mode asap
	[[ $output == *"as-recorded at the start: 23 pages were read, 92.0 KiB of the files in it"* ]]
}

@test "of an operation with hits and misses the cached pages are a guess, and its pages are counted" {
	need_loop
	mount_ext4 32M
	printf '%s\n' '0 access read 1 0 65536 miss=10' '10 access fault 2 0 4096' '20 access read 1 0 65536' |
		write_trace 1G
	replay_tree --cache as-recorded --mode asap --json
	[ "$status" = 0 ]
	[ "$(value "d['resident_pages'], d['resident_guessed_pages'], d['cached_at_start_bytes']")" = "(7, 6, $((7 * 4096)))" ]
}

@test "a half-warm cache: the replay misses the same pages as the program and reads them from the device" {
	need_loop
	need_probes
	need_figure access_misses
	mount_ext4 64M
	local file=$BATS_TEST_TMPDIR/mnt/file
	head -c 2M /dev/urandom >"$file"
	sync "$file"
	echo 0 >"/sys/block/${LOOP#/dev/}/queue/read_ahead_kb"
	dd if="$file" iflag=nocache count=0 status=none
	head -c 500000 "$file" >/dev/null # 123 pages of 512
	"$BLKREEL" record --files -d "$LOOP" -o "$TRACE" -- "$HELPERS/issue_io" cached-random "$file" 307 4096 >/dev/null
	replay_tree --cache as-recorded --mode asap -o "$BATS_TEST_TMPDIR/new.reel" --json
	[ "$status" = 0 ]
	value "d['recorded'], d['replayed'], d['resident_pages'], d['cached_at_start_bytes']"
	[ "$(value "d['recorded']['hit_pages'] > 0 and d['recorded']['miss_pages'] > 0")" = True ]
	[ "$(value "d['replayed'] == d['recorded'], d['resident_pages'] == d['recorded']['hit_pages'], d['cached_at_start_bytes'] == 4096 * d['resident_pages']")" = "(True, True, True)" ]
	misses=$(value "d['recorded']['miss_pages']")
	"$BLKREEL" dump --format csv "$BATS_TEST_TMPDIR/new.reel" >"$BATS_TEST_TMPDIR/new.csv"
	[ "$(python3 -c 'import csv, sys; print(sum(int(r["bytes"]) for r in csv.DictReader(open(sys.argv[1])) if r["op"] == "read"))' "$BATS_TEST_TMPDIR/new.csv")" = \
		$((misses * 4096)) ]
}

@test "a trace cut before its operations on files is reported as cut" {
	awk 'BEGIN { for (i = 0; i < 20000; i++) print i * 10, 1, "read", i * 4096, 4096; print 300000, "access read 1 0 4096" }' |
		write_trace 1G "$BATS_TEST_TMPDIR/whole.reel"
	head -c $(($(stat -c %s "$BATS_TEST_TMPDIR/whole.reel") / 3)) "$BATS_TEST_TMPDIR/whole.reel" >"$TRACE"
	TREE=$BATS_TEST_TMPDIR/tree
	replay_tree
	[ "$status" = 4 ]
	one_line "$stderr"
	[[ $stderr == *"the file was cut; the rows before that are whole, but it has no operations on files"* ]]
	[ ! -e "$TREE" ]
}
