#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Known numbers of IOs on virtio-blk.
# vm: --virtio 64M
. "$GUEST/lib.bash"
. "$GUEST/counts.bash"

known_reads vda
known_writes vda
known_discards vda
finish
