/* SPDX-License-Identifier: MIT */
/* Arrays that grow. */
#ifndef BLKREEL_BASE_GROW_H
#define BLKREEL_BASE_GROW_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * The array with an element `index`: twice as long where needed, new elements zero. NULL: there is no
 * memory for it, the array stays.
 */
static inline void *grow_zeroed(void *array, uint32_t *count, uint32_t index, size_t bytes)
{
	uint64_t wanted = *count ? *count : 64;
	char *grown;

	if (index < *count)
		return array;
	while (wanted <= index)
		wanted *= 2;
	grown = realloc(array, wanted * bytes);
	if (!grown)
		return NULL;
	memset(grown + *count * bytes, 0, (wanted - *count) * bytes);
	*count = (uint32_t)wanted;
	return grown;
}

#endif
