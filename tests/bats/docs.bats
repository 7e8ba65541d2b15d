# bats file_tags=once
# SPDX-License-Identifier: MIT
# The documents match the program: options, exit codes, columns, losses, make targets, links.
load test_helper

MAN=$ROOT/docs/man
GOLDEN=$ROOT/tests/golden/v1/plain.reel
mapfile -t COMMANDS < <(commands && printf 'profile %s\n' show generate scale mix slice diff)

# help_options COMMAND...: the options of its --help, one a line, sorted, but for --help itself.
help_options() {
	"$BLKREEL" "$@" --help | sed -n '/^Options:/,/^$/p' |
		grep -oE '^  (-[a-z0-9],|   ) --[a-z-]+' | tr -s ', ' '\n' | sed '/^$/d; /^-h$/d; /^--help$/d' | sort
}

# man_page COMMAND: its manual page. Sub-commands of profile are in that of profile.
man_page() {
	echo "$MAN/blkreel-${1%% *}.8"
}

# man_options COMMAND: the options in its manual page but for --help: of a command those in the section OPTIONS, of a sub-command those
# in the subsection of its name.
man_options() {
	local heading=".Sh OPTIONS"
	[[ $1 != *" "* ]] || heading=".Ss ${1#* }"
	awk -v heading="$heading" '
		/^\.Sh / || (/^\.Ss / && heading ~ /^\.Ss /) { here = ($0 == heading) }
		here && /^\.It Fl / {
			for (i = 1; i < NF; i++)
				if ($i == "Fl")
					print "-" $(i + 1)
		}' "$(man_page "$1")" | grep -vxe -h -e --help | sort
}

documents() {
	find "$ROOT" -maxdepth 1 -name '*.md'
	find "$ROOT/docs" -name '*.md'
}

# Reads text; prints "COMMAND OPTION" for every option on a line behind "blkreel COMMAND".
named_options() {
	grep -oE "blkreel (-[qv] )?[a-z]+ [^\`'|\"]*" | sed -E 's/ (--|\\-\\-) .*//; s/^blkreel (-[qv] )?//' |
		while read -r command words; do
			[[ " ${COMMANDS[*]} " == *" $command "* ]] || continue
			case "$command ${words%% *}" in
			"profile show" | "profile generate" | "profile scale" | "profile mix" | "profile slice" | "profile diff") command+=" ${words%% *}" ;;
			esac
			grep -oE '(^| )-(-[a-z][a-z-]*|[a-z])\>' <<<"$words" | while read -r option; do
				echo "$command $option"
			done
		done
}

# Options are written with one dash less in the source of the manual page's synopsis and text.
plain_manual() {
	sed -E 's/^\.Dl //; s/^\.Ql //; s/\\-/-/g' "$MAN"/*.8
}

@test "the manual pages and --help have the same options, command by command" {
	for command in "${COMMANDS[@]}"; do
		read -ra words <<<"$command"
		help_options "${words[@]}" >"$BATS_TEST_TMPDIR/help"
		[ -s "$BATS_TEST_TMPDIR/help" ]
		man_options "$command" >"$BATS_TEST_TMPDIR/man"
		diff "$BATS_TEST_TMPDIR/help" "$BATS_TEST_TMPDIR/man" || {
			echo "blkreel $command: < only in --help, > only in the manual page"
			return 1
		}
	done
}

@test "each command has a manual page, blkreel(8) lists it, and there is no other page" {
	commands | sort >"$BATS_TEST_TMPDIR/commands"
	[ -s "$BATS_TEST_TMPDIR/commands" ]
	sed -n '/^\.Sh COMMANDS/,/^\.Sh OPTIONS/s/^\.It Xr blkreel-\([a-z]*\) 8$/\1/p' "$MAN/blkreel.8" | sort |
		diff "$BATS_TEST_TMPDIR/commands" -
	find "$MAN" -name 'blkreel-*.8' | sed 's|.*/blkreel-||; s|\.8$||' | sort | diff "$BATS_TEST_TMPDIR/commands" -
	while read -r command; do
		for line in ".Dt BLKREEL-${command^^} 8" ".Nm blkreel-$command" ".Nm \"blkreel $command\"" ".Sh EXAMPLES"; do
			grep -qxF "$line" "$MAN/blkreel-$command.8" || { echo "blkreel-$command.8: no $line" && return 1; }
		done
		[ -e "$ROOT/docs/examples/$command.md" ] || [ "$command" = dump ] ||
			{ echo "no docs/examples/$command.md" && return 1; }
	done <"$BATS_TEST_TMPDIR/commands"
}

@test "blkreel(8) has the options that stand before the command" {
	"$BLKREEL" --help >"$BATS_TEST_TMPDIR/help"
	sed -n '/^\.Sh OPTIONS/,/^\.Sh UNITS/s/^\.It.* Fl -\([a-z]*\)$/--\1/p' "$MAN/blkreel.8" >"$BATS_TEST_TMPDIR/options"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/options")" -ge 4 ]
	while read -r option; do
		grep -q -- "$option" "$BATS_TEST_TMPDIR/help" || { echo "not in blkreel --help: $option" && return 1; }
	done <"$BATS_TEST_TMPDIR/options"
}

@test "references of the manual pages lead to pages and sections that exist" {
	grep -ohE '\.?Xr blkreel[a-z-]* [0-9]' "$MAN"/*.[58] | sort -u | while read -r _ page section; do
		[ -e "$MAN/$page.$section" ] || { echo "no $page.$section" && return 1; }
	done
	for page in "$MAN"/*.[58]; do
		sed -nE 's/^\.Sx ([A-Z -]*[A-Z])( .*)?$/\1/p' "$page" | while read -r section; do
			grep -qxF ".Sh $section" "$page" || { echo "$page: no section $section" && return 1; }
		done
	done
}

@test "each option behind 'blkreel COMMAND' in a document belongs to that command" {
	{ documents | xargs cat && plain_manual; } | named_options | sort -u >"$BATS_TEST_TMPDIR/named"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/named")" -ge 20 ]
	while read -r line; do
		option=${line##* }
		read -ra words <<<"${line% *}"
		{ help_options "${words[@]}" && echo -e "--help\n-h"; } | grep -qxe "$option" || {
			echo "blkreel ${words[*]} has no $option"
			return 1
		}
	done <"$BATS_TEST_TMPDIR/named"
}

@test "each option that README names alone belongs to some command" {
	for command in "${COMMANDS[@]}"; do
		read -ra words <<<"$command"
		help_options "${words[@]}"
	done | sort -u >"$BATS_TEST_TMPDIR/all"
	grep -oE '`--[a-z-]+' "$ROOT/README.md" | tr -d '`' | sort -u >"$BATS_TEST_TMPDIR/named"
	[ -s "$BATS_TEST_TMPDIR/named" ]
	run comm -13 "$BATS_TEST_TMPDIR/all" "$BATS_TEST_TMPDIR/named"
	[ "$output" = "" ]
}

@test "exit codes: blkreel(8) has those of exit_codes.h, in its words, and no page has others" {
	local header=$ROOT/userspace/base/exit_codes.h
	grep -oE '^.EXIT_[A-Z_]+ = [0-9]+' "$header" | grep -oE '[0-9]+$' | sort -n >"$BATS_TEST_TMPDIR/header"
	sed -n '/^\.Sh EXIT STATUS/,/^\.Sh EXAMPLES/p' "$MAN/blkreel.8" >"$BATS_TEST_TMPDIR/section"
	sed -nE 's/^\.It ([0-9]+)$/\1/p' "$BATS_TEST_TMPDIR/section" | sort -n >"$BATS_TEST_TMPDIR/man"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/header")" -ge 8 ]
	diff "$BATS_TEST_TMPDIR/header" "$BATS_TEST_TMPDIR/man"
	sed -E 's/^\.[A-Z][a-z] //; s/\<Fl -/--/g; s/ No / /; s/ :$/:/' "$BATS_TEST_TMPDIR/section" | tr '\n' ' ' |
		tr '[:upper:]' '[:lower:]' >"$BATS_TEST_TMPDIR/words"
	sed -nE 's|.*EXIT_[A-Z_]+ = [0-9]+,[[:space:]]*/\* (.*) \*/|\1|p' "$header" |
		tr '[:upper:]' '[:lower:]' >"$BATS_TEST_TMPDIR/meanings"
	[ -s "$BATS_TEST_TMPDIR/meanings" ]
	while read -r meaning; do
		grep -qF "$meaning" "$BATS_TEST_TMPDIR/words" || { echo "not in the manual page: $meaning" && return 1; }
	done <"$BATS_TEST_TMPDIR/meanings"
	sed -n '/^\.Sh EXIT STATUS/,/^\.Sh EXAMPLES/s/^\.It \([0-9]*\)$/\1/p' "$MAN"/*.8 | sort -nu |
		diff "$BATS_TEST_TMPDIR/header" -
}

@test "columns: the manual page names those that dump prints and no others" {
	for rows in io cache tick loss hist access; do
		"$BLKREEL" dump --rows $rows --format csv "$GOLDEN" | head -1 | tr ',' '\n' | sort >"$BATS_TEST_TMPDIR/dump"
		awk -v rows="$rows" '
			/^\.S[hs] / { here = ($0 ~ "^\\.Ss " rows ": ") }
			here && /^\.It / && $2 != "Li" { for (i = 2; i <= NF; i++) if ($i != ",") print $i }' "$(man_page dump)" |
			sort >"$BATS_TEST_TMPDIR/man"
		diff "$BATS_TEST_TMPDIR/dump" "$BATS_TEST_TMPDIR/man" || {
			echo "$rows: < only in dump, > only in the manual page"
			return 1
		}
	done
}

@test "losses: the manual page names every class" {
	"$BLKREEL" info --json "$GOLDEN" >"$BATS_TEST_TMPDIR/info"
	json "$BATS_TEST_TMPDIR/info" '"\n".join(c for c in d["lost"] if c != "total")' >"$BATS_TEST_TMPDIR/classes"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/classes")" -ge 5 ]
	while read -r class; do
		sed -n '/^\.Ss loss:/,/^\.Sh/p' "$(man_page dump)" | grep -qx "\.It Li $class" ||
			{ echo "manual page: no $class" && return 1; }
	done <"$BATS_TEST_TMPDIR/classes"
}

@test "foreign formats: docs/formats.md and the manual page list those of --help and mark those that are written" {
	"$BLKREEL" import --help | sed -n '/^Formats/,/^$/p' | sed -nE 's/^  [ *] ([a-z0-9-]+) .*/\1/p' |
		sort >"$BATS_TEST_TMPDIR/formats"
	"$BLKREEL" dump --help | sed -n '/^Foreign/,/^$/p' | sed -nE 's/^  ([a-z0-9-]+) .*/\1/p' |
		sort >"$BATS_TEST_TMPDIR/written"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/formats")" -ge 10 ]
	sed -nE 's/^## ([a-z, -]+)$/\1/p' "$ROOT/docs/formats.md" | tr -d ',' | tr ' ' '\n' | sort |
		diff "$BATS_TEST_TMPDIR/formats" -
	sed -nE 's/^\| ([a-z-]+) \| (yes|`--from`) \| .*/\1/p' "$ROOT/docs/formats.md" | sort |
		diff "$BATS_TEST_TMPDIR/formats" -
	sed -nE 's/^\| ([a-z-]+) \| (yes|`--from`) \| (yes|version .) \| .*/\1/p' "$ROOT/docs/formats.md" | sort |
		diff "$BATS_TEST_TMPDIR/written" -
	sed -n '/^\.Sh FOREIGN/,/^\.Sh EXIT/p' "$(man_page import)" >"$BATS_TEST_TMPDIR/section"
	sed -nE 's/^\.It ([a-z-]+)$/\1/p' "$BATS_TEST_TMPDIR/section" | sort | diff "$BATS_TEST_TMPDIR/formats" -
	awk '/^\.It / { name = $2 } /^Written/ { print name }' "$BATS_TEST_TMPDIR/section" | sort |
		diff "$BATS_TEST_TMPDIR/written" -
}

@test "figures: docs/kernels.md has a row for every figure of doctor" {
	"$BLKREEL" doctor --json >"$BATS_TEST_TMPDIR/doctor" || [ $? = 6 ]
	json "$BATS_TEST_TMPDIR/doctor" '"\n".join(f["figure"] for f in d["figures"])' >"$BATS_TEST_TMPDIR/figures"
	[ -s "$BATS_TEST_TMPDIR/figures" ]
	while read -r figure; do
		[ "$(grep -c "^| $figure |" "$ROOT/docs/kernels.md")" = 2 ] || { echo "kernels.md: $figure" && return 1; }
	done <"$BATS_TEST_TMPDIR/figures"
}

# profile_keys_known: "SECTION KEY" for each row of the schema; a key with a label ends with a dot.
profile_keys_known() {
	# NUMBERS(SECTION, "key", ...), and macros of one section, whose keys have labels but for FIGURE.
	sed -nE 's/^\s([A-Z]+)\((([A-Z]+), )?"([a-z_0-9.]+)".*/\1 \3 \4 &/p' "$ROOT/userspace/profile/text/rows.c" | awk '
		$1 == "LATENCY" { print "closed latency."; next }
		$1 == "FIGURE" { print "error", $2; next }
		$1 ~ /^(SPLITS|SHARES|NEIGHBOURS)$/ { print "arrival", $2 "."; next }
		{ print tolower($2), $3 (/\.labels/ ? "." : "") }'
}

# profile_keys_described FILE: the same of the tables below a heading of FILE that begins with the section.
profile_keys_described() {
	awk -F'|' '
		/^#/ { section = /^## \[/ ? $0 : ""; gsub(/^## \[|[] ,].*$/, "", section) }
		section && /^\| `/ {
			while (match($2, /`[^`]+`/)) {
				key = substr($2, RSTART + 1, RLENGTH - 2)
				$2 = substr($2, RSTART + RLENGTH)
				sub(/\.[A-Z].*/, ".", key)
				print section, key
			}
		}' "$1" | sort -u
}

@test "profiles: profile-format.md has a row for every key of the schema, and no other" {
	profile_keys_known | sort -u >"$BATS_TEST_TMPDIR/known"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/known")" -ge 90 ]
	profile_keys_described "$ROOT/docs/profile-format.md" | diff "$BATS_TEST_TMPDIR/known" - || {
		echo "< only in the schema, > only in the document"
		return 1
	}
	local copy=$BATS_TEST_TMPDIR/copy.md
	while read -r key; do
		grep -vF "| \`$key\`" "$ROOT/docs/profile-format.md" >"$copy"
		run diff <(profile_keys_described "$copy") "$BATS_TEST_TMPDIR/known"
		[ "$status" = 1 ] || { echo "not missed: $key" && return 1; }
	done <<<$'version\ngap.N\nsplit.o.G\nthink_ns\nmrc_mae'
}

@test "make targets that README and CONTRIBUTING name are in the Makefile" {
	grep -ohE '(^    |`|sudo )make [a-z-]+' "$ROOT/README.md" "$ROOT/CONTRIBUTING.md" | grep -oE '[a-z-]+$' | sort -u |
		while read -r target; do
			grep -q "^$target:" "$ROOT/Makefile" || { echo "no target $target" && return 1; }
		done
}

@test "relative links in the documents lead to files" {
	documents | while read -r document; do
		grep -oE '\]\([^)]+\)' "$document" | sed -E 's/^\]\(//; s/\)$//; s/#.*//' | while read -r link; do
			case $link in
			"" | http://* | https://* | mailto:*) continue ;;
			esac
			[ -e "$(dirname "$document")/$link" ] || { echo "$document: $link" && return 1; }
		done || return 1
	done
}

# relative_links FILE: the documents that relative links of FILE lead to, one absolute path a line.
relative_links() {
	grep -oE '\]\([^)]+\)' "$1" | sed -E 's/^\]\(//; s/\)$//; s/#.*//' | grep -E '^[^:]+\.md$' |
		while read -r link; do
			realpath -m "$(dirname "$1")/$link"
		done
}

# unreachable_documents DIR: those of its documents that README.md leads to by no chain of links.
unreachable_documents() {
	local -a waiting
	local -A reached=()
	local top document link
	top=$(realpath "$1")
	waiting=("$top/README.md")
	while [ "${#waiting[@]}" -gt 0 ]; do
		document=${waiting[0]}
		waiting=("${waiting[@]:1}")
		[ -z "${reached[$document]:-}" ] || continue
		reached[$document]=1
		[ -e "$document" ] || continue
		while read -r link; do
			waiting+=("$link")
		done < <(relative_links "$document")
	done
	{ find "$top" -maxdepth 1 -name '*.md' && find "$top/docs" -name '*.md'; } |
		while read -r document; do
			[ -n "${reached[$document]:-}" ] || echo "${document#"$top"/}"
		done
}

@test "README links to each document, directly or through another" {
	run -0 unreachable_documents "$ROOT"
	[ "$output" = "" ]
}

@test "the test finds a document that nothing links to" {
	local copy=$BATS_TEST_TMPDIR/copy
	mkdir "$copy"
	cp "$ROOT"/*.md "$copy"
	cp -r "$ROOT/docs" "$copy/docs"
	echo "See [this one](alone.md#here) and [architecture](../architecture.md)." >"$copy/docs/design/alone.md"
	run -0 unreachable_documents "$copy"
	[ "$output" = "docs/design/alone.md" ]
	echo "[alone](alone.md)" >>"$copy/docs/design/verify.md"
	run -0 unreachable_documents "$copy"
	[ "$output" = "" ]
}

@test "every path of the sources that the design names is there" {
	local named=$BATS_TEST_TMPDIR/named
	cat "$ROOT"/{CONTRIBUTING,docs/architecture}.md "$ROOT"/docs/design/*.md |
		grep -oE '`(userspace|replay|bpf)/[^`]*`' | tr -d '`' | grep -v '[*{]' | sort -u >"$named"
	[ "$(wc -l <"$named")" -ge 100 ]
	while read -r path; do
		[ -e "$ROOT/$path" ] || { echo "not there: $path" && return 1; }
	done <"$named"
}

@test "docs/architecture.md has a line for every folder of the sources" {
	(cd "$ROOT" && find bpf userspace replay -name '*.[ch]' -printf '%h\n') | sort -u |
		while read -r folder; do
			case $folder in
			userspace | userspace/render/* | userspace/commands/*) continue ;;
			esac
			grep -qF "\`$folder/\`" "$ROOT/docs/architecture.md" || { echo "no line: $folder" && return 1; }
		done
}

@test "mandoc accepts the manual pages" {
	need_command mandoc
	for page in "$MAN"/*.[58]; do
		run -0 mandoc -T lint -W warning "$page"
		[ "$output" = "" ]
	done
}

@test "the tables of kernels.md match the recorded output of doctor" {
	need_command python3
	"$ROOT/tools/kernel-tables" --check
}

@test "what works in the sample of doctor is the recorded output of doctor on that kernel" {
	need_command python3
	python3 - "$ROOT/docs/examples/doctor.md" "$ROOT/docs/kernels/6.18.json" <<-'PYTHON'
		import json, sys
		text = open(sys.argv[1]).read()
		recorded = json.load(open(sys.argv[2]))
		assert "\nLinux %s on " % recorded["kernel"] in text, recorded["kernel"]
		sample = text[text.index("What works here"):text.index("How each figure")]
		lines = [" ".join(l.split()) for l in sample.splitlines()]
		for check in recorded["capabilities"]:
		    line = "%s %s: %s" % (check["state"], check["name"], check["how"])
		    assert line in lines, line
	PYTHON
}

# sample_lines FILE HEAD LAST: the labels of the table from HEAD to LAST (both patterns), of each sample of the document that is not
# cut short by '...'; one sample a line.
sample_lines() {
	awk -v head="$2" -v last="$3" '
		$0 ~ head { inside = 1; labels = ""; next }
		inside && /^(\.\.\.|```)/ { inside = 0 }
		inside && $0 ~ last { print labels; inside = 0 }
		inside { label = $0; sub(/  +[^ ].*$/, "", label); sub(/^ +/, "", label); labels = labels label ";" }' "$1"
}

@test "samples: tables of workload figures and rows have the lines that the binary prints" {
	# It lacks IOs, so there is no verdict.
	"$BLKREEL" compare "$GOLDEN" "$GOLDEN" >"$BATS_TEST_TMPDIR/figures" || [ $? = 5 ]
	"$BLKREEL" info "$GOLDEN" | sed 's/^  \([a-z]\)/\1/' >"$BATS_TEST_TMPDIR/rows"
	figures=$(sample_lines "$BATS_TEST_TMPDIR/figures" '^Workload ' '^Sizes')
	rows=$(sample_lines "$BATS_TEST_TMPDIR/rows" '^Rows$' '^$')
	[[ $figures == "duration;number of IOs;"* && $rows == "io;access;"* ]]
	seen=0
	while read -r document; do
		while read -r labels; do
			# A profile has no duration of its own beside its trace's, and lines of who waits where it knows.
			[[ "duration;${labels#duration;}" == "$figures"* ]] || {
				echo "$document: $labels"
				return 1
			}
			seen=$((seen + 1))
		done < <(sample_lines "$document" '^Workload ' '^Sizes')
		while read -r labels; do
			[[ $labels == "$rows" ]] || {
				echo "$document: $labels"
				return 1
			}
			seen=$((seen + 1))
		done < <(sed 's/^  \([a-z]\)/\1/' "$document" | sample_lines /dev/stdin '^Rows$' '^$')
	done < <(documents)
	[ "$seen" -ge 7 ]
}

@test "samples of the public traces have the figures that the binary prints" {
	need_command python3
	traces=$ROOT/../shared/traces
	[ -r "$traces/blkreplay-linux-mysql.load.gz" ] || skip "needs the shared sample traces"
	cd "$BATS_TEST_TMPDIR"
	"$BLKREEL" import "$traces/blkreplay-linux-mysql.load.gz" -o db.reel
	"$BLKREEL" import --dedup "$traces/blkreplay-linux-webserver-2.load.gz" -o web.reel
	PATH=$(dirname "$BLKREEL"):$PATH python3 - "$ROOT/docs/examples/profile.md" "$ROOT/README.md" <<-'END'
		import re, subprocess, sys
		seen = 0
		for path in sys.argv[1:]:
		    for block in re.findall(r"^```\n\$ (blkreel profile .*?)^```$", open(path).read(), re.S | re.M):
		        command, *lines = block.splitlines()
		        if not re.search(r"\b(db|web)\.", command):
		            continue
		        printed = iter(subprocess.run(command, shell=True, check=True, text=True,
		                                      stdout=subprocess.PIPE).stdout.splitlines())
		        for line in lines:
		            assert line == "..." or line in printed, f"{path}: {command}: not printed: {line}"
		        seen += 1
		assert seen == 7, seen
	END
}
