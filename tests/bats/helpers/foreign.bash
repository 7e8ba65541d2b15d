# SPDX-License-Identifier: MIT
# Samples of foreign formats (tests/golden/foreign).

# shellcheck disable=SC2034 # the files that load this use them
SAMPLES=$BATS_TEST_DIRNAME/../golden/foreign
# shellcheck disable=SC2034
GOLDEN=$BATS_TEST_DIRNAME/../golden/v1
CSV_COLUMNS=time:ms,op,offset:4096,size:sectors,device,latency:ms,pid,comm,-

# format_of SAMPLE: "fio-iolog-v2.sample" is of the format fio-iolog.
format_of() {
	basename "$1" .sample | sed -E 's/-v[0-9]+$//'
}

# import_sample SAMPLE TRACE [OPTION...]
import_sample() {
	local sample=$1 trace=$2 options=()
	shift 2
	[ "$(format_of "$sample")" != csv ] || options=(--skip-lines 1 --columns "$CSV_COLUMNS")
	"$BLKREEL" import --from "$(format_of "$sample")" "${options[@]}" "$@" "$sample" -o "$trace"
}

# formats: all names, as --help has them; with '*' where --from is needed.
formats() {
	"$BLKREEL" import --help | sed -n '/^Formats/,/^$/p' | sed -nE 's/^  ([ *]) ([a-z0-9-]+) .*/\2\1/p'
}

written_formats() {
	"$BLKREEL" dump --help | sed -n '/^Foreign/,/^$/p' | sed -nE 's/^  ([a-z0-9-]+) .*/\1/p'
}

dump_csv() {
	"$BLKREEL" dump --format csv "$1"
}
