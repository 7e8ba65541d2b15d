// SPDX-License-Identifier: MIT
/*
 * Counts the IOs of a disk while a shell command runs, with the BPF programs for other kernels, and
 * prints the figures as JSON.
 *
 *   counting_variant start  DEVICE COMMAND   from creation to completion (6.5 and later)
 *   counting_variant issue  DEVICE COMMAND   from issue to completion (5.12 and later)
 *   counting_variant plain  DEVICE COMMAND   the same without atomic additions that return a value (5.10)
 *   counting_variant first  DEVICE COMMAND   as start, and reads 3 blocks itself before the command
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/host/devices.h"
#include "collector/counters/counting_probes.h"

static const char *const op_names[] = {"read", "write", "discard", "flush"};

static void print_op(const char *name, const struct counting_op_figures *op)
{
	uint64_t total = 0, device = 0, size = 0;

	for (int i = 0; i < TALLY_TIME_BUCKETS; i++) {
		total += op->total[i];
		device += op->device[i];
	}
	for (int i = 0; i < TALLY_SIZE_BUCKETS; i++)
		size += op->size[i];
	printf(", \"%s\": {\"ios\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"timed\": %" PRIu64
	       ", \"in_total\": %" PRIu64 ", \"device_ios\": %" PRIu64 ", \"in_device\": %" PRIu64
	       ", \"in_size\": %" PRIu64 ", \"total_ns\": %" PRIu64 ", \"p50_size\": %" PRIu64 "}",
	       name, op->ios, op->bytes, op->timed_ios, total, op->device_ios, device, size,
	       op->total_ns, loglinear_percentile(&counting_size_scale, op->size, 50));
}

/* Before the counting programs have settled. */
static int read_blocks(int fd)
{
	static char block[4096] __attribute__((aligned(4096)));

	for (int i = 0; fd >= 0 && i < 3; i++)
		if (pread(fd, block, sizeof(block), i * (off_t)sizeof(block)) !=
		    (ssize_t)sizeof(block))
			return -1;
	return 0;
}

int main(int argc, char **argv)
{
	struct counting_options options = {.disks = 1, .sizes = true};
	char message[COLLECTOR_MESSAGE_MAX] = "";
	static struct counting_figures figures;
	struct device_choice choice;
	struct counting_probes *probes;
	uint64_t ends;
	int slot, fd = -1;

	if (argc != 4 || devices__choose(argv[2], &choice))
		return 2;
	if (!strcmp(argv[1], "first"))
		fd = open(argv[2], O_RDONLY | O_DIRECT | O_CLOEXEC);
	options.from_issue = strcmp(argv[1], "start") && strcmp(argv[1], "first");
	options.plain = !strcmp(argv[1], "plain");
	if (counting_probes__create(&options, &probes, message)) {
		fprintf(stderr, "counting_variant: %s\n", message);
		return 1;
	}
	slot = counting_probes__follow(probes, choice.major, choice.minor);
	if (slot < 0 || read_blocks(fd) || system(argv[3]) ||
	    counting_probes__read(probes, slot, &figures))
		return 1;
	printf("{\"quality\": %d, \"interval_ns\": %" PRIu64 ", \"busy_ns\": %" PRIu64
	       ", \"depth_ns\": %" PRIu64 ", \"in_flight\": %" PRIu32 ", \"depth_max\": %" PRIu32
	       ", \"lost\": %" PRIu64,
	       counting_probes__quality(probes), figures.interval_ns, figures.busy_ns,
	       figures.depth_ns, figures.in_flight, figures.depth_max,
	       counting_probes__lost(probes, &ends));
	for (int op = 0; op < TALLY_OP_COUNT; op++)
		print_op(op_names[op], &figures.op[op]);
	printf("}\n");
	counting_probes__free(probes);
	return 0;
}
