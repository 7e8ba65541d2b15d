#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The rights that record needs, and those that it keeps once its probes are on.
# bats file_tags=root

load test_helper


# A user that is not root, in a folder that he may write, with the binary where he can reach it.
USER_ID=65534

setup() {
	need_loop
	need_probes
	need_command setpriv
	make_loop 64M
	FOLDER=$(make_outside -d /tmp/blkreel-privileges-XXXXXX)
	chmod 755 "$FOLDER"
	mkdir -m 1777 "$FOLDER/open"
	mkdir -m 700 "$FOLDER/theirs"
	chown "$USER_ID" "$FOLDER/theirs"
	cp "$BLKREEL" "$FOLDER/blkreel"
	BLKREEL=$FOLDER/blkreel
	TRACE=$FOLDER/open/t.reel
	ERRORS=$FOLDER/stderr
	RECORDER=
	unset SUDO_UID SUDO_GID
}

# as_user CAPABILITIES COMMAND...: becomes an ordinary user with these alone ("-all", "-all,+bpf").
as_user() {
	local capabilities=$1
	shift
	exec setpriv --reuid $USER_ID --regid $USER_ID --clear-groups --inh-caps="$capabilities" \
		--ambient-caps="$capabilities" --bounding-set="$capabilities" "$@"
}

status_of() {
	sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status"
}

# each_thread PID CHECK...: the check holds of the status of each thread, which it gets on its standard input.
each_thread() {
	local pid=$1 task status seen=0
	shift
	for task in /proc/"$pid"/task/*; do
		# A thread may end meanwhile.
		status=$(cat "$task/status" 2>/dev/null) || { [ ! -e "$task" ] && continue; }
		"$@" <<<"$status" || return 1
		seen=$((seen + 1))
	done
	[ "$seen" -gt 0 ]
}

status_has_nothing() {
	local set status
	status=$(cat)
	for set in "$@"; do
		grep -q "^$set:[[:space:]]*0000000000000000$" <<<"$status" || return 1
	done
	grep -q '^NoNewPrivs:[[:space:]]*1$' <<<"$status"
}

# has_nothing PID [SET...]: no thread of it has a capability in these sets (default: in any), nor
# can a program that it would execute get one.
has_nothing() {
	local pid=$1
	shift
	[ $# -gt 0 ] || set -- CapInh CapPrm CapEff CapBnd CapAmb
	each_thread "$pid" status_has_nothing "$@"
}

# CAP_DAC_OVERRIDE is the capability of number 1.
status_has_override_alone() {
	local status
	status=$(cat)
	grep -q '^CapPrm:[[:space:]]*0000000000000002$' <<<"$status" && grep -q '^CapEff:[[:space:]]*0000000000000002$' <<<"$status"
}

read_rows() {
	"$BLKREEL" dump "$TRACE" --format csv | grep -c ',read,'
}

# Reads that make the recorder look up each kind of name.
use_everything() {
	"$HELPERS/issue_io" read "$LOOP" 499 4096 >/dev/null
	dd if="$FOLDER/mount/file" of=/dev/null bs=64k status=none
	# The account of the page cache is read once a second.
	sleep 1.2
	"$HELPERS/issue_io" read "$LOOP" 211 4096 >/dev/null
}

@test "root keeps no capability, and files, cgroups, counters and the cache are still recorded" {
	mkfs.ext4 -q "$LOOP"
	mkdir "$FOLDER/mount"
	mount "$LOOP" "$FOLDER/mount"
	head -c 1000k /dev/zero >"$FOLDER/mount/file"
	umount "$FOLDER/mount"
	mount "$LOOP" "$FOLDER/mount"
	start_recorder "$BLKREEL" record -d "$LOOP" --cache -o "$TRACE"
	has_nothing "$RECORDER"
	use_everything
	stop_recorder
	[ "$("$BLKREEL" dump "$TRACE" --format csv | grep -c ',read,.*,issue_io,')" = 710 ]
	"$BLKREEL" info "$TRACE" --json >"$FOLDER/info.json"
	[ "$(json "$FOLDER/info.json" "d['rows']['cache'] > 0 and d['rows']['tick'] > 0")" = True ]
	[ "$(json "$FOLDER/info.json" "d['lost']['total']")" = 0 ]
	"$BLKREEL" explain "$TRACE" --json >"$FOLDER/explain.json"
	[ "$(json "$FOLDER/explain.json" "'$FOLDER/mount/file' in [f['path'] for f in d['by_file']]")" = True ]
}

@test "root writes into another user's folder and keeps no capability for it" {
	start_recorder "$BLKREEL" record -d "$LOOP" -o "$FOLDER/theirs/t.reel"
	has_nothing "$RECORDER"
	"$HELPERS/issue_io" read "$LOOP" 101 4096 >/dev/null
	stop_recorder
	[ "$(stat -c '%u %a' "$FOLDER/theirs/t.reel")" = "0 600" ]
	TRACE=$FOLDER/theirs/t.reel
	[ "$(read_rows)" = 101 ]
}

# Two files by SIGHUP, each made after every right is gone.
two_files() {
	start_recorder "$BLKREEL" record -d "$LOOP" --rotate 1G "$@"
	[ "$(find "/proc/$RECORDER/task" -mindepth 1 -maxdepth 1 | wc -l)" -ge 3 ]
	"$HELPERS/issue_io" read "$LOOP" 101 4096 >/dev/null
	kill -HUP "$RECORDER"
	second_is_there() { [ "$(find "$FOLDER" -name 't-*.reel' | wc -l)" = 2 ]; }
	wait_until second_is_there
}

@test "several files: no thread keeps a capability, and later files are created without one" {
	two_files -o "$TRACE"
	has_nothing "$RECORDER"
	stop_recorder
	[ "$(stat -c '%u %a' "$FOLDER"/open/t-*.reel | sort -u)" = "0 600" ]
	rm "$FOLDER"/open/t-*.reel
	two_files -o "$TRACE" --user nobody
	has_nothing "$RECORDER"
	stop_recorder
	[ "$(stat -c '%u %a' "$FOLDER"/open/t-*.reel | sort -u)" = "$(id -u nobody) 600" ]
	rm "$FOLDER"/open/t-*.reel
	start_recorder "$BLKREEL" record -d "$LOOP" --ring 1m -o "$TRACE"
	has_nothing "$RECORDER"
	stop_recorder
}

@test "several files in a folder that root needs CAP_DAC_OVERRIDE for: this one is kept and named" {
	two_files -o "$FOLDER/theirs/t.reel"
	grep -q "keeping CAP_DAC_OVERRIDE" "$ERRORS"
	each_thread "$RECORDER" status_has_override_alone
	stop_recorder
}

@test "--user: the recorder runs as that user with his groups, and the trace belongs to him" {
	start_recorder "$BLKREEL" record -d "$LOOP" --user nobody -o "$TRACE"
	has_nothing "$RECORDER"
	[ "$(status_of "$RECORDER" Uid | tr -s '\t' ' ')" = "65534 65534 65534 65534" ]
	[ "$(status_of "$RECORDER" Gid | tr -s '\t' ' ')" = "65534 65534 65534 65534" ]
	[ "$(status_of "$RECORDER" Groups | tr -d ' ')" = "$(id -G nobody | tr -d ' ')" ]
	"$HELPERS/issue_io" read "$LOOP" 499 4096 >/dev/null
	stop_recorder
	[ "$(read_rows)" = 499 ]
	[ "$(stat -c '%U %a' "$TRACE")" = "nobody 600" ]
}

@test "--user: an unknown user or a missing right is refused before the command starts" {
	run -1 --separate-stderr "$BLKREEL" record --user nobody -o "$FOLDER/t.reel" -t 1
	[ "$stderr" = "blkreel: user nobody may not write $FOLDER/t.reel: choose another output with -o" ]
	run -1 --separate-stderr "$BLKREEL" record --user no-such-user -o "$TRACE" -t 1
	[ "$stderr" = "blkreel: --user no-such-user: no such user" ]
	run -6 --separate-stderr as_user -all "$BLKREEL" record --user root -o "$TRACE" -t 1
	[ "$stderr" = "blkreel: --user root: only root can become another user" ]
	run -125 --separate-stderr "$BLKREEL" record --user no-such-user -o "$TRACE" -- touch "$FOLDER/ran"
	[ ! -e "$TRACE" ]
	[ ! -e "$FOLDER/ran" ]
}

@test "sudo: the trace belongs to the caller where he may write, else to root; --user root keeps root" {
	export SUDO_UID=$USER_ID SUDO_GID=$USER_ID
	TRACE=$FOLDER/theirs/t.reel
	start_recorder "$BLKREEL" record -d "$LOOP" -o "$TRACE"
	[ "$(status_of "$RECORDER" Uid | tr -s '\t' ' ')" = "65534 65534 65534 65534" ]
	has_nothing "$RECORDER"
	"$HELPERS/issue_io" read "$LOOP" 101 4096 >/dev/null
	stop_recorder
	[ "$(read_rows)" = 101 ]
	[ "$(stat -c '%u %a' "$TRACE")" = "$USER_ID 600" ]
	# Once more over it, then where only root may.
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" -- "$HELPERS/issue_io" read "$LOOP" 7 4096
	[ "$(read_rows)" = 7 ]
	"$BLKREEL" record -d "$LOOP" -o "$FOLDER/t.reel" -- true
	[ "$(stat -c '%u %a' "$FOLDER/t.reel")" = "0 600" ]
	"$BLKREEL" record -d "$LOOP" --user root -o "$FOLDER/theirs/root.reel" -- true
	[ "$(stat -c %u "$FOLDER/theirs/root.reel")" = 0 ]
	# A number that is none is nobody's.
	SUDO_UID=4294967296 "$BLKREEL" record -d "$LOOP" -o "$FOLDER/open/a.reel" -- true
	[ "$(stat -c %u "$FOLDER/open/a.reel")" = 0 ]
}

@test "sudo: what a replay records belongs to the caller where he may write, else to root" {
	local source=$FOLDER/w.reel before
	export SUDO_UID=$USER_ID SUDO_GID=$USER_ID
	printf '%s\n' '0 1 read 0 4096' '1000 1 read 65536 8192' | TRACE=$source write_trace 2M
	TRACE=$FOLDER/theirs/t.reel
	# The second time over the first.
	for _ in 1 2; do
		"$BLKREEL" replay "$source" --target "$LOOP" -o "$TRACE" >/dev/null
		[ "$(stat -c '%u %g %a' "$TRACE")" = "$USER_ID $USER_ID 600" ]
		[ "$(read_rows)" = 2 ]
	done
	"$BLKREEL" replay "$source" --target "$LOOP" -o "$FOLDER/t.reel" >/dev/null
	[ "$(stat -c '%u %a' "$FOLDER/t.reel")" = "0 600" ]
	ln -s "$FOLDER" "$FOLDER/theirs/link"
	chown -h "$USER_ID" "$FOLDER/theirs/link"
	before=$(stat -c '%i %s %Y' "$FOLDER/t.reel")
	run -1 --separate-stderr "$BLKREEL" replay "$source" --target "$LOOP" -o "$FOLDER/theirs/link/t.reel"
	[[ $stderr == *"symbolic link that another user could have made"* ]]
	[ "$(stat -c '%i %s %Y' "$FOLDER/t.reel")" = "$before" ]
}

@test "sudo: a link of the caller does not lead to a file that he may not write" {
	ln -s "$FOLDER" "$FOLDER/theirs/link"
	chown -h "$USER_ID" "$FOLDER/theirs/link"
	SUDO_UID=$USER_ID SUDO_GID=$USER_ID run -1 --separate-stderr \
		"$BLKREEL" record -d "$LOOP" -o "$FOLDER/theirs/link/t.reel" -t 1
	[[ $stderr == *"symbolic link that another user could have made"* ]]
	[ ! -e "$FOLDER/t.reel" ]
}

@test "the command keeps the rights of the caller, and signals reach it as any user" {
	"$BLKREEL" record -d "$LOOP" --user nobody -o "$TRACE" -- \
		grep -E '^(Uid|CapEff|CapBnd|NoNewPrivs)' /proc/self/status >"$FOLDER/of-command"
	grep -E '^(Uid|CapEff|CapBnd|NoNewPrivs)' /proc/self/status >"$FOLDER/of-caller"
	cmp "$FOLDER/of-caller" "$FOLDER/of-command"

	"$BLKREEL" record -d "$LOOP" --user nobody -o "$TRACE" -- setpriv --reuid 12345 --clear-groups \
		bash -c 'trap "exit 23" TERM; echo ready; while :; do sleep 0.1; done' >"$FOLDER/out" 2>/dev/null &
	local recorder=$! status=0
	wait_until grep -q ready "$FOLDER/out"
	kill -TERM $recorder
	wait $recorder || status=$?
	[ "$status" = 23 ]
}

@test "no process of the recorder remains after its end or its kill" {
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" -- sleep 0.1
	run -1 pgrep -f "$FOLDER/blkreel"
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" -- sh -c "echo \$\$ >$FOLDER/pid; exec sleep 60" 2>/dev/null &
	local recorder=$!
	wait_until test -s "$FOLDER/pid"
	kill -9 $recorder
	wait $recorder || true
	run -0 kill "$(cat "$FOLDER/pid")"
	nothing_left() { ! pgrep -f "$FOLDER/blkreel" >/dev/null; }
	wait_until nothing_left
}

@test "a user with CAP_BPF and CAP_PERFMON records everything and keeps neither" {
	start_recorder as_user -all,+bpf,+perfmon "$BLKREEL" record -d "$LOOP" --cache -o "$TRACE"
	# Only root may shrink the bounding set; without new privileges nothing can use it.
	has_nothing "$RECORDER" CapInh CapPrm CapEff CapAmb
	"$HELPERS/issue_io" read "$LOOP" 499 4096 >/dev/null
	stop_recorder
	[ "$(read_rows)" = 499 ]
	run -0 --separate-stderr as_user -all,+bpf,+perfmon "$BLKREEL" doctor
	[[ $output == *"works       privileges: CAP_BPF and CAP_PERFMON"* ]]
}

@test "the setcap command of doctor gives exactly the capabilities to record" {
	need_command setcap
	run -6 --separate-stderr as_user -all "$BLKREEL" doctor --json
	echo "$output" >"$FOLDER/doctor.json"
	json "$FOLDER/doctor.json" "d['capabilities'][0]['cost']" | grep -o 'setcap .*' >"$FOLDER/command"
	[ "$(cat "$FOLDER/command")" = "setcap cap_bpf,cap_perfmon=ep $BLKREEL" ]
	bash "$FOLDER/command" || skip "needs a file system with file capabilities"
	start_recorder setpriv --reuid $USER_ID --regid $USER_ID --clear-groups "$BLKREEL" record -d "$LOOP" -o "$TRACE"
	has_nothing "$RECORDER" CapInh CapPrm CapEff CapAmb
	"$HELPERS/issue_io" read "$LOOP" 499 4096 >/dev/null
	stop_recorder
	[ "$(read_rows)" = 499 ]
}

@test "doctor names each missing capability and the command that gives it" {
	run -6 --separate-stderr as_user -all,+bpf "$BLKREEL" record -t 1 -o "$TRACE"
	one_line "$stderr"
	[[ $stderr == *"CAP_PERFMON is missing: run as root, or once, as root, run 'setcap cap_bpf,cap_perfmon=ep $BLKREEL'" ]]
	run -6 --separate-stderr as_user -all,+perfmon "$BLKREEL" record -t 1 -o "$TRACE"
	[[ $stderr == *"CAP_BPF is missing: "* ]]
	run -6 --separate-stderr as_user -all "$BLKREEL" record -t 1 -o "$TRACE"
	[[ $stderr == *"CAP_BPF and CAP_PERFMON are missing: "* ]]
	[ ! -e "$TRACE" ]
}

@test "doctor without rights calls no figure exact" {
	run -6 --separate-stderr as_user -all "$BLKREEL" doctor --json
	echo "$output" >"$FOLDER/doctor.json"
	[ "$(json "$FOLDER/doctor.json" "{f['quality'] for f in d['figures']}")" = "{'unavailable'}" ]
	run -6 --separate-stderr as_user -all "$BLKREEL" doctor
	[[ $output == *"How each figure would be measured, once recording is possible"* ]]
	run ! grep -q "^  exact " <<<"$output"
}

@test "in a user namespace root has no rights, and the message says so" {
	need_command unshare
	run -6 --separate-stderr unshare --user --map-root-user "$BLKREEL" record -t 1 -o "$TRACE"
	[[ $stderr == *"user namespace"*"record on the host"* ]]
}

@test "replay -o records and keeps the rights that replay needs" {
	"$BLKREEL" record -d "$LOOP" -o "$TRACE" -- "$HELPERS/issue_io" read "$LOOP" 101 4096
	run -0 --separate-stderr "$BLKREEL" replay "$TRACE" --target "$LOOP" --mode asap -o "$FOLDER/replayed.reel" --json
	echo "$output" >"$FOLDER/replay.json"
	[ "$(json "$FOLDER/replay.json" "d['completed']")" = 101 ]
	TRACE=$FOLDER/replayed.reel
	[ "$(read_rows)" = 101 ]
}
