// SPDX-License-Identifier: MIT
/* blkreel info: what is inside a trace, and whether it is whole. */
#include <stddef.h>
#include <stdio.h>

#include "base/log.h"
#include "commands/shared/command.h"
#include "render/info/info.h"

struct config {
	bool json;
	bool verify;
};

static const struct option_def option_defs[] = {
	{.name = "verify",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct config, verify),
	 .help = "check index, ids and times too"},
	{.name = "json",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct config, json),
	 .help = "print JSON"},
	{0},
};

static const struct command_usage usage = {
	.name = "info",
	.synopsis = "[OPTIONS] FILE",
	.summary =
		"Says what a trace holds: when, where and how it was recorded, rows, devices,\n"
		"how each figure was got and what that is worth, and everything that was lost.\n"
		"The whole file is read, so that exit code 0 also means that it is undamaged.\n"
		"--verify reads it once more and checks what reading does not need: that index,\n"
		"end mark and blocks agree; ids without an entry and times out of order are\n"
		"counted.",
	.options = option_defs,
};

/* EXIT_BAD_INPUT when the file contradicts itself although every checksum is right. */
static int finish_verify(const char *path, const struct trace_verification *v)
{
	if (!v->problem_count)
		return EXIT_OK;
	pr_err("%s: %s%s", path, v->problems[0],
	       v->problem_count > 1 ? " (and more, see above)" : "");
	return EXIT_BAD_INPUT;
}

static int info(const char *path, struct trace_reader *reader, const struct config *config)
{
	struct trace_contents contents = {.path = path, .reader = reader};
	struct trace_verification verification;
	int err = trace_contents__read(&contents, reader), verify_err, code;
	const char *message;

	if (config->verify) {
		verify_err = trace_verify(path, &verification, &message);
		if (verify_err)
			return cmd_open_error(path, verify_err, message);
		contents.verified = &verification;
	}
	if (!config->json)
		render_info_text(stdout, &contents);
	else if (render_info_json(stdout, &contents))
		return cmd_flush_stdout();
	code = cmd_flush_stdout();
	if (!code)
		code = cmd_trace_finish(path, reader, err);
	return code || !config->verify ? code : finish_verify(path, &verification);
}

int cmd_info(int argc, char **argv)
{
	struct config config = {0};
	struct trace_reader *reader;
	int operand, code;

	if (!cmd_options(&usage, argc, argv, &config, &operand, NULL, &code))
		return code;
	if (operand != argc - 1)
		return options_usage_error(&usage, "takes one trace");
	code = cmd_trace_open(argv[operand], &reader);
	if (code)
		return code;
	code = info(argv[operand], reader, &config);
	trace_reader__free(reader);
	return code;
}
