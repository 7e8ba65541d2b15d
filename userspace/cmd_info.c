/* blkreel info: what is inside a trace, and whether it is whole. */
#include <stddef.h>
#include <stdio.h>

#include "cmd.h"
#include "render/info.h"

struct config {
	bool json;
};

static const struct option_def option_defs[] = {
	{.name = "json",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct config, json),
	 .help = "print JSON"},
	{0},
};

static const struct command_usage usage = {
	.name = "info",
	.synopsis = "[OPTIONS] FILE",
	.summary = "Says what a trace holds: when, where and how it was recorded, rows, devices,\n"
		   "how each figure was got and what that is worth, and everything that was lost.\n"
		   "The whole file is read, so that exit code 0 also means that it is undamaged.",
	.options = option_defs,
};

static int info(const char *path, struct trace_reader *reader, const struct config *config)
{
	struct trace_contents contents = {.path = path, .reader = reader};
	int err = trace_contents__read(&contents, reader), code;

	if (!config->json)
		render_info_text(stdout, &contents);
	else if (render_info_json(stdout, &contents))
		return cmd_flush_stdout();
	code = cmd_flush_stdout();
	return code ? code : cmd_trace_finish(path, reader, err);
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
