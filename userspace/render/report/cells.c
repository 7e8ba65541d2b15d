// SPDX-License-Identifier: MIT
#include "render/report/cells.h"

#include <stdint.h>
#include <stdlib.h>

struct text {
	char *bytes;
	size_t length, allocated;
	uint32_t pending; /* bytes that make no whole group of three yet, after a leading 1 */
	bool failed;
};

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put(struct text *t, char c)
{
	if (t->length + 1 >= t->allocated) {
		size_t allocated = t->allocated ? 2 * t->allocated : 4096;
		char *bytes = realloc(t->bytes, allocated);

		if (!bytes) {
			t->failed = true;
			return;
		}
		t->bytes = bytes;
		t->allocated = allocated;
	}
	t->bytes[t->length++] = c;
}

static void put_byte(struct text *t, uint8_t byte)
{
	t->pending = t->pending << 8 | byte;
	if (t->pending >> 24 != 1)
		return;
	for (int shift = 18; shift >= 0; shift -= 6)
		put(t, digits[t->pending >> shift & 63]);
	t->pending = 1;
}

static void put_number(struct text *t, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		put_byte(t, (uint8_t)(number | 0x80));
	put_byte(t, (uint8_t)number);
}

static void put_end(struct text *t)
{
	if (t->pending >> 16 == 1) {
		put(t, digits[t->pending >> 10 & 63]);
		put(t, digits[t->pending >> 4 & 63]);
		put(t, digits[t->pending << 2 & 63]);
		put(t, '=');
	} else if (t->pending >> 8 == 1) {
		put(t, digits[t->pending >> 2 & 63]);
		put(t, digits[t->pending << 4 & 63]);
		put(t, '=');
		put(t, '=');
	}
	put(t, '\0');
}

char *cells_text(const struct heat_map *map, enum tick_op op, uint32_t bins, uint32_t first_row,
		 uint32_t rows)
{
	struct text t = {.pending = 1};
	uint64_t skip = 0;

	for (uint32_t bin = 0; bin < bins; bin++) {
		const uint32_t *column = map->cells[op] + (size_t)bin * map->rows + first_row;

		for (uint32_t row = 0; row < rows; row++) {
			if (!column[row]) {
				skip++;
				continue;
			}
			put_number(&t, skip);
			put_number(&t, column[row]);
			skip = 0;
		}
	}
	put_end(&t);
	if (!t.failed)
		return t.bytes;
	free(t.bytes);
	return NULL;
}
