// SPDX-License-Identifier: MIT
#include "replay/engine/huge_pages.h"

#include <linux/mman.h>
#include <stdio.h>
#include <sys/mman.h>

#include "base/units.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static void *map_aligned(uint64_t bytes)
{
	uint8_t *at = mmap(NULL, bytes + HUGE_PAGE_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t before_bytes;

	if (at == MAP_FAILED)
		return NULL;
	before_bytes = -(uintptr_t)at % HUGE_PAGE_BYTES;
	if (before_bytes)
		munmap(at, before_bytes);
	munmap(at + before_bytes + bytes, HUGE_PAGE_BYTES - before_bytes);
	return at + before_bytes;
}

/* True when the mapping that holds `at` is in huge pages as a whole, as the kernel tells. */
static bool is_huge(const void *at)
{
	unsigned long long start, end, kib = 0, mapped_kib = 0;
	bool inside = false, found = false;
	FILE *file = fopen("/proc/self/smaps", "re");
	char line[512];

	while (file && !found && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx-%llx ", &start, &end) == 2) {
			inside = (uintptr_t)at >= start && (uintptr_t)at < end;
			mapped_kib = (end - start) >> 10;
		} else if (inside) {
			found = sscanf(line, "AnonHugePages: %llu", &kib) == 1;
		}
	}
	if (file)
		fclose(file);
	return found && kib == mapped_kib;
}

/* Pages that the administrator has set aside; they are there even where memory is in fragments. */
static void *map_reserved(uint64_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_HUGE_2MB, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	/* Without this, a control group that may have none of them would kill the replay later. */
	if (!madvise(at, bytes, MADV_POPULATE_WRITE))
		return at;
	munmap(at, bytes);
	return NULL;
}

void *huge_pages__map(uint64_t *bytes, bool *huge)
{
	volatile uint8_t *at;
	void *reserved;

	*bytes = (*bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
	at = map_aligned(*bytes);
	if (!at)
		return NULL;
	madvise((void *)at, *bytes, MADV_HUGEPAGE);
	for (uint64_t done = 0; done < *bytes; done += PAGE_BYTES)
		at[done] = 0;
	*huge = is_huge((const void *)at);
	reserved = *huge ? NULL : map_reserved(*bytes);
	if (!reserved)
		return (void *)at;
	munmap((void *)at, *bytes);
	*huge = true;
	return reserved;
}
