// SPDX-License-Identifier: MIT
#include "commands/shared/stream.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"
#include "commands/shared/command.h"
#include "commands/shared/explained_trace.h"
#include "commands/shared/twice.h"
#include "commands/shared/wall_time.h"
#include "render/when.h"

_Static_assert(OPTION_LIST_MAX <= TRACE_FILTER_NAMES_MAX, "what can be typed can be asked for");

static int parse_ops(const struct command_usage *usage, const struct option_list *ops,
		     uint32_t *bits)
{
	*bits = 0;
	for (unsigned int i = 0; i < ops->count; i++) {
		int op = io_op_from_name(ops->items[i]);

		if (op < 0)
			return options_usage_error(
				usage,
				"--op takes an operation such as read, write, flush or discard, "
				"not '%s'",
				ops->items[i]);
		*bits |= 1u << op;
	}
	return EXIT_OK;
}

/* From the start of the earliest trace that tells its wall time to the end of the last one. */
static int wall_span_of(const struct cmd_stream *s, struct wall_span *span)
{
	*span = (struct wall_span){0};
	for (unsigned int i = 0; i < s->count; i++) {
		uint64_t wall_ns = trace_reader__host(s->readers[i])->start_wall_ns;

		if (wall_ns && (!span->start_ns || wall_ns < span->start_ns))
			span->start_ns = wall_ns;
	}
	for (unsigned int i = 0; i < s->count; i++) {
		uint64_t wall_ns = trace_reader__host(s->readers[i])->start_wall_ns, length_ns = 0;
		int code = cmd_trace_duration(s->paths[i], &length_ns);

		if (code)
			return code;
		if (!length_ns) {
			span->length_ns = 0;
			return EXIT_OK;
		}
		length_ns += wall_ns ? wall_ns - span->start_ns : 0;
		if (length_ns > span->length_ns)
			span->length_ns = length_ns;
	}
	return EXIT_OK;
}

static int set_wall_times(const struct command_usage *usage, struct cmd_stream *s)
{
	const struct stream_options *o = s->options;
	struct wall_span span;
	int code = EXIT_OK;

	if (wall_time_given(o->from) || wall_time_given(o->to)) {
		code = wall_span_of(s, &span);
		if (!code)
			code = wall_time_options_set(
				usage, s->count > 1 ? "the traces" : s->paths[0], &span, o->from,
				&s->filter.from_ns, o->to, &s->filter.to_ns);
	}
	if (!code && s->filter.from_ns >= s->filter.to_ns)
		code = options_usage_error(usage, "--from must be before --to");
	return code;
}

int cmd_stream_filter(const struct command_usage *usage, struct stream_options *options,
		      struct trace_filter *filter)
{
	uint64_t from_ns = 0, to_ns = UINT64_MAX;

	if (wall_time_option_check(usage, "from", options->from, &from_ns) ||
	    wall_time_option_check(usage, "to", options->to, &to_ns))
		return EXIT_USAGE;
	if (from_ns >= to_ns)
		return options_usage_error(usage, "--from must be before --to");
	for (unsigned int i = 0; i < options->device.count; i++)
		if (!strncmp(options->device.items[i], "/dev/", 5))
			options->device.items[i] += 5;
	*filter = (struct trace_filter){
		.devices = options->device.items,
		.device_count = options->device.count,
		.tasks = options->task.items,
		.task_count = options->task.count,
		.from_ns = from_ns,
		.to_ns = to_ns,
	};
	return parse_ops(usage, &options->op, &filter->ops);
}

int cmd_stream_open(const struct command_usage *usage, struct cmd_stream *s, unsigned int kinds)
{
	int code;

	for (unsigned int i = 0; i < s->count; i++) {
		code = cmd_trace_open(s->paths[i], &s->readers[i]);
		if (code)
			return code;
	}
	code = set_wall_times(usage, s);
	if (code)
		return code;
	if (!trace_stream__new(s->readers, s->count, kinds, &s->filter, &s->stream))
		return EXIT_OK;
	pr_err("%s", strerror(ENOMEM));
	return EXIT_FAILED;
}

void cmd_stream_close(struct cmd_stream *s)
{
	trace_stream__free(s->stream);
	for (unsigned int i = 0; i < s->count; i++)
		trace_reader__free(s->readers[i]);
}

static int check_names(const struct command_usage *usage, const struct cmd_stream *s)
{
	const char *which = s->count > 1 ? "none of the traces" : s->paths[0];

	for (unsigned int i = 0; i < s->filter.task_count; i++)
		if (!trace_stream__knows_task(s->stream, i))
			pr_warn("%s has %s task '%s'", which, s->count > 1 ? "a" : "no",
				s->filter.tasks[i]);
	for (unsigned int i = 0; i < s->filter.device_count; i++)
		if (!trace_stream__knows_device(s->stream, i))
			return options_usage_error(usage,
						   "%s has %s device '%s'; 'blkreel info' lists "
						   "what a trace has",
						   which, s->count > 1 ? "a" : "no",
						   s->filter.devices[i]);
	return EXIT_OK;
}

/* From the start to the end of the last trace; UINT64_MAX: a trace does not tell its end. */
static uint64_t duration_ns(const struct cmd_stream *s)
{
	uint64_t end_ns = trace_stream__start_ns(s->stream);

	for (unsigned int i = 0; i < s->count; i++) {
		const struct trace_summary *summary = trace_reader__summary(s->readers[i]);
		uint64_t stop_ns = summary ? trace_stream__time_ns(s->stream, i, summary->stop_ns)
					   : UINT64_MAX;

		if (stop_ns > end_ns)
			end_ns = stop_ns;
	}
	return end_ns == UINT64_MAX ? end_ns : end_ns - trace_stream__start_ns(s->stream);
}

static int check_window(const struct command_usage *usage, const struct cmd_stream *s)
{
	uint64_t lasts_ns = duration_ns(s);

	if (s->filter.from_ns <= lasts_ns || trace_stream__has_rows(s->stream))
		return EXIT_OK;
	return options_usage_error(usage, "--from %s is after the end: %s %s %s",
				   TIME_TEXT(s->filter.from_ns),
				   s->count > 1 ? "the traces" : s->paths[0],
				   s->count > 1 ? "last" : "lasts", TIME_TEXT(lasts_ns));
}

/* A time of day is the start's plus a time of the recording. */
static void check_clocks(const struct cmd_stream *s)
{
	char warning[WHEN_WARNING_MAX];

	if (!s->options->from && !s->options->to)
		return;
	for (unsigned int i = 0; i < s->count; i++)
		if (*when_clock_warning(trace_reader__host(s->readers[i]),
					trace_reader__summary(s->readers[i]), warning))
			pr_warn("%s: %s", s->paths[i], warning);
}

int cmd_stream_finish(const struct command_usage *usage, const struct cmd_stream *s)
{
	static const int by_weight[] = {EXIT_FAILED, EXIT_BAD_INPUT, EXIT_INCOMPLETE};
	bool seen[EXIT_INCOMPLETE + 1] = {false};

	cmd_tell_twice(s->stream, s->paths);
	for (unsigned int i = 0; i < s->count; i++)
		seen[cmd_trace_finish(s->paths[i], s->readers[i],
				      trace_stream__error(s->stream, i))] = true;
	for (unsigned int i = 0; i < sizeof(by_weight) / sizeof(by_weight[0]); i++)
		if (seen[by_weight[i]])
			return by_weight[i];
	check_clocks(s);
	return check_names(usage, s) ?: check_window(usage, s);
}
