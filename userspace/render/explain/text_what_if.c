// SPDX-License-Identifier: MIT
/* What another size of the page cache would have changed, as text. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "render/explain/explain.h"
#include "render/table.h"

static void add_counts(struct table *t, const char *label, uint64_t bytes,
		       const struct cache_model_counts *c)
{
	table__cell(t, "%s", label);
	table__cell(t, "%s", bytes ? BYTES_TEXT(bytes) : "");
	table__cell(t, "%.1f %%", explain_hit_pct(c));
	table__cell(t, "%s", COUNT_TEXT(c->missed_pages));
	table__cell(t, "%s", COUNT_TEXT(c->readahead_pages));
	table__cell(t, "%s", BYTES_TEXT((c->missed_pages + c->readahead_pages) * 4096));
}

static void add_head(struct table *t)
{
	static const char *const heads[] = {"", "cache", "hits", "misses", "readahead", "fetched"};

	for (unsigned int i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		table__cell(t, "%s", heads[i]);
}

static void print_remarks(FILE *out, const struct explanation *x)
{
	const struct explain_what_if *w = &x->what_if;
	uint64_t misses, account;
	char text[512];

	snprintf(
		text, sizeof(text),
		"Estimated: %s page reads of %s different pages, played to a model of the kernel's "
		"page cache. How far 1x is from what was recorded says how far to believe it.",
		COUNT_TEXT(w->result.recorded.read_pages), COUNT_TEXT(w->result.distinct_pages));
	text_wrapped(out, "  ", text);
	if (explain_misses_differ(x, &misses, &account)) {
		snprintf(text, sizeof(text),
			 "The rows of operations have %s misses, the account of the page cache %s: "
			 "the account is the exact one. The rows are bounded where a file is "
			 "truncated, or an operation fails, during a read.",
			 COUNT_TEXT(misses), COUNT_TEXT(account));
		text_wrapped(out, "  ", text);
	}
	if (x->summary.page_cache_mglru)
		text_wrapped(
			out, "  ",
			"The kernel kept pages in generations (MGLRU), and the model has the two LRU "
			"lists of older kernels: other sizes can be further off than 1x is.");
	if (w->result.sampled_one_in > 1) {
		snprintf(text, sizeof(text),
			 "The model saw a sample of the pages, one in %" PRIu32 ".",
			 w->result.sampled_one_in);
		text_wrapped(out, "  ", text);
	}
	if (w->result.cached_before_pages >= w->result.distinct_pages / 100 + 1) {
		snprintf(
			text, sizeof(text),
			"%s pages were cached before the recording began; they are hits at each size.",
			COUNT_TEXT(w->result.cached_before_pages));
		text_wrapped(out, "  ", text);
	}
	if (x->losses[LOSS_ACCESS_RING].count) {
		snprintf(text, sizeof(text), "%s accesses were lost and could not be played.",
			 COUNT_TEXT(x->losses[LOSS_ACCESS_RING].count));
		text_wrapped(out, "  ", text);
	}
}

int explain_print_what_if(FILE *out, const struct explanation *x)
{
	static const char *const whose[] = {
		[PRESENT_CACHE_MACHINE] = "the machine's",
		[PRESENT_CACHE_CGROUP] = "of the control group",
		[PRESENT_CACHE_GIVEN] = "as given",
	};
	static const char *const labels[] = {"0.5x", "1x", "2x", "4x"};
	const struct explain_what_if *w = &x->what_if;
	struct table *t;
	int err;

	if (!w->recorded || (w->present != PRESENT_CACHE_UNKNOWN && !w->result.recorded.read_pages))
		return 0;
	if (w->present == PRESENT_CACHE_UNKNOWN) {
		fprintf(out,
			"\nAnother size of the page cache: the present size was not recorded; "
			"--cache-size\nSIZE shows the hits of the operations on files in a page cache of "
			"SIZE.\n");
		return 0;
	}
	t = table__new("lrrrrr");
	if (!t)
		return -ENOMEM;
	fprintf(out, "\nWith another size of the page cache (now %s, %s)\n",
		BYTES_TEXT(w->present_bytes), whose[w->present]);
	if (w->free_bytes)
		fprintf(out, "  The memory was never full: %s cached, %s free.\n",
			BYTES_TEXT(w->present_bytes - w->free_bytes), BYTES_TEXT(w->free_bytes));
	add_head(t);
	for (unsigned int i = 0; i < CACHE_MODEL_SIZES; i++)
		add_counts(t, labels[i], w->size_bytes[i], &w->result.sizes[i]);
	add_counts(t, "recorded", 0, &w->result.recorded);
	err = table__print(t, out, 2);
	table__free(t);
	print_remarks(out, x);
	return err;
}
