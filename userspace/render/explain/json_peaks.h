/* SPDX-License-Identifier: MIT */
#ifndef BLKREEL_RENDER_EXPLAIN_JSON_PEAKS_H
#define BLKREEL_RENDER_EXPLAIN_JSON_PEAKS_H

#include <jansson.h>

#include "workload/figures/peak_load.h"

/* The value of "peaks" of a device; windows longer than the recording are left out. New reference. */
json_t *explain_json_peaks(const struct peak_figures *p, uint64_t duration_ns);

#endif
