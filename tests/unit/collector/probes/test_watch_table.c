// SPDX-License-Identifier: MIT
#include "unit/shared/test.h"

#include <stdlib.h>

#include "collector/probes/watch_table.h"

#define DISKS 1500

/* Looks up a device as find_device() of the probes does. */
static const struct device_state *find(const struct watch_table *table, uint32_t device)
{
	uint32_t first = device * DEVICE_MULTIPLIER >> table->shift;

	for (uint32_t i = 0; i < DEVICE_PROBES; i++) {
		const struct device_state *entry =
			&table->entries[(first + i) & (table->entry_count - 1)];

		if (entry->device == device)
			return entry;
		if (!entry->device)
			return NULL;
	}
	return NULL;
}

static void every_disk_is_found_where_the_probes_look(void)
{
	struct device_choice *choices = calloc(DISKS, sizeof(*choices));
	struct watch_table table;
	unsigned int missing = 0;

	REQUIRE(choices);
	for (unsigned int i = 0; i < DISKS; i++) {
		choices[i].major = i % 3 ? 8 + i / 256 : 259;
		choices[i].minor = i % 3 ? i % 256 * 16 : i;
		choices[i].end_sector = UINT64_MAX;
	}
	REQUIRE(!watch_table__fill(&table, choices, DISKS));
	for (unsigned int i = 0; i < DISKS; i++)
		missing += !find(&table, choices[i].major << 20 | choices[i].minor);
	CHECK_EQ(missing, 0);
	CHECK_EQ(table.entry_count, 1ull << (32 - table.shift));
	CHECK(!find(&table, 4095u << 20 | 77));
	watch_table__free(&table);
	free(choices);
}

static void parts_of_a_disk_become_the_range_that_covers_them(void)
{
	struct device_choice choices[] = {
		{.major = 4000, .minor = 16, .first_sector = 5000, .end_sector = 6000},
		{.major = 4000, .minor = 16, .first_sector = 100, .end_sector = 200},
	};
	const struct device_state *entry;
	struct watch_table table;

	REQUIRE(!watch_table__fill(&table, choices, 2));
	entry = find(&table, 4000u << 20 | 16);
	REQUIRE(entry);
	CHECK_EQ(entry->first_sector, 100);
	CHECK_EQ(entry->end_sector, 6000);
	watch_table__free(&table);
}

static void slots_do_not_overlap_and_are_bounded(void)
{
	struct watch_table table;
	uint64_t slots = 0;

	REQUIRE(!watch_table__fill(&table, NULL, 0));
	for (uint32_t i = 0; i < table.entry_count; i++) {
		const struct device_state *a = &table.entries[i];

		slots += a->end_slot - a->first_slot;
		for (uint32_t j = 0; j < i; j++) {
			const struct device_state *b = &table.entries[j];

			CHECK(a->end_slot <= b->first_slot || b->end_slot <= a->first_slot);
		}
	}
	CHECK(slots <= table.slot_count);
	CHECK(table.slot_count <= 65536);
	watch_table__free(&table);
}

int main(void)
{
	RUN(every_disk_is_found_where_the_probes_look);
	RUN(parts_of_a_disk_become_the_range_that_covers_them);
	RUN(slots_do_not_overlap_and_are_bounded);
	return TEST_RESULT;
}
