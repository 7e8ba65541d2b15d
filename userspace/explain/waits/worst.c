// SPDX-License-Identifier: MIT
#include "explain/waits/worst.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_alike(const struct explain_worst_wait *a, const struct explain_worst_wait *b,
		     const char *path_of_b)
{
	bool same_file =
		a->file && path_of_b ? !strcmp(a->file, path_of_b) : !a->file && !path_of_b;

	return same_file && a->pid == b->pid && a->cause == b->cause && !strcmp(a->kind, b->kind);
}

/* Of waits of one task in one call for one cause and file the longest is enough. Removes a shorter one; false: there is
 * a longer one. */
static bool replaces_its_like(struct explain_waits *w, const struct explain_worst_wait *worst,
			      const char *path, uint64_t duration_ns)
{
	for (uint32_t i = 0; i < w->worst_count; i++) {
		if (!is_alike(&w->worst[i], worst, path))
			continue;
		if (w->worst[i].duration_ns >= duration_ns)
			return false;
		free(w->worst[i].file);
		memmove(w->worst + i, w->worst + i + 1, (--w->worst_count - i) * sizeof(*w->worst));
		return true;
	}
	return true;
}

void wait_worst_note(struct explain_waits *w, const struct explain_tables *tables,
		     const struct explain_worst_wait *found, const struct wait_row *sleep,
		     const char *functions, uint32_t file, const struct blame_most *most)
{
	const struct trace_task *waker = tables->task(tables->context, sleep->waker);
	const struct trace_file *entry = tables->file(tables->context, file);
	struct explain_worst_wait worst = *found;
	const char *path = entry && *entry->path ? entry->path : NULL;
	uint32_t at;

	if (!replaces_its_like(w, &worst, path, sleep->duration_ns))
		return;
	at = w->worst_count;
	while (at && w->worst[at - 1].duration_ns < sleep->duration_ns)
		at--;
	if (at == EXPLAIN_WORST_WAITS)
		return;
	worst.time_ns = sleep->time_ns;
	worst.duration_ns = sleep->duration_ns;
	if (waker)
		memcpy(worst.waker, waker->comm, sizeof(worst.waker));
	wait_cause_function(functions, worst.function, sizeof(worst.function));
	memcpy(worst.culprit, most->culprit, sizeof(worst.culprit));
	worst.culprit_ns = most->ns;
	worst.culprit_ios = most->ios;
	worst.culprit_bytes = most->bytes;
	worst.culprit_wrote = most->was_written;
	worst.file = path ? strdup(path) : NULL;
	if (w->worst_count == EXPLAIN_WORST_WAITS)
		free(w->worst[EXPLAIN_WORST_WAITS - 1].file);
	else
		w->worst_count++;
	memmove(w->worst + at + 1, w->worst + at, (w->worst_count - at - 1) * sizeof(*w->worst));
	w->worst[at] = worst;
}
