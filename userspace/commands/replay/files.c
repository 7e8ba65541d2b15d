// SPDX-License-Identifier: MIT
#include "commands/replay/files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/exit_codes.h"
#include "base/log.h"
#include "base/units.h"
#include "commands/replay/record.h"
#include "commands/shared/command.h"
#include "render/json.h"
#include "render/replay/files.h"
#include "replay/engine/options.h"
#include "replay/session/child.h"
#include "replay/session/files_profile.h"
#include "replay/session/trace_file.h"
#include "replay/target/page_cache.h"

struct session {
	const struct replay_config *config;
	struct file_script script;
	struct file_tree tree;
	struct memory_group group;
	struct replay_child child;
	struct recording *recording;
	bool played; /* the child has a result, whatever became of the recording */
	bool torn;   /* the trace was cut */
	struct missing_rows missing;
};

static int load_failed(const char *path, const struct trace_reader *reader, int err,
		       const char *message, struct failure *failure)
{
	if (err == -ENODATA && trace_reader__end(reader) == TRACE_END_TORN)
		return failure_add(failure, EXIT_BAD_INPUT, "%s: %s, but it has %s", path,
				   trace_reader__end_message(reader), message);
	return failure_add(failure,
			   err == -ENODATA || err == -EINVAL ? EXIT_BAD_INPUT : EXIT_FAILED,
			   "%s: %s", path, message);
}

/* Reads what is to be replayed, and checks it, before anything is written. */
static int load(struct session *s, const char *path, const struct replay_window *window,
		struct failure *failure)
{
	const struct replay_options *o = &s->config->options;
	char message[FILE_SCRIPT_MESSAGE_MAX];
	struct profile_files files = {0};
	struct trace_reader *reader;
	int err;

	if (replay_files_source(path, o->seed, &reader, &files, failure))
		return -1;
	if (files.class_count && s->script.find_resident) {
		trace_reader__free(reader);
		return failure_add(failure, EXIT_BAD_INPUT,
				   "%s: a profile does not say what was in the cache: --cache "
				   "as-recorded needs a trace",
				   path);
	}
	err = file_script__load(&s->script, reader, window, o->write, message);
	if (!err)
		file_script__enlarge(&s->script, &files);
	err = *message ? load_failed(path, reader, err, message, failure)
		       : replay_trace_finish(path, reader, err, &s->torn, failure);
	if (!err && !files.class_count)
		err = replay_trace_missing(path, reader, window, ROW_ACCESS, &s->missing, failure);
	trace_reader__free(reader);
	return err;
}

static int prepare_failed(int err, const char *message, struct failure *failure)
{
	bool refused = err == -EEXIST || err == -ENOSPC || err == -EROFS || err == -ELOOP ||
		       err == -ENOTDIR;

	if (refused)
		return failure_add(failure, EXIT_REFUSED, "refused: %s", message);
	return failure_add(failure, err == -EPERM || err == -EACCES ? EXIT_PRIVILEGE : EXIT_FAILED,
			   "%s", message);
}

/*
 * Checks first whether there can be a control group, but creates it last: laying out can take long,
 * and must not keep a group when it is interrupted.
 */
static int prepare(struct session *s, struct failure *failure)
{
	uint64_t limit_bytes = s->config->options.memory_bytes;
	char message[FILE_TREE_MESSAGE_MAX];
	int err = 0;

	if (limit_bytes)
		err = memory_group__create(&s->group, limit_bytes, message);
	memory_group__remove(&s->group);
	if (!err)
		err = file_tree__open(&s->tree, s->config->files, &s->script, message);
	if (!err)
		err = file_tree__lay_out(&s->tree, &s->script, message);
	if (!err && s->child.cache != FILE_CACHE_WARM && page_cache__is_the_disk(s->tree.folder))
		pr_warn("%s lies in memory itself (tmpfs): its files cannot be cold; name a "
			"directory on a disk",
			s->config->files);
	if (!err && limit_bytes)
		err = memory_group__create(&s->group, limit_bytes, message);
	return err ? prepare_failed(err, message, failure) : 0;
}

/* Counts what the replay's own threads found in the cache, from the recording of the replay. */
static int count_cached(const char *path, pid_t pid, struct file_replay_outcome *o,
			struct failure *failure)
{
	struct trace_reader *reader;
	struct row_block block;
	bool torn = false;
	int err;

	if (replay_trace_open(path, &reader, failure))
		return -1;
	while ((err = trace_reader__next(reader, 1u << ROW_ACCESS, &block)) > 0) {
		for (uint32_t i = 0; i < block.rows; i++) {
			const struct access_row *row = &block.access[i];
			const struct trace_task *task = trace_reader__task(reader, row->task);

			if (!task || task->tgid != (uint32_t)pid || !access_row_is_cached(row))
				continue;
			o->hit_pages += row->hit_pages;
			o->miss_pages += row->miss_pages;
		}
	}
	err = replay_trace_finish(path, reader, err, &torn, failure);
	trace_reader__free(reader);
	return torn ? failure_add_code(failure, EXIT_INCOMPLETE) : err;
}

static int print_outcome(const struct session *s, const struct file_replay_outcome *o,
			 struct failure *failure)
{
	int err = s->config->json ? json_print(stdout, file_replay_json(o))
				  : file_replay_text(o, stdout);
	int code;

	if (err == -ENOMEM)
		return failure_add(failure, EXIT_FAILED, "cannot print the outcome: no memory");
	code = cmd_flush_stdout();
	return code ? failure_add_code(failure, code) : 0;
}

/* What a replay that came to its end says by its exit code. */
static int judge(const struct session *s, struct failure *failure)
{
	const struct file_result *result = s->child.result;
	uint64_t errors = file_result__errors(result);

	if (result->stopped)
		return failure_add_code(failure, 128 + result->stopped);
	if (errors) {
		pr_warn("%s failed; the rest was %sreplayed", COUNTED_TEXT(errors, "operation"),
			result->stopped_at_error ? "not " : "");
		return failure_add_code(failure, EXIT_FAILED);
	}
	return s->torn ? failure_add_code(failure, EXIT_INCOMPLETE) : 0;
}

/* The process is started before the recording, because fork(2) does not take the recording's threads along. */
static int play(struct session *s, struct file_player_options *options, struct failure *failure)
{
	const char *output = s->config->options.output;
	int err = replay_child_start(&s->child, options, failure);

	if (err)
		return err;
	if (output)
		err = replay_record_start_files(output, s->config->files, s->tree.device,
						&s->recording, failure);
	err |= replay_child_run(&s->child, !err, failure);
	s->played = !err;
	err |= replay_record_stop(s->recording, output, failure);
	return err;
}

static int play_and_print(struct session *s, const char *path, struct failure *failure)
{
	const struct replay_options *o = &s->config->options;
	struct file_player_options options = {.script = &s->script,
					      .tree = &s->tree,
					      .timed = o->mode == ENGINE_TIMED,
					      .write = o->write,
					      .stop_at_error = o->on_error == REPLAY_ON_ERROR_STOP,
					      .speed = o->speed,
					      .runtime_ns = o->runtime_ns};
	struct file_replay_outcome outcome = {.source_path = path,
					      .options = &options,
					      .missing = s->missing,
					      .cache = s->child.cache,
					      .memory_bytes = o->memory_bytes};
	int err = play(s, &options, failure);

	if (!err && o->output)
		err = count_cached(o->output, s->child.pid, &outcome, failure);
	if (!s->played)
		return err;
	if (!err)
		outcome.trace_path = o->output;
	outcome.result = s->child.result;
	err |= print_outcome(s, &outcome, failure);
	return err ? err : judge(s, failure);
}

int replay_files(const struct replay_config *config, const char *path,
		 const struct replay_window *window, struct failure *failure)
{
	struct session s = {.config = config, .tree.folder = -1, .child = {.group = &s.group}};
	int err, remove_err;

	if (config->options.cache != REPLAY_NOT_GIVEN)
		s.child.cache = config->options.cache;
	s.script.find_resident = s.child.cache == FILE_CACHE_AS_RECORDED;
	err = load(&s, path, window, failure);
	if (!err)
		err = prepare(&s, failure);
	if (!err)
		err = play_and_print(&s, path, failure);
	remove_err = memory_group__remove(&s.group);
	if (remove_err)
		pr_warn("the control group of --memory could not be removed: %s",
			strerror(-remove_err));
	replay_child_end(&s.child);
	file_tree__close(&s.tree);
	file_script__release(&s.script);
	return err;
}
