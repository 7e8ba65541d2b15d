// SPDX-License-Identifier: MIT
/*
 * FIU (SNIA IOTTA 391): ts_ns pid process lba blocks W|R major minor md5, separated by blanks. The
 * name of a process may hold blanks, so the fields behind it are read from the end.
 */
#include "exchange/foreign.h"

#define MD5_DIGITS 32

struct record {
	uint64_t time_ns, sector, sectors;
	uint32_t pid, major, minor;
	struct text process;
	bool is_write;
};

struct state {
	uint64_t rows;
	uint64_t whole_pages, single_sectors;
};

/* Takes the last word before *end and moves *end before it. */
static struct text last_word(const char *at, const char **end)
{
	const char *word_end, *word;

	while (*end > at && ((*end)[-1] == ' ' || (*end)[-1] == '\t'))
		(*end)--;
	word = word_end = *end;
	while (word > at && word[-1] != ' ' && word[-1] != '\t')
		word--;
	*end = word;
	return (struct text){word, (size_t)(word_end - word)};
}

static bool number_of(struct text text, uint64_t *value)
{
	const char *at = text.at, *end = text.at + text.bytes;

	return field_number(&at, end, value) && at == end;
}

static bool number32_of(struct text text, uint32_t *value)
{
	const char *at = text.at, *end = text.at + text.bytes;

	return field_number32(&at, end, value) && at == end;
}

static const char *parse(const char *at, const char *end, struct record *r)
{
	struct text md5, op;

	field_blanks(&at, end);
	if (!number_of(field_word(&at, end), &r->time_ns))
		return "no timestamp";
	if (!number32_of(field_word(&at, end), &r->pid))
		return "no pid";
	md5 = last_word(at, &end);
	if (!md5.bytes || !number32_of(last_word(at, &end), &r->minor) ||
	    !number32_of(last_word(at, &end), &r->major))
		return "no device";
	op = last_word(at, &end);
	r->is_write = text_is(op, "W");
	if (!r->is_write && !text_is(op, "R"))
		return "the operation is neither R nor W";
	if (!number_of(last_word(at, &end), &r->sectors))
		return "no size";
	if (!number_of(last_word(at, &end), &r->sector))
		return "no lba";
	while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	r->process = (struct text){at, (size_t)(end - at)};
	return NULL;
}

static bool is_record(const char *at, const char *end)
{
	struct record r;
	const char *digits = end - MD5_DIGITS;

	if (end - at <= MD5_DIGITS || digits[-1] != ' ')
		return false;
	for (const char *c = digits; c < end; c++)
		if (!field_is_digit(*c) && (*c < 'a' || *c > 'f') && (*c < 'A' || *c > 'F'))
			return false;
	return !parse(at, end, &r);
}

static bool recognise(const char *head, size_t bytes)
{
	return foreign_lines_are(head, bytes, is_record);
}

static int line(struct foreign_source *s, const char *at, const char *end, struct io_row *row)
{
	struct state *state = s->state;
	struct record r;
	const char *wrong = parse(at, end, &r);
	char name[24];
	int result;

	if (wrong)
		return foreign_bad_line(s, wrong);
	if (!foreign_place_sectors(row, r.sector, r.sectors))
		return foreign_bad_line(s, "the address is out of range");
	result = foreign_finish_data(s, row, r.time_ns, r.is_write);
	if (result != FOREIGN_ROW)
		return result;
	row->device = foreign_names__device(s->names, foreign_join_numbers(name, r.major, r.minor),
					    r.major, r.minor);
	row->task = foreign_names__task(s->names, r.pid, r.process);
	state->rows++;
	state->whole_pages += row->bytes == PAGE_BYTES;
	state->single_sectors += row->bytes == SECTOR_BYTES;
	return FOREIGN_ROW;
}

/* Each record holds the hash of one block, so a larger request is several records. */
static void finish(struct foreign_source *s)
{
	const struct state *state = s->state;

	if (!state->rows)
		return;
	if (state->whole_pages == state->rows)
		foreign_note(s, "all records are of 4 KiB: the tracer cut requests into pieces to "
				"hash them");
	else if (state->single_sectors == state->rows)
		foreign_note(s, "all records are of 512 bytes: the tracer cut requests into pieces "
				"to hash them");
}

const struct foreign_format format_fiu = {
	.name = "fiu",
	.title = "FIU: ns pid process lba sectors R|W major minor md5",
	.clock = FOREIGN_CLOCK_START,
	.tick_ns = 1,
	.state_bytes = sizeof(struct state),
	.recognise = recognise,
	.line = line,
	.finish = finish,
};
