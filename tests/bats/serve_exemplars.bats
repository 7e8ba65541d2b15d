#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# serve --recordings: an exemplar names the file that a trigger of a flight recorder wrote, at the latency that did it.
# bats file_tags=root,sanitized

load test_helper
load helpers/recorder_files

setup() {
	need_loop
	need_probes
	need_command curl
	prepare_recorder
	METRICS=$BATS_TEST_TMPDIR/metrics
	SERVE_ERRORS=$BATS_TEST_TMPDIR/serve.err
}

# Sets URL; the server answers, and so counts, when this returns.
start_serve() {
	"$BLKREEL" serve --listen 127.0.0.1:0 -d "$LOOP" --recordings "$OUT" 2>"$SERVE_ERRORS" >&2 3>&- &
	SERVE=$!
	wait_until grep -q "answering on http" "$SERVE_ERRORS"
	URL=$(sed -n 's|.*\(http://[^ ]*\).*|\1|p' "$SERVE_ERRORS")
	scrape
}

scrape() {
	curl -sf --max-time 60 -H 'Accept: application/openmetrics-text' "$URL" >"$METRICS"
}

shows() {
	scrape
	grep -qF -- "$1" "$METRICS"
}

teardown() {
	[ -z "${SERVE:-}" ] || kill "$SERVE" 2>/dev/null || true
	end_processes
	clean_up
}

@test "the file of a trigger is named at the bucket of the latency that made it fire, by OpenMetrics alone" {
	local file
	start_serve
	start_on_loop --ring 10m --trigger 'read lat > 1us' --after 0 -o "$OUT/f.reel"
	run ! grep -q ' # {' "$METRICS"
	read_loop 3
	wait_until has_reported 1
	file=$(written_file 1)
	wait_until shows "# {recording=\"$(basename "$file")\"}"
	# The request of the exemplar is a row of the file, which is read without blkreel's own head.
	"$BLKREEL" dump --format csv "$file" >"$BATS_TEST_TMPDIR/rows"
	"$BLKREEL" info --json "$file" >"$BATS_TEST_TMPDIR/info"
	python3 - "$METRICS" "$BATS_TEST_TMPDIR/rows" "$BATS_TEST_TMPDIR/info" "${LOOP#/dev/}" "$(basename "$file")" <<'PYTHON'
import csv, json, re, sys
metrics, rows, info, device, name = open(sys.argv[1]).read(), list(csv.DictReader(open(sys.argv[2]))), json.load(open(sys.argv[3])), *sys.argv[4:]
lines = [l for l in metrics.splitlines() if " # {" in l]
assert len(lines) == 1, lines
series, labels, value, time = re.fullmatch(r"(\S+) \d+ # \{(.*)\} ([\d.]+) ([\d.]+)", lines[0]).groups()
assert labels == f'recording="{name}"', labels
le = re.fullmatch(rf'blkreel_device_io_seconds_bucket\{{device="{device}",op="read",stage="total",le="(.*)"\}}', series).group(1)
assert float(value) < float(le) <= 2 * float(value), (value, le)
latency_ns, host = round(float(value) * 1e9), info["host"]
first = min(rows, key=lambda r: int(r["completed_ns"]))
assert int(first["latency_ns"]) == latency_ns == host["trigger_latency_ns"], (first, latency_ns)
assert (first["device"], first["op"]) == (device, "read") == (host["trigger_device"], host["trigger_op"])
assert int(first["completed_ns"]) == host["trigger_end_ns"]
wall_ns = host["start_wall_ns"] + host["trigger_end_ns"] - host["start_ns"]
assert time == f"{wall_ns // 10**9}.{wall_ns % 10**9:09d}".rstrip("0"), (time, wall_ns)
PYTHON
	curl -sf --max-time 60 "$URL" >"$METRICS.text"
	run ! grep -q recording= "$METRICS.text"
	stop_recorder
	# It has no request of its own: the recording ended.
	run ! grep -q trigger_device <<<"$("$BLKREEL" info --json "$(written_file 2)")"
	scrape
	[ "$(grep -c ' # {' "$METRICS")" = 1 ]
	run ! grep -qE 'recordings|exemplar' "$SERVE_ERRORS"
}

@test "a request from before the start, of another disk, or rounded by --resolution" {
	start_on_loop --ring 10m --trigger 'read lat > 1us' --resolution 1ms --after 0 -o "$OUT/f.reel"
	read_loop 3
	wait_until has_reported 1
	stop_recorder
	# Rounded to nothing: the file has no such request, and says no time more exactly than its rows.
	run ! grep -q trigger_ <<<"$("$BLKREEL" info --json "$(written_file 1)")"
	: >"$ERRORS"
	start_on_loop --ring 10m --trigger 'read lat > 1us' --after 0 -o "$OUT/old.reel"
	read_loop 3
	wait_until has_reported 1
	stop_recorder
	start_serve
	read_loop 3
	cp "$(written_file 1)" "$OUT/again.reel"
	cp "$(written_file 1)" "$BATS_TEST_TMPDIR/moved.reel"
	mv "$BATS_TEST_TMPDIR/moved.reel" "$OUT"
	# A file that comes after these is looked at after them.
	: >"$OUT/last"
	sleep 1
	scrape
	run ! grep -q ' # {' "$METRICS"
}

@test "hostile names and files: a name is escaped and Prometheus keeps it; others are passed over" {
	need_command prometheus
	local port config=$BATS_TEST_TMPDIR/prometheus.yml file name
	start_serve
	start_on_loop --ring 10m --trigger 'read lat > 1us' --after 0 -o "$BATS_TEST_TMPDIR/f.reel"
	read_loop 3
	wait_until has_reported 1
	stop_recorder
	file=$(written_file 1)
	mkfifo "$OUT/fifo"
	ln -s "$OUT/fifo" "$OUT/link.reel"
	ln -s /dev/zero "$OUT/zero.reel"
	mkdir "$OUT/folder.reel"
	head -c 100 "$file" >"$OUT/cut.reel"
	head -c 100000 /dev/urandom >"$OUT/noise.reel"
	mv "$OUT/zero.reel" "$OUT/zero2.reel"
	(echo x >"$OUT/fifo" &)
	cat "$OUT/fifo"
	for name in 'quote"} 1.reel' $'line\n# EOF\n.reel' $'bad\xff.reel' 'back\slash.reel' "$(printf 'u\303\244')"; do
		cp "$file" "$OUT/$name"
		case $name in
			quote*) wait_until shows '# {recording="quote\"} 1.reel"} 0.' ;;
			line*) wait_until shows '# {recording="escaped:line\\x0a# EOF\\x0a.reel"} 0.' ;;
			bad*) wait_until shows '# {recording="escaped:bad\\xff.reel"} 0.' ;;
			back*) wait_until shows '# {recording="back\\slash.reel"} 0.' ;;
			*) wait_until shows "# {recording=\"$name\"} 0." ;;
		esac
		[ "$(grep -c ' # {' "$METRICS")" = 1 ]
		[ "$(grep -c '^# EOF$' "$METRICS")" = 1 ]
	done
	# Too long for an exemplar: the one before stays.
	cp "$file" "$OUT/$(printf '%0120d' 7)"
	cp "$file" "$OUT/last.reel"
	wait_until shows '# {recording="last.reel"} 0.'
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	cat >"$config" <<END
global: {scrape_interval: 500ms, scrape_timeout: 500ms}
scrape_configs:
  - {job_name: blkreel, static_configs: [{targets: ["${URL:7:-8}"]}]}
END
	prometheus --config.file="$config" --storage.tsdb.path="$BATS_TEST_TMPDIR/tsdb" --log.level=error \
		--enable-feature=exemplar-storage --web.listen-address="127.0.0.1:$port" >"$BATS_TEST_TMPDIR/prometheus.out" 2>&1 3>&- &
	# stored: the recordings that Prometheus has exemplars of.
	stored() {
		curl -sf --max-time 10 --data-urlencode 'query=blkreel_device_io_seconds_bucket' --data-urlencode "start=$(($(date +%s) - 600))" \
			--data-urlencode "end=$(($(date +%s) + 60))" "http://127.0.0.1:$port/api/v1/query_exemplars" |
			python3 -c 'import json, sys
print(*[e["labels"]["recording"] for s in json.load(sys.stdin)["data"] for e in s["exemplars"]])'
	}
	has_stored() { [ "$(stored)" = "$1" ]; }
	wait_until has_stored last.reel
	kill -0 "$SERVE"
}

@test "a folder that cannot be watched ends it, a file that cannot be read is told once" {
	run -2 --separate-stderr "$BLKREEL" serve --listen 127.0.0.1:0 --recordings "$OUT/none"
	[[ $stderr == *"$OUT/none: No such file or directory"* ]]
	: >"$OUT/file"
	run -2 --separate-stderr "$BLKREEL" serve --listen 127.0.0.1:0 --recordings "$OUT/file"
	[[ $stderr == *"$OUT/file: Not a directory"* ]]
	start_serve
	# Of another user, as for a serve that is not the user of the recorder: it has no capability any more.
	for name in one two; do
		: >"$BATS_TEST_TMPDIR/$name"
		chown nobody "$BATS_TEST_TMPDIR/$name"
		chmod 600 "$BATS_TEST_TMPDIR/$name"
		mv "$BATS_TEST_TMPDIR/$name" "$OUT"
	done
	wait_until grep -q "$OUT/one: Permission denied: no exemplar names it" "$SERVE_ERRORS"
	sleep 0.5
	run ! grep -q "$OUT/two" "$SERVE_ERRORS"
}
