#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The page-cache account: known numbers of pages, cold and warm, on ext4 and on xfs, whose folios are large in newer
# kernels. What the kernel does not show is reported as unavailable, not as zero.
# vm: --virtio 128M --virtio 384M --with mkfs.ext4 --with mkfs.xfs --with fio --with dd
. "$GUEST/lib.bash"
. "$GUEST/cache.bash"

device=vda
on ext4
device=vdb
on xfs
finish
