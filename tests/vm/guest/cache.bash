# SPDX-License-Identifier: MIT
# Functions for scripts about the page-cache account: expected figures, and loads with known figures.

# figure NAME: its quality on this kernel.
figure() {
	"$BLKREEL" info t.reel --json | tr -d ' \n' | sed -n "s/.*\"figure\":\"$1\",\"how\":\"[^\"]*\",\"quality\":\"\([a-z]*\)\".*/\1/p"
}

# account SECTION FIELD: from explain's JSON.
account() {
	"$BLKREEL" explain t.reel --json | tr -d ' \n' | sed -n "s/.*\"cache\":{.*\"$1\":{[^}]*\"$2\":\([0-9a-z]*\).*/\1/p"
}

# expect NAME FIGURE SECTION FIELD VALUE: expects VALUE where the figure is available (no bound is reached here), else null.
expect() {
	local want=null
	[ "$(figure "$2")" = unavailable ] || want=$5
	check "$1" equal "$(account "$3" "$4")" "$want"
}

# expect_live NAME FIGURE FIELD VALUE: the same for the totals of stat, which leaves out what is unavailable.
expect_live() {
	local want=
	[ "$(figure "$2")" = unavailable ] || want=$4
	check "$1" equal "$(tail -n 1 live | sed -n "s/.*\"$3\": *\([0-9]*\).*/\1/p")" "$want"
}

record() {
	"$BLKREEL" record --cache -d "$device" -o t.reel -- "$@" >/dev/null
}

forget() {
	umount /mnt && mount -t "$fs" "/dev/$device" /mnt
}

# file_pages OP: pages of files in the IOs of the device.
file_pages() {
	"$BLKREEL" dump t.reel --format csv --op "$1" | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } $c["origin"] == "file" { n += $c["bytes"] }
		END { print n / 4096 }'
}

# of_file PATH: pages of it that became dirty.
of_file() {
	"$BLKREEL" explain t.reel --json | tr -d ' \n' | sed -n "s|.*\"path\":\"$1\"[^}]*\"cache_dirtied_pages\":\([0-9]*\).*|\1|p"
}

file_reads() {
	"$BLKREEL" dump t.reel --format csv --op read | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } $c["origin"] == "file"' | wc -l
}

on() {
	local fs=$1
	"mkfs.$fs" -q "/dev/$device" && mount -t "$fs" "/dev/$device" /mnt && dd if=/dev/urandom of=/mnt/file bs=1M count=16 2>/dev/null ||
		exit
	forget
	check "$fs: 1,009 random reads, cold" record "$HELPERS/issue_io" cached-random /mnt/file 1009 4096
	expect "$fs: they read 1,009 pages" cache_reads read pages 1009
	expect "$fs: all of them were demand misses" cache_demand_misses read demand_miss_pages 1009
	expect "$fs: there were no hits" cache_demand_misses read hit_pages 0
	check "$fs: 1,009 reads of the device" equal "$(file_reads)" 1009
	check "$fs: nothing was lost" equal "$(lost t.reel)" 0
	cat /mnt/file >/dev/null
	check "$fs: the same, warm" record "$HELPERS/issue_io" cached-random /mnt/file 1009 4096
	expect "$fs: they read 1,009 pages" cache_reads read pages 1009
	expect "$fs: all of them were hits" cache_demand_misses read hit_pages 1009
	check "$fs: no read of the device" equal "$(file_reads)" 0
	forget
	check "$fs: 16 MiB in sequence, cold" record "$HELPERS/issue_io" cached-sequential /mnt/file 128 131072
	expect "$fs: they are 4,096 pages" cache_reads read pages 4096
	expect "$fs: readahead that was brought was used" cache_readahead readahead wasted_pages 0
	if [ "$(figure cache_readahead)" = exact ]; then
		check "$fs: demand misses and readahead are 4,096 pages" \
			equal "$(($(account read demand_miss_pages) + $(account readahead added_pages)))" 4096
	fi
	check "$fs: nothing was lost" equal "$(lost t.reel)" 0
	live
	written
	faults
	generations
	umount /mnt
}

# start_live COMMAND: its JSON goes to the file live.
start_live() {
	forget
	: >live # the lines of an earlier one would be taken for its own
	"$BLKREEL" "$1" --json -d "$device" 0.1 >live &
	live=$!
	until [ -s live ]; do sleep 0.1; done
}

stop_live() {
	kill -INT "$live"
	wait "$live"
}

# Demand misses of all intervals of top; null if there is one without.
top_misses() {
	sed -n 's/.*"total":{"ios".*"demand_miss_pages":\([0-9a-z]*\).*/\1/p' live |
		awk '$1 == "null" { n = $1; exit } { n += $1 } END { print n }'
}

# 503 pages while stat counts, and while top does.
live() {
	start_live stat
	"$HELPERS/issue_io" cached-random /mnt/file 503 4096 >/dev/null
	stop_live
	expect_live "$fs: stat: 503 pages were read" cache_reads read_pages 503
	expect_live "$fs: stat: all of them were demand misses" cache_demand_misses demand_miss_pages 503
	start_live top
	"$HELPERS/issue_io" cached-random /mnt/file 503 4096 >/dev/null
	sleep 1 # the interval of the last read ends
	stop_live
	if [ "$(figure cache_demand_misses)" = unavailable ]; then
		check "$fs: top: demand misses are unknown" equal "$(top_misses)" null
	else
		check "$fs: top: 503 demand misses" equal "$(top_misses)" 503
	fi
}

# explain notes a kernel with multi-generational LRU beside the figures of its model of the page lists.
generations() {
	local switch=/sys/kernel/mm/lru_gen/enabled before setting
	[ -w $switch ] || return 0
	# The model needs rows of accesses.
	! "$BLKREEL" doctor --json | tr -d ' \n' | grep -q '"figure":"access_rows","quality":"unavailable"' || return 0
	before=$(cat $switch)
	for setting in n:false y:true; do
		echo "${setting%:*}" >$switch
		check "$fs: 499 reads with lru_gen ${setting%:*}" \
			"$BLKREEL" record --files -d "$device" -o t.reel -- "$HELPERS/issue_io" cached-random /mnt/file 499 4096 >offsets
		check "$fs: explain reports it" equal "${setting#*:}" \
			"$("$BLKREEL" explain t.reel --json | sed -n 's/.*"recorded_with_mglru": \([a-z]*\).*/\1/p')"
	done
	echo "$before" >$switch
}

# Where the kernel reports folios only, a small write dirties a whole large folio: at least what was written.
written() {
	local dirtied
	check "$fs: 503 pages are written and synced" record dd if=/dev/zero of=/mnt/new bs=4k count=503 conv=fsync status=none
	dirtied=$(account write dirtied_pages)
	if [ "$(figure cache_dirtied)" = exact ]; then
		check "$fs: 503 pages of the file became dirty" equal "$(of_file /mnt/new)" 503
	else
		check "$fs: 503 pages or more became dirty" between 503 "$dirtied" 1006
	fi
	check "$fs: 503 pages of files were written" equal "$(file_pages write)" 503
	check "$fs: nothing was lost" equal "$(lost t.reel)" 0
}

# Reads through mmap: where faults are visible, at least one for each window that the kernel maps at once.
faults() {
	forget
	check "$fs: 16 MiB are read through mmap" record fio --name=m --filename=/mnt/file --readonly --rw=read --bs=4k \
		--size=16M --ioengine=mmap --invalidate=0 --output=/dev/null
	if [ "$(figure cache_faults)" = unavailable ]; then
		check "$fs: the number of pages read is unavailable" equal "$(account read pages)" null
	else
		check "$fs: faults were seen, no more than pages" between 64 "$(account read fault_pages)" 4096
	fi
	check "$fs: 4,096 pages came from the device" equal "$(file_pages read)" 4096
}
