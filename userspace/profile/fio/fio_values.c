// SPDX-License-Identifier: MIT
#include "profile/fio/fio_values.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

int fio_size_value(const char *text, uint64_t *bytes)
{
	char first[64];

	snprintf(first, sizeof(first), "%.*s", (int)strcspn(text, ",-"), text);
	for (char *at = first; *at; at++) /* fio takes suffixes of either case */
		*at = (char)(strchr("mgtp", *at) ? toupper(*at) : *at == 'K' ? 'k' : *at);
	return units_parse_bytes(first, bytes) ? -EINVAL : *bytes ? 0 : -EINVAL;
}
