# SPDX-License-Identifier: MIT
# replay --buffered: the state of the page cache by the kernel's word, and the IOs of the device by its
# counters.
# shellcheck disable=SC2034 # helpers/disturbance.bash says what this is
DISTURBED_BY="reclaim skip"
load test_helper

# A loop device without readahead.
make_plain_loop() {
	make_loop "$@"
	echo 0 >"/sys/block/${LOOP#/dev/}/queue/read_ahead_kb"
}

# read_pages DEVICE: pages of 4 KiB that the device was read since it exists.
read_pages() {
	local counts
	read -ra counts <"/sys/block/${1#/dev/}/stat"
	echo $((counts[2] / 8))
}

# cached_pages FILE: by mincore, of whoever keeps it open.
cached_pages() {
	python3 - "$1" <<-'END'
		import ctypes, mmap, os, sys
		fd = os.open(sys.argv[1], os.O_RDONLY)
		size = os.lseek(fd, 0, os.SEEK_END)
		libc = ctypes.CDLL(None, use_errno=True)
		libc.mmap.restype = ctypes.c_void_p
		libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
		libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
		at = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, fd, 0)
		present = ctypes.create_string_buffer((size + mmap.PAGESIZE - 1) // mmap.PAGESIZE)
		assert libc.mincore(at, size, present) == 0
		print(sum(b & 1 for b in present.raw))
	END
}

groups() {
	compgen -G '/sys/fs/cgroup/*/blkreel-replay-*' || compgen -G '/sys/fs/cgroup/blkreel-replay-*' || true
}

groups_are_as_before() {
	[ "$(groups)" = "$before" ]
}

@test "cold: cached pages are dropped first, and each page comes from the device once" {
	need_loop
	make_plain_loop 16M
	list_reads 211 20 | write_trace 16M
	# Who keeps it open keeps its pages.
	exec 5<"$LOOP"
	head -c 1M <&5 >/dev/null
	[ "$(cached_pages "$LOOP")" = 256 ]
	before=$(read_pages "$LOOP")
	replay --target "$LOOP" --buffered --loop 3 --json
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	[ $(($(read_pages "$LOOP") - before)) = 211 ]
	[ "$(cached_pages "$LOOP")" = 211 ]
	exec 5<&-
	[ "$(value "d['buffered']['cache'], d['buffered']['cached_at_start_bytes'], d['target']['buffered'], d['target']['direct']")" = "('cold', 0, True, False)" ]
	[ "$(value "d['completed'], d['aligned'], 'synced' in d['buffered']")" = "(633, 0, False)" ]
	replay --target "$LOOP" --buffered
	[[ $output == *"through the page cache"*"cold at the start: 0 B of the target was there"* ]]
}

@test "warm: the pages are read once before, and the replay reads none from the device" {
	need_loop
	make_plain_loop 16M
	# 101 pages: some twice, some in part, one write of a part.
	{ list_reads 97 20 && list_reads 13 20 && printf '%s\n' '2000 1 read 1049088 7168' '2100 1 write 8389120 6656'; } | write_trace 16M
	before=$(read_pages "$LOOP")
	replay --target "$LOOP" --buffered --cache warm --mode asap --write "--yes-destroy=$LOOP" --json
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	read=$(($(read_pages "$LOOP") - before))
	# The signatures of a target that is written are looked for before; that is dropped again.
	[ "$(value "d['buffered']['cache'], d['buffered']['cached_at_start_bytes'] == d['buffered']['read_first_bytes'], d['buffered']['read_first_bytes']")" = \
		"('warm', True, $((101 * 4096)))" ]
	[ "$read" -ge 101 ]
	[ "$read" -le 1500 ]
	before=$(read_pages "$LOOP")
	replay --target "$LOOP" --buffered --cache warm --mode asap --reads-only --loop 5 --json
	[ "$status" = 0 ]
	[ "$(value "d['completed'], d['buffered']['read_first_bytes']")" = "(555, $((99 * 4096)))" ]
	[ $(($(read_pages "$LOOP") - before)) = 99 ]
}

@test "a recording of a warm replay has no reads, one of a cold replay has all" {
	need_loop
	need_probes
	make_plain_loop 16M
	list_reads 101 20 | write_trace 16M
	for state in "warm 0" "cold 101"; do
		# shellcheck disable=SC2086
		set -- $state
		replay --target "$LOOP" --buffered --cache "$1" -o "$BATS_TEST_TMPDIR/$1.reel"
		[ "$status" = 0 ]
		"$BLKREEL" info --json "$BATS_TEST_TMPDIR/$1.reel" >"$BATS_TEST_TMPDIR/info.json"
		[ "$(json "$BATS_TEST_TMPDIR/info.json" "d['rows']['io']")" = "$2" ]
	done
}

@test "buffered and direct writes give the same data, in order, and synced" {
	local -a sums
	need_loop
	awk 'BEGIN {
		for (i = 0; i < 331; i++)
			print i * 20, 1, i % 7 ? "write" : "read", 65536 + (i * 7 % 61) * 2048 + i % 3 * 512, 512 * (1 + i % 19), i % 5 ? "" : "fua"
		print "7000 1 flush 0 0"
		print "7100 1 discard 65536 16384"
		print "7200 1 write 73728 4096 preflush"
		print "7300 1 write_zeroes 98304 16384"
		print "7301 1 write 102400 1536"
	}' | write_trace 16M
	make_loop 16M
	[ "$(cat "/sys/block/${LOOP#/dev/}/queue/write_zeroes_max_bytes")" != 0 ] || skip "needs a loop device that writes zeroes"
	# The first, past the cache, one after the other, is what the others are to be like. Every write has data of its own.
	for way in "--iodepth 1" "--buffered" "--buffered --cache warm --mode asap"; do
		# Not through the device, whose cache would help.
		head -c 16M /dev/zero | tr '\0' x | dd of="$LOOP" bs=1M oflag=direct iflag=fullblock status=none
		# shellcheck disable=SC2086
		replay --target "$LOOP" --write "--yes-destroy=$LOOP" $way --dedup 0 --json
		[ "$status" = 0 ]
		[ "$(value "d['completed'], d['errors'], d['aligned']")" = "(336, 0, 0)" ]
		if [[ $way == *buffered* ]]; then
			[ "$(value "d['buffered']['synced'], d['buffered']['sync_ns'] > 0, d['mode'] != 'asap' or d['waited_for_overlap'] >= 20")" = "(True, True, True)" ]
		fi
		sums+=("$(sha256sum <"$(losetup -n -O BACK-FILE "$LOOP" | tr -d ' ')")")
	done
	[ "${sums[0]}" = "${sums[1]}" ]
	[ "${sums[0]}" = "${sums[2]}" ]
}

@test "buffered reads and writes need no block alignment; direct ones do" {
	need_loop
	make_loop 16M --sector-size 4096
	printf '%s\n' '0 1 write 4608 512' '10 1 read 512 1536' '20 1 discard 1049088 8192' | write_trace 16M
	head -c 16M /dev/zero | tr '\0' x | dd of="$LOOP" bs=1M oflag=direct iflag=fullblock status=none
	replay --target "$LOOP" --write "--yes-destroy=$LOOP" --buffered --json
	[ "$status" = 0 ]
	[ "$(value "d['ops']['write']['bytes'], d['ops']['read']['bytes'], d['ops']['discard']['bytes'], d['aligned']")" = "(512, 1536, 12288, 1)" ]
	file=$(losetup -n -O BACK-FILE "$LOOP" | tr -d ' ')
	# Only these 512 bytes are others, and the discarded 12 KiB.
	[ "$(tr -d x <"$file" | wc -c)" -gt $((12288 + 400)) ]
	[ "$(head -c 4608 "$file" | tr -d x | wc -c)" = 0 ]
	[ "$(head -c 65536 "$file" | tail -c +5121 | tr -d x | wc -c)" = 0 ]
}

# written_pages DEVICE: as read_pages.
written_pages() {
	local counts
	read -ra counts <"/sys/block/${1#/dev/}/stat"
	echo $((counts[6] / 8))
}

@test "dirty bytes at the end are reported and synced before the replay ends" {
	need_loop
	mount_ext4 32M
	local file=$MNT/f
	head -c 1M /dev/urandom >"$file"
	sync "$file"
	awk 'BEGIN { for (i = 0; i < 67; i++) print i, 1, "write", i * 8192, 4096 }' | write_trace 1M
	before=$(written_pages "$LOOP")
	replay --target "$file" --yes-destroy="$file" --write --buffered --mode asap --json
	[ "$status" = 0 ]
	[ $(($(written_pages "$LOOP") - before)) -ge 67 ]
	if [ "$(value "d['buffered']['dirty_at_end_bytes']")" != None ]; then
		# The kernel may have begun to write it.
		[ "$(value "d['buffered']['dirty_at_end_bytes'] <= $((67 * 4096))")" = True ]
	fi
	replay --target "$file" --yes-destroy="$file" --write --buffered
	[[ $output == *"  synced    "*"not in the time above"* ]]
	replay --target "$file" --reads-only --buffered
	[ "$status" = 4 ]
}

@test "several maps: each target has its own cache state and is synced" {
	head -c 1M /dev/urandom | tee "$BATS_TEST_TMPDIR/a" >"$BATS_TEST_TMPDIR/b"
	printf '%s\n' '0 1 read 0 4096' '10 2 write 0 4096' '20 2 read 65536 8192' | write_trace 1M
	replay --map disk1="$BATS_TEST_TMPDIR/a" --map disk2="$BATS_TEST_TMPDIR/b" --yes-destroy="$BATS_TEST_TMPDIR/b" --write --buffered --cache warm --json
	[ "$status" = 0 ]
	[ "$(value "[m['buffered']['read_first_bytes'] for m in d['maps']], [m['buffered'].get('synced') for m in d['maps']]")" = "([4096, 12288], [None, True])" ]
}

@test "--memory limits the cache, and its control group is removed at the end" {
	need_loop
	make_plain_loop 160M
	limit_memory 104857600 # whether there are such groups
	before=$(groups)
	awk 'BEGIN { for (i = 0; i < 150; i++) print i * 10, 1, "read", i * 1048576, 1048576 }' | write_trace 160M
	replay --target "$LOOP" --buffered --cache warm --memory 64M --mode asap --json
	[ "$status" = 0 ]
	one_line "$stderr"
	[[ $stderr == *"memory holds"*"not quite warm"* ]]
	[ "$(value "d['completed'], d['buffered']['memory_bytes'], 0 < d['buffered']['cached_at_start_bytes'] <= 67108864")" = "(150, 67108864, True)" ]
	wait_until groups_are_as_before
	replay --target "$LOOP" --buffered --cache warm --mode asap --json
	[ -z "$stderr" ]
	[ "$(value "d['buffered']['read_first_bytes'], d['buffered']['cached_at_start_bytes'] > 140 * 1048576")" = "($((150 * 1048576)), True)" ]
}

@test "options that exclude --buffered are refused with the reason" {
	truncate -s 16M "$BATS_TEST_TMPDIR/f"
	list_reads 1 20 | write_trace 16M
	replay --target "$BATS_TEST_TMPDIR/f" --buffered --cache as-recorded
	[ "$status" = 2 ]
	[[ $stderr == *"requests of a device are those that its page cache missed"* ]]
	while read -r words; do
		# shellcheck disable=SC2086
		replay $words
		[ "$status" = 2 ]
		[ -z "$output" ]
		[[ $stderr == *--buffered* || $stderr == *--memory* ]]
	done <<-END
		--target $BATS_TEST_TMPDIR/f --cache cold
		--target $BATS_TEST_TMPDIR/f --memory 1G
		--target $BATS_TEST_TMPDIR/f --buffered --memory 1M
		--target $BATS_TEST_TMPDIR/f --buffered --memory 1G -o new.reel
		--target $BATS_TEST_TMPDIR/f --buffered --write --stamp s
		--target $BATS_TEST_TMPDIR/f --buffered --verify s
		--files $BATS_TEST_TMPDIR/tree --buffered
	END
	[ ! -e "$BATS_TEST_TMPDIR/tree" ]
}
