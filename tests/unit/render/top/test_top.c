// SPDX-License-Identifier: MIT
/* A table of top and its JSON, of one process that read 100 pages and waited for 25 of them. */
#include "render/top/top.h"
#include "unit/shared/test.h"

#include <stdio.h>

static struct parties parties;

static void read_pages(void)
{
	struct row_tables tables = parties__tables(&parties);
	const struct trace_task task = {.id = 1, .pid = 70, .tgid = 70, .comm = "reader"};
	const struct cache_row row = {
		.task = 1, .read_pages = 100, .demand_miss_pages = 25, .wait_ns = 7};

	CHECK(!tables.task(tables.context, &task));
	parties__add_cache(&parties, &row);
}

static struct activity_sample sample_of(bool has_reads, bool has_misses)
{
	return (struct activity_sample){.parties = parties,
					.interval_ns = 1000000000,
					.has_cache = true,
					.has_reads = has_reads,
					.has_misses = has_misses,
					.has_page_waits = has_misses};
}

/* Text or JSON; the caller frees it. */
static char *printed(const struct activity_sample *sample, bool as_json)
{
	static const struct live_missing why = {"demand misses", "this kernel does not tell"};
	const struct top_style style = {.of = {.by = TOP_PROCESS, .sort = TOP_MISSES}};
	const struct top_missing missing = {&why, !sample->has_misses};
	struct top_list list;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	CHECK(out && !top_list__make(sample, &style.of, 0, &list));
	CHECK(!(as_json ? top_json : top_text)(out, &style, sample, &list, &missing));
	top_list__release(&list);
	fclose(out);
	return text;
}

static void check_printed(bool has_reads, bool has_misses, const char *row, const char *json,
			  bool is_missing)
{
	const struct activity_sample sample = sample_of(has_reads, has_misses);
	char *text = printed(&sample, false), *document = printed(&sample, true);

	if (!strstr(text, row) || !strstr(document, json))
		printf("# %s# %s", text, document);
	CHECK(strstr(text, row));
	CHECK(strstr(document, json));
	CHECK(is_missing == !!strstr(text, "missing: demand misses: this kernel does not tell"));
	CHECK(is_missing == !!strstr(document, "{\"figures\":\"demand misses\",\"why\":"));
	free(text);
	free(document);
}

static void pages_that_missed_are_shown(void)
{
	read_pages();
	check_printed(
		true, true, "      25  75.0       70  reader",
		"\"read_pages\":100,\"demand_miss_pages\":25,\"dirtied_pages\":0,\"page_wait_ns\":7",
		false);
	parties__release(&parties);
}

static void what_the_kernel_does_not_tell_is_not_zero(void)
{
	read_pages();
	check_printed(
		true, false, "                     70  reader",
		"\"read_pages\":100,\"demand_miss_pages\":null,\"dirtied_pages\":0,\"page_wait_ns\":null",
		true);
	check_printed(
		false, true, "      25             70  reader",
		"\"read_pages\":null,\"demand_miss_pages\":25,\"dirtied_pages\":0,\"page_wait_ns\":7",
		false);
	parties__release(&parties);
}

int main(void)
{
	RUN(pages_that_missed_are_shown);
	RUN(what_the_kernel_does_not_tell_is_not_zero);
	return TEST_RESULT;
}
