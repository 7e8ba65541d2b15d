# SPDX-License-Identifier: MIT
# A recorder in the background.

# start_recorder COMMAND...: starts it as RECORDER, its messages into the file ERRORS, and returns when
# its probes are on.
start_recorder() {
	: >"$ERRORS" # the messages of an earlier recorder would be taken for those of this one
	"$@" 2>"$ERRORS" &
	RECORDER=$!
	wait_until grep -qE "recording into|in memory;|of memory;" "$ERRORS"
}

# stop_recorder [STATUS]: ends RECORDER and expects this exit code (0).
stop_recorder() {
	local code=0
	kill -TERM "$RECORDER"
	wait "$RECORDER" || code=$?
	RECORDER=
	[ "$code" = "${1:-0}" ]
}
