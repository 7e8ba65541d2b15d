// SPDX-License-Identifier: MIT
#include "commands/shared/explained_trace.h"

#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "commands/shared/command.h"
#include "explain/what_if.h"
#include "report/report.h"

int cmd_explain_check_devices(const struct command_usage *usage, const struct trace_reader *reader,
			      const struct option_list *wanted, const char *path)
{
	uint32_t last = trace_reader__devices(reader);

	for (unsigned int i = 0; i < wanted->count; i++) {
		const char *given = wanted->items[i];
		const char *name = strncmp(given, "/dev/", 5) ? given : given + 5;
		bool is_known = false;

		for (uint32_t id = 1; id <= last && !is_known; id++) {
			const struct trace_device *device = trace_reader__device(reader, id);

			is_known = device && !strcmp(device->name, name);
		}
		if (!is_known)
			return options_usage_error(usage,
						   "%s has no device '%s'; 'blkreel info %s' "
						   "lists what it has",
						   path, given, path);
	}
	return EXIT_OK;
}

int cmd_trace_duration(const char *path, uint64_t *duration_ns)
{
	struct trace_reader *reader;
	struct stat file;
	uint64_t length_ns;
	int code;

	if (stat(path, &file) || !S_ISREG(file.st_mode))
		return EXIT_OK;
	code = cmd_trace_open(path, &reader);
	if (code)
		return code;
	length_ns = report_duration_ns(reader);
	if (length_ns > *duration_ns)
		*duration_ns = length_ns;
	trace_reader__free(reader);
	return EXIT_OK;
}

int cmd_explain_what_if(const char *path, const struct trace_reader *whole, uint64_t cache_bytes,
			struct explanation *x)
{
	struct trace_reader *rows;
	struct stat file;
	int err, code;

	if (!explain_has_accesses(x) || stat(path, &file) || !S_ISREG(file.st_mode))
		return EXIT_OK;
	code = cmd_trace_open(path, &rows);
	if (code)
		return code;
	err = explain_what_if(x, whole, rows, cache_bytes);
	trace_reader__free(rows);
	if (!err)
		return EXIT_OK;
	pr_err("%s: cannot explain: %s", path, strerror(-err));
	return EXIT_FAILED;
}
