/* SPDX-License-Identifier: MIT */
/*
 * Figures of parts of a workload, where those of the whole may hide a difference: each eighth of
 * the time alone, reads and writes alone, runs and zones of addresses. Only reads and writes with
 * data count.
 */
#ifndef BLKREEL_WORKLOAD_FIGURES_LOCAL_FIGURES_H
#define BLKREEL_WORKLOAD_FIGURES_LOCAL_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/rows.h"

/* A part with fewer IOs says nothing. */
#define LOCAL_IOS_MIN 500

enum local_figure {
	/* Of the eighth of the time in which it is furthest off. */
	LOCAL_EIGHTH_SIZE_TVD = 0,
	LOCAL_EIGHTH_FOOTPRINT_RATIO,
	LOCAL_EIGHTH_MRC_MAE,
	LOCAL_READ_MRC_MAE,
	LOCAL_WRITE_MRC_MAE,
	LOCAL_READ_FOOTPRINT_RATIO,
	LOCAL_WRITE_FOOTPRINT_RATIO,
	LOCAL_RUN_KS,	 /* lengths of sequential runs, each IO counting that of its run */
	LOCAL_ZONES_TVD, /* starts by 64 equal zones of the address range */
	LOCAL_FIGURES,
};

/* What is measured: times from 0 (the first IO), and where the addresses lie. */
struct local_extent {
	uint64_t duration_ns;
	uint64_t first_sector, end_sector;
	unsigned int block_offset_sectors;
	uint32_t exact_blocks; /* that are followed; of more a sample */
};

struct local_measure;

int local_measure__create(const struct local_extent *extent,
			  struct local_measure **measure); /* 0 or -ENOMEM */
void local_measure__free(struct local_measure *m);	   /* NULL is allowed */

/* Adds an IO, in order of created_ns, the first of which is time 0. 0 or -ENOMEM. */
int local_measure__add(struct local_measure *m, const struct io_row *row);

/* Fills the ratios b / a and the distances; NaN where `a` or `b` has too few IOs. Ends both. */
void local_measure__compare(struct local_measure *a, struct local_measure *b,
			    double figures[LOCAL_FIGURES]);

const char *local_figure_name(enum local_figure figure);  /* as in JSON */
const char *local_figure_label(enum local_figure figure); /* for people */
double local_figure_limit(enum local_figure figure);	  /* a factor, or a distance */
bool local_figure_is_ratio(enum local_figure figure);

#endif
