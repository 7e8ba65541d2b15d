/* SPDX-License-Identifier: MIT */
/* Figures by process, file or cgroup: one bounded table of accounts by id. */
#ifndef BLKREEL_EXPLAIN_FIGURES_GROUP_ACCOUNT_H
#define BLKREEL_EXPLAIN_FIGURES_GROUP_ACCOUNT_H

#include "explain/figures/explanation.h"

/* Accounts kept of each kind (1 KiB each); later ones are summed as "others". */
#define GROUP_ACCOUNTS_MAX 16384u

struct group_accounts;

struct group_accounts *group_accounts__new(void);    /* NULL: out of memory */
void group_accounts__free(struct group_accounts *g); /* NULL is allowed */

/* 0 or -ENOMEM. Not for rows of passthrough commands. */
int group_accounts__add_io(struct group_accounts *g, uint32_t id, const struct io_row *row);
int group_accounts__add_cache(struct group_accounts *g, uint32_t id, const struct cache_row *row);

/* The same accounts, to group them by other names; NULL: out of memory. Not of what is finished. */
struct group_accounts *group_accounts__copy(const struct group_accounts *g);

/* Whether this id has no account of its own and gets none: the table is full. */
bool group_accounts__is_late(const struct group_accounts *g, uint32_t id);

/* The ids that have an account, at most GROUP_ACCOUNTS_MAX; returns how many they are. */
uint32_t group_accounts__ids(const struct group_accounts *g, uint32_t *ids);

/* Puts the accounts of `others` in the place of what is summed as "others"; no id is in both. 0 or
 * -ENOMEM. */
int group_accounts__take_others(struct group_accounts *g, const struct group_accounts *others);

/* Names a group: fills name (malloc'ed), tgid and kernel_thread. 0 or -ENOMEM. */
typedef int group_namer(const void *context, struct explain_group *group);

/*
 * Names the groups, sums those that share a name (and a process), sorts them and hands over the
 * first EXPLAIN_GROUPS_MAX. explain_groups_release() frees what `result` holds, also on failure.
 */
int group_accounts__finish(struct group_accounts *g, group_namer *name, const void *context,
			   struct explain_groups *result);

/* The same, but sums also groups of different processes. */
int group_accounts__finish_by_name(struct group_accounts *g, group_namer *name, const void *context,
				   struct explain_groups *result);

#endif
