/* SPDX-License-Identifier: MIT */
/*
 * The records of blktrace as bytes: 48 (version 7) or 64 (version 8, newer kernels) bytes in the byte
 * order of the machine that traced, then `payload_bytes` more.
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
	uint8_t version; /* 7, 8, or what no reader knows */
	uint32_t bytes;	 /* of the record without its payload */
};

/* False: these four bytes begin no record. */
bool blktrace_head(const uint8_t *at, struct blktrace_head *head);

enum blktrace_note {
	BLKTRACE_NO_NOTE = 0,
	BLKTRACE_NOTE_PROCESS,	 /* payload: the name of event.pid */
	BLKTRACE_NOTE_TIMESTAMP, /* payload: seconds and ns since 1970, two u32 */
	BLKTRACE_NOTE_OTHER,
};

struct blktrace_record {
	struct block_event event; /* time as stored; action 0 where it tells nothing */
	uint32_t payload_bytes;
	uint32_t cgroup_bytes; /* of the payload: in front of what the record is about */
	enum blktrace_note note;
};

/* Decodes head->bytes bytes. False: they cannot be a record. */
bool blktrace_decode(const uint8_t *at, const struct blktrace_head *head,
		     struct blktrace_record *record);
/* Adds what the payload (without its cgroup bytes) says of a split or a remap. */
void blktrace_decode_payload(const uint8_t *at, uint32_t bytes, struct block_event *event);
/* Seconds and ns of a TIMESTAMP as one number; 0: not one. */
uint64_t blktrace_decode_timestamp(const uint8_t *at, uint32_t bytes,
				   const struct blktrace_head *head);

/* A record of version 7, little-endian, without payload. Only what blktrace_can_hold(). */
void blktrace_encode(const struct block_event *event, uint8_t at[BLKTRACE_BYTES]);
/* A note with a payload of `payload_bytes`, which the caller adds. */
void blktrace_encode_note(const struct block_event *event, enum blktrace_note note,
			  uint16_t payload_bytes, uint8_t at[BLKTRACE_BYTES]);
bool blktrace_can_hold(const struct io_row *row);

#endif
