#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "trace/coding.h"
#include "trace/column_defs.h"
#include "trace/columns.h"
#include "trace/transform.h"

#define DIRECTORY_HEAD_BYTES  4
#define DIRECTORY_ENTRY_BYTES 8

struct columns {
	uint64_t values[TRACE_BLOCK_ROWS_MAX];
	uint64_t since[TRACE_BLOCK_ROWS_MAX];
	uint64_t coded[2][TRACE_BLOCK_ROWS_MAX]; /* the best candidate so far, and the next */
	struct coding_plan plan[2];
};

struct columns *columns__new(void)
{
	return malloc(sizeof(struct columns));
}

void columns__free(struct columns *c)
{
	free(c);
}

size_t columns_row_size(enum row_kind kind)
{
	return column_table(kind)->row_bytes;
}

size_t columns_row_size_max(void)
{
	size_t largest = 0;

	for (enum row_kind kind = 0; kind < STORED_ROW_KINDS; kind++)
		if (columns_row_size(kind) > largest)
			largest = columns_row_size(kind);
	return largest;
}

size_t columns_payload_max(enum row_kind kind)
{
	size_t per_column = DIRECTORY_ENTRY_BYTES + 2 * VARINT_MAX_BYTES + 16 +
			    8 * (size_t)TRACE_BLOCK_ROWS_MAX;

	return DIRECTORY_HEAD_BYTES + column_table(kind)->count * per_column;
}

#define GATHER(type)                                                 \
	do {                                                         \
		for (uint32_t i = 0; i < count; i++, at += stride) { \
			type field;                                  \
			memcpy(&field, at, sizeof(field));           \
			values[i] = field;                           \
		}                                                    \
	} while (0)

static void gather(const void *rows, size_t stride, unsigned int offset, unsigned int bytes,
		   uint64_t *values, uint32_t count)
{
	const char *at = (const char *)rows + offset;

	switch (bytes) {
	case 1:
		GATHER(uint8_t);
		break;
	case 2:
		GATHER(uint16_t);
		break;
	case 4:
		GATHER(uint32_t);
		break;
	default:
		GATHER(uint64_t);
	}
}

#define SCATTER(type)                                                \
	do {                                                         \
		for (uint32_t i = 0; i < count; i++, at += stride) { \
			type field = (type)values[i];                \
			memcpy(at, &field, sizeof(field));           \
		}                                                    \
	} while (0)

static void scatter(void *rows, size_t stride, unsigned int offset, unsigned int bytes,
		    const uint64_t *values, uint32_t count)
{
	char *at = (char *)rows + offset;

	switch (bytes) {
	case 1:
		SCATTER(uint8_t);
		break;
	case 2:
		SCATTER(uint16_t);
		break;
	case 4:
		SCATTER(uint32_t);
		break;
	default:
		SCATTER(uint64_t);
	}
}

static void gather_since(struct columns *c, const struct column_def *def, const void *rows,
			 size_t stride, uint32_t count)
{
	const char *other = (const char *)rows + def->else_since;

	gather(rows, stride, def->since, sizeof(uint64_t), c->since, count);
	for (uint32_t i = 0; i < count && def->else_since != COLUMN_NONE; i++, other += stride)
		if (!c->since[i])
			memcpy(&c->since[i], other, sizeof(uint64_t));
}

/* An error is small and of either sign; as an unsigned number it would be neither. */
static void errors_to_numbers(uint64_t *values, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		values[i] = zigzag((uint64_t)(int64_t)(int32_t)(uint32_t)values[i]);
}

/* One column on its way to bytes: the best transform and coding found so far. */
struct candidate {
	enum transform transform;
	struct transform_head head;
	unsigned int slot; /* of coded[] and plan[] */
	uint32_t bytes;
};

static uint32_t head_bytes(enum transform transform, const struct transform_head *head)
{
	return varint_bytes(head->scale) +
	       (transform_has_base(transform) ? varint_bytes(head->base) : 0);
}

static void try_transform(struct columns *c, struct candidate *best, enum transform transform,
			  const struct transform_inputs *in, uint32_t count)
{
	struct candidate next = {.transform = transform, .slot = !best->slot};

	if (transform_apply(transform, in, c->values, count, c->coded[next.slot], &next.head))
		return;
	coding_plan(&c->plan[next.slot], c->coded[next.slot], count);
	next.bytes = head_bytes(transform, &next.head) + c->plan[next.slot].bytes;
	if (next.bytes < best->bytes)
		*best = next;
}

static bool any_zero(const uint64_t *values, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!values[i])
			return true;
	return false;
}

static struct candidate choose(struct columns *c, const struct column_def *def,
			       const struct transform_inputs *in, uint32_t count)
{
	struct candidate best = {.bytes = UINT32_MAX};

	switch ((enum column_role)def->role) {
	case ROLE_TIME:
		if (any_zero(c->values, count)) {
			try_transform(c, &best, TRANSFORM_DELTA_SEEN, in, count);
		} else {
			try_transform(c, &best, TRANSFORM_RISING, in, count);
			try_transform(c, &best, TRANSFORM_DELTA, in, count);
		}
		break;
	case ROLE_SINCE:
		try_transform(c, &best,
			      any_zero(c->values, count) ? TRANSFORM_SINCE_SEEN : TRANSFORM_SINCE,
			      in, count);
		break;
	case ROLE_SECTOR:
		try_transform(c, &best, TRANSFORM_AFTER_DEVICE, in, count);
		try_transform(c, &best, TRANSFORM_AFTER_OP, in, count);
		try_transform(c, &best, TRANSFORM_AFTER_TASK, in, count);
		try_transform(c, &best, TRANSFORM_DELTA, in, count);
		break;
	case ROLE_VALUE:
	case ROLE_ERROR:
		break;
	}
	if (best.bytes > count)
		try_transform(c, &best, TRANSFORM_PLAIN, in, count);
	if (best.bytes > count + count / 2 && def->role == ROLE_VALUE)
		try_transform(c, &best, TRANSFORM_DELTA, in, count);
	return best;
}

static uint8_t *put_column(struct columns *c, const struct candidate *chosen, uint32_t count,
			   uint8_t *at)
{
	at += put_varint(at, chosen->head.scale);
	if (transform_has_base(chosen->transform))
		at += put_varint(at, chosen->head.base);
	return coding_pack(&c->plan[chosen->slot], c->coded[chosen->slot], count, at);
}

static bool all_zero(const uint64_t *values, uint32_t count)
{
	uint64_t bits = 0;

	for (uint32_t i = 0; i < count; i++)
		bits |= values[i];
	return !bits;
}

size_t columns__encode(struct columns *c, enum row_kind kind, const void *rows, uint32_t count,
		       uint64_t unit, uint8_t *payload)
{
	const struct column_table *table = column_table(kind);
	uint8_t *entry = payload + DIRECTORY_HEAD_BYTES;
	uint8_t *first = entry + table->count * DIRECTORY_ENTRY_BYTES, *at = first;
	unsigned int stored = 0;

	for (unsigned int i = 0; i < table->count; i++) {
		const struct column_def *def = &table->columns[i];
		bool is_time = def->role == ROLE_TIME || def->role == ROLE_SINCE;
		struct transform_inputs in = {.rows = rows, .unit = is_time ? unit : 0};
		struct candidate chosen;
		uint8_t *start = at;

		gather(rows, table->row_bytes, def->offset, def->bytes, c->values, count);
		if (all_zero(c->values, count))
			continue;
		if (def->role == ROLE_ERROR)
			errors_to_numbers(c->values, count);
		if (def->role == ROLE_SINCE) {
			gather_since(c, def, rows, table->row_bytes, count);
			in.since = c->since;
		}
		chosen = choose(c, def, &in, count);
		at = put_column(c, &chosen, count, at);
		entry[0] = def->id;
		entry[1] = (uint8_t)chosen.transform;
		entry[2] = (uint8_t)c->plan[chosen.slot].coding;
		entry[3] = 0;
		put_le32(entry + 4, (uint32_t)(at - start));
		entry += DIRECTORY_ENTRY_BYTES;
		stored++;
	}
	put_le16(payload, (uint16_t)stored);
	put_le16(payload + 2, 0);
	memmove(entry, first, (size_t)(at - first));
	return (size_t)(entry - payload) + (size_t)(at - first);
}

/* Where each known column lies in a payload; bytes of 0: it is missing. */
struct directory {
	struct {
		const uint8_t *at;
		uint32_t bytes;
		uint8_t transform, coding;
	} column[COLUMN_ID_MAX + 1];
};

static const char *read_directory(struct directory *directory, const uint8_t *payload, size_t bytes)
{
	const uint8_t *entry = payload + DIRECTORY_HEAD_BYTES, *at;
	unsigned int count;
	size_t left;

	memset(directory, 0, sizeof(*directory));
	if (bytes < DIRECTORY_HEAD_BYTES || get_le16(payload + 2))
		return "a block of rows has no column directory";
	count = get_le16(payload);
	left = bytes - DIRECTORY_HEAD_BYTES;
	if (left / DIRECTORY_ENTRY_BYTES < count)
		return "a column directory is longer than its block";
	at = entry + (size_t)count * DIRECTORY_ENTRY_BYTES;
	left -= (size_t)count * DIRECTORY_ENTRY_BYTES;
	for (; count; count--, entry += DIRECTORY_ENTRY_BYTES) {
		uint32_t length = get_le32(entry + 4);
		unsigned int id = entry[0];

		if (length > left || !length || entry[3])
			return "a column does not fit into its block";
		if (id <= COLUMN_ID_MAX) {
			if (directory->column[id].bytes)
				return "a column is there twice";
			directory->column[id].at = at;
			directory->column[id].bytes = length;
			directory->column[id].transform = entry[1];
			directory->column[id].coding = entry[2];
		}
		at += length;
		left -= length;
	}
	return left ? "a block is longer than its columns" : NULL;
}

static int get_column(struct columns *c, const struct directory *directory, unsigned int id,
		      const struct transform_inputs *in, uint32_t count)
{
	const uint8_t *at = directory->column[id].at, *end = at + directory->column[id].bytes;
	unsigned int transform = directory->column[id].transform, used;
	struct transform_head head = {0};

	used = get_varint(at, end, &head.scale);
	if (!used || !head.scale)
		return -EBADMSG;
	at += used;
	if (transform_has_base(transform)) {
		used = get_varint(at, end, &head.base);
		if (!used)
			return -EBADMSG;
		at += used;
	}
	if (coding_unpack(directory->column[id].coding, at, (size_t)(end - at), c->values, count))
		return -EBADMSG;
	return transform_undo(transform, in, c->values, count, &head);
}

static bool within_range(const struct column_def *def, const uint64_t *values, uint32_t count)
{
	uint64_t limit = def->limit, bits = 0;

	for (uint32_t i = 0; i < count; i++)
		bits |= values[i];
	if (def->bytes < 8 && bits >> (8 * def->bytes))
		return false;
	for (uint32_t i = 0; i < count && limit; i++)
		if (values[i] >= limit)
			return false;
	return true;
}

static void numbers_to_errors(uint64_t *values, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		values[i] = (uint32_t)unzigzag(values[i]);
}

int columns__decode(struct columns *c, enum row_kind kind, const uint8_t *payload, size_t bytes,
		    void *rows, uint32_t count, const char **reason)
{
	const struct column_table *table = column_table(kind);
	struct directory directory;

	*reason = read_directory(&directory, payload, bytes);
	if (*reason)
		return -EBADMSG;
	memset(rows, 0, table->row_bytes * count);
	for (unsigned int i = 0; i < table->count; i++) {
		const struct column_def *def = &table->columns[i];
		struct transform_inputs in = {0};

		if (!directory.column[def->id].bytes)
			continue;
		if (def->role == ROLE_SINCE) {
			gather_since(c, def, rows, table->row_bytes, count);
			in.since = c->since;
		}
		if (def->role == ROLE_SECTOR)
			in.rows = rows;
		if (get_column(c, &directory, def->id, &in, count)) {
			*reason = "a column cannot be decoded";
			return -EBADMSG;
		}
		if (!within_range(def, c->values, count)) {
			*reason = "a column holds a value out of range";
			return -EBADMSG;
		}
		if (def->role == ROLE_ERROR)
			numbers_to_errors(c->values, count);
		scatter(rows, table->row_bytes, def->offset, def->bytes, c->values, count);
	}
	return 0;
}

static void widen(uint64_t time_ns, uint64_t *first_ns, uint64_t *last_ns)
{
	if (!time_ns)
		return;
	*first_ns = !*first_ns || time_ns < *first_ns ? time_ns : *first_ns;
	*last_ns = time_ns > *last_ns ? time_ns : *last_ns;
}

void columns_time_span(enum row_kind kind, const void *rows, uint32_t count, uint64_t *first_ns,
		       uint64_t *last_ns)
{
	const struct column_table *table = column_table(kind);

	*first_ns = *last_ns = 0;
	for (unsigned int i = 0; i < table->count; i++) {
		const char *at = (const char *)rows + table->columns[i].offset;

		if (table->columns[i].role != ROLE_TIME && table->columns[i].role != ROLE_SINCE)
			continue;
		for (uint32_t row = 0; row < count; row++, at += table->row_bytes) {
			uint64_t time_ns;

			memcpy(&time_ns, at, sizeof(time_ns));
			widen(time_ns, first_ns, last_ns);
		}
	}
}
