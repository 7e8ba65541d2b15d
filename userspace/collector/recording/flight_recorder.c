// SPDX-License-Identifier: MIT
#include "collector/recording/flight_recorder.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"
#include "collector/recording/flight_dump.h"
#include "collector/recording/flight_ring.h"
#include "collector/recording/trigger.h"
#include "trace/row_time.h"

struct flight_recorder {
	struct flight_options options;
	struct flight_ring *ring;
	struct output_files *files;
	struct flight_dumper *dumper;
	atomic_bool asked;
	/* A trigger has fired; the file is written at due_ns. */
	bool fired;
	uint64_t due_ns;
	char why[TRIGGER_MESSAGE_MAX];
	struct flight_cause cause; /* the request that made it fire, if one did */
	/* Triggers are ignored until then. */
	uint64_t quiet_until_ns;
	uint64_t ignored; /* ignored triggers */
	bool has_warned_of_cut;
};

int flight_recorder__create(const char *path, const struct flight_options *options,
			    const struct recording_head *head,
			    const struct trace_writer_options *writer,
			    struct flight_recorder **flight, char message[COLLECTOR_MESSAGE_MAX])
{
	struct flight_recorder *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	f->options = *options;
	err = output_files__create(path, options->keep_files, head, writer, &f->files, message);
	if (!err)
		err = flight_ring__create(options->keep_ns, options->keep_bytes, &f->ring);
	if (!err)
		err = flight_dumper__create(head, f->files, &f->dumper);
	if (err) {
		flight_recorder__free(f);
		return err;
	}
	*flight = f;
	return 0;
}

void flight_recorder__free(struct flight_recorder *f)
{
	if (!f)
		return;
	flight_dumper__free(f->dumper);
	flight_ring__free(f->ring);
	output_files__free(f->files);
	free(f);
}

int flight_recorder__next_segment(struct flight_recorder *f, const struct trace_host *host,
				  struct trace_writer **writer)
{
	return flight_ring__next(f->ring, host, writer);
}

static void warn_of_cut(struct flight_recorder *f, uint64_t now_ns)
{
	char asked[UNITS_TEXT_MAX], kept[UNITS_TEXT_MAX], bytes[UNITS_TEXT_MAX];

	f->has_warned_of_cut = true;
	pr_warn("the last %s do not fit into %s: only the last %s are kept; set a larger size with a second --ring",
		units_time(f->options.keep_ns, asked), units_bytes(f->options.keep_bytes, bytes),
		units_time(now_ns - flight_ring__from_ns(f->ring), kept));
}

bool flight_recorder__segment_is_due(struct flight_recorder *f, uint64_t now_ns)
{
	flight_ring__trim(f->ring, now_ns);
	if (!f->has_warned_of_cut && flight_ring__is_cut_by_size(f->ring))
		warn_of_cut(f, now_ns);
	return flight_ring__is_due(f->ring, now_ns);
}

/* NULL: no request did it. */
static void set_cause(struct flight_cause *cause, const struct io_row *row, uint32_t device)
{
	*cause = (struct flight_cause){.op = row ? io_row_tick_op(row) : -1};
	if (!row || cause->op < 0 || !row->created_ns || row->completed_ns <= row->created_ns)
		return;
	cause->device = device;
	cause->latency_ns = row->completed_ns - row->created_ns;
	cause->end_ns = row->completed_ns;
}

static void fire(struct flight_recorder *f, uint64_t now_ns, const char *why,
		 const struct io_row *row, uint32_t device)
{
	char after[UNITS_TEXT_MAX];

	if (f->fired)
		return;
	if (now_ns < f->quiet_until_ns) {
		f->ignored++;
		return;
	}
	f->fired = true;
	f->due_ns = now_ns + f->options.after_ns;
	snprintf(f->why, sizeof(f->why), "%s", why);
	set_cause(&f->cause, row, device);
	if (f->options.after_ns)
		pr_info("%s; writing the file in %s", why, units_time(f->options.after_ns, after));
}

void flight_recorder__row(struct flight_recorder *f, const struct io_row *row, uint32_t device)
{
	uint64_t now_ns = io_row_end_ns(row);
	char why[TRIGGER_MESSAGE_MAX];

	for (unsigned int i = 0; i < f->options.trigger_count; i++) {
		/* Most rows that meet a condition come while triggers are ignored; then no reason
		 * is formatted. */
		bool is_armed = !f->fired && now_ns >= f->quiet_until_ns;

		if (trigger__add(f->options.triggers[i], row, is_armed ? why : NULL))
			fire(f, now_ns, why,
			     trigger__is_met_by(f->options.triggers[i], row) ? row : NULL, device);
	}
}

void flight_recorder__advance(struct flight_recorder *f, uint64_t now_ns)
{
	char why[TRIGGER_MESSAGE_MAX];

	for (unsigned int i = 0; i < f->options.trigger_count; i++)
		if (trigger__advance(f->options.triggers[i], now_ns, why))
			fire(f, now_ns, why, NULL, 0);
}

bool flight_recorder__asks_in_flight(const struct flight_recorder *f)
{
	for (unsigned int i = 0; i < f->options.trigger_count; i++)
		if (trigger__asks_in_flight(f->options.triggers[i]))
			return true;
	return false;
}

void flight_recorder__in_flight(struct flight_recorder *f, const struct io_row *row,
				uint64_t now_ns)
{
	char why[TRIGGER_MESSAGE_MAX];

	for (unsigned int i = 0; i < f->options.trigger_count; i++)
		if (trigger__in_flight(f->options.triggers[i], row, now_ns, why))
			fire(f, now_ns, why, NULL, 0);
}

void flight_recorder__ask(struct flight_recorder *f)
{
	atomic_store(&f->asked, true);
}

bool flight_recorder__dump_is_due(struct flight_recorder *f, uint64_t now_ns)
{
	if (!atomic_load(&f->asked) && !(f->fired && now_ns >= f->due_ns))
		return false;
	return !flight_dumper__is_busy(f->dumper);
}

static void add_reason(struct flight_dump *dump, const char *reason)
{
	size_t used = strlen(dump->reason);

	snprintf(dump->reason + used, sizeof(dump->reason) - used, "%s%s", used ? "; " : "",
		 reason);
}

static int submit(struct flight_recorder *f, struct flight_dump *dump,
		  const struct trace_summary *summary)
{
	int err;

	dump->summary = *summary;
	err = flight_view__create(f->ring, &dump->view);
	if (!err)
		flight_dumper__submit(f->dumper, dump);
	return err;
}

int flight_recorder__dump(struct flight_recorder *f, const struct trace_summary *summary)
{
	struct flight_dump dump = {.is_last = false};

	if (atomic_exchange(&f->asked, false))
		add_reason(&dump, "SIGUSR1");
	if (f->fired && summary->stop_ns >= f->due_ns) {
		add_reason(&dump, f->why);
		dump.cause = f->cause;
		f->fired = false;
		f->quiet_until_ns = summary->stop_ns + f->options.hold_off_ns;
	}
	return submit(f, &dump, summary);
}

int flight_recorder__finish(struct flight_recorder *f, const struct trace_summary *summary)
{
	char hold_off[UNITS_TEXT_MAX];
	struct flight_dump dump = {.is_last = true};
	int err;

	if (f->fired) {
		add_reason(&dump, f->why);
		dump.cause = f->cause;
	}
	add_reason(&dump, "the recording ended");
	flight_dumper__wait(f->dumper);
	err = submit(f, &dump, summary);
	if (!err)
		err = flight_dumper__wait(f->dumper);
	if (f->ignored)
		pr_info("ignored %s within %s after a dump", COUNTED_TEXT(f->ignored, "trigger"),
			units_time(f->options.hold_off_ns, hold_off));
	return err;
}

uint64_t flight_recorder__bytes(const struct flight_recorder *f)
{
	return flight_ring__bytes(f->ring);
}

uint64_t flight_recorder__io_rows(const struct flight_recorder *f)
{
	return flight_ring__io_rows(f->ring);
}
