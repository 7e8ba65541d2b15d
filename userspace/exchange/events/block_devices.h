/* SPDX-License-Identifier: MIT */
/* The devices of an event trace, and which device is stacked on which. */
#ifndef BLKREEL_EXCHANGE_EVENTS_BLOCK_DEVICES_H
#define BLKREEL_EXCHANGE_EVENTS_BLOCK_DEVICES_H

#include "exchange/events/block_event.h"
#include "exchange/foreign_names.h"

struct block_device {
	uint32_t number; /* block_device() */
	uint32_t id;	 /* in the tables of the trace */
	uint32_t at_driver;
	bool queues, issues, completes; /* such events were seen */
};

struct block_devices;

struct block_devices *block_devices__new(struct foreign_names *names); /* NULL: no memory */
void block_devices__free(struct block_devices *d);		       /* NULL is allowed */

/* Finds the device, or adds it with the name `name` or "MAJOR:MINOR". NULL: no memory. */
struct block_device *block_devices__get(struct block_devices *d, uint32_t number, struct text name);
struct block_device *block_devices__find(struct block_devices *d, uint32_t number); /* or NULL */
struct block_device *block_devices__by_id(struct block_devices *d, uint32_t id);

/* Notes that an IO of `upper` became an IO of `lower`. */
void block_devices__stack(struct block_devices *d, uint32_t upper, uint32_t lower);
/* "dm0 on sda, dm0 on sdb"; empty when none is stacked. */
void block_devices__stacks_text(const struct block_devices *d, char *text, size_t size);

#endif
