# SPDX-License-Identifier: MIT
# Functions for scripts that hold the metrics of blkreel serve against other counts. Control groups are below $ROOT.

ROOT=/sys/fs/cgroup

# start_serve OPTION...: in the background, until the script ends. Ends the script if it does not answer.
start_serve() {
	"$BLKREEL" serve --listen 127.0.0.1:0 "$@" 2>serve.err &
	serve=$!
	trap 'kill $serve' EXIT
	for _ in {1..600}; do
		port=$(sed -n 's|.*http://127.0.0.1:\([0-9]*\)/.*|\1|p' serve.err)
		[ -z "$port" ] || break
		sleep 0.1
	done
	# It answers when it counts.
	scrape && return
	sed 's/^/# /' serve.err
	exit 1
}

# Writes its metrics to the file metrics.
scrape() {
	local connection
	exec {connection}<>"/dev/tcp/127.0.0.1/$port" || return
	printf 'GET /metrics HTTP/1.0\r\n\r\n' >&"$connection"
	cat <&"$connection" >metrics
	exec {connection}>&-
	grep -q '^blkreel_build_info' metrics
}

# metric FAMILY PATTERN: the sum of the samples of a family of the last answer whose labels match; in whole numbers.
metric() {
	grep -E "^$1\{.*$2" metrics | awk '{ sum += $NF } END { printf "%.0f\n", sum }'
}

# of_group FAMILY GROUP DISK OP: the sum of the group and all below it.
of_group() {
	metric "blkreel_cgroup_$1_total" "cgroup=\"/$2(/[^\"]*)?\",device=\"$3\",op=\"$4\""
}

# io_stat GROUP DISK FIELD: the kernel's own count of the group and all below it.
io_stat() {
	awk -v disk="$(cat "/sys/block/$2/dev")" -v field="$3" '
		$1 == disk { for (i = 2; i <= NF; i++) if (split($i, pair, "=") && pair[1] == field) n = pair[2] }
		END { print n + 0 }' "$ROOT/$1/io.stat"
}

# memory_pages GROUP FIELD...: the sum of fields of its memory.stat that are bytes.
memory_pages() {
	local group=$1
	shift
	awk -v fields=" $* " 'index(fields, " " $1 " ") { sum += $2 } END { print sum / 4096 }' "$ROOT/$group/memory.stat"
}

# in_group GROUP COMMAND...
in_group() {
	local group=$1
	shift
	(echo 0 >"$ROOT/$group/cgroup.procs" && exec "$@")
}
