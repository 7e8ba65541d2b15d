# SPDX-License-Identifier: MIT
"""BPF time of the programs that a process holds: bpf_cost.py PID READS.

Prints "NAME NS_PER_RUN RUNS_PER_READ" per program and last "total NS_PER_READ". Programs of other
processes do not count: the ids come from the process's own descriptors.
"""
import json
import os
import subprocess
import sys


def program_ids(pid):
    ids = set()
    for number in os.listdir(f"/proc/{pid}/fdinfo"):
        with open(f"/proc/{pid}/fdinfo/{number}") as file:
            fields = dict(line.split(":", 1) for line in file if ":" in line)
        if "run_cnt" in fields:
            ids.add(int(fields["prog_id"]))
    return ids


def main(pid, reads):
    ids = program_ids(pid)
    if not ids:
        sys.exit("bpf_cost: the process has no BPF program")
    programs = json.loads(subprocess.check_output(["bpftool", "prog", "show", "-j"]))
    total_ns = 0
    for program in programs:
        runs = program.get("run_cnt", 0)
        if program["id"] not in ids or not runs:
            continue
        total_ns += program["run_time_ns"]
        print(f"{program['name']} {program['run_time_ns'] / runs:.0f} {runs / reads:.3f}")
    print(f"total {total_ns / reads:.1f}")


main(int(sys.argv[1]), int(sys.argv[2]))
