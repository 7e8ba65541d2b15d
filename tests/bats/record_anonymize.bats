#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# record --anonymize: no name of a file, task, host or device is in the trace.
# bats file_tags=root
# bats file_tags=sanitized

load test_helper

# Of the file, its directory, the process, the host, the mount point and the image below the device.
FILE=invoices2026 DIRECTORY=customers COMM=payrolld HOST=vault-host-7 MOUNT=secretmount IMAGE=blkreel-test-

setup() {
	need_loop
	need_probes
	need_command python3
	need_command zstd
	need_command unshare
	make_loop 64M
	MNT=$BATS_TEST_TMPDIR/$MOUNT
	mkfs.ext4 -q -F "$LOOP"
	mkdir "$MNT"
	mount "$LOOP" "$MNT"
	mkdir "$MNT/$DIRECTORY"
	dd if=/dev/urandom of="$MNT/$DIRECTORY/$FILE" bs=1M count=4 status=none
	umount "$LOOP"
	mount "$LOOP" "$MNT"
	cp "$(command -v dd)" "$BATS_TEST_TMPDIR/$COMM"
}

# record_names TRACE [OPTION...]: reads the file by that process on that host.
record_names() {
	local trace=$1
	shift
	echo 3 >/proc/sys/vm/drop_caches
	# shellcheck disable=SC2016
	unshare -u sh -c 'hostname "$1" || echo "$1" >/proc/sys/kernel/hostname; shift; exec "$@"' - "$HOST" \
		"$BLKREEL" record --cache -d "$LOOP" -o "$trace" "$@" -- \
		"$BATS_TEST_TMPDIR/$COMM" if="$MNT/$DIRECTORY/$FILE" of=/dev/null bs=64k status=none
}

# names_in TRACE NAME...: those of the names that are in the file's bytes or in a block, decompressed.
names_in() {
	python3 - "$@" <<-'END'
		import struct, subprocess, sys
		data, at = open(sys.argv[1], "rb").read(), 32
		parts = [data]
		while at < len(data):
		    assert data[at:at + 4] == b"RBLK"
		    stored = struct.unpack_from("<I", data, at + 16)[0]
		    part = data[at + 32:at + 32 + stored]
		    if data[at + 5] == 1:
		        part = subprocess.run(["zstd", "-dcq"], input=part, stdout=subprocess.PIPE, check=True).stdout
		    parts.append(part)
		    at += 32 + stored
		assert len(parts) > 8
		print(" ".join(name for name in sys.argv[2:] if any(name.encode() in part for part in parts)))
	END
}

@test "--anonymize removes the names of file, process, host, command and device" {
	record_names "$BATS_TEST_TMPDIR/plain.reel"
	run -0 names_in "$BATS_TEST_TMPDIR/plain.reel" $FILE $DIRECTORY $COMM $HOST $MOUNT $IMAGE
	[ "$output" = "$FILE $DIRECTORY $COMM $HOST $MOUNT $IMAGE" ]
	record_names "$BATS_TEST_TMPDIR/hashed.reel" --anonymize
	run -0 names_in "$BATS_TEST_TMPDIR/hashed.reel" $FILE $DIRECTORY $COMM $HOST $MOUNT $IMAGE
	[ "$output" = "" ]
	# The rest is there: the same reads, by one process, of one file.
	run -0 "$BLKREEL" info --verify "$BATS_TEST_TMPDIR/hashed.reel"
	[[ $output =~ host\ +host-[0-9a-f]{12}\ \(Linux ]]
	[[ $output == *"(anonymized)"* ]]
	[[ $output == *"anonymized: each is a keyed hash"* ]]
	"$BLKREEL" info --json "$BATS_TEST_TMPDIR/hashed.reel" >"$BATS_TEST_TMPDIR/j"
	[ "$(json "$BATS_TEST_TMPDIR/j" 'd["host"]["anonymized"], d["rows"]["io"] > 10, d["devices"][0]["name"]')" = \
		"(True, True, '$(basename "$LOOP")')" ]
	[[ $(json "$BATS_TEST_TMPDIR/j" 'd["devices"][0]["stacked_on"]') =~ ^file\ (/[0-9a-f]{10})+$ ]]
	"$BLKREEL" info --json "$BATS_TEST_TMPDIR/plain.reel" >"$BATS_TEST_TMPDIR/j"
	[ "$(json "$BATS_TEST_TMPDIR/j" 'd["host"]["anonymized"]')" = False ]
	"$BLKREEL" dump --format csv "$BATS_TEST_TMPDIR/hashed.reel" | python3 -c '
import csv, re, sys
rows = [r for r in csv.DictReader(sys.stdin) if r["op"] == "read" and r["origin"] == "file"]
assert sum(int(r["bytes"]) for r in rows) >= 4 << 20, len(rows)
assert all(re.fullmatch("p-[0-9a-f]{12}", r["comm"]) for r in rows), rows[0]
assert {len(r["file"].split("/")) for r in rows if int(r["bytes"]) > 65536} == {len(sys.argv[1].split("/"))}, rows[0]
' "$MNT/$DIRECTORY/$FILE"
}

@test "--anonymize removes a cgroup's name from its table and from the filter" {
	local cgroup=/sys/fs/cgroup/blkio/tenant4711-$$
	mkdir "$cgroup" 2>/dev/null || skip "needs cgroups of version 1 with blkio"
	echo "$cgroup" >"$BATS_TEST_TMPDIR/groups"
	for words in "" --anonymize; do
		"$BLKREEL" record -d "$LOOP" --cgroup "/tenant4711-$$" -o "$BATS_TEST_TMPDIR/t$words.reel" $words -- \
			sh -c "echo \$\$ >$cgroup/tasks; exec $HELPERS/issue_io read $LOOP 7 4096" >/dev/null
	done
	rmdir "$cgroup"
	run -0 names_in "$BATS_TEST_TMPDIR/t.reel" tenant4711
	[ "$output" = tenant4711 ]
	run -0 names_in "$BATS_TEST_TMPDIR/t--anonymize.reel" tenant4711
	[ "$output" = "" ]
	"$BLKREEL" info --json "$BATS_TEST_TMPDIR/t--anonymize.reel" >"$BATS_TEST_TMPDIR/j"
	how=$(json "$BATS_TEST_TMPDIR/j" '[t["how"] for t in d["tiers"] if t["figure"] == "filter"][0]')
	[[ $how =~ ^cgroup\ /[0-9a-f]{10}$ ]]
	# The filter and the rows name the same cgroup.
	"$BLKREEL" dump --format csv "$BATS_TEST_TMPDIR/t--anonymize.reel" | tail -1 | grep -qF ",${how#cgroup },"
}

@test "equal keys give equal hashes in two traces, different keys do not" {
	local key=$BATS_TEST_TMPDIR/key other=$BATS_TEST_TMPDIR/other
	head -c 32 /dev/urandom >"$key"
	head -c 32 /dev/urandom >"$other"
	chmod 600 "$key" "$other"
	files() {
		"$BLKREEL" dump --format csv "$1" | grep ,read, | grep -oE '(/[0-9a-f]{10}){3,}' | sort | uniq -c | sort -rn |
			awk 'NR == 1 { print $2 }'
	}
	run -0 --separate-stderr record_names "$BATS_TEST_TMPDIR/a.reel" --anonymize-key "$key"
	[[ $stderr != *"can be read by others"* ]]
	record_names "$BATS_TEST_TMPDIR/b.reel" --anonymize-key "$key"
	record_names "$BATS_TEST_TMPDIR/c.reel" --anonymize-key "$other"
	record_names "$BATS_TEST_TMPDIR/d.reel" --anonymize
	[ -n "$(files "$BATS_TEST_TMPDIR/a.reel")" ]
	[ "$(files "$BATS_TEST_TMPDIR/a.reel")" = "$(files "$BATS_TEST_TMPDIR/b.reel")" ]
	[ "$(files "$BATS_TEST_TMPDIR/a.reel")" != "$(files "$BATS_TEST_TMPDIR/c.reel")" ]
	[ "$(files "$BATS_TEST_TMPDIR/a.reel")" != "$(files "$BATS_TEST_TMPDIR/d.reel")" ]
	run -0 names_in "$BATS_TEST_TMPDIR/a.reel" $FILE $DIRECTORY $COMM $HOST $MOUNT $IMAGE
	[ "$output" = "" ]
	chmod 644 "$key"
	run -0 --separate-stderr record_names "$BATS_TEST_TMPDIR/a.reel" --anonymize-key "$key"
	[[ $stderr == *"$key can be read by others"*"chmod 600"* ]]
}

@test "a key file that is missing, short or endless is refused" {
	printf 'fifteen bytes..' >"$BATS_TEST_TMPDIR/short"
	chmod 600 "$BATS_TEST_TMPDIR/short"
	cd "$BATS_TEST_TMPDIR"
	run -4 --separate-stderr "$BLKREEL" record -t 1 --anonymize-key short -o t.reel
	one_line "$stderr"
	[[ $stderr == *"a key of 15 bytes can be guessed: take at least 16"* ]]
	run -1 --separate-stderr "$BLKREEL" record -t 1 --anonymize-key nothing -o t.reel
	run -1 --separate-stderr "$BLKREEL" record -t 1 --anonymize-key . -o t.reel
	run -4 --separate-stderr "$BLKREEL" record -t 1 --anonymize-key /dev/zero -o t.reel
	run -125 --separate-stderr "$BLKREEL" record --anonymize-key nothing -o t.reel -- true
	[ ! -e t.reel ]
}

@test "the default name of the trace does not tell the host either" {
	cd "$BATS_TEST_TMPDIR"
	# shellcheck disable=SC2016
	unshare -u sh -c 'echo "$2" >/proc/sys/kernel/hostname; exec "$1" record -d "$3" --anonymize -t 100ms' - \
		"$BLKREEL" "$HOST" "$LOOP"
	ls blkreel-2*.reel
	run ! ls ./*$HOST*
}

@test "copy --anonymize removes all names, also from a copy of two hosts" {
	record_names "$BATS_TEST_TMPDIR/plain.reel"
	make_trace --rows 50 --host other-host-8 "$BATS_TEST_TMPDIR/a"
	make_trace --rows 50 --host other-host-9 "$BATS_TEST_TMPDIR/b"
	run -0 "$BLKREEL" copy "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b" "$BATS_TEST_TMPDIR/plain.reel" \
		-o "$BATS_TEST_TMPDIR/joined.reel"
	run -0 names_in "$BATS_TEST_TMPDIR/joined.reel" $FILE $DIRECTORY $COMM $HOST other-host- mysqld ibdata1
	[ "$output" = "$FILE $DIRECTORY $COMM $HOST other-host- mysqld ibdata1" ]
	run -0 "$BLKREEL" copy --anonymize "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b" "$BATS_TEST_TMPDIR/plain.reel" \
		-o "$BATS_TEST_TMPDIR/hashed.reel"
	run -0 names_in "$BATS_TEST_TMPDIR/hashed.reel" $FILE $DIRECTORY $COMM $HOST $MOUNT other-host- mysqld ibdata1
	[ "$output" = "" ]
	run -0 names_in "$BATS_TEST_TMPDIR/hashed.reel" ":nvme0n1"
	[ "$output" = ":nvme0n1" ]
	"$BLKREEL" copy "$BATS_TEST_TMPDIR/hashed.reel" "$BATS_TEST_TMPDIR/a" -o "$BATS_TEST_TMPDIR/mixed.reel"
	run -0 --separate-stderr "$BLKREEL" info --json "$BATS_TEST_TMPDIR/hashed.reel"
	[[ $output == *'"anonymized": true'* ]]
	run -0 --separate-stderr "$BLKREEL" info --json "$BATS_TEST_TMPDIR/mixed.reel"
	[[ $output == *'"anonymized": false'* ]]
}
