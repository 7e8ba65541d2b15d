#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# replay --files: the recorded operations, on files that replay creates first.
# bats file_tags=root
# bats file_tags=sanitized

# shellcheck disable=SC2034 # helpers/disturbance.bash says what this is
DISTURBED_BY="reclaim skip"
load test_helper

setup() {
	TRACE=$BATS_TEST_TMPDIR/t.reel
	NEW=$BATS_TEST_TMPDIR/new.reel
	TREE=$BATS_TEST_TMPDIR/tree
}

teardown() {
	local pid
	if [ -e "$BATS_TEST_TMPDIR/replay" ]; then
		pid=$(cat "$BATS_TEST_TMPDIR/replay")
		kill -9 "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	fi
	umount "$BATS_TEST_TMPDIR/memory" 2>/dev/null || true
	clean_up
}

# another_ext4 NAME SIZE: mounts a new one at $BATS_TEST_TMPDIR/NAME.
another_ext4() {
	make_loop "$2"
	mkdir "$BATS_TEST_TMPDIR/$1"
	mkfs.ext4 -q -F -b 4096 -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$LOOP"
	mount "$LOOP" "$BATS_TEST_TMPDIR/$1"
}

# same_operations MISSED: both traces have the same operations on each file, in order, with as many pages.
# Those of files random* and written* hit the same pages; the misses of each other file differ by at most
# MISSED pages.
same_operations() {
	"$BLKREEL" dump --rows access --format csv "$TRACE" >"$BATS_TEST_TMPDIR/then.csv"
	"$BLKREEL" dump --rows access --format csv "$NEW" >"$BATS_TEST_TMPDIR/now.csv"
	python3 - "$BATS_TEST_TMPDIR" "$1" <<-'END'
		import csv, os, sys
		def files(name, only):
		    rows = [r for r in csv.DictReader(open(f"{sys.argv[1]}/{name}.csv", newline="")) if only(r)]
		    rows.sort(key=lambda r: int(r["begun_ns"]))
		    found = {}
		    for r in rows:
		        found.setdefault(os.path.basename(r["file"]), []).append(r)
		    return found
		then = files("then", lambda r: r["comm"] in ("issue_io", "cached_io", "dd", "python3") and "/data/" in r["file"])
		now = files("now", lambda r: r["comm"] == "blkreel" and "/tree/f" in r["file"])
		what = lambda rows: [(r["op"], int(r["offset"]), int(r["bytes"])) for r in rows]
		pages = lambda rows, keys: sum(int(r[k]) for r in rows for k in keys)
		print({n: (len(r), pages(r, ["hit_pages"]), pages(r, ["miss_pages"])) for f in (then, now) for n, r in f.items()})
		assert len(then) >= 7 and len(now) == len(then)
		for (name, a), b in zip(then.items(), now.values()):
		    assert what(a) == what(b), name
		    assert pages(a, ["hit_pages", "miss_pages"]) == pages(b, ["hit_pages", "miss_pages"]), name
		    if name.startswith(("random", "written")):
		        assert [r["miss_pages"] for r in a] == [r["miss_pages"] for r in b], name
		    assert abs(pages(a, ["miss_pages"]) - pages(b, ["miss_pages"])) <= int(sys.argv[2]), name
	END
}

@test "a program's operations replayed on another device have the same place, length, hits and misses" {
	need_loop
	need_probes
	need_figure access_misses
	another_ext4 data 64M
	local source=$LOOP data=$BATS_TEST_TMPDIR/data name
	for name in random random-faults forward large sent direct; do
		head -c 3147000 /dev/urandom >"$data/$name"
	done
	umount "$source"
	mount "$source" "$data"
	# shellcheck disable=SC2016 # expanded by the shell that is recorded
	"$BLKREEL" record --files -d "$source" -o "$TRACE" -- bash -ec '
		"$HELPERS/issue_io" cached-random "$1/random" 101 4096
		"$HELPERS/cached_io" mmap random "$1/random-faults" 4096 769
		"$HELPERS/cached_io" pread forward "$1/forward" 4096 701
		"$HELPERS/cached_io" preadv forward "$1/large" 1048576 3
		"$HELPERS/cached_io" sendfile forward "$1/sent" 65536 47
		dd if="$1/direct" of=/dev/null bs=4096 count=47 iflag=direct status=none
		"$HELPERS/cached_io" write forward "$1/written" 1000 503
	' - "$data" >/dev/null
	another_ext4 elsewhere 64M
	replay --files "$BATS_TEST_TMPDIR/elsewhere/tree" --write -o "$NEW" --json
	[ "$status" = 0 ]
	[ "$(value "d['ops']['read']['operations'], d['ops']['fault']['operations'], d['ops']['direct_read']['bytes'], d['ops']['write']['bytes']")" = \
		"(805, 769, 192512, 503000)" ]
	[ "$(value "d['failed'], d['files'], d['done'] == d['operations'] == d['lateness_ns']['count']")" = "(0, 7, True)" ]
	[ "$(value "sum(d['replayed'].values()) == sum(d['recorded'].values())")" = True ]
	[ "$(cat "$BATS_TEST_TMPDIR"/elsewhere/tree/f* | wc -c)" -ge 15000000 ]
	# One window of readahead.
	same_operations 32
	"$BLKREEL" explain "$NEW" >/dev/null

	# Warm: most of what was missed is there, unless somebody else needs the memory.
	replay --files "$BATS_TEST_TMPDIR/elsewhere/tree" --cache warm --mode asap -o "$NEW" --json
	[ "$status" = 0 ]
	value "d['replayed'], d['recorded'], d['skipped_writes'], d['files_written_bytes']"
	[ "$(value "d['replayed']['miss_pages'] < d['recorded']['miss_pages'] / 2, d['skipped_writes'], d['files_written_bytes']")" = "(True, 503, 0)" ]
}

@test "a recording that fails at its end does not hide the result of the replay" {
	need_loop
	need_probes
	awk 'BEGIN { srand(7); for (i = 0; i < 20000; i++)
		print i, "access read 1", int(rand() * 4000000), 1 + int(rand() * 5000) }' | write_trace 1G
	another_ext4 data 64M
	mkdir "$BATS_TEST_TMPDIR/memory"
	mount -t tmpfs -o size=64k none "$BATS_TEST_TMPDIR/memory"
	replay --files "$BATS_TEST_TMPDIR/data/tree" --mode asap -o "$BATS_TEST_TMPDIR/memory/new.reel" --json
	[ "$status" = 1 ]
	[[ $stderr == *"No space left on device"* ]]
	[ "$(value "d['done'], d['failed'], 'trace' in d, 'replayed' in d")" = "(20000, 0, False, False)" ]
	rm -f "$BATS_TEST_TMPDIR/memory/new.reel"
	replay --files "$BATS_TEST_TMPDIR/data/tree" --mode asap -o "$BATS_TEST_TMPDIR/memory/new.reel"
	[ "$status" = 1 ]
	[[ $output == *"20,000 of 20,000 done, 0 failed"* ]]
	[[ $output != *"replayed"* && $output != *"Recorded into"* ]]
}

@test "the size of a file is inferred from its reads and appends" {
	write_trace 1G <<-'END'
		0 access read 1 8192 4096
		10 access write 2 0 5000
		20 access read 2 0 5000
		30 access write 3 10000 500
		40 access write 4 0 100
		50 access truncate 4 0 0
		60 access read 5 0 4096
		70 access write 5 4096 4096
		80 access sync 5 0 0
	END
	replay --files "$TREE" --write --json
	[ "$status" = 0 ]
	[ "$(value "d['files_bytes'], d['done'], d['failed'], d['tasks'], d['ops']['sync']['operations']")" = \
		"($((12288 + 10000 + 4096)), 9, 0, 1, 1)" ]
	[ "$(stat -c %s "$TREE"/f1 "$TREE"/f2 "$TREE"/f3 "$TREE"/f4 "$TREE"/f5 | xargs)" = "12288 5000 10500 0 8192" ]
	# Without --write what is read has to be there from the start, and nothing changes it.
	rm -r "$TREE"
	replay --files "$TREE" --json
	[ "$status" = 0 ]
	[ "$(value "d['skipped_writes'], d['done'], d['failed'], d['files_bytes']")" = "(6, 3, 0, $((12288 + 5000 + 4096)))" ]
	md5sum "$TREE"/* >"$BATS_TEST_TMPDIR/sums"
	replay --files "$TREE" --mode asap --json
	[ "$(value "d['files_written_bytes'], d['done']")" = "(0, 3)" ]
	md5sum -c --quiet "$BATS_TEST_TMPDIR/sums"
	[ "$(find "$TREE" -name 'f*' | wc -l)" = 3 ]
	# The text has what the document has: the bytes, and each figure of the distributions.
	replay --files "$TREE" --mode asap
	grep -qE '^ +since +ops +mean +p50 +p90 +p99 +p99\.9 +max$' <<<"$output"
	grep -qE '^  moved +12\.9 KiB by read$' <<<"$output"
	[ "$(awk '$1 == "read" { print $2, $3, NF }' <<<"$output")" = "submit 3 15" ]
}

@test "operations start at their time; concurrent tasks have their own threads" {
	write_trace 1G <<-'END'
		0 access read 1 0 4096 task=1 took=300000
		100000 access read 2 0 4096 task=2
		200000 access read 3 0 4096 task=1
		300000 access read 3 4096 4096 task=3
	END
	replay --files "$TREE" --json
	[ "$(value "d['tasks'], d['threads'], d['intended_duration_ns'], d['duration_ns'] >= 300000000")" = "(3, 2, 300000000, True)" ]
	replay --files "$TREE" --json --speed 3
	[ "$(value "d['intended_duration_ns'], d['duration_ns'] >= 100000000")" = "(100000000, True)" ]
	replay --files "$TREE" --json --from 0.15s
	[ "$(value "d['operations'], d['intended_duration_ns']")" = "(2, 100000000)" ]
}

@test "the time of a short replay in mode asap is that of its operations" {
	write_trace 1G <<<"0 access read 1 0 4096"
	replay --files "$TREE" --mode asap --json
	[ "$status" = 0 ]
	[ "$(value "d['done'], 0 < d['ops']['read']['latency_from_submit_ns']['max'] < d['duration_ns'] < 10e9")" = "(1, True)" ]
}

@test "errors are counted by operation, and --on-error stop ends the replay" {
	write_trace 1G <<-'END'
		0 access truncate 1 0 0 task=1
		1000 access direct_write 1 100 100 task=1
		2000 access write 1 0 4096 task=1
	END
	replay --files "$TREE" --write --json
	[ "$status" = 1 ]
	one_line "$stderr"
	[ "$(value "d['done'], d['failed'], [(e['op'], e['count']) for e in d['errors']]")" = "(3, 1, [('direct_write', 1)])" ] ||
		[ "$(value "d['opened_without_direct']")" = 1 ]
	replay --files "$TREE" --write --json --on-error stop
	[ "$(value "d['done'], d['stopped']")" = "(2, True)" ] || [ "$(value "d['opened_without_direct']")" = 1 ]
}

@test "a direct read to the end of a file works on a device of longer blocks" {
	need_loop
	make_loop 16M --sector-size 4096
	mkfs.ext4 -q -F -b 4096 -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$LOOP"
	mkdir "$BATS_TEST_TMPDIR/blocks"
	mount "$LOOP" "$BATS_TEST_TMPDIR/blocks"
	printf '%s\n' '0 access direct_read 1 0 512 task=1' '10 access direct_read 2 4096 1536 task=1' \
		'20 access direct_read 3 0 512 task=1' '30 access direct_read 3 4096 4096 task=1' | write_trace 1G
	replay --files "$BATS_TEST_TMPDIR/blocks/tree" --mode asap --json
	# A part of a block in the middle of a file cannot be read so.
	[ "$(value "d['done'], d['failed'], d['bytes'], d['opened_without_direct']")" = "(4, 1, 6144, 0)" ]
	[ "$(value "[(e['op'], e['errno'], e['count']) for e in d['errors']], d['errors_of_other_kinds']")" = "([('direct_read', 22, 1)], 0)" ]
}

@test "a folder with other files, a link and a file with two names are refused and unchanged" {
	write_trace 1G <<<"0 access read 1 0 4096"
	mkdir "$TREE"
	echo mine >"$TREE/f1"
	replay --files "$TREE"
	[ "$status" = 3 ]
	one_line "$stderr"
	[ "$(cat "$TREE/f1")" = mine ]
	[ "$(find "$TREE" | wc -l)" = 2 ]
	# One that was laid out before may be used again, but not what was put into it since.
	rm "$TREE/f1"
	replay --files "$TREE"
	[ "$status" = 0 ]
	echo mine >"$BATS_TEST_TMPDIR/other"
	ln -sf "$BATS_TEST_TMPDIR/other" "$TREE/f1"
	replay --files "$TREE" --write
	[ "$status" = 3 ]
	ln -f "$BATS_TEST_TMPDIR/other" "$TREE/f1"
	replay --files "$TREE" --write
	[ "$status" = 3 ]
	rm "$TREE/f1"
	mkfifo "$TREE/f1"
	replay --files "$TREE" --write
	[ "$status" = 3 ]
	[ "$(cat "$BATS_TEST_TMPDIR/other")" = mine ]
	# A folder that is a link could be anywhere.
	ln -s "$TREE" "$BATS_TEST_TMPDIR/link"
	replay --files "$BATS_TEST_TMPDIR/link"
	[ "$status" = 3 ]
	one_line "$stderr"
}

@test "impossible rows, or no operations on files: no file is created" {
	for row in "0 access read 1 9223372036854775000 4096" "0 access read 1 0 18446744073709551615" \
		"0 access truncate 1 18446744073709551615 0" "0 access read 1000000000 0 4096" \
		"0 access read 1 0 4096 task=4000000000" "0 1 read 0 4096"; do
		write_trace 1G <<<"$row"
		replay --files "$TREE" --write
		[ "$status" = 4 ]
		one_line "$stderr"
		[ ! -e "$TREE" ]
	done
}

@test "a file set that does not fit is refused before it is created; so is a read-only file system" {
	need_loop
	another_ext4 small 16M
	write_trace 1G <<<"0 access read 1 20000000 4096"
	replay --files "$BATS_TEST_TMPDIR/small/tree"
	[ "$status" = 3 ]
	[[ $stderr == *"are free"* ]]
	one_line "$stderr"
	[ ! -e "$BATS_TEST_TMPDIR/small/tree" ]
	# The size that a file grows to counts, not its first size; a row names the largest offset.
	write_trace 1G <<<"0 access write 1 0 20000000"
	replay --files "$BATS_TEST_TMPDIR/small/tree" --write
	[ "$status" = 3 ]
	write_trace 1G <<<"0 access read 1 1152921504606846976 4096"
	replay --files "$BATS_TEST_TMPDIR/small/tree"
	[ "$status" = 3 ]
	write_trace 1G <<<"0 access read 1 0 4096"
	mount -o remount,ro "$LOOP"
	replay --files "$BATS_TEST_TMPDIR/small/tree"
	[ "$status" = 3 ]
	one_line "$stderr"
}

@test "--memory: pages that do not fit are read again, by the device's count" {
	need_loop
	another_ext4 data 96M
	for ((pass = 0; pass < 2; pass++)); do
		for ((i = 0; i < 320; i++)); do
			echo "$((pass * 320 + i)) access read 1 $((i * 131072)) 131072"
		done
	done | write_trace 1G
	# sectors COMMAND...: that the device read meanwhile.
	sectors() {
		local before after
		before=$(awk '{ print $3 }' "/sys/block/${LOOP##*/}/stat")
		replay --files "$BATS_TEST_TMPDIR/data/tree" --mode asap --json "$@"
		[ "$status" = 0 ]
		after=$(awk '{ print $3 }' "/sys/block/${LOOP##*/}/stat")
		echo "read $((after - before)) sectors"
		READ=$((after - before))
	}
	sectors
	# 40 MiB, once, with what a file system reads of its own.
	[ "$READ" -ge 81920 ]
	[ "$READ" -lt 100000 ]
	sectors --memory 24M
	[ "$(value "d['memory_bytes']")" = 25165824 ]
	# At least 16 MiB of the 40 cannot have been there any more.
	[ "$READ" -ge 110000 ]
	[ -z "$(find /sys/fs/cgroup -maxdepth 2 -name 'blkreel-replay-*')" ]
}

@test "--memory without the right to it is refused before any file is created" {
	need_root
	need_command setpriv
	write_trace 1G <<<"0 access read 1 0 4096"
	# Where somebody else can read it, and execute that.
	PUBLIC=$(make_outside -d /dev/shm/blkreel-test-XXXXXX)
	chmod 755 "$PUBLIC"
	cp "$TRACE" "$PUBLIC/t.reel"
	cp "$BLKREEL" "$PUBLIC/blkreel"
	chmod 755 "$PUBLIC"/*
	as_other() {
		run -6 --separate-stderr setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs \
			"$PUBLIC/blkreel" replay "$PUBLIC/t.reel" --files "$@"
		one_line "$stderr"
	}
	mkdir -m 777 "$PUBLIC/open"
	as_other "$PUBLIC/open/tree" --memory 32M
	[[ $stderr == *"--memory"* ]]
	as_other "$PUBLIC/tree"
	[ -z "$(find "$PUBLIC" -name 'tree*')" ]
}

@test "a folder on tmpfs is reported as not cold, in every mode" {
	need_root
	need_command mount
	mkdir "$BATS_TEST_TMPDIR/memory"
	mount -t tmpfs -o size=16m none "$BATS_TEST_TMPDIR/memory"
	write_trace 1G <<<"0 access read 1 0 4096"
	reads=$BATS_TEST_TMPDIR/reads.reel
	write_trace 1M "$reads" <<<"0 1 read 0 4096"
	truncate -s 1M "$BATS_TEST_TMPDIR/memory/f"
	for state in cold warm; do
		timeout 60 "$BLKREEL" replay "$TRACE" --files "$BATS_TEST_TMPDIR/memory/tree" --cache $state --mode asap 2>>"$BATS_TEST_TMPDIR/$state.err" >/dev/null
		timeout 60 "$BLKREEL" replay "$reads" --target "$BATS_TEST_TMPDIR/memory/f" --reads-only --mode asap --fit wrap \
			--buffered --cache $state 2>>"$BATS_TEST_TMPDIR/$state.err" >/dev/null
	done
	[ "$(grep -c 'lies in memory itself (tmpfs): ' "$BATS_TEST_TMPDIR/cold.err")" = 2 ]
	[ "$(grep -c 'lies in memory' "$BATS_TEST_TMPDIR/warm.err")" = 0 ]
}

@test "SIGINT ends the replay with a report" {
	write_trace 1G <<-'END'
		0 access write 1 0 4096
		600000000 access write 1 4096 4096
	END
	"$BLKREEL" replay "$TRACE" --files "$TREE" --write --json >"$BATS_TEST_TMPDIR/out.json" &
	echo $! >"$BATS_TEST_TMPDIR/replay"
	wait_until test -s "$TREE/f1"
	kill -INT $!
	code=0
	wait "$(cat "$BATS_TEST_TMPDIR/replay")" || code=$?
	[ "$code" = 130 ]
	[ "$(json "$BATS_TEST_TMPDIR/out.json" "d['done'], d['stopped']")" = "(1, True)" ]
}

@test "a second SIGINT within a second is the same request" {
	write_trace 1G <<-'END'
		0 access write 1 0 4096
		600000000 access write 1 4096 4096
	END
	"$BLKREEL" replay "$TRACE" --files "$TREE" --write --json >"$BATS_TEST_TMPDIR/out.json" &
	echo $! >"$BATS_TEST_TMPDIR/replay"
	wait_until test -s "$TREE/f1"
	kill -INT $!
	# The signals are two for the process, too.
	sleep 0.02
	kill -INT $! 2>/dev/null || true
	code=0
	wait "$(cat "$BATS_TEST_TMPDIR/replay")" || code=$?
	[ "$code" = 130 ]
	[ "$(json "$BATS_TEST_TMPDIR/out.json" "d['stopped']")" = True ]
}

@test "options that exclude each other are usage errors" {
	write_trace 1G <<<"0 access read 1 0 4096"
	replay --files "$TREE" --target "$BATS_TEST_TMPDIR/target"
	[ "$status" = 2 ]
	replay --files "$TREE" --mode depth
	[ "$status" = 2 ]
	replay --files "$TREE" --memory 1M
	[ "$status" = 2 ]
	replay --cache warm --target "$BATS_TEST_TMPDIR/target"
	[ "$status" = 2 ]
	[ ! -e "$TREE" ]
}
