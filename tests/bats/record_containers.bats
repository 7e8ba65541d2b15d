#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Units, pods and containers in a trace: their IOs, and the names that the state files of the recording host give them.
# bats file_tags=root,sanitized

load test_helper
load helpers/groups

setup() {
	need_loop
	need_probes
	make_loop 16M
	TRACE=$BATS_TEST_TMPDIR/t.reel
	# shellcheck disable=SC2034 # start_recorder uses it
	ERRORS=$BATS_TEST_TMPDIR/errors
	OUT=$BATS_TEST_TMPDIR/out
	ID=5d41402abc4b2a76b9719d911017c592ae2f1c8e6b3d7f90123456789abcdef0
	UID_OF_POD=1b4e28ba-2fa1-11d2-883f-0016d3cca427
	DOCKER=docker/$ID
	POD=kubepods/burstable/pod$UID_OF_POD/${ID/5d4/6e5}
}

# record_groups OPTION...: 101 reads by a container of Docker called $NAME, whose state files only root can read, 103 by
# one of a pod, 107 by a unit and 109 by nobody's group.
record_groups() {
	make_groups "$DOCKER" "$POD" web.service/a plain
	# shellcheck disable=SC2016 # the inner shell expands them
	NAME=$NAME ID=$ID start_recorder unshare -m sh -c 'mount -t tmpfs -o mode=700 tmpfs /var/lib &&
		mkdir -p -m 700 "/var/lib/docker/containers/$ID" &&
		printf "{\"Name\":\"/%s\"}" "$NAME" >"/var/lib/docker/containers/$ID/config.v2.json" &&
		chmod 600 "/var/lib/docker/containers/$ID/config.v2.json" && exec "$@"' - \
		"$BLKREEL" record -d "$LOOP" -o "$TRACE" "$@"
	in_group "$DOCKER" "$HELPERS/issue_io" read "$LOOP" 101 4096 >/dev/null
	in_group "$POD" "$HELPERS/issue_io" read "$LOOP" 103 4096 >/dev/null
	in_group web.service/a "$HELPERS/issue_io" read "$LOOP" 107 4096 >/dev/null
	in_group plain "$HELPERS/issue_io" read "$LOOP" 109 4096 >/dev/null
	stop_recorder
}

@test "explain sums the IOs by unit, pod and container, with the names of the recording host" {
	NAME=cache record_groups
	"$BLKREEL" explain --json "$TRACE" >"$OUT"
	[ "$(json "$OUT" "{g['name']: g['ios'] for g in d['by_container']} == {'cache (docker)': 101, 'pod $UID_OF_POD/6e51402abc4b': 103, '(no container)': 216}")" = True ]
	[ "$(json "$OUT" "{g['name']: g['ios'] for g in d['by_pod']} == {'pod $UID_OF_POD': 103, '(no pod)': 317}")" = True ]
	[ "$(json "$OUT" "next(g['ios'] for g in d['by_unit'] if g['name'] == 'web.service')")" = 107 ]
	[ "$(json "$OUT" "sum(g['ios'] for g in d['by_unit'])")" = 420 ]
	"$BLKREEL" explain "$TRACE" >"$OUT"
	grep -qE "^  container +IOs" "$OUT"
	grep -qE "^  cache \(docker\) +101 " "$OUT"
	grep -qE "^  web.service +107 " "$OUT"
	"$BLKREEL" copy "$TRACE" -o "$TRACE.copy" 2>/dev/null
	"$BLKREEL" explain "$TRACE.copy" | grep -qE "^  cache \(docker\) +101 "
	"$BLKREEL" report "$TRACE" -o "$OUT.html" 2>/dev/null
	grep -q "cache (docker)" "$OUT.html"
}

@test "a hostile name of a container is escaped, and --anonymize keeps no name" {
	NAME='\u001b[31mred' record_groups
	"$BLKREEL" explain "$TRACE" >"$OUT"
	run ! grep -q $'\e' "$OUT"
	grep -qF '[31mred (docker)' "$OUT"
	rm "$TRACE"
	remove_group
	NAME=verysecret record_groups --anonymize
	"$BLKREEL" explain --json "$TRACE" >"$OUT"
	run ! grep -q verysecret "$OUT"
	[ "$(json "$OUT" "[d['io_rows'], d['by_unit'], d['by_pod'], d['by_container']]")" = "[420, [], [], []]" ]
}

@test "of groups that are made within one second each has its path" {
	make_groups
	start_recorder "$BLKREEL" record -d "$LOOP" -o "$TRACE"
	for group in one two three; do
		for root in "${GROUP_ROOTS[@]}"; do
			mkdir "$root$BASE/$group"
		done
		in_group "$group" "$HELPERS/issue_io" read "$LOOP" 11 4096 >/dev/null
		sleep 0.2
	done
	stop_recorder
	run -0 bash -c '"$0" dump --format csv "$1" | grep -o "$2/[a-z]*" | sort | uniq -c | tr -s " "' "$BLKREEL" "$TRACE" "$BASE"
	[ "$output" = " 11 $BASE/one
 11 $BASE/three
 11 $BASE/two" ]
}
