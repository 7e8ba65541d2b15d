// SPDX-License-Identifier: MIT
#include "trace/file/closing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int closing__append_json(struct output *o, enum block_kind kind, uint32_t rows, json_t *json)
{
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
	int err = -ENOMEM;

	if (text)
		err = output__append(o, kind, rows, (const uint8_t *)text, strlen(text), NULL);
	free(text);
	json_decref(json);
	return err;
}

int closing__append_index(struct output *o, const struct index_entry *entries, uint32_t count)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < count; i++) {
		if (json_array_append_new(array, meta_from_index(&entries[i]))) {
			json_decref(array);
			return -ENOMEM;
		}
	}
	return closing__append_json(o, BLOCK_INDEX, count, array);
}

int closing__append_end(struct output *o, const struct end_mark *end)
{
	uint8_t payload[TRACE_END_PAYLOAD_BYTES];
	json_t *json = meta_from_end(end);
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
	int err = -ENOMEM;

	/* Eight numbers of the largest size would not fit; no file is that long. */
	if (text && strlen(text) > sizeof(payload))
		err = -EOVERFLOW;
	else if (text) {
		memset(payload, ' ', sizeof(payload));
		memcpy(payload, text, strlen(text));
		err = output__append_plain(o, BLOCK_END, 1, payload, sizeof(payload));
	}
	free(text);
	json_decref(json);
	return err;
}

int closing__parse_end(const uint8_t *payload, size_t bytes, struct end_mark *end)
{
	json_t *json = json_loadb((const char *)payload, bytes, 0, NULL);
	int err = json ? meta_to_end(json, end) : -EBADMSG;

	json_decref(json);
	return err;
}

int closing__read_end(struct input *in, struct end_mark *end)
{
	const uint64_t bytes = TRACE_BLOCK_HEAD_BYTES + TRACE_END_PAYLOAD_BYTES;
	const uint8_t *payload;
	struct block_head head;

	if (input__bytes(in) < TRACE_HEAD_BYTES + bytes)
		return -EBADMSG;
	input__seek(in, input__bytes(in) - bytes);
	switch (input__read(in, &head)) {
	case INPUT_BLOCK:
		break;
	case INPUT_FAILED:
		return input__error(in);
	default:
		return -EBADMSG;
	}
	payload = head.kind == BLOCK_END ? input__payload(in, &head) : NULL;
	return payload ? closing__parse_end(payload, head.raw_bytes, end) : -EBADMSG;
}

void index_walk__start(struct index_walk *c, struct input *in, uint64_t offset)
{
	*c = (struct index_walk){.in = in, .offset = offset};
}

/*
 * Reads the index block at the input's offset into c->block. 1: done; 0: another block or none;
 * negative errno.
 */
static int read_block(struct index_walk *c)
{
	const uint8_t *payload;
	struct block_head head;

	switch (input__read(c->in, &head)) {
	case INPUT_BLOCK:
		break;
	case INPUT_FAILED:
		return input__error(c->in);
	default: /* no index block follows */
		return 0;
	}
	if (head.kind != BLOCK_INDEX)
		return 0;
	payload = input__payload(c->in, &head);
	if (!payload)
		return input__error(c->in) ? input__error(c->in) : -EBADMSG;
	c->block = json_loadb((const char *)payload, head.raw_bytes, 0, NULL);
	if (!json_is_array(c->block) || json_array_size(c->block) != head.rows || !head.rows)
		return -EBADMSG;
	c->offset += TRACE_BLOCK_HEAD_BYTES + (uint64_t)head.stored_bytes;
	return 1;
}

static int next_block(struct index_walk *c)
{
	uint64_t back = input__offset(c->in);
	int got;

	json_decref(c->block);
	c->block = NULL;
	c->next = 0;
	input__seek(c->in, c->offset);
	got = read_block(c);
	input__seek(c->in, back);
	return got;
}

int index_walk__next(struct index_walk *c, struct index_entry *entry)
{
	int got;

	if (c->next == json_array_size(c->block)) {
		got = next_block(c);
		if (got <= 0)
			return got;
	}
	got = meta_to_index(json_array_get(c->block, c->next++), entry);
	return got ? got : 1;
}

void index_walk__stop(struct index_walk *c)
{
	json_decref(c->block);
	c->block = NULL;
}
