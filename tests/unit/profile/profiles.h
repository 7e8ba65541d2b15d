/* SPDX-License-Identifier: MIT */
/* Profiles of rows that a test made. */
#ifndef BLKREEL_TESTS_UNIT_PROFILE_PROFILES_H
#define BLKREEL_TESTS_UNIT_PROFILE_PROFILES_H

#include <errno.h>
#include <stdio.h>

#include "profile/build/build.h"
#include "unit/shared/test.h"
#include "unit/shared/workload.h"

/* The profile of extent->ios rows. */
static inline struct profile *profile_of(const struct profile_extent *extent,
					 const struct io_row *rows)
{
	struct profile_builder *builder;
	struct profile *profile = NULL;

	if (profile_builder__create(extent, &builder))
		abort();
	for (uint64_t i = 0; i < extent->ios; i++)
		CHECK_EQ(profile_builder__add(builder, &rows[i], NULL, NULL), 0);
	if (profile_builder__finish(builder, &profile))
		abort();
	profile_builder__free(builder);
	return profile;
}

/* The profile of a made-up workload on a device of this size; 0: that ends where the IOs do. */
static inline struct profile *profile_of_workload(const struct made_workload *made,
						  uint64_t device_bytes)
{
	struct profile_extent extent = {
		.ios = made->ios,
		.duration_ns = made->duration_ns,
		.end_sector = device_bytes ? device_bytes / SECTOR_BYTES : made->end_sector,
		.device_bytes = device_bytes,
	};

	for (uint64_t i = 0; i < made->ios; i++)
		size_octaves_add(&extent.sizes, &made->rows[i]);
	return profile_of(&extent, made->rows);
}

/* The same of a sentence (unit/shared/workload.h). */
static inline struct profile *profile_of_sentence(const char *sentence)
{
	struct made_workload made = workload_of(sentence);
	struct profile *p = profile_of_workload(&made, 0);

	free(made.rows);
	return p;
}

/* Of a text without errors. */
static inline struct profile *profile_of_text(const char *text)
{
	char message[PROFILE_MESSAGE_MAX] = "";
	struct profile *p = NULL;

	if (profile__parse(text, strlen(text), &p, message)) {
		printf("# %s\n", message);
		abort();
	}
	return p;
}

/* What a reader of its text has; `p` is freed. */
static inline struct profile *profile_through_text(struct profile *p)
{
	struct profile *parsed;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		abort();
	CHECK_EQ(profile__save(p, out), 0);
	fclose(out);
	CHECK(bytes < 16384);
	parsed = profile_of_text(text);
	free(text);
	profile__free(p);
	return parsed;
}

/* Why a text is no profile; until the next call. */
static inline const char *refusal(const char *text)
{
	static char message[PROFILE_MESSAGE_MAX];
	struct profile *p = NULL;

	CHECK_EQ(profile__parse(text, strlen(text), &p, message), -EINVAL);
	CHECK(p == NULL);
	profile__free(p);
	return message;
}

#endif
