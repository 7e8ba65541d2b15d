// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>

#include "render/replay/replay.h"

int replay_totals__create(const struct replay_outcome *jobs, unsigned int count,
			  struct replay_totals *t)
{
	*t = (struct replay_totals){.jobs = jobs, .count = count, .all = jobs[0]};
	if (count == 1)
		return 0;
	t->result = malloc(sizeof(*t->result));
	if (!t->result)
		return -ENOMEM;
	engine_result__init(t->result);
	t->result->registered = t->result->source_over = true;
	t->result->priority = PRIORITY_REALTIME;
	t->all.source_ios = 0;
	t->all.left_out_ios = 0;
	t->all.flush_machinery_ios = 0;
	t->all.out_of_order = 0;
	for (unsigned int i = 0; i < count; i++) {
		engine_result__merge(t->result, jobs[i].result);
		t->all.source_ios += jobs[i].source_ios;
		t->all.left_out_ios += jobs[i].left_out_ios;
		t->all.flush_machinery_ios += jobs[i].flush_machinery_ios;
		t->all.out_of_order += jobs[i].out_of_order;
	}
	t->all.source_device = NULL;
	t->all.source_depth_max = 0; /* each device had its own */
	t->all.target = NULL;
	t->all.buffered = NULL;
	t->all.result = t->result;
	return 0;
}

void replay_totals__release(struct replay_totals *t)
{
	free(t->result);
}

json_t *replay_totals_json(const struct replay_totals *t)
{
	json_t *document = replay_outcome_json(&t->all), *maps;

	if (t->count == 1 || !document)
		return document;
	maps = json_array();
	for (unsigned int i = 0; i < t->count; i++) {
		struct replay_outcome job = t->jobs[i];
		json_t *map;

		job.trace_path = NULL;
		map = replay_outcome_json(&job);
		json_object_del(map, "schema");
		json_array_append_new(maps, map);
	}
	json_object_set_new(document, "maps", maps);
	return document;
}

int replay_totals_text(const struct replay_totals *t, FILE *out)
{
	int err = 0;

	for (unsigned int i = 0; i < t->count && t->count > 1 && !err; i++) {
		struct replay_outcome job = t->jobs[i];

		job.trace_path = NULL;
		err = replay_outcome_text(&job, out);
		fputc('\n', out);
	}
	return err ? err : replay_outcome_text(&t->all, out);
}
