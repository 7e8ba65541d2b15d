// SPDX-License-Identifier: MIT
/* What option tables accept; what is printed is tested with the commands that print it. */
#include <fcntl.h>
#include <unistd.h>

#include "base/exit_codes.h"
#include "base/options.h"
#include "unit/shared/test.h"

struct config {
	bool flag;
	const char *text;
	struct option_list list;
	uint64_t count, bytes, time_ns;
	double real;
	unsigned int choice;
};

static const char *const choices[] = {"one", "two", NULL};

static const struct option_def defs[] = {
	OPTION(struct config, flag, 'f', "flag", FLAG, NULL, "help"),
	OPTION(struct config, text, 't', "text", TEXT, "TEXT", "help"),
	OPTION(struct config, list, 'l', "list", LIST, "ITEM", "help"),
	OPTION(struct config, count, 0, "count", COUNT, "N", "help", .min = 2, .max = 9),
	OPTION(struct config, bytes, 0, "bytes", BYTES, "SIZE", "help", .min = 512),
	OPTION(struct config, time_ns, 0, "time", TIME, "TIME", "help"),
	OPTION(struct config, real, 0, "real", REAL, "X", "help"),
	OPTION(struct config, choice, 0, "choice", CHOICE, "WHICH", "help", .choices = choices),
	{0},
};

static const struct command_usage usage = {
	.name = "test", .synopsis = "[OPTIONS]", .summary = "Tests.", .options = defs};

static struct config config;
static int operand, separator, argc_now;
static char *argv_now[80];

/* Parses `line`, split at spaces, with messages hidden. */
static enum options_result parse(const char *line)
{
	static char words[1024];
	enum options_result result;
	int saved, null;

	snprintf(words, sizeof(words), "test %s", line);
	argc_now = 0;
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		argv_now[argc_now++] = word;
	argv_now[argc_now] = NULL;
	config = (struct config){.choice = 1};
	fflush(stderr);
	saved = dup(STDERR_FILENO);
	null = open("/dev/null", O_WRONLY);
	dup2(null, STDERR_FILENO);
	result = options_parse(&usage, argc_now, argv_now, &config, &operand, &separator);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(null);
	return result;
}

static void test_all_types(void)
{
	CHECK_EQ(parse("-f -t x --list a -l b --count 9 --bytes 4k --time 5ms --real 0.5 "
		       "--choice one rest"),
		 OPTIONS_OK);
	CHECK(config.flag);
	CHECK_TEXT(config.text, "x");
	CHECK_EQ(config.list.count, 2);
	CHECK_TEXT(config.list.items[1], "b");
	CHECK_EQ(config.count, 9);
	CHECK_EQ(config.bytes, 4096);
	CHECK_EQ(config.time_ns, 5000000);
	CHECK(config.real == 0.5);
	CHECK_EQ(config.choice, 0);
	CHECK_EQ(operand, argc_now - 1);
	CHECK_EQ(separator, argc_now);
}

static void test_defaults_stay(void)
{
	CHECK_EQ(parse(""), OPTIONS_OK);
	CHECK_EQ(config.choice, 1);
	CHECK(!config.flag && !config.text && !config.list.count);
	CHECK_EQ(operand, 1);
}

static void test_operands_and_separator(void)
{
	CHECK_EQ(parse("file -f"), OPTIONS_OK);
	CHECK(config.flag);
	CHECK_TEXT(argv_now[operand], "file");
	CHECK_EQ(parse("-f -- cmd -t x"), OPTIONS_OK);
	CHECK(!config.text);
	CHECK_TEXT(argv_now[separator], "cmd");
	CHECK_EQ(parse("-f --"), OPTIONS_OK);
	CHECK_EQ(separator, argc_now);
}

static void test_unknown_and_incomplete_options_are_refused(void)
{
	static const char *const bad[] = {
		"--nonsense", "-z",	   "--text",	 "--flag=1",   "--count 1",
		"--count 10", "--count x", "--count 3x", "--bytes -1", "--bytes 511",
		"--bytes 4q", "--time 1x", "--real 0",	 "--real nan", "--choice on",
		"--text=",    "--list="};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_EQ(parse(bad[i]), OPTIONS_USAGE);
}

static void test_a_second_value_is_refused(void)
{
	CHECK_EQ(parse("-t a --text b"), OPTIONS_USAGE);
	CHECK_EQ(parse("--text a --text a"), OPTIONS_USAGE);
	CHECK_EQ(parse("--count 2 file --count 3"), OPTIONS_USAGE);
	CHECK_EQ(parse("-f --flag -l a -l b -t a"), OPTIONS_OK);
}

static void test_list_is_bounded(void)
{
	char line[1024] = "";

	for (int i = 0; i < OPTION_LIST_MAX; i++)
		strcat(line, "-la ");
	CHECK_EQ(parse(line), OPTIONS_OK);
	strcat(line, "-la");
	CHECK_EQ(parse(line), OPTIONS_USAGE);
}

int main(void)
{
	RUN(test_all_types);
	RUN(test_defaults_stay);
	RUN(test_operands_and_separator);
	RUN(test_unknown_and_incomplete_options_are_refused);
	RUN(test_a_second_value_is_refused);
	RUN(test_list_is_bounded);
	return TEST_RESULT;
}
