// SPDX-License-Identifier: MIT
#include "replay/engine/steady.h"

#include <math.h>

void steady__add(struct steady *s, double value)
{
	s->values[s->rounds++ % STEADY_WINDOW] = value;
}

void steady__judge(const struct steady *s, struct steady_verdict *v)
{
	const double middle = (STEADY_WINDOW - 1) / 2.0;
	double sum = 0, low = INFINITY, high = -INFINITY, products = 0, squares = 0;

	*v = (struct steady_verdict){0};
	if (s->rounds < STEADY_WINDOW)
		return;
	for (unsigned int i = 0; i < STEADY_WINDOW; i++) {
		double value = s->values[(s->rounds + i) % STEADY_WINDOW];

		sum += value;
		low = fmin(low, value);
		high = fmax(high, value);
		products += (i - middle) * value;
		squares += (i - middle) * (i - middle);
	}
	if (!(sum > 0))
		return;
	v->mean = sum / STEADY_WINDOW;
	v->range_pct = 100 * (high - low) / v->mean;
	v->slope_pct = 100 * fabs(products / squares) * (STEADY_WINDOW - 1) / v->mean;
	v->reached = v->range_pct <= STEADY_RANGE_MAX_PCT && v->slope_pct <= STEADY_SLOPE_MAX_PCT;
}
