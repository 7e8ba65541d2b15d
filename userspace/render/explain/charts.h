/* SPDX-License-Identifier: MIT */
/* The course of a trace over time, as charts of characters, from the data of a report. */
#ifndef BLKREEL_RENDER_EXPLAIN_CHARTS_H
#define BLKREEL_RENDER_EXPLAIN_CHARTS_H

#include "render/charts/charts.h"
#include "report/report.h"

/* Load by operation, and latencies. 0, -ENOMEM or -EIO. */
int explain_print_charts(FILE *out, const struct chart_style *style, const struct report *r);

#endif
