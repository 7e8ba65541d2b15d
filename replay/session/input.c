// SPDX-License-Identifier: MIT
#include "replay/session/input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/exit_codes.h"
#include "base/log.h"
#include "base/units.h"
#include "jobs/fio.h"
#include "profile/text/builtin.h"
#include "replay/session/trace_file.h"
#include "replay/source/profile.h"
#include "replay/source/trace.h"

#define DEVICE_LIST_MAX 1024

static const char *device_name(const struct replay_input *input, uint32_t device)
{
	const struct trace_device *entry = trace_reader__device(input->reader, device);

	return entry && entry->name[0] ? entry->name : "(unnamed)";
}

/* "sda (1,234 IOs), sdb (5 IOs)" */
static void list_devices(const struct replay_input *input,
			 const struct trace_source_devices *devices, char *text)
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < devices->count && used < DEVICE_LIST_MAX; i++) {
		used += (size_t)snprintf(text + used, DEVICE_LIST_MAX - used, "%s%s (%s)",
					 i ? ", " : "",
					 device_name(input, devices->items[i].device),
					 COUNTED_TEXT(devices->items[i].survey.ios, "IO"));
	}
}

/* NULL, and *failure: there is none, or the user has to choose. */
static const struct trace_source_device *find_device(const struct replay_input *input,
						     const struct trace_source_devices *devices,
						     const char *source_name,
						     struct failure *failure)
{
	const struct trace_source_device *found;
	char list[DEVICE_LIST_MAX];

	if (devices->not_found) {
		failure_add(failure, EXIT_USAGE,
			    "%s: no IO of --without '%s' in the time asked for; there are: %s",
			    input->path, devices->not_found, devices->there);
		return NULL;
	}
	if (!devices->count) {
		failure_add(failure, EXIT_BAD_INPUT, "%s: it holds no requests to replay (%s)",
			    input->path,
			    input->window.without_count ? "of others than those of --without"
							: "in the time asked for");
		return NULL;
	}
	if (!source_name && devices->count == 1)
		return &devices->items[0];
	list_devices(input, devices, list);
	if (!source_name) {
		failure_add(
			failure, EXIT_USAGE,
			"%s: several devices were recorded: choose one with --source, or map each "
			"with --map: %s",
			input->path, list);
		return NULL;
	}
	found = trace_source_devices__find(devices, input->reader, source_name);
	if (!found)
		failure_add(failure, EXIT_USAGE, "%s: no requests of a device '%s'; there are: %s",
			    input->path, source_name, list);
	return found;
}

static int choose_device(struct replay_input *input, const struct trace_source_devices *devices,
			 const char *source_name, struct failure *failure)
{
	const struct trace_source_device *chosen =
		find_device(input, devices, source_name, failure);
	const struct trace_device *entry;

	if (!chosen)
		return -1;
	entry = trace_reader__device(input->reader, chosen->device);
	input->device = chosen->device;
	input->first_ns = chosen->first_ns;
	input->survey = chosen->survey;
	input->left_out_ios = chosen->left_out_ios;
	input->device_bytes = entry ? entry->size_bytes : 0;
	input->zone_bytes = entry ? entry->zone_bytes : 0;
	snprintf(input->device_name, sizeof(input->device_name), "%s",
		 device_name(input, chosen->device));
	return 0;
}

static int survey_failed(const struct replay_input *input, int err, struct failure *failure)
{
	if (err == -ERANGE)
		return failure_add(failure, EXIT_BAD_INPUT,
				   "%s: an IO lies outside of any device (its address exceeds 63 "
				   "bits)",
				   input->path);
	return failure_add_errno(failure, err, "%s: cannot read", input->path);
}

static int survey_trace(struct replay_input *input, const char *source_name,
			struct failure *failure)
{
	struct trace_source_devices devices;
	int err, result;

	err = trace_source__survey(input->reader, &input->window, &devices);
	result = replay_trace_finish(input->path, input->reader, err == -ERANGE ? 0 : err,
				     &input->torn, failure);
	if (!result)
		result = err ? survey_failed(input, err, failure)
			     : choose_device(input, &devices, source_name, failure);
	trace_source_devices__free(&devices);
	return result ? result
		      : replay_trace_missing(input->path, input->reader, &input->window, ROW_IO,
					     &input->missing, failure);
}

static void print_note(const char *text, void *context)
{
	const char *path = context;

	pr_warn("%s: %s", path, text);
}

static bool is_job_file(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && !strcmp(dot, ".fio");
}

/* 0, -EINVAL with a `message`, or what reading failed with. */
static int load_job_file(struct replay_input *input, char message[PROFILE_MESSAGE_MAX])
{
	FILE *file = fopen(input->path, "re");
	int err;

	if (!file)
		return -errno;
	err = profile__from_fio(file, input->path, print_note, (void *)input->path, &input->profile,
				message);
	fclose(file);
	if (!err)
		err = profile__check(input->profile, message);
	if (err == -ERANGE) {
		snprintf(message, PROFILE_MESSAGE_MAX,
			 "its sizes or addresses exceed what a replay can hold");
		err = -EINVAL;
	}
	return err;
}

static int open_profile(struct replay_input *input, const uint64_t *seed, struct failure *failure)
{
	char message[PROFILE_MESSAGE_MAX] = "";
	bool is_job = is_job_file(input->path);
	int err = is_job ? load_job_file(input, message)
			 : profile__load(input->path, &input->profile, message);

	if (err == -EINVAL && is_job)
		return failure_add(failure, EXIT_BAD_INPUT, "%s: %s", input->path, message);
	if (!err && input->window.without_count)
		return failure_add(failure, EXIT_USAGE,
				   "%s: --without needs a trace: a profile does not know whose IOs "
				   "it makes",
				   input->path);
	if (err == -EINVAL)
		return replay_profile_invalid(input->path, message, failure);
	if (err)
		return survey_failed(input, err, failure);
	if (input->profile->level == PROFILE_OF_FILES)
		return failure_add(
			failure, EXIT_USAGE,
			"%s is a profile of operations on files: replay it with --files DIR",
			input->path);
	input->seed = seed ? *seed : input->profile->seed;
	input->missing.profile_lost_ppm = input->profile->lost_ppm;
	replay_warn_missing(input->path, &input->missing, ROW_IO);
	input->device_bytes = input->profile->device_bytes;
	snprintf(input->device_name, sizeof(input->device_name), "profile");
	err = profile_source__survey(input->profile, input->seed, &input->window, &input->survey);
	return err ? survey_failed(input, err, failure) : 0;
}

int replay_input_open(struct replay_input *input, const char *path, const char *source_name,
		      const uint64_t *seed, const struct replay_window *window,
		      struct failure *failure)
{
	const char *message = NULL;
	int err;

	*input = (struct replay_input){.path = path, .window = *window};
	err = trace_reader__open(path, &input->reader, &message);
	if (!err)
		return survey_trace(input, source_name, failure);
	input->reader = NULL;
	if (err == -EINVAL || (err == -ENOENT && profile_builtin(path)))
		return open_profile(input, seed, failure);
	return replay_trace_open_failed(path, err, message, failure);
}

int replay_input_source(struct replay_input *input, struct replay_source **source,
			struct failure *failure)
{
	struct trace_source_options options = {
		.window = input->window, .device = input->device, .first_ns = input->first_ns};
	int err;

	if (input->reader) {
		err = trace_reader__rewind(input->reader);
		if (!err)
			err = trace_source__create(input->reader, &options, source);
	} else {
		err = profile_source__create(input->profile, input->seed, &input->window, source);
	}
	return err ? failure_add_errno(failure, err, "%s: cannot read it again", input->path) : 0;
}

uint64_t replay_input_out_of_order(const struct replay_input *input,
				   const struct replay_source *source)
{
	return input->reader ? trace_source__out_of_order(source) : 0;
}

/* The trace again, of which the first input has reported how it ended. */
static int open_again(struct replay_input *input, const struct replay_input *first,
		      const char *source_name, struct failure *failure)
{
	struct trace_source_devices devices;
	int err, result;

	*input = (struct replay_input){.path = first->path,
				       .window = first->window,
				       .torn = first->torn,
				       .missing = first->missing};
	if (replay_trace_open(input->path, &input->reader, failure))
		return -1;
	err = trace_source__survey(input->reader, &input->window, &devices);
	result = err && !input->torn ? survey_failed(input, err, failure)
				     : choose_device(input, &devices, source_name, failure);
	trace_source_devices__free(&devices);
	return result;
}

int replay_inputs_open(struct replay_input *inputs, unsigned int count, const char *path,
		       const char *const *source_names, const struct replay_window *window,
		       struct failure *failure)
{
	uint64_t first_ns;

	if (replay_input_open(&inputs[0], path, source_names[0], NULL, window, failure))
		return -1;
	if (!inputs[0].reader)
		return failure_add(failure, EXIT_USAGE,
				   "%s: a profile has no devices to map: use --target", path);
	for (unsigned int i = 1; i < count; i++)
		if (open_again(&inputs[i], &inputs[0], source_names[i], failure))
			return -1;
	first_ns = inputs[0].first_ns;
	for (unsigned int i = 1; i < count; i++)
		if (inputs[i].first_ns < first_ns)
			first_ns = inputs[i].first_ns;
	for (unsigned int i = 0; i < count; i++) {
		inputs[i].survey.last_due_ns += inputs[i].first_ns - first_ns;
		inputs[i].first_ns = first_ns;
	}
	return 0;
}

void replay_input_close(struct replay_input *input)
{
	trace_reader__free(input->reader);
	profile__free(input->profile);
}
