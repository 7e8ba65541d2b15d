"""kept.py SAMPLES: of the windows of each observer (block.OBSERVER.window) the share less the bias, as samples block.OBSERVER.kept.

The bias is what nobody's windows have in the median. Nobody's own stay as they are.
"""
import re
import statistics
import sys


def main(path):
    with open(path) as file:
        pairs = [line.rstrip("\n").split("\t") for line in file]
    windows = [(found[1], float(value)) for key, value in pairs
               if (found := re.fullmatch(r"block\.(\w+)\.window", key))]
    bias = statistics.median(value for observer, value in windows if observer == "nobody")
    for observer, value in windows:
        print(f"block.{observer}.kept\t{value if observer == 'nobody' else value / bias:.5f}")


main(sys.argv[1])
