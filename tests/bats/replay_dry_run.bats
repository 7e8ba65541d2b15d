# SPDX-License-Identifier: MIT
# replay --dry-run: the checks and refusals of a replay, a plan, and no change.
# bats file_tags=beside,sanitized
load test_helper

setup() {
	TRACE=$BATS_TEST_TMPDIR/t.reel
	FILE=$BATS_TEST_TMPDIR/f
	printf '%s\n' '0 1 write 0 4096' '100 1 secure_erase 65536 8192' '200 1 read 65536 8192' '300 1 read 0 4096' |
		write_trace 16M
}

# dry_run TARGET OPTION...: fails if TARGET changed.
dry_run() {
	local target=$1 before
	shift
	before=$(sha256sum <"$target" && stat -c '%s %y %z' "$target")
	replay --target "$target" --dry-run "$@"
	[ "$before" = "$(sha256sum <"$target" && stat -c '%s %y %z' "$target")" ]
}

# The ops of the plan and what they become.
plan() {
	value "[(o['op'], o['ios'], o['becomes']) for o in d['jobs'][0]['ops']]"
}

@test "--dry-run prints what would be done, and changes nothing" {
	local made
	head -c 16M /dev/urandom >"$FILE"
	dry_run "$FILE" --write --unsupported emulate --loop 3 --json -o "$BATS_TEST_TMPDIR/o" --series "$BATS_TEST_TMPDIR/s" \
		--stamp "$BATS_TEST_TMPDIR/state"
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	for made in o s state; do
		[ ! -e "$BATS_TEST_TMPDIR/$made" ]
	done
	# The file system decides which.
	[ "$(value "[o['op'] for o in d['jobs'][0]['ops']], d['jobs'][0]['ops'][2]['becomes'] in ('discard', 'write_zeroes', 'write')")" = \
		"(['read', 'write', 'secure_erase'], True)" ]
	[ "$(value "d['schema'], len(d['jobs']), d['jobs'][0]['source']['rounds'], d['jobs'][0]['writes'], d['jobs'][0]['holds_data']")" = \
		"('blkreel.replay_plan/1', 1, 3, True, True)" ]
	dry_run "$FILE" --write --unsupported skip --json
	[ "$(plan)" = "[('read', 2, 'read'), ('write', 1, 'write'), ('secure_erase', 1, None)]" ]
	dry_run "$FILE" --reads-only
	[ "$status" = 0 ]
	[[ $output == "Dry run of $TRACE (disk1) onto $FILE: nothing was written"*"IOs       2 read (12.0 KiB)"*"1 write (4.0 KiB), left out"*"the replay only reads" ]]
}

@test "--dry-run says whether a confirmation is needed, and asks nobody" {
	head -c 16M /dev/urandom >"$FILE"
	dry_run "$FILE" --write --unsupported skip --json
	[ "$(value "d['jobs'][0]['needs_confirmation']")" = True ]
	dry_run "$FILE" --write --unsupported skip
	[[ $output == *"the file holds data that no replay wrote"*"confirm   with --yes-destroy=$FILE, or on a terminal" ]]
	dry_run "$FILE" --write --unsupported skip --yes-destroy "$FILE" --json
	[ "$(value "d['jobs'][0]['needs_confirmation']")" = False ]
	dry_run "$FILE" --write --unsupported skip --yes-destroy "$TRACE"
	[ "$status" = 3 ]
	truncate -s 0 "$FILE"
	truncate -s 16M "$FILE"
	dry_run "$FILE" --write --unsupported skip --json
	[ "$(value "d['jobs'][0]['needs_confirmation'], d['jobs'][0]['holds_data']")" = "(False, False)" ]
	dry_run "$FILE" --write --unsupported skip
	[[ $output == *"data      nothing to overwrite: the file holds no data"* ]]
}

@test "--dry-run refuses what the replay would refuse" {
	truncate -s 16M "$FILE"
	dry_run "$FILE" --unsupported skip
	[ "$status" = 3 ]
	[[ $stderr == *"add --write"* ]]
	dry_run "$FILE" --write
	[ "$status" = 3 ]
	[[ $stderr == *"--unsupported skip"* ]]
	truncate -s 32K "$FILE"
	dry_run "$FILE" --write --unsupported skip
	[ "$status" = 3 ]
	[[ $stderr == *"is too small"* ]]
	dry_run "$TRACE" --write --unsupported skip
	[ "$status" = 3 ]
	replay --target "$BATS_TEST_TMPDIR/none" --dry-run --write --unsupported skip
	[ "$status" = 3 ]
	[ ! -e "$BATS_TEST_TMPDIR/none" ]
	# Another program has it open for writing.
	truncate -s 16M "$FILE"
	exec 7<>"$FILE"
	dry_run "$FILE" --write --unsupported skip
	exec 7>&-
	[ "$status" = 3 ]
}

@test "--dry-run goes with neither --create-size nor --files nor --verify" {
	local wrong
	for wrong in "--target $BATS_TEST_TMPDIR/new --create-size 16M --write" "--files $BATS_TEST_TMPDIR/new" \
		"--target $TRACE --verify $BATS_TEST_TMPDIR/new"; do
		# shellcheck disable=SC2086
		replay $wrong --dry-run
		echo "$wrong: $status"
		[ "$status" = 2 ]
		[ -z "$output" ]
		[ ! -e "$BATS_TEST_TMPDIR/new" ]
	done
}

@test "--dry-run of devices: each is checked and claimed, and refused while it is mounted" {
	need_loop
	need_command mkfs.ext4
	make_loop 16M
	local a=$LOOP
	make_loop 16M
	dry_run "$a" --write --unsupported skip --json
	[ "$status" = 0 ]
	[ "$(value "d['jobs'][0]['target']['exclusive'], d['jobs'][0]['needs_confirmation']")" = "(True, True)" ]
	replay --map disk1="$a" --map disk1="$LOOP" --dry-run --write --unsupported skip --json
	[ "$status" = 0 ]
	[ "$(value "[j['target']['path'] for j in d['jobs']]")" = "['$a', '$LOOP']" ]
	mkfs.ext4 -q -E nodiscard "$LOOP"
	replay --map disk1="$a" --map disk1="$LOOP" --dry-run --write --unsupported skip
	[ "$status" = 3 ]
	[[ $stderr == *ext4* ]]
	dry_run "$LOOP" --write --unsupported skip --force ext4 --json
	[ "$status" = 0 ]
	[ "$(value "d['jobs'][0]['contents']")" = ext4 ]
	mkdir "$BATS_TEST_TMPDIR/mnt"
	mount "$LOOP" "$BATS_TEST_TMPDIR/mnt"
	replay --target "$LOOP" --dry-run --write --unsupported skip --force ext4
	umount "$BATS_TEST_TMPDIR/mnt"
	[ "$status" = 3 ]
	[[ $stderr == *"is mounted"* ]]
}
