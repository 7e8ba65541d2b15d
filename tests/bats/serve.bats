#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# serve: metrics, compared with the IOs issued, the kernel's counts, and what Prometheus makes of them.
# bats file_tags=root

load test_helper
load helpers/groups

setup() {
	need_loop
	need_probes
	need_command curl
	make_loop 64M
	DEVICE=${LOOP#/dev/}
	METRICS=$BATS_TEST_TMPDIR/metrics
}

# start_serve ARGUMENT...: in the background, on a free port: URL; PID is its number.
start_serve() {
	"$BLKREEL" serve --listen 127.0.0.1:0 "$@" 2>"$BATS_TEST_TMPDIR/serve.err" >&2 3>&- &
	PID=$!
	wait_until grep -q "answering on http" "$BATS_TEST_TMPDIR/serve.err"
	URL=$(sed -n 's|.*\(http://[^ ]*\).*|\1|p' "$BATS_TEST_TMPDIR/serve.err")
	# It answers when it counts.
	curl -sf --max-time 60 "$URL" >"$METRICS"
}

scrape() {
	curl -sf --max-time 60 "$URL" >"$METRICS"
}

# value SERIES: of the last scrape; SERIES as it stands there.
value() {
	series=$1 awk 'BEGIN { series = ENVIRON["series"] } index($0, series " ") == 1 { print $NF; found = 1 } END { if (!found) print "none" }' "$METRICS"
}

# sum FAMILY PATTERN: of the samples of a family whose labels match.
sum() {
	grep "^$1{" "$METRICS" | grep -E -- "$2" | awk '{ sum += $NF } END { printf "%d\n", sum }'
}

# What was wrong, for the list of failures: the figures of the device, and what was lost. That the kernel did not report
# an event is noticed when the device was quiet for 250 ms.
show_figures() {
	local try
	[ -z "${BATS_TEST_COMPLETED:-}" ] && [ -s "$METRICS" ] || return 0
	for try in 1 2; do
		[ -z "${URL:-}" ] || ! curl -sf --max-time 60 "$URL" >"$METRICS.$try" || mv "$METRICS.$try" "$METRICS"
		sleep 0.4
	done
	grep -E "^blkreel_(lost|device_ios|cgroups_folded)|^blkreel_cgroup_ios.*(one|two|other)\"" "$METRICS" | head -n 30
}

teardown() {
	show_figures
	clean_up
}

@test "IOs, bytes and latencies of a device are those of the kernel, and all groups together are the device" {
	local before after op writes
	make_groups one two
	start_serve -d "$LOOP"
	before=$(diskstat "$LOOP" 1)
	# The kernel counts a flush that a task waits for as a write, too.
	writes=$(diskstat "$LOOP" 5)
	in_group one "$HELPERS/issue_io" read "$LOOP" 499 4096 >/dev/null
	in_group two "$HELPERS/issue_io" read "$LOOP" 211 8192 >/dev/null
	in_group two "$HELPERS/issue_io" write "$LOOP" 307 4096 50 >/dev/null
	after=$(diskstat "$LOOP" 1)
	scrape
	[ $((after - before)) = 710 ]
	[ "$(value "blkreel_device_ios_total{device=\"$DEVICE\",op=\"read\"}")" = 710 ]
	[ "$(value "blkreel_device_io_bytes_total{device=\"$DEVICE\",op=\"read\"}")" = $((499 * 4096 + 211 * 8192)) ]
	[ "$(value "blkreel_device_io_seconds_count{device=\"$DEVICE\",op=\"read\",stage=\"total\"}")" = 710 ]
	[ "$(value "blkreel_device_io_seconds_bucket{device=\"$DEVICE\",op=\"read\",stage=\"device\",le=\"+Inf\"}")" = 710 ]
	[ "$(value "blkreel_cgroup_ios_total{cgroup=\"$BASE/one\",device=\"$DEVICE\",op=\"read\"}")" = 499 ]
	[ "$(value "blkreel_cgroup_ios_total{cgroup=\"$BASE/two\",device=\"$DEVICE\",op=\"read\"}")" = 211 ]
	[ "$(value "blkreel_cgroup_ios_total{cgroup=\"$BASE/two\",device=\"$DEVICE\",op=\"write\"}")" = $(($(diskstat "$LOOP" 5) - writes)) ]
	[ "$(value "blkreel_cgroup_io_bytes_total{cgroup=\"$BASE/two\",device=\"$DEVICE\",op=\"write\"}")" = $((307 * 4096)) ]
	[ "$(value "blkreel_cgroup_io_bytes_total{cgroup=\"$BASE/two\",device=\"$DEVICE\",op=\"read\"}")" = $((211 * 8192)) ]
	[ "$(value "blkreel_cgroup_io_seconds_count{cgroup=\"$BASE/one\",device=\"$DEVICE\",op=\"read\",stage=\"device\"}")" = 499 ]
	for op in read write discard flush; do
		[ "$(value "blkreel_device_ios_total{device=\"$DEVICE\",op=\"$op\"}")" = "$(sum blkreel_cgroup_ios_total "op=\"$op\"")" ]
	done
	# One at a time: busy as long as the requests took, but for the time between clock readings.
	python3 - "$METRICS" <<-'PYTHON'
		import sys
		values = dict(line.rsplit(" ", 1) for line in open(sys.argv[1]) if line[0] != "#")
		one = lambda name: sum(float(v) for k, v in values.items() if k.startswith(name))
		busy = one("blkreel_device_busy_seconds_total")
		everything = sum(float(v) for k, v in values.items()
		                 if k.startswith("blkreel_device_io_seconds_sum") and 'stage="total"' in k)
		total = sum(float(v) for k, v in values.items()
		            if k.startswith("blkreel_device_io_seconds_sum") and 'op="read",stage="total"' in k)
		device = sum(float(v) for k, v in values.items()
		             if k.startswith("blkreel_device_io_seconds_sum") and 'op="read",stage="device"' in k)
		queue = sum(float(v) for k, v in values.items()
		            if k.startswith("blkreel_cgroup_io_seconds_sum") and 'op="read",stage="queue"' in k)
		# Times in the device: the same buckets by group as for the device, IO by IO.
		def buckets(family):
		    counts = {}
		    for k, v in values.items():
		        if k.startswith(family + "_bucket{") and 'op="read",stage="device"' in k:
		            le = k.split('le="')[1].rstrip('"}')
		            counts[le] = counts.get(le, 0) + int(v)
		    return counts
		assert buckets("blkreel_cgroup_io_seconds") == buckets("blkreel_device_io_seconds"), values
		assert len(buckets("blkreel_device_io_seconds")) > 2
		assert 0 < busy <= everything * 1.5, (busy, everything)
		# What a request waits in the queue and what it takes in the device is the whole.
		assert abs(total - device - queue) <= 0.001 * total, (total, device, queue)
	PYTHON
}

@test "Prometheus scrapes it, and its sums are those of the kernel; promtool accepts both formats' names" {
	need_command promtool
	need_command prometheus
	local port config=$BATS_TEST_TMPDIR/prometheus.yml before
	start_serve -d "$LOOP"
	promtool check metrics <"$METRICS"
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	cat >"$config" <<END
scrape_configs:
  - job_name: blkreel
    scrape_interval: 500ms
    scrape_timeout: 500ms
    static_configs: [{targets: ["${URL:7:-8}"]}]
END
	promtool check config "$config"
	before=$(diskstat "$LOOP" 1)
	prometheus --config.file="$config" --storage.tsdb.path="$BATS_TEST_TMPDIR/tsdb" --log.level=error \
		--web.listen-address="127.0.0.1:$port" >"$BATS_TEST_TMPDIR/prometheus.out" 2>&1 3>&- &
	"$HELPERS/issue_io" read "$LOOP" 499 4096 >/dev/null
	[ $(($(diskstat "$LOOP" 1) - before)) = 499 ]
	# ask QUERY: the sum that Prometheus has.
	ask() {
		curl -sf --max-time 10 --data-urlencode "query=sum($1)" "http://127.0.0.1:$port/api/v1/query" |
			python3 -c 'import json, sys; r = json.load(sys.stdin)["data"]["result"]; print(r[0]["value"][1] if r else "none")'
	}
	has() { [ "$(ask "$1")" = "$2" ]; }
	wait_until has "blkreel_device_ios_total{device=\"$DEVICE\",op=\"read\"}" 499
	wait_until has "blkreel_cgroup_ios_total{op=\"read\"}" 499
	has 'up' 1
	has "blkreel_device_io_seconds_count{op=\"read\",stage=\"total\"}" 499
	has 'blkreel_lost_events_total' 0
	wait_until curl -sf -o /dev/null "http://127.0.0.1:$port/-/healthy"
	# It asks for OpenMetrics, whose type and help belong to names without _total.
	curl -sf --max-time 10 "http://127.0.0.1:$port/api/v1/metadata?metric=blkreel_device_ios" | grep -q '"type":"counter"'
}

@test "the page cache by control group: pages read, missed, dirtied and written back" {
	need_figure cache_reads
	umount "$LOOP" 2>/dev/null || true
	mount_new ext4
	make_file file 4
	remount
	make_groups reader writer
	start_serve -d "$LOOP"
	in_group reader cat "$MNT/file" >/dev/null
	in_group writer dd if=/dev/zero of="$MNT/new" bs=1M count=3 conv=fsync status=none
	scrape
	[ "$(value "blkreel_cache_read_pages_total{cgroup=\"$BASE/reader\"}")" = 1024 ]
	[ "$(value "blkreel_cache_dirtied_pages_total{cgroup=\"$BASE/reader\"}")" = 0 ]
	[ "$(value "blkreel_cache_dirtied_pages_total{cgroup=\"$BASE/writer\"}")" = 768 ]
	[ "$(value "blkreel_cgroup_written_back_pages_total{cgroup=\"$BASE/writer\",device=\"$DEVICE\",op=\"write\"}")" = 768 ]
	missed=$(value "blkreel_cache_missed_pages_total{cgroup=\"$BASE/reader\"}")
	added=$(value "blkreel_cache_readahead_added_pages_total{cgroup=\"$BASE/reader\"}")
	used=$(value "blkreel_cache_readahead_used_pages_total{cgroup=\"$BASE/reader\"}")
	echo "missed $missed added $added used $used"
	[ $((missed + added)) = 1024 ]
	[ "$used" = "$added" ]
	# The device read them, for the reader, and some blocks of the file system.
	[ "$(value "blkreel_cgroup_io_bytes_total{cgroup=\"$BASE/reader\",device=\"$DEVICE\",op=\"read\"}")" -ge $((1024 * 4096)) ]
}

@test "hostile names of control groups are escaped, stay different, and Prometheus accepts them" {
	need_command promtool
	local names name i=0
	names=('quote"}' 'back\slash' $'bad\xff' 'bad\xff' 'x{le="1"} 7' '# HELP' "$(printf 'u\303\244')" $'del\x7f' other 'escaped:x' "$(printf '%0.s0123456789' {1..20})")
	make_groups "${names[@]}"
	start_serve -d "$LOOP"
	for name in "${names[@]}"; do
		in_group "$name" "$HELPERS/issue_io" read "$LOOP" $((101 + i)) 4096 >/dev/null
		i=$((i + 1))
	done
	scrape
	promtool check metrics <"$METRICS"
	[ "$(grep -c "^blkreel_cgroup_ios_total{.*$BASE" "$METRICS")" = "${#names[@]}" ]
	[ "$(grep "^blkreel_cgroup_ios_total{" "$METRICS" | sed 's/ [0-9]*$//' | sort | uniq -d)" = "" ]
	[ "$(value "blkreel_cgroup_ios_total{cgroup=\"$BASE/quote\\\"}\",device=\"$DEVICE\",op=\"read\"}")" = 101 ]
	[ "$(sum blkreel_cgroup_ios_total "op=\"read\"")" = "$(value "blkreel_device_ios_total{device=\"$DEVICE\",op=\"read\"}")" ]
	grep -qF "{cgroup=\"escaped:$BASE/bad\\\\xff\",device=\"$DEVICE\",op=\"read\"} 103" "$METRICS"
	grep -qF "{cgroup=\"$BASE/bad\\\\xff\",device=\"$DEVICE\",op=\"read\"} 104" "$METRICS"
}

@test "pods and containers are named after their paths" {
	local id=5d41402abc4b2a76b9719d911017c592ae2f1c8e6b3d7f90123456789abcdef0 uid=1b4e28ba-2fa1-11d2-883f-0016d3cca427
	make_groups "kubepods/burstable/pod$uid/$id" "kubepods.slice/kubepods-pod${uid//-/_}.slice/cri-containerd-$id.scope" web.service
	start_serve -d "$LOOP"
	in_group "kubepods/burstable/pod$uid/$id" "$HELPERS/issue_io" read "$LOOP" 101 4096 >/dev/null
	in_group "kubepods.slice/kubepods-pod${uid//-/_}.slice/cri-containerd-$id.scope" "$HELPERS/issue_io" read "$LOOP" 103 4096 >/dev/null
	in_group web.service "$HELPERS/issue_io" read "$LOOP" 107 4096 >/dev/null
	scrape
	grep -q "^blkreel_cgroup_info{cgroup=\"$BASE/kubepods/burstable/pod$uid/$id\",kind=\"container\",pod_uid=\"$uid\",container_id=\"$id\"} 1" "$METRICS"
	grep -q "^blkreel_cgroup_info{cgroup=\"$BASE/kubepods.slice.*kind=\"container\",unit=\"cri-containerd-$id.scope\",pod_uid=\"$uid\",container_id=\"$id\",runtime=\"containerd\"} 1" "$METRICS"
	grep -q "^blkreel_cgroup_info{cgroup=\"$BASE/web.service\",kind=\"unit\",unit=\"web.service\"} 1" "$METRICS"
	[ "$(sum blkreel_cgroup_ios_total "pod$uid/$id\",.*op=\"read\"")" = 101 ]
	[ "$(sum blkreel_cgroup_ios_total "cri-containerd-$id.scope\",.*op=\"read\"")" = 103 ]
	[ "$(value "blkreel_cgroup_ios_total{cgroup=\"$BASE/web.service\",device=\"$DEVICE\",op=\"read\"}")" = 107 ]
}

@test "--cgroups: the others are counted together, no sum falls, and a group that goes makes room" {
	local other name fallen='' twice=''
	make_groups a b c d
	start_serve -d "$LOOP" --cgroups 2 --no-cache
	for name in a b c d; do
		in_group $name "$HELPERS/issue_io" read "$LOOP" 101 4096 >/dev/null
		scrape
	done
	[ "$(value 'blkreel_cgroups_shown{of="io"}')" = 2 ]
	[ "$(value 'blkreel_cgroups_folded{of="io"}')" = 2 ]
	other="blkreel_cgroup_ios_total{cgroup=\"other\",device=\"$DEVICE\",op=\"read\"}"
	[ "$(value "$other")" = 202 ]
	[ "$(value 'blkreel_cgroup_no_room_ios_total')" = 0 ]
	# a goes: its series ends, the others do not grow by what it showed, and c or d has a series of its own from then on.
	remove_group a
	# No command of a function that wait_until calls ends the test.
	shown_again() {
		scrape || return 1
		[ "$(value "$other")" -ge 202 ] || fallen=$(value "$other")
		[ "$(value 'blkreel_cgroups_folded{of="io"}') $(value "$other")" = "1 202" ]
	}
	wait_until shown_again
	[ "$fallen" = "" ]
	in_group c "$HELPERS/issue_io" read "$LOOP" 7 4096 >/dev/null
	in_group d "$HELPERS/issue_io" read "$LOOP" 7 4096 >/dev/null
	scrape
	[ "$(sum blkreel_cgroup_ios_total "cgroup=\"$BASE/[cd]\",.*op=\"read\"")" = 7 ]
	[ "$(value "$other")" = 209 ]
	[ "$(sum blkreel_cgroup_ios_total "op=\"read\"")" = $(($(value "blkreel_device_ios_total{device=\"$DEVICE\",op=\"read\"}") - 101)) ]
	# The same name again is another group.
	remove_group b
	mkdir "${GROUP_ROOTS[@]/%/$BASE/b}"
	in_group b "$HELPERS/issue_io" read "$LOOP" 13 4096 >/dev/null
	all_there() {
		scrape || return 1
		twice+=$(grep "^blkreel_cgroup_ios_total{" "$METRICS" | sed 's/ [0-9]*$//' | sort | uniq -d)
		[ "$(sum blkreel_cgroup_ios_total "op=\"read\"")" = $((431 - 2 * 101)) ] || return 1
		[ "$(value "$other")" -ge 209 ] || return 1
		[ "$(value 'blkreel_cgroups_shown{of="io"}')" = 2 ]
	}
	wait_until all_there
	[ "$twice" = "" ]
}

@test "a group that comes and goes between two answers is in the sums: its IOs, bytes and times, as part of the others" {
	local i read op
	make_groups stays
	start_serve -d "$LOOP"
	in_group stays "$HELPERS/issue_io" read "$LOOP" 101 4096 >/dev/null
	scrape
	read="blkreel_cgroup_ios_total{cgroup=\"other\",device=\"$DEVICE\",op=\"read\"}"
	[ "$(value "$read")" = 0 ]
	# The process does not look at groups until it is asked.
	for i in 1 2 3 4 5 6 7; do
		mkdir "${GROUP_ROOTS[@]/%/$BASE/short$i}"
		in_group "short$i" "$HELPERS/issue_io" read "$LOOP" $((10 * i + 3)) 4096 >/dev/null
		in_group "short$i" "$HELPERS/issue_io" write "$LOOP" "$i" 8192 50 >/dev/null
		remove_group "short$i"
	done
	# $1: what follows the last of them.
	short_ones_are_counted() {
		[ "$(value "$read")" = $((301 + $1)) ]
		[ "$(value "${read/ios_total/io_bytes_total}")" = $(((301 + $1) * 4096)) ]
		[ "$(value "blkreel_cgroup_io_bytes_total{cgroup=\"other\",device=\"$DEVICE\",op=\"write\"}")" = $((28 * 8192)) ]
		[ "$(sum blkreel_cgroup_io_seconds_count 'cgroup="other".*op="read",stage="device"')" = $((301 + $1)) ]
		run ! grep -q "$BASE/short" "$METRICS"
		[ "$(sum blkreel_cgroup_ios_total "$BASE/stays\".*op=\"read\"")" = 101 ]
		for op in read write discard flush; do
			[ "$(value "blkreel_device_ios_total{device=\"$DEVICE\",op=\"$op\"}")" = "$(sum blkreel_cgroup_ios_total "op=\"$op\"")" ]
		done
		[ "$(value 'blkreel_cgroup_no_room_ios_total')" = 0 ]
	}
	scrape
	short_ones_are_counted 0
	# Their entries leave the kernel's table after some seconds; what they counted stays.
	for i in 1 2 3 4; do
		sleep 2
		scrape
		short_ones_are_counted 0
	done
	# One more, when the table's entries of the others are gone.
	mkdir "${GROUP_ROOTS[@]/%/$BASE/short8}"
	in_group short8 "$HELPERS/issue_io" read "$LOOP" 83 4096 >/dev/null
	remove_group short8
	scrape
	short_ones_are_counted 83
}

@test "a table that is too small for the devices and operations counts what it had no room for" {
	make_groups a b c d e f g h
	start_serve -d "$LOOP" --cgroups 1 --no-cache
	local name
	# 4 entries, beside those of the others, which take up to 1024.
	for name in a b c d e f g h; do
		in_group $name "$HELPERS/issue_io" read "$LOOP" 11 4096 >/dev/null
		in_group $name "$HELPERS/issue_io" write "$LOOP" 11 4096 50 >/dev/null
	done
	scrape
	[ "$(sum blkreel_cgroup_ios_total "op=\"read\"")" = 88 ]
	[ "$(sum blkreel_cgroup_ios_total "op=\"write\"")" = 88 ]
	[ "$(value 'blkreel_cgroups_shown{of="io"}')" = 1 ]
}

@test "--textfile is replaced whole, replaces nothing else, and --socket answers on a Unix socket" {
	local file=$BATS_TEST_TMPDIR/blkreel.prom socket=$BATS_TEST_TMPDIR/socket
	echo precious >"$file"
	run -1 --separate-stderr "$BLKREEL" serve --textfile "$file" -d "$LOOP"
	[ "$(cat "$file")" = precious ]
	rm "$file"
	"$BLKREEL" serve --textfile "$file" --interval 1s --socket "$socket" -d "$LOOP" 2>/dev/null 3>&- &
	PID=$!
	wait_until test -s "$file"
	"$HELPERS/issue_io" read "$LOOP" 101 4096 >/dev/null
	METRICS=$file
	counted() { [ "$(value "blkreel_device_ios_total{device=\"$DEVICE\",op=\"read\"}")" = 101 ]; }
	wait_until counted
	run ! grep -q "# EOF" "$file"
	curl -sf --max-time 60 --unix-socket "$socket" http://localhost/metrics >"$BATS_TEST_TMPDIR/by-socket"
	METRICS=$BATS_TEST_TMPDIR/by-socket
	counted
	# A second one does not take the socket, one after a kill does.
	run -1 --separate-stderr "$BLKREEL" serve --socket "$socket" -d "$LOOP"
	[[ $stderr == *"cannot listen on $socket: Address already in use"* ]]
	kill -KILL $PID
	wait $PID || true
	[ -S "$socket" ]
	"$BLKREEL" serve --socket "$socket" -d "$LOOP" 2>/dev/null 3>&- &
	PID=$!
	wait_until curl -sf --max-time 60 --unix-socket "$socket" -o /dev/null http://localhost/metrics
	kill $PID
	wait $PID
	[ ! -e "$socket" ]
	# What is no socket stays.
	echo precious >"$socket"
	run -1 --separate-stderr "$BLKREEL" serve --socket "$socket" -d "$LOOP"
	[ "$(cat "$socket")" = precious ]
}

@test "sockets that systemd passes are used, and no other is opened" {
	python3 - "$BLKREEL" "$LOOP" 3>&- <<-'PYTHON' &
		import os, socket, sys
		listening = socket.socket()
		listening.bind(("127.0.0.1", 0))
		listening.listen()
		open(os.environ["BATS_TEST_TMPDIR"] + "/port", "w").write(str(listening.getsockname()[1]))
		os.dup2(listening.fileno(), 3, inheritable=True)
		os.set_inheritable(3, True)
		os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
		os.execv(sys.argv[1], [sys.argv[1], "serve", "-d", sys.argv[2]])
	PYTHON
	PID=$!
	wait_until test -s "$BATS_TEST_TMPDIR/port"
	URL=http://127.0.0.1:$(cat "$BATS_TEST_TMPDIR/port")/metrics
	wait_until scrape
	"$HELPERS/issue_io" read "$LOOP" 101 4096 >/dev/null
	scrape
	[ "$(value "blkreel_device_ios_total{device=\"$DEVICE\",op=\"read\"}")" = 101 ]
	kill $PID
	wait $PID
}

@test "it keeps no capability, listens on the loopback address alone, and ends at once" {
	start_serve -d "$LOOP"
	[ "$(sed -n 's/^CapEff:\t//p;s/^CapPrm:\t//p' "/proc/$PID/status" | sort -u)" = 0000000000000000 ]
	[[ $URL == http://127.0.0.1:* ]]
	kill "$PID"
	wait "$PID"
	run -2 --separate-stderr "$BLKREEL" serve --listen 9863
	run -2 --separate-stderr "$BLKREEL" serve --listen 127.0.0.1:x
	run -2 --separate-stderr "$BLKREEL" serve --listen ::1:9863
	run -2 --separate-stderr "$BLKREEL" serve -d "$LOOP" more
	run -2 --separate-stderr "$BLKREEL" serve --cgroups 1000000
}

@test "without rights it is refused, with the remedy" {
	need_command setpriv
	local copy
	copy=$(make_outside /dev/shm/blkreel-test-XXXXXX)
	cp "$BLKREEL" "$copy"
	chmod 755 "$copy"
	run -6 --separate-stderr setpriv --reuid 65534 --regid 65534 --clear-groups "$copy" serve --listen 127.0.0.1:0
	[[ $stderr == *"run as root, or with CAP_BPF and CAP_PERFMON"* ]]
}

@test "bad requests, methods and many silent connections do not keep it from answering" {
	start_serve -d "$LOOP"
	local host=${URL#http://} descriptors
	host=${host%/metrics}
	[ "$(curl -s -o /dev/null -w '%{http_code}' --max-time 60 "http://$host/")" = 200 ]
	[ "$(curl -s -o /dev/null -w '%{http_code}' --max-time 60 "http://$host/nothing")" = 404 ]
	[ "$(curl -s -o /dev/null -w '%{http_code}' --max-time 60 -X DELETE "$URL")" != 200 ]
	[ "$(curl -s -o /dev/null -w '%{http_code}' --max-time 60 -H "Host: localhost:9863" "$URL")" = 200 ]
	[ "$(curl -s -o /dev/null -w '%{http_code}' --max-time 60 -H "Host: evil.example" "$URL")" = 403 ]
	[ "$(curl -sI --max-time 60 "$URL" | head -1 | tr -d '\r')" = "HTTP/1.1 200 OK" ]
	curl -sI --max-time 60 -H 'Accept: application/openmetrics-text; version=1.0.0' "$URL" | grep -qi '^content-type: application/openmetrics-text; version=1.0.0'
	python3 - "${host#*:}" <<-'PYTHON'
		import random, socket, sys
		address = ("127.0.0.1", int(sys.argv[1]))
		random.seed(7)
		for request in (b"", b"\0" * 100, b"GET", b"GET /metrics HTTP/9.9\r\n\r\n", b"GET " + b"a" * 100000,
		                b"GET /metrics HTTP/1.1\r\n" + b"X: y\r\n" * 10000, b"POST /metrics HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n",
		                random.randbytes(5000)):
		    with socket.create_connection(address) as s:
		        try:
		            s.sendall(request)
		        except OSError:
		            pass
		silent = [socket.create_connection(address) for i in range(40)]
		with socket.create_connection(address) as s:
		    s.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
		    answer = b""
		    while piece := s.recv(65536):
		        answer += piece
		assert answer.startswith(b"HTTP/1.0 200") and b"blkreel_device_ios_total" in answer
	PYTHON
	# It takes no more connections than leave descriptors for its own work.
	timeout 60 python3 - "${host#*:}" <<-'PYTHON'
		import resource, socket, sys, time
		resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
		held = []
		for i in range(600):
		    s = socket.socket()
		    s.setblocking(False)
		    s.connect_ex(("127.0.0.1", int(sys.argv[1])))
		    held.append(s)
		time.sleep(3)
	PYTHON
	descriptors=$(find "/proc/$PID/fd" -type l | wc -l)
	echo "$descriptors descriptors"
	[ "$descriptors" -lt 300 ]
	wait_until scrape
	grep -q '^blkreel_device_ios_total' "$METRICS"
}

@test "a device that comes later is counted, and one that goes is not shown" {
	local file=$BATS_TEST_TMPDIR/late second
	start_serve
	truncate -s 8M "$file"
	second=$(new_loop "$file")
	echo "$second $file" >>"$BATS_TEST_TMPDIR/loops"
	known() {
		scrape
		grep -q "^blkreel_device_busy_seconds_total{device=\"${second#/dev/}\"}" "$METRICS"
	}
	wait_until known
	before=$(value "blkreel_device_ios_total{device=\"${second#/dev/}\",op=\"read\"}")
	"$HELPERS/issue_io" read "$second" 211 4096 >/dev/null
	scrape
	[ $(($(value "blkreel_device_ios_total{device=\"${second#/dev/}\",op=\"read\"}") - before)) = 211 ]
	losetup -d "$second"
	unknown() { ! known; }
	wait_until unknown
}

@test "1,000 control groups: all are counted, and the memory of the process is bounded" {
	local before after lost reads writes groups
	make_groups
	for root in "${GROUP_ROOTS[@]}"; do
		(cd "$root$BASE" && mkdir $(seq -f 'g%04g' 1000))
	done
	start_serve -d "$LOOP"
	scrape
	before=$(value process_resident_memory_bytes)
	python3 - "${GROUP_ROOTS[0]}$BASE" "$LOOP" <<-'PYTHON'
		import mmap, os, sys
		buffer = mmap.mmap(-1, 4096)
		device = os.open(sys.argv[2], os.O_RDWR | os.O_DIRECT)
		for i in range(1, 1001):
		    with open("%s/g%04d/cgroup.procs" % (sys.argv[1], i), "w") as file:
		        file.write(str(os.getpid()))
		    for at in range(1 + i % 3):
		        os.preadv(device, [buffer], 4096 * (i + at))
		    os.pwritev(device, [buffer], 4096 * i)
		with open(sys.argv[1] + "/../cgroup.procs", "w") as file:
		    file.write(str(os.getpid()))
	PYTHON
	for _ in 1 2 3 4 5 6; do scrape; done
	# Of so many IOs the kernel seldom reports all: what is missing is what is said to be lost.
	sleep 0.4
	scrape
	lost=$(sum blkreel_lost_events_total 'reason="(not_reported|end_skipped|start_skipped)"')
	reads=$(sum blkreel_cgroup_ios_total "$BASE/g.*op=\"read\"")
	writes=$(sum blkreel_cgroup_ios_total "$BASE/g.*op=\"write\"")
	echo "lost $lost, $reads reads, $writes writes"
	[ "$lost" -le 150 ]
	[ "$reads" -le 2000 ]
	[ "$writes" -le 1000 ]
	[ $((reads + writes + lost)) -ge 3000 ]
	groups=$(grep -c "^blkreel_cgroup_ios_total{.*$BASE/g.*op=\"read\"" "$METRICS")
	[ "$groups" -le 1000 ]
	[ "$groups" -ge $((1000 - lost)) ]
	[ "$(value 'blkreel_cgroups_folded{of="io"}')" = 0 ]
	[ "$(value "blkreel_cgroup_ios_total{cgroup=\"other\",device=\"$DEVICE\",op=\"read\"}")" = 0 ]
	after=$(value process_resident_memory_bytes)
	echo "resident: $before before, $after after; $(wc -c <"$METRICS") bytes"
	[[ $BUILD == *sanitize* ]] || [ $((after - before)) -le 20000000 ]
	# The groups go, and their series with them, which have shown all that they did.
	remove_group
	gone() {
		scrape || return 1
		! grep -q "$BASE/g" "$METRICS"
	}
	wait_until gone
	[ "$(value "blkreel_cgroup_ios_total{cgroup=\"other\",device=\"$DEVICE\",op=\"read\"}")" = 0 ]
}
