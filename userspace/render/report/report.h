/* SPDX-License-Identifier: MIT */
/* A report as JSON and as a page. */
#ifndef BLKREEL_RENDER_REPORT_REPORT_H
#define BLKREEL_RENDER_REPORT_REPORT_H

#include <jansson.h>
#include <stdio.h>

struct comparison;
struct report;

/* Processes, files and control groups in a report, each. */
#define REPORT_LISTED_MAX 40u

struct report_trace {
	const char *path;
	const struct report *report;
	/* What compare says of the first trace and this one; NULL: the first, or a report of one. */
	const struct comparison *comparison;
	const char *device;	  /* that was compared */
	const char *first_device; /* of the first trace */
	/* Those that the user chose; none: the report is of all. */
	const char *const *chosen_devices;
	unsigned int chosen_count;
};

/* The document blkreel.report/1. New reference; NULL: out of memory. */
json_t *report_json(const struct report_trace *traces, unsigned int count);

/* The page, which holds the document as its data. 0, -ENOMEM or -EIO. */
int report_print_html(FILE *out, const struct report_trace *traces, unsigned int count);

/* The document blkreel.compare/1 of the first trace and this one, without its schema. null: the
 * first. */
json_t *report_comparison_json(const struct report_trace *trace, const char *first_path);

/* The figures of a comparison and their limits. New reference. */
json_t *report_figures_json(void);

/* Why pages have no charts; NULL: they have some. */
const char *report_charts_missing(void);

#endif
