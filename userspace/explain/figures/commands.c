// SPDX-License-Identifier: MIT
#include "explain/figures/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "trace/format.h"

/* The first task of each command that came late stands for all of them. */
struct late_command {
	char name[sizeof(((struct trace_task *)0)->comm) + 1];
	uint32_t id;
	UT_hash_handle hh;
};

struct task_accounts {
	const struct explain_tables *tables;
	struct group_accounts *tasks, *late;
	struct late_command *commands;
	uint64_t *late_ids; /* a bit for each id of a late task; NULL: none came */
};

struct task_accounts *task_accounts__new(const struct explain_tables *tables)
{
	struct task_accounts *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->tables = tables;
	t->tasks = group_accounts__new();
	t->late = group_accounts__new();
	if (t->tasks && t->late)
		return t;
	task_accounts__free(t);
	return NULL;
}

void task_accounts__free(struct task_accounts *t)
{
	struct late_command *command, *next;

	if (!t)
		return;
	HASH_ITER (hh, t->commands, command, next) {
		HASH_DEL(t->commands, command);
		free(command);
	}
	group_accounts__free(t->tasks);
	group_accounts__free(t->late);
	free(t->late_ids);
	free(t);
}

/* Sets *id to that of the account of this task's command. */
static int late_account(struct task_accounts *t, uint32_t task, uint32_t *id)
{
	struct explain_group group = {.id = task};
	struct late_command *command;
	int err;

	*id = task;
	if (!t->late_ids) {
		t->late_ids = calloc(TRACE_TASKS_MAX / 64 + 1, sizeof(*t->late_ids));
		if (!t->late_ids)
			return -ENOMEM;
	}
	if (task <= TRACE_TASKS_MAX)
		t->late_ids[task / 64] |= 1ull << task % 64;
	err = explain_name_command(t->tables, &group);
	if (err)
		return err;
	HASH_FIND_STR(t->commands, group.name, command);
	if (!command && HASH_COUNT(t->commands) < GROUP_ACCOUNTS_MAX) {
		command = calloc(1, sizeof(*command));
		if (command) {
			snprintf(command->name, sizeof(command->name), "%s", group.name);
			command->id = task;
			HASH_ADD_STR(t->commands, name, command);
		} else {
			err = -ENOMEM;
		}
	}
	if (command)
		*id = command->id;
	free(group.name);
	return err;
}

int task_accounts__add_io(struct task_accounts *t, uint32_t task, const struct io_row *row)
{
	bool is_late = group_accounts__is_late(t->tasks, task);
	int err = group_accounts__add_io(t->tasks, task, row);

	if (err || !is_late)
		return err;
	err = late_account(t, task, &task);
	return err ? err : group_accounts__add_io(t->late, task, row);
}

int task_accounts__add_cache(struct task_accounts *t, uint32_t task, const struct cache_row *row)
{
	bool is_late = group_accounts__is_late(t->tasks, task);
	int err = group_accounts__add_cache(t->tasks, task, row);

	if (err || !is_late)
		return err;
	err = late_account(t, task, &task);
	return err ? err : group_accounts__add_cache(t->late, task, row);
}

/* A task by its command and process. */
struct member {
	char *command;
	uint32_t tgid;
};

static int by_command_and_process(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order = strcmp(x->command, y->command);

	return order ? order : (x->tgid > y->tgid) - (x->tgid < y->tgid);
}

static int name_member(const struct task_accounts *t, uint32_t id, struct member *member)
{
	struct explain_group group = {.id = id};
	int err = explain_name_command(t->tables, &group);

	*member = (struct member){group.name, group.tgid};
	return err;
}

static uint32_t count_late(const struct task_accounts *t)
{
	uint32_t count = 0;

	for (uint32_t i = 0; t->late_ids && i <= TRACE_TASKS_MAX / 64; i++)
		count += (uint32_t)__builtin_popcountll(t->late_ids[i]);
	return count;
}

static uint32_t late_ids(const struct task_accounts *t, uint32_t *ids)
{
	uint32_t count = 0;

	for (uint32_t i = 0; t->late_ids && i <= TRACE_TASKS_MAX; i++)
		if (t->late_ids[i / 64] >> i % 64 & 1)
			ids[count++] = i;
	return count;
}

/* All tasks with figures, sorted. */
static int list_members(const struct task_accounts *t, struct member **members, uint32_t *count)
{
	uint32_t most = GROUP_ACCOUNTS_MAX + count_late(t) + 1, used;
	uint32_t *ids = malloc(most * sizeof(*ids));
	int err = 0;

	*count = 0;
	*members = calloc(most, sizeof(**members));
	if (!ids || !*members) {
		free(ids);
		return -ENOMEM;
	}
	used = group_accounts__ids(t->tasks, ids);
	used += late_ids(t, ids + used);
	for (uint32_t i = 0; i < used && !err; i++) {
		err = name_member(t, ids[i], &(*members)[i]);
		*count += !err;
	}
	free(ids);
	qsort(*members, *count, sizeof(**members), by_command_and_process);
	return err;
}

/* The first of the members of a command. */
static const struct member *find_first(const struct member *members, uint32_t count,
				       const char *command)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (strcmp(members[middle].command, command) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return members + low;
}

static void count_processes(struct explain_group *group, const struct member *members,
			    uint32_t count)
{
	const struct member *end = members + count;

	group->tgid = 0;
	for (const struct member *m = find_first(members, count, group->name);
	     m < end && !strcmp(m->command, group->name); m++) {
		if (group->processes && m->tgid == m[-1].tgid)
			continue;
		group->processes++;
		group->tgid = m->tgid;
	}
	if (group->processes > 1)
		group->tgid = 0;
}

static int finish_commands(struct task_accounts *t, struct explain_groups *result)
{
	struct group_accounts *all = group_accounts__copy(t->tasks);
	struct member *members = NULL;
	uint32_t count = 0;
	int err = all ? group_accounts__take_others(all, t->late) : -ENOMEM;

	if (!err)
		err = list_members(t, &members, &count);
	if (!err)
		err = group_accounts__finish_by_name(all, explain_name_command, t->tables, result);
	for (uint32_t i = 0; i < result->count && !err; i++)
		count_processes(&result->list[i], members, count);
	for (uint32_t i = 0; i < count; i++)
		free(members[i].command);
	free(members);
	group_accounts__free(all);
	return err;
}

int task_accounts__finish(struct task_accounts *t, struct explain_groups *by_task,
			  struct explain_groups *by_command)
{
	int err = finish_commands(t, by_command);

	return err ? err : group_accounts__finish(t->tasks, explain_name_task, t->tables, by_task);
}
