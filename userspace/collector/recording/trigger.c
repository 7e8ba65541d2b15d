// SPDX-License-Identifier: MIT
#include "collector/recording/trigger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "collector/recording/trigger_internal.h"
#include "trace/row_time.h"

#define MILLION 1000000u

void trigger__free(struct trigger *t)
{
	if (!t)
		return;
	free(t->text);
	free(t);
}

static void begin(struct trigger *t, uint64_t now_ns)
{
	t->has_begun = true;
	t->begin_ns = now_ns;
}

/* Empties the slots between the newest one and that of `now_ns`, which becomes the newest. */
static void move_window(struct trigger *t, uint64_t now_ns)
{
	uint64_t slot = now_ns > t->begin_ns ? (now_ns - t->begin_ns) / t->slot_ns : 0;

	if (slot > t->slot + TRIGGER_SLOTS)
		t->slot = slot - TRIGGER_SLOTS;
	while (t->slot < slot) {
		struct trigger_slot *oldest = &t->slots[++t->slot % TRIGGER_SLOTS];

		t->sum.ios -= oldest->ios;
		t->sum.longer -= oldest->longer;
		*oldest = (struct trigger_slot){0};
	}
}

static uint64_t longest_ns(const struct trigger *t)
{
	uint64_t longest = 0;

	for (unsigned int i = 0; i < TRIGGER_SLOTS; i++)
		if (t->slots[i].longest_ns > longest)
			longest = t->slots[i].longest_ns;
	return longest;
}

static bool percentile_holds(const struct trigger *t, char *why)
{
	char longest[UNITS_TEXT_MAX], window[UNITS_TEXT_MAX];

	/* With fewer IOs a single one would exceed the percentile. */
	if (t->sum.ios * t->tail_ppm < MILLION ||
	    t->sum.longer * MILLION <= t->sum.ios * t->tail_ppm)
		return false;
	if (why)
		snprintf(why, TRIGGER_MESSAGE_MAX,
			 "'%s': %llu of the %llu IOs of the last %s took longer, up to %s", t->text,
			 (unsigned long long)t->sum.longer, (unsigned long long)t->sum.ios,
			 units_time(t->slot_ns * TRIGGER_SLOTS, window),
			 units_time(longest_ns(t), longest));
	return true;
}

static bool iops_hold(const struct trigger *t, char *why)
{
	double ios = (double)t->limit * (double)(t->slot_ns * TRIGGER_SLOTS) / NSEC_PER_SEC;
	char window[UNITS_TEXT_MAX];

	if (t->is_below ? (double)t->sum.ios >= ios : (double)t->sum.ios <= ios)
		return false;
	if (why)
		snprintf(why, TRIGGER_MESSAGE_MAX, "'%s': %s in the last %s", t->text,
			 COUNTED_TEXT(t->sum.ios, "IO"),
			 units_time(t->slot_ns * TRIGGER_SLOTS, window));
	return true;
}

/* Advances slot by slot: whether the window that ended with one of them had too few IOs. */
static bool pass_slots(struct trigger *t, uint64_t now_ns, char *why)
{
	bool holds = false;

	if (!t->has_begun)
		begin(t, now_ns);
	for (;;) {
		uint64_t end_ns = t->begin_ns + (t->slot + 1) * t->slot_ns;

		if (now_ns < end_ns)
			return holds;
		holds |= t->slot + 1 >= TRIGGER_SLOTS && iops_hold(t, why);
		move_window(t, end_ns);
	}
}

static bool window_holds(struct trigger *t, const struct io_row *row, uint64_t latency_ns,
			 char *why)
{
	bool longer = t->figure == TRIGGER_PERCENTILE && latency_ns > t->limit;
	uint64_t end_ns = io_row_end_ns(row);
	struct trigger_slot *slot;
	bool holds = false;

	if (!t->has_begun)
		begin(t, end_ns);
	if (t->is_below)
		holds = pass_slots(t, end_ns, why);
	else
		move_window(t, end_ns);
	slot = &t->slots[t->slot % TRIGGER_SLOTS];
	slot->ios++;
	slot->longer += longer;
	t->sum.ios++;
	t->sum.longer += longer;
	if (latency_ns > slot->longest_ns)
		slot->longest_ns = latency_ns;
	if (t->is_below)
		return holds;
	return t->figure == TRIGGER_PERCENTILE ? percentile_holds(t, why) : iops_hold(t, why);
}

bool trigger__add(struct trigger *t, const struct io_row *row, char *why)
{
	bool is_timed = row->created_ns && row->completed_ns > row->created_ns;
	uint64_t latency_ns = is_timed ? row->completed_ns - row->created_ns : 0;
	const char *op = io_op_name(row->op);
	char latency[UNITS_TEXT_MAX];

	if (t->op != TRIGGER_ANY_OP && t->op != row->op)
		return false;
	switch (t->figure) {
	case TRIGGER_LATENCY:
		if (latency_ns <= t->limit)
			return false;
		if (why)
			snprintf(why, TRIGGER_MESSAGE_MAX, "'%s': a %s took %s", t->text, op,
				 units_time(latency_ns, latency));
		return true;
	case TRIGGER_STUCK: /* a completed request is not stuck */
		return false;
	case TRIGGER_DEPTH:
		if (row->depth <= t->limit)
			return false;
		if (why)
			snprintf(why, TRIGGER_MESSAGE_MAX, "'%s': a %s was issued at depth %u",
				 t->text, op, row->depth);
		return true;
	case TRIGGER_ERROR:
		if (!row->error)
			return false;
		if (why)
			snprintf(why, TRIGGER_MESSAGE_MAX, "'%s': a %s failed: %s", t->text, op,
				 strerror(-row->error));
		return true;
	case TRIGGER_PERCENTILE:
		return is_timed && window_holds(t, row, latency_ns, why);
	case TRIGGER_IOPS:
		return window_holds(t, row, latency_ns, why);
	}
	return false;
}

bool trigger__is_met_by(const struct trigger *t, const struct io_row *row)
{
	switch (t->figure) {
	case TRIGGER_LATENCY:
	case TRIGGER_DEPTH:
	case TRIGGER_ERROR:
		return true;
	case TRIGGER_PERCENTILE:
		return row->completed_ns - row->created_ns > t->limit;
	case TRIGGER_STUCK:
	case TRIGGER_IOPS:
		break;
	}
	return false;
}

bool trigger__advance(struct trigger *t, uint64_t now_ns, char *why)
{
	return t->is_below && pass_slots(t, now_ns, why);
}

bool trigger__asks_in_flight(const struct trigger *t)
{
	return t->figure == TRIGGER_STUCK;
}

bool trigger__in_flight(struct trigger *t, const struct io_row *row, uint64_t now_ns, char *why)
{
	char since[UNITS_TEXT_MAX], bytes[UNITS_TEXT_MAX];

	if (t->figure != TRIGGER_STUCK || (t->op != TRIGGER_ANY_OP && t->op != row->op) ||
	    !row->created_ns || now_ns < row->created_ns || now_ns - row->created_ns <= t->limit)
		return false;
	if (why)
		snprintf(why, TRIGGER_MESSAGE_MAX,
			 "'%s': a %s of %s at sector %llu has been in flight for %s%s", t->text,
			 io_op_name(row->op), units_bytes(row->bytes, bytes),
			 (unsigned long long)row->sector,
			 units_time(now_ns - row->created_ns, since),
			 row->issued_ns ? "" : ", not issued to the driver yet");
	return true;
}
