# SPDX-License-Identifier: MIT
# The data that replay writes, judged by zstd, by hashes and byte by byte.
# bats file_tags=sanitized
load test_helper

setup() {
	TRACE=$BATS_TEST_TMPDIR/t.reel
	TARGET=$BATS_TEST_TMPDIR/target
}

# The whole target of 24 MiB, in writes of 96 KiB: more than the pattern is long.
write_all() {
	awk 'BEGIN { for (i = 0; i < 256; i++) print i, 1, "write", (i * 101 % 256) * 98304, 98304 }' |
		write_trace 24M
	rm -f "$TARGET"
	"$BLKREEL" replay "$TRACE" --target "$TARGET" --create-size 24M --write --mode asap "$@"
}

# The size in per cent after zstd with windows of 512 KiB, so that repetition farther away does not count.
compressed_pct() {
	local bytes
	bytes=$(zstd -q -1 --zstd=wlog=19 -c "$TARGET" | wc -c)
	echo $(((100 * bytes + 12582912) / $(stat -c %s "$TARGET")))
}

# The share of 4 KiB blocks, in per cent, that equal an earlier one.
copies_pct() {
	python3 - "$TARGET" <<'PYTHON'
import sys
data = open(sys.argv[1], 'rb').read()
blocks = [data[i:i + 4096] for i in range(0, len(data), 4096)]
print(round(100 * (1 - len(set(blocks)) / len(blocks))))
PYTHON
}

@test "--compressibility: zstd reaches the requested ratio" {
	local pct got
	for pct in 0 25 60 90; do
		write_all --compressibility "$pct"
		got=$(compressed_pct)
		echo "$pct: $got"
		[ "$got" -ge $((100 - pct - 1)) ]
		[ "$got" -le $((100 - pct + 4)) ]
	done
}

@test "--dedup: the requested share of blocks are copies; without it one buffer repeats" {
	local pct got
	for pct in 0 30 75 100; do
		write_all --dedup "$pct"
		got=$(copies_pct)
		echo "$pct: $got"
		[ "$got" -ge $((pct - 3)) ]
		[ "$got" -le $((pct + 3)) ]
	done
	write_all
	[ "$(copies_pct)" = 33 ]
	write_all --dedup 30 --compressibility 60
	[ "$(copies_pct)" -le 33 ]
	[ "$(compressed_pct)" -le 44 ]
}

@test "--dedup: a block that is written again gets new data" {
	awk 'BEGIN { for (i = 0; i < 64; i++) print i, 1, "write", (i % 2) * 8192, 8192 }' |
		write_trace 1M
	"$BLKREEL" replay "$TRACE" --target "$TARGET" --create-size 1M --write --mode asap --dedup 0 --duration 50us
	cp "$TARGET" "$TARGET.before"
	"$BLKREEL" replay "$TRACE" --target "$TARGET" --write --yes-destroy="$TARGET" --mode asap --dedup 0
	[ "$(cmp -l "$TARGET" "$TARGET.before" | wc -l)" -gt 4 ]
}

@test "wrong percentages, and more IOs in flight than memory allows, are refused" {
	local wrong
	awk 'BEGIN { for (i = 0; i < 3; i++) print i, 1, "write", 0, 8388608 }' |
		write_trace 16M
	truncate -s 16M "$TARGET"
	for wrong in "--compressibility 100" "--dedup 101" "--dedup x" "--dedup 10 --iodepth 9"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$TARGET" --write --yes-destroy="$TARGET" $wrong
		echo "$wrong: $status $stderr"
		[ "$status" = 2 ]
		[ -n "$stderr" ]
	done
	run --separate-stderr "$BLKREEL" replay "$TRACE" --target "$TARGET" --write --yes-destroy="$TARGET" --dedup 10 --json
	[ "$status" = 0 ]
	[[ $output == *'"iodepth": 7'* ]]
}
