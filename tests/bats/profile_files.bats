#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# profile --level files: operations on files, compared with programs that log their operations.
# bats file_tags=root
# bats file_tags=sanitized

# shellcheck disable=SC2034 # helpers/disturbance.bash says what this is
DISTURBED_BY="reclaim skip"
load test_helper

setup() {
	TRACE=$BATS_TEST_TMPDIR/t.reel
	PROFILE=$BATS_TEST_TMPDIR/t.profile
	TREE=$BATS_TEST_TMPDIR/tree
}

# Two files that are read and written, one that is written 100 bytes at a time, and all that is left out.
some_operations() {
	for ((i = 0; i < 300; i++)); do
		echo "$((i * 1000)) access read 1 $((i * 7 % 64 * 4096)) 4096 miss=$((i < 64))"
		echo "$((i * 1000 + 100)) access write 2 $((i * 100)) 100"
		[ $((i % 10)) != 9 ] || echo "$((i * 1000 + 200)) access sync 2 0 0"
		[ $((i % 30)) != 9 ] || echo "$((i * 1000 + 300)) access direct_read 3 $((i * 4096)) 4096"
	done
	echo "300000 access truncate 2 0 0"
	echo "300100 access advice 1 0 4096"
	echo "300200 access advice 1 0 4096"
	[ -z "${1-}" ] || echo "300300 1 read 0 4096"
}

build_files_profile() {
	run -0 --separate-stderr "$BLKREEL" profile --level files "$TRACE" -o "$PROFILE"
}

# tally TRACE: operations and bytes of each kind.
tally() {
	"$BLKREEL" dump --rows access --format csv "$1" >"$BATS_TEST_TMPDIR/tally.csv"
	python3 - "$BATS_TEST_TMPDIR/tally.csv" <<-'END'
		import collections, csv, sys
		found = collections.Counter()
		for row in csv.DictReader(open(sys.argv[1], newline="")):
		    found[row["op"]] += 1
		    found[row["op"] + " bytes"] += int(row["bytes"])
		print(dict(sorted(found.items())))
	END
}

@test "a profile of files gives as many reads, writes and syncs as the trace, and twice as many in twice the time" {
	need_loop
	need_probes
	make_loop 128M
	local mount=$BATS_TEST_TMPDIR/mnt
	mkdir "$mount"
	mkfs.ext4 -q -F -b 4096 -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$LOOP"
	mount "$LOOP" "$mount"
	head -c 8000000 /dev/urandom >"$mount/table"
	cat >"$BATS_TEST_TMPDIR/program.py" <<-'END'
		import os, random, sys
		random.seed(7)
		table = os.open(sys.argv[1] + "/table", os.O_RDONLY)
		log = os.open(sys.argv[1] + "/log", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
		todo = ["read"] * 997 + ["write"] * 499
		random.shuffle(todo)
		synced = 0
		for i, what in enumerate(todo):
		    if what == "read":
		        os.pread(table, 8192, random.randrange(976) * 8192)
		    else:
		        os.write(log, b"x" * 113)
		    if i % 36 == 35:
		        os.fsync(log)
	END
	"$BLKREEL" record --files -d "$LOOP" -o "$TRACE" -- python3 "$BATS_TEST_TMPDIR/program.py" "$mount" >/dev/null
	build_files_profile
	run -0 "$BLKREEL" profile show --json "$PROFILE"
	[ "$(value "d['level'], 1518 <= d['ios'] <= 1538")" = "('files', True)" ]
	duration=$(value "d['duration_ns']")
	"$BLKREEL" profile generate "$PROFILE" -o "$BATS_TEST_TMPDIR/g.reel"
	"$BLKREEL" profile generate "$PROFILE" --duration "$((2 * duration))ns" -o "$BATS_TEST_TMPDIR/twice.reel"
	near() {
		tally "$1"
		python3 - "$2" "$(tally "$1")" <<-'END'
			import ast, sys
			times, found = int(sys.argv[1]), ast.literal_eval(sys.argv[2])
			wanted = {"read": 997, "read bytes": 997 * 8192, "write": 499, "write bytes": 499 * 113, "sync": 41}
			for what, count in wanted.items():
			    assert abs(found[what] - times * count) <= max(2, times * count / 100), (what, found[what], times * count)
		END
	}
	near "$BATS_TEST_TMPDIR/g.reel" 1
	near "$BATS_TEST_TMPDIR/twice.reel" 2
}

@test "the text names its level and no file, and round-trips; operations are equal for equal seeds" {
	write_trace 1G < <(some_operations)
	build_files_profile
	[[ $stderr == *"left out: 2 of advice, 1 that cut a file"* ]]
	[[ $output == *"number of IOs"*"x1.000"* ]]
	grep -x 'level = files' "$PROFILE"
	run ! grep -E 'file[1-9]|task[1-9]|disk1' <(grep -v '^#' "$PROFILE")
	cp "$PROFILE" "$BATS_TEST_TMPDIR/first"
	build_files_profile
	cmp "$PROFILE" "$BATS_TEST_TMPDIR/first"
	"$BLKREEL" profile generate "$PROFILE" -o "$BATS_TEST_TMPDIR/g.reel"
	[ "$(tally "$BATS_TEST_TMPDIR/g.reel")" = "{'direct_read': 10, 'direct_read bytes': 40960, 'read': 300, 'read bytes': 1228800, 'sync': 30, 'sync bytes': 0, 'write': 300, 'write bytes': 30000}" ]
	a=$("$BLKREEL" profile generate "$PROFILE" --format csv)
	[ "$a" = "$("$BLKREEL" profile generate "$PROFILE" --format csv --seed 1)" ]
	[ "$a" != "$("$BLKREEL" profile generate "$PROFILE" --format csv --seed 2)" ]
	[ "$(head -1 <<<"$a")" = "time_ns,op,file,offset,bytes,stream,flags" ]
	# Writes of 100 bytes go on where the one before ended: 280 to 296 by seed.
	[ "$(awk -F, '$2 == "write" { n += $4 == after; after = $4 + 100 } END { print (n >= 270) }' <<<"$a")" = 1 ]
	[ "$("$BLKREEL" profile generate "$PROFILE" --format json --count 3 | python3 -c 'import json, sys; print(len([json.loads(l)["file"] for l in sys.stdin]))')" = 3 ]
}

@test "a trace of both levels: the device level is the default, and a line names the other" {
	write_trace 1G < <(some_operations io)
	run -0 --separate-stderr "$BLKREEL" profile "$TRACE" -o "$PROFILE"
	[[ $stderr == *"--level files"* ]]
	run ! grep '^level' "$PROFILE"
	grep -x 'ios = 1' "$PROFILE"
	run -0 --separate-stderr "$BLKREEL" profile --level device "$TRACE" -o "$PROFILE"
	grep -x 'ios = 1' "$PROFILE"
}

@test "show: works for one window, and does not join the end of the time to its beginning" {
	echo "0 access read 1 0 4096" | write_trace 1073741824
	"$BLKREEL" -q profile --level files "$TRACE" -o "$PROFILE"
	run -0 --separate-stderr "$BLKREEL" profile show "$PROFILE"
	[[ $output =~ " 1 window of "[^,]*", the busiest with 1 IO"$'\n' ]]
	[[ $output =~ $'\n'\ +"0 "[0-9] ]]
	run -1 grep -n ' $' <<<"$output"
}

@test "explain predicts a page cache from a generated trace" {
	write_trace 1G < <(some_operations)
	build_files_profile
	"$BLKREEL" profile generate "$PROFILE" -o "$BATS_TEST_TMPDIR/g.reel"
	run -0 --separate-stderr "$BLKREEL" explain "$BATS_TEST_TMPDIR/g.reel"
	[[ $output == *"Only operations on files"*"--cache-size"* ]]
	[[ $output != *"Nothing happened"* && $output != *"record --cache"* ]]
	run -0 --separate-stderr "$BLKREEL" explain --cache-size 64M "$BATS_TEST_TMPDIR/g.reel"
	[[ $output == *"(now 64.0 MiB, as given)"* ]]
	# 300 reads of one page each: all their pages fit into any of the sizes, and come once.
	run -0 --separate-stderr "$BLKREEL" explain --json --cache-size 64M "$BATS_TEST_TMPDIR/g.reel"
	[ "$(value "d['cache']['what_if']['recorded']['read_pages'], len({s['fetched_bytes'] for s in d['cache']['what_if']['sizes']}), 60 <= d['cache']['what_if']['sizes'][0]['fetched_bytes'] / 4096 <= d['cache']['what_if']['distinct_pages']")" = "(300, 1, True)" ]
	run -0 --separate-stderr "$BLKREEL" explain --json "$BATS_TEST_TMPDIR/g.reel"
	[ "$(value "d['cache']")" = None ]
}

@test "replay --files plays the profile on files of its sizes, equal for equal seeds" {
	write_trace 1G < <(some_operations)
	build_files_profile
	run -0 --separate-stderr "$BLKREEL" replay "$PROFILE" --files "$TREE" --write --mode asap --json
	[ "$(value "d['done'], d['failed'], d['ops']['write']['bytes'], d['ops']['sync']['operations'], d['recorded']")" = \
		"(640, 0, 30000, 30, None)" ]
	# As large as the profile says, in whole pages, from the start.
	[ "$(stat -c %s "$TREE"/f* | sort -n | xargs)" = "$(sed -n 's/^sizes = \([0-9KM]*\):1 \([0-9KM]*\):1 \([0-9KM]*\):1$/\1 \2 \3/p' "$PROFILE" | head -1 | xargs numfmt --from=iec | xargs)" ]
	run -0 --separate-stderr "$BLKREEL" replay "$PROFILE" --files "$TREE" --mode asap --json --seed 5
	[ "$(value "d['done'], d['failed'], d['skipped_writes']")" = "(310, 0, 330)" ]
	run -2 --separate-stderr "$BLKREEL" replay "$TRACE" --files "$TREE" --seed 5
	one_line "$stderr"
}

@test "commands for device profiles refuse profiles of files, and the other way round" {
	write_trace 1G < <(some_operations io)
	build_files_profile
	"$BLKREEL" profile "$TRACE" -o "$BATS_TEST_TMPDIR/device.profile" >/dev/null 2>&1
	refused() {
		run -2 --separate-stderr "$BLKREEL" "$@"
		one_line "$stderr"
		[ -z "$output" ]
	}
	refused replay "$PROFILE" --target "$BATS_TEST_TMPDIR/target"
	[[ $stderr == *"--files"* ]]
	refused replay "$BATS_TEST_TMPDIR/device.profile" --files "$TREE"
	[[ $stderr == *"--level files"* ]]
	[ ! -e "$TREE" ]
	refused profile --to-fio "$PROFILE"
	refused profile scale "$PROFILE" --footprint 2
	refused profile slice "$PROFILE" --from 0.1s
	refused profile mix "$PROFILE" oltp
	refused profile diff "$PROFILE" "$PROFILE"
	run -2 --separate-stderr "$BLKREEL" -q compare "$TRACE" "$PROFILE"
	one_line "$stderr"
	run -2 "$BLKREEL" profile --level files "$TRACE" "$TRACE"
	run -2 "$BLKREEL" profile --level files -d disk1 "$TRACE"
	run -0 "$BLKREEL" profile scale "$PROFILE" --load 2 --time 3
	[[ $output == *"level = files"*"ios = 1280"* ]]
	write_trace 1G <<<"0 1 read 0 4096"
	run -4 --separate-stderr "$BLKREEL" profile --level files "$TRACE"
	one_line "$stderr"
	[[ $stderr == *"record --files"* ]]
}

@test "an error in a profile of files is reported with its line and the expected value" {
	write_trace 1G < <(some_operations)
	build_files_profile
	# bad SED TEXT: after this edit it is refused with the line that was edited, or the one of the key.
	bad() {
		sed "$1" "$PROFILE" >"$BATS_TEST_TMPDIR/bad.profile"
		run ! cmp -s "$PROFILE" "$BATS_TEST_TMPDIR/bad.profile"
		run -4 --separate-stderr "$BLKREEL" profile generate "$BATS_TEST_TMPDIR/bad.profile"
		one_line "$stderr"
		[[ $stderr == *"line "[0-9]*": "*"$2"* ]]
	}
	line() {
		grep -n "$1" "$BATS_TEST_TMPDIR/bad.profile" | head -1 | cut -d: -f1
	}
	bad 's/^level = files/level = pages/' "none of device, files"
	[[ $stderr == *"line $(line '^level'): "* ]]
	bad 's/^level = files/level = files\nlevel = files/' "given twice"
	bad '/^level = files/d; s/^op = .*/op = read/; s/^\[stream 2\]/[profile]\nlevel = files\n[stream 2]/' "before the first [stream]"
	bad '/^level = files/d; s/^op = .*/op = read/; s/^flags.*//' "[files] goes with"
	bad '/^\[files\]/,/^\[arrival\]/{/^sizes/d}' "needs 'sizes' in [files]"
	bad '/^\[files\]/,/^\[arrival\]/{s/^sizes = [0-9KM]*/sizes = 4097/}' "not a multiple of 4096"
	bad '/^\[files\]/,/^\[arrival\]/{s/^sizes = [0-9KM]*/sizes = -4096/}' "not a multiple of 4096"
	bad '/^\[files\]/,/^\[arrival\]/{s/^sizes = \([0-9KM]*\):1/sizes = \1:0/}' "not a number of files"
	bad '/^\[files\]/,/^\[arrival\]/{s/^sizes = .*/sizes = 8192:1 4096:1/}' "out of order"
	bad '/^\[files\]/,/^\[arrival\]/{s/^sizes = .*/sizes = 4096:1/}' "but end_sector"
	bad '/^\[files\]/,/^\[arrival\]/{s/^sizes = .*/sizes = 1152921504606846976:2/}' "larger than"
	bad 's/^sequential_readahead = .*/sequential_readahead = 1001 1/' "not a number from 0 to 1000"
	bad 's/^sequential_readahead/backward_readahead/' "has no key"
	bad '0,/^op = .*/s//op = discard/' "not an operation on files"
	bad '0,/^op = .*/s//op = read\nflags = dirtied/' "not what a read can have"
	bad '0,/^op = .*/s//op = read\nflags = fua/' "not what a read can have"
	bad '0,/^op = .*/s//flags = kernel\nop = read/' "after 'op'"
}
