/* SPDX-License-Identifier: MIT */
/*
 * The lines of a job file of fio, with what fio replaces in them: comments, include, ${VARIABLES} of
 * the environment, $ncpus, $pagesize and $mb_memory; private to fio_*.c.
 */
#ifndef BLKREEL_JOBS_FIO_LINES_H
#define BLKREEL_JOBS_FIO_LINES_H

#include <limits.h>
#include <stdio.h>

#include "profile/profile.h"

#define FIO_LINE_MAX	 4096
#define FIO_INCLUDED_MAX 8 /* files within files */
#define FIO_WHERE_MAX	 96

struct fio_file {
	FILE *in;
	char path[PATH_MAX];
	int line;
};

struct fio_lines {
	struct fio_file files[FIO_INCLUDED_MAX + 1]; /* the first is the job file */
	unsigned int depth;
	unsigned int lines;	   /* of all files */
	char where[FIO_WHERE_MAX]; /* of the last line: "line 7", or "line 7 of NAME" */
};

/* Reads `in`, which remains its caller's; `path` is where it lies, for include; NULL: not known. */
void fio_lines__start(struct fio_lines *l, FILE *in, const char *path);

/*
 * The next line that is not empty, without blanks around it. A variable that is not set stays as it
 * is. 1; 0 at the end; -EINVAL with a sentence in `message`, or -EIO.
 */
int fio_lines__next(struct fio_lines *l, char line[FIO_LINE_MAX],
		    char message[PROFILE_MESSAGE_MAX]);

/* Closes the files that it opened. */
void fio_lines__end(struct fio_lines *l);

#endif
