// SPDX-License-Identifier: MIT
#include "replay/engine/spin.h"

#include <time.h>

#include "base/clock.h"

#define BUCKET_NS	  (SPIN_MOST_NS / SPIN_BUCKETS)
#define RECENT		  2048u /* wake-ups, after which the weight of all before is halved */
#define LOOK_EVERY	  16u
#define MEASURED_SLEEP_NS (100 * NSEC_PER_USEC)
#define FIRST_WAKEUPS	  64u /* while there are fewer, each is looked at */

void spin__init(struct spin *s, struct histogram *late_ns)
{
	*s = (struct spin){.late_ns = late_ns, .limit_ns = SPIN_MOST_NS};
}

static void set_lead(struct spin *s)
{
	uint64_t limit_ns = s->limit_ns > SPIN_FREE_NS ? s->limit_ns : SPIN_FREE_NS;

	s->lead_ns = s->covers_ns < limit_ns ? s->covers_ns : limit_ns;
	if (s->lead_ns > s->highest_ns)
		s->highest_ns = s->lead_ns;
	s->limited |= s->lead_ns < s->covers_ns;
}

static void fade(struct spin *s)
{
	s->count = 0;
	for (unsigned int i = 0; i <= SPIN_BUCKETS; i++) {
		s->counts[i] /= 2;
		s->count += s->counts[i];
	}
}

/* The end of the bucket that holds the percentile. */
static uint64_t covered_ns(const struct spin *s)
{
	double wanted = (double)s->count * SPIN_COVERED_PCT / 100;
	uint64_t seen = 0, covers_ns;
	unsigned int i;

	for (i = 0; i < SPIN_BUCKETS; i++) {
		seen += s->counts[i];
		if ((double)seen >= wanted)
			break;
	}
	covers_ns = (i + 1) * BUCKET_NS + SPIN_MARGIN_NS;
	return covers_ns < SPIN_LEAST_NS  ? SPIN_LEAST_NS
	       : covers_ns > SPIN_MOST_NS ? SPIN_MOST_NS
					  : covers_ns;
}

void spin__woke(struct spin *s, uint64_t late_ns)
{
	uint64_t bucket = late_ns / BUCKET_NS;

	histogram_add(s->late_ns, late_ns);
	s->counts[bucket < SPIN_BUCKETS ? bucket : SPIN_BUCKETS]++;
	s->count++;
	if (++s->uncounted < LOOK_EVERY && s->count > FIRST_WAKEUPS)
		return;
	s->uncounted = 0;
	s->covers_ns = covered_ns(s);
	if (s->count >= RECENT)
		fade(s);
	set_lead(s);
}

void spin__measure(struct spin *s, const volatile sig_atomic_t *stop)
{
	for (unsigned int i = 0; i < SPIN_FIRST_WAKEUPS && !(stop && *stop); i++) {
		uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + MEASURED_SLEEP_NS, now_ns;
		struct timespec until = {.tv_sec = (time_t)(until_ns / NSEC_PER_SEC),
					 .tv_nsec = (long)(until_ns % NSEC_PER_SEC)};

		if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
			continue; /* a signal */
		now_ns = clock_ns(CLOCK_MONOTONIC);
		spin__woke(s, now_ns > until_ns ? now_ns - until_ns : 0);
	}
}

/* The limit falls as far as the share was too high, and rises slowly. */
static void judge_window(struct spin *s, uint64_t now_ns)
{
	uint64_t allowed_ns = (now_ns - s->window_ns) / 100 * SPIN_SHARE_PCT;

	if (s->window_spun_ns > allowed_ns) {
		uint64_t from_ns = s->lead_ns < s->limit_ns ? s->lead_ns : s->limit_ns;

		s->limit_ns = (uint64_t)((double)from_ns * (double)allowed_ns /
					 (double)s->window_spun_ns);
		if (s->limit_ns < SPIN_FREE_NS)
			s->limit_ns = SPIN_FREE_NS;
	} else if (s->limit_ns < SPIN_MOST_NS) {
		s->limit_ns += s->limit_ns / 8;
	}
	s->window_ns = now_ns;
	s->window_spun_ns = 0;
	set_lead(s);
}

void spin__account(struct spin *s, uint64_t now_ns)
{
	uint64_t spun_ns = now_ns - s->began_ns;

	if (!s->window_ns)
		s->window_ns = s->began_ns;
	s->spun_ns += spun_ns;
	s->window_spun_ns += spun_ns > SPIN_FREE_NS ? spun_ns - SPIN_FREE_NS : 0;
	s->began_ns = 0;
	if (now_ns - s->window_ns >= SPIN_WINDOW_NS)
		judge_window(s, now_ns);
}
