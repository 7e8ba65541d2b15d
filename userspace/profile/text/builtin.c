// SPDX-License-Identifier: MIT
#include "profile/text/builtin.h"

#include <stddef.h>
#include <string.h>

/* The assembler copies the file; the path is from the top, where the compiler runs. */
#define BUILTIN(symbol, file)                                                  \
	extern const char symbol[];                                            \
	__asm__(".pushsection .rodata\n" #symbol ":\n.incbin \"profiles/" file \
		".profile\"\n.byte 0\n.popsection\n")

BUILTIN(builtin_backup, "backup");
BUILTIN(builtin_mail, "mail");
BUILTIN(builtin_oltp, "oltp");
BUILTIN(builtin_rand_read, "rand-read");
BUILTIN(builtin_rand_write, "rand-write");
BUILTIN(builtin_seq_read, "seq-read");
BUILTIN(builtin_seq_write, "seq-write");
BUILTIN(builtin_snia_5_95, "snia-5-95");
BUILTIN(builtin_snia_65_35, "snia-65-35");
BUILTIN(builtin_web, "web");

static const struct {
	const char *name, *text;
} builtins[] = {
	{"backup", builtin_backup},
	{"mail", builtin_mail},
	{"oltp", builtin_oltp},
	{"rand-read", builtin_rand_read},
	{"rand-write", builtin_rand_write},
	{"seq-read", builtin_seq_read},
	{"seq-write", builtin_seq_write},
	{"snia-5-95", builtin_snia_5_95},
	{"snia-65-35", builtin_snia_65_35},
	{"web", builtin_web},
};

const char *profile_builtin(const char *name)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++)
		if (!strcmp(builtins[i].name, name))
			return builtins[i].text;
	return NULL;
}

const char *profile_builtin_names(void)
{
	return "backup mail oltp rand-read rand-write seq-read seq-write snia-5-95 snia-65-35 web";
}
