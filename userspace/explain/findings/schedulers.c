// SPDX-License-Identifier: MIT
#include "explain/findings/schedulers.h"

#include <string.h>

static bool is_called(const struct explain_device *d, const char *prefix)
{
	return !strncmp(d->info.name, prefix, strlen(prefix));
}

enum dividing explain_dividing(const struct explain_device *d)
{
	/* A trace that was imported has names only. */
	if (d->info.bio_based || is_called(d, "dm-") || is_called(d, "md") || is_called(d, "zram"))
		return DIVIDES_NOT;
	return !strcmp(d->info.scheduler, "bfq") ? DIVIDES_ALREADY : CAN_DIVIDE;
}
