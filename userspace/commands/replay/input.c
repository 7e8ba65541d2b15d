// SPDX-License-Identifier: MIT
#include "commands/replay/input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"
#include "commands/shared/command.h"
#include "commands/shared/workload_input.h"
#include "profile/text/builtin.h"
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

static int choose_device(struct replay_input *input, const struct trace_source_devices *devices,
			 const char *source_word)
{
	const struct trace_source_device *chosen = NULL;
	const struct trace_device *entry;
	char list[DEVICE_LIST_MAX];

	list_devices(input, devices, list);
	if (!devices->count) {
		pr_err("%s: it holds no requests to replay (in the time asked for)", input->path);
		return EXIT_BAD_INPUT;
	}
	if (source_word)
		chosen = trace_source_devices__find(devices, input->reader, source_word);
	else if (devices->count == 1)
		chosen = &devices->items[0];
	if (!chosen && source_word) {
		pr_err("%s: no requests of a device '%s'; there are: %s", input->path, source_word,
		       list);
		return EXIT_USAGE;
	}
	if (!chosen) {
		pr_err("%s: several devices were recorded, choose one with --source, or "
		       "say where each goes with --map: %s",
		       input->path, list);
		return EXIT_USAGE;
	}
	entry = trace_reader__device(input->reader, chosen->device);
	input->device = chosen->device;
	input->first_ns = chosen->first_ns;
	input->survey = chosen->survey;
	input->device_bytes = entry ? entry->size_bytes : 0;
	input->zone_bytes = entry ? entry->zone_bytes : 0;
	snprintf(input->device_name, sizeof(input->device_name), "%s",
		 device_name(input, chosen->device));
	return EXIT_OK;
}

static int survey_failed(const struct replay_input *input, int err)
{
	if (err == -ERANGE)
		pr_err("%s: an IO lies outside of any device (its address exceeds 63 bits)",
		       input->path);
	else
		pr_err("%s: cannot read: %s", input->path, strerror(-err));
	return err == -ERANGE ? EXIT_BAD_INPUT : EXIT_FAILED;
}

static int survey_trace(struct replay_input *input, const char *source_word)
{
	struct trace_source_devices devices;
	int err, code;

	err = trace_source__survey(input->reader, &input->window, &devices);
	code = cmd_trace_finish(input->path, input->reader, err == -ERANGE ? 0 : err);
	if (code == EXIT_INCOMPLETE)
		input->torn = code;
	else if (code)
		goto out;
	code = err ? survey_failed(input, err) : choose_device(input, &devices, source_word);
out:
	trace_source_devices__free(&devices);
	return code;
}

static int open_profile(struct replay_input *input, const uint64_t *seed)
{
	char message[PROFILE_MESSAGE_MAX];
	int err = profile__load(input->path, &input->profile, message);

	if (err) {
		if (err == -EINVAL)
			return cmd_profile_error(input->path, message);
		return survey_failed(input, err);
	}
	if (input->profile->level == PROFILE_OF_FILES) {
		pr_err("%s: is a profile of operations on files: replay it with --files DIR",
		       input->path);
		return EXIT_USAGE;
	}
	input->seed = seed ? *seed : input->profile->seed;
	input->device_bytes = input->profile->device_bytes;
	snprintf(input->device_name, sizeof(input->device_name), "profile");
	err = profile_source__survey(input->profile, input->seed, &input->window, &input->survey);
	return err ? survey_failed(input, err) : EXIT_OK;
}

int replay_input_open(struct replay_input *input, const char *path, const char *source_word,
		      const uint64_t *seed, const struct replay_window *window)
{
	const char *message = NULL;
	int err;

	*input = (struct replay_input){.path = path, .window = *window};
	err = trace_reader__open(path, &input->reader, &message);
	if (!err)
		return survey_trace(input, source_word);
	input->reader = NULL;
	if (err == -EINVAL || (err == -ENOENT && profile_builtin(path)))
		return open_profile(input, seed);
	return cmd_trace_open(path, &input->reader);
}

int replay_input_source(struct replay_input *input, struct replay_source **source)
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
	if (!err)
		return EXIT_OK;
	pr_err("%s: cannot read it again: %s", input->path, strerror(-err));
	return EXIT_FAILED;
}

uint64_t replay_input_out_of_order(const struct replay_input *input,
				   const struct replay_source *source)
{
	return input->reader ? trace_source__out_of_order(source) : 0;
}

/* The trace again, of which the first input told already how it ended. */
static int open_again(struct replay_input *input, const struct replay_input *first,
		      const char *word)
{
	struct trace_source_devices devices;
	int code, err;

	*input = (struct replay_input){
		.path = first->path, .window = first->window, .torn = first->torn};
	code = cmd_trace_open(input->path, &input->reader);
	if (code)
		return code;
	err = trace_source__survey(input->reader, &input->window, &devices);
	code = err && !input->torn ? survey_failed(input, err)
				   : choose_device(input, &devices, word);
	trace_source_devices__free(&devices);
	return code;
}

int replay_inputs_open(struct replay_input *inputs, unsigned int count, const char *path,
		       const char *const *words, const struct replay_window *window)
{
	uint64_t first_ns;
	int code;

	code = replay_input_open(&inputs[0], path, words[0], NULL, window);
	if (!code && !inputs[0].reader) {
		pr_err("%s: a profile has no devices to map: use --target", path);
		return EXIT_USAGE;
	}
	for (unsigned int i = 1; i < count && !code; i++)
		code = open_again(&inputs[i], &inputs[0], words[i]);
	if (code)
		return code;
	first_ns = inputs[0].first_ns;
	for (unsigned int i = 1; i < count; i++)
		if (inputs[i].first_ns < first_ns)
			first_ns = inputs[i].first_ns;
	for (unsigned int i = 0; i < count; i++) {
		inputs[i].survey.last_due_ns += inputs[i].first_ns - first_ns;
		inputs[i].first_ns = first_ns;
	}
	return EXIT_OK;
}

void replay_input_close(struct replay_input *input)
{
	trace_reader__free(input->reader);
	profile__free(input->profile);
}
