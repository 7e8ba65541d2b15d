/* SPDX-License-Identifier: MIT */
/* The JSON about another size of the page cache. */
#ifndef BLKREEL_RENDER_EXPLAIN_JSON_WHAT_IF_H
#define BLKREEL_RENDER_EXPLAIN_JSON_WHAT_IF_H

#include <jansson.h>

#include "explain/figures/explanation.h"

/* A new reference; null if nothing is known, or without memory. */
json_t *explain_json_what_if(const struct explanation *x);

#endif
