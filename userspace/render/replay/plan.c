// SPDX-License-Identifier: MIT
#include "render/replay/plan.h"

#include "base/units.h"
#include "render/json.h"
#include "render/replay/replay.h"
#include "render/table.h"

/* The op that is issued for one of the source; NULL: it is left out. */
static const char *becomes(const struct replay_job *job, unsigned int op)
{
	const struct mapping_options *mapping = &job->plan.mapping;

	if (mapping->skipped_ops & 1u << op)
		return NULL;
	return replay_op_name(mapping->instead[op] ? mapping->instead[op] : op);
}

/* JSON --------------------------------------------------------------------------------------- */

static json_t *ops_json(const struct replay_job *job)
{
	const struct replay_survey *survey = &job->input->survey;
	json_t *ops = json_array();

	for (unsigned int op = 0; op < REPLAY_OP_COUNT; op++) {
		json_t *entry;

		if (!survey->ops[op])
			continue;
		entry = json_object();
		json_set_text(entry, "op", replay_op_name(op));
		json_set_u64(entry, "ios", survey->ops[op]);
		json_set_u64(entry, "bytes", survey->bytes[op]);
		if (becomes(job, op))
			json_set_text(entry, "becomes", becomes(job, op));
		else
			json_object_set_new(entry, "becomes", json_null());
		json_array_append_new(ops, entry);
	}
	return ops;
}

static json_t *plan_json(const struct replay_plan *p)
{
	const struct replay_job *job = p->job;
	const struct target_info *info = target__info(job->target);
	json_t *plan = json_object(), *source = json_object();

	json_set_text(source, "path", job->input->path);
	json_set_text(source, "device", job->input->device_name);
	json_set_u64(source, "ios", job->input->survey.ios);
	json_set_u64(source, "last_due_ns", job->input->survey.last_due_ns);
	json_set_u64(source, "rounds", p->rounds);
	json_object_set_new(plan, "source", source);
	json_object_set_new(plan, "target", replay_target_json(info));
	json_object_set_new(plan, "ops", ops_json(job));
	json_set_text(plan, "fit", replay_fit_name(job->plan.mapping.fit));
	json_set_bool(plan, "writes", info->writes);
	json_set_bool(plan, "holds_data", info->holds_data);
	json_set_text(plan, "contents", info->contents);
	json_set_bool(plan, "needs_confirmation", p->needs_confirmation);
	return plan;
}

json_t *replay_plans_json(const struct replay_plan *plans, unsigned int count)
{
	json_t *document = json_document("replay_plan"), *list = json_array();

	for (unsigned int i = 0; i < count; i++)
		json_array_append_new(list, plan_json(&plans[i]));
	json_object_set_new(document, "jobs", list);
	return document;
}

/* Text --------------------------------------------------------------------------------------- */

static void ops_text(const struct replay_job *job, FILE *out)
{
	const struct replay_survey *survey = &job->input->survey;
	char ios[UNITS_TEXT_MAX], bytes[UNITS_TEXT_MAX];
	const char *before = "  IOs       ";

	for (unsigned int op = 0; op < REPLAY_OP_COUNT; op++) {
		const char *issued = becomes(job, op);

		if (!survey->ops[op])
			continue;
		fprintf(out, "%s%s %s (%s)", before, units_count(survey->ops[op], ios),
			replay_op_name(op), units_bytes(survey->bytes[op], bytes));
		if (!issued)
			fprintf(out, ", left out");
		else if (job->plan.mapping.instead[op])
			fprintf(out, ", emulated by %s", issued);
		fputc('\n', out);
		before = "            ";
	}
}

static void data_text(const struct replay_plan *p, FILE *out)
{
	const struct target_info *info = target__info(p->job->target);

	if (!info->writes) {
		fprintf(out, "  data      stay as they are: the replay only reads\n");
		return;
	}
	if (!info->contents[0] && !info->block_device && !info->holds_data)
		fprintf(out, "  data      nothing to overwrite: the file holds no data\n");
	else
		text_printf(out, "  data      will be overwritten: %s\n",
			    info->contents[0]	 ? info->contents
			    : info->block_device ? "the device has no signature"
						 : "the file holds data that no replay wrote");
	if (p->needs_confirmation)
		text_printf(out, "  confirm   with --yes-destroy=%s, or on a terminal\n",
			    info->path);
}

static void plan_text(const struct replay_plan *p, FILE *out)
{
	const struct replay_job *job = p->job;
	const struct replay_survey *survey = &job->input->survey;
	const struct target_info *info = target__info(job->target);
	char time[UNITS_TEXT_MAX];

	text_printf(out, "Dry run of %s (%s) onto %s%s%s: nothing was written\n\n",
		    job->input->path, job->input->device_name, info->path,
		    info->model[0] ? ", " : "", info->model);
	replay_target_text(info, out);
	fprintf(out, "  source    %s in %s", COUNTED_TEXT(survey->ios, "IO"),
		units_time(survey->last_due_ns, time));
	if (p->rounds > 1)
		fprintf(out, ", %s over", COUNTED_TEXT(p->rounds, "time"));
	if (job->plan.mapping.fit != REPLAY_FIT_NONE)
		fprintf(out, ", --fit %s", replay_fit_name(job->plan.mapping.fit));
	fputc('\n', out);
	ops_text(job, out);
	data_text(p, out);
}

void replay_plans_text(const struct replay_plan *plans, unsigned int count, FILE *out)
{
	for (unsigned int i = 0; i < count; i++) {
		if (i)
			fputc('\n', out);
		plan_text(&plans[i], out);
	}
}
