/* SPDX-License-Identifier: MIT */
/* The files that earlier runs of the recorder left behind under the same name. */
#ifndef BLKREEL_COLLECTOR_RECORDING_EARLIER_FILES_H
#define BLKREEL_COLLECTOR_RECORDING_EARLIER_FILES_H

#include <stdbool.h>

/*
 * Calls `each` with the path of each trace that is called STEM-YYYYMMDD-HHMMSS[-N].reel, the oldest
 * name first. STEM is the first `stem_bytes` of `name`, with its folder. A file that is no trace, a
 * link, or a file that a recorder is writing is left out. 0, or the first negative errno of `each`,
 * or -ENOMEM; a folder that cannot be read has no files.
 */
int earlier_files__each(const char *name, int stem_bytes,
			int (*each)(const char *path, void *context), void *context);

/* Whether a recorder began this trace and was killed or failed within a minute: it has no end mark. */
bool earlier_files__is_stub(const char *path);

#endif
