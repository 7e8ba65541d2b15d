# bats file_tags=beside,sanitized
# SPDX-License-Identifier: MIT
# Files that another user, a full disk or a kill puts at risk when a command writes. The checksums of
# what must not change are taken before and after.
load test_helper

# Another user, and a root that may not write where it should not.
ATTACKER=65534

setup() {
	need_root
	need_command setpriv
	FOLDER=$(make_outside -d /dev/shm/blkreel-test-XXXXXX)
	chmod 755 "$FOLDER"
	CLOSED=$FOLDER/closed # root's
	THEIRS=$FOLDER/theirs # the other user's
	SHARED=$FOLDER/shared # like /tmp
	mkdir -m 700 "$CLOSED"
	mkdir -m 755 "$THEIRS"
	chown "$ATTACKER:$ATTACKER" "$THEIRS"
	mkdir -m 1777 "$SHARED"
	cd "$FOLDER" || return 1
	GOOD=$FOLDER/in.reel
	cp "$ROOT/tests/golden/v1/plain.reel" "$GOOD"
	cp "$ROOT/tests/golden/profiles/make_trace-2000-7-open.profile" "$FOLDER/in.profile"
	printf '[job]\nrw=randread\nbs=4k\nsize=1M\nnumber_ios=20\nrate_iops=10\n' >in.fio
	for ((i = 0; i < 20; i++)); do echo "$((i * 7919)) 0 $((i * 8)) 8 1"; done >in.mqsim
	truncate -s 1M target
	# The worst that can be hit: a file that the command may replace elsewhere, one that it may not, an
	# empty one.
	cp in.reel "$CLOSED/reel"
	cp in.profile "$CLOSED/profile"
	printf 'root:secret\n' >"$CLOSED/secret"
	: >"$CLOSED/empty"
	chmod 600 "$CLOSED"/*
}

teardown() {
	[ -z "${RACER:-}" ] || kill -9 "$RACER" || true
	[ ! -e "${SMALL:-}" ] || umount "$SMALL" || true
	cd /
	chmod -R u+w "$FOLDER" && rm -rf "$FOLDER"
	clean_up
}

# The commands that write a file; record needs more than root.
COMMANDS="copy import repair generate profile scale mix slice from-fio to-fio report"

# make_output COMMAND FILE: a command that cannot hang, whatever lies there.
make_output() {
	local words
	case $1 in
	copy) words=(copy "$GOOD" -o "$2") ;;
	import) words=(import --from mqsim "$FOLDER/in.mqsim" -o "$2") ;;
	repair) words=(repair "$GOOD" -o "$2") ;;
	generate) words=(profile generate "$FOLDER/in.profile" --count 50 -o "$2") ;;
	profile) words=(profile "$GOOD" -o "$2") ;;
	scale) words=(profile scale "$FOLDER/in.profile" --load 2 -o "$2") ;;
	mix) words=(profile mix "$FOLDER/in.profile" -o "$2") ;;
	slice) words=(profile slice "$FOLDER/in.profile" --busiest 1s -o "$2") ;;
	from-fio) words=(profile --from-fio "$FOLDER/in.fio" -o "$2") ;;
	report) words=(report "$GOOD" -o "$2") ;;
	to-fio) words=(profile --to-fio "$FOLDER/in.profile" -o "$2") ;;
	record) words=(record -t 0.1 -d "$LOOP" -o "$2") ;;
	aggregate) words=(record --aggregate -t 0.1 -d "$LOOP" -o "$2") ;;
	series) words=(replay "$GOOD" --target "$FOLDER/target" --fit wrap --reads-only --mode asap --series "$2") ;;
	stamp) words=(replay "$GOOD" --target "$FOLDER/target" --fit wrap --write --mode asap --stamp "$2") ;;
	create) words=(replay "$GOOD" --target "$2" --create-size 1M --write --fit wrap --mode asap) ;;
	esac
	timeout 60 "$BLKREEL" "${words[@]}" >"$FOLDER/out" 2>"$FOLDER/err" </dev/null
}

# State of a folder: the names, owners, modes and contents of everything in it.
state() {
	(cd "$1" && find . -printf '%p %u %m %y %s %l\n' | sort && find . -type f -exec sha256sum {} + | sort)
}

# refused COMMAND FILE: it fails, without hanging, with a line; CLOSED stays as it is.
refused() {
	local before status=0
	before=$(state "$CLOSED")
	make_output "$1" "$2" || status=$?
	echo "$1 $2: status $status, $(cat "$FOLDER/err")"
	[ "$status" != 0 ]
	[ "$status" -lt 124 ]
	[ -s "$FOLDER/err" ]
	[ "$(state "$CLOSED")" = "$before" ]
}

@test "each of the commands writes a new file, which nobody can write to" {
	for command in $COMMANDS series stamp create; do
		make_output "$command" "$FOLDER/new" || { cat err; false; }
		[ -s "$FOLDER/new" ]
		[ "$(find "$FOLDER/new" -perm /022)" = "" ]
		rm -f "$FOLDER/new"
		truncate -s 0 target
		truncate -s 1M target
	done
	[ "$(find . -maxdepth 1 -name 'new*')" = "" ]
}

@test "a link of another user in place of the file" {
	for command in $COMMANDS series stamp create; do
		for victim in reel profile secret empty nothing; do
			ln -s "$CLOSED/$victim" "$THEIRS/out"
			chown -h "$ATTACKER" "$THEIRS/out"
			refused "$command" "$THEIRS/out"
			mv "$THEIRS/out" "$SHARED/out"
			refused "$command" "$SHARED/out"
			rm "$SHARED/out"
		done
	done
}

@test "a link of another user on the way to the file" {
	ln -s "$CLOSED" "$THEIRS/dir"
	ln -s "$CLOSED" "$SHARED/dir"
	chown -h "$ATTACKER" "$THEIRS/dir" "$SHARED/dir"
	for command in $COMMANDS series stamp create; do
		for victim in reel profile empty new; do
			refused "$command" "$THEIRS/dir/$victim"
			refused "$command" "$SHARED/dir/../closed/$victim"
		done
	done
}

@test "a file of another user where everybody may write" {
	for command in $COMMANDS; do
		for content in reel profile empty secret; do
			cp "$CLOSED/$content" "$SHARED/out"
			chmod 666 "$SHARED/out"
			chown "$ATTACKER" "$SHARED/out"
			before=$(state "$SHARED")
			refused "$command" "$SHARED/out"
			[ "$(state "$SHARED")" = "$before" ]
			rm "$SHARED/out"
		done
	done
}

@test "a second name of a file" {
	for command in $COMMANDS series stamp create; do
		for victim in reel profile secret; do
			ln "$CLOSED/$victim" "$THEIRS/out"
			refused "$command" "$THEIRS/out"
			rm "$THEIRS/out"
		done
	done
}

@test "a FIFO of another user where everybody may write does not get the output, and nobody waits for it" {
	for command in $COMMANDS; do
		mkfifo -m 666 "$SHARED/out"
		chown "$ATTACKER" "$SHARED/out"
		refused "$command" "$SHARED/out"
		[ -p "$SHARED/out" ]
		rm "$SHARED/out"
	done
}

@test "a block device is no output" {
	need_loop
	make_loop 1M
	before=$(sha256sum <"$LOOP")
	for command in $COMMANDS series stamp; do
		refused "$command" "$LOOP"
		[ "$(sha256sum <"$LOOP")" = "$before" ]
	done
}

# swap NAME OTHER: another user exchanges the two names in THEIRS, as fast as possible, as RACER.
swap() {
	local python
	python=$(PATH=/usr/bin:/bin command -v python3) || skip "needs a python3 that everybody may execute"
	cat >"$FOLDER/racer" <<-'PYTHON'
		import ctypes, os, sys
		libc = ctypes.CDLL(None)
		a, b, sign = (name.encode() for name in sys.argv[1:])
		swaps = 0
		while libc.renameat2(-100, a, -100, b, 2) == 0 or os.path.exists(os.path.dirname(a)): # RENAME_EXCHANGE
		    swaps += 1
		    if swaps == 100:
		        open(sign, "w").close()
	PYTHON
	chmod 644 "$FOLDER/racer"
	setpriv --reuid "$ATTACKER" --regid "$ATTACKER" --clear-groups "$python" "$FOLDER/racer" "$THEIRS/$1" "$THEIRS/$2" "$THEIRS/sign" &
	RACER=$!
	wait_until test -e "$THEIRS/sign"
}

stop_swapping() {
	kill -9 "$RACER"
	wait "$RACER" || true
	RACER=
}

@test "two links that are swapped while root writes" {
	for victim in profile secret; do
		for plain in empty profile; do
			cp "$CLOSED/$plain" "$THEIRS/out"
			ln -s "$CLOSED/$victim" "$THEIRS/other"
			chown -h "$ATTACKER" "$THEIRS/out" "$THEIRS/other"
			swap out other
			before=$(state "$CLOSED")
			for command in $COMMANDS; do
				for ((i = 0; i < 2; i++)); do
					make_output "$command" "$THEIRS/out" || true
				done
				[ "$(state "$CLOSED")" = "$before" ]
			done
			for ((i = 0; i < 15; i++)); do
				make_output scale "$THEIRS/out" || true
			done
			[ "$(state "$CLOSED")" = "$before" ]
			stop_swapping
			rm -f "$THEIRS"/*
		done
	done
}

@test "a folder that is swapped with a link while root writes" {
	mkdir "$THEIRS/dir"
	ln -s "$CLOSED" "$THEIRS/other"
	chown -h "$ATTACKER" "$THEIRS/dir" "$THEIRS/other"
	swap dir other
	before=$(state "$CLOSED")
	for command in $COMMANDS; do
		for victim in profile reel new; do
			for ((i = 0; i < 2; i++)); do
				make_output "$command" "$THEIRS/dir/$victim" || true
			done
		done
		[ "$(state "$CLOSED")" = "$before" ]
	done
	stop_swapping
}

# Runs each command that replaces an old file of its kind by "$@" COMMAND FILE: the old file stays, and
# nothing beside it.
old_stays() {
	local kind
	for command in $COMMANDS; do
		case $command in
		copy | import | repair | generate) kind=reel ;;
		to-fio | report) continue ;;
		*) kind=profile ;;
		esac
		cp "$CLOSED/$kind" "$WHERE/out"
		before=$(state "$WHERE")
		status=0
		"$@" "$command" "$WHERE/out" || status=$?
		echo "$command: status $status, $(cat err)"
		[ "$status" != 0 ]
		[ "$(state "$WHERE")" = "$before" ]
		rm "$WHERE/out"
	done
}

# The same without an old file: nothing is there afterwards.
nothing_stays() {
	for command in $COMMANDS; do
		status=0
		"$@" "$command" "$WHERE/new" || status=$?
		echo "$command: status $status, $(cat err)"
		[ "$status" != 0 ]
		[ "$(ls "$WHERE")" = "${LEFT:-}" ]
	done
}

@test "a full disk: the old file stays, and of a new one nothing" {
	need_command mount
	SMALL=$FOLDER/small
	mkdir "$SMALL"
	mount -t tmpfs -o size=128k none "$SMALL"
	WHERE=$SMALL
	fill() {
		cat /dev/zero >"$SMALL/filling" 2>/dev/null || true
		local status=0
		make_output "$@" || status=$?
		rm "$SMALL/filling"
		return "$status"
	}
	old_stays fill
	nothing_stays fill
}

@test "a limit of the size of files: the old file stays, and of a new one nothing" {
	WHERE=$FOLDER/limited
	mkdir "$WHERE"
	limited() {
		(
			ulimit -f 0
			make_output "$@"
		)
	}
	# The messages, which go to files here, are lost, too.
	old_stays limited
	nothing_stays limited
}

@test "kill -9 at the first write: the old file stays, and of a new one nothing" {
	need_command strace
	WHERE=$FOLDER/killed
	mkdir "$WHERE"
	# Every file is synced before it gets its name.
	killed() {
		local real=$BLKREEL BLKREEL=$FOLDER/killer calls=fsync,fdatasync,linkat,renameat,rename
		printf '#!/bin/sh\nASAN_OPTIONS=detect_leaks=0 exec strace -f -qq -o "%s/calls" -e trace=%s -e inject=%s:signal=KILL:when=1 "%s" "$@"\n' \
			"$FOLDER" "$calls" "$calls" "$real" >"$BLKREEL"
		chmod 755 "$BLKREEL"
		make_output "$@"
	}
	old_stays killed
	nothing_stays killed
}

@test "a folder that may not be written to, for another user" {
	WHERE=$THEIRS
	cp -r "$BLKREEL" "$FOLDER/blkreel"
	chmod 755 "$FOLDER/blkreel"
	chmod 644 "$FOLDER"/in.*
	touch out err
	chmod 666 out err
	as_other() {
		local BLKREEL=$FOLDER/as-other
		printf '#!/bin/sh\nexec setpriv --reuid %s --regid %s --clear-groups %s "$@"\n' "$ATTACKER" "$ATTACKER" "$FOLDER/blkreel" >"$BLKREEL"
		chmod 755 "$BLKREEL"
		make_output "$@"
	}
	chmod 555 "$THEIRS"
	old_stays as_other
	nothing_stays as_other
}

@test "what a user expects: /dev/stdout, -, /dev/fd/N, FIFOs, /dev/null, own links, modes" {
	for command in profile scale mix slice from-fio to-fio; do
		make_output "$command" "$FOLDER/plain"
		make_output "$command" /dev/stdout
		if [ "$command" = profile ]; then # after the table
			grep -q '^\[profile\]' out
		else
			cmp out plain
		fi
		make_output "$command" /dev/null
		[ -c /dev/null ]
		mkfifo own
		cat own >through &
		make_output "$command" own
		wait $!
		cmp through plain
		exec 7>seven
		timeout 60 "$BLKREEL" profile scale in.profile --load 2 -o /dev/fd/7
		exec 7>&-
		[ -s seven ]
		rm -f plain own through seven
	done
	# A link that root made is followed, and stays; the file behind it keeps its mode.
	cp in.profile real
	chmod 640 real
	ln -s real link
	make_output scale link
	[ -L link ]
	[ "$(stat -c %a real)" = 640 ]
	run ! cmp -s in.profile real
	(umask 077; make_output scale narrow)
	[ "$(stat -c %a narrow)" = 600 ]
	(umask 022; make_output scale wide)
	[ "$(stat -c %a wide)" = 644 ]
}

@test "record: links, files of others, hard links, FIFOs" {
	need_loop
	need_probes
	make_loop 1M
	for command in record aggregate; do
		ln -s "$CLOSED/reel" "$THEIRS/out"
		chown -h "$ATTACKER" "$THEIRS/out"
		refused "$command" "$THEIRS/out"
		rm "$THEIRS/out"
		ln "$CLOSED/reel" "$THEIRS/out"
		refused "$command" "$THEIRS/out"
		rm "$THEIRS/out"
		mkfifo -m 666 "$SHARED/out"
		chown "$ATTACKER" "$SHARED/out"
		refused "$command" "$SHARED/out"
		rm "$SHARED/out"
		refused "$command" "$LOOP"
	done
}
