// SPDX-License-Identifier: MIT
#include "commands/shared/workload_input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/progress.h"
#include "base/units.h"
#include "commands/shared/command.h"
#include "commands/shared/profile_files.h"
#include "profile/text/builtin.h"
#include "profile/generate/generator.h"

#define OPEN_PASSES	   2
#define GENERATED_WORK	   20	 /* of an IO that a profile generates */
#define GENERATED_TOGETHER 4096u /* IOs */

static int failed(const struct workload_input *input, int err)
{
	pr_err("%s: %s", input->path, strerror(-err));
	return EXIT_FAILED;
}

static const char *device_name(const struct workload_input *input, uint32_t device)
{
	const struct trace_device *entry = trace_reader__device(input->reader, device);

	return entry && entry->name[0] ? entry->name : "(unnamed)";
}

static int choose_device(struct workload_input *input, const struct trace_extents *extents,
			 const char *device, const char *option)
{
	const struct device_extent *chosen = trace_extents__choose(extents, input->reader, device);
	const struct trace_device *entry;

	if (!chosen && device && extents->count) {
		pr_err("%s: no requests of a device '%s'; 'blkreel info' lists the devices",
		       input->path, device);
		return EXIT_USAGE;
	}
	if (!chosen && trace_reader__rows(input->reader, ROW_HIST)) {
		pr_err("%s: holds counts and histograms, but no requests (record --aggregate): "
		       "'blkreel explain' reads it; record without --aggregate for this",
		       input->path);
		return EXIT_BAD_INPUT;
	}
	if (trace_reader__rows(input->reader, ROW_ACCESS))
		pr_info("%s: its %s to files %s not used: only the IOs of a device "
			"count here; 'blkreel profile --level files' makes a profile of them",
			input->path,
			COUNTED_TEXT(trace_reader__rows(input->reader, ROW_ACCESS), "access"),
			trace_reader__rows(input->reader, ROW_ACCESS) == 1 ? "is" : "are");
	if (!chosen)
		return EXIT_OK; /* a recording without requests is a workload, too */
	input->extent = *chosen;
	input->block_offset_sectors = device_extent_block_offset(chosen);
	entry = trace_reader__device(input->reader, chosen->device);
	input->device_bytes = entry ? entry->size_bytes : 0;
	snprintf(input->device_name, sizeof(input->device_name), "%s",
		 device_name(input, chosen->device));
	if (!device && extents->count > 1)
		pr_info("%s: taking %s with %s, the most of %u devices; %s chooses another",
			input->path, input->device_name, COUNTED_TEXT(chosen->ios, "IO"),
			extents->count, option);
	return EXIT_OK;
}

void cmd_warn_missing(const char *path, const struct missing_rows *missing, enum row_kind kind)
{
	char text[MISSING_TEXT_MAX];

	if (missing_rows__text(missing, kind, text))
		pr_warn("%s: %s", path, text);
}

static int scan_missing(struct workload_input *input)
{
	int err = missing_rows__scan(input->reader, 0, UINT64_MAX, &input->missing);

	return err && err != -EBADMSG ? failed(input, err) : EXIT_OK;
}

static int scan_trace(struct workload_input *input, const char *device, const char *option)
{
	struct trace_extents extents;
	int err, code;

	progress_weigh(WORKLOAD_OPEN_WORK / OPEN_PASSES);
	err = trace_extents__scan(input->reader, &extents);

	code = cmd_trace_finish(input->path, input->reader, err);
	input->torn = code == EXIT_INCOMPLETE;
	if (!code || input->torn)
		code = err == -ENOMEM ? failed(input, err)
				      : choose_device(input, &extents, device, option);
	if (!code)
		code = scan_missing(input);
	trace_extents__release(&extents);
	return code;
}

int cmd_profile_error(const char *path, const char *message)
{
	size_t prefix = strlen(PROFILE_NO_PROFILE);

	if (!strcmp(path, "-"))
		pr_err("standard input is not a profile, and a trace must be a file: %s", message);
	else if (strncmp(message, PROFILE_NO_PROFILE, prefix))
		pr_err("%s: %s", path, message);
	else
		pr_err("%s: neither a trace nor a profile: %s", path, message + prefix);
	return EXIT_BAD_INPUT;
}

static int open_profile(struct workload_input *input)
{
	char message[PROFILE_MESSAGE_MAX];
	int err = profile__load(input->path, &input->profile, message);

	if (err == -EINVAL) {
		return cmd_profile_error(input->path, message);
	}
	if (err)
		return failed(input, err);
	if (*input->profile->edits)
		pr_warn("%s: %s", input->path, input->profile->edits);
	input->missing.profile_lost_ppm = input->profile->lost_ppm;
	input->device_bytes = input->profile->device_bytes;
	input->block_offset_sectors = input->profile->block_offset_sectors;
	return cmd_profile_need_device(input->profile, input->path, "a comparison");
}

int workload_input_open(struct workload_input *input, const char *path, const char *device,
			const char *option, bool allow_profile)
{
	const char *message = NULL;
	int err;

	*input = (struct workload_input){.path = path};
	if (allow_profile && !strcmp(path, "-"))
		return open_profile(input);
	if (allow_profile) {
		err = trace_reader__open(path, &input->reader, &message);
		if (err == -EINVAL || (err == -ENOENT && profile_builtin(path)))
			return open_profile(input);
		trace_reader__free(input->reader);
		input->reader = NULL;
	}
	err = cmd_trace_open(path, &input->reader);
	return err ? err : scan_trace(input, device, option);
}

/* Passes on what is not left out. */
struct kept_rows {
	struct workload_input *input;
	row_handler handle;
	void *context;
};

static int pass_on(const struct io_row *row, void *context)
{
	const struct kept_rows *kept = context;
	int is = left_out__has(kept->input->left_out, kept->input->reader, row);

	return is ? (is < 0 ? is : 0) : kept->handle(row, kept->context);
}

int workload_input_each(struct workload_input *input, row_handler handle, void *context)
{
	struct kept_rows kept = {input, handle, context};
	uint64_t late_rows = 0;
	int err;

	if (!input->extent.ios)
		return EXIT_OK;
	progress_weigh(WORKLOAD_READ_WORK);
	left_out__restart(input->left_out);
	err = trace_requests(input->reader, &input->extent, pass_on, &kept, &late_rows);
	if (err && err != -EBADMSG)
		return failed(input, err);
	if (late_rows)
		pr_warn("%s: %s took too long to be sorted by creation", input->path,
			COUNTED_TEXT(late_rows, "IO"));
	return EXIT_OK;
}

static int add_row(const struct io_row *row, void *context)
{
	return workload_measure__add(context, row);
}

static int measure_profile(struct workload_input *input)
{
	struct profile_generator *generator;
	uint64_t generated = 0;
	struct io_row row;
	int err;

	progress_weigh(GENERATED_WORK);
	err = profile_generator__create(input->profile, input->profile->seed, &generator);
	if (err)
		return failed(input, err);
	while ((err = profile_generator__next(generator, &row)) > 0) {
		err = workload_measure__add(input->measure, &row);
		if (err)
			break;
		if (++generated % GENERATED_TOGETHER == 0)
			progress_add(GENERATED_TOGETHER);
	}
	profile_generator__free(generator);
	return err ? failed(input, err) : EXIT_OK;
}

static void name_origin(struct workload_input *input)
{
	const struct trace_host *host = input->reader ? trace_reader__host(input->reader) : NULL;

	if (!host)
		snprintf(input->origin, sizeof(input->origin), "a profile");
	else if (*host->replay_mode)
		snprintf(input->origin, sizeof(input->origin), "a replay of a %s in mode %s",
			 host->replay_generated ? "profile" : "trace", host->replay_mode);
}

/* Whether the trace was recorded by a replay in a mode in which IOs wait for others. */
static bool is_of_waiting_replay(const struct workload_input *input)
{
	static const char *const modes[] = {"dependent", "depth", "asap"};
	const char *mode = input->reader ? trace_reader__host(input->reader)->replay_mode : "";

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(mode, modes[i]))
			return true;
	return false;
}

int workload_input_measure(struct workload_input *input)
{
	int err = workload_measure__create(input->block_offset_sectors, &input->measure), code;

	if (err)
		return failed(input, err);
	code = input->profile ? measure_profile(input)
			      : workload_input_each(input, add_row, input->measure);
	workload_measure__set_flush_machinery(input->measure, input->extent.flush_machinery_ios);
	name_origin(input);
	if (is_of_waiting_replay(input))
		workload_measure__set_follows_device(input->measure);
	if (!input->profile)
		workload_measure__set_resolution(input->measure,
						 trace_reader__host(input->reader)->resolution_ns);
	if (input->profile || trace_reader__host(input->reader)->replay_generated)
		workload_measure__set_generated(input->measure);
	if (!code)
		input->figures = workload_measure__finish(input->measure);
	return code;
}

/* A pipe can be read only once. */
static bool can_be_read_again(const char *path)
{
	struct stat file;

	return stat(path, &file) ? profile_builtin(path) != NULL : S_ISREG(file.st_mode);
}

double workload_work(const char *path)
{
	char message[PROFILE_MESSAGE_MAX];
	struct trace_reader *reader;
	struct profile *profile;
	double work = 0;

	if (!can_be_read_again(path))
		return 0;
	if (!trace_reader__open(path, &reader, NULL)) {
		work = (double)trace_reader__file_bytes(reader) *
		       (WORKLOAD_OPEN_WORK + WORKLOAD_READ_WORK);
		trace_reader__free(reader);
	} else if (!profile__load(path, &profile, message)) {
		work = (double)profile->ios * GENERATED_WORK;
		profile__free(profile);
	}
	return work;
}

void workload_input_close(struct workload_input *input)
{
	trace_reader__free(input->reader);
	profile__free(input->profile);
	workload_measure__free(input->measure);
	*input = (struct workload_input){0};
}
