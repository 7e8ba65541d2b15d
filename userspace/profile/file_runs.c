// SPDX-License-Identifier: MIT
#include "profile/file_runs.h"

#include <string.h>

#include "base/units.h"

#define PAGE_SECTORS (PAGE_BYTES / SECTOR_BYTES)

static int at_sector(const struct file_runs *r, uint64_t sector)
{
	for (unsigned int i = 0; i < r->count; i++)
		if (r->runs[i].end_sector == sector)
			return (int)i;
	return -1;
}

static int at_address(const struct file_runs *r, uint64_t address)
{
	for (unsigned int i = 0; i < r->count; i++)
		if (r->runs[i].end == address)
			return (int)i;
	return -1;
}

/* As recent_ends_follow() does it. */
void file_runs_follow(struct file_runs *r, uint64_t sector, uint64_t address, uint64_t bytes,
		      uint32_t owner)
{
	int continued = at_sector(r, sector);
	uint64_t carry = continued < 0 ? SECTOR_BYTES - 1 : r->runs[continued].carry;
	uint64_t sum = carry + bytes % SECTOR_BYTES;
	struct file_run run = {.end_sector = sector + bytes / SECTOR_BYTES + sum / SECTOR_BYTES,
			       .end = address + bytes,
			       .carry = sum % SECTOR_BYTES,
			       .owner = owner};
	unsigned int moved;

	if (continued < 0)
		continued = at_sector(r, run.end_sector);
	if (continued >= 0)
		moved = (unsigned int)continued;
	else if (r->count < RECENT_ENDS)
		moved = r->count++;
	else
		moved = RECENT_ENDS - 1;
	memmove(r->runs + 1, r->runs, moved * sizeof(r->runs[0]));
	r->runs[0] = run;
}

/* A sector of the same page where no run ends: what continues none must not look as if it did. */
static uint64_t apart(const struct file_runs *r, uint64_t sector)
{
	uint64_t page = sector - sector % PAGE_SECTORS;

	if (at_sector(r, sector) < 0)
		return sector;
	for (uint64_t i = 0; i < PAGE_SECTORS; i++)
		if (at_sector(r, page + i) < 0)
			return page + i;
	return sector;
}

uint64_t file_runs_sector(struct file_runs *r, uint64_t address, uint64_t bytes,
			  uint64_t limit_sector, bool *continues)
{
	int continued = at_address(r, address);
	uint64_t sectors = (bytes + SECTOR_BYTES - 1) / SECTOR_BYTES, sector;

	*continues = continued >= 0;
	sector = continued >= 0 ? r->runs[continued].end_sector : apart(r, address / SECTOR_BYTES);
	if (sector + sectors > limit_sector && sectors <= limit_sector)
		sector = limit_sector - sectors;
	file_runs_follow(r, sector, address, bytes, 0);
	return sector;
}

const struct file_run *file_runs_find(const struct file_runs *r, uint64_t sector)
{
	int continued = at_sector(r, sector);

	return continued >= 0 ? &r->runs[continued] : NULL;
}
