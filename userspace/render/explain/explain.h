/* SPDX-License-Identifier: MIT */
/* An explanation as text and as JSON. */
#ifndef BLKREEL_RENDER_EXPLAIN_EXPLAIN_H
#define BLKREEL_RENDER_EXPLAIN_EXPLAIN_H

#include <jansson.h>
#include <stdio.h>

#include "explain/figures/explanation.h"
#include "render/when.h"

/* `name` is what the user called the trace, `by` what figures are grouped by: every row of
 * these groups then, and nothing of the others. Each returns 0, -ENOMEM or -EIO. */
int explain_print_text(FILE *out, const char *name, const struct explanation *x,
		       enum explain_by by);
int explain_print_json(FILE *out, const char *name, const struct explanation *x,
		       enum explain_by by);

/* The document blkreel.explain/1 with at most `listed_max` groups of each kind. New reference;
 * NULL: out of memory. */
json_t *explain_json(const char *name, const struct explanation *x, enum explain_by by,
		     uint32_t listed_max);

/* The sections of the text. Each prints a blank line before itself. Return values as above. */
int explain_print_waits(FILE *out, const struct explanation *x);
int explain_print_cache(FILE *out, const struct explanation *x);
int explain_print_what_if(FILE *out, const struct explanation *x);
int explain_print_flow(FILE *out, const struct explanation *x);
int explain_print_devices(FILE *out, const struct explanation *x);
int explain_print_peaks(FILE *out, const struct explanation *x);
int explain_print_slowest(FILE *out, const struct explanation *x);
int explain_print_groups(FILE *out, const struct explanation *x, enum explain_by by);
int explain_print_memory(FILE *out, const struct explanation *x, enum explain_by by);

/* A time of the recording, as --from takes it; also of a part of it. */
static inline const char *explain_at(const struct explanation *x, uint64_t time_ns,
				     char text[WHEN_TEXT_MAX])
{
	return when_at(time_ns + x->from_ns, x->host.start_ns, text);
}

extern const char *const explain_by_heads[]; /* of the columns with the names */

#endif
