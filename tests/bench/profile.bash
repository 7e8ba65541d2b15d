# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Speed and memory of building a profile and of generating IOs from one.

# profile_once TRACE PROFILE IOS: samples rows built and IOs generated per CPU second.
profile_once() {
	local trace=$1 profile=$2 ios=$3 seconds
	seconds=$(cpu_seconds "$BLKREEL" -q profile --seeds 0 "$trace" -o "$WORK/built.profile")
	sample profile.build "$(awk "BEGIN {print $ios / $seconds / 1e6}")"
	# Includes writing a trace; printing would cost far more.
	seconds=$(cpu_seconds "$BLKREEL" -q profile generate "$profile" --duration 5h -o "$WORK/generated.reel")
	"$BLKREEL" info --json "$WORK/generated.reel" >"$WORK/info.json"
	rm -f "$WORK/generated.reel"
	sample profile.generate \
		"$(awk "BEGIN {print $(json "$WORK/info.json" 'd["rows"]["io"]') / $seconds / 1e6}")"
}

# generate_once PROFILE SECONDS NAME: samples IOs per CPU second without writing them, as a replay takes them.
generate_once() {
	local rows cpu_ns
	read -r rows cpu_ns < <("$BUILD/bench/bench_generate" "$1" "$2" 1)
	sample "$3" "$(awk "BEGIN {print $rows * 1e3 / $cpu_ns}")"
}

# profile_peak COMMAND...: prints its peak memory in MiB.
profile_peak() {
	python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)' "$@"
}

bench_profile() {
	local pair ios
	say "profiles: building and generating, one core"
	"$BLKREEL" -q profile generate web --duration 6h -o "$WORK/profile.reel"
	"$BLKREEL" info --json "$WORK/profile.reel" >"$WORK/info.json"
	ios=$(json "$WORK/info.json" 'd["rows"]["io"]')
	for ((pair = 0; pair < PAIRS; pair++)); do
		profile_once "$WORK/profile.reel" web "$ios"
		generate_once web 18000 profile.alone
		generate_once oltp 600 profile.alone_oltp
		generate_once snia-65-35 60 profile.alone_mixed
	done
	sample profile.build_peak "$(profile_peak "$BLKREEL" profile "$WORK/profile.reel" --seeds 1)"
	rm -f "$WORK/profile.reel" "$WORK/built.profile"
	row "profile: rows read to build one" "M/s of CPU" profile.build "" ">=2"
	row "profile: IOs generated, written as a trace" "M/s of CPU" profile.generate "" ">=1"
	row "profile: IOs generated alone, web" "M/s of CPU" profile.alone "" ">=1"
	row "profile: the same, 8 KiB OLTP over ten minutes" "M/s of CPU" profile.alone_oltp "" ""
	row "profile: the same, SNIA 65/35 of up to 1 MiB" "M/s of CPU" profile.alone_mixed "" ""
	row "profile: memory of building and of one seed" MiB profile.build_peak "" "<=256"
}
