// SPDX-License-Identifier: MIT
#include "exchange/input/field.h"

/* Larger exponents than any time has, in either direction. */
#define EXPONENT_MAX 40

/* The digits behind an 'e', if there are any: "1e-05" is of a program, "5 each" is not. */
static int take_exponent(const char **at, const char *end)
{
	const char *digits = *at;
	int exponent = 0;
	bool is_negative;

	if (digits == end || (*digits != 'e' && *digits != 'E'))
		return 0;
	digits++;
	is_negative = digits < end && *digits == '-';
	digits += digits < end && (*digits == '-' || *digits == '+');
	if (digits == end || !field_is_digit(*digits))
		return 0;
	for (; digits < end && field_is_digit(*digits); digits++)
		exponent = exponent < EXPONENT_MAX ? 10 * exponent + (*digits - '0') : exponent;
	*at = digits;
	return is_negative ? -exponent : exponent;
}

/* Adds a digit; false: the number is too large for it. */
static bool append(uint64_t *value, char digit)
{
	uint64_t longer;

	if (__builtin_mul_overflow(*value, 10u, &longer) ||
	    __builtin_add_overflow(longer, (uint64_t)(digit - '0'), &longer))
		return false;
	*value = longer;
	return true;
}

bool field_decimal_ns(const char **at, const char *end, uint64_t unit_ns, uint64_t *ns)
{
	int power = 0;
	bool fits = true;

	if (!field_number(at, end, ns))
		return false;
	if (*at < end && **at == '.')
		for ((*at)++; *at < end && field_is_digit(**at); (*at)++) {
			fits = fits && append(ns, **at);
			power -= fits;
		}
	power += take_exponent(at, end);
	for (; unit_ns > 1; unit_ns /= 10)
		power++;
	for (; power < 0 && *ns; power++)
		*ns /= 10;
	for (; power > 0 && *ns; power--)
		if (__builtin_mul_overflow(*ns, 10u, ns))
			return false;
	return true;
}
