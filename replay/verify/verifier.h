/* SPDX-License-Identifier: MIT */
/*
 * Reads what a replay with --stamp wrote and judges each block by its stamp. Goes through at most
 * three rounds of the source for every window of the target to find what each block should hold, in
 * bounded memory. Writes nothing.
 */
#ifndef BLKREEL_REPLAY_VERIFY_VERIFIER_H
#define BLKREEL_REPLAY_VERIFY_VERIFIER_H

#include <stdint.h>

#include "replay/source/source.h"

struct verifier_options {
	int fd;
	uint64_t target_bytes;
	uint32_t block_bytes;
	uint64_t run;
	uint64_t required; /* all writes up to this number must be there, or later ones */
	uint64_t rounds;   /* of the source, >= 1; all have the same IOs */
	/*
	 * Gives the IOs of a round, numbered from 1; the source stays the caller's. 0 or negative
	 * errno.
	 */
	int (*again)(void *context, struct replay_source **source);
	void *context;
};

/* The kinds of blocks. */
enum verified {
	VERIFIED_OK = 0,       /* the last required write, or a later one */
	VERIFIED_LOST,	       /* an older write or zeroes: the last required write is missing */
	VERIFIED_MISDIRECTED,  /* a write that belongs elsewhere */
	VERIFIED_BAD_CHECKSUM, /* a stamp whose checksum is wrong */
	VERIFIED_BAD_MAGIC,    /* no stamp, and not zeroes */
	VERIFIED_UNREADABLE,   /* the device gave an error */
	VERIFIED_KINDS,
};

const char *verified_name(enum verified kind); /* as in JSON: "verified", ... */

struct verifier_result {
	uint64_t blocks[VERIFIED_KINDS];
	uint64_t first_bytes[VERIFIED_KINDS]; /* offset of the first of them */
	uint64_t torn_writes;		      /* a part of the write is there, beside older data */
	uint64_t first_torn_bytes;
	uint64_t torn_in_flight; /* the same of writes that are not required: not a fault */
	uint64_t cleared_blocks; /* discarded or zeroed last, or perhaps: not judged */
	uint64_t writes;	 /* IOs that change data, in all rounds */
};

/* Verifies. 0; negative errno of the source, or -ENOMEM. Blocks that cannot be read are counted. */
int verifier__run(const struct verifier_options *options, struct verifier_result *result);

#endif
