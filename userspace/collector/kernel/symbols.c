// SPDX-License-Identifier: MIT
#include "collector/kernel/symbols.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYMBOLS_PATH "/proc/kallsyms"

struct symbol {
	uint64_t address;
	uint32_t name; /* offset in the names */
};

struct kernel_symbols {
	struct symbol *list;
	size_t count, size;
	char *names;
	size_t names_used, names_size;
};

static int grow(void **memory, size_t *size, size_t wanted, size_t element)
{
	size_t larger = *size ? *size : 65536;
	void *grown;

	if (wanted <= *size)
		return 0;
	while (larger < wanted)
		larger *= 2;
	grown = realloc(*memory, larger * element);
	if (!grown)
		return -ENOMEM;
	*memory = grown;
	*size = larger;
	return 0;
}

static int add(struct kernel_symbols *s, uint64_t address, const char *name)
{
	size_t bytes = strlen(name) + 1;

	if (grow((void **)&s->list, &s->size, s->count + 1, sizeof(*s->list)) ||
	    grow((void **)&s->names, &s->names_size, s->names_used + bytes, 1))
		return -ENOMEM;
	s->list[s->count++] = (struct symbol){address, (uint32_t)s->names_used};
	memcpy(s->names + s->names_used, name, bytes);
	s->names_used += bytes;
	return 0;
}

static int by_address(const void *one, const void *other)
{
	uint64_t a = ((const struct symbol *)one)->address;
	uint64_t b = ((const struct symbol *)other)->address;

	return (a > b) - (a < b);
}

/* The compiler adds .isra.0, .constprop.0, .part.0 or .cold to the names of changed copies. */
static void cut_suffix(char *name)
{
	char *dot = strchr(name + 1, '.');

	if (dot)
		*dot = '\0';
}

/* "ffffffff81000000 T name [module]": functions only. */
static int add_line(struct kernel_symbols *s, char *line)
{
	char *rest, *name, *end;
	uint64_t address = strtoull(line, &rest, 16);

	if (rest == line || !address || strlen(rest) < 4 || !strchr("tTwW", rest[1]))
		return 0;
	name = rest + 3;
	for (end = name; *end && !isspace((unsigned char)*end);)
		end++;
	*end = '\0';
	cut_suffix(name);
	return add(s, address, name);
}

int kernel_symbols__load(struct kernel_symbols **symbols)
{
	struct kernel_symbols *s;
	FILE *file = fopen(SYMBOLS_PATH, "re");
	char line[1024];
	int err = 0;

	if (!file)
		return -errno;
	s = calloc(1, sizeof(*s));
	if (!s)
		err = -ENOMEM;
	while (!err && fgets(line, sizeof(line), file))
		err = add_line(s, line);
	fclose(file);
	if (!err && !s->count)
		err = -EPERM;
	if (err) {
		kernel_symbols__free(s);
		return err;
	}
	qsort(s->list, s->count, sizeof(*s->list), by_address);
	*symbols = s;
	return 0;
}

void kernel_symbols__free(struct kernel_symbols *s)
{
	if (!s)
		return;
	free(s->list);
	free(s->names);
	free(s);
}

const char *kernel_symbols__name(const struct kernel_symbols *s, uint64_t address)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? s->names + s->list[low - 1].name : NULL;
}

bool kernel_symbols_visible(void)
{
	FILE *file = fopen(SYMBOLS_PATH, "re");
	char line[1024];
	bool visible = false;

	for (int i = 0; file && i < 64 && !visible && fgets(line, sizeof(line), file); i++)
		visible = strtoull(line, NULL, 16) != 0;
	if (file)
		fclose(file);
	return visible;
}
