// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <stdio.h>

#include "base/units.h"
#include "exchange/events/blkparse_line.h"
#include "exchange/foreign.h"

#define CPU_MAX UINT16_MAX

bool blkparse_head(const char **at, const char *end, struct blkparse_head *head)
{
	uint32_t major, minor, sequence;

	field_blanks(at, end);
	if (!field_number32(at, end, &major) || *at == end || *(*at)++ != ',' ||
	    !field_number32(at, end, &minor) || major > BLOCK_MAJOR_MAX || minor > BLOCK_MINOR_MAX)
		return false;
	head->device = block_device(major, minor);
	field_blanks(at, end);
	if (!field_number32(at, end, &head->cpu) || head->cpu > CPU_MAX)
		return false;
	field_blanks(at, end);
	if (!field_number32(at, end, &sequence))
		return false;
	field_blanks(at, end);
	if (!field_decimal_ns(at, end, NSEC_PER_SEC, &head->time_ns) ||
	    head->time_ns > FOREIGN_TIME_MAX_NS)
		return false;
	field_blanks(at, end);
	if (!field_number32(at, end, &head->pid))
		return false;
	head->action = field_word(at, end);
	head->operation = field_word(at, end);
	return head->action.bytes && head->action.bytes <= 2 && head->operation.bytes;
}

static bool is_letter(struct text text, size_t at, char letter)
{
	return at < text.bytes && text.at[at] == letter;
}

static enum io_op zone_op(struct text letters, size_t *at)
{
	char letter = *at < letters.bytes ? letters.at[*at] : 0;

	(*at)++;
	switch (letter) {
	case 'A':
		return IO_OP_ZONE_APPEND;
	case 'F':
		return IO_OP_ZONE_FINISH;
	case 'O':
		return IO_OP_ZONE_OPEN;
	case 'C':
		return IO_OP_ZONE_CLOSE;
	case 'R':
		if (!is_letter(letters, *at, 'A'))
			return IO_OP_ZONE_RESET;
		(*at)++;
		return IO_OP_ZONE_RESET_ALL;
	default:
		return IO_OP_COUNT;
	}
}

/* The operation by its letter, which may follow the F of a flush. */
static enum io_op main_op(struct text letters, size_t *at)
{
	switch (*at < letters.bytes ? letters.at[(*at)++] : 0) {
	case 'R':
	case 'N':
		return IO_OP_READ;
	case 'W':
		if (!is_letter(letters, *at, 'Z'))
			return IO_OP_WRITE;
		(*at)++;
		return IO_OP_WRITE_ZEROES;
	case 'D':
		if (!is_letter(letters, *at, 'E'))
			return IO_OP_DISCARD;
		(*at)++;
		return IO_OP_SECURE_ERASE;
	case 'Z':
		return zone_op(letters, at);
	default:
		return IO_OP_COUNT;
	}
}

static bool parse_operation(struct text letters, struct block_event *event)
{
	size_t at = 0;
	bool flush = is_letter(letters, 0, 'F');
	enum io_op op;

	at += flush;
	op = main_op(letters, &at);
	if (op == IO_OP_COUNT)
		return false;
	event->op = (uint8_t)op;
	if (flush && op == IO_OP_READ)
		event->op = IO_OP_FLUSH;
	else if (flush)
		event->flags |= IO_PREFLUSH;
	for (; at < letters.bytes; at++) {
		if (letters.at[at] == 'F')
			event->flags |= IO_FUA;
		else if (letters.at[at] == 'A')
			event->flags |= IO_RAHEAD;
		else if (letters.at[at] == 'S')
			event->flags |= IO_SYNC;
		else if (letters.at[at] == 'M')
			event->flags |= IO_META;
	}
	return true;
}

/* " + 8", and the "(   1234)" of 'blkparse -t'. */
static const char *parse_length(const char **at, const char *end, struct block_event *event)
{
	uint64_t sectors;

	field_blanks(at, end);
	if (*at < end && **at == '+') {
		(*at)++;
		field_blanks(at, end);
		if (!field_number(at, end, &sectors) || sectors > FOREIGN_BYTES_MAX / SECTOR_BYTES)
			return "no length";
		event->bytes = sectors * SECTOR_BYTES;
		field_blanks(at, end);
	}
	if (*at < end && **at == '(')
		field_text(at, end, ')');
	field_blanks(at, end);
	return NULL;
}

static void parse_name(const char *at, const char *end, struct text *comm)
{
	const char *close = memrchr(at, ']', (size_t)(end - at));

	if (at < end && *at == '[' && close)
		*comm = (struct text){at + 1, (size_t)(close - at - 1)};
	if (text_is(*comm, "(null)"))
		comm->bytes = 0;
}

static const char *parse_error(const char *at, const char *end, struct block_event *event)
{
	uint32_t error;
	bool minus;

	if (at == end || *at++ != '[')
		return "no error number";
	minus = at < end && *at == '-';
	at += minus;
	if (!field_number32(&at, end, &error) || error > UINT16_MAX || at == end || *at != ']')
		return "no error number";
	event->error = minus ? -(int32_t)error : block_error((uint16_t)error);
	return NULL;
}

/* "1234 + 8 [name]", "[name]", and of passthrough commands "96 (12 00 ..) [name]". */
static const char *parse_start(const char *at, const char *end, struct block_event *event,
			       struct text *comm)
{
	const char *wrong, *behind;
	bool has_number = field_number(&at, end, &event->sector);

	behind = at;
	field_blanks(&behind, end);
	if (has_number && (behind == end || *behind != '+')) {
		event->op = IO_OP_PASSTHROUGH;
		event->bytes = event->sector;
		event->sector = 0;
		if (event->bytes > UINT32_MAX)
			return "no length";
	}
	wrong = parse_length(&at, end, event);
	parse_name(at, end, comm);
	return wrong;
}

/* "1234 + 8 [0]", "1234 [0]", and of passthrough commands "(12 00 ..) [0]". */
static const char *parse_completion(const char *at, const char *end, struct block_event *event)
{
	const char *wrong;

	if (!field_number(&at, end, &event->sector))
		event->op = IO_OP_PASSTHROUGH;
	wrong = parse_length(&at, end, event);
	return wrong ? wrong : parse_error(at, end, event);
}

/* "1234 + 8 <- (8,1) 1200" */
static const char *parse_remap(const char *at, const char *end, struct block_event *event)
{
	uint32_t major, minor;
	const char *wrong;

	if (!field_number(&at, end, &event->sector))
		return "no sector";
	wrong = parse_length(&at, end, event);
	if (wrong)
		return wrong;
	if (end - at < 3 || memcmp(at, "<- ", 3))
		return "a remap without its origin";
	at += 3;
	if (!field_separator(&at, end, '(') || !field_number32(&at, end, &major) ||
	    !field_separator(&at, end, ',') || !field_number32(&at, end, &minor) ||
	    !field_separator(&at, end, ')') || !field_number(&at, end, &event->other_sector) ||
	    major > BLOCK_MAJOR_MAX || minor > BLOCK_MINOR_MAX)
		return "a remap without its origin";
	event->other_device = block_device(major, minor);
	return NULL;
}

/* "1234 / 1240 [name]" */
static const char *parse_split(const char *at, const char *end, struct block_event *event)
{
	if (!field_number(&at, end, &event->sector) || !field_separator(&at, end, '/') ||
	    !field_number(&at, end, &event->other_sector))
		return "a split without its second sector";
	/* blkparse does not print the length. It must not be 0: an empty write cannot be split. */
	event->bytes = SECTOR_BYTES;
	return NULL;
}

static const char *parse_rest(const char *at, const char *end, struct block_event *event,
			      struct text *comm)
{
	switch (event->action) {
	case BLOCK_QUEUE:
	case BLOCK_ISSUE:
	case BLOCK_BACK_MERGE:
	case BLOCK_FRONT_MERGE:
		return parse_start(at, end, event, comm);
	case BLOCK_COMPLETE:
	case BLOCK_REQUEUE:
		return parse_completion(at, end, event);
	case BLOCK_REMAP:
		return parse_remap(at, end, event);
	case BLOCK_SPLIT:
		return parse_split(at, end, event);
	default:
		event->action = BLOCK_NOTHING;
		return NULL;
	}
}

const char *blkparse_event(const char *at, const char *end, const struct blkparse_head *head,
			   struct block_event *event, struct text *comm)
{
	const char *wrong;

	*comm = (struct text){"", 0};
	*event = (struct block_event){
		.time_ns = head->time_ns,
		.device = head->device,
		.pid = head->pid,
		.cpu = (uint16_t)head->cpu,
		.action = head->action.bytes == 1 ? (uint8_t)*head->action.at : BLOCK_NOTHING,
	};
	if (!memchr("QGIDCMFAXRPUTSBm", *head->action.at, 16))
		return "unknown action";
	if (event->action != 'm' && !parse_operation(head->operation, event))
		return "unknown operation";
	wrong = parse_rest(at, end, event, comm);
	/* blkparse prints the sector of an IO without length only at its completion. */
	if (!event->bytes && event->op != IO_OP_WRITE)
		event->sector = 0;
	if (!wrong && event->bytes && event->sector > FOREIGN_SECTOR_MAX)
		return "the sector is out of range";
	return wrong;
}

static size_t put_operation(const struct block_event *event, char *letters)
{
	size_t n = 0;

	if (event->op == IO_OP_FLUSH || event->flags & IO_PREFLUSH)
		letters[n++] = 'F';
	if (event->op == IO_OP_DISCARD)
		letters[n++] = 'D';
	else if (event->op == IO_OP_WRITE)
		letters[n++] = 'W';
	else
		letters[n++] = event->bytes ? 'R' : 'N';
	if (event->flags & IO_FUA)
		letters[n++] = 'F';
	if (event->flags & IO_RAHEAD)
		letters[n++] = 'A';
	if (event->flags & IO_SYNC)
		letters[n++] = 'S';
	if (event->flags & IO_META)
		letters[n++] = 'M';
	letters[n] = '\0';
	return n;
}

static size_t put_completion(const struct block_event *event, char *at, size_t size)
{
	unsigned int error = (uint16_t)event->error;
	unsigned long long sector = event->sector, sectors = event->bytes / SECTOR_BYTES;

	if (event->op == IO_OP_PASSTHROUGH)
		return (size_t)snprintf(at, size, "[%u]\n", error);
	if (!sectors)
		return (size_t)snprintf(at, size, "%llu [%u]\n", sector, error);
	return (size_t)snprintf(at, size, "%llu + %llu [%u]\n", sector, sectors, error);
}

/* The name of a process may hold a line break, and the rest could look like another event. */
static size_t put_comm(const char *comm, char *at, size_t size)
{
	size_t bytes = (size_t)snprintf(at, size, "[%s]\n", comm);

	for (size_t i = 0; i + 1 < bytes; i++)
		if (iscntrl((unsigned char)at[i]))
			at[i] = '_';
	return bytes;
}

size_t blkparse_format(const struct block_event *event, uint64_t time_ns, const char *comm,
		       char line[BLKPARSE_LINE_MAX])
{
	unsigned long long sector = event->sector, sectors = event->bytes / SECTOR_BYTES;
	char operation[8], *end = line + BLKPARSE_LINE_MAX;
	size_t n;

	put_operation(event, operation);
	n = (size_t)snprintf(line, BLKPARSE_LINE_MAX, "%3u,%-3u %2u %8u %5llu.%09llu %5u %2c %3s ",
			     block_major(event->device), block_minor(event->device), event->cpu,
			     event->sequence, (unsigned long long)(time_ns / NSEC_PER_SEC),
			     (unsigned long long)(time_ns % NSEC_PER_SEC), event->pid,
			     event->action, operation);
	if (event->action == BLOCK_COMPLETE)
		return n + put_completion(event, line + n, (size_t)(end - line) - n);
	if (event->op == IO_OP_PASSTHROUGH && event->action != BLOCK_GET_REQUEST)
		n += (size_t)snprintf(line + n, (size_t)(end - line) - n, "%llu ",
				      (unsigned long long)event->bytes);
	else if (sectors)
		n += (size_t)snprintf(line + n, (size_t)(end - line) - n, "%llu + %llu ", sector,
				      sectors);
	return n + put_comm(comm, line + n, (size_t)(end - line) - n);
}
