// SPDX-License-Identifier: MIT
#include "replay/engine/progress.h"

static void lock(struct progress *p)
{
	if (p->lock)
		pthread_mutex_lock(p->lock);
}

static void unlock(struct progress *p)
{
	if (p->lock)
		pthread_mutex_unlock(p->lock);
}

static void begin(struct progress *p, uint64_t now_ns)
{
	p->told_ns = now_ns;
	p->late_ns = p->submissions = 0;
	p->report.ios = p->report.errors = 0;
	p->report.read_bytes = p->report.write_bytes = 0;
	histogram_init(&p->intended_ns);
	histogram_init(&p->submitted_ns);
}

void progress__start(struct progress *p, const struct engine_options *options, uint64_t start_ns)
{
	lock(p);
	if (!p->options) {
		p->options = options;
		p->start_ns = start_ns;
		p->report = (struct engine_progress){.intended_ns = &p->intended_ns,
						     .submitted_ns = &p->submitted_ns};
		begin(p, start_ns);
	}
	unlock(p);
}

void progress__submitted(struct progress *p, uint64_t late_ns)
{
	if (p->lock && progress__is_idle(p))
		return;
	lock(p);
	p->submissions++;
	p->late_ns += late_ns;
	unlock(p);
}

void progress__failed(struct progress *p)
{
	lock(p);
	p->report.errors++;
	unlock(p);
}

void progress__completed(struct progress *p, const struct engine_completed *io)
{
	lock(p);
	p->report.completed += io->count;
	p->report.ios += io->count;
	if (io->op == REPLAY_READ)
		p->report.read_bytes += io->count * io->length_bytes;
	else if (io->op == REPLAY_WRITE)
		p->report.write_bytes += io->count * io->length_bytes;
	histogram_add_many(&p->submitted_ns, io->submitted_ns, io->count);
	if (io->has_due)
		histogram_add_many(&p->intended_ns, io->intended_ns, io->count);
	unlock(p);
}

static void tell(struct progress *p, uint64_t now_ns, uint32_t in_flight, bool last)
{
	struct engine_progress *report = &p->report;

	if (now_ns <= p->told_ns)
		return;
	if (now_ns - p->told_ns < p->options->progress_interval_ns &&
	    !(last && (report->ios || report->errors)))
		return;
	report->elapsed_ns = now_ns - p->start_ns;
	report->interval_ns = now_ns - p->told_ns;
	report->in_flight = in_flight;
	report->late_ns = p->submissions ? p->late_ns / p->submissions : 0;
	report->last = last;
	p->options->progress(report, p->options->progress_context);
	begin(p, now_ns);
}

void progress__tell(struct progress *p, uint64_t now_ns, uint64_t due_ns, uint32_t in_flight,
		    bool last)
{
	if (progress__is_idle(p))
		return;
	lock(p);
	if (due_ns > p->report.due_ns || !p->lock)
		p->report.due_ns = due_ns;
	if (last && p->running)
		last = !--p->running;
	tell(p, now_ns, in_flight, last);
	unlock(p);
}
