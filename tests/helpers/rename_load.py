#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes files whose names change, and prints what it wrote under which name.

    rename_load.py reuse|rename|folder|many DIR

Each line of the output is "NAME OFFSET BYTES": one write, which was synced before the next name came.
"""
import os
import sys
import time


def write(file, path, offset, size):
    os.pwrite(file, bytes([offset // 4096 % 251 + 1]) * size, offset)
    os.fdatasync(file)
    print(os.path.basename(path), offset, size)


def create(path):
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


def reuse(folder):
    """Each file is unlinked when the next one exists, so that inode numbers come again."""
    before = None
    for number in range(1, 31):
        path = f"{folder}/{number:06}.sst"
        file = create(path)
        write(file, path, 0, 4096 * number)
        os.close(file)
        if before:
            os.unlink(before)
        before = path


def rename(folder):
    path, final = f"{folder}/tmp.new", f"{folder}/final.dat"
    file = create(path)
    write(file, path, 0, 4096)
    os.rename(path, final)
    write(file, final, 4096, 8192)


def move_folder(folder):
    """A folder above the file gets another name; the probes look at folders every 100 ms."""
    os.mkdir(f"{folder}/before")
    file = create(f"{folder}/before/data")
    write(file, "before-data", 0, 4096)
    os.rename(f"{folder}/before", f"{folder}/after")
    time.sleep(0.3)
    write(file, "after-data", 4096, 8192)


def many(folder):
    """More names than a version number of the probes can count."""
    path = f"{folder}/n0"
    file = create(path)
    for number in range(600):
        write(file, path, number * 4096, 4096)
        after = f"{folder}/n{number + 1}"
        os.rename(path, after)
        path = after


{"reuse": reuse, "rename": rename, "folder": move_folder, "many": many}[sys.argv[1]](sys.argv[2])
