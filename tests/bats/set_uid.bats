# SPDX-License-Identifier: MIT
# A copy with the set-uid or set-gid bit would work with the rights of its owner at the wish of its
# caller.
# bats file_tags=beside
load test_helper

setup() {
	need_root
	need_command setpriv
	FOLDER=$(make_outside -d /dev/shm/blkreel-test-XXXXXX)
	chmod 755 "$FOLDER"
	cp "$BLKREEL" "$FOLDER/blkreel"
	cp "$(command -v id)" "$FOLDER/id"
}

as_other() {
	run --separate-stderr setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
	echo "status $status, stderr '$stderr'"
}

# give MODE: to blkreel and to id(1).
give() {
	chown root:root "$FOLDER/blkreel" "$FOLDER/id"
	chmod "$1" "$FOLDER/blkreel" "$FOLDER/id"
}

@test "a set-uid or set-gid copy does nothing but name the remedy" {
	[[ $BUILD != *sanitize* ]] || skip "needs a build without sanitizers, which cannot look into a set-gid process"
	mkdir -m 755 "$FOLDER/closed"
	printf '[profile]\n' >"$FOLDER/closed/p"
	for mode in 4755 2755 6755; do
		give "$mode"
		as_other "$FOLDER/id"
		[[ $output == *euid=0* || $output == *egid=0* ]] || skip "needs a file system that heeds set-uid bits"
		for words in --version --help doctor "profile oltp -o $FOLDER/closed/new" "record -t 1 -o $FOLDER/closed/new"; do
			# shellcheck disable=SC2086 # several words
			as_other "$FOLDER/blkreel" $words
			[ "$status" = 6 ]
			[ -z "$output" ]
			one_line "$stderr"
			[[ $stderr == *"set-uid or set-gid (user 65534 "*"'chmod ug-s'"* ]]
			[ ! -e "$FOLDER/closed/new" ]
		done
	done
}

@test "the bits matter to nobody who has these rights, and no other copy is refused" {
	give 6755
	run -0 "$FOLDER/blkreel" --version
	give 0755
	as_other "$FOLDER/blkreel" --version
	[ "$status" = 0 ]
}
