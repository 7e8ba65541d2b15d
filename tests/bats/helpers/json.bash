# SPDX-License-Identifier: MIT
# Values of JSON documents. An expression is Python; "d" is the document ("d['rows']['io']").

# json FILE EXPRESSION: its value in the document of a file.
json() {
	python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

# value EXPRESSION: its value in the document that the last command of run() printed.
value() {
	# shellcheck disable=SC2154 # run sets it
	printf '%s' "$output" >"$BATS_TEST_TMPDIR/printed.json"
	json "$BATS_TEST_TMPDIR/printed.json" "$1"
}
