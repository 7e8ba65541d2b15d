# bats file_tags=beside,sanitized
# SPDX-License-Identifier: MIT
# replay --stamp and --verify: Python reads the stamps by their description, and the tests damage the
# target in known ways.
load test_helper

setup() {
	TRACE=$BATS_TEST_TMPDIR/t.reel
	TARGET=$BATS_TEST_TMPDIR/target
	STATE=$BATS_TEST_TMPDIR/state
	LIST=$BATS_TEST_TMPDIR/list
}

# 397 writes of 8 to 24 KiB, many of which overlap one before, and a flush after every 20.
make_list() {
	awk -v gap="${1:-10}" 'BEGIN { for (i = 0; i < 397; i++) {
		print i * gap, 1, "write", (i * 101 % 256) * 16384, 8192 * (1 + i % 3)
		if (i % 20 == 19) print i * gap + 1, 1, "flush", 0, 0 } }' >"$LIST"
	write_trace 8M <"$LIST"
}

write_stamped() {
	rm -f "$TARGET" "$STATE"
	"$BLKREEL" replay "$TRACE" --target "$TARGET" --create-size 8M --write --mode asap --stamp "$STATE"
}

verify() {
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$TARGET" --verify "$STATE" --json "$@"
	echo "status $status, stderr '$stderr', $output"
}

# damage_blocks OFFSET LENGTH HOW: zero, noise, flip (one bit of each block), older (a whole stamp with a
# smaller number).
damage_blocks() {
	python3 - "$TARGET" "$@" <<'PYTHON'
import os, sys, zlib
path, offset, length, how = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
with open(path, 'r+b') as f:
    for at in range(offset, offset + length, 512):
        f.seek(at)
        block = bytearray(f.read(512))
        if how == 'zero':
            block = bytes(512)
        elif how == 'noise':
            block = os.urandom(512)
        elif how == 'flip':
            block[300] ^= 4
        elif how == 'older':
            block[24:32] = (int.from_bytes(block[24:32], 'little') - 1).to_bytes(8, 'little')
            block[48:52] = bytes(4)
            block[48:52] = zlib.crc32(block).to_bytes(4, 'little')
        f.seek(at)
        f.write(block)
PYTHON
}

@test "each block carries the documented stamp of its last write" {
	make_list
	write_stamped
	python3 - "$TARGET" "$LIST" "$STATE" <<'PYTHON'
import sys, zlib
data = open(sys.argv[1], 'rb').read()
state = dict(line.split() for line in open(sys.argv[3]).read().splitlines()[1:] if line)
last, number = {}, 0
for line in open(sys.argv[2]):
    _, _, op, offset, length = line.split()
    if op != 'write':
        continue
    number += 1
    for at in range(int(offset), int(offset) + int(length), 512):
        last[at] = (number, int(offset), int(length))
assert int(state['completed']) == number == 397 and state['ended'] == '1'
assert int(state['durable']) <= 380, state
for at in range(0, len(data), 512):
    block = data[at:at + 512]
    if at not in last:
        assert block == bytes(512)
        continue
    word = lambda i: int.from_bytes(block[i:i + 8], 'little')
    assert block[:8] == b'blkreelW' and word(8) == int(state['run'], 16) and word(16) == at
    assert (word(24), word(32), word(40)) == last[at]
    assert int.from_bytes(block[48:52], 'little') == zlib.crc32(block[:48] + bytes(4) + block[52:])
open(sys.argv[2] + '.blocks', 'w').write(str(len(last)))
PYTHON
	[ "$(stat -c %a "$STATE")" = 600 ]
	verify
	[ "$status" = 0 ]
	[ "$(value "d['blocks']['verified'], sum(d['blocks'].values())")" = "($(cat "$LIST.blocks"), $(cat "$LIST.blocks"))" ]
	[ "$(value "d['schema'], d['required_writes'], d['required'], d['torn_writes']")" = "('blkreel.verify/1', 397, 'completed', 0)" ]
}

# Write 396, the last, is the only one at its place since: 12 blocks of 4 KiB from 60 * 16384 on.
@test "verify distinguishes lost, torn, misdirected, damaged and unstamped blocks" {
	local at=$((396 * 101 % 256 * 16384)) before
	make_list
	write_stamped
	cp "$TARGET" "$TARGET.good"
	damage_blocks "$at" 8192 older
	verify
	[ "$status" = 1 ]
	[ "$(value "d['blocks']['lost'], d['first_offset_bytes'], d['torn_writes']")" = "(16, {'lost': $at}, 0)" ]
	cp "$TARGET.good" "$TARGET"
	damage_blocks $((at + 512)) 1024 older
	verify
	[ "$(value "d['blocks']['lost'], d['first_offset_bytes']['lost'], d['torn_writes']")" = "(2, $((at + 512)), 1)" ]
	cp "$TARGET.good" "$TARGET"
	damage_blocks $((at + 1024)) 512 zero
	verify
	[ "$(value "d['blocks']['lost'], d['torn_writes']")" = "(1, 1)" ]
	cp "$TARGET.good" "$TARGET"
	damage_blocks "$at" 1536 noise
	verify
	[ "$(value "d['blocks']['bad_magic'], d['blocks']['lost'], d['torn_writes']")" = "(3, 0, 0)" ]
	cp "$TARGET.good" "$TARGET"
	damage_blocks "$at" 2560 flip
	verify
	[ "$(value "d['blocks']['bad_checksum'], sum(d['blocks'].values()) - d['blocks']['verified'], d['torn_writes']")" = "(5, 5, 0)" ]
	cp "$TARGET.good" "$TARGET"
	dd if="$TARGET.good" of="$TARGET" bs=512 skip=$((at / 512)) seek=0 count=7 conv=notrunc status=none
	before=$(sha256sum <"$TARGET")
	verify
	[ "$(value "d['blocks']['misdirected'], d['first_offset_bytes'], d['torn_writes']")" = "(7, {'misdirected': 0}, 0)" ]
	[ "$(sha256sum <"$TARGET")" = "$before" ]
	run "$BLKREEL" replay "$TRACE" --target "$TARGET" --verify "$STATE"
	[ "$status" = 1 ]
	[[ $output == *"misdirected  7, "*"first at byte 0"* ]]
}

@test "blocks of an earlier replay count as lost" {
	make_list
	write_stamped
	cp "$TARGET" "$TARGET.earlier"
	write_stamped
	dd if="$TARGET.earlier" of="$TARGET" bs=512 count=9 conv=notrunc status=none
	verify
	[ "$status" = 1 ]
	[ "$(value "d['blocks']['lost']")" = 9 ]
}

@test "after a killed replay all writes that were flushed are on the target" {
	make_list 20000
	# It ends in no way but this one, however late.
	echo '3600000000 1 write 0 4096' >>"$LIST"
	write_trace 8M <"$LIST"
	truncate -s 8M "$TARGET"
	"$BLKREEL" replay "$TRACE" --target "$TARGET" --write --yes-destroy="$TARGET" --stamp "$STATE" >/dev/null 2>&1 3>&- &
	wait_until grep -q '^durable [1-9]' "$STATE"
	kill -KILL $!
	wait $! || true
	verify
	[ "$status" = 0 ]
	[ "$(value "d['replay_ended'], d['required'], 0 < d['required_writes'] < 397, d['blocks']['verified'] > 0")" = "(False, 'flushed', True, True)" ]
	# The first write is one of them.
	damage_blocks 0 512 zero
	verify
	[ "$status" = 1 ]
}

@test "discarded blocks are not judged, and --after-crash requires flushed writes alone" {
	printf '%s\n' '0 1 write 0 4096' '10 1 write 8192 4096' '20 1 flush 0 0' '30 1 discard 8192 4096' \
		'40 1 write 16384 4096' | write_trace 1M
	"$BLKREEL" replay "$TRACE" --target "$TARGET" --create-size 1M --write --mode asap --iodepth 1 --stamp "$STATE"
	verify
	[ "$status" = 0 ]
	[ "$(value "d['blocks']['verified'], d['cleared_blocks'], d['required_writes']")" = "(16, 8, 4)" ]
	damage_blocks 16384 4096 zero
	verify
	[ "$status" = 1 ]
	verify --after-crash
	[ "$status" = 0 ]
	[ "$(value "d['blocks']['verified'], d['cleared_blocks'], d['required_writes']")" = "(8, 8, 2)" ]
}

@test "a write that failed in the replay counts as lost" {
	printf '%s\n' '0 1 write 0 4096' '10 1 write 524288 4096' | write_trace 1M
	truncate -s 1M "$TARGET"
	(
		ulimit -f 256
		trap '' XFSZ
		run -1 "$BLKREEL" replay "$TRACE" --target "$TARGET" --yes-destroy="$TARGET" --write --mode asap --stamp "$STATE"
	)
	verify
	[ "$status" = 1 ]
	[[ $stderr == *"1 write failed in the replay: the data counts as lost"* ]]
	[ "$(value "d['failed_writes'], d['blocks']['lost'], d['blocks']['verified'], d['first_offset_bytes']")" = "(1, 8, 8, {'lost': 524288})" ]
}

@test "a large target is read window by window" {
	printf '%s\n' '0 1 write 0 4096' '10 1 write 4294963200 8192' '20 1 write 9663676416 4096' \
		'30 1 write 9663680512 4096' | write_trace 10G
	"$BLKREEL" replay "$TRACE" --target "$TARGET" --create-size 10G --write --mode asap --stamp "$STATE"
	verify
	[ "$status" = 0 ]
	[ "$(value "d['blocks']['verified']")" = 40 ]
	damage_blocks 4294967296 4096 zero
	verify
	[ "$(value "d['blocks']['lost'], d['torn_writes'], d['first_offset_bytes']['lost']")" = "(8, 1, 4294967296)" ]
}

@test "a run that --runtime ended is verified, however often --loop could have repeated the source" {
	make_list
	"$BLKREEL" replay "$TRACE" --target "$TARGET" --create-size 8M --write --mode asap --stamp "$STATE" --loop 4000000000 --runtime 1s
	run --separate-stderr timeout 100 "$BLKREEL" replay "$TRACE" --target "$TARGET" --loop 4000000000 --verify "$STATE" --json
	echo "status $status, stderr '$stderr', $output"
	[ "$status" = 0 ]
	[ "$(value "d['writes'], 0 < d['required_writes'] < d['writes'], d['blocks']['verified'] > 0")" = "(1588000000000, True, True)" ]
	damage_blocks 0 512 zero
	run "$BLKREEL" replay "$TRACE" --target "$TARGET" --loop 4000000000 --verify "$STATE"
	[ "$status" = 1 ]
}

@test "another source, other options or no state are refused, and nothing is written" {
	local wrong
	make_list
	write_stamped
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$TARGET" --write --yes-destroy="$TARGET" --stamp "$STATE"
	[ "$status" = 1 ]
	one_line "$stderr"
	[[ $stderr == *"new file"* ]]
	for wrong in "--from 1us" "--loop 2" "--fit wrap"; do
		# shellcheck disable=SC2086
		verify $wrong
		[ "$status" = 4 ]
		one_line "$stderr"
	done
	echo nothing >"$STATE"
	verify
	[ "$status" = 4 ]
	rm "$STATE"
	verify
	[ "$status" = 1 ]
	for wrong in "--stamp s" "--stamp s --verify s --write" "--verify s --write" "--after-crash" "--write --stamp s --dedup 3" \
		"--write --stamp s --mode dependent"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$TARGET" $wrong
		echo "$wrong: $status $stderr"
		[ "$status" = 2 ]
	done
}

@test "options that only a replay has are refused, by name" {
	local option
	make_list
	write_stamped
	for option in "mode asap" "speed 2" "spin never" "priority normal" "sync-start 4000000000" "iodepth 2" "workers 2" \
		"batch 1" sqpoll iopoll "compressibility 1" "dedup 1" "create-size 1M" "on-error stop" "ramp 1s" "runtime 1s" \
		"until-steady iops" "series s" "output o" histograms; do
		# shellcheck disable=SC2086
		verify --$option
		[ "$status" = 2 ]
		[[ $stderr == *"--${option% *} has no meaning with --verify, which replays nothing"* ]]
	done
	verify
	[ "$status" = 0 ]
}

@test "a timed replay onto a device with each operation that changes data is verified" {
	need_loop
	make_loop 16M
	{
		awk 'BEGIN { for (i = 0; i < 211; i++) print i * 100, 1, "write", (i * 37 % 64) * 65536, 65536 + 4096 * (i % 5), (i % 9 ? "" : "fua") }'
		printf '%s\n' '21100 1 discard 1048576 65536' '21200 1 write 1048576 4096 preflush' '21300 1 flush 0 0'
	} | write_trace 16M
	TARGET=$LOOP
	"$BLKREEL" replay "$TRACE" --target "$LOOP" --write --yes-destroy="$LOOP" --stamp "$STATE"
	verify
	[ "$status" = 0 ]
	[ "$(value "d['required_writes'], sum(d['blocks'].values()) == d['blocks']['verified'] > 8000, d['cleared_blocks']")" = "(213, True, 120)" ]
	verify --after-crash
	[ "$status" = 0 ]
	[ "$(value "d['required_writes'] <= 213")" = True ]
	dd if=/dev/zero of="$LOOP" bs=4096 seek=100 count=2 conv=notrunc oflag=direct status=none
	verify
	[ "$(value "d['blocks']['lost']")" = 16 ]
}
