// SPDX-License-Identifier: MIT
#include "base/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/completion.h"
#include "base/exit_codes.h"
#include "base/log.h"
#include "base/nearest.h"
#include "base/units.h"

#define OPTIONS_MAX 64
#define LONG_ONLY   0x1000
#define HELP_OPTION 0x2000
#define HELP_COLUMN 30

int options_usage_error(const struct command_usage *usage, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "blkreel %s: ", usage->name);
	va_start(args, fmt);
	log_text(fmt, args);
	va_end(args);
	fprintf(stderr, "\nTry 'blkreel %s --help'.\n", usage->name);
	return EXIT_USAGE;
}

static void print_option(const struct option_def *def)
{
	char left[128];
	int width;

	width = snprintf(left, sizeof(left), "  %c%c%s --%s%s%s", def->short_name ? '-' : ' ',
			 def->short_name ? def->short_name : ' ', def->short_name ? "," : " ",
			 def->name, def->metavar ? " " : "", def->metavar ? def->metavar : "");
	printf("%-*s", HELP_COLUMN, left);
	if (width >= HELP_COLUMN)
		printf("\n%*s", HELP_COLUMN, "");
	for (const char *line = def->help; *line;) {
		size_t length = strcspn(line, "\n");

		printf("%.*s\n", (int)length, line);
		line += length;
		if (*line)
			printf("%*s", HELP_COLUMN, ""), line++;
	}
}

static void print_help(const struct command_usage *usage)
{
	static const struct option_def help = {
		.name = "help", .short_name = 'h', .help = "print this text"};

	for (const char *line = usage->synopsis; *line;) {
		size_t length = strcspn(line, "\n");

		printf("%s blkreel %s %.*s\n", line == usage->synopsis ? "Usage:" : "      ",
		       usage->name, (int)length, line);
		line += length;
		if (*line)
			line++;
	}
	printf("\n%s\n\nOptions:\n", usage->summary);
	for (const struct option_def *def = usage->options; def->name; def++)
		print_option(def);
	print_option(&help);
	if (usage->notes)
		printf("\n%s", usage->notes);
	if (usage->examples)
		printf("\nExamples:\n%s", usage->examples);
}

static int set_choice(const struct option_def *def, const char *text, unsigned int *field)
{
	for (unsigned int i = 0; def->choices[i]; i++) {
		if (!strcmp(def->choices[i], text)) {
			*field = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int add_to_list(struct option_list *list, const char *text)
{
	if (list->count == OPTION_LIST_MAX)
		return -E2BIG;
	list->items[list->count++] = text;
	return 0;
}

static int at_least(const struct option_def *def, const uint64_t *field)
{
	return *field < def->min ? -EDOM : 0;
}

static int set_field(const struct option_def *def, const char *text, void *config)
{
	void *field = (char *)config + def->offset;

	switch (def->type) {
	case OPT_FLAG:
		*(bool *)field = true;
		return 0;
	case OPT_TEXT:
		*(const char **)field = text;
		return *text ? 0 : -EINVAL;
	case OPT_FILE:
		*(const char **)field = text;
		return *text && strcmp(text, "-") ? 0 : -EINVAL;
	case OPT_LIST:
		return *text ? add_to_list(field, text) : -EINVAL;
	case OPT_COUNT:
		return units_parse_count(text, def->min, def->max ? def->max : UINT64_MAX, field);
	case OPT_BYTES:
		return units_parse_bytes(text, field) ?: at_least(def, field);
	case OPT_TIME:
		return units_parse_time(text, field) ?: at_least(def, field);
	case OPT_REAL:
		return units_parse_real(text, 1e-9, 1e12, field);
	case OPT_CHOICE:
		return set_choice(def, text, field);
	}
	return -EINVAL;
}

static int value_error(const struct command_usage *usage, const struct option_def *def,
		       const char *text, int err)
{
	static const char *const wants[] = {
		[OPT_FLAG] = "nothing",
		[OPT_TEXT] = "a value",
		[OPT_FILE] = "the name of a file, as it is not written as a stream (./- for one "
			     "of that name)",
		[OPT_LIST] = "a value",
		[OPT_COUNT] = "a whole number",
		[OPT_BYTES] = "a size such as 4096, 64k or 10MiB",
		[OPT_TIME] = "a time such as 10, 500ms or 5m",
		[OPT_REAL] = "a number above 0",
	};
	char choices[256] = "one of", least[UNITS_TEXT_MAX];

	if (err == -E2BIG)
		return options_usage_error(usage, "--%s may be given at most %d times", def->name,
					   OPTION_LIST_MAX);
	if (err == -ERANGE && def->type == OPT_COUNT && def->max)
		return options_usage_error(usage, "--%s takes a number from %llu to %llu, not '%s'",
					   def->name, (unsigned long long)def->min,
					   (unsigned long long)def->max, text);
	if (err == -EDOM)
		return options_usage_error(usage, "--%s takes %s of at least %s, not '%s'",
					   def->name, def->type == OPT_TIME ? "a time" : "a size",
					   def->type == OPT_TIME ? units_time(def->min, least)
								 : units_bytes(def->min, least),
					   text);
	if (def->type != OPT_CHOICE)
		return options_usage_error(usage, "--%s takes %s, not '%s'%s", def->name,
					   wants[def->type], text,
					   err == -ERANGE ? " (out of range)" : "");
	for (unsigned int i = 0; def->choices[i]; i++) {
		size_t used = strlen(choices);

		snprintf(choices + used, sizeof(choices) - used, "%s %s", i ? "," : "",
			 def->choices[i]);
	}
	return options_usage_error(usage, "--%s takes %s, not '%s'", def->name, choices, text);
}

/* Translates the table for getopt_long(); `count` rows were used. */
static unsigned int build_tables(const struct command_usage *usage, struct option *longs,
				 char *shorts)
{
	unsigned int count = 0;
	char *at = shorts;

	*at++ = ':';
	*at++ = 'h';
	for (const struct option_def *def = usage->options; def->name; def++, count++) {
		bool has_value = def->type != OPT_FLAG;

		longs[count] = (struct option){def->name, has_value, NULL, LONG_ONLY + (int)count};
		if (!def->short_name)
			continue;
		*at++ = def->short_name;
		if (has_value)
			*at++ = ':';
	}
	*at = '\0';
	longs[count] = (struct option){"help", 0, NULL, HELP_OPTION};
	longs[count + 1] = (struct option){0};
	return count;
}

static const struct option_def *find_option(const struct command_usage *usage, int code)
{
	if (code >= LONG_ONLY)
		return &usage->options[code - LONG_ONLY];
	for (const struct option_def *def = usage->options; def->name; def++)
		if (def->short_name == code)
			return def;
	return NULL;
}

/* getopt permutes argv up to "--"; the caller needs the place of "--". */
static int find_separator(int argc, char **argv)
{
	if (optind > 1 && optind <= argc && !strcmp(argv[optind - 1], "--"))
		return optind;
	for (int i = optind; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return i + 1;
	return argc;
}

/* "; did you mean --target?", or "" */
static const char *suggestion(const struct command_usage *usage, const char *argument, char *text,
			      size_t size)
{
	const struct option_def *nearest = NULL;

	if (strncmp(argument, "--", 2))
		return "";
	for (const struct option_def *def = usage->options; def->name; def++)
		if (is_near(argument + 2, def->name) &&
		    (!nearest || word_distance(argument + 2, def->name) <
					 word_distance(argument + 2, nearest->name)))
			nearest = def;
	if (!nearest)
		return "";
	snprintf(text, size, "; did you mean --%s?", nearest->name);
	return text;
}

static int unknown_option(const struct command_usage *usage, int code, char **argv)
{
	const char *argument = argv[optind - 1];
	char text[128];

	if (code == ':')
		return options_usage_error(usage, "%s needs a value", argument);
	if (optopt >= LONG_ONLY)
		return options_usage_error(usage, "%s takes no value", argument);
	if (optopt)
		return options_usage_error(usage, "unknown option '-%c'", optopt);
	return options_usage_error(usage, "unknown option '%s'%s", argument,
				   suggestion(usage, argument, text, sizeof(text)));
}

/* A second value would replace the first unnoticed; a second flag changes nothing. */
static bool only_once(const struct option_def *def)
{
	return def->type != OPT_FLAG && def->type != OPT_LIST;
}

enum options_result options_parse(const struct command_usage *usage, int argc, char **argv,
				  void *config, int *first_operand, int *separator)
{
	struct option longs[OPTIONS_MAX + 2];
	char shorts[3 * OPTIONS_MAX];
	bool given[OPTIONS_MAX] = {false};
	int code;

	if (completion_is_on()) {
		completion_of_command(usage, argc, argv);
		return OPTIONS_HELP;
	}
	build_tables(usage, longs, shorts);
	opterr = 0;
	optind = 0;
	while ((code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct option_def *def;
		int err;

		if (code == 'h' || code == HELP_OPTION) {
			print_help(usage);
			return OPTIONS_HELP;
		}
		if (code == '?' || code == ':') {
			unknown_option(usage, code, argv);
			return OPTIONS_USAGE;
		}
		def = find_option(usage, code);
		if (given[def - usage->options] && only_once(def)) {
			options_usage_error(usage, "--%s is given twice: it takes one value",
					    def->name);
			return OPTIONS_USAGE;
		}
		given[def - usage->options] = true;
		err = set_field(def, optarg, config);
		if (err) {
			value_error(usage, def, optarg, err);
			return OPTIONS_USAGE;
		}
	}
	*first_operand = optind;
	if (separator)
		*separator = find_separator(argc, argv);
	return OPTIONS_OK;
}
