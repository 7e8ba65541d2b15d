// SPDX-License-Identifier: MIT
#include "commands/replay/confirm.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"
#include "commands/shared/command.h"
#include "render/table.h"

static void describe(const struct target_info *info)
{
	char size[UNITS_TEXT_MAX];

	text_printf(stderr, "%s: %s%s%s%s, %s, %s\n", info->path,
		    info->part_of[0] ? "partition of " : "whole device", info->part_of,
		    info->model[0] ? ", " : "", info->model, units_bytes(info->size_bytes, size),
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

static int not_the_target(const char *word, struct target *const *targets, unsigned int count)
{
	const char *first = target__info(targets[0])->path;

	if (count == 1)
		pr_err("refused: '%s' is not the target: name %s to let its data be destroyed",
		       word, first);
	else
		pr_err("refused: '%s' is none of the %u targets: name %s or another of them to let "
		       "its data be destroyed",
		       word, count, first);
	return EXIT_REFUSED;
}

static bool was_named(const struct option_list *words, const struct target *target)
{
	for (unsigned int i = 0; i < words->count; i++)
		if (target__is_named(target, words->items[i]))
			return true;
	return false;
}

static int ask(struct target *target)
{
	const struct target_info *info = target__info(target);
	char line[PATH_MAX];

	if (!typed_again(info, line, sizeof(line))) {
		pr_err("refused: data on %s would be destroyed: say --yes-destroy=%s, or start on "
		       "a terminal to be asked",
		       info->path, info->path);
		return EXIT_REFUSED;
	}
	return target__is_named(target, line) ? EXIT_OK : not_the_target(line, &target, 1);
}

int replay_confirm(const struct option_list *words, struct target *const *targets,
		   unsigned int count)
{
	int code = EXIT_OK;

	for (unsigned int i = 0; i < words->count; i++) {
		unsigned int named = 0;

		while (named < count && !target__is_named(targets[named], words->items[i]))
			named++;
		if (named == count)
			return not_the_target(words->items[i], targets, count);
	}
	/* Only a block device is asked for twice: a file that is wrong is at most one file. */
	for (unsigned int i = 0; i < count && !code; i++)
		if (target__info(targets[i])->block_device && target__info(targets[i])->writes &&
		    !was_named(words, targets[i]))
			code = ask(targets[i]);
	return code;
}
