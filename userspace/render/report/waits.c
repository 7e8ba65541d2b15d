// SPDX-License-Identifier: MIT
/* What tasks waited for: their calls, who made whom wait, the longest waits. */
#include <string.h>

#include "base/units.h"
#include "explain/waits/io_limit.h"
#include "render/report/html.h"
#include "render/report/page.h"
#include "report/report.h"

#define CAUSES_SHOWN   3u
#define CULPRITS_SHOWN 3u
#define UNNAMED_SHOWN  1.0 /* per cent of all waiting */

/* The calls of one kind by one task, or by those of one name. */
struct call {
	const struct explain_wait_task *task;
	const struct explain_calls *calls;
};

struct call_list {
	struct call list[REPORT_LISTED_MAX]; /* the longest first */
	uint32_t count, all;
};

static void insert(struct call_list *l, const struct call *call)
{
	uint32_t at = l->count;

	l->all++;
	while (at && l->list[at - 1].calls->ns < call->calls->ns)
		at--;
	if (at == REPORT_LISTED_MAX)
		return;
	if (l->count < REPORT_LISTED_MAX)
		l->count++;
	memmove(l->list + at + 1, l->list + at, (l->count - at - 1) * sizeof(*l->list));
	l->list[at] = *call;
}

static uint64_t others_of(const struct explain_calls *calls)
{
	uint64_t sum = 0;

	for (int cause = 0; cause < CAUSE_COUNT; cause++)
		sum += calls->others_ns[cause] < calls->causes[cause].ns ? calls->others_ns[cause]
									 : calls->causes[cause].ns;
	return sum < calls->ns ? sum : calls->ns;
}

/* The longest cause that is shorter than the one before, or as long and behind it. */
static enum wait_cause next_cause(const struct explain_calls *calls, enum wait_cause last)
{
	uint64_t last_ns = last < CAUSE_COUNT ? calls->causes[last].ns : UINT64_MAX;
	enum wait_cause best = CAUSE_COUNT;

	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++) {
		uint64_t ns = calls->causes[cause].ns;
		bool is_later = ns < last_ns || (ns == last_ns && cause > last);

		if (cause != CAUSE_CPU && ns && is_later &&
		    (best == CAUSE_COUNT || ns > calls->causes[best].ns))
			best = cause;
	}
	return best;
}

static bool has_waited(const struct explain_calls *calls)
{
	return next_cause(calls, CAUSE_COUNT) != CAUSE_COUNT;
}

static void find_longest(struct call_list *l, const struct explain_waits *w)
{
	uint32_t count;
	const struct explain_wait_task *waiters = explain_waiters(w, &count);

	for (uint32_t t = 0; t < count; t++)
		for (uint32_t c = 0; c < waiters[t].call_count; c++)
			if (has_waited(&waiters[t].calls[c]))
				insert(l, &(struct call){&waiters[t], &waiters[t].calls[c]});
}

/* "the journal 420 ms, a CPU (it could run) 40.5 ms" */
static void causes_cell(FILE *out, const struct call *call)
{
	enum wait_cause cause = next_cause(call->calls, CAUSE_COUNT);
	char limit[IO_LIMIT_WORDS_MAX];

	fputs("<td class=\"words\">", out);
	for (unsigned int i = 0; i < CAUSES_SHOWN && cause < CAUSE_COUNT; i++) {
		fprintf(out, "%s%s", i ? ", " : "", wait_cause_words(cause));
		if (cause == CAUSE_CGROUP_LIMIT)
			html_text(out, io_limit__words(&call->task->limit, limit));
		fprintf(out, " %s", TIME_TEXT(call->calls->causes[cause].ns));
		cause = next_cause(call->calls, cause);
	}
	fputs("</td>", out);
}

/* A culprit stands in the list once for each cause. */
static uint64_t time_behind(const struct explain_calls *calls, uint32_t culprit)
{
	const char *name = calls->culprits[culprit].name;
	uint64_t ns = 0;

	for (uint32_t i = 0; i < culprit; i++)
		if (!strcmp(calls->culprits[i].name, name))
			return 0;
	for (uint32_t i = culprit; i < calls->culprit_count; i++)
		if (!strcmp(calls->culprits[i].name, name))
			ns += calls->culprits[i].ns;
	return ns;
}

/* "cp 4.1 s, systemd-journal 0.5 s" */
static void culprits_cell(FILE *out, const struct explain_calls *calls)
{
	unsigned int shown = 0;

	fputs("<td class=\"words\">", out);
	for (uint32_t i = 0; i < calls->culprit_count && shown < CULPRITS_SHOWN; i++) {
		uint64_t ns = time_behind(calls, i);

		if (!ns)
			continue;
		fputs(shown++ ? ", " : "", out);
		html_name(out, calls->culprits[i].name);
		fprintf(out, " %s", TIME_TEXT(ns));
	}
	fputs("</td>", out);
}

static void time_cell(FILE *out, uint64_t time_ns)
{
	html_cell(out, time_ns ? TIME_TEXT(time_ns) : "-", (double)time_ns);
}

static void task_head(FILE *out, const char *comm, uint32_t pid, uint32_t tasks)
{
	fputs("<tr><th scope=\"row\">", out);
	html_name(out, comm);
	if (tasks > 1)
		fprintf(out, " <small>%s</small></th>", COUNTED_TEXT(tasks, "task"));
	else
		fprintf(out, " <small>%u</small></th>", pid);
}

static void call_row(FILE *out, const struct call *call, uint64_t most_ns)
{
	const struct explain_calls *c = call->calls;
	uint64_t others_ns = others_of(c), no_write_ns = explain_no_write_ns(c);

	task_head(out, call->task->comm, call->task->pid, call->task->tasks);
	fputs("<td>", out);
	html_text(out, c->kind);
	fputs("</td>", out);
	html_bar_cell(out, TIME_TEXT(c->ns), (double)c->ns, explain_pct(c->ns, most_ns));
	html_cell(out, COUNT_TEXT(c->count), (double)c->count);
	time_cell(out, c->p50_ns);
	time_cell(out, c->p99_ns);
	time_cell(out, c->max_ns);
	causes_cell(out, call);
	time_cell(out, c->ns - others_ns - no_write_ns);
	time_cell(out, others_ns);
	time_cell(out, no_write_ns);
	culprits_cell(out, c);
	fputs("</tr>\n", out);
}

static void print_calls(FILE *out, const struct explain_waits *w)
{
	static const char *const columns[] = {
		"task",	      "call", "#time",	  "#times",    "#p50",	      "#p99", "#max",
		"waited for", "#own", "#others'", "#no write", "behind whom", NULL};
	struct call_list found = {.count = 0};
	char question[128], first[48] = "";

	find_longest(&found, w);
	if (!found.count)
		return;
	if (found.all > found.count)
		snprintf(first, sizeof(first), " The first %u of %u.", found.count, found.all);
	snprintf(question, sizeof(question),
		 "How long did they take, and how much of it passed behind the IOs of others?%s",
		 first);
	html_begin_list(out, "calls", "Calls that waited", question, columns);
	for (uint32_t i = 0; i < found.count; i++)
		call_row(out, &found.list[i], found.list[0].calls->ns);
	html_end_list(out);
}

static bool is_of_two_tasks(const struct explain_blame *pair)
{
	return pair->by == BLAME_BY_TASK && strcmp(pair->victim, pair->culprit) != 0;
}

static void pair_row(FILE *out, const struct explain_blame *pair, uint64_t most_ns)
{
	fputs("<tr><th scope=\"row\">", out);
	html_name(out, pair->victim);
	fputs("</th><td>", out);
	html_name(out, pair->culprit);
	fprintf(out, "</td><td>%s</td>", explain_blame_where_name(pair->where));
	html_bar_cell(out, TIME_TEXT(pair->ns), (double)pair->ns, explain_pct(pair->ns, most_ns));
	fputs("</tr>\n", out);
}

static void print_pairs(FILE *out, const struct explain_waits *w)
{
	static const char *const columns[] = {"who waited", "behind the IOs of", "where", "#time",
					      NULL};
	const struct explain_blame *first = NULL;
	uint32_t shown = 0;

	for (uint32_t i = 0; i < w->blame_count && shown < REPORT_LISTED_MAX; i++) {
		if (!is_of_two_tasks(&w->blame[i]))
			continue;
		if (!shown++) {
			first = &w->blame[i];
			html_begin_list(out, "pairs", "Who made whom wait",
					"Which program should run at another time?", columns);
		}
		pair_row(out, &w->blame[i], first->ns);
	}
	if (shown)
		html_end_list(out);
}

static void worst_row(FILE *out, const struct report *r, const struct explain_worst_wait *wait)
{
	uint64_t start_ns = r->timeline.start_ns;

	task_head(out, wait->comm, wait->pid, 1);
	html_bar_cell(out, TIME_TEXT(wait->duration_ns), (double)wait->duration_ns,
		      explain_pct(wait->duration_ns, r->explanation->waits.worst[0].duration_ns));
	html_moment_cell(out, wait->time_ns > start_ns ? wait->time_ns - start_ns : 0);
	fputs("<td>", out);
	html_text(out, wait->kind);
	fputs("</td><td class=\"words\">", out);
	html_name(out, wait->file ? wait->file : "-");
	fprintf(out, "</td><td class=\"words\">%s", wait_cause_words(wait->cause));
	if (*wait->function) {
		fputs(" <small>", out);
		html_text(out, wait->function);
		fputs("</small>", out);
	}
	fputs("</td><td class=\"words\">", out);
	if (*wait->culprit) {
		html_name(out, wait->culprit);
		fprintf(out, " %s (%s%s)", TIME_TEXT(wait->culprit_ns),
			wait->culprit_wrote ? "it had written " : "",
			BYTES_TEXT(wait->culprit_bytes));
	}
	fputs("</td></tr>\n", out);
}

static void print_worst(FILE *out, const struct report *r)
{
	static const char *const columns[] = {"task", "#lasted",    "#at",	   "call",
					      "file", "waited for", "behind whom", NULL};
	const struct explain_waits *w = &r->explanation->waits;

	if (!w->worst_count)
		return;
	html_begin_list(out, "longest", "Longest waits", "When, of which file, and behind whom?",
			columns);
	for (uint32_t i = 0; i < w->worst_count; i++)
		worst_row(out, r, &w->worst[i]);
	html_end_list(out);
}

static void print_unnamed(FILE *out, const struct explanation *x)
{
	if (explain_pct(x->waits.unnamed_ns, x->waits.total_ns) < UNNAMED_SHOWN)
		return;
	fprintf(out,
		"<p class=\"note\">Tasks waited %s while the kernel wrote pages of files: who had "
		"written them is not known%s.</p>\n",
		TIME_TEXT(x->waits.unnamed_ns),
		x->cache.recorded ? "" : " (with 'blkreel record --cache' it is)");
}

void page_waits(FILE *out, const struct report_trace *trace)
{
	const struct report *r = trace->report;
	const struct explain_waits *w = &r->explanation->waits;

	if (!w->recorded)
		return;
	fputs("<section id=\"waits-table\"><h2>What tasks waited for</h2>\n", out);
	if (!w->task_count)
		fputs("<p class=\"empty\">No task waited.</p>\n", out);
	print_calls(out, w);
	print_pairs(out, w);
	print_worst(out, r);
	print_unnamed(out, r->explanation);
	fputs("</section>\n", out);
}
