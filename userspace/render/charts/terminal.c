// SPDX-License-Identifier: MIT
/* What the terminal can show. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "render/charts/charts.h"

#define WIDTH_UNKNOWN 80u

/* The variables of the locale, the strongest first. */
static bool is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "UTF-8") || strcasestr(value, "UTF8");
	}
	return false;
}

static bool has_color(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(no_color && *no_color) && term && *term && strcmp(term, "dumb") != 0;
}

struct chart_style chart_style_of_width(unsigned int width)
{
	struct chart_style style = {.width = width, .utf8 = is_utf8(), .color = has_color()};

	if (style.width < CHART_WIDTH_MIN)
		style.width = CHART_WIDTH_MIN;
	if (style.width > CHART_WIDTH_MAX)
		style.width = CHART_WIDTH_MAX;
	return style;
}

bool chart_style_of(FILE *out, struct chart_style *style)
{
	struct winsize size;

	if (!isatty(fileno(out)))
		return false;
	if (ioctl(fileno(out), TIOCGWINSZ, &size) || !size.ws_col)
		size.ws_col = WIDTH_UNKNOWN;
	*style = chart_style_of_width(size.ws_col);
	return true;
}
