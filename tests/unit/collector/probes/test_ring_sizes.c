// SPDX-License-Identifier: MIT
/* The memory of the rings: bounded on every machine, in sizes that the kernel accepts. */
#include "bpf/event.h"
#include "collector/probes/cpu_rings.h"
#include "collector/probes/ring_sizes.h"
#include "unit/shared/test.h"

static bool is_power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

static uint64_t bytes_of(const struct ring_sizes *sizes, unsigned int cpus)
{
	return sizes->ring_count * sizes->ring_bytes +
	       (uint64_t)cpus * sizes->slots * sizeof(struct io_event);
}

static void memory_is_bounded_on_every_machine(void)
{
	for (unsigned int cpus = 1; cpus <= 2048; cpus++)
		for (int parts = 0; parts < 4; parts++) {
			struct ring_sizes sizes = ring_sizes(cpus, parts & 1, parts & 2, 0);

			REQUIRE(bytes_of(&sizes, cpus) <= 256 << 20);
			REQUIRE(sizes.ring_count <= RINGS_MAX);
			REQUIRE(sizes.ring_count >= cpus || sizes.ring_count == RINGS_MAX);
			REQUIRE(is_power_of_two(sizes.ring_count));
			REQUIRE(is_power_of_two(sizes.ring_bytes) && sizes.ring_bytes >= 16384);
			REQUIRE(!sizes.slots || is_power_of_two(sizes.slots));
		}
}

/* The bound does not make the rings of small machines small. */
static void small_machines_get_full_rings(void)
{
	struct ring_sizes sizes = ring_sizes(2, true, false, 0);

	if (sizes.slots) {
		CHECK_EQ(sizes.slots * sizeof(struct io_event), 16 << 20);
		CHECK_EQ(sizes.ring_bytes, 4 << 20);
	} else {
		CHECK_EQ(sizes.ring_bytes, 16 << 20);
	}
	for (unsigned int cpus = 1; cpus <= 4; cpus++)
		CHECK_EQ(ring_sizes(cpus, true, false, 0).ring_count, cpus < 3 ? cpus : 4);
	CHECK_EQ(ring_sizes(2, true, false, 0).slots, cpu_rings__slots(2, 16 << 20));
	CHECK_EQ(ring_sizes(2, true, true, 0).ring_bytes, 16 << 20);
	CHECK_EQ(ring_sizes(2, false, false, 0).ring_bytes, 16 << 20);
	CHECK_EQ(ring_sizes(2, false, true, 0).slots, 0);
}

static void a_size_of_the_user_is_kept(void)
{
	struct ring_sizes sizes = ring_sizes(64, true, false, 64 << 20);

	CHECK_EQ(sizes.ring_bytes, 64 << 20);
	CHECK(!sizes.slots || sizes.slots * sizeof(struct io_event) == 64 << 20);
}

int main(void)
{
	RUN(memory_is_bounded_on_every_machine);
	RUN(small_machines_get_full_rings);
	RUN(a_size_of_the_user_is_kept);
	return TEST_RESULT;
}
