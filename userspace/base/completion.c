// SPDX-License-Identifier: MIT
#include "base/completion.h"

#include <stdio.h>
#include <string.h>

static bool is_on;

void completion_begin(void)
{
	is_on = true;
}

bool completion_is_on(void)
{
	return is_on;
}

void completion_offer(const char *word, const char *candidate, const char *text)
{
	if (!strncmp(candidate, word, strlen(word)))
		printf("%s\t%.*s\n", candidate, (int)strcspn(text, "\n"), text);
}

/* The option whose value follows `word`, or NULL. */
static const struct option_def *awaits_value(const struct command_usage *usage, const char *word)
{
	for (const struct option_def *def = usage->options; def->name; def++) {
		if (def->type == OPT_FLAG)
			continue;
		if (!strncmp(word, "--", 2) && !strcmp(word + 2, def->name))
			return def;
		if (word[0] == '-' && def->short_name && word[1] == def->short_name && !word[2])
			return def;
	}
	return NULL;
}

static void offer_value(const struct option_def *def, const char *word)
{
	switch (def->type) {
	case OPT_CHOICE:
		for (unsigned int i = 0; def->choices[i]; i++)
			completion_offer(word, def->choices[i], "");
		puts(":none");
		break;
	case OPT_TEXT:
	case OPT_FILE:
	case OPT_LIST:
		puts(":file");
		break;
	default:
		puts(":none");
	}
}

static void offer_options(const struct command_usage *usage, const char *word)
{
	char name[128];

	for (const struct option_def *def = usage->options; def->name; def++) {
		snprintf(name, sizeof(name), "--%s", def->name);
		completion_offer(word, name, def->help);
	}
	completion_offer(word, "--help", "print this text");
	puts(":none");
}

void completion_of_command(const struct command_usage *usage, int argc, char **argv)
{
	const char *word = argv[argc - 1], *before = argc > 2 ? argv[argc - 2] : "";
	const struct option_def *def = awaits_value(usage, before);

	for (int i = 1; i < argc - 1; i++) {
		if (strcmp(argv[i], "--"))
			continue;
		puts(i == argc - 2 ? ":command" : ":file");
		return;
	}
	if (def) {
		offer_value(def, word);
	} else if (*word == '-') {
		offer_options(usage, word);
	} else {
		for (unsigned int i = 0; usage->subcommands && argc == 2 && usage->subcommands[i];
		     i++)
			completion_offer(word, usage->subcommands[i], "");
		puts(":file");
	}
}
