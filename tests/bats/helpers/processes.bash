# SPDX-License-Identifier: MIT
# The processes that a test started. Below tests/supervise those that outlived their parent are known, too.

# Prints the processes of this test that still run, but for the clock of bats. Called as $(processes_of_test), so
# that what it starts is below a shell that it knows.
processes_of_test() {
	local own=$BASHPID
	# shellcheck disable=SC2154 # bats sets killer_pid around teardown
	cat /proc/[0-9]*/stat 2>/dev/null | awk -v test=$$ -v own="$own" -v clock="${killer_pid:-0}" \
		-v reaper="${BLKREEL_SUPERVISOR:-0}" '
		{ pid = $1; sub(/^.*\) /, ""); state[pid] = $1; parent[pid] = $2 }
		# Whether a process is below the test, or has lost its parent and is not above the test.
		function started(pid) {
			for (; pid in parent && pid != own && pid != clock && !(pid in above); pid = parent[pid])
				if (parent[pid] == test || (reaper && parent[pid] == reaper)) return 1
			return 0
		}
		END {
			for (pid = test; pid in parent; pid = parent[pid]) above[pid] = 1
			for (pid in parent) if (state[pid] !~ /[ZX]/ && started(pid)) printf "%d ", pid
		}'
}

# Called from teardown(): ends what the test left running.
end_processes() {
	local tries left
	for ((tries = 0; tries < 100; tries++)); do
		left=$(processes_of_test)
		[ -n "$left" ] || return 0
		if [ "$tries" = 0 ]; then
			echo "ending what the test left running: $left"
			# shellcheck disable=SC2086 # a list
			kill $left 2>/dev/null || true
		elif [ "$tries" -ge 20 ]; then
			# shellcheck disable=SC2086 # a list
			kill -KILL $left 2>/dev/null || true
		fi
		sleep 0.1
	done
	echo "these processes cannot be ended: $left"
}
