# SPDX-License-Identifier: MIT
# Known numbers of IOs on one disk: exactly these rows, and the kernel's counters move by the same.

# Counters of /sys/block/DISK/stat.
# shellcheck disable=SC2034  # for scripts that source this
READS=1 READ_MERGES=2 READ_SECTORS=3
READ_TICKS=4 WRITES=5 WRITE_SECTORS=7
DISCARDS=12 DISCARD_SECTORS=14
FLUSHES=16

# record DISK COMMAND...: writes the trace to t.reel, the output to offsets, the counters before and
# after to the arrays.
record() {
	local disk=$1
	shift
	read -ra before <"/sys/block/$disk/stat"
	"$BLKREEL" record -d "$disk" -o t.reel -- "$@" >offsets || return
	read -ra after <"/sys/block/$disk/stat"
}

delta() {
	echo $((after[$1 - 1] - before[$1 - 1]))
}

# data_rows OP: the byte offsets of its rows that carry data, in order of completion.
data_rows() {
	"$BLKREEL" dump t.reel --format csv | awk -F, -v op="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$column["op"] == op && $column["bytes"] > 0 { print $column["sector"] * 512 }'
}

nothing_lost() {
	equal "$(lost t.reel)" 0
}

agrees_with_kernel() {
	"$BLKREEL" explain t.reel --json | grep -q '"agrees_with_kernel": true' || {
		"$BLKREEL" explain t.reel | sed 's/^/# /'
		return 1
	}
}

rows_are_offsets() {
	data_rows "$1" >got
	cmp got offsets && return
	echo "# $(wc -l <got) rows of $(wc -l <offsets)"
	return 1
}

known_reads() {
	local disk=$1
	check "$disk: 1,009 direct reads are recorded" record "$disk" "$HELPERS/issue_io" read "/dev/$disk" 1009 4096
	check "$disk: the rows are the offsets that were read" rows_are_offsets read
	check "$disk: the kernel counted 1,009 reads" equal "$(delta $READS)" 1009
	check "$disk: of 8 sectors each" equal "$(delta $READ_SECTORS)" 8072
	check "$disk: and no merges" equal "$(delta $READ_MERGES)" 0
	check "$disk: nothing was lost" nothing_lost
	check "$disk: no row but these" equal "$(column t.reel op | wc -l)" 1009
	check "$disk: explain agrees with the kernel" agrees_with_kernel
}

known_writes() {
	local disk=$1
	check "$disk: 1,009 direct writes with a flush after every 100th" \
		record "$disk" "$HELPERS/issue_io" write "/dev/$disk" 1009 4096 100
	check "$disk: the rows are the offsets that were written" rows_are_offsets write
	check "$disk: as many sectors as the kernel counted" equal "$(delta $WRITE_SECTORS)" 8072
	check "$disk: nothing was lost" nothing_lost
	check "$disk: writes and requests for a flush are those of the kernel" \
		equal "$(column t.reel op | grep -c '^write')" "$(delta $WRITES)"
	# A disk without a write cache gets none of these.
	check "$disk: those without data ask for a flush" \
		equal "$("$BLKREEL" dump t.reel --format csv | grep -c ',write,0,0,.*preflush')" "$(($(delta $WRITES) - 1009))"
	check "$disk: there are ten of them if it has a write cache" equal "$(($(delta $WRITES) - 1009))" \
		"$(grep -q 'write back' "/sys/block/$disk/queue/write_cache" && echo 10 || echo 0)"
	check "$disk: flushes are those of the kernel" \
		equal "$(column t.reel op | grep -c '^flush')" "$(delta $FLUSHES)"
	check "$disk: explain agrees with the kernel" agrees_with_kernel
}

known_discards() {
	local disk=$1
	if [ "$(cat "/sys/block/$disk/queue/discard_max_bytes")" = 0 ]; then
		skip "$disk: 1,009 discards" "this kernel's driver offers none"
		return
	fi
	check "$disk: 1,009 discards" record "$disk" "$HELPERS/issue_io" discard "/dev/$disk" 1009 4096
	check "$disk: the rows are the offsets that were discarded" rows_are_offsets discard
	check "$disk: the kernel counted 1,009 discards" equal "$(delta $DISCARDS)" 1009
	check "$disk: of 8 sectors each" equal "$(delta $DISCARD_SECTORS)" 8072
	check "$disk: nothing was lost" nothing_lost
}
