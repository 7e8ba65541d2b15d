// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>

#include "render/bench/bench.h"

static void print_name(const char *name, FILE *out)
{
	fputc('"', out);
	for (const char *c = name; *c; c++) {
		if (*c == '"')
			fputc('"', out);
		fputc(*c, out);
	}
	fputs("\",", out);
}

int bench_csv(const struct bench_results *r, FILE *out)
{
	fprintf(out,
		"point,bs_bytes,read_pct,depth,jobs,repeat,iops,read_iops,write_iops,bytes_per_s,ios,"
		"errors,duration_ns,mean_ns,p50_ns,p99_ns,p99_9_ns,max_ns,round,bytes,steady_rounds,"
		"steady_reached,steady_mean,steady_range_pct,steady_slope_pct,reads,read_bytes,writes,"
		"write_bytes\n");
	for (unsigned int i = 0; i < r->done; i++) {
		const struct bench_point *p = &r->points->items[i];
		const struct bench_figures *f = &r->figures[i];

		print_name(p->name, out);
		if (p->bs_bytes)
			fprintf(out, "%" PRIu64, p->bs_bytes);
		fputc(',', out);
		if (p->mix_pct != BENCH_NO_MIX)
			fprintf(out, "%d", p->mix_pct);
		fprintf(out,
			",%u,%u,%u,%.2f,%.2f,%.2f,%.0f,%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%.0f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
			p->depth, p->jobs, p->repeat, f->iops, f->read_iops, f->write_iops,
			f->bytes_per_s, f->ios, f->errors, f->duration_ns, f->mean_ns, f->p50_ns,
			f->p99_ns, f->p99_9_ns, f->max_ns);
		if (p->round)
			fprintf(out, "%u", p->round);
		fprintf(out, ",%" PRIu64 ",", f->bytes);
		if (f->steady_rounds)
			fprintf(out, "%" PRIu64 ",%" PRIu64 ",%.6g,%.4f,%.4f", f->steady_rounds,
				f->steady_reached, f->steady_mean, f->steady_range_pct,
				f->steady_slope_pct);
		else
			fputs(",,,,", out);
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", f->reads,
			f->read_bytes, f->writes, f->write_bytes);
	}
	return ferror(out) ? -EIO : 0;
}
