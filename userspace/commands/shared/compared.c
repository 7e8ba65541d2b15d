// SPDX-License-Identifier: MIT
#include "commands/shared/compared.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "commands/shared/command.h"
#include "compare/comparison.h"

/* Tables are known after reading the trace. NULL: none of them. */
static int choose(const char *path, const struct option_list *devices, const char **device)
{
	struct trace_reader *reader;
	struct row_block block;
	int code = cmd_trace_open(path, &reader);

	if (code)
		return code;
	while (trace_reader__next(reader, 0, &block) > 0)
		;
	*device = NULL;
	for (unsigned int i = 0; i < devices->count && !*device; i++) {
		const char *given = devices->items[i];
		const char *name = strncmp(given, "/dev/", 5) ? given : given + 5;

		for (uint32_t id = 1; id <= trace_reader__devices(reader) && !*device; id++) {
			const struct trace_device *known = trace_reader__device(reader, id);

			if (known && !strcmp(known->name, name))
				*device = name;
		}
	}
	trace_reader__free(reader);
	return EXIT_OK;
}

int cmd_compare_all(struct compared *c, char *const *paths, unsigned int count,
		    const struct option_list *devices)
{
	int code = EXIT_OK;

	c->inputs = calloc(count, sizeof(*c->inputs));
	c->comparisons = calloc(count, sizeof(*c->comparisons));
	if (!c->inputs || !c->comparisons) {
		pr_err("out of memory");
		return EXIT_FAILED;
	}
	for (; c->count < count && !code; c->count++) {
		struct workload_input *input = &c->inputs[c->count];
		const char *device = NULL;

		if (devices->count)
			code = choose(paths[c->count], devices, &device);
		if (!code)
			code = workload_input_open(input, paths[c->count], device, "-d", false);
		if (!code)
			code = workload_input_measure(input);
	}
	for (unsigned int i = 1; i < count && !code; i++) {
		compare_workloads(c->inputs[0].figures, c->inputs[i].figures, &c->comparisons[i]);
		comparison_add_missing(&c->comparisons[i], &c->inputs[0].missing,
				       &c->inputs[i].missing);
	}
	return code;
}

const struct comparison *cmd_compared(const struct compared *c, unsigned int i)
{
	return i ? &c->comparisons[i] : NULL;
}

void cmd_compared_release(struct compared *c)
{
	for (unsigned int i = 0; i < c->count; i++)
		workload_input_close(&c->inputs[i]);
	free(c->inputs);
	free(c->comparisons);
	*c = (struct compared){0};
}
