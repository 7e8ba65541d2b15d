// SPDX-License-Identifier: MIT
#include "compare/limits.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

int limit__parse(const char *spec, bool is_floor, struct limit *limit)
{
	static const struct comparison nothing;
	const char *equals = strrchr(spec, '=');
	double value;

	if (!equals || (size_t)(equals - spec) >= sizeof(limit->name))
		return -EINVAL;
	memcpy(limit->name, spec, (size_t)(equals - spec));
	limit->name[equals - spec] = 0;
	limit->is_floor = is_floor;
	if (!strncmp(limit->name, "throughput.", 11)) {
		if (strcmp(limit->name + 11, "iops") && strcmp(limit->name + 11, "bytes_per_s"))
			return -EINVAL;
	} else if (comparison_figure(&nothing, limit->name, &value)) {
		return -EINVAL;
	}
	return units_parse_real(equals + 1, 0, 1e12, &limit->limit);
}

static bool is_beyond(const struct limit *limit, double value)
{
	return limit->is_floor ? value < limit->limit : value > limit->limit;
}

/* The noise reaches from the side on which the figure lies to the limit, and to "no difference". */
static bool is_noise(const struct limit *limit, const struct interval *figure)
{
	double neutral = comparison_figure_neutral(limit->name);

	return limit->is_floor ? figure->high >= fmax(neutral, limit->limit)
			       : figure->low <= fmin(neutral, limit->limit);
}

/* Figures of the IOs that are left say nothing of a run. IO by IO, a missing one is a difference. */
static bool lacks_verdict(const struct limit *limit, const struct repetitions *r)
{
	return r->typical.no_verdict && strncmp(limit->name, "exact.", 6);
}

void limit__check(const struct limit *limit, const struct repetitions *r,
		  struct limit_result *result)
{
	*result = (struct limit_result){.limit = limit, .figure = {NAN, NAN, NAN}};
	if (lacks_verdict(limit, r))
		result->outcome = LIMIT_NOT_KNOWN;
	else if (repetitions__figure(r, limit->name, &result->figure) ||
		 isnan(result->figure.value))
		result->outcome = LIMIT_NOT_KNOWN;
	else if (!is_beyond(limit, result->figure.value))
		result->outcome = LIMIT_PASSED;
	else if (is_noise(limit, &result->figure))
		result->outcome = LIMIT_WITHIN_NOISE;
	else
		result->outcome = LIMIT_FAILED;
}

bool limit_result__is_failure(const struct limit_result *result)
{
	return result->outcome >= LIMIT_FAILED;
}

const char *limit_outcome_name(enum limit_outcome outcome)
{
	static const char *const names[] = {"passed", "within_noise", "failed", "unknown"};

	return names[outcome];
}

static const char *where(const struct limit_result *result)
{
	bool is_floor = result->limit->is_floor;

	if (result->outcome == LIMIT_PASSED)
		return is_floor ? "not below the limit" : "not above the limit";
	return is_floor ? "below the limit" : "above the limit";
}

void limit_result__text(const struct limit_result *result, char text[LIMIT_TEXT_MAX])
{
	const struct limit *limit = result->limit;
	char interval[LIMIT_TEXT_MAX / 4] = "";

	if (!isnan(result->figure.low))
		snprintf(interval, sizeof(interval), " (95 %% interval %.4g to %.4g)",
			 result->figure.low, result->figure.high);
	if (result->outcome == LIMIT_NOT_KNOWN)
		snprintf(text, LIMIT_TEXT_MAX, "%s is not known for these two, so it is not %s %g",
			 limit->name, limit->is_floor ? "above" : "below", limit->limit);
	else
		snprintf(text, LIMIT_TEXT_MAX, "%s is %.4g%s, %s of %g%s", limit->name,
			 result->figure.value, interval, where(result), limit->limit,
			 result->outcome == LIMIT_WITHIN_NOISE
				 ? ", but within the noise of the runs"
				 : "");
}
