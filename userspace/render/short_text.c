// SPDX-License-Identifier: MIT
#include "render/short_text.h"

#include <math.h>
#include <stdio.h>

void short_scaled(char text[SHORT_TEXT_MAX], double value, double base, const char *unit)
{
	static const char letters[] = " kMGTP";
	unsigned int i = 0;

	while (value >= 999.5 && letters[i + 1]) {
		value /= base;
		i++;
	}
	if (!i)
		snprintf(text, SHORT_TEXT_MAX,
			 value > 0 && value < 9.95 && value != floor(value) ? "%.1f%s" : "%.0f%s",
			 value, unit);
	else
		snprintf(text, SHORT_TEXT_MAX, "%.*f%c%s",
			 value < 9.995	 ? 2
			 : value < 99.95 ? 1
					 : 0,
			 value, letters[i], unit);
}

void short_time(char text[SHORT_TEXT_MAX], double time_ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	unsigned int i = 0;

	while (time_ns >= 999.5 && i < 3) {
		time_ns /= 1000;
		i++;
	}
	snprintf(text, SHORT_TEXT_MAX, "%.*f%s",
		 time_ns < 9.995 && i	? 2
		 : time_ns < 99.95 && i ? 1
					: 0,
		 time_ns, units[i]);
}
