// SPDX-License-Identifier: MIT
#include "profile/operations/shorten.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Of the file, less what [error] takes. */
#define TEXT_BYTES_WANTED (15 * 1024)
#define STEPS		  11

int profile__to_text(const struct profile *p, char **text, size_t *text_bytes)
{
	FILE *memory = open_memstream(text, text_bytes);
	int err;

	if (!memory)
		return -errno;
	err = profile__save(p, memory);
	if (fclose(memory) && !err)
		err = -errno;
	return err;
}

/* From what matters least on. */
static void shorten_by(struct profile *p, unsigned int step)
{
	/* A size that is rarer than one IO in so many counts as the nearest that is not. */
	static const uint64_t rare[] = {20000, 14000, 10000, 7000, 5000};

	switch (step) {
	case 0:
		profile__drop_within(p, 1);
		profile__coarsen(p, 999);
		profile__thin_closed(p);
		break;
	case 1:
		profile__to_digits(p, false);
		break;
	case 2:
		profile__coarsen(p, 249);
		profile__thin_closed(p);
		break;
	case 3:
		profile__to_digits(p, true);
		profile__thin_closed(p);
		break;
	case 4:
		profile__thin_within(p);
		break;
	case STEPS - 1:
		profile__drop_bursts(p, PROFILE_PINNED_BURSTS_MAX / 2);
		break;
	default:
		profile__merge_sizes(p, p->ios / rare[step - 5]);
	}
}

int profile__shorten(struct profile *p, char **text, size_t *text_bytes)
{
	int err = profile__to_text(p, text, text_bytes);

	for (unsigned int step = 0; !err && step < STEPS; step++) {
		if (*text_bytes <= TEXT_BYTES_WANTED)
			break;
		shorten_by(p, step);
		free(*text);
		*text = NULL;
		err = profile__to_text(p, text, text_bytes);
	}
	return err;
}
