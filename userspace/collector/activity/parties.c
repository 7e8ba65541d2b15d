// SPDX-License-Identifier: MIT
#include "collector/activity/parties.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for the entry of this id in an array that doubles. NULL: no memory, or no room. */
static void *place(void **array, uint32_t *count, uint32_t id, size_t bytes)
{
	bool is_full = (*count & (*count - 1)) == 0; /* at 0 and each power of two */
	void *grown;

	if (id != *count + 1 || *count >= PARTIES_MAX)
		return NULL;
	if (is_full) {
		grown = realloc(*array, (*count ? 2 * (size_t)*count : 1) * bytes);
		if (!grown)
			return NULL;
		*array = grown;
	}
	memset((char *)*array + *count * bytes, 0, bytes);
	return (char *)*array + (*count)++ * bytes;
}

static int add_device(void *context, const struct trace_device *device)
{
	struct parties *p = context;
	struct party_device *entry =
		place((void **)&p->devices, &p->device_count, device->id, sizeof(*entry));

	if (!entry) {
		p->device_rest.refused_count++;
		return -ENOSPC;
	}
	entry->device = *device;
	return 0;
}

static int add_task(void *context, const struct trace_task *task)
{
	struct parties *p = context;
	struct party_task *entry =
		place((void **)&p->tasks, &p->task_count, task->id, sizeof(*entry));

	if (!entry) {
		p->task_rest.refused_count++;
		return -ENOSPC;
	}
	entry->task = *task;
	return 0;
}

static int add_cgroup(void *context, const struct trace_cgroup *cgroup)
{
	struct parties *p = context;
	char *path = strdup(cgroup->path);
	struct party_cgroup *entry =
		path ? place((void **)&p->cgroups, &p->cgroup_count, cgroup->id, sizeof(*entry))
		     : NULL;

	if (!entry) {
		free(path);
		p->cgroup_rest.refused_count++;
		return -ENOSPC;
	}
	entry->kernel_id = cgroup->kernel_id;
	entry->path = path;
	return 0;
}

static int add_file(void *context, const struct trace_file *file)
{
	struct parties *p = context;
	char *path = strdup(file->path);
	struct party_file *entry =
		path ? place((void **)&p->files, &p->file_count, file->id, sizeof(*entry)) : NULL;

	if (!entry) {
		free(path);
		p->file_rest.refused_count++;
		return -ENOSPC;
	}
	entry->major = file->major;
	entry->minor = file->minor;
	entry->generation = file->generation;
	entry->inode = file->inode;
	entry->kind = file->kind;
	entry->path = path;
	return 0;
}

struct row_tables parties__tables(struct parties *p)
{
	return (struct row_tables){
		.device = add_device,
		.task = add_task,
		.cgroup = add_cgroup,
		.file = add_file,
		.context = p,
	};
}

void parties__release(struct parties *p)
{
	for (uint32_t i = 0; i < p->cgroup_count; i++)
		free(p->cgroups[i].path);
	for (uint32_t i = 0; i < p->file_count; i++)
		free(p->files[i].path);
	free(p->tasks);
	free(p->cgroups);
	free(p->files);
	free(p->devices);
	memset(p, 0, sizeof(*p));
}

static struct activity_sums sums_of_io(const struct io_row *row)
{
	struct activity_sums sums = {.errors = row->error != 0};
	int op = io_row_tick_op(row);

	if (op < 0) {
		sums.passthrough_ios = 1;
	} else {
		sums.ios[op] = 1;
		sums.bytes[op] = row->bytes;
	}
	if (!row->created_ns || row->completed_ns < row->created_ns) {
		sums.untimed_ios = 1;
		return sums;
	}
	sums.total_ns = sums.longest_ns = row->completed_ns - row->created_ns;
	if (row->issued_ns > row->completed_ns)
		sums.queue_ns = sums.total_ns;
	else if (row->issued_ns)
		sums.queue_ns = row->issued_ns - row->created_ns;
	return sums;
}

static void add_plain(uint64_t *sum, const uint64_t *more, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sum[i] += more[i];
}

void activity_sums__add(struct activity_sums *sums, const struct activity_sums *more)
{
	uint64_t longest_ns =
		sums->longest_ns > more->longest_ns ? sums->longest_ns : more->longest_ns;

	_Static_assert(sizeof(*sums) % sizeof(uint64_t) == 0, "only sums");
	add_plain((uint64_t *)sums, (const uint64_t *)more, sizeof(*sums) / sizeof(uint64_t));
	sums->longest_ns = longest_ns;
}

uint64_t activity_sums__ios(const struct activity_sums *sums)
{
	uint64_t ios = sums->passthrough_ios;

	for (int op = 0; op < TICK_OP_COUNT; op++)
		ios += sums->ios[op];
	return ios;
}

uint64_t activity_sums__bytes(const struct activity_sums *sums)
{
	uint64_t bytes = 0;

	for (int op = 0; op < TICK_OP_COUNT; op++)
		bytes += sums->bytes[op];
	return bytes;
}

/* Without an id it has no such party, unless the table is full. */
static struct activity_sums *no_place(struct party_rest *rest, uint8_t origin, bool has_none)
{
	if (!has_none && rest->refused_count)
		return &rest->refused;
	return &rest->none[origin < IO_ORIGIN_COUNT ? origin : IO_ORIGIN_UNKNOWN];
}

static bool is_of_file(uint8_t origin)
{
	return origin == IO_ORIGIN_FILE || origin == IO_ORIGIN_BLOCKDEV;
}

static void add_to_parties(struct parties *p, const struct activity_sums *sums, uint32_t task,
			   uint32_t cgroup, uint32_t file, uint8_t origin)
{
	activity_sums__add(task ? &p->tasks[task - 1].sums : no_place(&p->task_rest, origin, false),
			   sums);
	activity_sums__add(cgroup ? &p->cgroups[cgroup - 1].sums
				  : no_place(&p->cgroup_rest, origin, false),
			   sums);
	activity_sums__add(file ? &p->files[file - 1].sums
				: no_place(&p->file_rest, origin, !is_of_file(origin)),
			   sums);
}

void parties__add_io(struct parties *p, const struct io_row *row)
{
	const struct activity_sums sums = sums_of_io(row);

	activity_sums__add(row->device ? &p->devices[row->device - 1].sums
				       : no_place(&p->device_rest, row->origin, false),
			   &sums);
	if (row->parent_id) {
		activity_sums__add(&p->below, &sums);
		return;
	}
	activity_sums__add(&p->total, &sums);
	add_to_parties(p, &sums, row->task, row->cgroup, row->file, row->origin);
}

/* The device of a file is not known: its file system may have several. */
void parties__add_cache(struct parties *p, const struct cache_row *row)
{
	const struct activity_sums sums = {
		.read_pages = row->read_pages,
		.miss_pages = row->demand_miss_pages,
		.dirtied_pages = row->dirtied_pages,
		.page_waits_ns = row->wait_ns,
	};

	activity_sums__add(&p->total, &sums);
	add_to_parties(p, &sums, row->task, row->cgroup, row->file, IO_ORIGIN_FILE);
}

void parties__add_tick(struct parties *p, const struct tick_row *tick)
{
	struct party_device *device;

	if (!tick->device)
		return;
	device = &p->devices[tick->device - 1];
	device->kernel = *tick;
	device->has_kernel = true;
}
