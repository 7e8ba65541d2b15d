// SPDX-License-Identifier: MIT
#include "base/ioprio.h"

#include <stdio.h>
#include <string.h>

#define LEVEL_MAX 7
#define HINT_MAX  1023

static const char *const class_names[] = {"none", "rt", "be", "idle", "4", "5", "6", "7"};

const char *ioprio_text(uint16_t ioprio, char *text)
{
	unsigned int hint = ioprio >> 3 & HINT_MAX;
	int used;

	*text = '\0';
	if (!ioprio)
		return text;
	used = snprintf(text, IOPRIO_TEXT_MAX, "%s/%u", class_names[ioprio_class(ioprio)],
			ioprio & LEVEL_MAX);
	if (hint)
		snprintf(text + used, IOPRIO_TEXT_MAX - (size_t)used, "/%u", hint);
	return text;
}

bool ioprio_from_text(const char *text, uint64_t bytes, uint16_t *ioprio)
{
	char copy[IOPRIO_TEXT_MAX], name[8], again[IOPRIO_TEXT_MAX];
	unsigned int class = 0, level, hint = 0;

	*ioprio = 0;
	if (!bytes)
		return true;
	if (bytes >= sizeof(copy))
		return false;
	memcpy(copy, text, bytes);
	copy[bytes] = '\0';
	if (sscanf(copy, "%7[a-z0-9]/%1u/%4u", name, &level, &hint) < 2)
		return false;
	while (class < sizeof(class_names) / sizeof(class_names[0]) &&
	       strcmp(name, class_names[class]) != 0)
		class ++;
	if (class == sizeof(class_names) / sizeof(class_names[0]) || level > LEVEL_MAX ||
	    hint > HINT_MAX)
		return false;
	*ioprio = (uint16_t)(ioprio_make(class, level) | hint << 3);
	return !strcmp(ioprio_text(*ioprio, again), copy);
}
