#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Known numbers of IOs on NVMe.
# vm: --nvme 64M --append nvme_core.multipath=N
. "$GUEST/lib.bash"
. "$GUEST/counts.bash"

known_reads nvme0n1
known_writes nvme0n1
known_discards nvme0n1
finish
