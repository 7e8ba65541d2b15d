#include "cmd_replay_confirm.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"
#include "cmd.h"
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

/* Only a block device is asked for twice: a file that is wrong is at most one file. */
int replay_confirm(const char *word, const struct target *target)
{
	const struct target_info *info = target__info(target);
	char line[PATH_MAX];

	if (!word && !info->block_device)
		return EXIT_OK;
	if (!word) {
		if (!typed_again(info, line, sizeof(line))) {
			pr_err("refused: data on %s would be destroyed: say "
			       "--yes-destroy=%s, or start on a terminal to be asked",
			       info->path, info->path);
			return EXIT_REFUSED;
		}
		word = line;
	}
	if (target__is_named(target, word))
		return EXIT_OK;
	pr_err("refused: '%s' is not the target: name %s to let its data be destroyed", word,
	       info->path);
	return EXIT_REFUSED;
}
