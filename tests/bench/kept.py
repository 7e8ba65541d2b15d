# SPDX-License-Identifier: MIT
"""kept.py SAMPLES: the share of throughput that each observer keeps, without the bias of the method.

Divides the windows of each observer (block.OBSERVER.window) by the bias and prints them as samples
block.OBSERVER.kept. The bias is the median of the windows of the control, which has no recorder; the
control's own windows stay as they are.
"""
import re
import statistics
import sys


def main(path):
    with open(path) as file:
        pairs = [line.rstrip("\n").split("\t") for line in file]
    windows = [(found[1], float(value)) for key, value in pairs
               if (found := re.fullmatch(r"block\.(\w+)\.window", key))]
    bias = statistics.median(value for observer, value in windows if observer == "control")
    for observer, value in windows:
        print(f"block.{observer}.kept\t{value if observer == 'control' else value / bias:.5f}")


main(sys.argv[1])
