// SPDX-License-Identifier: MIT
/* Who made whom wait. */
#include "render/explain/text_blame.h"

#include <errno.h>
#include <string.h>

#include "base/units.h"
#include "render/table.h"

#define PAIRS_SHOWN 5u
#define PAIR_SHOWN  1.0 /* per cent of all waiting */
#define STORY_SHOWN 5.0 /* per cent of the wait */
#define TEXT_MAX    512

static const char *const places[BLAME_WHERE_COUNT] = {
	[BLAME_IN_DEVICE] = "at the device",
	[BLAME_IN_SCHEDULER] = "in the IO scheduler",
	[BLAME_IN_JOURNAL] = "for a commit of the journal",
	[BLAME_IN_WRITEBACK] = "for pages to be written",
};

static bool is_shown(const struct explain_waits *w, const struct explain_blame *pair)
{
	return pair->by == BLAME_BY_TASK && strcmp(pair->victim, pair->culprit) != 0 &&
	       explain_pct(pair->ns, w->total_ns) >= PAIR_SHOWN;
}

/* The page cache's account has the writers of all files; without it only those are known that waited in a write. */
static void print_unnamed(FILE *out, const struct explain_waits *w, bool has_cache)
{
	char text[TEXT_MAX];

	if (explain_pct(w->unnamed_ns, w->total_ns) < PAIR_SHOWN)
		return;
	snprintf(text, sizeof(text),
		 "Tasks waited %s while the kernel wrote pages of files: who had written them is "
		 "not known%s",
		 TIME_TEXT(w->unnamed_ns),
		 has_cache ? ": several programs, or one before the recording began."
			   : " without 'blkreel record --cache'.");
	fputc('\n', out);
	text_wrapped(out, "", text);
}

int explain_print_blame(FILE *out, const struct explain_waits *w, bool has_cache)
{
	struct table *t = table__new("lr");
	uint32_t shown = 0;
	int err = 0;

	if (!t)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->blame_count && shown < PAIRS_SHOWN; i++) {
		const struct explain_blame *pair = &w->blame[i];

		if (!is_shown(w, pair))
			continue;
		shown++;
		table__cell(t, "%s waited behind %s %s", pair->victim, pair->culprit,
			    places[pair->where]);
		table__cell(t, "%s", TIME_TEXT(pair->ns));
	}
	if (shown) {
		fprintf(out, "\nWho made whom wait\n");
		err = table__print(t, out, 2);
	}
	print_unnamed(out, w, has_cache);
	table__free(t);
	return err;
}

void explain_print_story(FILE *out, const struct explain_worst_wait *wait)
{
	char text[TEXT_MAX];

	if (!*wait->culprit || explain_pct(wait->culprit_ns, wait->duration_ns) < STORY_SHOWN)
		return;
	if (wait->culprit_wrote)
		snprintf(text, sizeof(text),
			 "%s of it while %s that %s had written went to the device",
			 TIME_TEXT(wait->culprit_ns), BYTES_TEXT(wait->culprit_bytes),
			 wait->culprit);
	else
		snprintf(text, sizeof(text), "%s of it behind %s of %s (%s)",
			 TIME_TEXT(wait->culprit_ns), COUNTED_TEXT(wait->culprit_ios, "IO"),
			 wait->culprit, BYTES_TEXT(wait->culprit_bytes));
	text_wrapped(out, "    ", text);
}
