# bats file_tags=once
# SPDX-License-Identifier: MIT
# profile: what is independent stays independent. The inputs are made and counted by Python alone.
load test_helper

# make_independent KIND FILE: 4, 8 or 16 KiB, drawn independently of all else, at times that are
# random, even, or come in bursts (KIND); of random or even reads and writes, of bursts writes.
make_independent() {
	python3 - "$1" >"$2" <<-'END'
		import random, sys
		kind = sys.argv[1]
		random.seed(7)
		time = 0.0
		print("time,op,offset,size")
		def emit():
		    op = "W" if kind == "bursts" or random.random() < 0.3 else "R"
		    print("%d,%s,%d,%d" % (time * 1e9, op, random.randrange(1 << 18) * 4096,
		                           random.choice((4096, 8192, 16384))))
		while time < 2000:
		    if kind == "random":
		        emit()
		        time += random.expovariate(200)
		    elif kind == "even":
		        emit()
		        time += random.uniform(0.004, 0.006)
		    else:
		        for _ in range(min(int(random.paretovariate(1.5) * 10), 2000)):
		            emit()
		            time += random.expovariate(3000)
		        time += random.expovariate(5)
	END
}

# size_bursts FILE SECONDS: variance of the bytes in windows of so many seconds, beyond what their
# number of IOs explains, by what independent sizes give: 1 if sizes are independent.
size_bursts() {
	python3 - "$1" "$2" <<-'END'
		import csv, sys
		windows, mean = {}, 0
		length = float(sys.argv[2])
		rows = list(csv.DictReader(open(sys.argv[1])))
		sizes = [int(row["bytes"]) for row in rows]
		mean = sum(sizes) / len(sizes)
		variance = sum((size - mean) ** 2 for size in sizes) / len(sizes)
		for row, size in zip(rows, sizes):
		    window = windows.setdefault(int(int(row["time_ns"]) / 1e9 / length), [0, 0])
		    window[0] += 1
		    window[1] += size
		print(sum((b - n * mean) ** 2 / (n * variance) for n, b in windows.values()) / len(windows))
	END
}

# ios_bursts FILE SECONDS: variance / mean of the IOs in such windows; 1 at random times.
ios_bursts() {
	python3 - "$1" "$2" <<-'END'
		import collections, csv, sys
		length = float(sys.argv[2])
		count = collections.Counter(int(int(row["time_ns"]) / 1e9 / length) for row in csv.DictReader(open(sys.argv[1])))
		windows = [count[i] for i in range(max(count))]
		mean = sum(windows) / len(windows)
		print(sum((n - mean) ** 2 for n in windows) / len(windows) / mean)
	END
}

between() { python3 -c "import sys; sys.exit(not $1 <= $2 <= $3)"; }

# check_kind KIND: the sizes of the generated IOs at four scales; the longer the windows, the fewer
# there are, and the more of the sizes is set by the phases of 83 s, in which their sum is exact.
check_kind() {
	local seconds least most bursts
	make_independent "$1" "$BATS_TEST_TMPDIR/in.csv"
	"$BLKREEL" import --from csv --columns time:ns,op,offset,size --skip-lines 1 "$BATS_TEST_TMPDIR/in.csv" -o "$TRACE"
	"$BLKREEL" profile "$TRACE" --seeds 1 -o "$BATS_TEST_TMPDIR/p" >/dev/null
	"$BLKREEL" profile generate "$BATS_TEST_TMPDIR/p" -f csv >"$BATS_TEST_TMPDIR/out.csv"
	while read -r seconds least most; do
		bursts=$(size_bursts "$BATS_TEST_TMPDIR/out.csv" "$seconds")
		echo "$1, $seconds s: $bursts"
		between "$least" "$bursts" "$most"
	done <<-END
		0.1 0.95 1.05
		1 0.9 1.1
		5 0.8 1.25
		20 0.5 1.35
	END
}

@test "independent sizes stay independent at random times" {
	check_kind random
	between 0.95 "$(ios_bursts "$BATS_TEST_TMPDIR/out.csv" 0.1)" 1.05
	between 0.9 "$(ios_bursts "$BATS_TEST_TMPDIR/out.csv" 1)" 1.1
}

@test "independent sizes stay independent at even times" {
	check_kind even
}

@test "independent sizes stay independent in bursts" {
	check_kind bursts
}

@test "what a hand-written profile leaves out is random" {
	printf '%s\n' '[profile]' 'version = 1' 'ios = 40000' 'duration = 20s' 'end = 1GiB' '[stream 1]' 'op = read' 'size = 4K' \
		>"$BATS_TEST_TMPDIR/p"
	"$BLKREEL" profile generate "$BATS_TEST_TMPDIR/p" -f csv >"$BATS_TEST_TMPDIR/out.csv"
	python3 - "$BATS_TEST_TMPDIR/out.csv" <<-'END'
		import collections, csv, math, sys
		rows = list(csv.DictReader(open(sys.argv[1])))
		times = [int(row["time_ns"]) for row in rows]
		blocks = [int(row["sector"]) / 8 for row in rows]
		assert {(row["op"], row["bytes"]) for row in rows} == {("read", "4096")}
		assert len(rows) == 40000
		assert times[0] == 0 and times[-1] == 20 * 10**9
		assert len(set(times)) > 39990
		# Gaps of random times are exponential: as large a deviation as the mean.
		gaps = [b - a for a, b in zip(times, times[1:])]
		mean = sum(gaps) / len(gaps)
		assert 0.97 < math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) / mean < 1.03
		# As many different blocks as random draws from 2^18 give, and as many in each 64th.
		assert all(block == int(block) and 0 <= block < 2**18 for block in blocks)
		expected = 2**18 * (1 - math.exp(-40000 / 2**18))
		assert abs(len(set(blocks)) - expected) < 0.01 * expected, (len(set(blocks)), expected)
		parts = collections.Counter(int(block) >> 12 for block in blocks)
		assert 20 < sum((parts[i] - 625) ** 2 / 625 for i in range(64)) < 110
	END
	between 0.9 "$(ios_bursts "$BATS_TEST_TMPDIR/out.csv" 0.01)" 1.1
	between 0.8 "$(ios_bursts "$BATS_TEST_TMPDIR/out.csv" 0.1)" 1.2
}

@test "hand-written: several streams share the IOs, and wrong units are refused" {
	printf '%s\n' '[profile]' 'version = 1' 'ios = 30000' 'duration = 500ms' 'end = 64MiB' \
		'[stream 1]' 'op = read' 'size = 4K' '[stream 2]' 'op = write' 'size = 64K' >"$BATS_TEST_TMPDIR/p"
	"$BLKREEL" profile generate "$BATS_TEST_TMPDIR/p" -f csv >"$BATS_TEST_TMPDIR/out.csv"
	[ "$(grep -c ',read,.*,4096,' "$BATS_TEST_TMPDIR/out.csv")" = 15000 ]
	[ "$(grep -c ',write,.*,65536,' "$BATS_TEST_TMPDIR/out.csv")" = 15000 ]
	# What is saved generates the same.
	"$BLKREEL" profile scale "$BATS_TEST_TMPDIR/p" --time 1 -o "$BATS_TEST_TMPDIR/s"
	"$BLKREEL" profile generate "$BATS_TEST_TMPDIR/s" -f csv | cmp - "$BATS_TEST_TMPDIR/out.csv"
	for wrong in 's/500ms/long/' 's/64MiB/100/' 's/4K/four/' 's/^ios = .*/&\nduration_ns = 3/'; do
		sed "$wrong" "$BATS_TEST_TMPDIR/p" >"$BATS_TEST_TMPDIR/w"
		run -4 --separate-stderr "$BLKREEL" profile show "$BATS_TEST_TMPDIR/w"
		one_line "$stderr"
	done
}

@test "hand-written: even times, sequential and hot places" {
	printf '%s\n' '[profile]' 'version = 1' 'ios = 10001' 'duration = 10s' 'end = 64MiB' 'arrival = even' \
		'[stream 1]' 'op = read' 'size = 1M' 'place = sequential' >"$BATS_TEST_TMPDIR/p"
	"$BLKREEL" profile scale "$BATS_TEST_TMPDIR/p" --time 1 -o "$BATS_TEST_TMPDIR/s"
	for profile in p s; do
		"$BLKREEL" profile generate "$BATS_TEST_TMPDIR/$profile" -f csv | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
assert len(rows) == 10001
assert [int(row["time_ns"]) for row in rows] == [i * 10**6 for i in range(10001)]
assert [int(row["sector"]) for row in rows] == [i % 64 * 2048 for i in range(10001)]'
	done
	sed 's/^place = .*/place = hot 90% of 10%/; s/^size = .*/size = 4K/' "$BATS_TEST_TMPDIR/p" >"$BATS_TEST_TMPDIR/h"
	"$BLKREEL" profile scale "$BATS_TEST_TMPDIR/h" --time 1 -o "$BATS_TEST_TMPDIR/s"
	for profile in h s; do
		"$BLKREEL" profile generate "$BATS_TEST_TMPDIR/$profile" -f csv | python3 -c '
import csv, sys
blocks = [int(row["sector"]) // 8 for row in csv.DictReader(sys.stdin)]
hot = [block for block in blocks if block < 1638]
assert 8850 < len(hot) < 9150, len(hot)
# Uniform in each part: the means are those of 0 to 1637 and 1638 to 16383.
assert abs(sum(hot) / len(hot) - 818.5) < 25
cold = [block for block in blocks if block >= 1638]
assert max(cold) < 16384 and abs(sum(cold) / len(cold) - 9010.5) < 600'
	done
	sed 's/^place = .*/place = zipf 0.9/' "$BATS_TEST_TMPDIR/h" >"$BATS_TEST_TMPDIR/z"
	"$BLKREEL" profile scale "$BATS_TEST_TMPDIR/z" --time 1 -o "$BATS_TEST_TMPDIR/s"
	for profile in z s; do
		"$BLKREEL" profile generate "$BATS_TEST_TMPDIR/$profile" -f csv | python3 -c '
import collections, csv, math, sys
blocks = collections.Counter(int(row["sector"]) // 8 for row in csv.DictReader(sys.stdin))
weights = [rank ** -0.9 for rank in range(1, 16385)]
def near(drawn, share):
    assert abs(drawn - 10001 * share) < 5 * math.sqrt(10001 * share) + 1, (drawn, share)
most = [count for _, count in blocks.most_common(100)]
near(most[0], weights[0] / sum(weights))
assert abs(sum(most) - 10001 * sum(weights[:100]) / sum(weights)) < 400, sum(most)
assert abs(len(blocks) - sum(1 - (1 - w / sum(weights)) ** 10001 for w in weights)) < 200, len(blocks)
# The hot blocks are spread over the range.
hot = [block for block, _ in blocks.most_common(64)]
assert len({block // 2048 for block in hot}) == 8, hot'
	done
	echo 'zones = 3:1' >>"$BATS_TEST_TMPDIR/h"
	run -4 --separate-stderr "$BLKREEL" profile show "$BATS_TEST_TMPDIR/h"
	one_line "$stderr"
	[[ "$stderr" == *"'place' goes without tables of places"* ]]
	for wrong in 's/even/odd/' 's/^place = .*/place = hot 90%/' 's/^place = .*/place = zipf 4.1/' 's/^place = .*/place = zipf/' 's/^duration.*/&\n[arrival]\nwindows = 1 10000/; s/^arrival = even//; s/^end = .*//'; do
		sed "$wrong" "$BATS_TEST_TMPDIR/p" >"$BATS_TEST_TMPDIR/w"
		run -4 --separate-stderr "$BLKREEL" profile show "$BATS_TEST_TMPDIR/w"
	done
}

@test "the built-in profiles are what they say, to the IO" {
	local file
	for file in "$ROOT"/profiles/*.profile; do
		[ "${file##*/}" != web.profile ] || continue
		"$BLKREEL" profile generate "$file" -f csv >"$BATS_TEST_TMPDIR/${file##*/}"
	done
	cd "$BATS_TEST_TMPDIR"
	python3 - <<-'END'
		import collections, csv
		def rows(name):
		    return [(int(r["time_ns"]), r["op"], int(r["sector"]) * 512, int(r["bytes"])) for r in csv.DictReader(open(name + ".profile"))]
		def spread(values, windows):
		    counts = collections.Counter(values)
		    mean = len(values) / windows
		    return sum((counts[i] - mean) ** 2 for i in range(windows)) / len(values)
		MIB, GIB = 1 << 20, 1 << 30
		for name, op, ios in (("seq-read", "read", 4096), ("seq-write", "write", 4096), ("backup", "read", 16384)):
		    got = rows(name)
		    assert [r[1:] for r in got] == [(op, i * MIB, MIB) for i in range(ios)], name
		    assert all(abs(r[0] - i * 2500000) <= 1 for i, r in enumerate(got)), name
		for name, op in (("rand-read", "read"), ("rand-write", "write")):
		    got = rows(name)
		    assert len(got) == 40000 and all(r[1] == op and r[3] == 4096 and r[2] % 4096 == 0 and r[2] < GIB for r in got)
		    assert 0.6 < spread([r[0] * 64 // 20000000001 for r in got], 64) < 1.6, name
		    assert 0.6 < spread([r[2] * 64 // GIB for r in got], 64) < 1.6, name
		for name, reads in (("snia-65-35", 19500), ("snia-5-95", 1500)):
		    got = rows(name)
		    sizes = collections.Counter(r[3] for r in got)
		    assert set(sizes) == {512, *(k << 10 for k in (4, 8, 16, 32, 64, 128, 1024))}, sizes
		    assert all(abs(n - 3750) < 8 for n in sizes.values()), sizes
		    assert sum(r[1] == "read" for r in got) == reads and len(got) == 30000
		    assert all(r[2] % r[3] == 0 and r[2] + r[3] <= 8 * GIB for r in got)
		    # The large ones come as they happen to, not at even distances.
		    assert 0.5 < spread([r[0] * 64 // 60000000001 for r in got if r[3] == MIB], 64) < 1.7, name
		got = rows("oltp")
		assert len(got) == 60000 and sum(r[1] == "read" for r in got) == 45000
		assert all(r[3] == 8192 and r[2] % 8192 == 0 and r[2] < 4 * GIB for r in got)
		got = rows("mail")
		journal = [r[2] for r in got if r[2] >= 8 * GIB]
		assert len(got) == 13500 and len(journal) == 4500 == sum(r[1] == "read" for r in got)
		assert journal == [8 * GIB + i * 8192 for i in range(4500)]
		messages = [r[3] for r in got if r[2] < 8 * GIB]
		assert abs(sum(messages) / len(messages) - 15770) < 700, sum(messages) / len(messages)
	END
}

@test "random IOs of a small device come everywhere when a profile is built of them" {
	cd "$BATS_TEST_TMPDIR" || return
	printf '[job]\nrw=randread\nsize=1g\nbs=4k\nnumber_ios=10000\n' >random.fio
	"$BLKREEL" profile --from-fio random.fio -o random.profile
	"$BLKREEL" profile generate random.profile -o random.reel >/dev/null
	"$BLKREEL" dump --format csv random.reel >random.csv
	python3 - <<'END'
import csv
tenths = [0] * 10
for row in csv.DictReader(open("random.csv")):
    tenths[int(row["sector"]) * 512 * 10 >> 30] += 1
assert sum(tenths) == 10000 and all(850 < n < 1150 for n in tenths), tenths
END
}
