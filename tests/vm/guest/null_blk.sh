#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Known numbers of IOs on null_blk, which has nothing between the block layer and memory.
. "$GUEST/lib.bash"
. "$GUEST/counts.bash"

make_null_blk truth size=64 memory_backed=1 discard=1 irqmode=0 || exit
known_reads "$disk"
known_writes "$disk"
known_discards "$disk"
finish
