// SPDX-License-Identifier: MIT
#include "compare/figures.h"

static const struct figure_info infos[FIGURE_COUNT] = {
	[FIGURE_IOS_RATIO] = {"ios_ratio", "number of IOs", SAME_IOS_RATIO, true},
	[FIGURE_READ_IOS_DELTA_PP] = {"read_ios_delta_pp", "share of reads", SAME_READ_IOS_PP,
				      false},
	[FIGURE_BYTES_RATIO] = {"bytes_ratio", "bytes", SAME_BYTES_RATIO, true},
	[FIGURE_SIZE_TVD] = {"size_tvd", "sizes", SAME_SIZE_TVD, false},
	[FIGURE_GAP_KS] = {"gap_ks", "gaps between IOs", SAME_GAP_KS, false},
	[FIGURE_IDC_RATIO_10MS] = {"idc_ratio.10ms", "bursts at 10 ms", SAME_IDC_RATIO, true},
	[FIGURE_IDC_RATIO_1S] = {"idc_ratio.1s", "bursts at 1 s", SAME_IDC_RATIO, true},
	[FIGURE_IDC_RATIO_60S] = {"idc_ratio.60s", "bursts at 60 s", SAME_IDC_RATIO, true},
	[FIGURE_PEAK_10MS_RATIO] = {"peak_10ms_ratio", "peak in 10 ms", SAME_PEAK_RATIO, true},
	[FIGURE_MRC_MAE] = {"mrc_mae", "cache miss curve", SAME_MRC_MAE, false},
	[FIGURE_SEQUENTIAL_DELTA_PP] = {"sequential_delta_pp", "sequential share",
					SAME_SEQUENTIAL_PP, false},
	[FIGURE_BUSY_READS_DELTA_PP] = {"busy_reads_delta_pp", "reads when busiest",
					SAME_BUSY_READS_PP, false},
	[FIGURE_BYTES_IDC_RATIO] = {"bytes_idc_ratio", "byte bursts at 1 s", SAME_IDC_RATIO, true},
	[FIGURE_OP_TVD] = {"op_tvd", "other operations", SAME_OP_TVD, false},
	[FIGURE_FOOTPRINT_RATIO] = {"footprint_ratio", "footprint", SAME_FOOTPRINT_RATIO, true},
};

static const char *const part_names[LATENCY_PARTS] = {"total", "queue", "device"};

const struct figure_info *figure_info(enum workload_figure figure)
{
	return &infos[figure];
}

const char *latency_part_name(enum latency_part part)
{
	return part_names[part];
}
