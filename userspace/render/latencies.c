// SPDX-License-Identifier: MIT
#include "render/latencies.h"

#include "base/units.h"

struct table *latencies__new(const char *counted)
{
	static const char *const figures[] = {"mean", "p50", "p90", "p99", "p99.9", "max"};
	struct table *table = table__new("llrrrrrrr");

	if (!table)
		return NULL;
	table__cell(table, "%s", "");
	table__cell(table, "since");
	table__cell(table, "%s", counted);
	for (unsigned int i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		table__cell(table, "%s", figures[i]);
	return table;
}

void latencies__row(struct table *t, const char *name, const char *since, const struct histogram *h)
{
	struct distribution d;
	char text[UNITS_TEXT_MAX];

	if (!h->count)
		return;
	histogram_distribution(h, &d);
	table__cell(t, "%s", name);
	table__cell(t, "%s", since);
	table__cell(t, "%s", units_count(d.count, text));
	table__cell(t, "%s", units_time((uint64_t)d.mean, text));
	table__cell(t, "%s", units_time(d.p50, text));
	table__cell(t, "%s", units_time(d.p90, text));
	table__cell(t, "%s", units_time(d.p99, text));
	table__cell(t, "%s", units_time(d.p99_9, text));
	table__cell(t, "%s", units_time(d.max, text));
}
