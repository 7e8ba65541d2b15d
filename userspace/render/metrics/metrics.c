// SPDX-License-Identifier: MIT
#include "render/metrics/metrics.h"

#include <errno.h>
#include <stdlib.h>

int metrics__write(const struct metrics_source *source, enum exposition_format format,
		   int (*sink)(const char *text, size_t bytes, void *context), void *context)
{
	struct exposition *x = calloc(1, sizeof(*x));
	int err = 0, end_err;

	if (!x)
		return -ENOMEM;
	x->format = format;
	x->sink = sink;
	x->context = context;
	metrics__devices(x, source);
	if (source->has_cache)
		err = metrics__cache(x, source);
	if (source->counts && !err)
		err = metrics__cgroups(x, source);
	metrics__own(x, source);
	end_err = exposition__end(x);
	free(x);
	return err ? err : end_err;
}
