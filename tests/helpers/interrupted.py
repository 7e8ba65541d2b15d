# SPDX-License-Identifier: MIT
"""
Sends a signal to a command while it works, however fast it is, and prints as JSON its exit status and what it
printed to the terminal after the signal.

  interrupted.py SIGNAL COMMAND...

Standard error is a pseudo-terminal whose output is stopped (as by control-S), so that the first line of progress
waits (BLKREEL_FORCE_PROGRESS shows it at once). Then the signal is sent and the output let go.
"""
import json
import os
import pty
import select
import signal
import sys
import termios
import time

DEADLINE_S = 120


def is_waiting(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            state = file.read().rpartition(")")[2].split()[0]
        return state == "S" and "blkreel" in os.path.basename(os.readlink(f"/proc/{pid}/exe"))
    except OSError:
        return False


def wait_until_waiting(pid):
    end, seen = time.monotonic() + DEADLINE_S, 0
    while seen < 5:
        if time.monotonic() > end:
            sys.exit("the command did not wait for its terminal")
        seen = seen + 1 if is_waiting(pid) else 0
        time.sleep(0.02)


def main():
    number, command = getattr(signal, "SIG" + sys.argv[1]), sys.argv[2:]
    master, slave = pty.openpty()
    termios.tcflow(slave, termios.TCOOFF)
    pid = os.fork()
    if pid == 0:
        # A shell starts its background jobs with SIGINT ignored.
        signal.signal(number, signal.SIG_DFL)
        os.dup2(slave, 2)
        os.environ["BLKREEL_FORCE_PROGRESS"] = "1"
        os.execvp(command[0], command)
    wait_until_waiting(pid)
    os.kill(pid, number)
    termios.tcflow(slave, termios.TCOON)
    _, status = os.waitpid(pid, 0)
    output = b""
    while select.select([master], [], [], 0)[0]:
        output += os.read(master, 65536)
    print(json.dumps({"status": os.waitstatus_to_exitcode(status), "output": output.decode("utf-8", "replace")}))


main()
