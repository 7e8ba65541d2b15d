// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "trace/file/closing.h"
#include "trace/file/index.h"

struct index_cursor {
	struct input *input;
	struct index_walk walk;
	struct index_entry entry;
};

struct index_cursor *index_cursor__open(struct input *in)
{
	uint64_t back = input__offset(in);
	struct index_cursor *c = NULL;
	struct end_mark end;

	if (!closing__read_end(in, &end) && end.index_at && end.index_at < input__bytes(in))
		c = malloc(sizeof(*c));
	input__seek(in, back);
	if (!c)
		return NULL;
	c->input = in;
	index_walk__start(&c->walk, in, end.index_at);
	return c;
}

void index_cursor__free(struct index_cursor *c)
{
	if (c)
		index_walk__stop(&c->walk);
	free(c);
}

const struct index_entry *index_cursor__next(struct index_cursor *c, const struct block_head *head)
{
	if (index_walk__next(&c->walk, &c->entry) != 1 ||
	    c->entry.offset != input__offset(c->input) || c->entry.kind != head->kind ||
	    c->entry.rows != head->rows)
		return NULL;
	return &c->entry;
}
