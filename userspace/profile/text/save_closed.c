// SPDX-License-Identifier: MIT
#include "profile/text/save_closed.h"

#include <inttypes.h>

#include "profile/text/save_list.h"

static void save_times(FILE *out, const char *key, const struct closed_values *v)
{
	if (v->count)
		save_numbers(out, key, v->at, v->count);
}

static void save_latencies(const struct profile_closed *c, FILE *out)
{
	char key[48];

	fprintf(out,
		"# Latencies in ns, by op and by bytes up to: equal shares between two values.\n");
	for (unsigned int op = 0; op < CLOSED_OPS; op++)
		for (unsigned int size = 0; size < CLOSED_SIZES; size++) {
			snprintf(key, sizeof(key), "latency.%s.%" PRIu64, closed_op_name(op),
				 closed_size_bytes(size));
			save_times(out, key, &c->latency_ns[op][size]);
		}
}

static void save_kind(const struct profile *p, uint32_t index, FILE *out)
{
	const struct closed_tasks *t = &p->closed.kinds[index];
	char key[32];

	fprintf(out, "\n[tasks %" PRIu32 "]\n", index + 1);
	if (t->kernel)
		fprintf(out, "kernel = 1\n");
	fprintf(out, "tasks = %" PRIu64 "\n", t->tasks);
	save_numbers(out, "active", t->active, p->phase_count);
	save_sparse(out, "streams", t->streams, p->stream_count, 1);
	fprintf(out,
		"# With N IOs not yet awaited: completions that the next IO awaits; 0: none, 16: all.\n");
	for (unsigned int n = 0; n < CLOSED_ROWS; n++) {
		snprintf(key, sizeof(key), "completions_awaited.%u", n + 1);
		save_sparse(out, key, t->awaited[n], CLOSED_AWAITED, 0);
	}
	fprintf(out,
		"# ns to the next IO: from the completion awaited, from its submission, if none.\n");
	save_times(out, "think_ns", &t->think_ns);
	save_times(out, "cycle_ns", &t->cycle_ns);
	save_times(out, "open_gap_ns", &t->open_gap_ns);
}

void save_closed(const struct profile *p, FILE *out)
{
	const struct profile_closed *c = &p->closed;

	if (!c->kind_count)
		return;
	fprintf(out,
		"\n[closed]\n# The closed loop: for the modes dependent and depth of replay.\n");
	fprintf(out, "dependent_permille = %" PRIu32 "\n", c->dependent_permille);
	fprintf(out, "# IOs in flight at a submission, this one included.\n");
	save_sparse(out, "depth", c->depth, CLOSED_DEPTHS, 0);
	save_latencies(c, out);
	for (uint32_t i = 0; i < c->kind_count; i++)
		save_kind(p, i, out);
}
