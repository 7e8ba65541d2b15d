// SPDX-License-Identifier: MIT
/* blkreel info: shows what a trace contains, and whether it is whole. */
#include <stddef.h>
#include <stdio.h>

#include "base/log.h"
#include "base/progress.h"
#include "commands/shared/command.h"
#include "commands/shared/long_work.h"
#include "render/info/info.h"

struct config {
	bool json;
	bool verify;
};

static const struct option_def option_defs[] = {
	OPTION(struct config, verify, 0, "verify", FLAG, NULL,
	       "read the file once more and check what reading does\n"
	       "not need: index and end mark, ids without an entry,\n"
	       "times out of order"),
	OPTION(struct config, json, 0, "json", FLAG, NULL, "print JSON"),
	{0},
};

static const struct command_usage usage = {
	.name = "info",
	.synopsis = "[OPTIONS] FILE",
	.summary =
		"Shows when, where and how a trace was recorded, its rows and devices, how each\n"
		"figure was measured and how reliable that is, and everything that was lost. The\n"
		"whole file is read: exit code 0 also means that the file is undamaged.",
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
	progress_stop();
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
		return options_usage_error(
			&usage,
			"takes one trace; 'blkreel explain' and 'blkreel copy' take several");
	cmd_end_at_signal("%s was not read to its end", argv[operand]);
	code = cmd_trace_open(argv[operand], &reader);
	if (code)
		return code;
	progress_start("info", cmd_bytes_of(argv + operand, 1) * (config.verify ? 2 : 1));
	code = info(argv[operand], reader, &config);
	trace_reader__free(reader);
	return code;
}
