// SPDX-License-Identifier: MIT
#include "explain/explainer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/units.h"
#include "explain/figures/cache_figures.h"
#include "explain/figures/commands.h"
#include "explain/figures/device_account.h"
#include "explain/figures/flow.h"
#include "explain/figures/group_account.h"
#include "explain/figures/layers.h"
#include "explain/figures/owners.h"
#include "explain/waits/account.h"
#include "workload/row_order.h"

struct device_entry {
	uint32_t id;
	struct device_account *account; /* NULL: not chosen, or beyond the bound */
	bool beyond;
	UT_hash_handle hh;
};

/* Reads of files of one file system by one device. */
struct file_reads {
	struct {
		uint32_t device, major, minor;
	} key;
	struct explain_origin reads;
	UT_hash_handle hh;
};

#define FILE_READS_MAX 1024u

struct explainer {
	struct file_reads *file_reads;
	const struct explain_tables *tables;
	const char *const *chosen;
	uint32_t chosen_count;
	struct device_entry *devices, *latest_device;
	uint32_t device_entries, device_accounts;
	struct task_accounts *tasks;
	struct group_accounts *files, *cgroups;
	struct cache_pairs *pairs;
	struct layers *layers;
	struct writers *writers;
	struct wait_account *waits;
	struct row_order *order; /* sequential access shows in the order of creation */
	uint64_t start_ns, end_ns, first_ns, last_ns;
	struct explanation *result;
};

static bool is_chosen(const struct explainer *e, const struct trace_device *info)
{
	if (!e->chosen_count)
		return true;
	if (!info)
		return false;
	for (uint32_t i = 0; i < e->chosen_count; i++)
		if (!strcmp(explain_device_word(e->chosen[i]), info->name))
			return true;
	return false;
}

static bool takes_device(const void *explainer, uint32_t device)
{
	const struct explainer *e = explainer;

	return is_chosen(e, e->tables->device(e->tables->context, device));
}

struct explainer *explainer__new(const struct explain_tables *tables, const char *const *devices,
				 uint32_t device_count)
{
	struct explainer *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->tables = tables;
	e->chosen = devices;
	e->chosen_count = device_count;
	e->first_ns = e->end_ns = UINT64_MAX;
	e->tasks = task_accounts__new(tables);
	e->files = group_accounts__new();
	e->cgroups = group_accounts__new();
	e->layers = layers__new();
	e->pairs = cache_pairs__new();
	e->writers = writers__new(tables);
	if (e->writers)
		e->waits = wait_account__new(tables, e->writers, device_count ? takes_device : NULL,
					     e);
	e->result = calloc(1, sizeof(*e->result));
	if (!e->tasks || !e->files || !e->cgroups || !e->layers || !e->pairs || !e->waits ||
	    !e->result || row_order__create(ROW_IO, &e->order)) {
		explainer__free(e);
		return NULL;
	}
	e->result->devices_chosen = device_count > 0;
	return e;
}

void explainer__begin(struct explainer *e, uint64_t start_ns, uint64_t end_ns)
{
	e->start_ns = start_ns;
	e->end_ns = end_ns;
	wait_account__end_at(e->waits, end_ns);
}

void explainer__join_hosts(struct explainer *e)
{
	wait_account__join_hosts(e->waits);
}

void explainer__free(struct explainer *e)
{
	struct device_entry *entry, *next;

	if (!e)
		return;
	row_order__free(e->order);
	HASH_ITER (hh, e->devices, entry, next) {
		HASH_DEL(e->devices, entry);
		device_account__free(entry->account);
		free(entry);
	}
	while (e->file_reads) {
		struct file_reads *reads = e->file_reads;

		HASH_DEL(e->file_reads, reads);
		free(reads);
	}
	task_accounts__free(e->tasks);
	group_accounts__free(e->files);
	group_accounts__free(e->cgroups);
	layers__free(e->layers);
	wait_account__free(e->waits);
	writers__free(e->writers);
	cache_pairs__free(e->pairs);
	explanation__free(e->result);
	free(e);
}

/* An entry of a device without an account costs little, but a file must not choose their number. */
#define DEVICE_ENTRIES_MAX (64 * EXPLAIN_DEVICES_MAX)

/* *found is NULL for a device that is not explained. */
static int device_of(struct explainer *e, uint32_t id, struct device_account **found)
{
	const struct trace_device *info;
	struct device_entry *entry = e->latest_device;

	*found = NULL;
	if (!entry || entry->id != id)
		HASH_FIND(hh, e->devices, &id, sizeof(id), entry);
	if (!entry) {
		if (e->device_entries >= DEVICE_ENTRIES_MAX) {
			e->result->ignored_rows++;
			return 0;
		}
		entry = calloc(1, sizeof(*entry));
		if (!entry)
			return -ENOMEM;
		entry->id = id;
		HASH_ADD(hh, e->devices, id, sizeof(entry->id), entry);
		e->device_entries++;
		info = e->tables->device(e->tables->context, id);
		entry->beyond = e->device_accounts >= EXPLAIN_DEVICES_MAX;
		if (is_chosen(e, info) && !entry->beyond) {
			entry->account = device_account__new(id, info, e->start_ns, e->end_ns);
			if (!entry->account)
				return -ENOMEM;
			e->device_accounts++;
		}
	}
	e->latest_device = entry;
	e->result->ignored_rows += entry->beyond;
	*found = entry->account;
	return 0;
}

static void note_time(struct explainer *e, uint64_t time_ns)
{
	if (!time_ns)
		return;
	if (time_ns < e->first_ns)
		e->first_ns = time_ns;
	if (time_ns > e->last_ns)
		e->last_ns = time_ns;
}

/* Keeps the slowest IOs, sorted, the slowest first. */
static void note_slowest(struct explanation *x, const struct io_row *row)
{
	struct explain_slow_io slow = {.row = *row};
	uint32_t at = x->slowest_count;

	if (!explain_total_ns(row, &slow.total_ns))
		return;
	while (at && x->slowest[at - 1].total_ns < slow.total_ns)
		at--;
	if (at == EXPLAIN_SLOWEST_MAX)
		return;
	if (x->slowest_count < EXPLAIN_SLOWEST_MAX)
		x->slowest_count++;
	memmove(x->slowest + at + 1, x->slowest + at,
		(x->slowest_count - at - 1) * sizeof(*x->slowest));
	x->slowest[at] = slow;
}

static int follow(struct explainer *e, const struct io_row *row)
{
	struct device_entry *entry;

	HASH_FIND(hh, e->devices, &row->device, sizeof(row->device), entry);
	return entry && entry->account ? device_account__follow(entry->account, row) : 0;
}

static int note_file_read(struct explainer *e, const struct io_row *row)
{
	const struct trace_file *file;
	struct file_reads *reads, wanted = {.key.device = row->device};

	if (row->op != IO_OP_READ || row->origin != IO_ORIGIN_FILE || !row->file || row->parent_id)
		return 0;
	file = e->tables->file(e->tables->context, row->file);
	if (!file)
		return 0;
	wanted.key.major = file->major;
	wanted.key.minor = file->minor;
	HASH_FIND(hh, e->file_reads, &wanted.key, sizeof(wanted.key), reads);
	if (!reads) {
		if (HASH_COUNT(e->file_reads) >= FILE_READS_MAX)
			return 0;
		reads = malloc(sizeof(*reads));
		if (!reads)
			return -ENOMEM;
		*reads = wanted;
		HASH_ADD(hh, e->file_reads, key, sizeof(reads->key), reads);
	}
	reads->reads.ios++;
	reads->reads.bytes += row->bytes;
	return 0;
}

/* A loop device with direct IO hands the pages of its reader down to the device of its file. */
static bool is_loop_above(const struct explain_device *above, const struct file_reads *reads)
{
	return above->id != reads->key.device && !strncmp(above->info.stacked_on, "file ", 5) &&
	       above->info.major == reads->key.major && above->info.minor == reads->key.minor;
}

static void finish_loop(struct explain_device *below, const struct explanation *x,
			const struct file_reads *reads)
{
	bool has_loop = false;

	for (uint32_t i = 0; i < x->device_count; i++)
		has_loop |= is_loop_above(x->devices[i], reads);
	if (!has_loop)
		return;
	below->loop_reads.ios += reads->reads.ios;
	below->loop_reads.bytes += reads->reads.bytes;
}

static void finish_file_reads(struct explainer *e)
{
	struct explanation *x = e->result;
	struct file_reads *reads, *next;

	for (uint32_t i = 0; i < x->device_count; i++) {
		struct explain_device *d = x->devices[i];
		uint64_t most_ios = 0;

		HASH_ITER (hh, e->file_reads, reads, next) {
			if (reads->key.device != d->id)
				continue;
			finish_loop(d, x, reads);
			if (reads->reads.ios <= most_ios)
				continue;
			most_ios = reads->reads.ios;
			d->read_major = reads->key.major;
			d->read_minor = reads->key.minor;
		}
	}
}

int explainer__add_io(struct explainer *e, const struct io_row *row)
{
	struct device_account *device;
	uint64_t below_ns;
	struct io_row next;
	int err;

	note_time(e, row->created_ns);
	note_time(e, row->completed_ns);
	err = wait_account__add_io(e->waits, row);
	if (!err)
		err = layers__add(e->layers, row);
	if (!err)
		err = device_of(e, row->device, &device);
	if (err || !device)
		return err;
	e->result->io_rows++;
	if (row->op == IO_OP_READ && row->origin == IO_ORIGIN_FILE &&
	    row->created_ns > e->result->cache.last_file_read_ns)
		e->result->cache.last_file_read_ns = row->created_ns;
	err = note_file_read(e, row);
	if (!err && row->op == IO_OP_READ && row->origin == IO_ORIGIN_FILE)
		err = cache_pairs__add_read(e->pairs, row);
	if (!err)
		err = device_account__add_io(device, row,
					     e->tables->task(e->tables->context, row->task));
	if (err || explain_column(row) < 0)
		return err;
	if (layers__below_ns(e->layers, row, &below_ns))
		device_account__add_below(device, row, below_ns);
	if (row_order__push(e->order, row, &next))
		err = follow(e, &next);
	/* The IO above counts this work already, unless this device was chosen. */
	if (err || (row->parent_id && !e->chosen_count))
		return err;
	e->result->began_before += !!(row->flags & IO_STARTED_BEFORE);
	note_slowest(e->result, row);
	err = writers__add_io(e->writers, row);
	if (!err)
		err = task_accounts__add_io(e->tasks, row->task, row);
	if (!err && row->file)
		err = group_accounts__add_io(e->files, row->file, row);
	if (!err)
		err = group_accounts__add_io(e->cgroups, row->cgroup, row);
	return err;
}

int explainer__add_cache(struct explainer *e, const struct cache_row *row)
{
	const struct trace_file *file = e->tables->file(e->tables->context, row->file);
	int err;

	note_time(e, row->time_ns);
	cache_figures__add(&e->result->cache, row, file,
			   e->tables->task(e->tables->context, row->task));
	err = task_accounts__add_cache(e->tasks, row->task, row);
	if (!err && row->file)
		err = group_accounts__add_cache(e->files, row->file, row);
	if (!err)
		err = group_accounts__add_cache(e->cgroups, row->cgroup, row);
	if (!err && row->file)
		err = cache_pairs__add(e->pairs, row);
	if (!err && row->dirtied_pages)
		err = writers__add(e->writers, row->task, row->file, row->dirtied_pages);
	return err;
}

int explainer__add_tick(struct explainer *e, const struct tick_row *row)
{
	struct device_account *device;
	int err;

	note_time(e, row->time_ns);
	err = device_of(e, row->device, &device);
	if (!err && device)
		device_account__add_tick(device, row);
	return err;
}

int explainer__add_hist(struct explainer *e, const struct hist_row *row)
{
	struct device_account *device;
	int err;

	note_time(e, row->time_ns);
	err = device_of(e, row->device, &device);
	return !err && device ? device_account__add_hist(device, row) : err;
}

int explainer__add_wait(struct explainer *e, const struct wait_row *row)
{
	note_time(e, row->time_ns);
	return wait_account__add(e->waits, row);
}

void explainer__add_loss(struct explainer *e, const struct loss_row *row)
{
	struct explain_loss *loss =
		&e->result->losses[row->class < LOSS_CLASS_COUNT ? row->class : LOSS_OUTPUT];

	loss->rows++;
	loss->count += row->count;
	e->result->lost += row->count;
}

int explainer__add_tier(struct explainer *e, const struct trace_tier *tier)
{
	struct explanation *x = e->result;
	struct explain_tier *tiers, *added;

	tiers = realloc(x->tiers, (x->tier_count + 1) * sizeof(*tiers));
	if (!tiers)
		return -ENOMEM;
	x->tiers = tiers;
	added = &tiers[x->tier_count++];
	added->figure = strdup(tier->figure);
	added->how = strdup(tier->how);
	added->quality = strdup(tier->quality);
	added->note = strdup(tier->note);
	return added->figure && added->how && added->quality && added->note ? 0 : -ENOMEM;
}

static int by_device_id(struct device_entry *a, struct device_entry *b)
{
	return a->id < b->id ? -1 : a->id > b->id;
}

static bool is_filtered(const struct explanation *x)
{
	for (uint32_t i = 0; i < x->tier_count; i++)
		if (!strcmp(x->tiers[i].figure, TRACE_TIER_FILTER))
			return true;
	return false;
}

static int finish_devices(struct explainer *e)
{
	struct explanation *x = e->result;
	struct device_entry *entry, *next;
	struct io_row row;
	int err = 0;

	while (!err && row_order__drain(e->order, &row))
		err = follow(e, &row);
	if (err)
		return err;
	x->devices = calloc(e->device_accounts + 1, sizeof(struct explain_device *));
	if (!x->devices)
		return -ENOMEM;
	HASH_SORT(e->devices, by_device_id);
	HASH_ITER (hh, e->devices, entry, next) {
		struct device_account *account = entry->account;

		if (!account)
			continue;
		entry->account = NULL;
		x->devices[x->device_count] =
			device_account__finish(account, x->cut || is_filtered(x),
					       x->has_summary ? x->summary.stop_ns : UINT64_MAX);
		if (!x->devices[x->device_count])
			return -ENOMEM;
		x->device_count++;
	}
	return 0;
}

static int finish_owners(struct explainer *e, group_namer *name, struct explain_groups *result)
{
	struct group_accounts *copy;
	int err;

	if (e->result->host.anonymized)
		return 0;
	copy = group_accounts__copy(e->cgroups);
	if (!copy)
		return -ENOMEM;
	err = group_accounts__finish(copy, name, e->tables, result);
	group_accounts__free(copy);
	return err;
}

static int finish_groups(struct explainer *e)
{
	struct explanation *x = e->result;
	int err;

	err = task_accounts__finish(e->tasks, &x->by_task, &x->by_command);
	if (!err)
		err = group_accounts__finish(e->files, explain_name_file, e->tables, &x->by_file);
	if (!err)
		err = finish_owners(e, explain_name_unit, &x->by_unit);
	if (!err)
		err = finish_owners(e, explain_name_pod, &x->by_pod);
	if (!err)
		err = finish_owners(e, explain_name_container, &x->by_container);
	if (!err)
		err = group_accounts__finish(e->cgroups, explain_name_cgroup, e->tables,
					     &x->by_cgroup);
	for (uint32_t i = 0; !err && i < x->slowest_count; i++)
		err = explain_name_slow_io(e->tables, &x->slowest[i]);
	return err;
}

static void finish_frame(struct explainer *e, const struct explain_frame *frame)
{
	struct explanation *x = e->result;
	uint64_t from_ns = frame->host->start_ns, to_ns = e->last_ns;

	x->host = *frame->host;
	x->cut = frame->cut || !frame->summary;
	x->cut_before_rows = x->cut && frame->cut_before_rows;
	if (frame->summary) {
		x->summary = *frame->summary;
		x->has_summary = true;
		to_ns = frame->summary->stop_ns;
	}
	if (!from_ns && e->first_ns != UINT64_MAX)
		from_ns = e->first_ns;
	x->duration_ns = to_ns > from_ns ? to_ns - from_ns : 0;
}

int explainer__finish(struct explainer *e, const struct explain_frame *frame,
		      struct explanation **result)
{
	int err;

	finish_frame(e, frame);
	cache_figures__finish(e->result);
	err = finish_devices(e);
	if (!err)
		err = finish_groups(e);
	if (!err)
		err = cache_figures__name_pairs(e->result, e->pairs, e->tables);
	if (!err)
		err = wait_account__finish(e->waits, e->result);
	if (!err)
		err = writers__finish(e->writers, e->result);
	if (err)
		goto out;
	finish_file_reads(e);
	explain_flow(e->result);
	*result = e->result;
	e->result = NULL;
out:
	explainer__free(e);
	return err;
}
