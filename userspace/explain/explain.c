// SPDX-License-Identifier: MIT
#include "explain/explain.h"

#include <errno.h>
#include <string.h>

#include "explain/findings/findings.h"
#include "explain/verdict.h"

#define HOSTS_SEPARATOR ',' /* copy joins the names of the hosts */

int explain_finish(struct explainer *e, const struct explain_frame *frame,
		   struct explanation **result)
{
	struct explanation *x;
	int err = explainer__finish(e, frame, &x);

	if (err)
		return err;
	err = explain_findings(x);
	if (err) {
		explanation__free(x);
		return err;
	}
	explain_verdict(x);
	*result = x;
	return 0;
}

static const struct trace_device *device_by_id(const void *reader, uint32_t id)
{
	return trace_reader__device(reader, id);
}

static const struct trace_task *task_by_id(const void *reader, uint32_t id)
{
	return trace_reader__task(reader, id);
}

static const struct trace_file *file_by_id(const void *reader, uint32_t id)
{
	return trace_reader__file(reader, id);
}

static const struct trace_cgroup *cgroup_by_id(const void *reader, uint32_t id)
{
	return trace_reader__cgroup(reader, id);
}

static const struct trace_stack *stack_by_id(const void *reader, uint32_t id)
{
	return trace_reader__stack(reader, id);
}

static int add_block(struct explainer *e, const struct row_block *block)
{
	int err = 0;

	for (uint32_t i = 0; i < block->rows && !err; i++) {
		switch (block->kind) {
		case ROW_IO:
			err = explainer__add_io(e, &block->io[i]);
			break;
		case ROW_CACHE:
			err = explainer__add_cache(e, &block->cache[i]);
			break;
		case ROW_TICK:
			err = explainer__add_tick(e, &block->tick[i]);
			break;
		case ROW_HIST:
			err = explainer__add_hist(e, &block->hist[i]);
			break;
		case ROW_WAIT:
			err = explainer__add_wait(e, &block->wait[i]);
			break;
		case ROW_LOSS:
			explainer__add_loss(e, &block->loss[i]);
			break;
		default:
			break;
		}
	}
	return err;
}

struct explain_tables explain_tables_of(const struct trace_reader *reader)
{
	return (struct explain_tables){reader,	   device_by_id, task_by_id,
				       file_by_id, cgroup_by_id, stack_by_id};
}

int explain_trace(struct trace_reader *reader, const char *const *devices, uint32_t device_count,
		  uint64_t part_ns, struct explanation **result, int *read_err)
{
	return explain_trace_watched(reader, devices, device_count, part_ns, NULL, result,
				     read_err);
}

static bool has_rows(const struct trace_reader *reader)
{
	for (int kind = 0; kind < ROW_KIND_COUNT; kind++)
		if (trace_reader__rows(reader, (enum row_kind)kind))
			return true;
	return false;
}

int explain_trace_watched(struct trace_reader *reader, const char *const *devices,
			  uint32_t device_count, uint64_t part_ns,
			  const struct explain_watcher *watcher, struct explanation **result,
			  int *read_err)
{
	const unsigned int kinds = 1u << ROW_IO | 1u << ROW_CACHE | 1u << ROW_TICK |
				   1u << ROW_LOSS | 1u << ROW_HIST | 1u << ROW_WAIT;
	const struct explain_tables tables = explain_tables_of(reader);
	struct explainer *e = explainer__new(&tables, devices, device_count);
	struct explain_frame frame;
	const struct trace_tier *tier;
	uint64_t start_ns = trace_reader__host(reader)->start_ns;
	struct row_block block;
	int err = 0, more;

	if (!e)
		return -ENOMEM;
	explainer__begin(e, start_ns, part_ns ? start_ns + part_ns : UINT64_MAX);
	if (strchr(trace_reader__host(reader)->hostname, HOSTS_SEPARATOR))
		explainer__join_hosts(e);
	while ((more = trace_reader__next(reader, kinds, &block)) > 0) {
		err = add_block(e, &block);
		if (!err && watcher)
			err = watcher->see(watcher->context, &block);
		if (err)
			goto out;
	}
	*read_err = more;
	for (uint32_t i = 0; (tier = trace_reader__tier(reader, i)); i++) {
		err = explainer__add_tier(e, tier);
		if (err)
			goto out;
	}
	frame.host = trace_reader__host(reader);
	frame.summary = trace_reader__summary(reader);
	frame.cut = more < 0 || trace_reader__end(reader) != TRACE_END_CLEAN;
	frame.cut_before_rows = frame.cut && !has_rows(reader);
	return explain_finish(e, &frame, result);
out:
	explainer__free(e);
	return err;
}
