/* SPDX-License-Identifier: MIT */
/* A comparison as text and as JSON. */
#ifndef BLKREEL_RENDER_COMPARE_PAIR_H
#define BLKREEL_RENDER_COMPARE_PAIR_H

#include <jansson.h>
#include <stdio.h>

#include "compare/comparison.h"

/* The names of the two sides: file, device ("" for a profile), and in text what it is ("": a recording). */
struct compare_names {
	const char *a_path, *a_device;
	const char *b_path, *b_device;
	const char *a_origin, *b_origin;
};

/* ", device sda", then the origin. */
void render_side_name(const char *path, const char *device, const char *origin, FILE *out);

void render_compare_text(const struct comparison *c, const struct compare_names *names, FILE *out);

/* The table of workload figures alone, without latency and verdict. */
void render_workload_table(const struct comparison *c, const char *a_title, const char *b_title,
			   FILE *out);

/* A line for each reason why figures are not compared, with all that it holds for. */
void render_not_compared(const struct comparison *c, FILE *out);

/* A figure of one side in the form that fits it; "-" where there is none. UNITS_TEXT_MAX. */
void render_figure_text(const struct workload_figures *f, enum workload_figure figure, char *text);

/* B / A or a difference; "-" for NaN. UNITS_TEXT_MAX. */
void render_change_text(enum workload_figure figure, double value, char *text);

/*
 * {"read_ios_delta_pp", ...}; a figure that is not known is null, with the reason under "reasons".
 */
json_t *render_workload_json(const struct comparison *c);

/* A run: its name and figures. New reference. */
json_t *render_side_json(const struct workload_figures *f, const struct missing_rows *missing,
			 const char *path, const char *device);

/*
 * The document blkreel.compare/1. `limits` (may be NULL): the field of this name, whose reference is
 * taken. New reference.
 */
json_t *render_compare_document(const struct comparison *c, const struct compare_names *names,
				json_t *limits);

/* Prints it. 0 or -EIO. */
int render_compare_json(const struct comparison *c, const struct compare_names *names,
			json_t *limits, FILE *out);

#endif
