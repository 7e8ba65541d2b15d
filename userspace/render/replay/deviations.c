// SPDX-License-Identifier: MIT
#include "render/replay/deviations.h"

#include <string.h>

#include "base/units.h"

void deviation_counted(FILE *out, uint64_t count, const char *noun, const char *what)
{
	if (count)
		fprintf(out, "  %s %s\n", COUNTED_TEXT(count, noun), what);
}

void deviation_failed(FILE *out, uint64_t count, const char *op, int error)
{
	char text[UNITS_TEXT_MAX];

	fprintf(out, "  %s failed: %s, %s\n", units_count(count, text), op,
		error ? strerror(error) : "fewer bytes than asked for");
}
