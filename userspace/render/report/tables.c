// SPDX-License-Identifier: MIT
/* The tables of a page: who, the slowest IOs, the quality of the figures. */

#include "base/units.h"
#include "explain/figures/device_account.h"
#include "render/report/html.h"
#include "render/report/page.h"
#include "report/report.h"
#include "trace/row_time.h"

static void read_write_cell(FILE *out, const struct explain_group *g)
{
	uint64_t data = g->read_ios + g->write_ios;

	fprintf(out, "<td class=\"mix\" data-v=\"%.6g\">", explain_pct(g->read_ios, data));
	if (data)
		fprintf(out,
			"<span class=\"parts\" title=\"%.0f %% reads\"><i class=\"read\" style=\"flex:%llu\"></i>"
			"<i class=\"write\" style=\"flex:%llu\"></i></span>",
			explain_pct(g->read_ios, data), (unsigned long long)g->read_ios,
			(unsigned long long)g->write_ios);
	fputs("</td>", out);
}

static void known_time_cell(FILE *out, const struct explanation *x, uint64_t time_ns, bool known)
{
	char text[UNITS_TEXT_MAX];

	html_cell(out, known ? explain_time(x, time_ns, text) : "-", known ? (double)time_ns : -1);
}

static void group_row(FILE *out, const struct explanation *x, const struct explain_group *g,
		      const struct explain_group *most)
{
	bool timed = g->latency_sum_ns || g->latency_p99_ns;
	bool reads_known = explain_cache_knows(&x->cache, CACHE_READS);

	fputs("<tr><th scope=\"row\">", out);
	html_name(out, g->name);
	if (g->processes > 1)
		fprintf(out, " <small>%s processes</small>", COUNT_TEXT(g->processes));
	else if (g->tgid)
		fprintf(out, " <small>%u</small>", g->tgid);
	fputs("</th>", out);
	html_bar_cell(out, timed ? TIME_TEXT(g->latency_sum_ns) : "-", (double)g->latency_sum_ns,
		      explain_pct(g->latency_sum_ns, most->latency_sum_ns));
	html_bar_cell(out, COUNT_TEXT(g->ios), (double)g->ios, explain_pct(g->ios, most->ios));
	html_bar_cell(out, BYTES_TEXT(g->bytes), (double)g->bytes,
		      explain_pct(g->bytes, most->bytes));
	read_write_cell(out, g);
	known_time_cell(out, x, g->latency_p50_ns, timed);
	known_time_cell(out, x, g->latency_p99_ns, timed);
	if (x->cache.recorded) {
		char found[32] = "-";

		html_cell(out, reads_known ? COUNT_TEXT(g->cache_read_pages) : "-",
			  (double)g->cache_read_pages);
		if (x->cache.hits_known && g->cache_read_pages)
			snprintf(found, sizeof(found), "%.1f %%",
				 explain_pct(g->cache_hit_pages, g->cache_read_pages));
		html_cell(out, found,
			  *found == '-' ? -1
					: explain_pct(g->cache_hit_pages, g->cache_read_pages));
	}
	fputs("</tr>\n", out);
}

static void most_of(const struct explain_groups *groups, struct explain_group *most)
{
	*most = (struct explain_group){0};
	for (uint32_t i = 0; i < groups->count; i++) {
		const struct explain_group *g = &groups->list[i];

		if (g->latency_sum_ns > most->latency_sum_ns)
			most->latency_sum_ns = g->latency_sum_ns;
		most->ios = g->ios > most->ios ? g->ios : most->ios;
		most->bytes = g->bytes > most->bytes ? g->bytes : most->bytes;
	}
}

static void print_groups(FILE *out, const struct explanation *x, const char *id, const char *title,
			 const char *noun, const struct explain_groups *groups)
{
	const char *columns[] = {noun,	 "#time", "#IOs",	 "#bytes", "reads, writes",
				 "#p50", "#p99",  "#pages read", "#found", NULL};
	uint64_t all = explain_groups_count(groups);
	struct explain_group most;
	char question[128], first[48] = "";

	if (!groups->count)
		return;
	if (!x->cache.recorded)
		columns[7] = NULL;
	most_of(groups, &most);
	if (all > REPORT_LISTED_MAX)
		snprintf(first, sizeof(first), "the first %u of ", REPORT_LISTED_MAX);
	snprintf(question, sizeof(question), "%s%s, by the time of their IOs", first,
		 COUNT_TEXT(all));
	html_begin_list(out, id, title, question, columns);
	for (uint32_t i = 0; i < groups->count && i < REPORT_LISTED_MAX; i++)
		group_row(out, x, &groups->list[i], &most);
	html_end_list(out);
}

static void percentile_cells(FILE *out, const struct explanation *x, const struct histogram *h)
{
	uint64_t p50 = h ? histogram_percentile(h, 50) : 0;
	uint64_t p99 = h ? histogram_percentile(h, 99) : 0;

	known_time_cell(out, x, p50, h);
	known_time_cell(out, x, p99, h);
}

static void device_row(FILE *out, const struct explanation *x, const struct explain_device *d)
{
	double busy = explain_pct(d->busy_ns, x->duration_ns), mean = explain_at_driver_mean(d);
	bool timed = !explain_device_is_untimed(d);
	uint64_t ios = 0, bytes = 0;
	char text[32];

	for (int op = 0; op < TICK_OP_COUNT; op++) {
		ios += d->counted[op].ios;
		bytes += d->counted[op].bytes;
	}
	fputs("<tr><th scope=\"row\">", out);
	html_name(out, d->info.name);
	fputs("</th>", out);
	html_cell(out, COUNT_TEXT(ios), (double)ios);
	html_cell(out, BYTES_TEXT(bytes), (double)bytes);
	snprintf(text, sizeof(text), "%.1f %%", busy);
	html_bar_cell(out, timed ? text : "-", timed ? busy : -1, timed ? busy : 0);
	snprintf(text, sizeof(text), "%.1f", mean);
	html_cell(out, mean > 0 ? text : "-", mean);
	html_cell(out, d->depth_ios ? COUNT_TEXT(d->depth_max) : "-", (double)d->depth_max);
	percentile_cells(out, x, d->latency_by_op[TICK_READ][LATENCY_TOTAL]);
	percentile_cells(out, x, d->latency_by_op[TICK_WRITE][LATENCY_TOTAL]);
	html_cell(out, COUNT_TEXT(explain_errors(d)), (double)explain_errors(d));
	fputs("</tr>\n", out);
}

void page_devices(FILE *out, const struct explanation *x)
{
	static const char *const columns[] = {
		"device",     "#IOs",	    "#bytes",	   "#busy",	  "#at once, mean", "#most",
		"#reads p50", "#reads p99", "#writes p50", "#writes p99", "#errors",	    NULL};

	if (x->device_count < 2)
		return;
	html_begin_list(out, "devices", "Devices",
			"Which was busy, had many IOs at once, or is slower than the others?",
			columns);
	for (uint32_t i = 0; i < x->device_count; i++)
		device_row(out, x, x->devices[i]);
	html_end_list(out);
}

static void slow_row(FILE *out, const struct report *r, const struct explain_slow_io *slow)
{
	const struct io_row *row = &slow->row;
	uint64_t start_ns = r->timeline.start_ns;
	uint64_t time_ns = io_row_time_ns(row), queue_ns = 0;
	uint64_t at_ns = time_ns > start_ns ? time_ns - start_ns : 0;
	bool queue_known = explain_queue_ns(row, &queue_ns);
	char text[UNITS_TEXT_MAX], pid[32];

	fputs("<tr><th scope=\"row\">", out);
	if (slow->file)
		html_name(out, slow->file);
	else
		fputs("-", out);
	fputs("</th>", out);
	html_bar_cell(out, explain_time(r->explanation, slow->total_ns, text),
		      (double)slow->total_ns, explain_pct(slow->total_ns, r->slowest[0].total_ns));
	html_moment_cell(out, at_ns);
	known_time_cell(out, r->explanation, queue_ns, queue_known);
	fprintf(out, "<td>%s</td>", tick_op_name((enum tick_op)explain_column(row)));
	html_cell(out, BYTES_TEXT(row->bytes), (double)row->bytes);
	fputs("<td>", out);
	html_text(out, slow->device);
	fputs("</td><td>", out);
	html_name(out, slow->comm);
	snprintf(pid, sizeof(pid), slow->pid ? " <small>%u</small>" : "", slow->pid);
	fprintf(out, "%s</td></tr>\n", pid);
}

static void print_slowest(FILE *out, const struct report *r)
{
	static const char *const columns[] = {"file",	"#latency", "#at",     "#in queue", "op",
					      "#bytes", "device",   "process", NULL};
	char title[32];

	fputs("<section id=\"slowest\"><h2>Slowest IOs</h2>\n", out);
	if (!r->slowest_count) {
		fputs("<p class=\"empty\">No IO of this trace has a known latency.</p></section>\n",
		      out);
		return;
	}
	snprintf(title, sizeof(title), "The slowest %u", r->slowest_count);
	html_begin_list(out, "slow", title, "What do they share?", columns);
	for (uint32_t i = 0; i < r->slowest_count; i++)
		slow_row(out, r, &r->slowest[i]);
	html_end_list(out);
	fputs("</section>\n", out);
}

static void print_losses(FILE *out, const struct explanation *x)
{
	fputs("<ul class=\"losses\">", out);
	if (x->cut)
		fputs("<li>The end of the trace is missing, or a part of it is damaged.</li>", out);
	if (explain_is_import(x))
		fputs("<li>The trace was imported: it is as complete as its source, which does not say "
		      "what it lacks.</li>",
		      out);
	else if (!x->lost)
		fputs("<li>The recorder lost nothing.</li>", out);
	for (int kind = 0; kind < LOSS_CLASS_COUNT; kind++)
		if (x->losses[kind].count)
			fprintf(out, "<li><b>%s</b> lost: %s. %s</li>",
				COUNT_TEXT(x->losses[kind].count),
				loss_class_meaning((enum loss_class)kind),
				loss_class_remedy((enum loss_class)kind));
	for (uint32_t i = 0; i < x->device_count; i++) {
		static const char *const texts[] = {
			[AGREEMENT_UNKNOWN] = "cannot be compared with the kernel's counters",
			[AGREEMENT_EXACT] = "IOs, merges and bytes equal the kernel's counters",
			[AGREEMENT_EDGES] =
				"equals the kernel's counters but for the IOs in flight at "
				"the edges",
			[AGREEMENT_DIFFERS] = "differs from the kernel's counters",
		};

		fputs("<li>", out);
		html_text(out, x->devices[i]->info.name);
		fprintf(out, ": %s.</li>", texts[x->devices[i]->agreement]);
	}
	fputs("</ul>\n", out);
}

static void print_trust(FILE *out, const struct explanation *x)
{
	static const char *const columns[] = {"figure", "quality", "how", "what that means", NULL};

	fputs("<section id=\"trust\"><h2>How far to trust this</h2>\n<div class=\"card\">\n", out);
	print_losses(out, x);
	if (x->tier_count) {
		html_begin_table(out, "tiers", "Quality of the figures", columns);
		for (uint32_t i = 0; i < x->tier_count; i++) {
			fputs("<tr><th scope=\"row\">", out);
			html_text(out, x->tiers[i].figure);
			fputs("</th><td class=\"quality\">", out);
			html_text(out, x->tiers[i].quality);
			fputs("</td><td>", out);
			html_text(out, x->tiers[i].how);
			fputs("</td><td>", out);
			html_text(out, x->tiers[i].note);
			fputs("</td></tr>\n", out);
		}
		html_end_table(out);
	}
	fputs("</div></section>\n", out);
}

void page_tables(FILE *out, const struct report_trace *trace)
{
	const struct explanation *x = trace->report->explanation;

	fputs("<section id=\"who\"><h2>Who</h2>\n", out);
	if (!x->by_task.count && !x->by_file.count && !x->by_cgroup.count)
		fputs("<p class=\"empty\">Nobody did anything.</p>", out);
	if (explain_groups_count(&x->by_command) < explain_groups_count(&x->by_task))
		print_groups(out, x, "commands", "Commands", "command", &x->by_command);
	print_groups(out, x, "tasks", "Processes", "process, pid", &x->by_task);
	print_groups(out, x, "files", "Files", "file", &x->by_file);
	if (x->by_unit.count > 1)
		print_groups(out, x, "units", "Systemd units", "unit", &x->by_unit);
	if (x->by_pod.count > 1)
		print_groups(out, x, "pods", "Pods", "pod", &x->by_pod);
	if (x->by_container.count > 1)
		print_groups(out, x, "containers", "Containers", "container", &x->by_container);
	print_groups(out, x, "cgroups", "Control groups", "control group", &x->by_cgroup);
	fputs("</section>\n", out);
	print_slowest(out, trace->report);
	print_trust(out, x);
}
