// SPDX-License-Identifier: MIT
#include "profile/arrival/bin_sizes.h"

#include "profile/arithmetic.h"

#define BACKLOG_HALF	     128 /* with such a backlog half of the IOs that can take one do; */
#define BACKLOG_HALF_OF_MANY 256 /* in bins that have a row, which were drawn for bursts */
#define BACKLOG_MAX	     (1u << 20)

int bin_sizes_row(uint64_t ios)
{
	if (ios < CAP_ROW_IOS)
		return -1;
	return (int)at_most(bits_of(ios / CAP_ROW_IOS) - 1, PROFILE_CAP_ROWS - 1);
}

static uint64_t give_back(uint64_t backlog, uint64_t slack, uint64_t half_at, struct prng *random)
{
	uint64_t least = backlog < BACKLOG_MAX ? backlog : BACKLOG_MAX;
	uint64_t wanted = slack * least, of = least + half_at, given = wanted / of;

	given += prng_below(random, of) < wanted % of;
	return given < backlog ? given : backlog;
}

/* Of `ios` that can be of the class, how many are. */
static uint64_t settle(uint64_t *backlog, uint64_t has, uint64_t ios,
		       const struct profile_size_class *model, struct prng *random)
{
	int row = bin_sizes_row(ios);
	uint64_t most = row < 0 ? ios : ios * model->cap_permille[row] / 1000, given;

	if (has > most) {
		*backlog += has - most;
		return most;
	}
	if (!*backlog || has == most)
		return has;
	given = give_back(*backlog, most - has, row < 0 ? BACKLOG_HALF : BACKLOG_HALF_OF_MANY,
			  random);
	*backlog -= given;
	return has + given;
}

void bin_sizes_settle(struct bin_sizes *l, const struct profile_arrival *a, struct prng *random,
		      uint64_t classes[2][CLASSES_OF_OP])
{
	for (unsigned int op = 0; op < 2; op++) {
		const struct profile_size_class *model = &a->size_classes[op ? 0 : COUNTS_OF_OP];
		uint64_t left = 0;

		for (unsigned int c = 0; c < CLASSES_OF_OP; c++)
			left += classes[op][c];
		for (unsigned int c = CLASSES_OF_OP - 1; c; c--) {
			uint64_t has = classes[op][c];

			if (has > left) {
				l->backlog[op][c] += has - left;
				has = left;
			}
			if (model[c - 1].cap_known)
				has = settle(&l->backlog[op][c], has, left, &model[c - 1], random);
			classes[op][c] = has;
			left -= has;
		}
		classes[op][0] = left;
	}
}

void bin_caps_note(struct bin_caps *most, const uint64_t counts[CLASS_COUNTS], uint64_t ios)
{
	for (unsigned int m = 0; m < PROFILE_SIZE_CLASSES; m++) {
		uint64_t of, alone = class_count_alone(counts, ios, COUNT_ABOVE + m, &of);
		int row = bin_sizes_row(of);
		uint32_t permille;

		if (row < 0)
			continue;
		permille = (uint32_t)((alone * 1000 + of - 1) / of);
		most->seen[m][row] = true;
		if (permille > most->permille[m][row])
			most->permille[m][row] = permille;
	}
}

void bin_caps_fill(const struct bin_caps *most, unsigned int which,
		   struct profile_size_class *model)
{
	uint32_t last = 0;

	for (int row = PROFILE_CAP_ROWS; row--;)
		if (most->seen[which][row]) {
			model->cap_known = true;
			last = most->permille[which][row];
		}
	for (int row = 0; row < PROFILE_CAP_ROWS && model->cap_known; row++) {
		if (most->seen[which][row])
			last = most->permille[which][row];
		model->cap_permille[row] = last;
	}
}
