// SPDX-License-Identifier: MIT
#include "commands/shared/text_output.h"

#include <errno.h>
#include <unistd.h>

int text_output__begin(struct text_output *output, const char *path, const struct output_kind *kind)
{
	int fd, err = output_file__begin(path, kind, &output->pending, &fd);

	if (err)
		return err;
	output->file = fdopen(fd, "w");
	if (output->file)
		return 0;
	close(fd);
	output_file__end(output->pending, false);
	return -ENOMEM;
}

int text_output__end(struct text_output *output, int err)
{
	int end_err;

	if (ferror(output->file) && !err)
		err = -EIO;
	if (fclose(output->file) && !err)
		err = -errno;
	end_err = output_file__end(output->pending, !err);
	return err ? err : end_err;
}
