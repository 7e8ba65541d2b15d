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

# writes_into PID FOLDER: whether the process has opened a file for writing there, which may have no name
# yet, and written to it.
writes_into() {
	local fd
	for fd in "/proc/$1/fd/"*; do
		if [ "${fd##*/}" -gt 2 ] && [ -s "$fd" ] && [[ $(readlink "$fd") == "$2"/* ]] && grep -q '^flags:.*[12]$' "/proc/$1/fdinfo/${fd##*/}"; then
			return 0
		fi
	done
	return 1
}
