// SPDX-License-Identifier: MIT
#include "collector/probes/watch_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#define ENTRIES_MIN	 64u
#define SLOTS_MAX	 65536u /* 8 MiB of kernel memory */
#define KERNEL_DEVICE(c) ((c)->major << 20 | (c)->minor)

/* The disks before they are placed in the table. */
struct disks {
	struct device_state *states;
	uint32_t *queues; /* number of hardware queues of each */
	uint32_t count, capacity;
};

static void free_disks(struct disks *disks)
{
	free(disks->states);
	free(disks->queues);
}

static int reserve(struct disks *disks)
{
	uint32_t capacity = disks->capacity ? disks->capacity * 2 : 16;
	struct device_state *states;
	uint32_t *queues;

	if (disks->count < disks->capacity)
		return 0;
	states = realloc(disks->states, capacity * sizeof(*states));
	if (states)
		disks->states = states;
	queues = realloc(disks->queues, capacity * sizeof(*queues));
	if (queues)
		disks->queues = queues;
	if (!states || !queues)
		return -ENOMEM;
	disks->capacity = capacity;
	return 0;
}

static struct device_state *find_disk(struct disks *disks, uint32_t device)
{
	for (uint32_t i = 0; i < disks->count; i++)
		if (disks->states[i].device == device)
			return &disks->states[i];
	return NULL;
}

static int add_disk(const struct device_choice *choice, void *context)
{
	struct disks *disks = context;
	struct device_state *state = find_disk(disks, KERNEL_DEVICE(choice));
	int err;

	if (state) {
		if (choice->first_sector < state->first_sector)
			state->first_sector = choice->first_sector;
		if (choice->end_sector > state->end_sector)
			state->end_sector = choice->end_sector;
		return 0;
	}
	err = reserve(disks);
	if (err)
		return err;
	state = &disks->states[disks->count];
	*state = (struct device_state){
		.device = KERNEL_DEVICE(choice),
		.first_sector = choice->first_sector,
		.end_sector = choice->end_sector,
	};
	devices__queues(choice->major, choice->minor, &disks->queues[disks->count],
			&state->queue_slots);
	disks->count++;
	return 0;
}

/* When the disks want more slots than SLOTS_MAX, each gets its share. */
static uint32_t share_slots(struct disks *disks)
{
	uint64_t wanted = 0, given = 0;

	for (uint32_t i = 0; i < disks->count; i++)
		wanted += (uint64_t)disks->queues[i] * disks->states[i].queue_slots;
	for (uint32_t i = 0; i < disks->count; i++) {
		struct device_state *state = &disks->states[i];

		if (wanted > SLOTS_MAX)
			state->queue_slots =
				(uint32_t)((uint64_t)state->queue_slots * SLOTS_MAX / wanted);
		state->first_slot = (uint32_t)given;
		given += (uint64_t)disks->queues[i] * state->queue_slots;
		state->end_slot = (uint32_t)given;
	}
	return given ? (uint32_t)given : 1;
}

static bool place(struct watch_table *table, const struct device_state *state)
{
	uint32_t first = state->device * DEVICE_MULTIPLIER >> table->shift;

	for (uint32_t i = 0; i < DEVICE_PROBES; i++) {
		struct device_state *entry =
			&table->entries[(first + i) & (table->entry_count - 1)];

		if (entry->device)
			continue;
		*entry = *state;
		return true;
	}
	return false;
}

static bool place_all(struct watch_table *table, const struct disks *disks)
{
	memset(table->entries, 0, table->entry_count * sizeof(table->entries[0]));
	for (uint32_t i = 0; i < disks->count; i++)
		if (!place(table, &disks->states[i]))
			return false;
	return true;
}

static int build(struct watch_table *table, const struct disks *disks)
{
	table->entry_count = ENTRIES_MIN;
	table->shift = 26;
	for (;;) {
		table->entries = calloc(table->entry_count, sizeof(table->entries[0]));
		if (!table->entries)
			return -ENOMEM;
		if (table->entry_count >= 2 * disks->count && place_all(table, disks))
			return 0;
		free(table->entries);
		table->entries = NULL;
		table->entry_count *= 2;
		table->shift--;
	}
}

int watch_table__fill(struct watch_table *table, const struct device_choice *choices,
		      unsigned int count)
{
	struct disks disks = {.count = 0};
	int err = 0;

	*table = (struct watch_table){.slot_count = 1};
	for (unsigned int i = 0; i < count && !err; i++)
		err = add_disk(&choices[i], &disks);
	if (!count)
		err = devices__each_disk(add_disk, &disks);
	if (!err) {
		table->slot_count = share_slots(&disks);
		err = build(table, &disks);
	}
	free_disks(&disks);
	return err;
}

int watch_table__store(const struct watch_table *table, int map_fd)
{
	for (uint32_t i = 0; i < table->entry_count; i++)
		if (bpf_map_update_elem(map_fd, &i, &table->entries[i], BPF_ANY))
			return -errno;
	return 0;
}

void watch_table__free(struct watch_table *table)
{
	free(table->entries);
}
