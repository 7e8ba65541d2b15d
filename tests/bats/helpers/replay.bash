# SPDX-License-Identifier: MIT

# replay OPTION...: replays TRACE; sets output, stderr and status. It is killed after five minutes.
replay() {
	run --separate-stderr timeout 300 "$BLKREEL" replay "$TRACE" "$@"
	# shellcheck disable=SC2154 # run sets them
	echo "status $status, stderr '$stderr'"
}
