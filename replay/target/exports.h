/* SPDX-License-Identifier: MIT */
/* What the kernel's NVMe target exports to other machines: it opens block devices without claiming them. */
#ifndef BLKREEL_REPLAY_TARGET_EXPORTS_H
#define BLKREEL_REPLAY_TARGET_EXPORTS_H

#include <limits.h>
#include <stdbool.h>

#include "replay/target/storage.h"

/* Finds a namespace that is enabled and shares its data with the storage: its folder in configfs. */
bool exports__find(const struct safety_view *view, const struct storage *storage,
		   char folder[PATH_MAX]);

#endif
