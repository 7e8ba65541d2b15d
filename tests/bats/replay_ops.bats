# SPDX-License-Identifier: MIT
# Each operation of a trace is replayed as itself: a recording of the replay, compared row by row.
# bats file_tags=sanitized
load test_helper


# differences A B: prints how the requests of B differ from those of A, by time.
differences() {
	local name
	for name in "$1" "$2"; do
		"$BLKREEL" dump "$name" --format csv >"$name.csv"
	done
	python3 - "$1.csv" "$2.csv" <<'PYTHON'
import collections, csv, sys

def requests(path):
    rows = [row for row in csv.DictReader(open(path)) if 'flush_machinery' not in row['flags'] and 'rahead' not in row['flags']]
    rows.sort(key=lambda row: int(row['created_ns']))
    for row in rows:
        flags, size = row['flags'].split('|'), int(row['bytes'])
        # Nobody outside of the kernel can ask for both in one request: a flush, then the write.
        if 'preflush' in flags or row['op'] == 'flush':
            yield 'flush', 0, 0, False
        if size:
            yield row['op'], int(row['sector']) * 512, size, 'fua' in flags

def pairs(ios):
    "Which of two that overlap came first; their number tells equal ones apart."
    seen, numbered = collections.Counter(), []
    for io in ios:
        numbered.append((io, seen[io]))
        seen[io] += 1
    return {(a, b) for i, a in enumerate(numbered) for b in numbered[i + 1:]
            if a[0][1] < b[0][1] + b[0][2] and b[0][1] < a[0][1] + a[0][2]}

a, b = (list(requests(path)) for path in sys.argv[1:])
for io, count in ((collections.Counter(a) - collections.Counter(b))).items():
    print('missing', count, io)
for io, count in ((collections.Counter(b) - collections.Counter(a))).items():
    print('added', count, io)
for first, second in sorted(pairs(a) - pairs(b)):
    print('order', first, second)
PYTHON
}

every_op() {
	printf '%s\n' '0 1 write 0 4096' '100 1 write 65536 8192 fua' '200 1 write 131072 4096 preflush' \
		'300 1 write 196608 4096 preflush fua' '400 1 flush 0 0' '500 1 discard 1048576 1048576' \
		'600 1 write_zeroes 2097152 65536' '601 1 write 2097152 4096' '602 1 read 2101248 4096' \
		'700 1 read 65536 8192' '800 1 write 0 8192' '801 1 read 4096 4096' '802 1 write 4096 4096' \
		'1100 1 discard 0 65536' '1101 1 write 8192 512' '1102 1 write 131072 4096 preflush' \
		'1103 1 write 131072 4096' '1104 1 read 131072 512' '1200 1 write 0 0 preflush'
}

can_zero() {
	[ "$(cat "/sys/block/${LOOP#/dev/}/queue/write_zeroes_max_bytes")" != 0 ]
}

@test "a recording of the replay has the same op, flags, size and order of overlapping IOs" {
	need_probes
	need_loop
	make_loop 16M
	can_zero || skip "needs a loop device that writes zeroes"
	every_op | write_trace 16M
	for mode in timed asap; do
		run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --write --yes-destroy="$LOOP" \
			--mode "$mode" -o "$BATS_TEST_TMPDIR/new.reel" --json
		echo "$stderr"
		[ "$status" = 0 ]
		[ "$(value "d['completed'], d['errors'], d['preflushes']")" = "(19, 0, 3)" ]
		run differences "$TRACE" "$BATS_TEST_TMPDIR/new.reel"
		echo "$output"
		[ "$status" = 0 ]
		[ -z "$output" ]
		# Our own word for the same. Reads of whoever looks for file systems would be added ones.
		"$BLKREEL" compare --exact --json "$TRACE" "$BATS_TEST_TMPDIR/new.reel" >"$BATS_TEST_TMPDIR/c.json"
		[ "$(json "$BATS_TEST_TMPDIR/c.json" "[d['exact'][k] for k in ('a_ios', 'op', 'flags', 'size', 'order', 'missing')]")" = "[22, 0, 0, 0, 0, 0]" ]
		[ "$(json "$BATS_TEST_TMPDIR/c.json" "[e for e in d['exact']['examples'] if e['b']['op'] != 'read']")" = "[]" ]
		# A test of the test.
		every_op | sed 's/ fua//' | write_trace 16M "$BATS_TEST_TMPDIR/other.reel"
		run differences "$BATS_TEST_TMPDIR/other.reel" "$BATS_TEST_TMPDIR/new.reel"
		[ -n "$output" ]
		"$BLKREEL" compare --exact --json "$BATS_TEST_TMPDIR/other.reel" "$BATS_TEST_TMPDIR/new.reel" >"$BATS_TEST_TMPDIR/c.json"
		[ "$(json "$BATS_TEST_TMPDIR/c.json" "[d['exact'][k] for k in ('op', 'flags', 'size', 'order', 'missing')]")" = "[0, 2, 0, 0, 0]" ]
	done
}

@test "a discard of more than 4 GiB keeps its length" {
	need_loop
	make_loop 8G
	before=$(awk '{ print $14 }' "/sys/block/${LOOP#/dev/}/stat")
	echo '0 1 discard 1073741824 5368713216' | write_trace 8G
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --write --yes-destroy="$LOOP" --json
	[ "$status" = 0 ]
	[ "$(value "d['ops']['discard']['bytes']")" = 5368713216 ]
	[ $(($(awk '{ print $14 }' "/sys/block/${LOOP#/dev/}/stat") - before)) = $((5368713216 / 512)) ]
}

@test "--unsupported refuses with the remedy, skips or emulates, and counts" {
	local before
	need_loop
	make_loop 16M
	head -c 16M /dev/urandom >"$LOOP"
	sync
	printf '%s\n' '0 1 secure_erase 65536 8192' '100 1 write 0 4096' | write_trace 16M
	before=$(sha256sum <"$LOOP")
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --write --yes-destroy="$LOOP"
	[ "$status" = 3 ]
	one_line "$stderr"
	[[ $stderr == *secure_erase*"--unsupported skip"*emulate* ]]
	[ "$before" = "$(sha256sum <"$LOOP")" ]
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --write --yes-destroy="$LOOP" --unsupported skip --json
	[ "$(value "d['issued'], d['unsupported'], d['emulated']")" = "(1, 1, 0)" ]
	cmp <(head -c 8192 /dev/zero) <(dd if="$LOOP" bs=4096 skip=16 count=2 status=none iflag=direct) && return 1
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --write --yes-destroy="$LOOP" --unsupported emulate --json
	[ "$status" = 0 ]
	[ "$(value "d['issued'], d['unsupported'], d['emulated'], d['ops']['discard']['completed']")" = "(2, 0, 1, 1)" ]
	cmp <(head -c 8192 /dev/zero) <(dd if="$LOOP" bs=4096 skip=16 count=2 status=none iflag=direct)
	printf '%s\n' '0 1 zone_reset 0 4096' | write_trace 16M
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --write --yes-destroy="$LOOP" --unsupported emulate
	[ "$status" = 3 ]
}

@test "atomic writes onto a target without them are refused with the remedy, left out or written as plain writes" {
	local before
	need_loop
	make_loop 16M
	printf '%s\n' '0 1 write 65536 16384 atomic' '100 1 write 131072 4096 atomic fua' '200 1 write 0 4096' | write_trace 16M
	before=$(sha256sum <"$LOOP")
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --write --yes-destroy="$LOOP"
	[ "$status" = 3 ]
	one_line "$stderr"
	[[ $stderr == *"2 atomic writes"*"it has none"*"--unsupported skip"*emulate* ]]
	[ "$before" = "$(sha256sum <"$LOOP")" ]
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --write --yes-destroy="$LOOP" --unsupported skip --json
	[ "$(value "d['issued'], d['unsupported'], d['emulated'], d['atomic']")" = "(1, 2, 0, 0)" ]
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --write --yes-destroy="$LOOP" --unsupported emulate --json
	[ "$status" = 0 ]
	[ "$(value "d['issued'], d['unsupported'], d['emulated'], d['atomic'], d['bytes']")" = "(3, 0, 2, 0, 24576)" ]
}

mixed_priorities() {
	printf '%s\n' '0 1 read 0 4096 ioprio=idle/0' '100 1 write 65536 8192 fua ioprio=rt/2' '200 1 write 131072 4096 preflush ioprio=be/0' \
		'300 1 read 196608 4096 ioprio=be/7' '400 1 write 262144 4096' '500 1 discard 1048576 65536 ioprio=be/7'
}

@test "reads and writes have the recorded IO priority, not that of blkreel" {
	need_probes
	need_loop
	need_command ionice
	make_loop 16M
	mixed_priorities | write_trace 16M
	for mode in timed asap; do
		run --separate-stderr ionice -c 2 -n 1 "$BLKREEL" replay "$TRACE" --target "$LOOP" --write --yes-destroy="$LOOP" \
			--mode "$mode" -o "$BATS_TEST_TMPDIR/new.reel" --json
		echo "$stderr"
		[ "$status" = 0 ]
		[ "$(value "d['completed'], d['errors'], d['lowered_priorities']")" = "(6, 0, 0)" ]
		"$BLKREEL" compare --exact --json "$TRACE" "$BATS_TEST_TMPDIR/new.reel" >"$BATS_TEST_TMPDIR/c.json"
		[ "$(json "$BATS_TEST_TMPDIR/c.json" "[d['exact'][k] for k in ('a_ios', 'op', 'flags', 'priority', 'size', 'order', 'missing')]")" = "[7, 0, 0, 0, 0, 0, 0]" ]
		# A test of the test.
		mixed_priorities | sed 's/be.7/be\/6/; s/rt/be/' | write_trace 16M "$BATS_TEST_TMPDIR/other.reel"
		"$BLKREEL" compare --exact --json "$BATS_TEST_TMPDIR/other.reel" "$BATS_TEST_TMPDIR/new.reel" >"$BATS_TEST_TMPDIR/c.json"
		[ "$(json "$BATS_TEST_TMPDIR/c.json" "[d['exact'][k] for k in ('op', 'flags', 'priority', 'size', 'missing')]")" = "[0, 0, 2, 0, 0]" ]
	done
}

# hints_of TRACE: how many of its writes have which write hint, "3 hint_long".
hints_of() {
	"$BLKREEL" dump --format csv --op write "$1" | grep -o "hint_[a-z]*" | sort | uniq -c | xargs
}

# The hint that the kernel holds for a file or device (F_GET_RW_HINT).
hint_of_inode() {
	python3 -c 'import fcntl, os, struct, sys
print(struct.unpack("Q", fcntl.fcntl(os.open(sys.argv[1], os.O_RDONLY), 1035, bytes(8)))[0])' "$1"
}

@test "a write hint that all writes have is given and taken back; of several the writes without one are counted" {
	need_probes
	need_loop
	grep -q bi_write_hint /sys/kernel/btf/vmlinux || skip "needs a kernel with write hints of bios"
	make_loop 16M
	printf '%s\n' '0 1 write 65536 4096 hint=4' '100 1 read 0 4096' '200 1 write 131072 4096 hint=4 fua' '300 1 write 0 8192 hint=4' |
		write_trace 16M
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --write --yes-destroy="$LOOP" -o "$BATS_TEST_TMPDIR/same.reel" --json
	[ "$status" = 0 ]
	[ "$(value "d['completed'], d['unhinted']")" = "(4, 0)" ]
	[ "$(hints_of "$BATS_TEST_TMPDIR/same.reel")" = "3 hint_long" ]
	[ "$(hint_of_inode "$LOOP")" = 0 ]
	printf '%s\n' '0 1 write 65536 4096 hint=4' '200 1 write 131072 4096 hint=2' '300 1 write 0 8192' | write_trace 16M
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --write --yes-destroy="$LOOP" -o "$BATS_TEST_TMPDIR/several.reel" --json
	[ "$(value "d['completed'], d['unhinted']")" = "(3, 2)" ]
	[ "$(hints_of "$BATS_TEST_TMPDIR/several.reel")" = "" ]
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --write --yes-destroy="$LOOP"
	[[ $output == *"Not as recorded:"*"2 writes without the recorded write hint: a target has one hint for all writes"* ]]
}

@test "realtime IOs without the right to them are counted and still issued" {
	need_command setpriv
	mixed_priorities | grep -v discard | write_trace 16M
	run --separate-stderr setpriv --bounding-set=-sys_nice,-sys_admin --inh-caps=-sys_nice,-sys_admin "$BLKREEL" replay "$TRACE" \
		--target "$BATS_TEST_TMPDIR/file" --create-size 16M --write --json
	echo "$stderr"
	[ "$status" = 0 ]
	[ "$(value "d['completed'], d['errors'], d['lowered_priorities']")" = "(5, 0, 1)" ]
}

# replay_long OP BYTES OPTION...: replays 100 IOs of this length; prints how many of them the kernel
# counted at LOOP.
replay_long() {
	local op=$1 bytes=$2 before
	local -A field=([read]=1 [write]=5)
	shift 2
	# Before a write, the target is looked at: that reads, and never writes.
	awk -v op="$op" -v bytes="$bytes" 'BEGIN {
		for (i = 0; i < 100; i++) print i * 1000, 1, op, (i * 37 % 31) * bytes, bytes }' | write_trace 64M
	before=$(diskstat "$LOOP" "${field[$op]}")
	"$BLKREEL" replay "$TRACE" --target "$LOOP" --mode asap --json "$@" >"$BATS_TEST_TMPDIR/out"
	echo $(($(diskstat "$LOOP" "${field[$op]}") - before))
}

@test "an IO of 1 MiB reaches a device that takes 1 MiB as one IO" {
	need_loop
	make_loop 64M
	echo 2 >"/sys/block/${LOOP#/dev/}/queue/nomerges"
	[ "$(cat "/sys/block/${LOOP#/dev/}/queue/max_sectors_kb")" -ge 1024 ] || skip "needs a loop device that takes 1 MiB"
	[ "$(replay_long read 1048576)" = 100 ]
	[ "$(json "$BATS_TEST_TMPDIR/out" "d['split'], d['split_into']")" = '(0, 0)' ]
	[ "$(replay_long write 1048576 --write --yes-destroy="$LOOP")" = 100 ]
	[ "$(replay_long write 1048576 --write --yes-destroy="$LOOP" --dedup 10)" = 100 ]
}

@test "IOs longer than the device takes are listed as split, and counted as the kernel counts them" {
	need_loop
	make_loop 64M
	echo 2 >"/sys/block/${LOOP#/dev/}/queue/nomerges"
	echo 512 >"/sys/block/${LOOP#/dev/}/queue/max_sectors_kb"
	[ "$(replay_long read 1310720)" = 300 ]
	[ "$(json "$BATS_TEST_TMPDIR/out" "d['split'], d['split_into'], d['whole_bytes']")" = '(100, 300, 524288)' ]
	replay --target "$LOOP"
	[[ $output == *"Not as recorded:"*"100 IOs split into 300 (split): the target takes at most 512.0 KiB at once"* ]]
}

@test "without huge pages IOs of 1 MiB are listed as split" {
	need_loop
	make_loop 64M
	replay_long write 1048576 --write --yes-destroy="$LOOP" >/dev/null
	# PR_SET_THP_DISABLE
	run --separate-stderr python3 -c 'import ctypes, os, sys
ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])' "$BLKREEL" replay "$TRACE" --target "$LOOP" --mode asap --write --yes-destroy="$LOOP"
	[ "$status" = 0 ]
	[[ $output == *"100 IOs split into 200 (split): the target takes at most 512.0 KiB at once, from memory without huge pages"* ]]
}
