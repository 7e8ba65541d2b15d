/* SPDX-License-Identifier: MIT */
#ifndef BLKREEL_RENDER_EXPLAIN_JSON_WAITS_H
#define BLKREEL_RENDER_EXPLAIN_JSON_WAITS_H

#include <jansson.h>

#include "explain/figures/explanation.h"

/* The key "waits": an object, or null without rows of waits. New reference. */
json_t *explain_json_waits(const struct explanation *x);

#endif
