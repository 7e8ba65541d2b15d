// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/version.h"
#include "commands/shared/command.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{"doctor", cmd_doctor,
	 "what this kernel, machine and user can do, and what each lack costs"},
	{"record", cmd_record, "record block IO and the page cache into a trace"},
	{"stat", cmd_stat, "live: what devices and page cache do, with exact busy time"},
	{"info", cmd_info, "what is inside a trace: rows, devices, probe tiers, losses"},
	{"repair", cmd_repair, "make a whole trace of one that was cut or damaged"},
	{"dump", cmd_dump, "print the rows of a trace as text, CSV or JSON"},
	{"import", cmd_import, "make a trace out of traces of other tools and archives"},
	{"copy", cmd_copy, "write a part of a trace, or several as one, into a new trace"},
	{"profile", cmd_profile, "turn traces into a small weighted workload; show, generate"},
	{"replay", cmd_replay, "play a trace or a profile onto a device or a file"},
	{"explain", cmd_explain, "where the time went: page cache, queue or device"},
	{"compare", cmd_compare, "the same workload? faster or slower, where?"},
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static void print_usage(FILE *out)
{
	fprintf(out, "Usage: blkreel COMMAND [OPTIONS]\n\n"
		     "Records what storage really did, carries it elsewhere, replays it and says\n"
		     "where the time went.\n\nCommands:\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
	fprintf(out,
		"\nBefore COMMAND: -q, --quiet (errors only), -v, --verbose (more messages).\n"
		"'blkreel COMMAND --help' explains each; 'blkreel --version' prints the version.\n");
}

/* -q and -v stand before the command, so that they mean the same for all. */
static int parse_verbosity(int argc, char **argv)
{
	int i = 1;

	for (; i < argc; i++) {
		if (!strcmp(argv[i], "-q") || !strcmp(argv[i], "--quiet"))
			log_set_level(LOG_QUIET);
		else if (!strcmp(argv[i], "-v") || !strcmp(argv[i], "--verbose"))
			log_set_level(LOG_VERBOSE);
		else
			break;
	}
	return i;
}

/*
 * A standard stream that the caller has closed would be the number of the next file that is opened, and what is
 * printed would land in a trace or on the target of a replay. Not writable, so that printing still fails.
 */
static bool occupy_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
			return false;
	return true;
}

int main(int argc, char **argv)
{
	int at = parse_verbosity(argc, argv);

	if (!occupy_standard_streams())
		return EXIT_FAILED;
	signal(SIGPIPE, SIG_IGN);
	/* A file that may not become larger (ulimit -f) is an error of who writes it. */
	signal(SIGXFSZ, SIG_IGN);
	if (at == argc) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[at], "--help") || !strcmp(argv[at], "-h") || !strcmp(argv[at], "help")) {
		print_usage(stdout);
		return cmd_flush_stdout();
	}
	if (!strcmp(argv[at], "--version")) {
		printf("blkreel %s\n", BLKREEL_VERSION);
		return cmd_flush_stdout();
	}
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (!strcmp(argv[at], commands[i].name))
			return commands[i].run(argc - at, argv + at);
	fprintf(stderr, "blkreel: unknown %s '%s'\nTry 'blkreel --help'.\n",
		argv[at][0] == '-' ? "option" : "command", argv[at]);
	return EXIT_USAGE;
}
