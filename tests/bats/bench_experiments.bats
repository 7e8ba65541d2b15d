# bats file_tags=slow
# SPDX-License-Identifier: MIT
# The experiments of docs/examples/bench.md, each run as it is printed there but for a shorter time: exit codes, files, and
# what the page says of each output.
load test_helper

PAGE=$ROOT/docs/examples/bench.md

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	cp "$ROOT"/docs/examples/jobs/* .
	mkdir bin
	ln -s "$(readlink -f "$BLKREEL")" bin/blkreel
	PATH=$PWD/bin:$PATH
}

teardown() {
	cd / || return 1
	clean_up
}

# The rows of the table of experiments: number, command and answer.
experiments() {
	awk -F ' *[|] ' '/^\| .* \| `(RUNTIME=|SIZE=|blkreel)/ {
		sub(/ \|$/, "", $4); print ++rows "\t" substr($3, 2, length($3) - 2) "\t" $4 }' "$PAGE"
}

# FILE, DEV and MOUNTED.
make_targets() {
	mount_ext4 16M
	MOUNTED=$LOOP
	make_loop 64M
	DEV=$LOOP
	export W="--write --yes-destroy $DEV"
	dd if=/dev/urandom of="$DEV" bs=1M count=64 oflag=direct status=none
	head -c 10M /dev/urandom >FILE
	sync FILE
}

make_recordings() {
	local kib
	for kib in 64 128 256; do
		echo "$kib" >"/sys/block/${DEV#/dev/}/queue/read_ahead_kb"
		blockdev --flushbufs "$DEV"
		blkreel record -d "$DEV" -c -o "ra$kib.reel" -- dd if="$DEV" of=/dev/null bs=64k count=160 status=none
	done
	blockdev --flushbufs "$DEV"
	blkreel record -d "$DEV" -c -o job.reel -- \
		sh -c "cat $DEV $DEV; dd if=$DEV bs=512k count=64 iflag=direct status=none; blkid -p $DEV" >/dev/null ||
		[ $? = 2 ] # blkid found nothing
}

# shortened COMMAND: with the targets, and a short run where the page leaves the time to the default.
shortened() {
	local command=${1//DEV/$DEV}
	command=${command//MOUNTED/$MOUNTED}
	case $command in
	*" bench "*.fio* | *--until-steady*) ;;
	*" bench "*) command+=" --runtime 20ms" ;;
	*--runtime*) command=$(sed -E 's/--runtime [0-9]+ms/--runtime 50ms/' <<<"$command") ;;
	esac
	echo "${command/RUNTIME=1 /RUNTIME=50ms }"
}

has_points() {
	[ -d "$1" ] && [ "$(find "$1" -name 'point-*.json' | wc -l)" -ge "$2" ]
}

# A test of the SNIA may have rounds for minutes: it is ended after the first one.
run_one_round() {
	local bench
	eval "exec $1" >printed 2>&1 &
	bench=$!
	wait_until has_points pts 6
	kill -TERM "$bench"
	wait "$bench" || [ $? = 143 ]
	cat printed
}

# check NUMBER COMMAND ANSWER
check() {
	local code=0 text file
	[[ $3 != *"exit code "* ]] || code=${3##*exit code }
	case $2 in
	*pts-*) run run_one_round "$2" ;;
	*) run timeout 120 bash -c "$2" ;;
	esac
	echo "experiment $1: $2: exit code $status, $output"
	[ "$status" = "$code" ] || return 1
	tr -s ' \n' ' ' <<<"$output" >squeezed
	while read -r text; do
		[ -z "$text" ] || [ -s "$text" ] || grep -qF -- "$text" squeezed || { echo "not in the output: $text" && return 1; }
	done < <(grep -o '`[^`]*`' <<<"$3" | tr -d '`')
	file=$(sed -nE 's/.* -o ([^ ]+).*/\1/p' <<<"$2")
	[ -z "$file" ] || [ -s "$file" ]
}

@test "each experiment of docs/examples/bench.md runs and prints what the page says" {
	need_loop
	need_probes
	local number command answer count=0
	make_targets
	make_recordings
	while IFS=$'\t' read -r number command answer; do
		check "$number" "$(shortened "$command")" "$answer" </dev/null
		count=$((count + 1))
	done < <(experiments)
	[ "$count" = 30 ]
}

@test "a page whose answer is not in the output is noticed" {
	run ! check 1 "echo a line" '`another line`'
	run ! check 2 "exit 3" 'refused, exit code 2'
	run ! check 3 "touch f -o g" 'a file'
	check 4 "echo 'a    line'; exit 3" '`a line`, exit code 3'
}
