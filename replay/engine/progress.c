// SPDX-License-Identifier: MIT
#include "replay/engine/progress.h"

static void lock(struct engine_watch *w)
{
	if (w->lock)
		pthread_mutex_lock(w->lock);
}

static void unlock(struct engine_watch *w)
{
	if (w->lock)
		pthread_mutex_unlock(w->lock);
}

static void begin(struct engine_watch *w, uint64_t now_ns)
{
	w->told_ns = now_ns;
	w->late_ns = w->submissions = 0;
	w->progress.ios = w->progress.errors = 0;
	w->progress.read_bytes = w->progress.write_bytes = 0;
	histogram_init(&w->intended_ns);
	histogram_init(&w->submitted_ns);
}

void engine_watch__start(struct engine_watch *w, const struct engine_options *options,
			 uint64_t start_ns)
{
	lock(w);
	if (!w->options) {
		w->options = options;
		w->start_ns = start_ns;
		w->progress = (struct engine_progress){.intended_ns = &w->intended_ns,
						       .submitted_ns = &w->submitted_ns};
		begin(w, start_ns);
	}
	unlock(w);
}

void engine_watch__submitted(struct engine_watch *w, uint64_t late_ns)
{
	if (w->lock && engine_watch__is_idle(w))
		return;
	lock(w);
	w->submissions++;
	w->late_ns += late_ns;
	unlock(w);
}

void engine_watch__failed(struct engine_watch *w)
{
	lock(w);
	w->progress.errors++;
	unlock(w);
}

void engine_watch__completed(struct engine_watch *w, const struct engine_completed *io)
{
	lock(w);
	w->progress.completed += io->count;
	w->progress.ios += io->count;
	if (io->op == REPLAY_READ)
		w->progress.read_bytes += io->count * io->length_bytes;
	else if (io->op == REPLAY_WRITE)
		w->progress.write_bytes += io->count * io->length_bytes;
	histogram_add_many(&w->submitted_ns, io->submitted_ns, io->count);
	if (io->has_due)
		histogram_add_many(&w->intended_ns, io->intended_ns, io->count);
	unlock(w);
}

static void tell(struct engine_watch *w, uint64_t now_ns, uint32_t in_flight, bool last)
{
	struct engine_progress *p = &w->progress;

	if (now_ns <= w->told_ns)
		return;
	if (now_ns - w->told_ns < w->options->progress_interval_ns &&
	    !(last && (p->ios || p->errors)))
		return;
	p->elapsed_ns = now_ns - w->start_ns;
	p->interval_ns = now_ns - w->told_ns;
	p->in_flight = in_flight;
	p->late_ns = w->submissions ? w->late_ns / w->submissions : 0;
	p->last = last;
	w->options->progress(p, w->options->progress_context);
	begin(w, now_ns);
}

void engine_watch__tell(struct engine_watch *w, uint64_t now_ns, uint64_t due_ns,
			uint32_t in_flight, bool last)
{
	if (engine_watch__is_idle(w))
		return;
	lock(w);
	if (due_ns > w->progress.due_ns || !w->lock)
		w->progress.due_ns = due_ns;
	if (last && w->running)
		last = !--w->running;
	tell(w, now_ns, in_flight, last);
	unlock(w);
}
