// SPDX-License-Identifier: MIT
#include <string.h>
#include <sys/wait.h>

#include "base/units.h"
#include "render/info/info.h"
#include "render/table.h"
#include "render/when.h"
#include "trace/tables/json_text.h"

#define PRINTABLE_MAX JSON_TEXT_ESCAPED_MAX(TRACE_PATH_MAX)

/* Makes text of the file safe for a terminal; `to` holds PRINTABLE_MAX bytes. */
static const char *printable(const char *text, char *to)
{
	size_t bytes = strlen(text);

	json_text_printable(text, bytes < TRACE_PATH_MAX ? bytes : TRACE_PATH_MAX, to);
	return to;
}

static void print_line(FILE *out, const char *name, const char *value)
{
	char text[PRINTABLE_MAX];

	if (*value)
		fprintf(out, "  %-10s %s\n", name, printable(value, text));
}

static void print_when_and_where(FILE *out, const struct trace_contents *c)
{
	const struct trace_host *host = trace_reader__host(c->reader);
	char text[UNITS_TEXT_MAX], when[WHEN_TEXT_MAX], line[3 * TRACE_TEXT_MAX];
	char warning[WHEN_WARNING_MAX];

	print_line(out, "started", when_wall(host->start_wall_ns, when));
	print_line(out, "duration", units_time(trace_contents__duration_ns(c), text));
	if (host->resolution_ns > 1)
		print_line(out, "resolution", units_time(host->resolution_ns, text));
	snprintf(line, sizeof(line), "%s (Linux %s, %s)", host->hostname, host->kernel,
		 host->machine);
	print_line(out, "host", *host->hostname || *host->kernel ? line : "");
	print_line(out, "made by", host->tool);
	print_line(out, "command", host->command);
	print_line(out, "written", host->reason);
	print_line(out, "names", host->anonymized ? "anonymized: each is a keyed hash" : "");
	if (*when_clock_warning(host, trace_reader__summary(c->reader), warning))
		text_wrapped(out, "  warning    ", warning);
}

static void print_command_status(FILE *out, int32_t status)
{
	char text[64];

	if (status == -1)
		return;
	if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "was killed by signal %d", WTERMSIG(status));
	else
		snprintf(text, sizeof(text), "ended with exit code %d", WEXITSTATUS(status));
	print_line(out, "workload", text);
}

static bool is_complete(const struct trace_contents *c)
{
	return trace_reader__end(c->reader) == TRACE_END_CLEAN;
}

static void print_rows(FILE *out, const struct trace_contents *c)
{
	static const enum row_kind order[] = {ROW_IO,	ROW_ACCESS, ROW_WAIT, ROW_CACHE,
					      ROW_TICK, ROW_HIST,   ROW_LOSS};
	char text[UNITS_TEXT_MAX];
	uint64_t rows;

	fprintf(out, "\nRows\n");
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		rows = trace_reader__rows(c->reader, order[i]);
		if (order[i] == ROW_WAIT && !rows)
			continue;
		fprintf(out, "  %-10s %14s", trace_row_name(order[i]), units_count(rows, text));
		if (order[i] == ROW_IO && rows && is_complete(c))
			fprintf(out, "   %.1f bytes each, with all tables",
				trace_contents__bytes_per_io(c));
		fprintf(out, "\n");
	}
	fprintf(out, "  %-10s %14s\n", "tasks", units_count(trace_reader__tasks(c->reader), text));
	fprintf(out, "  %-10s %14s\n", "files", units_count(trace_reader__files(c->reader), text));
	fprintf(out, "  %-10s %14s\n", "cgroups",
		units_count(trace_reader__cgroups(c->reader), text));
}

static void print_device(FILE *out, const struct trace_device *device)
{
	char text[PRINTABLE_MAX], size[UNITS_TEXT_MAX], line[4 * PRINTABLE_MAX];
	int used;

	fprintf(out, "  %-10s %3u:%-5u %s\n", printable(device->name, text), device->major,
		device->minor, device->size_bytes ? units_bytes(device->size_bytes, size) : "");
	/* An imported trace knows only the name of a device. */
	if (!device->size_bytes && !device->physical_block_bytes) {
		text_wrapped(out, "             ", "size and properties are not known");
		return;
	}
	used = snprintf(line, sizeof(line), "%u/%u B blocks, %s, write cache %s%s, ",
			device->logical_block_bytes, device->physical_block_bytes,
			device->rotational ? "rotating" : "solid state",
			device->write_cache ? "on" : "off", device->fua ? " with FUA" : "");
	if (*device->scheduler)
		used += snprintf(line + used, sizeof(line) - (size_t)used, "scheduler %s, ",
				 printable(device->scheduler, text));
	used += snprintf(line + used, sizeof(line) - (size_t)used, "%s, read ahead %u KiB",
			 COUNTED_TEXT(device->nr_requests, "request"), device->read_ahead_kb);
	if (device->max_discard_bytes)
		used += snprintf(line + used, sizeof(line) - (size_t)used, ", discards up to %s",
				 units_bytes(device->max_discard_bytes, size));
	if (device->zone_bytes)
		used += snprintf(line + used, sizeof(line) - (size_t)used, ", %s zones of %s",
				 printable(device->zoned, text),
				 units_bytes(device->zone_bytes, size));
	if (*device->model)
		used += snprintf(line + used, sizeof(line) - (size_t)used, ", %s",
				 printable(device->model, text));
	if (*device->stacked_on)
		snprintf(line + used, sizeof(line) - (size_t)used, ", on %s",
			 printable(device->stacked_on, text));
	text_wrapped(out, "             ", line);
}

static void print_devices(FILE *out, const struct trace_contents *c)
{
	fprintf(out, "\nDevices\n");
	for (uint32_t id = 1; id <= trace_reader__devices(c->reader); id++) {
		const struct trace_device *device = trace_reader__device(c->reader, id);

		if (device)
			print_device(out, device);
	}
	if (!trace_reader__devices(c->reader))
		fprintf(out, "  none\n");
}

static void print_tiers(FILE *out, const struct trace_contents *c)
{
	char figure[PRINTABLE_MAX], how[PRINTABLE_MAX], quality[PRINTABLE_MAX], note[PRINTABLE_MAX];
	const struct trace_tier *tier;

	if (!trace_reader__tier(c->reader, 0))
		return;
	fprintf(out, "\nHow each figure was measured\n");
	for (uint32_t i = 0; (tier = trace_reader__tier(c->reader, i)); i++) {
		fprintf(out, "  %-11s %-20s by %s\n", printable(tier->quality, quality),
			printable(tier->figure, figure), printable(tier->how, how));
		if (*tier->note)
			text_wrapped(out, "              ", printable(tier->note, note));
	}
}

static void print_losses(FILE *out, const struct trace_contents *c)
{
	char text[UNITS_TEXT_MAX], line[512];

	fprintf(out, "\nLosses\n");
	for (enum loss_class kind = 0; kind < LOSS_CLASS_COUNT; kind++) {
		if (!c->lost[kind])
			continue;
		fprintf(out, "  %-11s %13s\n", loss_class_name(kind),
			units_count(c->lost[kind], text));
		snprintf(line, sizeof(line), "%s: %s", loss_class_meaning(kind),
			 loss_class_remedy(kind));
		text_wrapped(out, "              ", line);
	}
	if (!is_complete(c))
		fprintf(out, "  %snot known: the trace is not complete\n",
			c->lost_total ? "further losses are " : "");
	else if (!c->lost_total)
		fprintf(out, "  nothing was lost\n");
}

static void print_end(FILE *out, const struct trace_contents *c)
{
	const struct trace_summary *summary = trace_reader__summary(c->reader);
	char text[UNITS_TEXT_MAX];

	fprintf(out, "\nEnd\n");
	if (!is_complete(c))
		fprintf(out, "  not complete; the rows above are those before the gap\n"
			     "  ('blkreel repair' makes a complete trace of the undamaged part)\n");
	else if (summary && summary->repaired)
		fprintf(out, "  repaired: its recorder did not end it, every checksum is right\n");
	else
		fprintf(out, "  complete: closed by its recorder, every checksum is right\n");
	if (!summary || summary->repaired)
		return;
	fprintf(out, "  %s %s in flight when recording started, %s when it ended\n",
		COUNTED_TEXT(summary->started_before, "IO"),
		summary->started_before == 1 ? "was" : "were",
		units_count(summary->in_flight_at_end, text));
}

static void print_remark(FILE *out, uint64_t count, const char *noun, const char *what)
{
	char line[256];

	if (!count)
		return;
	snprintf(line, sizeof(line), "%s %s", COUNTED_TEXT(count, noun), what);
	text_wrapped(out, "  allowed: ", line);
}

static void print_verified(FILE *out, const struct trace_verification *v)
{
	char more[UNITS_TEXT_MAX];

	fprintf(out, "\nVerified\n  %s, %s, %s\n", COUNTED_TEXT(v->blocks, "block"),
		COUNTED_TEXT(v->bytes, "byte"), COUNTED_TEXT(v->rows, "row"));
	for (uint64_t i = 0; i < v->problem_count && i < VERIFY_PROBLEMS_MAX; i++)
		text_wrapped(out, "  problem: ", v->problems[i]);
	if (v->problem_count > VERIFY_PROBLEMS_MAX)
		fprintf(out, "  problem: and %s more\n",
			units_count(v->problem_count - VERIFY_PROBLEMS_MAX, more));
	print_remark(out, v->ids_without_entry, "id", "in rows without an entry in a table");
	print_remark(out, v->times_out_of_order, "IO",
		     "whose times do not follow each other: created, inserted, issued, completed");
	print_remark(out, v->unused_bytes, "byte", "not 0 that this version does not use");
	print_remark(out, v->unknown_blocks, "block", "of a kind that this version does not know");
	if (!v->problem_count)
		fprintf(out, "  no problem: blocks, index and end mark agree\n");
}

void render_info_text(FILE *out, const struct trace_contents *c)
{
	const struct trace_summary *summary = trace_reader__summary(c->reader);
	char path[PRINTABLE_MAX], size[UNITS_TEXT_MAX];

	fprintf(out, "%s: blkreel trace version %u, %s\n", printable(c->path, path),
		trace_reader__version(c->reader),
		units_bytes(trace_reader__file_bytes(c->reader), size));
	print_when_and_where(out, c);
	if (summary)
		print_command_status(out, summary->command_status);
	print_rows(out, c);
	print_devices(out, c);
	print_tiers(out, c);
	print_losses(out, c);
	print_end(out, c);
	if (c->verified)
		print_verified(out, c->verified);
}
