// SPDX-License-Identifier: MIT
#include "explain/waits/blame.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "explain/waits/blame_window.h"
#include "explain/waits/file_systems.h"

#define CELLS_MAX 4096u
#define NAME_MAX_ 256u
#define BEYOND	  "(others)" /* pairs beyond the bound */

/* Names are cut, so that a pair has a bounded size. */
struct cell_key {
	uint32_t by, where;
	char victim[NAME_MAX_], culprit[NAME_MAX_];
};

struct cell {
	struct cell_key key;
	uint64_t ns;
	uint64_t named_ns; /* behind IOs whose rows have the culprit's name */
	bool is_kernel;
	UT_hash_handle hh;
};

struct blame {
	const struct explain_tables *tables;
	struct kept_ios *ios;
	struct blame_window *window;
	struct writers *writers;
	struct file_systems *file_systems;
	struct cell *cells;
	uint64_t unnamed_ns;
	uint64_t end_ns;
};

/* The sleep that is divided. */
struct victim {
	uint32_t task, file, cgroup;
	bool asked_kernel; /* it waits for what the kernel does at its request */
	enum explain_blame_where where;
	enum wait_cause cause;
	char names[BLAME_BY_COUNT][NAME_MAX_];
};

struct blame *blame__new(const struct explain_tables *tables, struct kept_ios *ios,
			 struct writers *writers)
{
	struct blame *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->tables = tables;
	b->end_ns = UINT64_MAX;
	b->ios = ios;
	b->window = blame_window__new(ios);
	b->writers = writers;
	b->file_systems = file_systems__new(tables);
	if (!b->window || !b->file_systems) {
		blame__free(b);
		return NULL;
	}
	return b;
}

void blame__free(struct blame *b)
{
	struct cell *cell, *next;

	if (!b)
		return;
	HASH_ITER (hh, b->cells, cell, next) {
		HASH_DEL(b->cells, cell);
		free(cell);
	}
	blame_window__free(b->window);
	file_systems__free(b->file_systems);
	free(b);
}

int blame__learn_io(struct blame *b, const struct io_row *row)
{
	blame_window__learn(b->window, row);
	return row->file ? file_systems__learn(b->file_systems, row->file, row->device) : 0;
}

int blame__learn_call(struct blame *b, const struct wait_row *row)
{
	bool writes = row->call == WAIT_CALL_WRITE || row->call == WAIT_CALL_TRUNCATE;

	return writes ? writers__add(b->writers, row->task, row->file, 0) : 0;
}

/* Names ----------------------------------------------------------------------------------------- */

static const struct trace_task *task_entry(const struct blame *b, uint32_t id)
{
	return b->tables->task(b->tables->context, id);
}

static bool is_worker(const struct trace_task *task)
{
	return explain_is_kernel_thread(task) && !strncmp(task->comm, "kworker/", 8);
}

/* Workers of the kernel are one party, whatever their number. */
static void name_task(const struct blame *b, uint32_t id, char *name)
{
	const struct trace_task *task = task_entry(b, id);
	const char *comm = task && *task->comm ? task->comm : "(not known)";

	snprintf(name, NAME_MAX_, "%s", is_worker(task) ? "kworker" : comm);
}

static void name_cgroup(const struct blame *b, uint32_t id, char *name)
{
	const struct trace_cgroup *cgroup = b->tables->cgroup(b->tables->context, id);

	snprintf(name, NAME_MAX_, "%s", cgroup && *cgroup->path ? cgroup->path : "(not known)");
}

static void name_file(const struct blame *b, uint32_t id, char *name)
{
	const struct trace_file *file = b->tables->file(b->tables->context, id);

	snprintf(name, NAME_MAX_, "%s", file && *file->path ? file->path : "(not known)");
}

/* Whose IO it is: what the kernel writes from the page cache belongs to who wrote it there. */
static uint32_t submitter_of(const struct blame *b, const struct kept_io *io)
{
	const struct trace_task *task = task_entry(b, io->task);
	uint32_t writer;

	if (io->op == IO_OP_READ || !io->is_data_of_file || !explain_is_kernel_thread(task))
		return io->task;
	writer = writers__of(b->writers, io->file);
	return writer ? writer : io->task;
}

/* What the kernel writes of a device's own pages no program wrote: the metadata of a file system, blocks of a commit. */
static bool is_of_unknown_writer(const struct blame *b, const struct kept_io *io)
{
	return io->op != IO_OP_READ && io->is_file_page &&
	       explain_is_kernel_thread(task_entry(b, io->task)) &&
	       !writers__of(b->writers, io->file);
}

static bool is_of_kernel(const struct blame *b, uint32_t task)
{
	return explain_is_kernel_thread(task_entry(b, task));
}

/*
 * Whether the kernel did it for the victim: the blocks of a commit that it waits for, or an IO that a limit of its
 * cgroup held back, which a worker sends on.
 */
static bool is_for_victim(const struct blame *b, const struct victim *v, const struct kept_io *io)
{
	if (!is_of_kernel(b, submitter_of(b, io)))
		return false;
	if (v->asked_kernel)
		return true;
	return !io->is_data_of_file && io->cgroup && io->cgroup == v->cgroup &&
	       io->op == IO_OP_READ;
}

static bool is_same_process(const struct blame *b, uint32_t one, uint32_t other)
{
	const struct trace_task *a = task_entry(b, one), *c = task_entry(b, other);

	return a && c && a->tgid && a->tgid == c->tgid;
}

/* Threads of one process are one party, and so are programs of one name. Writes the name of the submitter. */
static bool is_own(const struct blame *b, const struct victim *v, const struct kept_io *io,
		   char *name)
{
	uint32_t submitter = submitter_of(b, io);

	name_task(b, submitter, name);
	if (is_same_process(b, v->task, submitter))
		memcpy(name, v->names[BLAME_BY_TASK], NAME_MAX_);
	return !strcmp(name, v->names[BLAME_BY_TASK]);
}

static void name_culprit(const struct blame *b, const struct victim *v, const struct kept_io *io,
			 enum explain_blame_by by, char *name)
{
	if (!io || is_for_victim(b, v, io)) {
		memcpy(name, v->names[by], NAME_MAX_);
		return;
	}
	switch (by) {
	case BLAME_BY_TASK:
		is_own(b, v, io, name);
		break;
	case BLAME_BY_CGROUP:
		name_cgroup(b, io->cgroup, name);
		break;
	default:
		name_file(b, io->file, name);
		break;
	}
}

/* The matrix ------------------------------------------------------------------------------------ */

/* Whether the row of the IO has the name that the blame has: 'replay --without' looks for it there. */
static bool is_named(const struct blame *b, const struct kept_io *io, enum explain_blame_by by,
		     const char *name)
{
	const struct trace_task *task = task_entry(b, io->task);

	if (by == BLAME_BY_TASK)
		return task && !strcmp(task->comm, name);
	return by == BLAME_BY_CGROUP || io->is_data_of_file;
}

static int add_to_cell(struct blame *b, const struct cell_key *key, const struct kept_io *io,
		       uint64_t ns)
{
	struct cell *cell;

	HASH_FIND(hh, b->cells, key, sizeof(*key), cell);
	if (!cell) {
		cell = calloc(1, sizeof(*cell));
		if (!cell)
			return -ENOMEM;
		cell->key = *key;
		HASH_ADD(hh, b->cells, key, sizeof(cell->key), cell);
	}
	cell->ns += ns;
	if (!io)
		return 0;
	cell->named_ns += is_named(b, io, key->by, key->culprit) ? ns : 0;
	cell->is_kernel |= is_of_kernel(b, submitter_of(b, io));
	return 0;
}

static bool has_cell(const struct blame *b, const struct cell_key *key)
{
	struct cell *cell;

	HASH_FIND(hh, b->cells, key, sizeof(*key), cell);
	return cell != NULL;
}

static int add_part(struct blame *b, const struct victim *v, const struct kept_io *io, uint64_t ns)
{
	int err = 0;

	for (enum explain_blame_by by = 0; ns && by < BLAME_BY_COUNT && !err; by++) {
		struct cell_key key = {.by = by, .where = v->where};
		char culprit[NAME_MAX_];

		name_culprit(b, v, io, by, culprit);
		snprintf(key.victim, sizeof(key.victim), "%s", v->names[by]);
		snprintf(key.culprit, sizeof(key.culprit), "%s", culprit);
		if (HASH_COUNT(b->cells) >= CELLS_MAX && !has_cell(b, &key)) {
			memset(key.victim, 0, sizeof(key.victim));
			memset(key.culprit, 0, sizeof(key.culprit));
			snprintf(key.victim, sizeof(key.victim), BEYOND);
			snprintf(key.culprit, sizeof(key.culprit), BEYOND);
		}
		err = add_to_cell(b, &key, io, ns);
	}
	return err;
}

static struct blame_most *find_other(struct blame_others *others, const char *name,
				     enum wait_cause cause)
{
	struct blame_most *entry;

	for (uint32_t i = 0; i < others->count; i++)
		if (others->list[i].cause == cause && !strcmp(others->list[i].culprit, name))
			return &others->list[i];
	if (others->count == BLAME_OTHERS_MAX)
		return NULL;
	entry = &others->list[others->count++];
	*entry = (struct blame_most){.was_written = true, .cause = cause};
	memcpy(entry->culprit, name, sizeof(entry->culprit));
	return entry;
}

static void note_share(const struct blame *b, const struct victim *v, struct blame_others *others,
		       const struct blame_share *share)
{
	char name[NAME_MAX_];
	struct blame_most *entry;

	if (is_for_victim(b, v, share->io) || is_own(b, v, share->io, name))
		return;
	others->ns[v->cause] += share->ns;
	name[EXPLAIN_BLAME_NAME_SHORT - 1] = '\0';
	entry = find_other(others, name, v->cause);
	if (!entry)
		return;
	entry->was_written &= submitter_of(b, share->io) != share->io->task;
	entry->ns += share->ns;
	entry->ios++;
	entry->bytes += share->io->bytes;
}

struct blame_most blame_most_of(const struct blame_others *others)
{
	struct blame_most most = {0};

	for (uint32_t i = 0; i < others->count; i++)
		if (others->list[i].ns > most.ns)
			most = others->list[i];
	return most;
}

static bool is_for_writes(enum wait_cause cause)
{
	return cause == CAUSE_JOURNAL || cause == CAUSE_WRITEBACK_OF_PAGE;
}

/* Divides `whole_ns`, of which [from, to) on `device` may be others'. */
static int divide(struct blame *b, struct victim *v, uint32_t device, uint64_t from_ns,
		  uint64_t to_ns, uint64_t place, uint64_t whole_ns, struct blame_others *others)
{
	const struct blame_share *shares;
	uint64_t others_ns = 0, no_write_ns = 0;
	uint32_t count;
	int err = 0;

	if (!whole_ns)
		return 0;
	if (is_for_writes(v->cause))
		count = blame_window__divide_writes(b->window, device, from_ns, to_ns, &shares,
						    &no_write_ns);
	else
		count = blame_window__divide(b->window, device, from_ns, to_ns, place,
					     v->where == BLAME_IN_DEVICE, &shares);
	others->no_write_ns[v->cause] += no_write_ns;
	for (uint32_t i = 0; i < count && !err; i++) {
		others_ns += shares[i].ns;
		b->unnamed_ns += is_of_unknown_writer(b, shares[i].io) ? shares[i].ns : 0;
		note_share(b, v, others, &shares[i]);
		err = add_part(b, v, shares[i].io, shares[i].ns);
	}
	return err || others_ns >= whole_ns ? err : add_part(b, v, NULL, whole_ns - others_ns);
}

/* Sleeps ---------------------------------------------------------------------------------------- */

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void blame__end_at(struct blame *b, uint64_t end_ns)
{
	b->end_ns = end_ns;
}

/* A sleep that one IO ended: its turn in the scheduler, and its time at the device. */
static int add_io(struct blame *b, const struct wait_row *sleep, struct victim *v, uint64_t place,
		  const uint64_t ns[CAUSE_COUNT], struct blame_others *others)
{
	const struct kept_io *io = kept_ios__at(b->ios, place);
	uint64_t end_ns = earlier(sleep->time_ns + sleep->duration_ns, b->end_ns);
	uint64_t at_device_ns = io->inserted ? io->issued_ns : io->created_ns;
	int err;

	v->where = BLAME_IN_SCHEDULER;
	v->cause = CAUSE_SCHEDULER;
	err = divide(b, v, io->device, later(io->created_ns, sleep->time_ns),
		     earlier(io->issued_ns, end_ns), place, ns[CAUSE_SCHEDULER], others);
	v->where = BLAME_IN_DEVICE;
	v->cause = ns[CAUSE_PAGE_READ]		   ? CAUSE_PAGE_READ
		   : ns[CAUSE_READAHEAD_IN_FLIGHT] ? CAUSE_READAHEAD_IN_FLIGHT
						   : CAUSE_DEVICE;
	if (!err)
		err = divide(b, v, io->device, later(at_device_ns, sleep->time_ns),
			     earlier(io->completed_ns, end_ns), place,
			     ns[CAUSE_DEVICE] + ns[CAUSE_PAGE_READ] + ns[CAUSE_READAHEAD_IN_FLIGHT],
			     others);
	return err;
}

#define LOOKED_AT 4096u

/* Why the device of an IO can be the one that a sleep waits for, the best reason last. */
enum reason {
	REASON_NONE = 0,
	REASON_ONLY_DEVICE, /* nothing is known of the file system, and no other device had IOs */
	REASON_FILE_SYSTEM, /* its files are there */
	REASON_LOG,	    /* what the kernel wrote there for itself */
	REASON_OWN,
	REASON_FILE,
	REASON_WAKER,
};

static enum reason reason_of(const struct blame *b, const struct wait_row *sleep, uint32_t file,
			     const struct kept_io *io)
{
	bool is_known = file && file_systems__is_known(b->file_systems, file);
	bool uses = is_known && file_systems__uses(b->file_systems, file, io->device);
	bool by_kernel = is_of_kernel(b, io->task);

	/* A worker of the kernel serves all file systems. */
	if (io->task == sleep->waker && by_kernel &&
	    (uses || !is_known || !is_worker(task_entry(b, io->task))))
		return REASON_WAKER;
	if (file && io->file && explain_is_same_file(b->tables, io->file, file))
		return REASON_FILE;
	if (is_known && !uses)
		return REASON_NONE;
	if (io->task == sleep->task)
		return REASON_OWN;
	if (!is_known)
		return REASON_ONLY_DEVICE;
	return by_kernel && io->op != IO_OP_READ && !io->is_data_of_file ? REASON_LOG
									 : REASON_FILE_SYSTEM;
}

/* The last IO of the sleep with the best reason: its device is waited for. NULL: it is not known which. */
static const struct kept_io *find_device(const struct blame *b, const struct wait_row *sleep,
					 uint32_t file)
{
	uint64_t first = kept_ios__first(b->ios);
	uint64_t i = kept_ios__end_at(b->ios, sleep->time_ns + sleep->duration_ns);
	const struct kept_io *found = NULL;
	enum reason best = REASON_NONE;
	uint32_t one_device = 0;
	bool several = false;

	for (uint32_t looked = 0; i > first && looked < LOOKED_AT && best < REASON_WAKER;
	     looked++) {
		const struct kept_io *io = kept_ios__at(b->ios, --i);
		enum reason reason;

		if (io->completed_ns <= sleep->time_ns)
			break;
		one_device = one_device ? one_device : io->device;
		several |= io->device != one_device;
		reason = reason_of(b, sleep, file, io);
		if (reason > best) {
			best = reason;
			found = io;
		}
	}
	/* A call without a file can be on a device that is not recorded. */
	if (best < REASON_WAKER && (!file || (several && best == REASON_ONLY_DEVICE)))
		return NULL;
	return found;
}

/* That of the last IO of its process; 0: not known. */
static uint32_t cgroup_of(const struct blame *b, const struct wait_row *sleep)
{
	uint64_t first = kept_ios__first(b->ios);
	uint64_t i = kept_ios__end_at(b->ios, sleep->time_ns + sleep->duration_ns);

	for (uint32_t looked = 0; i > first && looked < LOOKED_AT; looked++) {
		const struct kept_io *io = kept_ios__at(b->ios, --i);

		if (io->cgroup && is_same_process(b, io->task, sleep->task))
			return io->cgroup;
	}
	return 0;
}

/* A sleep for what the kernel writes: divided among all that the device did meanwhile. */
static int add_kernel_work(struct blame *b, const struct wait_row *sleep, struct victim *v,
			   uint64_t whole_ns, struct blame_others *others)
{
	const struct kept_io *io = find_device(b, sleep, v->file);
	uint64_t end_ns = earlier(sleep->time_ns + sleep->duration_ns, b->end_ns);

	v->asked_kernel = true;
	/* What is written of its own file is charged to its control group. */
	if (io && !v->cgroup && v->file && io->file &&
	    explain_is_same_file(b->tables, io->file, v->file)) {
		v->cgroup = io->cgroup;
		name_cgroup(b, v->cgroup, v->names[BLAME_BY_CGROUP]);
	}
	return divide(b, v, io ? io->device : 0, io ? sleep->time_ns : end_ns, end_ns,
		      KEPT_IOS_NONE, whole_ns, others);
}

static void name_victim(const struct blame *b, struct victim *v)
{
	name_task(b, v->task, v->names[BLAME_BY_TASK]);
	name_cgroup(b, v->cgroup, v->names[BLAME_BY_CGROUP]);
	name_file(b, v->file, v->names[BLAME_BY_FILE]);
}

/*
 * A limit of a cgroup holds IOs back in a queue that a worker of the kernel empties. Pages that the kernel writes are
 * of who wrote them, and an IO below another device counts above.
 */
static int note_limited(struct blame *b, const struct wait_row *sleep, uint64_t place)
{
	const struct kept_io *io = kept_ios__at(b->ios, place);
	bool is_written_page = io->op != IO_OP_READ && io->is_data_of_file;

	if (io->parent_id || is_written_page || !is_of_kernel(b, io->task) ||
	    !kept_ios__claim(b->ios, place))
		return 0;
	return writers__add_limited(b->writers, sleep->task, io->completed_ns - io->created_ns);
}

int blame__add(struct blame *b, const struct wait_row *sleep, uint32_t file, uint64_t place,
	       const uint64_t ns[CAUSE_COUNT], struct blame_others *others)
{
	struct victim v = {.task = sleep->task, .file = file};
	int err = 0;

	*others = (struct blame_others){0};
	if (place != KEPT_IOS_NONE) {
		if (file && kept_ios__at(b->ios, place)->task == sleep->task) {
			kept_ios__set_file(b->ios, place, file);
			err = file_systems__learn(b->file_systems, file,
						  kept_ios__at(b->ios, place)->device);
		}
		v.file = file ? file : kept_ios__at(b->ios, place)->file;
		v.cgroup = kept_ios__at(b->ios, place)->cgroup;
	}
	v.cgroup = v.cgroup ? v.cgroup : cgroup_of(b, sleep);
	name_victim(b, &v);
	if (!err && place != KEPT_IOS_NONE && ns[CAUSE_CGROUP_LIMIT])
		err = note_limited(b, sleep, place);
	if (err || place != KEPT_IOS_NONE)
		return err ? err : add_io(b, sleep, &v, place, ns, others);
	v.where = BLAME_IN_JOURNAL;
	v.cause = CAUSE_JOURNAL;
	if (ns[CAUSE_JOURNAL])
		err = add_kernel_work(b, sleep, &v, ns[CAUSE_JOURNAL], others);
	v.where = BLAME_IN_WRITEBACK;
	v.cause = CAUSE_WRITEBACK_OF_PAGE;
	if (!err && ns[CAUSE_WRITEBACK_OF_PAGE])
		err = add_kernel_work(b, sleep, &v, ns[CAUSE_WRITEBACK_OF_PAGE], others);
	v.where = BLAME_IN_DEVICE;
	v.cause = CAUSE_FLUSH;
	if (!err && ns[CAUSE_FLUSH])
		err = add_kernel_work(b, sleep, &v, ns[CAUSE_FLUSH], others);
	if (!err && ns[CAUSE_DEVICE])
		err = add_part(b, &v, NULL, ns[CAUSE_DEVICE]);
	return err;
}

/* The end --------------------------------------------------------------------------------------- */

static int by_kind_and_time(struct cell *a, struct cell *b)
{
	if (a->key.by != b->key.by)
		return a->key.by < b->key.by ? -1 : 1;
	return (a->ns < b->ns) - (a->ns > b->ns);
}

int blame__finish(struct blame *b, struct explain_waits *w)
{
	struct cell *cell, *next;

	w->blame = calloc(HASH_COUNT(b->cells) + 1, sizeof(*w->blame));
	if (!w->blame)
		return -ENOMEM;
	w->unnamed_ns = b->unnamed_ns;
	HASH_SORT(b->cells, by_kind_and_time);
	HASH_ITER (hh, b->cells, cell, next) {
		struct explain_blame *added = &w->blame[w->blame_count++];

		added->by = cell->key.by;
		added->where = cell->key.where;
		added->ns = cell->ns;
		added->named_ns = cell->named_ns;
		added->is_kernel = cell->is_kernel;
		added->victim = strdup(cell->key.victim);
		added->culprit = strdup(cell->key.culprit);
		if (!added->victim || !added->culprit)
			return -ENOMEM;
	}
	return 0;
}
