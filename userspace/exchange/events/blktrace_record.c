// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/bytes.h"
#include "base/units.h"
#include "exchange/events/blktrace_record.h"

#define MAGIC	      0x65617400u
#define VERSION_1     7
#define VERSION_2     8
#define TRACED_CGROUP 0x100u
#define CGROUP_BYTES  8u
/* A record with larger values counts as damaged. */
#define CPU_MAX	    UINT16_MAX
#define LAST_ACTION 31u

/* Categories of events; in the upper bits of the action. */
enum category {
	TC_WRITE = 1u << 1,
	TC_FLUSH = 1u << 2,
	TC_SYNC = 1u << 3,
	TC_QUEUE = 1u << 4,
	TC_ISSUE = 1u << 6,
	TC_COMPLETE = 1u << 7,
	TC_FS = 1u << 8,
	TC_PASSTHROUGH = 1u << 9,
	TC_NOTIFY = 1u << 10,
	TC_READAHEAD = 1u << 11,
	TC_META = 1u << 12,
	TC_DISCARD = 1u << 13,
	TC_FUA = 1u << 15,
	/* version 8 only */
	TC_ZONE_APPEND = 1u << 16,
	TC_ZONE_RESET = 1u << 17,
	TC_ZONE_RESET_ALL = 1u << 18,
	TC_ZONE_FINISH = 1u << 19,
	TC_ZONE_OPEN = 1u << 20,
	TC_ZONE_CLOSE = 1u << 21,
	TC_WRITE_ZEROES = 1u << 22,
};

#define TC_READ	 (1u << 0)
#define TC_SHIFT 16

enum number {
	NUMBER_QUEUE = 1,
	NUMBER_GET_REQUEST = 4,
	NUMBER_ISSUE = 7,
	NUMBER_COMPLETE = 8,
};

static const uint8_t actions[] = {
	[NUMBER_QUEUE] = BLOCK_QUEUE, [2] = BLOCK_BACK_MERGE, [3] = BLOCK_FRONT_MERGE,
	[6] = BLOCK_REQUEUE,	      [7] = BLOCK_ISSUE,      [8] = BLOCK_COMPLETE,
	[13] = BLOCK_SPLIT,	      [15] = BLOCK_REMAP,
};

static const struct {
	uint32_t category;
	enum io_op op;
} ops[] = {
	/* The first match counts: a discard, for example, is also a write. */
	{TC_PASSTHROUGH, IO_OP_PASSTHROUGH},
	{TC_DISCARD, IO_OP_DISCARD},
	{TC_WRITE_ZEROES, IO_OP_WRITE_ZEROES},
	{TC_ZONE_APPEND, IO_OP_ZONE_APPEND},
	{TC_ZONE_RESET_ALL, IO_OP_ZONE_RESET_ALL},
	{TC_ZONE_RESET, IO_OP_ZONE_RESET},
	{TC_ZONE_FINISH, IO_OP_ZONE_FINISH},
	{TC_ZONE_OPEN, IO_OP_ZONE_OPEN},
	{TC_ZONE_CLOSE, IO_OP_ZONE_CLOSE},
	{TC_WRITE, IO_OP_WRITE},
	{TC_FLUSH, IO_OP_FLUSH},
};

static const struct {
	uint32_t category;
	uint32_t flag;
} flags[] = {
	{TC_SYNC, IO_SYNC}, {TC_META, IO_META},	     {TC_READAHEAD, IO_RAHEAD},
	{TC_FUA, IO_FUA},   {TC_FLUSH, IO_PREFLUSH},
};

bool blktrace_head(const uint8_t *at, struct blktrace_head *head)
{
	uint32_t little = get_le32(at), big = __builtin_bswap32(little), magic;

	head->big_endian = (big & ~0xffu) == MAGIC;
	magic = head->big_endian ? big : little;
	head->version = (uint8_t)magic;
	head->bytes = head->version == VERSION_2 ? BLKTRACE2_BYTES : BLKTRACE_BYTES;
	return (magic & ~0xffu) == MAGIC &&
	       (head->version == VERSION_1 || head->version == VERSION_2);
}

static uint64_t get(const uint8_t *at, unsigned int bytes, const struct blktrace_head *head)
{
	uint64_t value = get_le(at, bytes);

	return head->big_endian ? __builtin_bswap64(value) >> (64 - 8 * bytes) : value;
}

static void decode_action(uint64_t action, struct blktrace_record *record)
{
	uint32_t category = (uint32_t)(action >> TC_SHIFT);
	uint32_t number = action & 0xffff & ~TRACED_CGROUP;
	struct block_event *event = &record->event;

	record->cgroup_bytes = action & TRACED_CGROUP ? CGROUP_BYTES : 0;
	if (category & TC_NOTIFY) {
		record->note = number == 0   ? BLKTRACE_NOTE_PROCESS
			       : number == 1 ? BLKTRACE_NOTE_TIMESTAMP
					     : BLKTRACE_NOTE_OTHER;
		return;
	}
	/*
	 * A second record, with the number of a completion, tells where a zone append was written.
	 */
	if (number < sizeof(actions) && (number != NUMBER_COMPLETE || category & TC_COMPLETE))
		event->action = actions[number];
	event->op = IO_OP_READ;
	for (unsigned int i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (!(category & ops[i].category))
			continue;
		event->op = ops[i].op;
		break;
	}
	for (unsigned int i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (category & flags[i].category)
			event->flags |= flags[i].flag;
	if (event->op == IO_OP_FLUSH)
		event->flags &= ~IO_PREFLUSH;
}

bool blktrace_decode(const uint8_t *at, const struct blktrace_head *head,
		     struct blktrace_record *record)
{
	bool second = head->version == VERSION_2;
	uint64_t action = second ? get(at + 32, 8, head) : get(at + 28, 4, head);
	const uint8_t *rest = second ? at + 40 : at + 36;
	uint64_t cpu = get(rest + 4, 4, head);

	memset(record, 0, sizeof(*record));
	record->event = (struct block_event){
		.sequence = (uint32_t)get(at + 4, 4, head),
		.time_ns = get(at + 8, 8, head),
		.sector = get(at + 16, 8, head),
		.bytes = get(at + 24, 4, head),
		.pid = (uint32_t)get(second ? at + 28 : at + 32, 4, head),
		.device = (uint32_t)get(rest, 4, head),
		.cpu = (uint16_t)cpu,
		.error = block_error((uint16_t)get(rest + 8, 2, head)),
	};
	record->payload_bytes = (uint32_t)get(rest + 10, 2, head);
	decode_action(action, record);
	if (record->cgroup_bytes > record->payload_bytes)
		return false;
	return cpu <= CPU_MAX && (action & 0xffff & ~TRACED_CGROUP) <= LAST_ACTION;
}

void blktrace_decode_payload(const uint8_t *at, uint32_t bytes, struct block_event *event)
{
	/* Big-endian on every machine. */
	static const struct blktrace_head network = {.big_endian = true};

	if (event->action == BLOCK_SPLIT && bytes >= 8)
		event->other_sector = get(at, 8, &network);
	if (event->action == BLOCK_REMAP && bytes >= 16) {
		event->other_device = (uint32_t)get(at, 4, &network);
		event->other_sector = get(at + 8, 8, &network);
	}
}

uint64_t blktrace_decode_timestamp(const uint8_t *at, uint32_t bytes,
				   const struct blktrace_head *head)
{
	if (bytes != 8)
		return 0;
	return get(at, 4, head) * NSEC_PER_SEC + get(at + 4, 4, head);
}

bool blktrace_can_hold(const struct io_row *row)
{
	if (row->op == IO_OP_PASSTHROUGH)
		return row->bytes <= UINT32_MAX;
	if (row->bytes > UINT32_MAX || row->bytes % SECTOR_BYTES)
		return false;
	if (row->op == IO_OP_READ || row->op == IO_OP_DISCARD)
		return row->bytes != 0;
	return row->op == IO_OP_WRITE || row->op == IO_OP_FLUSH;
}

static uint32_t encode_action(const struct block_event *event)
{
	uint32_t category =
		event->op == IO_OP_WRITE || event->op == IO_OP_DISCARD ? TC_WRITE : TC_READ;
	uint32_t number = 0;

	for (uint32_t i = 0; i < sizeof(actions); i++)
		if (actions[i] == event->action)
			number = i;
	if (event->action == BLOCK_GET_REQUEST)
		number = NUMBER_GET_REQUEST;
	for (unsigned int i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (event->flags & flags[i].flag)
			category |= flags[i].category;
	if (event->op == IO_OP_FLUSH)
		category |= TC_FLUSH;
	if (event->op == IO_OP_DISCARD)
		category |= TC_DISCARD;
	if (event->action == BLOCK_ISSUE)
		category |= TC_ISSUE;
	else if (event->action == BLOCK_COMPLETE)
		category |= TC_COMPLETE;
	else
		category |= TC_QUEUE;
	if (event->op == IO_OP_PASSTHROUGH)
		category |= TC_PASSTHROUGH;
	else if (event->action == BLOCK_ISSUE || event->action == BLOCK_COMPLETE)
		category |= TC_FS;
	return category << TC_SHIFT | number;
}

static void encode(const struct block_event *event, uint32_t action, uint16_t payload_bytes,
		   uint8_t at[BLKTRACE_BYTES])
{
	put_le32(at, MAGIC | VERSION_1);
	put_le32(at + 4, event->sequence);
	put_le64(at + 8, event->time_ns);
	put_le64(at + 16, event->sector);
	put_le32(at + 24, (uint32_t)event->bytes);
	put_le32(at + 28, action);
	put_le32(at + 32, event->pid);
	put_le32(at + 36, event->device);
	put_le32(at + 40, event->cpu);
	put_le16(at + 44, (uint16_t)event->error);
	put_le16(at + 46, payload_bytes);
}

void blktrace_encode(const struct block_event *event, uint8_t at[BLKTRACE_BYTES])
{
	encode(event, encode_action(event), 0, at);
}

void blktrace_encode_note(const struct block_event *event, enum blktrace_note note,
			  uint16_t payload_bytes, uint8_t at[BLKTRACE_BYTES])
{
	struct block_event place = {.time_ns = event->time_ns,
				    .pid = note == BLKTRACE_NOTE_PROCESS ? event->pid : 0,
				    .device = event->device,
				    .cpu = event->cpu};

	encode(&place, (uint32_t)TC_NOTIFY << TC_SHIFT | (note == BLKTRACE_NOTE_PROCESS ? 0 : 1),
	       payload_bytes, at);
}
