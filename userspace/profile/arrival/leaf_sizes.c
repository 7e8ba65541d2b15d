// SPDX-License-Identifier: MIT
#include "profile/arrival/leaf_sizes.h"

#include "profile/bins.h"

#define OWED_ALONE 128 /* when so many are owed, half of the IOs that can take one do; */
#define OWED_CROWD 256 /* in leaves that have a row, whose halves were drawn for crowds */
#define OWED_MOST  (1u << 20)

int leaf_sizes_row(uint64_t ios)
{
	if (ios < LEAF_ROW_IOS)
		return -1;
	return (int)at_most(bits_of(ios / LEAF_ROW_IOS) - 1, PROFILE_LEAF_ROWS - 1);
}

static uint64_t give_back(uint64_t owed, uint64_t room, uint64_t half_at, struct prng *random)
{
	uint64_t least = owed < OWED_MOST ? owed : OWED_MOST;
	uint64_t wanted = room * least, of = least + half_at, given = wanted / of;

	given += prng_below(random, of) < wanted % of;
	return given < owed ? given : owed;
}

/* Of `ios` that can be of the class, how many are. */
static uint64_t settle(uint64_t *owed, uint64_t has, uint64_t ios,
		       const struct profile_larger *larger, struct prng *random)
{
	int row = leaf_sizes_row(ios);
	uint64_t most = row < 0 ? ios : ios * larger->most_permille[row] / 1000, given;

	if (has > most) {
		*owed += has - most;
		return most;
	}
	if (!*owed || has == most)
		return has;
	given = give_back(*owed, most - has, row < 0 ? OWED_ALONE : OWED_CROWD, random);
	*owed -= given;
	return has + given;
}

void leaf_sizes_settle(struct leaf_sizes *l, const struct profile_arrival *a, struct prng *random,
		       uint64_t classes[2][SIZE_CLASSES])
{
	for (unsigned int op = 0; op < 2; op++) {
		const struct profile_larger *larger = &a->larger[op ? 0 : MARKS_OTHERS];
		uint64_t left = 0;

		for (unsigned int c = 0; c < SIZE_CLASSES; c++)
			left += classes[op][c];
		for (unsigned int c = SIZE_CLASSES - 1; c; c--) {
			uint64_t has = classes[op][c];

			if (has > left) {
				l->owed[op][c] += has - left;
				has = left;
			}
			if (larger[c - 1].most_known)
				has = settle(&l->owed[op][c], has, left, &larger[c - 1], random);
			classes[op][c] = has;
			left -= has;
		}
		classes[op][0] = left;
	}
}

void leaf_most_note(struct leaf_most *most, const uint64_t marks[BURST_MARKS], uint64_t ios)
{
	for (unsigned int m = 0; m < PROFILE_LARGER; m++) {
		uint64_t of, alone = burst_mark_alone(marks, ios, MARK_LARGER + m, &of);
		int row = leaf_sizes_row(of);
		uint32_t permille;

		if (row < 0)
			continue;
		permille = (uint32_t)((alone * 1000 + of - 1) / of);
		most->seen[m][row] = true;
		if (permille > most->permille[m][row])
			most->permille[m][row] = permille;
	}
}

void leaf_most_fill(const struct leaf_most *most, unsigned int mark, struct profile_larger *larger)
{
	uint32_t last = 0;

	for (int row = PROFILE_LEAF_ROWS; row--;)
		if (most->seen[mark][row]) {
			larger->most_known = true;
			last = most->permille[mark][row];
		}
	for (int row = 0; row < PROFILE_LEAF_ROWS && larger->most_known; row++) {
		if (most->seen[mark][row])
			last = most->permille[mark][row];
		larger->most_permille[row] = last;
	}
}
