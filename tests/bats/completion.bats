# SPDX-License-Identifier: MIT
# Completion in the shells, help of a command, and what a user may have meant.
# bats file_tags=sanitized
load test_helper

COMPLETION=$ROOT/packaging/completion

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	ln -s "$(realpath "$BLKREEL")" blkreel
	PATH=$PWD:$PATH
	touch trace.reel
}

# in_bash WORD...: what bash completes for the last word.
in_bash() {
	bash -c '. "$0/blkreel.bash"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_blkreel
		printf "%s\n" "${COMPREPLY[@]}"' "$COMPLETION" "$@" | sort
}

@test "completion offers each command, and each option that --help lists" {
	commands >names
	[ "$(wc -l <names)" -ge 12 ]
	while read -r command; do
		blkreel --complete "" | cut -f 1 | grep -qx "$command"
		blkreel "$command" --help | grep -oE '^  (-.,|   ) --[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+' | sort -u >in-help
		blkreel --complete "$command" -- | cut -f 1 | grep '^--' | sort -u >offered
		[ -s offered ]
		cmp in-help offered
	done <names
}

@test "bash completes commands, subcommands, options, choices, files and programs" {
	[ "$(in_bash blkreel rep)" = "$(printf "%s\n" repair replay report)" ]
	[ "$(in_bash blkreel profile sl)" = slice ]
	[ "$(in_bash blkreel record --cac)" = --cache ]
	[ "$(in_bash blkreel replay trace.reel --mode d)" = $'dependent\ndepth' ]
	[ "$(in_bash blkreel info tr)" = trace.reel ]
	[ "$(in_bash blkreel record -d disk -- blkre)" = blkreel ]
	[ -z "$(in_bash blkreel replay --speed "")" ]
}

@test "fish completes options and choices" {
	need_command fish
	fish -c "source $COMPLETION/blkreel.fish; complete -C 'blkreel replay x --mode d'" | cut -f 1 | sort >offered
	[ "$(cat offered)" = $'dependent\ndepth' ]
	fish -c "source $COMPLETION/blkreel.fish; complete -C 'blkreel record --cac'" | grep -q '^--cache'
}

@test "zsh accepts its completion" {
	need_command zsh
	zsh -n "$COMPLETION/_blkreel"
}

@test "completion writes nothing, opens nothing and never fails aloud" {
	for command in record replay profile "profile scale" import copy; do
		# shellcheck disable=SC2086 # a subcommand is a word of its own
		run -0 --separate-stderr blkreel --complete $command -o made.reel ""
		[ -z "$stderr" ]
		[ ! -e made.reel ]
	done
	run -2 blkreel --complete
}

@test "help COMMAND is COMMAND --help" {
	for command in record replay "profile show"; do
		# shellcheck disable=SC2086
		[ "$(blkreel help $command)" = "$(blkreel $command --help)" ]
	done
	[ "$(blkreel help)" = "$(blkreel --help)" ]
	run -2 blkreel help nonsense
	[[ "$output" == *"unknown command 'nonsense'"* ]]
	[ "$(blkreel -V)" = "$(blkreel --version)" ]
}

@test "a mistyped command or option is answered with the one that was meant" {
	run -2 blkreel recrod
	[ "$output" = "blkreel: unknown command 'recrod'; did you mean record?"$'\n'"Try 'blkreel --help'." ]
	run -2 blkreel replay --tagret /dev/null
	[ "${lines[0]}" = "blkreel replay: unknown option '--tagret'; did you mean --target?" ]
	run -2 blkreel record --nonsense
	[ "${lines[0]}" = "blkreel record: unknown option '--nonsense'" ]
}
