#!/usr/bin/env bats
# bats file_tags=once
# SPDX-License-Identifier: MIT
# The systemd unit and the logrotate file name things that exist, and the rights of the unit suffice.

load test_helper

UNIT=$ROOT/packaging/systemd/blkreel-record.service

setup() {
	FOLDER=$(make_outside -d /tmp/blkreel-packaging-XXXXXX)
	chmod 755 "$FOLDER"
	ERRORS=$BATS_TEST_TMPDIR/stderr
}

install_here() {
	make -s -C "$ROOT" install PREFIX="$FOLDER" >/dev/null
}

# setting KEY: the values of KEY= in the unit, one a line.
setting() {
	sed -n "s/^$1=//p" "$UNIT"
}

signal_of_reload() {
	setting ExecReload | sed -n 's/^kill -\([A-Z0-9]*\) $MAINPID$/\1/p'
}

@test "install puts everything under PREFIX, and uninstall takes all of it away" {
	install_here
	for file in sbin/blkreel lib/systemd/system/blkreel-record.service share/blkreel/logrotate/blkreel-record; do
		[ -s "$FOLDER/$file" ]
	done
	cmp "$ROOT/packaging/completion/blkreel.bash" "$FOLDER/share/bash-completion/completions/blkreel"
	cmp "$ROOT/packaging/completion/_blkreel" "$FOLDER/share/zsh/site-functions/_blkreel"
	cmp "$ROOT/packaging/completion/blkreel.fish" "$FOLDER/share/fish/vendor_completions.d/blkreel.fish"
	local page pages=0
	for page in "$ROOT"/docs/man/*.[58]; do
		cmp "$page" "$FOLDER/share/man/man${page##*.}/${page##*/}"
		pages=$((pages + 1))
	done
	[ "$pages" -ge 13 ]
	grep -q "^ExecStart=$FOLDER/sbin/blkreel record " "$FOLDER/lib/systemd/system/blkreel-record.service"
	make -s -C "$ROOT" uninstall PREFIX="$FOLDER" >/dev/null
	[ -z "$(find "$FOLDER" -type f)" ]
}

@test "the binary holds every library but libc" {
	need_command readelf
	local library
	for library in bpf elf z zstd lzma deflate uring blkid jansson sodium inih event_extra event_core; do
		[[ $(gcc -print-file-name=lib$library.a) == /* ]] || skip "needs the archive lib$library.a"
	done
	# The sanitizers' own come beside.
	readelf -d "$BLKREEL" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
		grep -vE '^(libasan|libubsan|libgcc_s|libstdc\+\+)\.so' >"$FOLDER/needed"
	cat "$FOLDER/needed"
	grep -q '^libc\.so' "$FOLDER/needed"
	run ! grep -vE '^(libc|libm|libdl|libpthread|ld-linux[a-z0-9-]*)\.so' "$FOLDER/needed"
}

@test "the recorder starts once the clock is set, where the host waits for that" {
	[[ " $(setting After) " == *" time-sync.target "* ]]
}

@test "systemd-analyze verify accepts the units" {
	need_command systemd-analyze
	install_here
	run -0 --separate-stderr systemd-analyze verify --man=no \
		"$FOLDER"/lib/systemd/system/blkreel-{record.service,serve.service,serve.socket}
	[ -z "$output$stderr" ]
}

@test "systemd-analyze security: an exposure of at most 1.0 of 10" {
	need_command systemd-analyze
	systemd-analyze --help | grep -q -- --offline || skip "needs systemd 250 for --offline"
	run -0 systemd-analyze security --offline=true --threshold=10 --no-pager "$UNIT"
	[[ $output == *"Overall exposure level"* ]]
	run ! systemd-analyze security --offline=true --threshold=1 --no-pager "$UNIT"
	run -0 systemd-analyze security --offline=true --threshold=10 --no-pager "${UNIT%/*}/blkreel-serve.service"
}

@test "promtool accepts the alerts, and alerts and dashboard use metrics that serve has" {
	need_command promtool
	promtool check rules "$ROOT/packaging/prometheus/blkreel.rules.yml"
	grep -ohE 'blkreel_[a-z_]+' "$ROOT"/packaging/prometheus/blkreel.rules.yml "$ROOT"/packaging/grafana/blkreel.json |
		sed 's/_bucket$//; s/_sum$//; s/_count$//; s/_total$//; s/_info$//' | sort -u >"$FOLDER/used"
	[ "$(wc -l <"$FOLDER/used")" -ge 10 ]
	grep -ohE '"blkreel_[a-z_]+"' "$ROOT"/userspace/render/metrics/*.c | tr -d '"' | sort -u >"$FOLDER/made"
	run -0 comm -23 "$FOLDER/used" "$FOLDER/made"
	echo "not made: $output"
	[ -z "$output" ]
	python3 -c 'import json, sys; assert len(json.load(open(sys.argv[1]))["panels"]) >= 10' "$ROOT/packaging/grafana/blkreel.json"
}

@test "record accepts the options of the unit" {
	[[ $(setting ExecStart) == *"/blkreel record "* ]]
	"$BLKREEL" record --help >"$FOLDER/help"
	for option in $(setting Environment | grep -oE -- '--[a-z-]+'); do
		grep -q -- " $option " "$FOLDER/help"
	done
}

# With --rotate and with --ring it makes a file, with neither it does nothing.
@test "a reload of the unit does not end the recorder, whatever its options" {
	need_loop
	need_probes
	make_loop 64M
	local options want
	while IFS='|' read -r options want; do
		# shellcheck disable=SC2086  # the options are words
		start_recorder "$BLKREEL" record $options -d "$LOOP" -o "$FOLDER/t.reel"
		"$HELPERS/issue_io" read "$LOOP" 101 4096 >/dev/null
		# shellcheck disable=SC2153  # RECORDER comes from start_recorder
		kill -"$(signal_of_reload)" "$RECORDER"
		wait_until grep -qE "$want" "$ERRORS"
		"$HELPERS/issue_io" read "$LOOP" 211 4096 >/dev/null
		stop_recorder
		cat "$ERRORS"
		grep -qE "(211|312) IOs in " "$ERRORS"
	done <<-'CASES'
		--rotate 1h|101 IOs in
		--ring 5m|101 IOs in .*\(SIGUSR1\)
		|warning: SIGUSR1 asks for a file: this needs --ring or --rotate
	CASES
}

# Its capabilities, its seccomp filter as a list of names, its user: by setpriv and strace, since no
# systemd needs to run here.
@test "the recorder runs with the unit's capabilities and within its system-call filter" {
	need_loop
	need_probes
	need_command setpriv
	need_command strace
	need_command systemd-analyze
	[[ $BUILD != *sanitize* ]] || skip "needs a build without sanitizers, which make system calls of their own"
	make_loop 64M
	local capabilities options
	capabilities="-all$(setting CapabilityBoundingSet | tr '[:upper:]' '[:lower:]' | sed 's/cap_/,+/g; s/ //g')"
	[ "$(setting AmbientCapabilities)" = "$(setting CapabilityBoundingSet)" ]
	read -ra options < <(setting Environment | sed 's/"//g; s/^BLKREEL_OPTIONS=//')
	chmod 1777 "$FOLDER"
	cp "$BLKREEL" "$FOLDER/blkreel"
	strace -f -qq -o "$FOLDER/strace" -e signal=none setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs \
		--inh-caps="$capabilities" --ambient-caps="$capabilities" --bounding-set="$capabilities" \
		"$FOLDER/blkreel" record "${options[@]}" --cache -d "$LOOP" -o "$FOLDER/t.reel" 2>"$FOLDER/stderr" &
	local recorder=$!
	wait_until grep -q "recording into" "$FOLDER/stderr"
	"$HELPERS/issue_io" read "$LOOP" 499 4096 >/dev/null
	# As ExecReload, and as the end of the service.
	pid=$(pgrep -x -u 65534 -f "$FOLDER/blkreel record.*")
	kill -"$(signal_of_reload)" "$pid"
	two_files() { [ "$(find "$FOLDER" -name 't-*.reel' | wc -l)" = 2 ]; }
	wait_until two_files
	kill -TERM "$pid"
	wait $recorder
	[ "$("$BLKREEL" dump "$FOLDER"/t-*.reel --format csv | grep -c ',read,.*,issue_io,')" = 499 ]

	# What is allowed: the groups, without the groups behind ~, with what the last line gives back.
	expand() {
		local word
		for word in "$@"; do
			case $word in
			@*) systemd-analyze syscall-filter "$word" | sed -n 's/^    \([@a-z0-9_-]*\)$/\1/p' |
				while read -r inner; do expand "$inner"; done ;;
			*) echo "$word" ;;
			esac
		done
	}
	: >"$FOLDER/allowed"
	while read -r line; do
		# shellcheck disable=SC2086
		case $line in
		"~"*) expand ${line#\~} | sort -u | comm -13 - "$FOLDER/allowed" >"$FOLDER/next" ;;
		*) { expand $line && cat "$FOLDER/allowed"; } | sort -u >"$FOLDER/next" ;;
		esac
		mv "$FOLDER/next" "$FOLDER/allowed"
	done < <(setting SystemCallFilter)
	[ "$(wc -l <"$FOLDER/allowed")" -gt 100 ]
	sed -n '/execve("[^"]*blkreel"/,$p' "$FOLDER/strace" | sed -nE 's/^[0-9]+ +([a-z0-9_]+)\(.*/\1/p' |
		sort -u >"$FOLDER/used"
	grep -qx bpf "$FOLDER/used"
	run -0 comm -23 "$FOLDER/used" "$FOLDER/allowed"
	echo "not allowed: $output"
	[ -z "$output" ]
}

@test "logrotate understands its file" {
	need_command logrotate
	run -0 logrotate --debug --state "$FOLDER/state" "$ROOT/packaging/logrotate/blkreel-record"
	[[ $output != *error* ]]
}

@test "logrotate moves the trace away, and the recorder begins a new one of the same name" {
	need_loop
	need_probes
	need_command logrotate
	make_loop 64M
	# shellcheck disable=SC2046  # the options are words
	"$BLKREEL" record $(sed -n 's/^# *BLKREEL_OPTIONS=//p' "$ROOT/packaging/logrotate/blkreel-record") \
		-d "$LOOP" -o "$FOLDER/t.reel" 2>"$FOLDER/stderr" &
	local recorder=$! first
	wait_until grep -q "recording into" "$FOLDER/stderr"
	"$HELPERS/issue_io" read "$LOOP" 101 4096 >/dev/null
	first=$(find "$FOLDER" -name 't-*.reel')
	sed "s|/var/lib/blkreel|$FOLDER|; s|systemctl kill .*|kill -HUP $recorder|" \
		"$ROOT/packaging/logrotate/blkreel-record" >"$FOLDER/config"
	chmod 644 "$FOLDER/config"
	logrotate --force --state "$FOLDER/state" "$FOLDER/config"
	wait_until test -e "$first"
	[ -e "$first.1" ]
	"$HELPERS/issue_io" read "$LOOP" 211 4096 >/dev/null
	kill -TERM $recorder
	wait $recorder
	[ "$("$BLKREEL" dump "$first.1" --format csv | grep -c ',read,.*,issue_io,')" = 101 ]
	[ "$("$BLKREEL" dump "$first" --format csv | grep -c ',read,.*,issue_io,')" = 211 ]
}
