// SPDX-License-Identifier: MIT
#include "profile/text/builtin.h"

#include <stddef.h>
#include <string.h>

#define BUILTINS(each)                                                                            \
	each(backup, "backup") each(mail, "mail") each(oltp, "oltp") each(rand_read, "rand-read") \
		each(rand_write, "rand-write") each(seq_read, "seq-read")                         \
			each(seq_write, "seq-write") each(snia_5_95, "snia-5-95")                 \
				each(snia_65_35, "snia-65-35") each(web, "web")

/* The assembler copies the file; the path is from the top, where the compiler runs. */
#define TEXT(symbol, name)                                                             \
	extern const char builtin_##symbol[];                                          \
	__asm__(".pushsection .rodata\nbuiltin_" #symbol ":\n.incbin \"profiles/" name \
		".profile\"\n.byte 0\n.popsection\n");
#define ENTRY(symbol, name) {name, builtin_##symbol},
#define WORD(symbol, name)  " " name

BUILTINS(TEXT)

static const struct {
	const char *name, *text;
} builtins[] = {BUILTINS(ENTRY)};

const char *profile_builtin(const char *name)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++)
		if (!strcmp(builtins[i].name, name))
			return builtins[i].text;
	return NULL;
}

const char *profile_builtin_names(void)
{
	return &BUILTINS(WORD)[1];
}
