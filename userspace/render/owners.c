// SPDX-License-Identifier: MIT
#include "render/owners.h"

#include <stdlib.h>

#include "base/units.h"

#define OWNERS_MAX    3u /* that are named */
#define OWNER_MIN_PCT 5 /* of the time; the first is named in any case, unless it is one of many: */
#define MANY_MIN_PCT  1

/* What shares are of: the time of the IOs, or their number where no time is known. */
static uint64_t weight_of(const struct explain_group *g, bool is_timed)
{
	return is_timed ? g->latency_sum_ns : g->ios;
}

static uint64_t weight_of_all(const struct explain_groups *groups, bool is_timed)
{
	uint64_t sum = weight_of(&groups->others, is_timed);

	for (uint32_t i = 0; i < groups->count; i++)
		sum += weight_of(&groups->list[i], is_timed);
	return sum;
}

bool render_has_owners(const struct explanation *x)
{
	const struct explain_groups *groups = explain_programs(x);

	return weight_of_all(groups, true) || weight_of_all(groups, false);
}

static void print_owner(FILE *out, const struct explain_group *g, owner_printer *print)
{
	char label[EXPLAIN_LABEL_MAX];

	if (g->processes > 1)
		snprintf(label, sizeof(label), "%s (%s processes)", g->name,
			 COUNT_TEXT(g->processes));
	else if (g->tgid)
		snprintf(label, sizeof(label), "%s (pid %u)", g->name, g->tgid);
	else
		snprintf(label, sizeof(label), "%s", g->name);
	print(out, label);
}

/* For whom threads of the kernel sent IOs: their names alone would mislead who looks for the cause. */
static void print_writers(FILE *out, const struct explanation *x, uint64_t all,
			  owner_printer *print)
{
	bool any = false;

	for (uint32_t i = 0; i < x->writer_count; i++) {
		double pct = explain_pct(x->writers[i].io_ns, all);

		if (pct < OWNER_MIN_PCT)
			break;
		fputs(any ? ", " : " Threads of the kernel send IOs for others: ", out);
		fputs(x->writers[i].is_limited ? "IOs of " : "pages of ", out);
		print(out, x->writers[i].comm);
		fputs(x->writers[i].is_limited ? " behind an IO limit" : "", out);
		fprintf(out, " took %.0f %%", pct);
		any = true;
	}
	fputs(any ? "." : "", out);
}

void render_owners(FILE *out, const struct explanation *x, owner_printer *print)
{
	const struct explain_groups *groups = explain_programs(x);
	bool is_timed = weight_of_all(groups, true);
	uint64_t all = weight_of_all(groups, is_timed);

	fputs(is_timed ? "Whose IOs took the time: " : "Whose IOs they were: ", out);
	if (groups->count == 1 && !groups->list[0].id) {
		fputs("not known, the trace names no process.", out);
		return;
	}
	if (!groups->count ||
	    explain_pct(weight_of(&groups->list[0], is_timed), all) < MANY_MIN_PCT) {
		fprintf(out, "many processes, each less than %d %%.", MANY_MIN_PCT);
		return;
	}
	for (uint32_t i = 0; i < groups->count && i < OWNERS_MAX; i++) {
		double pct = explain_pct(weight_of(&groups->list[i], is_timed), all);

		if (i && pct < OWNER_MIN_PCT)
			break;
		fputs(i ? ", " : "", out);
		print_owner(out, &groups->list[i], print);
		fprintf(out, " %.0f %%", pct);
	}
	fputs(".", out);
	if (is_timed)
		print_writers(out, x, all, print);
}

static void print_plain(FILE *out, const char *label)
{
	fputs(label, out);
}

char *render_owners_text(const struct explanation *x)
{
	char *text = NULL;
	size_t bytes;
	FILE *out;

	if (!render_has_owners(x))
		return NULL;
	out = open_memstream(&text, &bytes);
	if (!out)
		return NULL;
	render_owners(out, x, print_plain);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}
