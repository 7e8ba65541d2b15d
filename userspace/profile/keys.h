/* The names that the tables of a profile have in its text, shared by reader and writer. */
#ifndef BLKREEL_PROFILE_KEYS_H
#define BLKREEL_PROFILE_KEYS_H

#include "profile/profile.h"

/* Rows are named by the smallest number of IOs (splits, gaps) or blocks (reuse) they stand for. */
static const unsigned int split_row_names[PROFILE_SPLIT_CLASSES] = {2,	3,  4,	 8,   16,
								    32, 64, 128, 256, 512};
static const unsigned int gap_row_names[PROFILE_GAP_CLASSES] = {2, 3, 5, 9, 17, 33, 65, 129};
static const unsigned int reuse_row_names[PROFILE_REUSE_SIZES] = {1, 2, 4, 8, 16, 32};

#endif
