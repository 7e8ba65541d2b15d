/* SPDX-License-Identifier: MIT */
/* The sections of a page. */
#ifndef BLKREEL_RENDER_REPORT_PAGE_H
#define BLKREEL_RENDER_REPORT_PAGE_H

#include <jansson.h>
#include <stdio.h>

#include "render/report/report.h"

struct explanation;

/* From the verdict to the findings. */
void page_answer(FILE *out, const struct report_trace *trace);
/* One row a device, if there are several. */
void page_devices(FILE *out, const struct explanation *x);
/* What tasks waited for, if it was recorded. */
void page_waits(FILE *out, const struct report_trace *trace);
/* Processes, files, control groups; the slowest IOs; the quality of the figures. */
void page_tables(FILE *out, const struct report_trace *trace);
/* The charts over time; those of figures, without time. */
void page_over_time(FILE *out, const struct report_trace *trace);
void page_figures(FILE *out, const struct report_trace *trace);

/* What compare says of the first trace and each other, with charts. */
void page_comparison(FILE *out, const struct report_trace *traces, unsigned int count);

/* The charts over time and of sizes of several traces. */
void page_side_by_side(FILE *out, const struct report_trace *traces, unsigned int count);

/* The name of the file of a trace, without its folders. */
const char *page_file_name(const char *path);

#endif
