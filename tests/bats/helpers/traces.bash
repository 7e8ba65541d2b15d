# SPDX-License-Identifier: MIT
# Made-up traces, and profiles of them.

# make_trace FILE OPTION...: a random trace, see tests/helpers/make_trace.c.
make_trace() {
	"$HELPERS/make_trace" "$@"
}

# write_trace DEVICE-SIZE [FILE]: a trace (TRACE) of the IOs that standard input lists, see
# tests/helpers/trace_from_text.c.
write_trace() {
	"$HELPERS/trace_from_text" "${2:-$TRACE}" "$1"
}

# list_reads COUNT GAP_US: lines for write_trace: reads of 4 KiB at different places of 16 MiB.
list_reads() {
	awk -v n="$1" -v gap="$2" 'BEGIN { for (i = 0; i < n; i++) print i * gap, 1, "read", (i * 37 % 4096) * 4096, 4096 }'
}

# Makes PROFILE of TRACE, and the file "table" of what is printed.
build_profile() {
	"$BLKREEL" profile "$TRACE" -o "$PROFILE" >"$BATS_TEST_TMPDIR/table"
}
