// SPDX-License-Identifier: MIT
/* Profiles from strangers: parsing, and the first IOs of what was accepted. */
#include <stddef.h>
#include <stdint.h>

#include "profile/generate/generator.h"

#define IOS_PER_PROFILE 2000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char message[PROFILE_MESSAGE_MAX];
	struct profile_generator *generator;
	struct profile *profile = NULL;
	struct io_row row;

	if (size > PROFILE_FILE_MAX || profile__parse((const char *)data, size, &profile, message))
		return 0;
	if (!profile_generator__create(profile, profile->seed, &generator)) {
		for (int i = 0;
		     i < IOS_PER_PROFILE && profile_generator__next(generator, &row) > 0;)
			i++;
		profile_generator__free(generator);
	}
	profile__free(profile);
	return 0;
}
