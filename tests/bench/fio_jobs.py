#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Job files run by fio and by 'blkreel bench' in turn, on one device: the rate, and the IOs that 'blkreel record' sees.

  fio_jobs.py BLKREEL DEVICE WORK SECONDS PAIRS JOB.fio...

Each file is changed for both: its jobs do direct IO on DEVICE, on 256 MiB where they ask for a GiB or more, by libaio where
their engine needs a library or a server, and none runs for more than SECONDS. A file that one of the two refuses is listed with the reason. One line for each other file: medians
of the pairs.
"""
import collections
import csv
import json
import os
import re
import statistics
import subprocess
import sys

blkreel, device, work = sys.argv[1:4]
seconds, pairs = float(sys.argv[4]), int(sys.argv[5])
LEFT_OUT = re.compile(r"\s*(filename|direct|buffered|directory|filename_format|opendir|runtime|timeout|write_\w+_log|"
                      r"log_\w+|numa_\w+|uri|pool|cont|cmd_type|xnvme_\w+|md_\w+|pi_\w+|apptag\w*)\s*(=|$)")
LARGE = re.compile(r"\b(size|filesize|io_size|io_limit)\s*=\s*([0-9.]+[gGtT]|[0-9]{4}[mM])[iI]?[bB]?")
ENGINE = re.compile(r"(\s*ioengine\s*=\s*)(null|nbd|dfs|ime|libzbc|libblkio|libpmem|libiscsi|rbd|rados|nfs|gfapi|libhdfs|http|"
                    r"xnvme|io_uring_cmd|external\S*|cpp_null)\s*$")


def for_device(path, copy):
    """Writes a copy whose jobs use the device, for the time at most."""
    lines = [ENGINE.sub(r"\1libaio\n", LARGE.sub(r"\1=256m", line)) for line in open(path, errors="replace")
             if not LEFT_OUT.match(line)]
    # A job that is a process of its own would outlive fio.
    mine = [f"filename={device}\n", f"runtime={seconds:g}\n", "direct=1\n", "thread\n"]
    begins = next((i for i, line in enumerate(lines) if line.strip().lower() == "[global]"), None)
    if begins is None:
        lines[0:0] = ["[global]\n"] + mine
    else:
        lines[begins + 1 : begins + 1] = mine
    open(copy, "w").writelines(lines)


LIMIT = 40  # of a run, in seconds


def run(command, limit):
    """With the processes that it started, for the time at most."""
    return subprocess.run(["timeout", "-k", "5", str(limit), *command], capture_output=True, text=True, cwd=work,
                          env=dict(os.environ, **WORDS))


# The variables that job files ask for, and a value for them.
WORDS = {"DEVICE": device, "RUNTIME": f"{seconds:g}", "SIZE": "64m", "FILENAME": device, "BS": "4k", "IODEPTH": "4"}


def recorded(command, trace):
    """Runs the command under record. Returns what it printed and the IOs that the device got, or an error."""
    done = run([blkreel, "-q", "record", "-d", device, "-o", trace, "--", *command], LIMIT)
    if done.returncode == 124:
        return None, f"runs for more than {LIMIT} s"
    if done.returncode:
        return None, (done.stderr.strip().splitlines() or ["no word"])[-1]
    return done.stdout, None


def ios_of(trace):
    sizes, reads, count, size = collections.Counter(), 0, 0, 0
    dump = subprocess.Popen([blkreel, "dump", "-f", "csv", trace], stdout=subprocess.PIPE, text=True)
    for row in csv.DictReader(dump.stdout):
        # Before it writes, bench looks at the target through the page cache.
        if row["op"] not in ("read", "write", "discard") or row["op"] != "discard" and row["origin"] != "direct":
            continue
        sizes[row["op"], int(row["bytes"])] += 1
        reads += row["op"] == "read"
        count += 1
        size += int(row["bytes"])
    return {"sizes": sizes, "reads": reads, "count": count, "bytes": size}


def turns_of(job_file):
    """Of each section of a job file how many stonewalls are before it."""
    turns, turn = {}, 0
    name = None
    for line in open(job_file):
        line = line.strip()
        if line.startswith("["):
            name = line.strip("[]")
            turns[name] = turn
        elif re.match(r"(stonewall|wait_for_previous)\s*(=\s*1)?$", line) and name != "global":
            turn += 1
            turns[name] = turn
        elif line.startswith("wait_for="):
            turns[name] = turn = turns[line[len("wait_for="):]] + 1
    return turns


def rate_of_fio(text, turns):
    """IOs and the time of the jobs, from stonewall to stonewall, in ms."""
    times = collections.defaultdict(float)
    ios = 0
    for job in json.loads(text[text.index("{") :])["jobs"]:
        ops = [job[op] for op in ("read", "write", "trim")]
        ios += sum(op["total_ios"] for op in ops)
        turn = turns[job["jobname"]]
        times[turn] = max([times[turn]] + [op["runtime"] for op in ops])
    return ios, sum(times.values())


def rate_of_bench(text):
    points = json.loads(text)["points"]
    return sum(p["ios"] for p in points), sum(p["duration_ns"] for p in points) / 1e6


def difference(a, b):
    """Total variation of sizes by operation, in per cent; the shares of reads, in points."""
    tvd = 50 * sum(abs(a["sizes"][k] / a["count"] - b["sizes"][k] / b["count"]) for k in set(a["sizes"]) | set(b["sizes"]))
    return tvd, 100 * (b["reads"] / b["count"] - a["reads"] / a["count"])


def compared(path):
    """The medians of the pairs, or why there are none."""
    job, fio_trace, our_trace = (os.path.join(work, name) for name in ("job.fio", "fio.reel", "bench.reel"))
    for_device(path, job)
    fio = ["fio", "--output-format=json", job]
    bench = [blkreel, "-q", "bench", job, "--target", device, "--write", "--yes-destroy", device, "--json"]
    samples = collections.defaultdict(list)
    for pair in range(pairs):
        texts = {}
        for name, command, trace in ((("fio", fio, fio_trace), ("bench", bench, our_trace))[:: 1 if pair % 2 else -1]):
            texts[name], error = recorded(command, trace)
            if error:
                return None, f"{name}: {error}"
        try:
            (fio_ios, fio_ms), (our_ios, our_ms) = rate_of_fio(texts["fio"], turns_of(job)), rate_of_bench(texts["bench"])
        except (ValueError, KeyError) as error:
            return None, f"result: {error}"
        theirs, ours = ios_of(fio_trace), ios_of(our_trace)
        if not (fio_ios and fio_ms and our_ios and theirs["count"] and ours["count"]):
            return None, f"no IO of {'fio' if not fio_ios or not theirs['count'] else 'bench'}"
        tvd, reads = difference(theirs, ours)
        samples["rate"].append((our_ios / our_ms) / (fio_ios / fio_ms))
        samples["count"].append(ours["count"] / theirs["count"])
        samples["bytes"].append((ours["bytes"] / ours["count"]) / (theirs["bytes"] / theirs["count"]))
        samples["tvd"].append(tvd)
        samples["reads"].append(reads)
        samples["fio"].append(1000 * fio_ios / fio_ms)
    return {name: statistics.median(values) for name, values in samples.items()}, None


def main():
    print(f"{'job file':36} {'fio IOPS':>9} {'bench/fio':>9} {'recorded':>9} {'mean size':>9} {'sizes TVD':>9} {'reads':>8}", flush=True)
    rates = []
    for path in sys.argv[6:]:
        figures, reason = compared(path)
        name = os.path.basename(path)
        if not figures:
            print(f"{name:36} not run: {reason}", flush=True)
            continue
        rates.append(figures["rate"])
        print(f"{name:36} {figures['fio']:9.0f} {figures['rate']:9.3f} {figures['count']:9.3f} {figures['bytes']:9.3f} "
              f"{figures['tvd']:7.1f} % {figures['reads']:+5.1f} pp", flush=True)
    print(f"{len(rates)} job files ran, {sum(abs(r - 1) <= 0.03 for r in rates)} of them within 3 % of the rate of fio")


main()
