# SPDX-License-Identifier: MIT
"""
Prints what a terminal shows after all output that on_terminal.py has recorded before the step N (from 0).

  picture.py FILE.json ROWSxCOLUMNS [N]
"""
import json
import re
import sys


def main():
    rows, columns = map(int, sys.argv[2].split("x"))
    steps = json.load(open(sys.argv[1]))["output"]
    text = "".join(steps[:int(sys.argv[3])] if len(sys.argv) > 3 else steps)
    screen, row, column = [[" "] * columns for _ in range(rows)], 0, 0
    for token in re.finditer(r"\033\[([0-9;?]*)([A-Za-z])|\r|\n|[^\033]", text):
        command = token.group(2)
        if command == "H":
            row = column = 0
        elif command == "K":
            screen[row][column:] = [" "] * (columns - column)
        elif command == "J":
            screen[row + 1:] = [[" "] * columns for _ in range(rows - row - 1)]
        elif command:
            continue
        elif token.group() == "\r":
            column = 0
        elif token.group() == "\n":
            row = min(row + 1, rows - 1)
        else:
            assert column < columns, "a line is wider than the terminal"
            screen[row][column] = token.group()
            column += 1
    print("\n".join("".join(line).rstrip() for line in screen))


main()
