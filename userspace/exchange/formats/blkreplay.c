// SPDX-License-Identifier: MIT
/*
 * blkreplay's .load: free text, a line "start ; ...", then one IO per line, sectors of 512 bytes.
 */
#include "exchange/foreign.h"

#define REPLAY_DIGITS 9

static bool is_head(struct text line)
{
	const char *at = line.at, *end = line.at + line.bytes;

	return line.bytes > 5 && !memcmp(at, "start", 5) &&
	       (at += 5, field_separator(&at, end, ';'));
}

static bool recognise(const char *head, size_t bytes)
{
	const char *at = head, *end = head + bytes;

	while (at < end)
		if (is_head(field_text(&at, end, '\n')))
			return true;
	return false;
}

static bool is_text(struct text line)
{
	return is_head(line) || !memchr(line.at, ';', line.bytes);
}

struct state {
	bool started; /* behind the head: records follow */
	bool in_text; /* no record yet: in some published files text and head come again */
};

/* The sum of delay and duration that a replay measured; 0 in a recording without a replay. */
static uint64_t replayed_latency_ns(const char *at, const char *end)
{
	uint64_t delay_ns, latency_ns;

	if (!field_separator(&at, end, ';') ||
	    !field_decimal_ns(&at, end, NSEC_PER_SEC, &delay_ns) ||
	    !field_separator(&at, end, ';') ||
	    !field_decimal_ns(&at, end, NSEC_PER_SEC, &latency_ns) ||
	    latency_ns > FOREIGN_TIME_MAX_NS)
		return 0;
	return latency_ns;
}

static int line(struct foreign_source *s, const char *at, const char *end, struct io_row *row)
{
	struct state *state = s->state;
	uint64_t time_ns, sector, sectors, latency_ns;
	char op;

	if (!state->started) {
		state->started = is_head((struct text){at, (size_t)(end - at)});
		state->in_text = state->started;
		return FOREIGN_NOTHING;
	}
	field_blanks(&at, end);
	if (at == end || (state->in_text && is_text((struct text){at, (size_t)(end - at)})))
		return FOREIGN_NOTHING;
	state->in_text = false;
	if (!field_decimal_ns(&at, end, NSEC_PER_SEC, &time_ns) || time_ns > FOREIGN_TIME_MAX_NS)
		return foreign_bad_line(s, "no start time");
	if (!field_separator(&at, end, ';') || !field_number(&at, end, &sector) ||
	    sector > FOREIGN_SECTOR_MAX)
		return foreign_bad_line(s, "no sector");
	if (!field_separator(&at, end, ';') || !field_number(&at, end, &sectors) ||
	    sectors > FOREIGN_BYTES_MAX / SECTOR_BYTES)
		return foreign_bad_line(s, "no length");
	if (!field_separator(&at, end, ';') || at == end)
		return foreign_bad_line(s, "no operation");
	op = *at++;
	if (op != 'R' && op != 'W' && op != 'r' && op != 'w')
		return foreign_bad_line(s, "the operation is neither R nor W");
	if (!sectors)
		return foreign_leave_out(s, LEFT_OUT_NO_DATA);
	row->created_ns = foreign_time(time_ns);
	latency_ns = replayed_latency_ns(at, end);
	if (latency_ns)
		row->completed_ns = row->created_ns + latency_ns;
	row->op = op == 'R' || op == 'r' ? IO_OP_READ : IO_OP_WRITE;
	row->sector = sector;
	row->bytes = sectors * SECTOR_BYTES;
	row->device = foreign_default_device(s);
	return FOREIGN_ROW;
}

static void print_head(struct foreign_output *o)
{
	put_text(o, "start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n");
}

static bool print(struct foreign_output *o, const struct io_row *row)
{
	if (!foreign_row_moves_sectors(row))
		return false;
	put_decimal(o, foreign_output__since_start_ns(o, foreign_row_time_ns(row)), NSEC_PER_SEC,
		    REPLAY_DIGITS);
	put_text(o, " ; ");
	put_number(o, row->sector);
	put_text(o, " ; ");
	put_number(o, row->bytes / SECTOR_BYTES);
	put_text(o, row->op == IO_OP_READ ? " ; R ; 0.0 ; " : " ; W ; 0.0 ; ");
	put_decimal(o, foreign_row_latency_ns(row), NSEC_PER_SEC, REPLAY_DIGITS);
	put_char(o, '\n');
	return true;
}

const struct foreign_format format_blkreplay = {
	.name = "blkreplay",
	.title = "blkreplay .load: start ; sector ; length ; op ; delay ; duration",
	.clock = FOREIGN_CLOCK_START,
	.one_device = true,
	.tick_ns = 1,
	.state_bytes = sizeof(struct state),
	.recognise = recognise,
	.line = line,
	.print_head = print_head,
	.print = print,
};
