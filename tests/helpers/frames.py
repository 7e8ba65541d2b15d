# SPDX-License-Identifier: MIT
"""
Shows to a terminal emulator (pyte) what on_terminal.py has recorded, byte for byte, and prints as JSON the picture
after each step. Fails when a character would be written beyond the right edge, or when a text that is to stay was not
whole at some moment between its first appearance and the next change of size.

  frames.py FILE.json ROWSxCOLUMNS STEP[,STEP...] [TEXT...]
"""
import json
import sys

import pyte


class Edged(pyte.Screen):
    def draw(self, data):
        for character in data:
            assert self.cursor.x < self.columns, f"beyond the right edge: {character!r}, line {self.cursor.y}"
            super().draw(character)


HEAD_LINES = 3  # in which the texts that stay are


def shows(screen, text):
    return any(
        text in "".join(screen.buffer[line][column].data for column in range(screen.columns)) for line in range(HEAD_LINES)
    )


def main():
    outputs = json.load(open(sys.argv[1]))["output"]
    rows, columns = map(int, sys.argv[2].split("x"))
    steps, stay = sys.argv[3].split(","), sys.argv[4:]
    screen = Edged(columns, rows)
    stream = pyte.Stream(screen)
    seen, pictures, checked = set(), [], 0
    for step in steps:
        name, _, value = step.partition("=")
        if name == "size":
            rows, columns = map(int, value.split("x"))
            screen.resize(rows, columns)
            seen = set()
        if name not in ("wait", "until"):
            continue
        for character in outputs.pop(0):
            stream.feed(character)
            for text in stay:
                if shows(screen, text):
                    seen.add(text)
                    checked += 1
                else:
                    # The program draws anew after a change of size.
                    assert text not in seen or step_after_size(steps, step), f"{text!r} flickered: {screen.display}"
        pictures.append([line.rstrip() for line in screen.display])
    print(json.dumps({"pictures": pictures, "checked": checked}))


def step_after_size(steps, step):
    at = next(i for i, other in enumerate(steps) if other is step)
    return at > 0 and steps[at - 1].startswith("size=")


main()
