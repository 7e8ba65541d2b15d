// SPDX-License-Identifier: MIT
/* blkparse's default text: one event per line, and a summary at the end. */
#include <errno.h>

#include "exchange/events/blkparse_line.h"
#include "exchange/events/block_events.h"
#include "exchange/events/block_print.h"

struct state {
	struct block_events *events;
	bool started; /* there was an event */
	bool summary; /* within the statistics at the end, whose lines are no events */
};

/* Lines that blkparse prints around the events. */
static bool is_frame(struct text line)
{
	static const char *const begins[] = {"Input file ", "CPU",	"Total (",
					     "Throughput ", "Events (", "Skips: "};
	const char *last = line.at + line.bytes - 1;

	if (!line.bytes)
		return true;
	for (unsigned int i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (line.bytes >= strlen(begins[i]) &&
		    !memcmp(line.at, begins[i], strlen(begins[i])))
			return true;
	/* "dd (4711)", "dd (4711, ...)": the statistics of a process, with -s. */
	return *last == ')' && !field_is_digit(*line.at) && *line.at != ' ' &&
	       memchr(line.at, '(', line.bytes);
}

static bool recognise(const char *head, size_t bytes)
{
	const char *at = head, *end = head + bytes;
	struct blkparse_head ignored;

	while (at < end) {
		struct text line = field_text(&at, end, '\n');
		const char *from = line.at;

		if (blkparse_head(&from, line.at + line.bytes, &ignored))
			return memchr("QGIDCMFAXRPUTSBm", *ignored.action.at, 16);
		if (!is_frame(line))
			return false;
	}
	return false;
}

static int begin(struct foreign_source *s, const char **message)
{
	struct state *state = s->state;

	state->events = block_events__new(s);
	return state->events ? 0 : -ENOMEM;
}

static void finish(struct foreign_source *s)
{
	struct state *state = s->state;

	block_events__free(state->events);
}

/* The first event is the start: rows come by their completion, the first need not be the oldest. */
static void note_start(struct foreign_source *s, uint64_t time_ns)
{
	struct state *state = s->state;
	uint64_t *start_ns = &s->report->start_ns;

	if (state->started)
		return;
	state->started = true;
	if (time_ns - FOREIGN_ORIGIN_NS <= FOREIGN_LEAD_MAX_NS)
		time_ns = FOREIGN_ORIGIN_NS;
	if (!*start_ns || time_ns < *start_ns)
		*start_ns = time_ns;
}

static int take_line(struct foreign_source *s, const char *at, const char *end)
{
	struct state *state = s->state;
	struct blkparse_head head;
	struct block_event event;
	struct text comm, line = {at, (size_t)(end - at)};
	const char *wrong;

	if (!blkparse_head(&at, end, &head)) {
		state->summary |= line.bytes && is_frame(line);
		if (!state->summary && !is_frame(line))
			foreign_bad_line(s, "not an event of blkparse");
		return 0;
	}
	state->summary = false;
	wrong = blkparse_event(at, end, &head, &event, &comm);
	if (wrong) {
		foreign_bad_line(s, wrong);
		return 0;
	}
	event.time_ns = foreign_time(event.time_ns);
	note_start(s, event.time_ns);
	block_events__name_task(state->events, &event, comm);
	return block_events__feed(state->events, &event, (struct text){"", 0});
}

static int feed(struct foreign_source *s)
{
	const char *at, *end;
	int result = byte_source__line(s->files[0], &at, &end);

	return result == 1 ? take_line(s, at, end) ?: 1 : result;
}

static int next(struct foreign_source *s, struct io_row *row)
{
	struct state *state = s->state;

	return block_events__next(state->events, feed, row);
}

static void put_event(struct foreign_output *o, const struct block_event *event,
		      const struct block_print_context *context)
{
	char line[BLKPARSE_LINE_MAX];

	put_bytes(o, line, blkparse_format(event, context->since_first_ns, context->comm, line));
}

static bool print(struct foreign_output *o, const struct io_row *row)
{
	return block_print__row(o, row, put_event);
}

static void print_end(struct foreign_output *o)
{
	block_print__end(o, put_event);
}

const struct foreign_format format_blkparse = {
	.name = "blkparse",
	.title = "blkparse's default text: MAJ,MIN CPU SEQ TIME PID ACTION RWBS SECTOR + N",
	.clock = FOREIGN_CLOCK_START,
	.tick_ns = 1,
	.in_order = true,
	.knows_layers = true,
	.holds_events = true,
	.state_bytes = sizeof(struct state),
	.recognise = recognise,
	.begin = begin,
	.next = next,
	.finish = finish,
	.print = print,
	.print_end = print_end,
};
