// SPDX-License-Identifier: MIT
#include "base/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/units.h"

#define SHOWN_FROM_NS NSEC_PER_SEC /* shorter work needs no line */

static struct {
	const char *title; /* NULL: nothing is counted */
	double work, done, weight;
	uint64_t start_ns;
} current;

void progress_start(const char *title, double work)
{
	progress_stop();
	if (!progress_enabled())
		return;
	current.title = title;
	current.work = work;
	current.done = 0;
	current.weight = 1;
	current.start_ns = clock_ns(CLOCK_MONOTONIC);
}

void progress_weigh(double weight)
{
	if (current.title)
		current.weight = weight;
}

uint64_t progress_left_ns(uint64_t elapsed_ns, double share)
{
	double left_ns;

	if (share <= 0 || share >= 1)
		return 0;
	left_ns = (double)elapsed_ns * (1 - share) / share;
	return left_ns < 1e18 ? (uint64_t)left_ns : 0;
}

const char *progress_left_text(uint64_t left_ns, char text[UNITS_TEXT_MAX])
{
	uint64_t seconds = left_ns / NSEC_PER_SEC + (left_ns % NSEC_PER_SEC != 0);
	unsigned long long minutes = seconds / 60, hours = minutes / 60;

	if (hours)
		snprintf(text, UNITS_TEXT_MAX, "%lluh%02llum", hours, minutes % 60);
	else if (minutes)
		snprintf(text, UNITS_TEXT_MAX, "%llum%02llus", minutes,
			 (unsigned long long)seconds % 60);
	else
		snprintf(text, UNITS_TEXT_MAX, "%llus", (unsigned long long)seconds);
	return text;
}

static void show(uint64_t elapsed_ns)
{
	double share = current.work > 0 ? current.done / current.work : 0;
	char left[UNITS_TEXT_MAX];

	if (!(current.work > 0)) {
		progress("%s: %s read", current.title, BYTES_TEXT((uint64_t)current.done));
		return;
	}
	/* The work was estimated: what is beyond it is nearly done, too. */
	share = share < 0.99 ? share : 0.99;
	progress("%s: %.0f %%, %s left", current.title, 100 * share,
		 progress_left_text(progress_left_ns(elapsed_ns, share), left));
}

void progress_add(uint64_t units)
{
	uint64_t elapsed_ns;

	if (!current.title)
		return;
	current.done += (double)units * current.weight;
	elapsed_ns = clock_ns(CLOCK_MONOTONIC) - current.start_ns;
	if (elapsed_ns >= SHOWN_FROM_NS || getenv("BLKREEL_FORCE_PROGRESS"))
		show(elapsed_ns);
}

void progress_stop(void)
{
	if (!current.title)
		return;
	current.title = NULL;
	progress_end();
}
