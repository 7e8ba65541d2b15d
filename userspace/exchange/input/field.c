// SPDX-License-Identifier: MIT
#include "exchange/input/field.h"

bool field_decimal_ns(const char **at, const char *end, uint64_t unit_ns, uint64_t *ns)
{
	uint64_t whole, fraction_ns = 0;

	if (!field_number(at, end, &whole) || __builtin_mul_overflow(whole, unit_ns, &whole))
		return false;
	if (*at < end && **at == '.') {
		for ((*at)++; *at < end && field_is_digit(**at); (*at)++) {
			unit_ns /= 10;
			fraction_ns += unit_ns * (uint64_t)(**at - '0');
		}
	}
	return !__builtin_add_overflow(whole, fraction_ns, ns);
}
