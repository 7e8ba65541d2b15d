# SPDX-License-Identifier: MIT
# Loaded by every .bats file: where the binary and the helper programs are, and the functions that
# several files share, by subject.
bats_require_minimum_version 1.5.0

BUILD=${BUILD:-$BATS_TEST_DIRNAME/../../build}
BLKREEL=${BLKREEL:-$BUILD/blkreel}
export HELPERS=$BUILD/helpers
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
export ROOT NO_COLOR=1 TZ=UTC

load helpers/devices
load helpers/disturbance
load helpers/json
load helpers/leftovers
load helpers/memory
load helpers/needs
load helpers/page_cache
load helpers/processes
load helpers/recorder
load helpers/replay
load helpers/traces
load helpers/waiting

# A file that needs more defines its own.
# shellcheck disable=SC2034 # the files that load this use TRACE
setup() {
	TRACE=$BATS_TEST_TMPDIR/t.reel
}

# A test that failed is tried again, twice at the most, if something that DISTURBED_BY names disturbed it. Says that it
# failed, and why. A test that hung is not tried again.
report_failed_try() {
	local trace reason
	[ -z "${BATS_TEST_COMPLETED:-}" ] || return 0
	BATS_TEST_RETRIES=0
	[ -z "${BATS_TIMED_OUT:-}" ] || return 0
	[ "$BATS_TEST_TRY_NUMBER" -le 2 ] || return 0
	reason=$(disturbance) || return 0
	# shellcheck disable=SC2034 # bats reads it
	BATS_TEST_RETRIES=2
	{
		echo "# tried again: $BATS_TEST_DESCRIPTION"
		echo "#   $reason"
		bats_get_failure_stack_trace trace
		bats_print_stack_trace "${trace[@]}"
		bats_print_failed_command "${trace[@]}"
		tail -n 20 "$BATS_OUT" | sed 's/^/#   /'
	} >&3
}

# Ends what the test started, then removes its swap, groups, devices and files elsewhere.
clean_up() {
	report_failed_try
	end_processes
	remove_swaps
	leave_own_group
	remove_groups
	remove_loops
	remove_outside
}

# A file with more to clean up defines its own, which calls clean_up.
teardown() {
	clean_up
}

# commands: those that --help lists.
commands() {
	"$BLKREEL" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# one_line TEXT: fails unless TEXT is exactly one line that is not empty.
one_line() {
	[ -n "$1" ] && [ "$(printf '%s\n' "$1" | wc -l)" = 1 ]
}
