// SPDX-License-Identifier: MIT
#include "commands/shared/profile_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"
#include "commands/shared/command.h"
#include "profile/file_ops.h"

static int failed(const struct profile_files_input *input, int err)
{
	pr_err("%s: %s", input->path, strerror(-err));
	return EXIT_FAILED;
}

static void say_left_out(const struct profile_files_input *input)
{
	const struct file_source *s = &input->source;
	uint64_t advice = s->left_out[ACCESS_ADVICE], cuts = s->left_out[ACCESS_TRUNCATE],
		 drops = s->left_out[ACCESS_INVALIDATE];
	char texts[4][UNITS_TEXT_MAX];

	if (advice || cuts || drops)
		pr_info("%s: left out: %s of advice, %s that cut a file, %s that took pages from "
			"the cache",
			input->path, units_count(advice, texts[0]), units_count(cuts, texts[1]),
			units_count(drops, texts[2]));
	if (s->of_others)
		pr_info("%s: left out: %s of no regular file", input->path,
			COUNTED_TEXT(s->of_others, "operation"));
}

int cmd_profile_files_open(struct profile_files_input *input, const char *path)
{
	int code, err;

	*input = (struct profile_files_input){.path = path};
	code = cmd_trace_open(path, &input->reader);
	if (code)
		return code;
	err = file_source__scan(&input->source, input->reader);
	if (err == -ERANGE) {
		pr_err("%s: its files are more, or larger, than a profile can hold", path);
		return EXIT_BAD_INPUT;
	}
	if (err == -ENOMEM)
		return failed(input, err);
	code = cmd_trace_finish(path, input->reader, err);
	input->torn = code == EXIT_INCOMPLETE;
	if (code && !input->torn)
		return code;
	if (!input->source.ops) {
		pr_err("%s: no operations on files: they are recorded with 'record --files'", path);
		return EXIT_BAD_INPUT;
	}
	say_left_out(input);
	err = missing_rows__scan(input->reader, 0, UINT64_MAX, &input->missing);
	return err && err != -EBADMSG ? failed(input, err) : EXIT_OK;
}

int cmd_profile_files_each(struct profile_files_input *input, file_request_handler handle,
			   void *context)
{
	uint64_t late_rows = 0;
	int err = file_source__each(&input->source, input->reader, handle, context, &late_rows);

	if (err && err != -EBADMSG)
		return failed(input, err);
	if (late_rows)
		pr_warn("%s: %s took too long to be sorted by start", input->path,
			COUNTED_TEXT(late_rows, "operation"));
	return EXIT_OK;
}

void cmd_profile_files_close(struct profile_files_input *input)
{
	trace_reader__free(input->reader);
	file_source__release(&input->source);
	*input = (struct profile_files_input){0};
}

enum submitter cmd_profile_files_submitter(const struct io_row *request)
{
	return file_op_is_direct(file_op_of_io(request->op, request->flags)) ? SUBMITTER_DIRECT
									     : SUBMITTER_FILE;
}

int cmd_profile_need_device(const struct profile *p, const char *path, const char *what)
{
	if (p->level == PROFILE_DEVICE)
		return EXIT_OK;
	pr_err("%s: is a profile of operations on files, and %s takes profiles of the IOs of a "
	       "device",
	       path, what);
	return EXIT_USAGE;
}
