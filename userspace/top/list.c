// SPDX-License-Identifier: MIT
#include "top/list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/units.h"

#define KEY_MAX 64

const char *const top_by_names[] = {"process", "command", "cgroup", "unit", "container",
				    "pod",     "file",	  "device", NULL};
const char *const top_sort_names[] = {"waiting", "ios", "bytes", "misses", NULL};

struct group {
	struct top_row row;
	bool has_leader; /* its name is that of the first thread of the process */
	UT_hash_handle hh;
	char key[];
};

struct grouping {
	struct group *groups;
	int err;
};

/* The group of a key, made if there is none; NULL: out of memory, which is noted. */
static struct group *group_of(struct grouping *g, const char *key)
{
	size_t length = strlen(key);
	struct group *group;

	HASH_FIND(hh, g->groups, key, length, group);
	if (group)
		return group;
	group = calloc(1, sizeof(*group) + length + 1);
	if (!group) {
		g->err = -ENOMEM;
		return NULL;
	}
	memcpy(group->key, key, length + 1);
	HASH_ADD_KEYPTR(hh, g->groups, group->key, length, group);
	return group;
}

static void set_name(struct grouping *g, struct group *group, const char *name)
{
	char *copy = strdup(name);

	if (!copy) {
		g->err = -ENOMEM;
		return;
	}
	free(group->row.name);
	group->row.name = copy;
}

/* Adds to the group of `key`, which is called `name` if it is new. */
static struct group *add(struct grouping *g, const char *key, const char *name,
			 const struct activity_sums *sums)
{
	struct group *group = group_of(g, key);

	if (!group)
		return NULL;
	if (!group->row.name)
		set_name(g, group, name);
	activity_sums__add(&group->row.sums, sums);
	return group;
}

static void by_process(struct grouping *g, const struct party_task *party)
{
	const struct trace_task *task = &party->task;
	uint32_t pid = task->tgid ? task->tgid : task->pid;
	struct group *group;
	char key[KEY_MAX];

	snprintf(key, sizeof(key), "%" PRIu32, pid);
	group = add(g, key, task->comm, &party->sums);
	if (!group)
		return;
	group->row.pid = pid;
	if (task->pid == pid && !group->has_leader) {
		group->has_leader = true;
		set_name(g, group, task->comm);
	}
}

/* "kworker/u8:3-flush" and the others are one command. */
static void by_command(struct grouping *g, const struct party_task *party)
{
	char name[sizeof(party->task.comm) + 1];

	snprintf(name, sizeof(name), "%s", party->task.comm);
	if (party->task.kernel_thread)
		name[strcspn(name, "/")] = '\0';
	add(g, name, name, &party->sums);
}

static void by_cgroup(struct grouping *g, const struct party_cgroup *party)
{
	struct group *group;
	char key[KEY_MAX], gone[KEY_MAX];

	snprintf(key, sizeof(key), "%" PRIu64, party->kernel_id);
	snprintf(gone, sizeof(gone), "(removed, id %" PRIu64 ")", party->kernel_id);
	group = add(g, key, *party->path ? party->path : gone, &party->sums);
	if (group)
		group->row.id = party->kernel_id;
}

static void by_unit(struct grouping *g, const struct party_cgroup *party)
{
	struct cgroup_owner owner;
	const char *name;

	cgroup_owner__of_path(party->path, &owner);
	name = *owner.unit ? owner.unit : "(no unit)";
	add(g, name, name, &party->sums);
}

/* A pod, or a container; what a pod does outside of its containers is a row of containers, too. */
static void by_container(struct grouping *g, const struct party_cgroup *party,
			 const struct top_choice *choice, uint64_t now_ns)
{
	bool of_pod = choice->by == TOP_POD, known;
	struct container_name name = {0};
	char label[CONTAINER_LABEL_MAX];
	struct cgroup_owner owner;

	cgroup_owner__of_path(party->path, &owner);
	known = owner.kind == CGROUP_POD || owner.kind == CGROUP_CONTAINER;
	if (known && choice->names)
		container_names__find(choice->names, &owner, now_ns, &name);
	if (of_pod) {
		known = owner.pod_uid[0] || name.pod[0];
		owner.kind = CGROUP_POD;
	}
	if (known)
		container_names__label(&owner, &name, party->path, label);
	else
		snprintf(label, sizeof(label), "(no %s)", of_pod ? "pod" : "container");
	add(g, label, label, &party->sums);
}

static void by_file(struct grouping *g, const struct party_file *party)
{
	struct group *group;
	char key[KEY_MAX], nameless[KEY_MAX];

	snprintf(key, sizeof(key), "%u:%u:%" PRIu64 ":%u", party->major, party->minor, party->inode,
		 party->generation);
	snprintf(nameless, sizeof(nameless), "(inode %" PRIu64 " of %u:%u)", party->inode,
		 party->major, party->minor);
	group = add(g, key, *party->path ? party->path : nameless, &party->sums);
	if (!group)
		return;
	group->row.id = party->inode;
	if (*party->path) /* the newest of its names */
		set_name(g, group, party->path);
}

static void by_device(struct grouping *g, const struct party_device *party)
{
	struct group *group;
	char key[KEY_MAX];

	snprintf(key, sizeof(key), "%u:%u", party->device.major, party->device.minor);
	group = add(g, key, party->device.name, &party->sums);
	if (group)
		group->row.device = party;
}

static void add_nobody(struct grouping *g, enum top_by by, const struct party_rest *rest)
{
	static const char *const no_file[IO_ORIGIN_COUNT] = {
		[IO_ORIGIN_UNKNOWN] = "(memory of the kernel)",
		[IO_ORIGIN_FILE] = "(unknown)",
		[IO_ORIGIN_BLOCKDEV] = "(unknown)",
		[IO_ORIGIN_DIRECT] = "(direct IO)",
		[IO_ORIGIN_SWAP] = "(swap)",
		[IO_ORIGIN_NONE] = "(flush, discard)",
	};

	for (int origin = 0; origin < IO_ORIGIN_COUNT; origin++) {
		const char *name = by == TOP_FILE ? no_file[origin] : "(unknown)";

		add(g, name, name, &rest->none[origin]);
	}
}

static const struct party_rest *group_cgroups(struct grouping *g, const struct top_choice *choice,
					      const struct activity_sample *sample)
{
	const struct parties *p = &sample->parties;

	for (uint32_t i = 0; i < p->cgroup_count; i++) {
		if (choice->by == TOP_CGROUP)
			by_cgroup(g, &p->cgroups[i]);
		else if (choice->by == TOP_UNIT)
			by_unit(g, &p->cgroups[i]);
		else
			by_container(g, &p->cgroups[i], choice, sample->time_ns);
	}
	return &p->cgroup_rest;
}

static const struct party_rest *group_parties(struct grouping *g, const struct top_choice *choice,
					      const struct activity_sample *sample)
{
	const struct parties *p = &sample->parties;
	const struct party_rest *rest = &p->task_rest;
	enum top_by by = choice->by;

	switch (by) {
	case TOP_CGROUP:
	case TOP_UNIT:
	case TOP_CONTAINER:
	case TOP_POD:
		rest = group_cgroups(g, choice, sample);
		break;
	case TOP_FILE:
		rest = &p->file_rest;
		for (uint32_t i = 0; i < p->file_count; i++)
			by_file(g, &p->files[i]);
		break;
	case TOP_DEVICE:
		rest = &p->device_rest;
		for (uint32_t i = 0; i < p->device_count; i++)
			by_device(g, &p->devices[i]);
		break;
	default:
		for (uint32_t i = 0; i < p->task_count; i++)
			(by == TOP_COMMAND ? by_command : by_process)(g, &p->tasks[i]);
	}
	add_nobody(g, by, rest);
	return rest;
}

static uint64_t figure(const struct activity_sums *sums, enum top_sort sort)
{
	switch (sort) {
	case TOP_IOS:
		return activity_sums__ios(sums);
	case TOP_BYTES:
		return activity_sums__bytes(sums);
	case TOP_MISSES:
		return sums->miss_pages;
	default:
		return sums->total_ns;
	}
}

/* By the figure, then by the others, and equal ones by name: rows do not change places for nothing. */
static int compare(const void *left, const void *right, void *context)
{
	const struct top_row *a = left, *b = right;
	const enum top_sort *sort = context;

	for (int i = 0; i <= TOP_SORT_COUNT; i++) {
		enum top_sort by = i ? (enum top_sort)(i - 1) : *sort;
		uint64_t of_a = figure(&a->sums, by), of_b = figure(&b->sums, by);

		if (of_a != of_b)
			return of_a < of_b ? 1 : -1;
	}
	return strcmp(a->name, b->name) ?: (a->pid > b->pid) - (a->pid < b->pid);
}

/* Who only hits the page cache gets a row in the order of misses. */
static bool has_row(const struct top_row *row, enum top_sort sort)
{
	const struct activity_sums *sums = &row->sums;

	return activity_sums__ios(sums) || sums->miss_pages || sums->dirtied_pages ||
	       sums->page_waits_ns || (sort == TOP_MISSES && sums->read_pages) ||
	       (row->device && row->device->has_kernel);
}

static void take_groups(struct grouping *g, enum top_sort sort, struct top_list *list)
{
	struct group *group, *next;

	HASH_ITER (hh, g->groups, group, next) {
		HASH_DEL(g->groups, group);
		if (!g->err && has_row(&group->row, sort)) {
			list->rows[list->all++] = group->row;
		} else {
			activity_sums__add(&list->other, &group->row.sums);
			list->other_count += group->row.sums.read_pages != 0;
			free(group->row.name);
		}
		free(group);
	}
}

int top_list__make(const struct activity_sample *sample, const struct top_choice *choice,
		   size_t limit, struct top_list *list)
{
	enum top_sort sort = choice->sort;
	struct grouping g = {0};
	const struct party_rest *rest;

	memset(list, 0, sizeof(*list));
	rest = group_parties(&g, choice, sample);
	list->rows = calloc(HASH_COUNT(g.groups) + 1, sizeof(*list->rows));
	if (!list->rows)
		g.err = -ENOMEM;
	take_groups(&g, sort, list);
	if (g.err) {
		top_list__release(list);
		return g.err;
	}
	qsort_r(list->rows, list->all, sizeof(*list->rows), compare, &sort);
	list->count = limit && limit < list->all ? limit : list->all;
	activity_sums__add(&list->other, &rest->refused);
	list->other_count += rest->refused_count + (list->all - list->count);
	for (size_t i = list->count; i < list->all; i++)
		activity_sums__add(&list->other, &list->rows[i].sums);
	return 0;
}

void top_list__release(struct top_list *list)
{
	for (size_t i = 0; list->rows && i < list->all; i++)
		free(list->rows[i].name);
	free(list->rows);
	memset(list, 0, sizeof(*list));
}

void top_list__total(const struct top_list *list, struct activity_sums *total)
{
	*total = list->other;
	for (size_t i = 0; i < list->count; i++)
		activity_sums__add(total, &list->rows[i].sums);
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void compare_device(const struct party_device *device, struct top_agreement *agreement)
{
	const struct tick_row *kernel = &device->kernel; /* zeroes: its counters did not change */

	agreement->compared++;
	for (int op = 0; op < TICK_OP_COUNT; op++) {
		agreement->ios += device->sums.ios[op];
		agreement->kernel_ios += kernel->ios[op];
		agreement->apart += apart(device->sums.ios[op], kernel->ios[op]);
		/* The kernel does not count the bytes of flushes. */
		if (op != TICK_FLUSH &&
		    device->sums.bytes[op] != kernel->sectors[op] * SECTOR_BYTES)
			agreement->bytes_equal = false;
	}
}

void top_agreement__of(const struct activity_sample *sample, struct top_agreement *agreement)
{
	*agreement = (struct top_agreement){.bytes_equal = true};
	for (uint32_t i = 0; i < sample->parties.device_count; i++) {
		if (sample->parties.devices[i].is_counted)
			compare_device(&sample->parties.devices[i], agreement);
		else
			agreement->not_compared++;
	}
}
