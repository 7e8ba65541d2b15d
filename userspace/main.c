// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/completion.h"
#include "base/log.h"
#include "base/nearest.h"
#include "base/version.h"
#include "commands/shared/command.h"
#include "render/report/report.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{"doctor", cmd_doctor, "show what this kernel, machine and user allow"},
	{"record", cmd_record, "record block IO and the page cache into a trace"},
	{"stat", cmd_stat, "show devices and page cache live, with exact busy time"},
	{"serve", cmd_serve, "answer with metrics by device and control group, for Prometheus"},
	{"top", cmd_top, "show live who makes the devices work: processes, cgroups, files"},
	{"info", cmd_info, "show what a trace contains and how reliable it is"},
	{"repair", cmd_repair, "make a complete trace from a damaged one"},
	{"dump", cmd_dump, "print the rows of a trace as text, CSV, JSON or for another tool"},
	{"import", cmd_import, "convert traces of other tools and archives into a trace"},
	{"copy", cmd_copy, "copy a part of a trace, or several traces, into a new trace"},
	{"profile", cmd_profile,
	 "build a statistical profile of a workload; show, scale, generate"},
	{"replay", cmd_replay, "replay a trace or a profile onto a device, a file or a directory"},
	{"bench", cmd_bench, "measure how fast a device or file is: suites, grids, job files"},
	{"explain", cmd_explain, "explain where the time went: page cache, queue or device"},
	{"compare", cmd_compare, "compare two traces or profiles: workload and latencies"},
	{"report", cmd_report, "write a page with charts of one trace, or of several compared"},
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static void print_usage(FILE *out)
{
	fprintf(out,
		"Usage: blkreel COMMAND [OPTIONS]\n\n"
		"Records block IO, explains where the time went, replays it on other devices and\n"
		"compares the results.\n\nCommands:\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
	fprintf(out,
		"\nBefore COMMAND: -q, --quiet (print only errors), -v, --verbose (print more).\n"
		"'blkreel help COMMAND' (or COMMAND --help) lists the options; -V, --version prints the\n"
		"version; --complete WORD... is for the completion of shells.\n");
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

/*
 * A copy with the set-uid bit would write files and devices with the rights of its owner at the
 * wish of its caller. AT_SECURE alone is also set by the capabilities that 'record' asks for.
 */
static bool has_rights_of_another_user(void)
{
	return getauxval(AT_UID) != getauxval(AT_EUID) || getauxval(AT_GID) != getauxval(AT_EGID) ||
	       getuid() != geteuid() || getgid() != getegid();
}

static int refuse_set_uid(void)
{
	fprintf(stderr,
		"blkreel: started set-uid or set-gid (user %u with the rights of %u, group %u with those of "
		"%u): remove the bit with 'chmod ug-s', and use sudo\n",
		getuid(), geteuid(), getgid(), getegid());
	return EXIT_PRIVILEGE;
}

static int run_command(int argc, char **argv)
{
	const char *nearest = NULL;

	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (!strcmp(argv[0], commands[i].name))
			return commands[i].run(argc, argv);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (is_near(argv[0], commands[i].name) &&
		    (!nearest ||
		     word_distance(argv[0], commands[i].name) < word_distance(argv[0], nearest)))
			nearest = commands[i].name;
	fprintf(stderr, "blkreel: unknown %s '%s'", argv[0][0] == '-' ? "option" : "command",
		argv[0]);
	if (nearest)
		fprintf(stderr, "; did you mean %s?", nearest);
	else if (argv[0][0] == '-')
		fprintf(stderr, ": options follow the command");
	fprintf(stderr, "\nTry 'blkreel --help'.\n");
	return EXIT_USAGE;
}

/* "help", "help record", "help profile show" */
static int run_help(int argc, char **argv)
{
	char *words[4] = {0};
	int count = argc - 1;

	if (!count) {
		print_usage(stdout);
		return cmd_flush_stdout();
	}
	if (count > 2) {
		fprintf(stderr,
			"blkreel: help takes the name of a command\nTry 'blkreel --help'.\n");
		return EXIT_USAGE;
	}
	memcpy(words, argv + 1, (size_t)count * sizeof(*words));
	words[count] = "--help";
	return run_command(count + 1, words);
}

/* The last argument is the word to complete. */
static int complete(int argc, char **argv)
{
	int at = parse_verbosity(argc, argv);

	if (at >= argc)
		at = argc - 1;
	if (argc < 2)
		return EXIT_USAGE;
	completion_begin();
	if (argc - at > 1) {
		run_command(argc - at, argv + at);
		return cmd_flush_stdout();
	}
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		completion_offer(argv[at], commands[i].name, commands[i].summary);
	completion_offer(argv[at], "help", "list the options of a command");
	puts(":none");
	return cmd_flush_stdout();
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
	return !strcmp(word, a) || !strcmp(word, b) || !strcmp(word, c);
}

int main(int argc, char **argv)
{
	int at;

	if (has_rights_of_another_user())
		return refuse_set_uid();
	at = parse_verbosity(argc, argv);
	if (!occupy_standard_streams())
		return EXIT_FAILED;
	signal(SIGPIPE, SIG_IGN);
	/* A file that may not become larger (ulimit -f) is an error of who writes it. */
	signal(SIGXFSZ, SIG_IGN);
	if (at == argc) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (is_one_of(argv[at], "help", "--help", "-h"))
		return run_help(argc - at, argv + at);
	if (is_one_of(argv[at], "--version", "-V", "version")) {
		printf("blkreel %s\n", BLKREEL_VERSION);
		if (report_charts_missing())
			printf("The pages of 'blkreel report' have no charts: %s.\n",
			       report_charts_missing());
		return cmd_flush_stdout();
	}
	if (!strcmp(argv[at], "--complete"))
		return complete(argc - at, argv + at);
	return run_command(argc - at, argv + at);
}
