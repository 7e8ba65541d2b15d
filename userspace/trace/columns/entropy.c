// SPDX-License-Identifier: MIT
#include <math.h>

#include "trace/columns/entropy.h"

float entropy_bits(const uint32_t counts[256], uint32_t total)
{
	float sum = 0;

	if (!total)
		return 0;
	for (unsigned int byte = 0; byte < 256; byte++)
		if (counts[byte])
			sum += (float)counts[byte] * log2f((float)counts[byte]);
	return log2f((float)total) - sum / (float)total;
}
