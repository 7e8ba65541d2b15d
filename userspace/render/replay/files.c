// SPDX-License-Identifier: MIT
#include "render/replay/files.h"

#include <errno.h>

#include "base/units.h"
#include "render/replay/deviations.h"
#include "render/json.h"
#include "render/missing.h"
#include "render/latencies.h"

#define INDENT 2

static const char *const caches[] = {[FILE_CACHE_COLD] = "cold",
				     [FILE_CACHE_WARM] = "warm",
				     [FILE_CACHE_AS_RECORDED] = "as-recorded"};

static const char *mode_name(const struct file_replay_outcome *o)
{
	return o->options->timed ? "timed" : "asap";
}

/* JSON --------------------------------------------------------------------------------------- */

static json_t *ops_json(const struct file_replay_outcome *o)
{
	json_t *ops = json_object();

	for (unsigned int i = 0; i < ACCESS_OP_COUNT; i++) {
		const struct file_op_result *result = &o->result->ops[i];
		json_t *op;

		if (!result->count)
			continue;
		op = json_object();
		json_set_u64(op, "operations", result->count);
		json_set_u64(op, "failed", result->errors);
		json_set_u64(op, "bytes", result->bytes);
		if (o->options->timed)
			json_object_set_new(op, "latency_from_due_ns",
					    json_distribution(&result->intended_ns));
		json_object_set_new(op, "latency_from_submit_ns",
				    json_distribution(&result->submitted_ns));
		json_object_set_new(ops, access_op_name((enum access_op)i), op);
	}
	return ops;
}

static json_t *errors_json(const struct file_result *r)
{
	json_t *errors = json_array();

	for (unsigned int i = 0; i < r->error_kinds; i++) {
		json_t *error = json_object();

		json_set_text(error, "op", access_op_name((enum access_op)r->errors[i].op));
		json_set_u64(error, "errno", (uint64_t)r->errors[i].error);
		json_set_u64(error, "count", r->errors[i].count);
		json_array_append_new(errors, error);
	}
	return errors;
}

static json_t *pages_json(uint64_t hit_pages, uint64_t miss_pages)
{
	json_t *pages = json_object();

	json_set_u64(pages, "hit_pages", hit_pages);
	json_set_u64(pages, "miss_pages", miss_pages);
	return pages;
}

json_t *file_replay_json(const struct file_replay_outcome *o)
{
	const struct file_script *script = o->options->script;
	const struct file_result *r = o->result;
	json_t *document = json_document("replay_files");

	json_set_text(document, "source", o->source_path);
	json_object_set_new(document, "missing", render_missing_json(&o->missing, ROW_ACCESS));
	json_set_text(document, "folder", o->options->tree->path);
	json_set_text(document, "mode", mode_name(o));
	json_set_real(document, "speed", o->options->speed);
	json_set_text(document, "cache", caches[o->cache]);
	if (o->cache == FILE_CACHE_AS_RECORDED) {
		json_set_u64(document, "resident_pages", script->resident_pages);
		json_set_u64(document, "resident_guessed_pages", script->resident_guessed_pages);
	}
	if (r->cached_bytes == UINT64_MAX)
		json_object_set_new(document, "cached_at_start_bytes", json_null());
	else
		json_set_u64(document, "cached_at_start_bytes", r->cached_bytes);
	json_set_u64(document, "memory_bytes", o->memory_bytes);
	json_set_u64(document, "files", script->file_count);
	json_set_u64(document, "files_bytes", script->initial_bytes);
	json_set_u64(document, "files_written_bytes", o->options->tree->laid_bytes);
	json_set_u64(document, "tasks", script->tasks);
	json_set_u64(document, "threads", script->threads);
	json_set_u64(document, "operations", script->count);
	json_set_u64(document, "done", file_result__count(r));
	json_set_u64(document, "failed", file_result__errors(r));
	json_set_u64(document, "bytes", file_result__bytes(r));
	json_set_u64(document, "skipped_writes", script->left_out_writes);
	json_set_u64(document, "skipped_others", script->left_out_others);
	json_set_u64(document, "opened_without_direct", r->not_direct);
	json_set_u64(document, "files_reopened", r->reopened_files);
	json_set_u64(document, "duration_ns", r->duration_ns);
	json_set_u64(document, "intended_duration_ns", r->last_due_ns);
	json_set_u64(document, "runtime_ns", o->options->runtime_ns);
	json_set_bool(document, "runtime_over", r->runtime_over);
	json_set_bool(document, "stopped", r->stopped || r->stopped_at_error);
	if (o->options->timed)
		json_object_set_new(document, "lateness_ns", json_distribution(&r->lateness_ns));
	json_object_set_new(document, "ops", ops_json(o));
	json_object_set_new(document, "errors", errors_json(r));
	json_set_u64(document, "errors_of_other_kinds", r->errors_of_other_kinds);
	json_object_set_new(document, "recorded",
			    script->is_generated
				    ? json_null()
				    : pages_json(script->hit_pages, script->miss_pages));
	if (o->trace_path) {
		json_set_text(document, "trace", o->trace_path);
		json_object_set_new(document, "replayed", pages_json(o->hit_pages, o->miss_pages));
	}
	return document;
}

/* Text --------------------------------------------------------------------------------------- */

static void cache_at_start(const struct file_replay_outcome *o, FILE *out)
{
	const struct file_script *script = o->options->script;
	char text[UNITS_TEXT_MAX];

	fprintf(out, "  cache      %s at the start: ", caches[o->cache]);
	if (o->cache == FILE_CACHE_AS_RECORDED) {
		fprintf(out, "%s %s read, ", COUNTED_TEXT(script->resident_pages, "page"),
			script->resident_pages == 1 ? "was" : "were");
		if (script->resident_guessed_pages)
			fprintf(out, "%s of them by guess, ",
				units_count(script->resident_guessed_pages, text));
	}
	if (o->result->cached_bytes == UINT64_MAX)
		fprintf(out, "what is there the kernel does not tell\n");
	else
		fprintf(out, "%s of the files in it\n", units_bytes(o->result->cached_bytes, text));
}

static void heading(const struct file_replay_outcome *o, FILE *out)
{
	const struct file_script *script = o->options->script;
	char text[3][UNITS_TEXT_MAX];

	text_printf(out, "Replay of %s on the files in %s\n\n", o->source_path,
		    o->options->tree->path);
	fprintf(out, "  mode       %s", mode_name(o));
	if (o->options->timed)
		fprintf(out, " at %gx the recorded speed", o->options->speed);
	fprintf(out, ", %s for %s\n", COUNTED_TEXT(script->threads, "thread"),
		COUNTED_TEXT(script->tasks, "task"));
	fprintf(out, "  files      %s, %s, of which %s were written for it\n",
		units_count(script->file_count, text[0]),
		units_bytes(script->initial_bytes, text[1]),
		units_bytes(o->options->tree->laid_bytes, text[2]));
	cache_at_start(o, out);
	if (o->memory_bytes)
		fprintf(out, "  memory     limited to %s\n", units_bytes(o->memory_bytes, text[0]));
}

static void moved(const struct file_result *r, FILE *out)
{
	char text[UNITS_TEXT_MAX];
	const char *before = "  moved      ";

	for (unsigned int op = 0; op < ACCESS_OP_COUNT; op++) {
		if (!r->ops[op].bytes)
			continue;
		fprintf(out, "%s%s by %s", before, units_bytes(r->ops[op].bytes, text),
			access_op_name((enum access_op)op));
		before = ", ";
	}
	if (file_result__bytes(r))
		fputc('\n', out);
}

static void totals(const struct file_replay_outcome *o, FILE *out)
{
	const struct file_script *script = o->options->script;
	const struct file_result *r = o->result;
	char text[3][UNITS_TEXT_MAX];

	fprintf(out, "  operations %s of %s done, %s failed%s\n",
		units_count(file_result__count(r), text[0]), units_count(script->count, text[1]),
		units_count(file_result__errors(r), text[2]),
		r->stopped || r->stopped_at_error ? "; stopped before the end"
		: r->runtime_over		  ? "; ended by --runtime"
						  : "");
	moved(r, out);
	fprintf(out, "  time       %s, %s %s\n", units_time(r->duration_ns, text[0]),
		o->options->timed ? "intended" : "in the source",
		units_time(r->last_due_ns, text[1]));
	if (!script->is_generated)
		fprintf(out, "  recorded   %s hit, %s missed\n",
			COUNTED_TEXT(script->hit_pages, "page"),
			units_count(script->miss_pages, text[1]));
	if (o->trace_path)
		fprintf(out, "  replayed   %s hit, %s missed\n", COUNTED_TEXT(o->hit_pages, "page"),
			units_count(o->miss_pages, text[1]));
}

static int distributions(const struct file_replay_outcome *o, FILE *out)
{
	struct table *table = latencies__new("ops");
	int err;

	if (!table)
		return -ENOMEM;
	latencies__row(table, "lateness", "due", &o->result->lateness_ns);
	for (unsigned int op = 0; op < ACCESS_OP_COUNT; op++) {
		const struct file_op_result *result = &o->result->ops[op];
		const char *name = access_op_name((enum access_op)op);

		latencies__row(table, name, "due", &result->intended_ns);
		latencies__row(table, name, "submit", &result->submitted_ns);
	}
	fputc('\n', out);
	err = table__print(table, out, INDENT);
	table__free(table);
	return err;
}

/* How the replay differed from the recording. */
static void deviations(const struct file_replay_outcome *o, FILE *out)
{
	const struct file_script *script = o->options->script;
	const struct file_result *r = o->result;

	if (!script->left_out_writes && !script->left_out_others && !r->not_direct &&
	    !r->reopened_files && !r->error_kinds && !missing_rows__lost(&o->missing, ROW_ACCESS))
		return;
	fprintf(out, "\nNot as recorded:\n");
	deviation_counted(out, missing_rows__lost(&o->missing, ROW_ACCESS), "operation",
			  "missing: lost when recorded");
	deviation_counted(out, script->left_out_writes, "operation",
			  "left out: they change files, and --write was not given");
	deviation_counted(out, script->left_out_others, "operation",
			  "left out: not of a regular file that is known");
	deviation_counted(out, r->not_direct, "file",
			  "opened without O_DIRECT: the file system has none, the cache was used");
	deviation_counted(out, r->reopened_files, "file",
			  "opened again (readahead began anew): a task had more than 32 at a time");
	for (unsigned int i = 0; i < r->error_kinds; i++)
		deviation_failed(out, r->errors[i].count,
				 access_op_name((enum access_op)r->errors[i].op),
				 r->errors[i].error);
	deviation_counted(out, r->errors_of_other_kinds, "operation", "failed in other ways");
}

int file_replay_text(const struct file_replay_outcome *o, FILE *out)
{
	int err;

	heading(o, out);
	totals(o, out);
	err = distributions(o, out);
	deviations(o, out);
	if (o->trace_path)
		text_printf(out, "\nRecorded into %s: see 'blkreel explain %s'.\n", o->trace_path,
			    o->trace_path);
	return err;
}
