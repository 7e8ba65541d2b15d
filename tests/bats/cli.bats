# SPDX-License-Identifier: MIT
# Rules for all commands: help, usage errors, streams and exit codes.
load test_helper

COMMANDS=$(commands)

@test "without arguments: usage on stderr, exit 2" {
	run -2 --separate-stderr "$BLKREEL"
	[ "$output" = "" ]
	[[ $stderr == "Usage: blkreel COMMAND"* ]]
}

@test "--help: every command on stdout, exit 0" {
	for word in --help -h help; do
		run -0 --separate-stderr "$BLKREEL" "$word"
		[ "$stderr" = "" ]
		for command in doctor record stat serve top info repair dump import copy profile replay bench explain compare report; do
			[[ $output == *$'\n'"  $command "* ]]
			[[ $'\n'$COMMANDS$'\n' == *$'\n'$command$'\n'* ]]
		done
	done
}

@test "--version: name and number on stdout" {
	run -0 --separate-stderr "$BLKREEL" --version
	[[ ${lines[0]} =~ ^blkreel\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	# A build without npm says what is missing.
	[ "${#lines[@]}" = 1 ] || [[ ${lines[1]} == "The pages of 'blkreel report' have no charts: "* ]]
	[ "$stderr" = "" ]
}

@test "an unknown command: named on stderr, exit 2" {
	run -2 --separate-stderr "$BLKREEL" nonsense
	[ "$output" = "" ]
	[ "$stderr" = "blkreel: unknown command 'nonsense'"$'\n'"Try 'blkreel --help'." ]
}

@test "an unknown option before the command: named, exit 2" {
	run -2 --separate-stderr "$BLKREEL" --nonsense info
	[ "$stderr" = "blkreel: unknown option '--nonsense': options follow the command"$'\n'"Try 'blkreel --help'." ]
}

@test "a file name does not reach the terminal as an escape sequence or a second line" {
	name=$BATS_TEST_TMPDIR/$'a\e[31m\nb'
	for command in info explain dump; do
		run -1 --separate-stderr "$BLKREEL" "$command" "$name"
		[ "$stderr" = "blkreel: $BATS_TEST_TMPDIR/a?[31m?b: No such file or directory" ] || fail_in "$command"
	done
	cp "$ROOT/tests/golden/v1/plain.reel" "$name"
	for command in info explain; do
		run -0 "$BLKREEL" "$command" "$name"
		[[ $output != *$'\e'* ]] || fail_in "$command"
	done
	run -5 "$BLKREEL" compare "$name" "$name" # it lacks IOs
	[[ $output != *$'\e'* ]]
}

@test "each command's --help: usage and options on stdout, exit 0" {
	for command in $COMMANDS; do
		run -0 --separate-stderr "$BLKREEL" "$command" --help
		[ "$stderr" = "" ] || fail_in "$command"
		[[ $output == "Usage: blkreel $command"* ]] || fail_in "$command"
		[[ $output == *"--help"* ]] || fail_in "$command"
	done
}

@test "each command's unknown option: exit 2, nothing on stdout, a pointer to --help" {
	for command in $COMMANDS; do
		run -2 --separate-stderr "$BLKREEL" "$command" --nonsense
		[ "$output" = "" ] || fail_in "$command"
		[ "$stderr" = "blkreel $command: unknown option '--nonsense'"$'\n'"Try 'blkreel $command --help'." ] ||
			fail_in "$command"
	done
}

@test "an option that takes one value is refused when it is given twice, with any two names; a list is not" {
	cd "$BATS_TEST_TMPDIR"
	make_trace "$TRACE"
	local line
	while read -r line; do
		# shellcheck disable=SC2086 # several words
		run -2 --separate-stderr "$BLKREEL" $line
		[ -z "$output" ]
		[[ $stderr == *" is given twice: it takes one value"* ]]
	done <<-END
		explain --cache-size 8M --cache-size 16M $TRACE
		dump $TRACE --from 0 --to 1 --from 0
		dump -f csv --format json $TRACE
		copy $TRACE -o x.reel --output y.reel
		record -t 1 -t 2 -o x.reel
		replay $TRACE --target x --speed 2 --speed 2
	END
	[ ! -e x.reel ]
	run -0 "$BLKREEL" dump -f csv --op read --op write "$TRACE"
}

@test "a command that needs a file names it when there is none" {
	for command in info dump copy explain compare replay profile; do
		run -2 --separate-stderr "$BLKREEL" "$command"
		[ "$output" = "" ] || fail_in "$command"
		[[ $stderr == "blkreel $command: "* ]] || fail_in "$command"
	done
}

@test "too many files are refused" {
	local many
	run -2 --separate-stderr "$BLKREEL" info a b
	[[ $stderr == "blkreel info: "* ]]
	printf -v many "a%.0s " {1..65}
	# shellcheck disable=SC2086 # several words
	run -2 --separate-stderr "$BLKREEL" explain $many
	[[ $stderr == "blkreel explain: takes at most 64 traces"* ]]
}

@test "no line of help is wider than 100 columns" {
	for command in $COMMANDS; do
		run -0 "$BLKREEL" "$command" --help
		for line in "${lines[@]}"; do
			[ ${#line} -le 100 ] || fail_in "$command: $line"
		done
	done
}

@test "an output that must be a file refuses the name -" {
	local good=$ROOT/tests/golden/v1/plain.reel words
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
	for words in "record -o - -- true" "copy $good -o -" "import $good -o -" "repair $good -o -" \
		"profile generate web -o -" "replay $good --target f -o -" "replay $good --target f --series -" \
		"replay $good --target f --write --stamp -"; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr "$BLKREEL" $words
		[[ $stderr == *" takes the name of a file, "*"(./- for one of that name), not '-'"* ]] || fail_in "$words"
		[ "$(ls)" = "" ] || fail_in "$words"
	done
	"$BLKREEL" copy "$good" -o ./-
	[ "$(ls)" = - ]
}

@test "standard output that is closed or full: one line with the reason, exit 1" {
	local good=$ROOT/tests/golden/v1/plain.reel words stream commands
	commands=("--help" "--version" "record --help" "info $good" "info --json $good" "dump $good" "explain $good"
		"explain --json $good" "compare $good $good" "compare --json $good $good" "doctor" "doctor --json"
		"stat 50ms 1" "stat --json 50ms 1" "profile show web" "profile scale web --load 2" "profile --to-fio web"
		"profile diff web oltp" "profile generate web --count 100" "profile generate web --count 100 --format json")
	for words in "${commands[@]}"; do
		for stream in '&-' /dev/full; do
			# shellcheck disable=SC2016,SC2086
			run -1 --separate-stderr bash -c '"$@" >'$stream - "$BLKREEL" $words
			stderr=$(grep -v 'warning: missing: ' <<<"$stderr")
			[[ $stderr == "blkreel: cannot write to standard output: "* ]] && one_line "$stderr" ||
				fail_in "$words >$stream"
		done
	done
}

fail_in() {
	echo "$1: stdout: $output"
	echo "stderr: $stderr"
	return 1
}
