/* SPDX-License-Identifier: MIT */
/* Figures by command: the processes of one name summed, however many they are. */
#ifndef BLKREEL_EXPLAIN_FIGURES_COMMANDS_H
#define BLKREEL_EXPLAIN_FIGURES_COMMANDS_H

#include "explain/figures/group_account.h"
#include "explain/figures/labels.h"

/* Accounts by task, and by command for the tasks that came when those were full. */
struct task_accounts;

struct task_accounts *task_accounts__new(const struct explain_tables *tables); /* NULL: no memory */
void task_accounts__free(struct task_accounts *t);			       /* NULL is allowed */

/* As the functions of group_accounts. */
int task_accounts__add_io(struct task_accounts *t, uint32_t task, const struct io_row *row);
int task_accounts__add_cache(struct task_accounts *t, uint32_t task, const struct cache_row *row);

/* The figures by process and by command, as group_accounts__finish(). */
int task_accounts__finish(struct task_accounts *t, struct explain_groups *by_task,
			  struct explain_groups *by_command);

#endif
