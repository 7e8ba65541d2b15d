#include <stdlib.h>

#include "trace/index.h"

#define END_BLOCK_BYTES (TRACE_BLOCK_HEAD_BYTES + TRACE_END_PAYLOAD_BYTES)

struct index_cursor {
	struct input *input;
	uint64_t block_at; /* offset of the next index block */
	uint32_t count, at;
	struct index_entry entries[TRACE_BLOCK_ROWS_MAX];
};

/* The JSON of the block of `kind` at `offset`, a new reference; NULL: it is not there or bad. */
static json_t *read_json(struct input *in, uint64_t offset, enum block_kind kind,
			 struct block_head *head)
{
	uint64_t back = input__offset(in);
	const uint8_t *payload = NULL;
	json_t *json = NULL;

	input__seek(in, offset);
	if (input__read(in, head) == INPUT_BLOCK && head->kind == kind)
		payload = input__payload(in, head);
	if (payload)
		json = json_loadb((const char *)payload, head->raw_bytes, 0, NULL);
	input__seek(in, back);
	return json;
}

static uint64_t find_index(struct input *in)
{
	uint64_t bytes = input__bytes(in);
	struct block_head head;
	struct end_mark end;
	json_t *json;

	if (bytes < TRACE_HEAD_BYTES + END_BLOCK_BYTES)
		return 0;
	json = read_json(in, bytes - END_BLOCK_BYTES, BLOCK_END, &head);
	if (!json || meta_to_end(json, &end))
		end.index_at = 0;
	json_decref(json);
	return end.index_at < bytes ? end.index_at : 0;
}

struct index_cursor *index_cursor__open(struct input *in)
{
	uint64_t index_at = find_index(in);
	struct index_cursor *c = index_at ? malloc(sizeof(*c)) : NULL;

	if (!c)
		return NULL;
	c->input = in;
	c->block_at = index_at;
	c->count = c->at = 0;
	return c;
}

void index_cursor__free(struct index_cursor *c)
{
	free(c);
}

static bool read_entries(struct index_cursor *c)
{
	struct block_head head;
	json_t *json = read_json(c->input, c->block_at, BLOCK_INDEX, &head);
	bool is_good = json && json_is_array(json) && json_array_size(json) == head.rows;

	c->at = c->count = 0;
	for (uint32_t i = 0; is_good && i < head.rows; i++)
		is_good = !meta_to_index(json_array_get(json, i), &c->entries[i]);
	json_decref(json);
	if (!is_good)
		return false;
	c->count = head.rows;
	c->block_at += TRACE_BLOCK_HEAD_BYTES + (uint64_t)head.stored_bytes;
	return c->count > 0;
}

const struct index_entry *index_cursor__next(struct index_cursor *c, const struct block_head *head)
{
	const struct index_entry *entry;

	if (c->at == c->count && !read_entries(c))
		return NULL;
	entry = &c->entries[c->at++];
	if (entry->offset != input__offset(c->input) || entry->kind != head->kind ||
	    entry->rows != head->rows)
		return NULL;
	return entry;
}
