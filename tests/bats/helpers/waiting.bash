# SPDX-License-Identifier: MIT

# wait_until COMMAND...: repeats it until it succeeds, for at most two minutes.
wait_until() {
	local i
	for ((i = 0; i < 2400; i++)); do
		"$@" && return 0
		sleep 0.05
	done
	echo "gave up waiting for: $*" >&2
	return 1
}
