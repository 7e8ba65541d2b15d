# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Completion for bash. 'blkreel --complete' knows the words.
_blkreel() {
	local line fits=
	local -a words=("${COMP_WORDS[@]:1:COMP_CWORD}")
	COMPREPLY=()
	while IFS= read -r line; do
		case $line in
		:*) fits=${line#:} ;;
		*) COMPREPLY+=("${line%%$'\t'*}") ;;
		esac
	done < <("${COMP_WORDS[0]}" --complete "${words[@]}" 2>/dev/null)
	case $fits in
	file)
		compopt -o filenames 2>/dev/null
		while IFS= read -r line; do
			COMPREPLY+=("$line")
		done < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
		;;
	command)
		while IFS= read -r line; do
			COMPREPLY+=("$line")
		done < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
		;;
	esac
}
complete -F _blkreel blkreel
