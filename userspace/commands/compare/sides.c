// SPDX-License-Identifier: MIT
#include "commands/compare/sides.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_codes.h"

static int add_run(struct side *side, char **path, const char **message)
{
	if (side->set.count == RUNS_MAX) {
		*message = "takes at most 32 runs of a side";
		return -EINVAL;
	}
	if (!strncmp(*path, "--", 2)) {
		*message = "takes its options before the first '--'";
		return -EINVAL;
	}
	if (!side->set.count)
		side->paths = path;
	side->set.count++;
	return 0;
}

static int next_side(struct sides *sides, const char **message)
{
	if (sides->count == SIDES_MAX) {
		*message = "takes at most 32 candidates";
		return -EINVAL;
	}
	sides->count++;
	return 0;
}

/* The operands behind the first "--" are runs of the second side, up to the next "--". */
static int split_runs(struct sides *sides, int argc, char **argv, int first, int behind,
		      const char **message)
{
	int err = next_side(sides, message);

	for (int i = first; i < argc && !err; i++) {
		bool is_end = !strcmp(argv[i], "--");

		if (i == argc - behind)
			err = next_side(sides, message);
		if (is_end && !err)
			err = next_side(sides, message);
		if (!is_end && !err)
			err = add_run(&sides->list[sides->count - 1], &argv[i], message);
	}
	return err;
}

static int split_candidates(struct sides *sides, int argc, char **argv, int first,
			    const char **message)
{
	int err = 0;

	for (int i = first; i < argc && !err; i++) {
		err = next_side(sides, message);
		if (!err)
			err = add_run(&sides->list[sides->count - 1], &argv[i], message);
	}
	return err;
}

int sides__behind_separator(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return argc - i - 1;
	return 0;
}

int sides__split(struct sides *sides, int argc, char **argv, int first, int behind,
		 const char **message)
{
	int err;

	sides->list = calloc(SIDES_MAX, sizeof(*sides->list));
	if (!sides->list)
		return -ENOMEM;
	*message = "takes at least two traces or profiles";
	if (behind && behind < argc - first)
		err = split_runs(sides, argc, argv, first, behind, message);
	else
		err = split_candidates(sides, argc, argv, first, message);
	for (unsigned int i = 0; i < sides->count && !err; i++)
		if (!sides->list[i].set.count)
			err = -EINVAL;
	return err ? err : sides->count < 2 ? -EINVAL : 0;
}

int side__open(struct side *side, const char *device, const char *option, bool allow_profile)
{
	for (unsigned int i = 0; i < side->set.count; i++) {
		struct workload_input *input = &side->inputs[i];
		int code =
			workload_input_open(input, side->paths[i], device, option, allow_profile);

		input->left_out = side->left_out;
		if (!code)
			code = workload_input_measure(input);
		if (code)
			return code;
		side->set.figures[i] = input->figures;
		side->set.missing[i] = &input->missing;
		side->names.paths[i] = side->paths[i];
		side->names.devices[i] = input->device_name;
		side->names.origins[i] = input->origin;
	}
	return EXIT_OK;
}

double sides__work(const struct sides *sides)
{
	double work = 0;

	for (unsigned int i = 0; i < sides->count; i++)
		for (unsigned int run = 0; run < sides->list[i].set.count; run++)
			work += workload_work(sides->list[i].paths[run]);
	return work;
}

bool sides__are_torn(const struct sides *sides)
{
	for (unsigned int i = 0; i < sides->count; i++)
		for (unsigned int run = 0; run < sides->list[i].set.count; run++)
			if (sides->list[i].inputs[run].torn)
				return true;
	return false;
}

void sides__close(struct sides *sides)
{
	for (unsigned int i = 0; sides->list && i < sides->count; i++)
		for (unsigned int run = 0; run < sides->list[i].set.count; run++)
			workload_input_close(&sides->list[i].inputs[run]);
	free(sides->list);
	sides->list = NULL;
}
