// SPDX-License-Identifier: MIT
#include "base/histogram_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

char *histogram_text(const struct histogram *h)
{
	const char *separator = "";
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (!h->buckets[i])
			continue;
		fprintf(out, "%s%" PRIu64 ":%" PRIu64, separator,
			loglinear_number(i, HISTOGRAM_STEP_BITS), h->buckets[i]);
		separator = " ";
	}
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

int histogram_text_add(const char *text, struct histogram *h)
{
	while (*text) {
		uint64_t value, count;
		int used = 0;

		if (*text < '0' || *text > '9' ||
		    sscanf(text, "%19" SCNu64 ":%19" SCNu64 "%n", &value, &count, &used) != 2 ||
		    !count)
			return -EINVAL;
		histogram_add_many(h, value, count);
		text += used;
		if (*text && *text++ != ' ')
			return -EINVAL;
	}
	return 0;
}
