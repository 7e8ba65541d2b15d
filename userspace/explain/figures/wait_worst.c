// SPDX-License-Identifier: MIT
#include "explain/figures/wait_worst.h"

#include <stdlib.h>
#include <string.h>

void wait_worst_note_other(struct explain_waits *w, const char *functions, uint64_t ns)
{
	struct explain_other_wait other = {.ns = ns, .count = 1};
	uint32_t i;

	wait_cause_function(functions, other.function, sizeof(other.function));
	for (i = 0; i < w->other_count; i++)
		if (!strcmp(w->others[i].function, other.function))
			break;
	if (i == w->other_count && i == EXPLAIN_OTHER_WAITS)
		return;
	if (i == w->other_count)
		w->others[w->other_count++] = other;
	else {
		w->others[i].ns += ns;
		w->others[i].count++;
	}
}

void wait_worst_note(struct explain_waits *w, const struct explain_tables *tables,
		     const struct explain_worst_wait *found, const struct wait_row *sleep,
		     const char *functions, uint32_t file, const struct blame_most *most)
{
	const struct trace_task *waker = tables->task(tables->context, sleep->waker);
	const struct trace_file *entry = tables->file(tables->context, file);
	struct explain_worst_wait worst = *found;
	uint32_t at = w->worst_count;

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
	worst.file = entry && *entry->path ? strdup(entry->path) : NULL;
	if (w->worst_count == EXPLAIN_WORST_WAITS)
		free(w->worst[EXPLAIN_WORST_WAITS - 1].file);
	else
		w->worst_count++;
	memmove(w->worst + at + 1, w->worst + at, (w->worst_count - at - 1) * sizeof(*w->worst));
	w->worst[at] = worst;
}
