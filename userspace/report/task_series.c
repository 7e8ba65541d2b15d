// SPDX-License-Identifier: MIT
#include "report/task_series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explain/figures/device_account.h"

static void release_list(struct task_load *list)
{
	while (list) {
		struct task_load *next = list->next;

		free(list->name.name);
		free(list);
		list = next;
	}
}

void task_series_release(struct task_series *s)
{
	release_list(s->list);
	*s = (struct task_series){0};
}

static void widen(struct task_load *load, uint32_t first_bin, uint32_t end_bin)
{
	if (!load->total_ios || first_bin < load->first_bin)
		load->first_bin = first_bin;
	if (end_bin > load->end_bin)
		load->end_bin = end_bin;
}

static void sum_into(struct task_load *into, const struct task_load *from)
{
	widen(into, from->first_bin, from->end_bin);
	into->total_ios += from->total_ios;
	for (uint32_t i = from->first_bin; i < from->end_bin; i++) {
		into->ios[i] += from->ios[i];
		into->bytes[i] += from->bytes[i];
		into->time_ns[i] += from->time_ns[i];
	}
}

/* Only the bins with IOs: with many tasks that take turns, most have few. */
static void empty(struct task_load *load)
{
	for (uint32_t i = load->first_bin; i < load->end_bin; i++) {
		load->ios[i] = 0;
		load->bytes[i] = load->time_ns[i] = 0;
	}
	load->total_ios = 0;
	load->first_bin = load->end_bin = 0;
}

/*
 * Takes the task with the fewest IOs out of the list; of several the one that was idle longest. The
 * newest half stays, for a task that begins has few IOs, too.
 */
static struct task_load *give_up_one(struct task_series *s)
{
	struct task_load **at = &s->list, **least, *load;

	for (uint32_t i = 0; i < TASKS_FOLLOWED_MAX / 2; i++)
		at = &(*at)->next;
	for (least = at; *at; at = &(*at)->next)
		if ((*at)->total_ios <= (*least)->total_ios)
			least = at;
	load = *least;
	*least = load->next;
	sum_into(&s->others, load);
	empty(load);
	return load;
}

/* The latest is first, as most IOs follow one of the same task. NULL: out of memory. */
static struct task_load *load_of(struct task_series *s, uint32_t id)
{
	struct task_load **at = &s->list, *load;

	while (*at && (*at)->id != id)
		at = &(*at)->next;
	load = *at;
	if (load) {
		*at = load->next;
	} else if (s->count == TASKS_FOLLOWED_MAX) {
		load = give_up_one(s);
		load->id = id;
	} else {
		load = calloc(1, sizeof(*load));
		if (!load)
			return NULL;
		load->id = id;
		s->count++;
	}
	load->next = s->list;
	s->list = load;
	return load;
}

int task_series_add(struct task_series *s, const struct io_row *row, uint32_t bin)
{
	struct task_load *load = load_of(s, row->task);
	uint64_t total_ns;

	if (!load)
		return -ENOMEM;
	widen(load, bin, bin + 1);
	load->total_ios++;
	load->ios[bin]++;
	load->bytes[bin] += row->bytes;
	if (explain_total_ns(row, &total_ns))
		load->time_ns[bin] += total_ns;
	return 0;
}

static void double_bins(struct task_load *load)
{
	for (uint32_t i = 0; i < TIMELINE_BINS; i++) {
		uint32_t a = 2 * i, b = a + 1;
		bool both = b < TIMELINE_BINS;

		load->ios[i] = both ? load->ios[a] + load->ios[b] : 0;
		load->bytes[i] = both ? load->bytes[a] + load->bytes[b] : 0;
		load->time_ns[i] = both ? load->time_ns[a] + load->time_ns[b] : 0;
	}
	load->first_bin /= 2;
	load->end_bin = (load->end_bin + 1) / 2;
}

void task_series_double_bins(struct task_series *s)
{
	for (struct task_load *load = s->list; load; load = load->next)
		double_bins(load);
	double_bins(&s->others);
}

static bool is_one_process(const struct task_load *a, const struct task_load *b)
{
	return a->name.tgid == b->name.tgid && !strcmp(a->name.name, b->name.name);
}

/* Puts a load where it belongs, by falling number of IOs. */
static void insert(struct task_load **list, struct task_load *load)
{
	while (*list && (*list)->total_ios >= load->total_ios)
		list = &(*list)->next;
	load->next = *list;
	*list = load;
}

static void sort_united(struct task_series *s)
{
	struct task_load *sorted = NULL, *load;

	while ((load = s->list)) {
		struct task_load **at = &load->next, *other;

		while ((other = *at)) {
			if (!is_one_process(load, other)) {
				at = &other->next;
				continue;
			}
			sum_into(load, other);
			*at = other->next;
			other->next = NULL;
			release_list(other);
		}
		s->list = load->next;
		insert(&sorted, load);
	}
	s->list = sorted;
}

int task_series_finish(struct task_series *s, const struct explain_tables *tables)
{
	struct task_load **at = &s->list;
	int err;

	for (struct task_load *load = s->list; load; load = load->next) {
		load->name.id = load->id;
		err = explain_name_task(tables, &load->name);
		if (err)
			return err;
	}
	sort_united(s);
	s->count = 0;
	while (*at && s->count < TASKS_SHOWN) {
		at = &(*at)->next;
		s->count++;
	}
	for (struct task_load *load = *at; load; load = load->next)
		sum_into(&s->others, load);
	release_list(*at);
	*at = NULL;
	return 0;
}
