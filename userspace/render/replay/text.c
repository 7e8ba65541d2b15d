// SPDX-License-Identifier: MIT
#include "render/replay/replay.h"

#include <errno.h>

#include "base/units.h"
#include "replay/engine/spin.h"
#include "render/replay/deviations.h"
#include "render/latencies.h"

#define PILED_UP_MIN   8u /* in flight, */
#define PILED_UP_RATIO 4u /* and so many times as many as recorded: a queue of the replay's own */
#define INDENT	       2

static void title(const struct replay_outcome *o, FILE *out)
{
	const struct target_info *target = o->target;

	if (target)
		text_printf(out, "Replay of %s (%s) onto %s%s%s\n\n", o->source_path,
			    o->source_device, target->path, target->model[0] ? ", " : "",
			    target->model);
	else
		text_printf(out, "Replay of %s, all together\n\n", o->source_path);
}

static void cache_at_start(const struct replay_buffered *b, FILE *out)
{
	char text[UNITS_TEXT_MAX];

	fprintf(out, "  cache     %s at the start", b->cache);
	if (b->read_first_bytes)
		fprintf(out, ": %s were read first", units_bytes(b->read_first_bytes, text));
	if (b->start_known)
		fprintf(out, "%s %s of the target %s there", b->read_first_bytes ? "," : ":",
			units_bytes(b->cached_bytes, text), b->cached_bytes ? "were" : "was");
	else
		fprintf(out, ", but the kernel does not tell");
	fputc('\n', out);
	if (b->memory_bytes)
		fprintf(out, "  memory    limited to %s\n", units_bytes(b->memory_bytes, text));
}

/* Writes complete in the cache: shows how much was left to sync, and how long that took. */
static void synced(const struct replay_buffered *b, FILE *out)
{
	char dirty[UNITS_TEXT_MAX], took[UNITS_TEXT_MAX];

	if (b->end_known)
		fprintf(out, "  synced    %s were dirty at the end, ",
			units_bytes(b->dirty_bytes, dirty));
	else
		fprintf(out, "  synced    at the end, ");
	fprintf(out, "%s %s; not in the time above\n",
		b->sync_error ? "but it failed after" : "which took", units_time(b->sync_ns, took));
}

void replay_target_text(const struct target_info *target, FILE *out)
{
	char size[UNITS_TEXT_MAX];

	fprintf(out, "  target    %s, %s, blocks of %u byte%s, %s%s\n",
		target->block_device ? "block device" : "file",
		units_bytes(target->size_bytes, size), target->block_bytes,
		target->block_bytes == 1 ? "" : "s",
		target->direct	   ? "O_DIRECT"
		: target->buffered ? "through the page cache"
				   : "through the page cache (no O_DIRECT here)",
		target->exclusive ? ", held exclusively" : "");
}

static void heading(const struct replay_outcome *o, FILE *out)
{
	const struct target_info *target = o->target;
	char size[UNITS_TEXT_MAX];

	title(o, out);
	fprintf(out, "  mode      %s", engine_mode_names[o->engine->mode]);
	if (engine_mode__has_due(o->engine->mode))
		fprintf(out, " at %gx the recorded speed", o->engine->speed);
	if (o->rounds > 1)
		fprintf(out, ", %s over", COUNTED_TEXT(o->rounds, "time"));
	if (o->workers > 1)
		fprintf(out, ", %s", COUNTED_TEXT(o->workers, "worker"));
	fprintf(out, ", at most %s in flight%s\n", COUNTED_TEXT(o->engine->iodepth, "IO"),
		target ? "" : " on each target");
	if (o->without_count)
		fprintf(out, "  without   %s of %s, of:", units_count(o->left_out_ios, size),
			COUNTED_TEXT(o->left_out_ios + o->source_ios, "IO"));
	for (unsigned int i = 0; i < o->without_count; i++)
		fprintf(out, "%s %s%s", i ? "," : "", o->without[i],
			i + 1 == o->without_count ? "\n" : "");
	if (!target)
		return;
	replay_target_text(target, out);
	if (o->buffered)
		cache_at_start(o->buffered, out);
}

/* How many IOs were timed by each kind of anchor. */
static void waits(const struct replay_outcome *o, FILE *out)
{
	const struct engine_result *r = o->result;
	char text[4][UNITS_TEXT_MAX];

	fprintf(out,
		"  waited    %s for a completion of their task, %s for another task's, %s for\n"
		"            the submission before, %s for the start; %s%s\n",
		COUNTED_TEXT(r->anchors[REPLAY_ANCHOR_OWN], "IO"),
		units_count(r->anchors[REPLAY_ANCHOR_OTHER], text[1]),
		units_count(r->anchors[REPLAY_ANCHOR_SUBMIT], text[2]),
		units_count(r->anchors[REPLAY_ANCHOR_START], text[3]),
		COUNTED_TEXT(r->streams, "task"), o->target ? "" : ", counted on each target");
}

static void steady(const struct replay_outcome *o, FILE *out)
{
	const struct steady_verdict *v = o->steady;
	uint64_t rounds = *o->steady_rounds;

	fprintf(out, "  steady    %s: ", o->steady_figure);
	if (!rounds)
		fprintf(out, "not known, no round was whole\n");
	else if (rounds < STEADY_WINDOW)
		fprintf(out, "not known after %s, %u are needed\n", COUNTED_TEXT(rounds, "round"),
			STEADY_WINDOW);
	else if (v->mean > 0)
		fprintf(out, "%s after %s, range %.1f %%, slope %.1f %%\n",
			v->reached ? "yes" : "no", COUNTED_TEXT(rounds, "round"), v->range_pct,
			v->slope_pct);
	else
		fprintf(out, "no after %s, the mean of the last %u is 0\n",
			COUNTED_TEXT(rounds, "round"), STEADY_WINDOW);
}

/* How the submitting thread waited for due times, and what that cost. */
static void punctuality(const struct replay_outcome *o, FILE *out)
{
	static const char *const sleep[] = {
		[CPU_SLEEP_HELD_OFF] = "held off (" CPU_SLEEP_PATH ")",
		[CPU_SLEEP_NOT_PERMITTED] = "not held off: that needs root (" CPU_SLEEP_PATH ")",
		[CPU_SLEEP_NOT_AVAILABLE] = "not held off: no " CPU_SLEEP_PATH " here"};
	const struct engine_result *r = o->result;
	char lead[UNITS_TEXT_MAX], late[UNITS_TEXT_MAX];

	fprintf(out, "  priority  %s\n", replay_priority_name(r->priority));
	fprintf(out, "  spin      ");
	if (o->engine->spin == ENGINE_SPIN_AUTO)
		fprintf(out, "up to %s before an IO, ", units_time(r->lead_ns, lead));
	fprintf(out, "%.1f %% of a core", replay_outcome_spun_pct(o));
	if (r->wakeups_ns.count)
		fprintf(out, "\n            timers were %s late (p50), %s (p99)",
			units_time(histogram_percentile(&r->wakeups_ns, 50), lead),
			units_time(histogram_percentile(&r->wakeups_ns, 99), late));
	fprintf(out, "\n");
	if (r->spin_limited)
		fprintf(out,
			"            more would have been on time, but took more than %u %% of a core\n",
			SPIN_SHARE_PCT);
	if (o->cpu_sleep != CPU_SLEEP_LEFT)
		fprintf(out, "  CPU sleep %s\n", sleep[o->cpu_sleep]);
}

/* last_due_ns is at the speed of the replay. */
static uint64_t source_ns(const struct replay_outcome *o)
{
	return (uint64_t)((double)o->result->last_due_ns * o->engine->speed + 0.5);
}

/* Rounded to whole IOs a slow source would have none. */
static const char *rate_text(double iops, char text[UNITS_TEXT_MAX])
{
	if (!(iops > 0 && iops < 10))
		return units_counted((uint64_t)(iops + 0.5), "IO", text);
	snprintf(text, UNITS_TEXT_MAX, "%#.3g IOs", iops);
	return text;
}

static void totals(const struct replay_outcome *o, FILE *out)
{
	bool timed = o->engine->mode == ENGINE_TIMED;
	const struct engine_result *r = o->result;
	uint64_t completed = engine_result__completed(r);
	char text[3][UNITS_TEXT_MAX];

	fprintf(out, "  IOs       %s issued, %s completed, %s failed%s\n",
		units_count(engine_result__issued(r), text[0]), units_count(completed, text[1]),
		units_count(engine_result__errors(r), text[2]),
		r->stopped || r->stopped_at_error ? "; stopped before the end"
		: r->runtime_over		  ? "; ended by --runtime"
						  : "");
	if (o->flush_machinery_ios)
		fprintf(out, "            not counted: %s of the kernel for PREFLUSH writes\n",
			COUNTED_TEXT(o->flush_machinery_ios, "flush request"));
	fprintf(out, "  time      %s, %s %s\n", units_time(r->duration_ns, text[0]),
		timed ? "intended" : "in the source",
		units_time(timed ? r->last_due_ns : source_ns(o), text[1]));
	fprintf(out, "  rate      %s/s, %s/s\n", rate_text(replay_outcome_iops(o), text[0]),
		units_bytes((uint64_t)replay_outcome_bytes_per_second(o), text[1]));
	if (o->engine->ramp_ns)
		fprintf(out, "  ramp      not in the rate and below: the first %s, %s\n",
			units_time(o->engine->ramp_ns, text[0]), COUNTED_TEXT(r->ramp_ios, "IO"));
	fprintf(out, "  in flight %s at the most%s\n", units_count(r->highest_depth, text[0]),
		o->target ? "" : ", on one target");
	if (o->engine->iopoll)
		fprintf(out, "  polled    %s, without an interrupt\n",
			COUNTED_TEXT(r->polled, "IO"));
	if (engine_mode__has_due(o->engine->mode))
		punctuality(o, out);
}

static void errors(const struct engine_result *r, FILE *out)
{
	for (unsigned int i = 0; i < r->error_kinds; i++)
		deviation_failed(out, r->errors[i].count, replay_op_name(r->errors[i].op),
				 r->errors[i].error);
	deviation_counted(out, r->errors_of_other_kinds, "IO", "failed in other ways");
}

/* IOs that the kernel split for the target, by its limits. */
static void splits(const struct replay_outcome *o, FILE *out)
{
	const struct engine_result *r = o->result;
	char ios[UNITS_TEXT_MAX], bytes[UNITS_TEXT_MAX];

	if (!r->split)
		return;
	fprintf(out, "  %s split into %s (split): the target takes at most %s at once%s\n",
		COUNTED_TEXT(r->split, "IO"), units_count(r->split_into, ios),
		units_bytes(r->whole_bytes, bytes),
		r->small_pages ? ", from memory without huge pages" : "");
}

/* How the replay differed from its source. */
static void deviations(const struct replay_outcome *o, FILE *out)
{
	const struct engine_result *r = o->result;

	if (!r->left_out && !r->emulated && !r->aligned && !r->wrapped && !r->clipped &&
	    !r->held_back && !r->starved && !r->ordered && !r->waited && !r->blocking_discards &&
	    !r->blocking_zones && !r->split && !r->appended && !r->unhinted &&
	    !r->lowered_priorities && !o->out_of_order && !r->error_kinds &&
	    !missing_rows__lost(o->missing, ROW_IO) && !r->uncounted && !r->overflowed)
		return;
	fprintf(out, "\nNot as recorded:\n");
	deviation_counted(out, missing_rows__lost(o->missing, ROW_IO), "IO",
			  "missing: lost when recorded, of all devices");
	deviation_counted(out, replay_outcome_unsupported(o), "IO",
			  "left out: the target cannot do them");
	deviation_counted(
		out, r->emulated, "IO",
		"emulated by another op, or as writes that are not atomic: the target cannot do "
		"them");
	deviation_counted(out, replay_outcome_not_read(o), "IO",
			  "left out: only reads were asked for");
	deviation_counted(out, r->aligned, "IO", "widened to whole blocks of the target (aligned)");
	deviation_counted(out, r->wrapped, "IO",
			  "moved from behind the end of the target (wrapped)");
	deviation_counted(out, r->clipped, "IO",
			  "cut to the target's size (discard or write-zeroes)");
	splits(o, out);
	deviation_counted(out, r->held_back, "IO", "held back by the depth cap (--iodepth)");
	deviation_counted(out, r->ordered, "IO",
			  "waited for one that they overlap, to keep the order");
	deviation_counted(out, r->waited, "IO",
			  "waited for another worker, to keep the order (--workers)");
	deviation_counted(out, r->starved, "time",
			  "the source was not ready with the next IO (starved)");
	deviation_counted(out, r->unhinted, "write",
			  "without the recorded write hint: a target has one hint for all writes");
	deviation_counted(out, r->lowered_priorities, "IO",
			  "of realtime IO priority went as best effort: that needs CAP_SYS_NICE");
	deviation_counted(out, r->blocking_zones, "zone operation",
			  "made the replay wait (blocking): io_uring has none");
	deviation_counted(out, r->appended, "zone append", "went as a write to where it was");
	deviation_counted(out, r->blocking_discards, "discard",
			  "made the replay wait: no io_uring discard before Linux 6.12");
	deviation_counted(out, o->out_of_order, "IO",
			  "were too far from their place in the trace to be sorted");
	deviation_counted(out, r->uncounted, "IO",
			  "of which no completion was recorded: nobody waits for them");
	deviation_counted(out, r->overflowed, "IO",
			  "taken as completed early: too many were in flight");
	errors(r, out);
}

/* A row for each size of an op that has several. */
static void size_rows(struct table *table, const struct engine_op_result *op)
{
	unsigned int sizes = 0;

	for (unsigned int size = 0; size < ENGINE_SIZES; size++)
		sizes += op->sizes[size].submitted_ns.count > 0;
	for (unsigned int size = 0; size < ENGINE_SIZES && sizes > 1; size++) {
		char bytes[UNITS_TEXT_MAX], name[2 * UNITS_TEXT_MAX];
		bool last = size == ENGINE_SIZES - 1;

		units_bytes(engine_size_bytes(last ? size - 1 : size), bytes);
		snprintf(name, sizeof(name), " %s %s", last ? ">" : "<=", bytes);
		latencies__row(table, name, "submit", &op->sizes[size].submitted_ns);
	}
}

static int distributions(const struct replay_outcome *o, FILE *out)
{
	struct table *table = latencies__new("IOs");
	int err;

	if (!table)
		return -ENOMEM;
	latencies__row(table, "lateness", "due", &o->result->lateness_ns);
	latencies__row(table, "sqpoll delay", "submit", &o->result->sqpoll_delay_ns);
	for (unsigned int op = 0; op < REPLAY_OP_COUNT; op++) {
		latencies__row(table, replay_op_name(op), "due", &o->result->ops[op].intended_ns);
		latencies__row(table, replay_op_name(op), "submit",
			       &o->result->ops[op].submitted_ns);
		size_rows(table, &o->result->ops[op]);
	}
	fputc('\n', out);
	err = table__print(table, out, INDENT);
	table__free(table);
	return err;
}

/* A recording whose programs wait for their IOs, and a replay that does not wait. */
static void piled_up(const struct replay_outcome *o, FILE *out)
{
	uint32_t recorded = o->source_depth_max, depth = (uint32_t)o->result->highest_depth;
	char text[384];

	if (o->engine->mode != ENGINE_TIMED || !recorded || depth < PILED_UP_MIN ||
	    depth < PILED_UP_RATIO * recorded)
		return;
	snprintf(
		text, sizeof(text),
		"the recorded device had at most %s at a time, here up to %s were in flight. Where "
		"the recorded programs waited for their IOs, these latencies say how the device "
		"queues such bursts, not how the programs would fare. '--mode dependent' waits as "
		"they did.",
		COUNTED_TEXT(recorded, "IO"), COUNT_TEXT(depth));
	fputc('\n', out);
	text_wrapped(out, "Note: ", text);
}

/* Other work on the machine, which makes the figures those of the machine. */
static void disturbed(const struct replay_outcome *o, FILE *out)
{
	const struct replay_disturbance *d = &o->disturbance;
	double wait_pct = replay_outcome_cpu_wait_pct(o);
	char text[512];
	int used;

	if (!disturbance__is_much(d, wait_pct))
		return;
	used = snprintf(text, sizeof(text),
			"this replay was disturbed, and its latencies and duration may not be the "
			"target's. %s waited for a CPU in %.1f %% of the time.",
			o->workers > 1 || !o->target ? "One of its own threads" : "Its own thread",
			wait_pct);
	if (d->others_pct >= 0)
		used += snprintf(
			text + used, sizeof(text) - (size_t)used,
			" Other programs and the kernel's threads used %.1f %% of the CPUs, "
			"other guests of the hypervisor %.1f %%.",
			d->others_pct, d->stolen_pct);
	if (d->pressure_pct >= 0)
		snprintf(text + used, sizeof(text) - (size_t)used,
			 " In %.1f %% of the time some task waited for a CPU.", d->pressure_pct);
	fputc('\n', out);
	text_wrapped(out, "Note: ", text);
}

int replay_outcome_text(const struct replay_outcome *o, FILE *out)
{
	int err;

	heading(o, out);
	totals(o, out);
	if (o->buffered && o->buffered->writes)
		synced(o->buffered, out);
	if (o->steady)
		steady(o, out);
	if (o->engine->mode == ENGINE_DEPENDENT)
		waits(o, out);
	err = distributions(o, out);
	piled_up(o, out);
	disturbed(o, out);
	deviations(o, out);
	if (o->trace_path)
		text_printf(out, "\nRecorded into %s: see 'blkreel explain %s'.\n", o->trace_path,
			    o->trace_path);
	return err;
}
