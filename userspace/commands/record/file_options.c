// SPDX-License-Identifier: MIT
#include "commands/record/file_options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_codes.h"
#include "base/log.h"
#include "base/units.h"
#include "collector/recording/trigger.h"

#define AFTER_NS	   (5 * NSEC_PER_SEC)
#define HOLD_OFF_NS	   (60 * NSEC_PER_SEC)
#define RING_BYTES	   (256ull << 20)
#define RING_NS_MIN	   NSEC_PER_SEC
#define RING_BYTES_MIN	   (1ull << 20)
#define ROTATION_NS_MIN	   NSEC_PER_SEC
#define ROTATION_BYTES_MIN (64ull << 10)

/*
 * Parses a time and a size, told apart by the unit, each at most once. *ns or *bytes 0: not given.
 */
static int parse_amounts(const struct command_usage *usage, const char *option,
			 const struct option_list *list, uint64_t *ns, uint64_t *bytes)
{
	for (unsigned int i = 0; i < list->count; i++) {
		const char *value = list->items[i];
		bool has_unit = *value && isalpha((unsigned char)value[strlen(value) - 1]);
		bool is_time = has_unit && !units_parse_time(value, &(uint64_t){0});
		uint64_t *amount = is_time ? ns : bytes;

		if (!has_unit)
			return options_usage_error(usage,
						   "--%s needs a unit behind '%s': 5m are minutes, "
						   "5M are MiB",
						   option, value);
		if (*amount)
			return options_usage_error(usage, "--%s takes one %s and not two", option,
						   is_time ? "time" : "size");
		if (is_time ? units_parse_time(value, ns) : units_parse_bytes(value, bytes))
			return options_usage_error(
				usage,
				"--%s takes a time such as 5m or a size such as 256M, not '%s'",
				option, value);
		if (!*amount)
			return options_usage_error(usage, "--%s takes more than 0", option);
	}
	return EXIT_OK;
}

static int parse_triggers(const struct command_usage *usage, const struct option_list *list,
			  struct record_files *files)
{
	char message[TRIGGER_MESSAGE_MAX];

	for (unsigned int i = 0; i < list->count; i++) {
		int err = trigger__parse(list->items[i], &files->triggers[i], message);

		if (err == -EINVAL)
			return options_usage_error(usage, "--trigger '%s': %s", list->items[i],
						   message);
		if (err) {
			pr_err("%s", strerror(-err));
			return EXIT_FAILED;
		}
		files->flight.trigger_count++;
	}
	files->flight.triggers = files->triggers;
	return EXIT_OK;
}

static int parse_ring(const struct command_usage *usage, const struct record_files_config *config,
		      struct record_files *files)
{
	struct flight_options *flight = &files->flight;
	int code;

	code = parse_amounts(usage, "ring", &config->ring, &flight->keep_ns, &flight->keep_bytes);
	if (code)
		return code;
	if ((flight->keep_ns && flight->keep_ns < RING_NS_MIN) ||
	    (flight->keep_bytes && flight->keep_bytes < RING_BYTES_MIN))
		return options_usage_error(usage, "--ring takes at least 1s or 1M");
	for (unsigned int i = 0; i < config->ring.count; i++)
		if (!units_parse_time(config->ring.items[i], &(uint64_t){0}))
			files->ring_time = config->ring.items[i];
	if (!flight->keep_bytes)
		flight->keep_bytes = RING_BYTES;
	flight->after_ns = config->after_ns == RECORD_FILES_UNSET ? AFTER_NS : config->after_ns;
	flight->hold_off_ns =
		config->hold_off_ns == RECORD_FILES_UNSET ? HOLD_OFF_NS : config->hold_off_ns;
	flight->keep_files = (unsigned int)config->keep;
	return parse_triggers(usage, &config->triggers, files);
}

static int parse_rotation(const struct command_usage *usage,
			  const struct record_files_config *config, struct record_files *files)
{
	struct rotation_options *rotation = &files->rotation;
	int code;

	code = parse_amounts(usage, "rotate", &config->rotate, &rotation->every_ns,
			     &rotation->every_bytes);
	if (code)
		return code;
	if ((rotation->every_ns && rotation->every_ns < ROTATION_NS_MIN) ||
	    (rotation->every_bytes && rotation->every_bytes < ROTATION_BYTES_MIN))
		return options_usage_error(usage, "--rotate takes at least 1s or 64k");
	rotation->keep_files = (unsigned int)config->keep;
	return EXIT_OK;
}

int record_files_parse(const struct command_usage *usage, const struct record_files_config *config,
		       struct record_files *files)
{
	files->has_ring = config->ring.count;
	files->has_rotation = config->rotate.count;
	if (files->has_ring && files->has_rotation)
		return options_usage_error(usage, "--ring keeps the newest part, --rotate all: "
						  "choose one of them");
	if (!files->has_ring && config->triggers.count)
		return options_usage_error(usage, "--trigger writes out what --ring keeps: give "
						  "--ring too");
	if (!config->triggers.count &&
	    (config->after_ns != RECORD_FILES_UNSET || config->hold_off_ns != RECORD_FILES_UNSET))
		return options_usage_error(usage, "--after and --hold-off concern triggers: give "
						  "--trigger too");
	if (!files->has_ring && !files->has_rotation && config->keep)
		return options_usage_error(usage, "--keep concerns the files of --ring or "
						  "--rotate");
	if (files->has_ring)
		return parse_ring(usage, config, files);
	return files->has_rotation ? parse_rotation(usage, config, files) : EXIT_OK;
}

void record_files_release(struct record_files *files)
{
	for (unsigned int i = 0; i < OPTION_LIST_MAX; i++)
		trigger__free(files->triggers[i]);
}

void record_files_announce(const struct record_files *files, const char *path)
{
	char bytes[UNITS_TEXT_MAX];

	if (files->has_ring && files->flight.keep_ns)
		pr_info("keeping the last %s in at most %s of memory; kill -USR1 %d writes them",
			files->ring_time, units_bytes(files->flight.keep_bytes, bytes),
			(int)getpid());
	else if (files->has_ring)
		pr_info("keeping the newest %s in memory; kill -USR1 %d writes them",
			units_bytes(files->flight.keep_bytes, bytes), (int)getpid());
	else
		pr_info("recording into %s; ^C ends it", path);
}
