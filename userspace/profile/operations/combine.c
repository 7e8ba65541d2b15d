// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "profile/operations/combination.h"
#include "profile/operations/shorten.h"

#define TEXT_BYTES_MAX (16 * 1024)
#define STEPS	       3

/* From what matters least on. */
static void shorten_further(struct profile *p, unsigned int step)
{
	switch (step) {
	case 0:
		p->without_comments = true;
		break;
	case 1:
		profile__drop_bursts(p, PROFILE_PINNED_BURSTS_MAX / 4);
		break;
	default:
		profile__merge_sizes(p, p->ios / 2000);
	}
}

/* 1: the text is short enough; 0: it is not; negative errno. */
static int shorten_to_limit(struct profile *p)
{
	size_t bytes = 0;
	char *text = NULL;
	int err = profile__shorten(p, &text, &bytes);

	for (unsigned int step = 0; step < STEPS && !err && bytes > TEXT_BYTES_MAX; step++) {
		shorten_further(p, step);
		free(text);
		text = NULL;
		err = profile__to_text(p, &text, &bytes);
	}
	free(text);
	return err ? err : bytes <= TEXT_BYTES_MAX;
}

int profile__combine(const struct profile_part *parts, unsigned int count, uint64_t from_ns,
		     uint64_t to_ns, struct profile **profile)
{
	struct combination *combination = NULL;
	int err = combination__survey(parts, count, from_ns, to_ns, &combination);

	for (unsigned int window_shift = 0; !err; window_shift++) {
		err = combination__build(combination, window_shift, profile);
		if (err)
			break;
		err = shorten_to_limit(*profile);
		if (err > 0 || (!err && window_shift == PROFILE_WINDOW_SHIFT_MAX))
			break;
		profile__free(*profile);
		*profile = NULL;
	}
	combination__free(combination);
	return err < 0 ? err : 0;
}
