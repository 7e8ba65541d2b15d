# SPDX-License-Identifier: MIT
"""
Shows to a terminal emulator (pyte) what on_terminal.py has recorded, byte for byte, and prints as JSON the picture
after each step. Fails when a character would be written beyond the right edge, or when a text that is to stay was not
whole at some moment between its first appearance and the first picture of the next size.

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


CLEAR = "\x1b[H\x1b[2J"
HEAD_LINES = 3  # in which the texts that stay are


def shows(screen, text):
    return any(
        text in "".join(screen.buffer[line][column].data for column in range(screen.columns)) for line in range(HEAD_LINES)
    )


def feed(stream, text, stay, seen):
    """Returns at how many moments a text that stays was seen; seen has those that must be there."""
    checked = 0
    for character in text:
        stream.feed(character)
        for words in stay:
            if shows(stream.listener, words):
                seen.add(words)
                checked += 1
            else:
                assert words not in seen, f"{words!r} flickered: {stream.listener.display}"
    return checked


def main():
    outputs = json.load(open(sys.argv[1]))["output"]
    rows, columns = map(int, sys.argv[2].split("x"))
    steps, stay = sys.argv[3].split(","), sys.argv[4:]
    screen = Edged(columns, rows)
    stream = pyte.Stream(screen)
    seen, pictures, checked, new_size = set(), [], 0, None
    for step in steps:
        name, _, value = step.partition("=")
        if name == "size":
            new_size = tuple(map(int, value.split("x")))
        if name not in ("wait", "until"):
            continue
        output = outputs.pop(0)
        if new_size:
            # What comes before the screen is cleared was drawn before the program knew of the new size.
            old, clear, output = output.partition(CLEAR)
            assert clear, "nothing was drawn for the new size"
            checked += feed(stream, old, stay, seen)
            screen.resize(*new_size)
            stream.feed(clear)
            seen, new_size = set(), None
        checked += feed(stream, output, stay, seen)
        pictures.append([line.rstrip() for line in screen.display])
    print(json.dumps({"pictures": pictures, "checked": checked}))


main()
