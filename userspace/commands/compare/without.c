// SPDX-License-Identifier: MIT
#include "commands/compare/without.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/exit_codes.h"
#include "base/log.h"
#include "base/units.h"
#include "explain/explain.h"

/* The text of the tier of a trace; "" without one. */
static void read_tier(const char *path, char *text, size_t bytes)
{
	struct trace_reader *reader;
	const struct trace_tier *tier;
	const char *message;
	struct row_block block;

	*text = '\0';
	if (trace_reader__open(path, &reader, &message))
		return;
	/* The tables of the start stand before the first row. */
	trace_reader__next(reader, 1u << ROW_IO, &block);
	for (uint32_t i = 0; (tier = trace_reader__tier(reader, i)); i++)
		if (!strcmp(tier->figure, TRACE_TIER_WITHOUT))
			snprintf(text, bytes, "%s", tier->how);
	trace_reader__free(reader);
}

int without__find(struct without *w, const char *base, const char *replay)
{
	char of_base[TRACE_PATH_MAX];
	const char *wrong;
	int err;

	*w = (struct without){0};
	read_tier(replay, w->text, sizeof(w->text));
	read_tier(base, of_base, sizeof(of_base));
	if (!*w->text || *of_base)
		return EXIT_OK;
	memcpy(w->parties, w->text, sizeof(w->parties));
	w->count = left_out_split(w->parties, w->list, OPTION_LIST_MAX);
	err = left_out__create(w->list, w->count, &w->left_out, &wrong);
	if (err != -ENOMEM)
		return EXIT_OK;
	pr_err("cannot compare: %s", strerror(ENOMEM));
	return EXIT_FAILED;
}

void without__release(struct without *w)
{
	left_out__free(w->left_out);
	*w = (struct without){0};
}

static bool is_culprit(const struct without *w, enum explain_blame_by by, const char *name)
{
	static const char *const words[] = {"task=", "cgroup=", "file="};
	size_t length = strlen(words[by]);

	for (unsigned int i = 0; i < w->count; i++)
		if (!strncmp(w->list[i], words[by], length) && !strcmp(w->list[i] + length, name))
			return true;
	return false;
}

/* The waiting of others behind the parties. */
struct blamed {
	uint64_t ns;
	uint64_t named_ns; /* behind IOs whose rows have their name: these are left out */
};

/* Several kinds of parties: of the first. */
static struct blamed blamed_on(const struct without *w, const struct explain_waits *waits)
{
	enum explain_blame_by by = !strncmp(w->list[0], "task=", 5)	? BLAME_BY_TASK
				   : !strncmp(w->list[0], "cgroup=", 7) ? BLAME_BY_CGROUP
									: BLAME_BY_FILE;
	struct blamed sum = {0};

	for (uint32_t i = 0; i < waits->blame_count; i++) {
		const struct explain_blame *pair = &waits->blame[i];

		if (pair->by != by || !is_culprit(w, by, pair->culprit) ||
		    is_culprit(w, by, pair->victim))
			continue;
		sum.ns += pair->ns;
		sum.named_ns += pair->named_ns;
	}
	return sum;
}

static uint64_t total_ns(const struct workload_figures *f)
{
	return (uint64_t)(histogram_mean(&f->read.total) * (double)f->read.total.count +
			  histogram_mean(&f->write.total) * (double)f->write.total.count);
}

static bool read_blame(const struct without *w, const char *path, struct blamed *sum)
{
	struct trace_reader *reader;
	struct explanation *x;
	const char *message;
	bool known;
	int err;

	if (trace_reader__open(path, &reader, &message))
		return false;
	if (explain_trace(reader, NULL, 0, 0, &x, &err)) {
		trace_reader__free(reader);
		return false;
	}
	known = x->waits.recorded;
	*sum = blamed_on(w, &x->waits);
	explanation__free(x);
	trace_reader__free(reader);
	return known;
}

static void say_blame(const struct without *w, const struct blamed *sum)
{
	if (sum->ns > 2 * sum->named_ns)
		pr_info("blame: tasks waited %s behind %s, but the kernel submits most of its IOs: "
			"name its files (--without file=PATH)",
			TIME_TEXT(sum->ns), w->text);
	else
		pr_info("blame: tasks waited %s behind them", TIME_TEXT(sum->named_ns));
}

void without__report(const struct without *w, const struct workload_input *base,
		     const struct workload_input *replay)
{
	uint64_t before_ns, after_ns, ios;
	struct blamed sum;

	if (!w->left_out)
		return;
	ios = left_out__ios(w->left_out, base->extent.device);
	if (!ios) {
		pr_warn("%s left out %s, but %s has no IO of that: what the others gained is not "
			"known; compare with the trace that was replayed",
			replay->path, w->text, base->path);
		return;
	}
	before_ns = total_ns(base->figures);
	after_ns = total_ns(replay->figures);
	pr_info("%s left out %s: %s of %s %s not count", replay->path, w->text,
		COUNTED_TEXT(ios, "IO"), base->path, ios == 1 ? "does" : "do");
	pr_info("the IOs of the others took %s with them and %s without them: %s %s",
		TIME_TEXT(before_ns), TIME_TEXT(after_ns),
		TIME_TEXT(after_ns > before_ns ? after_ns - before_ns : before_ns - after_ns),
		after_ns > before_ns ? "more" : "less");
	if (read_blame(w, base->path, &sum))
		say_blame(w, &sum);
}
