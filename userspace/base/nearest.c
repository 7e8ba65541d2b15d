// SPDX-License-Identifier: MIT
#include "base/nearest.h"

#include <limits.h>
#include <string.h>

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

unsigned int word_distance(const char *a, const char *b)
{
	unsigned int table[NEAREST_WORD_MAX + 1][NEAREST_WORD_MAX + 1];
	size_t a_length = strlen(a), b_length = strlen(b);

	if (a_length > NEAREST_WORD_MAX || b_length > NEAREST_WORD_MAX)
		return UINT_MAX;
	for (unsigned int i = 0; i <= a_length; i++)
		table[i][0] = i;
	for (unsigned int j = 0; j <= b_length; j++)
		table[0][j] = j;
	for (unsigned int i = 1; i <= a_length; i++) {
		for (unsigned int j = 1; j <= b_length; j++) {
			unsigned int replaced = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			table[i][j] = least(replaced, least(table[i - 1][j], table[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				table[i][j] = least(table[i][j], table[i - 2][j - 2] + 1);
		}
	}
	return table[a_length][b_length];
}

bool is_near(const char *word, const char *name)
{
	size_t length = strlen(word);
	unsigned int distance = word_distance(word, name);

	return length > 2 && distance <= (length > 5 ? 2u : 1u);
}
