// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>

#include "base/units.h"
#include "render/bench/bench.h"
#include "render/table.h"

#define INDENT 2

static void row(struct table *t, const struct bench_point *p, const struct bench_figures *f)
{
	char text[UNITS_TEXT_MAX];

	table__cell(t, "%s", p->name);
	table__cell(t, "%s", p->bs_bytes ? units_bytes(p->bs_bytes, text) : "-");
	if (p->mix_pct == BENCH_NO_MIX)
		table__cell(t, "-");
	else
		table__cell(t, "%d", p->mix_pct);
	table__cell(t, "%u", p->depth);
	table__cell(t, "%u", p->jobs);
	table__cell(t, "%s", units_count((uint64_t)(f->iops + 0.5), text));
	table__cell(t, "%.1f", f->bytes_per_s / (1024 * 1024));
	table__cell(t, "%s", units_time(f->p50_ns, text));
	table__cell(t, "%s", units_time(f->p99_ns, text));
	table__cell(t, "%s", units_time(f->p99_9_ns, text));
}

int bench_text(const struct bench_results *r, FILE *out)
{
	static const char *const head[] = {"point", "size",  "read%", "depth", "jobs",
					   "IOPS",  "MiB/s", "p50",   "p99",   "p99.9"};
	struct table *t = table__new("lrrrrrrrrr");
	uint64_t errors = 0;
	int err;

	text_printf(out, "Bench of %s on %s, %s a point\n\n", r->plan, r->options->target,
		    TIME_TEXT(r->options->runtime_ns));
	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		table__cell(t, "%s", head[i]);
	for (unsigned int i = 0; i < r->done; i++) {
		row(t, &r->points->items[i], &r->figures[i]);
		errors += r->figures[i].errors;
	}
	err = table__print(t, out, INDENT);
	table__free(t);
	if (errors)
		fprintf(out, "\n  %s failed; they are in no rate and no latency.\n",
			COUNTED_TEXT(errors, "IO"));
	if (r->done < r->points->count)
		fprintf(out, "\n  %u of %s %s not measured.\n", r->points->count - r->done,
			COUNTED_TEXT(r->points->count, "point"),
			r->points->count - r->done == 1 ? "was" : "were");
	return err;
}

int bench_csv(const struct bench_results *r, FILE *out)
{
	fprintf(out,
		"point,bs_bytes,read_pct,depth,jobs,repeat,iops,read_iops,write_iops,bytes_per_s,ios,"
		"errors,duration_ns,mean_ns,p50_ns,p99_ns,p99_9_ns,max_ns\n");
	for (unsigned int i = 0; i < r->done; i++) {
		const struct bench_point *p = &r->points->items[i];
		const struct bench_figures *f = &r->figures[i];

		fputc('"', out);
		for (const char *c = p->name; *c; c++) {
			if (*c == '"')
				fputc('"', out);
			fputc(*c, out);
		}
		fprintf(out, "\",");
		if (p->bs_bytes)
			fprintf(out, "%" PRIu64, p->bs_bytes);
		fputc(',', out);
		if (p->mix_pct != BENCH_NO_MIX)
			fprintf(out, "%d", p->mix_pct);
		fprintf(out,
			",%u,%u,%u,%.2f,%.2f,%.2f,%.0f,%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%.0f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			p->depth, p->jobs, p->repeat, f->iops, f->read_iops, f->write_iops,
			f->bytes_per_s, f->ios, f->errors, f->duration_ns, f->mean_ns, f->p50_ns,
			f->p99_ns, f->p99_9_ns, f->max_ns);
	}
	return ferror(out) ? -EIO : 0;
}
