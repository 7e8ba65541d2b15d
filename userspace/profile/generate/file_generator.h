/* SPDX-License-Identifier: MIT */
/*
 * Operations on files out of a profile of files, in order of time: what the generator of requests
 * places in the address space becomes a file and a place in it.
 */
#ifndef BLKREEL_PROFILE_GENERATE_FILE_GENERATOR_H
#define BLKREEL_PROFILE_GENERATE_FILE_GENERATOR_H

#include "profile/profile.h"

struct file_generator;

/* `p` must outlive it and be of PROFILE_OF_FILES. 0, -ENOMEM, -ERANGE: [files] say no layout. */
int file_generator__create(const struct profile *p, uint64_t seed, struct file_generator **g);

/* As profile_generator__repeat(). */
void file_generator__repeat(struct file_generator *g, uint64_t duration_ns);

/*
 * 1: *row is the next operation: time_ns from the first one, task the stream (from 1), file from 1.
 * Hit and missed pages are those of a cache without end, empty at first, with the readahead of the
 * profile. 0: the end. Negative errno: -ENOMEM.
 */
int file_generator__next(struct file_generator *g, struct access_row *row);

/* Files that can be named. */
uint32_t file_generator__files(const struct file_generator *g);

void file_generator__free(struct file_generator *g); /* NULL is allowed */

#endif
