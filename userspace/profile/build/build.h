/* SPDX-License-Identifier: MIT */
/* A profile out of the requests of one device, read from one or more traces. */
#ifndef BLKREEL_PROFILE_BUILD_BUILD_H
#define BLKREEL_PROFILE_BUILD_BUILD_H

#include "profile/file_layout.h"
#include "profile/profile.h"
#include "trace/file/reader.h"
#include "workload/dependence/waits.h"
#include "workload/figures/size_table.h"

/* What must be known before the first row is added. */
struct profile_extent {
	const struct file_layout *files; /* NULL: the requests are of a device */
	uint64_t ios;			 /* requests that will be added */
	uint64_t duration_ns;		 /* from the first created_ns to the last */
	uint64_t device_bytes;		 /* 0: not known */
	uint64_t first_sector;		 /* of all reads, writes and discards */
	uint64_t end_sector;
	unsigned int block_offset_sectors; /* where block 0 of 4 KiB begins, 0 to 7 */
	unsigned int window_shift;	   /* of the windows and phases, 0 to 3 */
	struct size_octaves sizes;	   /* zeros: sizes are not told apart in bursts */
	/* Where the requests of several spaces lie; 0: there is one, the whole. */
	uint32_t space_count;
	struct {
		uint64_t first_sector, end_sector;
	} spaces[PROFILE_SPACES_MAX];
};

struct profile_builder;

/* 0 or -ENOMEM, -ERANGE: more IOs, time or space than a profile can say. */
int profile_builder__create(const struct profile_extent *extent, struct profile_builder **builder);

/*
 * The next request by rising created_ns, times counted from the first (in [0, duration_ns]). `task` is
 * the submitter, NULL when not known; so is `waited`: what the IO, whose completion is known, waited
 * for. Where nearly all have it, the profile says the closed loop, too. 0 or -ENOMEM.
 */
int profile_builder__add(struct profile_builder *b, const struct io_row *row,
			 const struct trace_task *task, const struct io_wait *waited);

/* The same for a request whose submitter is known as such, in a space. */
int profile_builder__add_as(struct profile_builder *b, const struct io_row *row,
			    enum submitter submitter, uint32_t space, const struct io_wait *waited);

/* *profile is to be freed by profile__free(). 0 or -ENOMEM. */
int profile_builder__finish(struct profile_builder *b, struct profile **profile);

void profile_builder__free(struct profile_builder *b); /* NULL is allowed */

#endif
