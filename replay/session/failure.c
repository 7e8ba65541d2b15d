// SPDX-License-Identifier: MIT
#include "replay/session/failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_codes.h"

static void append(struct failure *f, const char *text)
{
	size_t used = strlen(f->text);

	snprintf(f->text + used, sizeof(f->text) - used, "%s", text);
}

static void append_message(struct failure *f, const char *fmt, va_list args)
{
	size_t used = strlen(f->text);

	vsnprintf(f->text + used, sizeof(f->text) - used, fmt, args);
	for (char *at = f->text + used; *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			*at = '?';
}

int failure_add_code(struct failure *f, int exit_code)
{
	if (!f->exit_code)
		f->exit_code = exit_code;
	return -1;
}

int failure_add(struct failure *f, int exit_code, const char *fmt, ...)
{
	va_list args;

	if (*f->text)
		append(f, "\n");
	va_start(args, fmt);
	append_message(f, fmt, args);
	va_end(args);
	return failure_add_code(f, exit_code);
}

int failure_add_errno(struct failure *f, int err, const char *fmt, ...)
{
	va_list args;

	if (*f->text)
		append(f, "\n");
	va_start(args, fmt);
	append_message(f, fmt, args);
	va_end(args);
	append(f, ": ");
	append(f, strerror(abs(err)));
	return failure_add_code(f, EXIT_FAILED);
}

void failure_merge(struct failure *into, const struct failure *from)
{
	if (*into->text && *from->text)
		append(into, "\n");
	append(into, from->text);
	if (!into->exit_code)
		into->exit_code = from->exit_code;
}
