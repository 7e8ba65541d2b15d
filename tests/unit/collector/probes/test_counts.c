// SPDX-License-Identifier: MIT
/* What the probes could not record, as their object counts it. */
#include "unit/shared/test.h"

#include "collector/probes/counts.h"
#include "collector/probes/internal.h"
#include "collector/probes/probes.h"

/* The object is open, but not loaded: that needs no rights. */
static void a_sleep_without_a_stack_is_a_loss(void)
{
	struct probes p = {.skeleton = collector_bpf__open()};
	uint64_t losses[LOSS_CLASS_COUNT];

	REQUIRE(p.skeleton != NULL);
	probes__losses(&p, losses);
	CHECK_EQ(losses[LOSS_WAITS], 0);
	p.skeleton->bss->wait_losses =
		(struct wait_losses){.ring = 2, .table = 30, .stacks = 500, .switches = 7000};
	probes__losses(&p, losses);
	CHECK_EQ(losses[LOSS_WAITS], 532);
	collector_bpf__destroy(p.skeleton);
}

/* No program is loaded, so that the kernel counts no skipped call. */
static void lost_calls_never_fall(void)
{
	struct probes p = {.skeleton = collector_bpf__open(), .lost_calls = 7};
	uint64_t losses[LOSS_CLASS_COUNT];

	REQUIRE(p.skeleton != NULL);
	probes__losses(&p, losses);
	CHECK_EQ(losses[LOSS_RECURSION], 7);
	collector_bpf__destroy(p.skeleton);
}

int main(void)
{
	RUN(a_sleep_without_a_stack_is_a_loss);
	RUN(lost_calls_never_fall);
	return TEST_RESULT;
}
