# SPDX-License-Identifier: MIT
# Functions for scripts in a guest: TAP lines, devices, counters, rows.

failures=0
tests=0

# check NAME COMMAND...: runs one test.
check() {
	local name=$1
	shift
	tests=$((tests + 1))
	if "$@"; then
		echo "ok - $name"
	else
		echo "not ok - $name"
		failures=$((failures + 1))
	fi
}

# equal GOT WANT: prints both when they differ.
equal() {
	[ "$1" = "$2" ] || {
		echo "# got '$1', want '$2'"
		return 1
	}
}

# between LOW VALUE HIGH: whole numbers.
between() {
	[ "$1" -le "$2" ] && [ "$2" -le "$3" ] && return
	echo "# got $2, want $1 to $3"
	return 1
}

skip() {
	echo "ok - $1 # skip $2"
}

# The last line of a script.
finish() {
	[ "$tests" -gt 0 ] && [ "$failures" = 0 ]
	exit
}

# make_null_blk NAME KEY=VALUE...: sets $disk to its name under /dev. A key that this kernel does not
# have is an error.
make_null_blk() {
	local folder=/sys/kernel/config/nullb/$1 pair
	[ -d /sys/kernel/config/nullb ] || modprobe null_blk nr_devices=0 || return
	mkdir "$folder" || return
	shift
	for pair in "$@"; do
		echo "${pair#*=}" >"$folder/${pair%%=*}" || return
	done
	echo 1 >"$folder/power" || return
	# Kernels name it by its index, newer ones by the name of the folder.
	disk=nullb$(cat "$folder/index")
	[ -e "/sys/block/$disk" ] || disk=${folder##*/}
	[ -e "/sys/block/$disk" ]
}

# counter DISK FIELD: of /sys/block/DISK/stat, from 1 (Documentation/block/stat.rst).
counter() {
	awk -v f="$2" '{ print $f }' "/sys/block/$1/stat"
}

# column TRACE NAME [OPTION...]: a column of the rows of a trace, in the order of completion.
column() {
	local trace=$1 name=$2
	shift 2
	"$BLKREEL" dump "$trace" --format csv "$@" | awk -F, -v name="$name" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; if (!c) exit 1; next }
		{ print $c }'
}

# lost TRACE [CLASS]: the losses that the trace counts, of all classes or one.
lost() {
	"$BLKREEL" info "$1" --json | awk -v class="\"${2-total}\"" '
		/"lost"/ { inside = 1 }
		inside && index($0, class) { gsub(/[^0-9]/, ""); n = $0 }
		inside && /}/ { exit }
		END { print n }'
}

# Whether tasks are preempted inside probes, for which blkreel attaches the important ones three times.
probes_are_preempted() {
	"$BLKREEL" doctor | tr -s ' \n' ' ' | grep -q 'request probes three times, because this kernel skips'
}
