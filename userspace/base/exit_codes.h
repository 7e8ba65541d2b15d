/* SPDX-License-Identifier: MIT */
/* The exit codes of every command; the manual page blkreel(8) lists the same. */
#ifndef BLKREEL_BASE_EXIT_CODES_H
#define BLKREEL_BASE_EXIT_CODES_H

enum exit_code {
	EXIT_OK = 0,
	EXIT_FAILED = 1,     /* the system refused something while working */
	EXIT_USAGE = 2,	     /* the command line is wrong; nothing was done */
	EXIT_REFUSED = 3,    /* a safety rule of replay refused the target; nothing was written */
	EXIT_BAD_INPUT = 4,  /* an input file is not what it should be */
	EXIT_INCOMPLETE = 5, /* an input was cut or damaged, and what is whole was used;
				 compare: too much is missing for a verdict */
	EXIT_PRIVILEGE = 6,  /* root or capabilities are missing */
	EXIT_ABOVE = 7, /* compare --fail-above or --fail-below: a figure is beyond its limit */
	/* record -- CMD passes on the exit code of CMD, like env(1) and timeout(1): */
	EXIT_RECORD_FAILED = 125,
	EXIT_CMD_NOT_EXECUTABLE = 126,
	EXIT_CMD_NOT_FOUND = 127,
};

#endif
