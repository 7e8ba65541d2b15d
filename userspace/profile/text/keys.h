/* SPDX-License-Identifier: MIT */
/* The names that the tables of a profile have in its text, shared by reader and writer. */
#ifndef BLKREEL_PROFILE_TEXT_KEYS_H
#define BLKREEL_PROFILE_TEXT_KEYS_H

#include "profile/profile.h"

/* Rows are named by the smallest number of IOs (splits, gaps) or blocks (reuse) they stand for. */
static const unsigned int split_row_names[PROFILE_SPLIT_ROWS] = {2,   3,   4,	8,    16,   32,	 64,
								 128, 256, 512, 1024, 2048, 4096};
static const unsigned int gap_row_names[PROFILE_GAP_CLASSES] = {2, 3, 5, 9, 17, 33, 65, 129};
static const unsigned int entry_gap_row_names[PROFILE_GAP_CLASSES] = {1, 2, 3, 5, 9, 17, 33, 65};
static const unsigned int share_row_names[PROFILE_SHARE_IOS] = {2, 4, 16, 64, 256};
/* Others, reads, and all alike. */
static const char *const kind_names[3] = {"o.", "r.", ""};
static const char *const class_split_names[PROFILE_SIZE_CLASSES / 2] = {"class1_split",
									"class2_split"};
static const unsigned int class_row_names[PROFILE_SIZE_CLASSES] = {1, 2, 3, 4};
static const unsigned int reuse_row_names[PROFILE_REUSE_SIZES] = {1, 2, 4, 8, 16, 32};

/* Figures of compare, in its order, as [error] calls them. */
static const char *const error_names[PROFILE_FIGURES] = {"ios_ratio",
							 "read_ios_delta_pp",
							 "bytes_ratio",
							 "size_tvd",
							 "gap_ks",
							 "idc_ratio.10ms",
							 "idc_ratio.1s",
							 "idc_ratio.60s",
							 "peak_10ms_ratio",
							 "mrc_mae",
							 "sequential_delta_pp",
							 "footprint_ratio",
							 "busy_reads_delta_pp",
							 "bytes_idc_ratio"};

/* Figures of parts, in the order of workload/figures/local_figures.h. */
static const char *const local_error_names[PROFILE_LOCAL_FIGURES] = {
	"eighth_size_tvd", "eighth_footprint_ratio", "eighth_mrc_mae",	      "read_mrc_mae",
	"write_mrc_mae",   "read_footprint_ratio",   "write_footprint_ratio", "run_ks",
	"zones_tvd"};

/* Figures of the closed loop, in the order of workload/figures/closed_figures.h. */
static const char *const closed_error_names[PROFILE_CLOSED_FIGURES] = {
	"dependent_delta_pp", "depth_ks", "think_shift", "latency_shift"};

#endif
