// SPDX-License-Identifier: MIT
#include "workload/figures/peak_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define MIB	      (1024u * 1024u)
#define NSEC_PER_10MS (10 * NSEC_PER_MSEC)
#define IO_LIMITS     11u
#define P99	      99.0

const uint64_t peak_windows_ns[PEAK_WINDOWS] = {
	NSEC_PER_10MS, 10 * NSEC_PER_10MS, NSEC_PER_SEC, 10 * NSEC_PER_SEC, 60 * NSEC_PER_SEC,
};

/* What clouds sell, and what disks do. */
static const uint64_t ios_per_s[IO_LIMITS] = {
	100, 250, 500, 1000, 3000, 6000, 16000, 32000, 64000, 128000, 256000,
};
static const uint64_t mib_per_s[PEAK_LIMITS - IO_LIMITS] = {
	10, 25, 60, 125, 250, 500, 1000, 2000, 4000,
};

#define STEPS 10u /* of one window */

struct window {
	uint64_t last_step;
	uint64_t ios[STEPS], bytes[STEPS]; /* of the last steps, by their number modulo STEPS */
	uint64_t all_ios, all_bytes;
};

/*
 * Limits of one kind, the smallest first. Limits above one that lets an IO through at once do so, too. So only the
 * first `held` limits have a time in open_ns. Each of the others opens as long after the last IO as that takes.
 */
struct gates {
	unsigned int count, held;
	double ns_per_io[PEAK_LIMITS], ns_per_byte[PEAK_LIMITS]; /* one of the two is 0 */
	uint64_t open_ns[PEAK_LIMITS];
	uint64_t last_bytes;
	struct histogram *waits[PEAK_LIMITS]; /* of those that were held; NULL: none */
};

struct peak_load {
	uint64_t ios, bytes, last_ns;
	uint64_t step, step_ios, step_bytes; /* of the shortest window: not yet in the windows */
	struct window windows[PEAK_WINDOWS];
	struct peak peaks[PEAK_WINDOWS];
	struct gates by_ios, by_bytes;
};

struct peak_load *peak_load__new(void)
{
	struct peak_load *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->by_ios.count = IO_LIMITS;
	for (unsigned int i = 0; i < p->by_ios.count; i++)
		p->by_ios.ns_per_io[i] = (double)NSEC_PER_SEC / (double)ios_per_s[i];
	p->by_bytes.count = PEAK_LIMITS - IO_LIMITS;
	for (unsigned int i = 0; i < p->by_bytes.count; i++)
		p->by_bytes.ns_per_byte[i] = (double)NSEC_PER_SEC / (double)(mib_per_s[i] * MIB);
	return p;
}

void peak_load__free(struct peak_load *p)
{
	if (!p)
		return;
	for (unsigned int i = 0; i < PEAK_LIMITS; i++) {
		free(p->by_ios.waits[i]);
		free(p->by_bytes.waits[i]);
	}
	free(p);
}

/* Windows --------------------------------------------------------------------------------------- */

/* Empties what leaves the window as it moves to `step`. */
static void move(struct window *w, uint64_t step)
{
	uint64_t moved = step - w->last_step;

	for (uint64_t i = 0; i < moved && i < STEPS; i++) {
		uint64_t left = (step - i) % STEPS;

		w->all_ios -= w->ios[left];
		w->all_bytes -= w->bytes[left];
		w->ios[left] = w->bytes[left] = 0;
	}
	w->last_step = step;
}

static void add_to_window(struct peak_load *p, unsigned int i)
{
	struct window *w = &p->windows[i];
	struct peak *peak = &p->peaks[i];
	uint64_t step_ns = peak_windows_ns[i] / STEPS;
	uint64_t step = p->step * (peak_windows_ns[0] / STEPS) / step_ns;
	uint64_t from_ns = step < STEPS ? 0 : (step - STEPS + 1) * step_ns;

	move(w, step);
	w->ios[step % STEPS] += p->step_ios;
	w->bytes[step % STEPS] += p->step_bytes;
	w->all_ios += p->step_ios;
	w->all_bytes += p->step_bytes;
	if (w->all_ios > peak->ios) {
		peak->ios = w->all_ios;
		peak->ios_at_ns = from_ns;
	}
	if (w->all_bytes > peak->bytes) {
		peak->bytes = w->all_bytes;
		peak->bytes_at_ns = from_ns;
	}
}

static void end_step(struct peak_load *p)
{
	for (unsigned int i = 0; i < PEAK_WINDOWS; i++)
		add_to_window(p, i);
	p->step_ios = p->step_bytes = 0;
}

static void add_to_step(struct peak_load *p, uint64_t time_ns, uint64_t bytes)
{
	uint64_t step = time_ns / (peak_windows_ns[0] / STEPS);

	if (step != p->step)
		end_step(p);
	p->step = step;
	p->step_ios++;
	p->step_bytes += bytes;
}

/* Limits ---------------------------------------------------------------------------------------- */

static uint64_t takes_ns(const struct gates *g, unsigned int i, uint64_t bytes)
{
	return (uint64_t)(g->ns_per_io[i] + g->ns_per_byte[i] * (double)bytes);
}

static int note_wait(struct histogram **waits, uint64_t ns)
{
	if (!*waits) {
		*waits = malloc(sizeof(**waits));
		if (!*waits)
			return -ENOMEM;
		histogram_init(*waits);
	}
	histogram_add(*waits, ns);
	return 0;
}

static int pass(const struct peak_load *p, struct gates *g, uint64_t time_ns, uint64_t bytes)
{
	unsigned int i;

	for (i = 0; i < g->count; i++) {
		uint64_t open_ns =
			i < g->held ? g->open_ns[i] : p->last_ns + takes_ns(g, i, g->last_bytes);

		if (open_ns <= time_ns || !p->ios)
			break;
		if (note_wait(&g->waits[i], open_ns - time_ns))
			return -ENOMEM;
		g->open_ns[i] = open_ns + takes_ns(g, i, bytes);
	}
	g->held = i;
	g->last_bytes = bytes;
	return 0;
}

int peak_load__add(struct peak_load *p, uint64_t time_ns, uint64_t bytes)
{
	int err;

	if (time_ns < p->last_ns)
		time_ns = p->last_ns;
	add_to_step(p, time_ns, bytes);
	err = pass(p, &p->by_ios, time_ns, bytes);
	if (!err)
		err = pass(p, &p->by_bytes, time_ns, bytes);
	p->last_ns = time_ns;
	p->ios++;
	p->bytes += bytes;
	return err;
}

static void finish_limit(const struct peak_load *p, struct histogram *waits,
			 struct peak_limit *limit)
{
	if (!waits)
		return;
	limit->held_ios = waits->count;
	limit->longest_ns = waits->max;
	histogram_add_many(waits, 0, p->ios - waits->count);
	limit->p99_ns = histogram_percentile(waits, P99);
}

void peak_load__finish(struct peak_load *p, struct peak_figures *result)
{
	struct peak_limit *limit = result->limits;

	end_step(p);
	*result = (struct peak_figures){.ios = p->ios, .bytes = p->bytes};
	memcpy(result->windows, p->peaks, sizeof(result->windows));
	for (unsigned int i = 0; i < p->by_ios.count; i++, limit++) {
		limit->ios_per_s = ios_per_s[i];
		finish_limit(p, p->by_ios.waits[i], limit);
	}
	for (unsigned int i = 0; i < p->by_bytes.count; i++, limit++) {
		limit->bytes_per_s = mib_per_s[i] * MIB;
		finish_limit(p, p->by_bytes.waits[i], limit);
	}
}
