#!/usr/bin/env bats
# bats file_tags=slow
# SPDX-License-Identifier: MIT
# report: its pages in a browser.
load test_helper

setup_file() {
	export MODULES=$BUILD/report/test
	local packages=$ROOT/report/package-lock.json
	[[ $("$BLKREEL" --version) != *"no charts"* ]] || return 0
	command -v npm >/dev/null && command -v chromium >/dev/null || return 0
	if ! cmp -s "$packages" "$MODULES/installed.json"; then
		mkdir -p "$MODULES"
		cp "$ROOT/report/package.json" "$packages" "$MODULES"
		(cd "$MODULES" && npm ci --include=dev --ignore-scripts --no-audit --no-fund) >"$MODULES/npm.log" 2>&1 || return 0
		cp "$packages" "$MODULES/installed.json"
	fi
	cd "$BATS_FILE_TMPDIR" || return 1
	make_trace one.reel --rows 20000 --cache 100 --ticks 5 --devices 2 --gap-ns 200000
	make_trace other.reel --rows 18000 --devices 2 --gap-ns 220000 --latency-ns 300000 --seed 3
	"$BLKREEL" report one.reel -o one.html
	"$BLKREEL" report one.reel other.reel -o two.html
	"$BLKREEL" report one.reel other.reel one.reel -o three.html
	make_trace written.reel --rows 3000 --read-pct 5
	"$BLKREEL" report written.reel -o written.html
	echo '0 1 write 0 4096 took=100' | write_trace 1M writes.reel
	"$BLKREEL" report one.reel writes.reel -o alike.html
	make_trace old.reel --rows 2000 --cache 100 --old-kernel
	"$BLKREEL" report old.reel -o old.html
	warm_page one.html >warm.html
	"$BLKREEL" -q copy --resolution 1s written.reel -o coarse.reel
	"$BLKREEL" report coarse.reel -o coarse.html
	write_trace 1M short.reel <<<$'0 1 read 0 4096 took=1\n5000 1 write 4096 8192 took=1'
	"$BLKREEL" -q copy --resolution 1ms short.reel -o coarse_short.reel
	"$BLKREEL" report coarse_short.reel coarse_short.reel -o coarse_two.html
	write_trace 1M discards.reel < <(
		for ((i = 0; i < 1000; i += 10)); do
			echo "${i}000 1 read 0 4096 took=100"
			echo "${i}100 1 write 4096 8192 took=100"
		done
		echo '1000000 1 discard 0 1048576 took=100'
	)
	"$BLKREEL" report discards.reel -o discards.html
	for ((i = 0; i < 100; i++)); do
		echo "$((i * 100000)) 1 read $(((2 << 40) + i * (40 << 20) / 100 / 4096 * 4096)) 4096 took=$((1100 + i * 68))"
	done | write_trace 4T near.reel
	"$BLKREEL" report near.reel -o near.html
	write_trace 4M rounded.reel <<<$'0 1 read 0 1048064 took=999700\n1500000 1 write 4096 4096 took=9996'
	"$BLKREEL" report rounded.reel -o rounded.html
	"$BLKREEL" report rounded.reel discards.reel -o shares.html
	# Of the second IO, the time before the driver is not known.
	write_trace 1M known.reel <<<$'0 1 read 0 4096 took=1000\n5000 1 read 8192 4096 took=1000'
	"$BLKREEL" dump --format csv known.reel | awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR == 3 { $at["queue_ns"] = $at["device_ns"] = $at["issued_ns"] = "" } 1' >half.csv
	"$BLKREEL" -q import half.csv -o half.reel
	"$BLKREEL" report half.reel -o half.html
	write_trace 1M untimed.reel <<<$'0 1 read 0 4096 took=0\n500000 1 write 4096 8192 took=0'
	"$BLKREEL" report untimed.reel -o untimed.html
	"$BLKREEL" report "$ROOT/tests/golden/v1/no-rows.reel" -o empty.html
	"$BLKREEL" report "$ROOT/tests/golden/v1/odd.reel" -o odd.html
	"$BLKREEL" report "$ROOT/tests/golden/v1/"{plain,uncompressed}.reel -o lossy.html
	"$BLKREEL" report "$ROOT/tests/golden/v1/waits.reel" -o waits.html
	printf '%s\n' '0,read,0,4096,0.001,7,</script><b>' '1,write,4096,4096,0.002,8,&<!-->' >rows.csv
	"$BLKREEL" -q import --from csv --columns time,op,offset,size,latency,pid,comm --device '<img src=x onerror=alert(1)>' \
		rows.csv -o hostile.reel
	"$BLKREEL" report hostile.reel -o hostile.html
	"$BLKREEL" report one.reel other.reel untimed.reel hostile.reel -o four.html
	truncate -s 8M bench.img
	"$BLKREEL" -q bench random --target bench.img --write --yes-destroy bench.img --runtime 50ms \
		--grid bs=4k,64k mix=100,0 depth=1,8 -o bench >/dev/null 2>&1
	mv bench/index.html bench.html
	start_browser
}

# warm_page PAGE: the same, had all of the reads been hits and the devices read nothing.
warm_page() {
	python3 - "$1" <<'PYTHON'
import json, re, sys

def warm(match):
    data = json.loads(match.group(2))
    explain = data["traces"][0]["explain"]
    flow = explain["flow"]
    flow.update(hit_bytes=flow["application_bytes"], demand_bytes=0, readahead_bytes=0)
    explain["cache"]["readahead"]["used_pages"] = 0
    for origin in flow["device_read"].values():
        origin["bytes"] = 0
    return match.group(1) + json.dumps(data).replace("<", "\\u003c")

print(re.sub(r'(id="data">)(.*?)(?=</script>)', warm, open(sys.argv[1], encoding="utf-8").read(), count=1, flags=re.S))
PYTHON
}

# One browser for all tests. Its keeper ends with this shell, should that be killed.
start_browser() {
	export BROWSER_ADDRESS=$BATS_FILE_TMPDIR/browser
	timeout 900 node "$ROOT/tests/helpers/page_check.mjs" "$MODULES" "$(command -v chromium)" serve "$BROWSER_ADDRESS" \
		>browser.log 2>&1 3>&- &
	export BROWSER_KEEPER=$!
	for ((i = 0; i < 600; i++)); do
		[ ! -e "$BROWSER_ADDRESS" ] || return 0
		sleep 0.1
	done
	cat browser.log >&2
	return 1
}

teardown_file() {
	[ -z "${BROWSER_KEEPER:-}" ] || kill "$BROWSER_KEEPER"
}

setup() {
	need_command npm
	need_command chromium
	[[ $("$BLKREEL" --version) != *"no charts"* ]] || skip "needs a build with npm"
	[ -e "$MODULES/installed.json" ] || skip "needs the packages of report/package-lock.json"
}

# page CHECK PAGE [ARGUMENT...]: see tests/helpers/page_check.mjs.
page() {
	local check=$1 page=$2
	shift 2
	timeout 200 node "$ROOT/tests/helpers/page_check.mjs" "$MODULES" "$(<"$BROWSER_ADDRESS")" "$check" \
		"$BATS_FILE_TMPDIR/$page" "$@"
}

@test "page: every chart is drawn, without an error, a message or a request" {
	page draws one.html load latency page-cache queue addresses processes percentiles where sizes fates misses
	page draws two.html loads latency-0 latency-1 ratios-read ratios-write curves-read curves-write workload-1 size-shares
	page draws three.html latency-2 workload-2
}

@test "page: a trace without latencies, an empty one and one of extreme values are drawn as far as they go" {
	page draws untimed.html load addresses sizes
	page draws empty.html
	page draws odd.html load
	page draws waits.html load waits
}

@test "page: latencies that are all 0 are drawn" {
	page draws coarse.html percentiles
	page draws coarse_two.html curves-write
}

@test "page: what the latency map says of its columns adds up to the reads of explain" {
	page tips one.html
}

@test "page: the latency map opens on the operation with most IOs, and maps of several traces show the same one" {
	page maps one.html reads writes
	page maps written.html writes reads
	page maps three.html reads writes
	page maps alike.html reads writes
}

@test "page: with a warm cache the flow has three columns, and nothing that the devices read" {
	page flow warm.html 'Applications read' 'Already there' 'Device read'
	page flow one.html 'Applications read' 'Waited for' 'Device read'
	page widths warm.html
}

@test "page: a drag zooms all charts over time, the address keeps it, a double click ends it" {
	page zoom one.html
}

@test "page: times and sizes are rounded as blkreel prints them" {
	page says rounded.html '' '#where svg .value' '^1.00 s mean\|10 ms mean\|'
	page says rounded.html '#t=0-1.2' '[data-figure="bytes"] .selected' '^selection: 1.0 MiB read, 0 B written$'
}

@test "page: a part of the latency that is not known has its place beside the known one" {
	page says half.html '' '#where svg text' '^reads\|1 ms mean\|in the device\|neither, or not known\|'
}

@test "page: shares of sizes are of reads and writes alone" {
	page says shares.html '' '#size-shares svg .value' '^50 %\|50 %\|50 %\|50 %$'
}

@test "page: axes have two labels at least, and no two alike" {
	page says near.html '' '[data-chart="latency"] .axis.y text' '^2 ms\|5 ms$'
	page says near.html '' '[data-chart="addresses"] .axis.y text' '^2 TiB\|\+8 MiB\|\+16 MiB\|\+24 MiB\|\+32 MiB'
	page says alike.html '' '#latency-1 .axis.y text' '\|'
	page widths near.html
}

@test "page: what an old kernel cannot tell of the page cache is no 0" {
	page draws old.html load page-cache
	page says old.html '' '#page-cache .tools' '^(?!.*waited).*evicted'
	page says old.html '' '#fates .empty' '^This kernel cannot tell'
	page says old.html '#t=0-0.1' '[data-figure="cache"]' '^(?!.*selection).*cannot tell'
	page keys old.html
}

@test "page: the selection counts what the figures above it count, and the command below it prints" {
	local ratio
	cd "$BATS_FILE_TMPDIR"
	page says discards.html '#t=0.5-0.8' '[data-figure="bytes"] .selected' '^selection: 120 KiB read, 240 KiB written$'
	page says discards.html '#t=0.9-1.002' '[data-figure="bytes"] .selected' '^selection: [0-9.]+ KiB read, [0-9.]+ KiB written$'
	ratio=$(json <("$BLKREEL" explain one.reel --from 0.5s --to 1.5s --json) 'round(d["cache"]["read"]["hit_ratio_pct"])')
	page says one.html '#t=0.5-1.5' '[data-figure="cache"] .selected' "^selection: $ratio %$"
	[ "$(json <("$BLKREEL" explain one.reel --from 1.2s --to 1.8s --json) 'd["cache"]')" = None ]
	page says one.html '#t=1.2-1.8' '[data-figure="cache"] .selected' '^selection: nothing read$'
}

@test "page: without a verdict no figure is within its limit" {
	page says lossy.html '' '.badge' '^no verdict$'
	page says lossy.html '' '#workload-1 svg .verdict' '^$'
	page says two.html '' '#workload-1 svg .verdict' 'within'
	page widths lossy.html
}

@test "page: a moment has its time of day, if the trace has one" {
	page clock one.html load 2023-11-14T22:13:20Z
	page clock one.html latency 2023-11-14T22:13:20Z
	page clock two.html loads ''
	page clock untimed.html load ''
}

@test "page: arrows tell the numbers of a focused chart; keys zoom, move and restore it" {
	page keys one.html
	page keys waits.html
}

@test "page: tables are sorted, filtered and cut, and a slow IO leads to its second" {
	page tables one.html
}

@test "page: a saved chart is an SVG of its own" {
	page export one.html
}

@test "page: it prints light and whole" {
	page print one.html
}

@test "page: 1400, 900 and 400 pixels, light and dark, without sideways scroll, and no text is cut or over another" {
	page widths one.html
	page widths two.html
	page widths four.html
	page widths untimed.html
	page widths waits.html
	page widths bench.html
}

@test "page: words on bars are readable on each colour" {
	page inks one.html
	page inks waits.html
}

@test "page: axe finds nothing" {
	page accessible one.html
	page accessible two.html
	page accessible three.html
	page accessible waits.html
}

@test "page: hostile names make no element and run nothing" {
	page hostile hostile.html
}
