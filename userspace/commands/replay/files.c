// SPDX-License-Identifier: MIT
#include "base/units.h"
#include "commands/replay/files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "commands/shared/command.h"
#include "commands/replay/child.h"
#include "commands/replay/files_profile.h"
#include "commands/replay/record.h"
#include "render/replay/files.h"
#include "render/json.h"
#include "replay/engine/engine.h"
#include "replay/target/page_cache.h"

#define MEMORY_MIN_BYTES (16ull << 20)

struct session {
	const struct replay_config *config;
	struct file_script script;
	struct file_tree tree;
	struct memory_group group;
	struct replay_child child;
	struct recording *recording;
	int torn; /* EXIT_INCOMPLETE, or 0 */
};

const char *replay_files_usage(const struct replay_config *config)
{
	static const char others[] =
		"--files goes with --cache, --memory, --mode, --speed, --from, --to, --duration, "
		"--on-error, --write, --output and --json, and with nothing else";
	const struct replay_content_words *content = &config->content;

	if (!config->files)
		return NULL;
	if (config->buffered)
		return "--files goes through the page cache in any case: leave --buffered out";
	if (config->target || config->map.count || config->source || config->spin ||
	    config->priority || config->sqpoll || config->iopoll || config->iodepth ||
	    config->batch || config->fit != FIT_NOT_SAID || config->rounds > 1 || config->ramp_ns ||
	    config->series || config->until_steady || config->start_epoch_s > 0 ||
	    config->reads_only || config->yes_destroy.count || config->force.count ||
	    config->create_bytes || config->unsupported || content->compressible_pct ||
	    content->dedup_pct != REPLAY_CONTENT_NOT_SAID || config->stamp.stamp ||
	    config->stamp.verify || config->stamp.after_crash)
		return others;
	if (config->mode != ENGINE_TIMED && config->mode != ENGINE_ASAP)
		return "--files: the mode is timed or asap";
	if (config->memory_bytes && config->memory_bytes < MEMORY_MIN_BYTES)
		return "--memory: at least 16M, of which the replay itself needs a part";
	return NULL;
}

static int failed(int err, const char *message)
{
	bool refused = err == -EEXIST || err == -ENOSPC || err == -EROFS || err == -ELOOP ||
		       err == -ENOTDIR;

	pr_err("%s%s", refused ? "refused: " : "", message);
	if (refused)
		return EXIT_REFUSED;
	return err == -EPERM || err == -EACCES ? EXIT_PRIVILEGE : EXIT_FAILED;
}

/* Before anything is written: what is asked for, and whether it is plausible. */
static int load(struct session *s, const char *path, const struct replay_window *window)
{
	char message[FILE_SCRIPT_MESSAGE_MAX];
	struct trace_reader *reader;
	struct profile_files files = {0};
	int code = replay_files_source(path, s->config->seed, &reader, &files), err;

	if (code)
		return code;
	if (files.class_count && s->script.find_resident) {
		pr_err("%s: a profile does not say what was in the cache: --cache as-recorded needs a "
		       "trace",
		       path);
		trace_reader__free(reader);
		return EXIT_BAD_INPUT;
	}
	err = file_script__load(&s->script, reader, window, s->config->write, message);
	if (!err)
		file_script__enlarge(&s->script, &files);
	if (err == -ENODATA && trace_reader__end(reader) == TRACE_END_TORN) {
		pr_err("%s: %s, but it has %s", path, trace_reader__end_message(reader), message);
		code = EXIT_BAD_INPUT;
	} else if (*message) {
		pr_err("%s: %s", path, message);
		code = err == -ENODATA || err == -EINVAL ? EXIT_BAD_INPUT : EXIT_FAILED;
	} else {
		code = cmd_trace_finish(path, reader, err);
	}
	trace_reader__free(reader);
	if (code != EXIT_INCOMPLETE)
		return code;
	s->torn = code;
	return EXIT_OK;
}

/* Whether there can be a group is known first; it is made last, since to lay out can take long, and who
 * interrupts that leaves none behind. */
static int prepare(struct session *s)
{
	char message[FILE_TREE_MESSAGE_MAX];
	uint64_t limit_bytes = s->config->memory_bytes;
	int err = 0;

	if (limit_bytes)
		err = memory_group__create(&s->group, limit_bytes, message);
	memory_group__remove(&s->group);
	if (!err)
		err = file_tree__open(&s->tree, s->config->files, &s->script, message);
	if (!err)
		err = file_tree__lay_out(&s->tree, &s->script, message);
	if (!err && s->child.cache != FILE_CACHE_WARM && page_cache__is_the_disk(s->tree.folder))
		pr_warn("%s lies in memory itself (tmpfs): its files cannot be cold; name a folder "
			"on a disk",
			s->config->files);
	if (!err && limit_bytes)
		err = memory_group__create(&s->group, limit_bytes, message);
	return err ? failed(err, message) : EXIT_OK;
}

/* What the replay's own threads found in the cache, as the recording of the replay says. */
static int count_replayed(const char *path, pid_t pid, struct file_replay_outcome *o)
{
	struct trace_reader *reader;
	struct row_block block;
	int code = cmd_trace_open(path, &reader), err;

	if (code)
		return code;
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
	code = cmd_trace_finish(path, reader, err);
	trace_reader__free(reader);
	return code;
}

static int print_outcome(const struct session *s, const struct file_replay_outcome *o)
{
	int err = s->config->json ? json_print(stdout, file_replay_json(o))
				  : file_replay_text(o, stdout);

	if (err == -ENOMEM)
		pr_err("cannot print the outcome: no memory");
	return err == -ENOMEM ? EXIT_FAILED : cmd_flush_stdout();
}

static int outcome_code(const struct session *s)
{
	uint64_t errors = file_result__errors(s->child.result);

	if (s->child.result->stopped)
		return 128 + s->child.result->stopped;
	if (!errors)
		return s->torn;
	pr_warn("%s failed; the rest was %sreplayed", COUNTED_TEXT(errors, "operation"),
		s->child.result->stopped_at_error ? "not " : "");
	return EXIT_FAILED;
}

/* The process is started before the recording, whose threads a fork would not take along. */
static int play(struct session *s, struct file_player_options *options)
{
	const struct replay_config *config = s->config;
	int code = replay_child_start(&s->child, options), stop_code;

	if (code)
		return code;
	if (config->output)
		code = replay_record_start_files(config->output, config->files, s->tree.device,
						 &s->recording);
	stop_code = replay_child_run(&s->child, !code);
	code = code ? code : stop_code;
	stop_code = replay_record_stop(s->recording, config->output);
	return code ? code : stop_code;
}

static int play_and_print(struct session *s, const char *path)
{
	const struct replay_config *config = s->config;
	struct file_player_options options = {.script = &s->script,
					      .tree = &s->tree,
					      .timed = config->mode == ENGINE_TIMED,
					      .write = config->write,
					      .stop_at_error = config->on_error,
					      .speed = config->speed};
	struct file_replay_outcome outcome = {.source_path = path,
					      .options = &options,
					      .cache = s->child.cache,
					      .memory_bytes = config->memory_bytes,
					      .trace_path = config->output};
	int code = play(s, &options);

	if (!code && config->output)
		code = count_replayed(config->output, s->child.pid, &outcome);
	if (code)
		return code;
	outcome.result = s->child.result;
	code = print_outcome(s, &outcome);
	return code ? code : outcome_code(s);
}

int replay_files(const struct replay_config *config, const char *path,
		 const struct replay_window *window)
{
	struct session s = {.config = config, .tree.folder = -1, .child = {.group = &s.group}};
	int code, err;

	if (config->cache != CACHE_NOT_SAID)
		s.child.cache = config->cache;
	s.script.find_resident = s.child.cache == FILE_CACHE_AS_RECORDED;
	code = load(&s, path, window);
	if (!code)
		code = prepare(&s);
	if (!code)
		code = play_and_print(&s, path);
	err = memory_group__remove(&s.group);
	if (err)
		pr_warn("the control group of --memory could not be removed: %s", strerror(-err));
	replay_child_end(&s.child);
	file_tree__close(&s.tree);
	file_script__release(&s.script);
	return code;
}
