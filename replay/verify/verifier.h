/* SPDX-License-Identifier: MIT */
/*
 * Reads what a replay with --stamp wrote and judges each block by its stamp. What should be where
 * is found by going through the source again, once for every window of the target, in bounded
 * memory. Nothing is written.
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
	uint64_t required; /* all writes up to this number must be there, or a later one */
	/* The same IOs, numbered, from the start; stays the caller's. 0 or negative errno. */
	int (*again)(void *context, struct replay_source **source);
	void *context;
};

/* Blocks, each in one of these. */
enum verified {
	VERIFIED_GOOD = 0,   /* the last write that is required, or one behind it */
	VERIFIED_LOST,	     /* an older write, or zeroes: the last one never arrived */
	VERIFIED_MISPLACED,  /* a write that belongs elsewhere */
	VERIFIED_BROKEN,     /* a stamp whose checksum is wrong */
	VERIFIED_FOREIGN,    /* no stamp of this replay, and not zeroes */
	VERIFIED_UNREADABLE, /* the device gave an error */
	VERIFIED_KINDS,
};

const char *verified_name(enum verified kind); /* "good", ... */

struct verifier_result {
	uint64_t blocks[VERIFIED_KINDS];
	uint64_t first_bytes[VERIFIED_KINDS]; /* offset of the first of them */
	uint64_t torn_writes; /* of which a part is there, and beside it what was there before */
	uint64_t first_torn_bytes;
	uint64_t torn_in_flight; /* the same of writes that are not required: no fault */
	uint64_t cleared_blocks; /* discarded or zeroed last, or perhaps: not judged */
	uint64_t writes;	 /* IOs that change data, in all of the source */
};

/* 0; negative errno of the source, or of no memory. What cannot be read is counted. */
int verifier__run(const struct verifier_options *options, struct verifier_result *result);

#endif
