/* SPDX-License-Identifier: MIT */
/* What is missing from a trace, as JSON. */
#ifndef BLKREEL_RENDER_MISSING_H
#define BLKREEL_RENDER_MISSING_H

#include <jansson.h>

#include "workload/missing_rows.h"

/* Lost rows of a kind (ROW_IO or ROW_ACCESS), their share, and whether the end is missing. */
json_t *render_missing_json(const struct missing_rows *m, enum row_kind kind);

#endif
