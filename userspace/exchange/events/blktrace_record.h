/* SPDX-License-Identifier: MIT */
/*
 * Decodes and encodes the records of blktrace: 48 (version 7) or 64 (version 8, newer kernels)
 * bytes in the byte order of the machine that traced, then `payload_bytes` more.
 */
#ifndef BLKREEL_EXCHANGE_EVENTS_BLKTRACE_RECORD_H
#define BLKREEL_EXCHANGE_EVENTS_BLKTRACE_RECORD_H

#include <stdbool.h>

#include "exchange/events/block_event.h"

#define BLKTRACE_MAGIC_BYTES 4u
#define BLKTRACE_BYTES	     48u
#define BLKTRACE2_BYTES	     64u

struct blktrace_head {
	bool big_endian;
	uint8_t version; /* 7, 8, or unknown */
	uint32_t bytes;	 /* of the record without its payload */
};

/* Decodes the first four bytes of a record. False: they begin no record. */
bool blktrace_head(const uint8_t *at, struct blktrace_head *head);

enum blktrace_note {
	BLKTRACE_NO_NOTE = 0,
	BLKTRACE_NOTE_PROCESS,	 /* payload: the name of event.pid */
	BLKTRACE_NOTE_TIMESTAMP, /* payload: seconds and ns since 1970, two u32 */
	BLKTRACE_NOTE_OTHER,
};

struct blktrace_record {
	struct block_event event; /* time as stored; action 0: to be ignored */
	uint32_t payload_bytes;
	uint32_t cgroup_bytes; /* at the beginning of the payload */
	enum blktrace_note note;
};

/* Decodes head->bytes bytes. False: they cannot be a record. */
bool blktrace_decode(const uint8_t *at, const struct blktrace_head *head,
		     struct blktrace_record *record);
/* Adds the fields of a split or a remap from the payload (without its cgroup bytes). */
void blktrace_decode_payload(const uint8_t *at, uint32_t bytes, struct block_event *event);
/* Seconds and ns of a TIMESTAMP as one number; 0: not one. */
uint64_t blktrace_decode_timestamp(const uint8_t *at, uint32_t bytes,
				   const struct blktrace_head *head);

/* Encodes a record of version 7, little-endian, without payload, if blktrace_can_hold() the row. */
void blktrace_encode(const struct block_event *event, uint8_t at[BLKTRACE_BYTES]);
/* Encodes a note with a payload of `payload_bytes`, which the caller appends. */
void blktrace_encode_note(const struct block_event *event, enum blktrace_note note,
			  uint16_t payload_bytes, uint8_t at[BLKTRACE_BYTES]);
bool blktrace_can_hold(const struct io_row *row);

#endif
