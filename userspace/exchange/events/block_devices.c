// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <uthash.h>

#include "exchange/events/block_devices.h"

#include "trace/format.h"

#define STACKS_MAX 4u

struct entry {
	struct block_device device; /* its number is the key */
	UT_hash_handle hh;
};

struct block_devices {
	struct foreign_names *names;
	struct entry *entries, *last;
	struct entry *by_id[TRACE_DEVICES_MAX + 1];
	unsigned int stacks;
	struct {
		uint32_t upper, lower; /* ids */
	} stack[STACKS_MAX];
};

struct block_devices *block_devices__new(struct foreign_names *names)
{
	struct block_devices *d = calloc(1, sizeof(*d));

	if (d)
		d->names = names;
	return d;
}

void block_devices__free(struct block_devices *d)
{
	struct entry *entry, *next;

	if (!d)
		return;
	HASH_ITER (hh, d->entries, entry, next) {
		HASH_DEL(d->entries, entry);
		free(entry);
	}
	free(d);
}

static bool is_taken(const struct block_devices *d, struct text name)
{
	for (const struct entry *entry = d->entries; entry; entry = entry->hh.next)
		if (text_is(name, foreign_names__device_name(d->names, entry->device.id)))
			return true;
	return false;
}

static uint32_t new_id(struct block_devices *d, uint32_t number, struct text name)
{
	char numbers[TRACE_NAME_MAX];

	/* A name of the form "8:0" must not be mistaken for the device of that number. */
	if (!name.bytes || name.bytes >= TRACE_NAME_MAX || memchr(name.at, ':', name.bytes) ||
	    is_taken(d, name)) {
		snprintf(numbers, sizeof(numbers), "%u:%u", block_major(number),
			 block_minor(number));
		name = (struct text){numbers, strlen(numbers)};
	}
	return foreign_names__device(d->names, name, block_major(number), block_minor(number));
}

struct block_device *block_devices__find(struct block_devices *d, uint32_t number)
{
	struct entry *entry = d->last;

	if (entry && entry->device.number == number)
		return &entry->device;
	HASH_FIND(hh, d->entries, &number, sizeof(number), entry);
	if (!entry)
		return NULL;
	d->last = entry;
	return &entry->device;
}

struct block_device *block_devices__get(struct block_devices *d, uint32_t number, struct text name)
{
	struct block_device *device = block_devices__find(d, number);
	struct entry *entry;

	if (device)
		return device;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	entry->device.number = number;
	entry->device.id = new_id(d, number, name);
	HASH_ADD(hh, d->entries, device.number, sizeof(entry->device.number), entry);
	d->by_id[entry->device.id] = entry;
	d->last = entry;
	return &entry->device;
}

struct block_device *block_devices__by_id(struct block_devices *d, uint32_t id)
{
	return &d->by_id[id]->device;
}

void block_devices__stack(struct block_devices *d, uint32_t upper, uint32_t lower)
{
	for (unsigned int i = 0; i < d->stacks; i++)
		if (d->stack[i].upper == upper && d->stack[i].lower == lower)
			return;
	if (d->stacks == STACKS_MAX)
		return;
	d->stack[d->stacks].upper = upper;
	d->stack[d->stacks++].lower = lower;
}

void block_devices__stacks_text(const struct block_devices *d, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (unsigned int i = 0; i < d->stacks && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s on %s", i ? ", " : "",
					 foreign_names__device_name(d->names, d->stack[i].upper),
					 foreign_names__device_name(d->names, d->stack[i].lower));
}
