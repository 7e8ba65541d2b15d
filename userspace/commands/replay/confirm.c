// SPDX-License-Identifier: MIT
#include "commands/replay/confirm.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_codes.h"
#include "base/units.h"
#include "render/table.h"

static void describe(const struct target_info *info)
{
	char size[UNITS_TEXT_MAX];

	text_printf(stderr, "%s: %s%s%s%s, %s, %s\n", info->path,
		    !info->block_device ? "file with data"
		    : info->part_of[0]	? "partition of "
					: "whole device",
		    info->part_of, info->model[0] ? ", " : "", info->model,
		    units_bytes(info->size_bytes, size),
		    info->contents[0] ? info->contents : "no signature on it");
}

static bool typed_again(const struct target_info *info, char *line, size_t line_bytes)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return false;
	describe(info);
	fprintf(stderr, "All data on it may be destroyed. Type its name to go on: ");
	fflush(stderr);
	if (!fgets(line, (int)line_bytes, stdin))
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return true;
}

static int not_the_target(const char *name, struct target *const *targets, unsigned int count,
			  struct failure *failure)
{
	const char *first = target__info(targets[0])->path;

	if (count == 1)
		return failure_add(failure, EXIT_REFUSED,
				   "refused: '%s' is not the target: name %s to let its data be "
				   "destroyed",
				   name, first);
	return failure_add(failure, EXIT_REFUSED,
			   "refused: '%s' is none of the %u targets: name %s or another of them to "
			   "let its data be destroyed",
			   name, count, first);
}

static bool was_named(const struct option_list *names, const struct target *target)
{
	for (unsigned int i = 0; i < names->count; i++)
		if (target__is_named(target, names->items[i]))
			return true;
	return false;
}

static int ask(struct target *target, struct failure *failure)
{
	const struct target_info *info = target__info(target);
	char line[PATH_MAX];

	if (!typed_again(info, line, sizeof(line)))
		return failure_add(failure, EXIT_REFUSED,
				   "refused: data on %s would be destroyed: add --yes-destroy=%s, "
				   "or start on a terminal to be asked",
				   info->path, info->path);
	return target__is_named(target, line) ? 0 : not_the_target(line, &target, 1, failure);
}

static bool is_any(const char *name, struct target *const *targets, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		if (target__is_named(targets[i], name))
			return true;
	return false;
}

/* A file without data, or with those of a replay, has nothing to lose. */
static bool needs_name(const struct target_info *info)
{
	return info->writes && (info->block_device || info->holds_data);
}

int replay_confirm_names(const struct option_list *names, struct target *const *targets,
			 unsigned int count, struct failure *failure)
{
	for (unsigned int i = 0; i < names->count; i++)
		if (!is_any(names->items[i], targets, count))
			return not_the_target(names->items[i], targets, count, failure);
	return 0;
}

bool replay_confirm_is_missing(const struct option_list *names, const struct target *target)
{
	return needs_name(target__info(target)) && !was_named(names, target);
}

int replay_confirm(const struct option_list *names, struct target *const *targets,
		   unsigned int count, struct failure *failure)
{
	int err = replay_confirm_names(names, targets, count, failure);

	for (unsigned int i = 0; i < count && !err; i++)
		if (replay_confirm_is_missing(names, targets[i]))
			err = ask(targets[i], failure);
	return err;
}
