#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints how many pages the kernel has taken out of the page cache, of these files and of all files below these folders.

    evicted_pages.py PATH...

cachestat(2) counts pages that were reclaimed and have not been read again: a file that is dropped leaves none. Folders
are followed onto other file systems, links are not. Exit code 1: the kernel has no cachestat().
"""
import ctypes
import errno
import os
import stat
import sys

SYS_CACHESTAT = 451
libc = ctypes.CDLL(None, use_errno=True)


def evicted(path):
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        whole, result = (ctypes.c_uint64 * 2)(0, 0), (ctypes.c_uint64 * 5)()
        if libc.syscall(SYS_CACHESTAT, fd, ctypes.byref(whole), ctypes.byref(result), 0):
            if ctypes.get_errno() == errno.ENOSYS:
                sys.exit(1)
            return 0
        return result[3]
    finally:
        os.close(fd)


def files(paths):
    for path in paths:
        yield path
        for folder, _, names in os.walk(path):
            yield from (os.path.join(folder, name) for name in names)


total = 0
for one in files(sys.argv[1:]):
    try:
        mode = os.lstat(one).st_mode
        if stat.S_ISREG(mode) or stat.S_ISBLK(mode):
            total += evicted(one)
    except OSError:
        pass
print(total)
