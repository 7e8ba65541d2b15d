# SPDX-License-Identifier: MIT
# Notes for tests/leftovers, which removes what a test left that was killed.

# Which process runs the tests of this folder, and since when, in ticks since boot.
note_run() {
	local pid=${BLKREEL_SUPERVISOR:-$BATS_ROOT_PID}
	echo "$pid $(sed 's/.*) //' "/proc/$pid/stat" | cut -d' ' -f20)" >"$BATS_RUN_TMPDIR/run"
}
[ -e "$BATS_RUN_TMPDIR/run" ] || note_run

# make_outside TEMPLATE: prints the name of a new file, with -d before it of a new folder, which is not in the folder of
# the test.
make_outside() {
	local made
	made=$(mktemp "$@")
	echo "$made" >>"$BATS_TEST_TMPDIR/outside"
	echo "$made"
}

# Called from teardown(), at last: removes what make_outside() made.
remove_outside() {
	local item
	[ -e "$BATS_TEST_TMPDIR/outside" ] || return 0
	while read -r item; do
		rm -rf --one-file-system "$item" || true
	done <"$BATS_TEST_TMPDIR/outside"
	rm -f "$BATS_TEST_TMPDIR/outside"
}
