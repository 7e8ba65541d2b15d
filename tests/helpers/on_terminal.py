# SPDX-License-Identifier: MIT
"""
Runs a command on a pseudo-terminal and prints as JSON its exit status and the bytes that it printed before
and after each step.

  on_terminal.py ROWSxCOLUMNS STEP[,STEP...] COMMAND...

A step is wait=SECONDS, size=ROWSxCOLUMNS, keys=TEXT (^C: control-C), until=TEXT (at most 120 s; exit code 1 without it).
"""
import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios
import time


def set_size(fd, text):
    rows, columns = map(int, text.split("x"))
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def read_for(fd, seconds, until=None):
    out, end = b"", time.monotonic() + seconds
    while time.monotonic() < end and (until is None or until not in out):
        if select.select([fd], [], [], 0.05)[0]:
            try:
                data = os.read(fd, 65536)
            except OSError:
                break
            if not data:
                break
            out += data
    return out


def main():
    size, steps, command = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
    pid, fd = pty.fork()
    if pid == 0:
        time.sleep(0.2)
        os.execvp(command[0], command)
    set_size(fd, size)
    before = termios.tcgetattr(fd)
    outputs = []
    for step in steps:
        name, _, value = step.partition("=")
        if name == "wait":
            outputs.append(read_for(fd, float(value)))
        elif name == "until":
            outputs.append(read_for(fd, 120, value.encode()))
            if value.encode() not in outputs[-1]:
                sys.exit(f"no '{value}' in {outputs[-1]}")
        elif name == "size":
            set_size(fd, value)
        elif name == "keys":
            os.write(fd, value.replace("^C", "\x03").encode())
    settings = termios.tcgetattr(fd)
    outputs.append(read_for(fd, 20))
    _, status = os.waitpid(pid, 0)
    print(json.dumps({
        "status": os.waitstatus_to_exitcode(status),
        "settings_as_before": settings[3] == before[3],
        "output": [o.decode("utf-8", "replace") for o in outputs],
    }))


main()
