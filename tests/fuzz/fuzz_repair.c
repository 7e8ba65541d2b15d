// SPDX-License-Identifier: MIT
/*
 * Any bytes as a damaged trace: what repair makes of them must be whole, and must verify. Each
 * input is tried as it is and once more with all checksums made right.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "checksums.h"
#include "trace/file/reader.h"
#include "trace/repair/repair.h"
#include "trace/repair/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_repaired(const char *path, const struct repair_result *result)
{
	static struct trace_verification verification;
	uint64_t rows = 0;
	struct row_block block;
	struct trace_reader *r;
	const char *message;

	if (trace_verify(path, &verification, &message) || verification.problem_count ||
	    trace_reader__open(path, &r, NULL))
		abort();
	while (trace_reader__next(r, (1u << ROW_KIND_COUNT) - 1, &block) == 1)
		rows += block.rows;
	if (trace_reader__end(r) != TRACE_END_CLEAN || rows < result->rows_kept)
		abort();
	trace_reader__free(r);
}

static void repair_bytes(const uint8_t *data, size_t size)
{
	static struct trace_verification verification;
	char path[64], repaired[64];
	struct repair_result result;
	const char *message;
	struct repair *r;
	int fd = memfd_create("trace", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	snprintf(repaired, sizeof(repaired), "/dev/shm/blkreel-fuzz-%d.reel", getpid());
	trace_verify(path, &verification, &message);
	if (!trace_repair__open(path, &r, &message)) {
		if (!trace_repair__run(r, repaired, &result))
			check_repaired(repaired, &result);
		trace_repair__free(r);
		unlink(repaired);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *right;

	repair_bytes(data, size);
	if (size < TRACE_HEAD_BYTES)
		return 0;
	right = malloc(size);
	if (!right)
		abort();
	memcpy(right, data, size);
	repair_checksums(right, size);
	repair_bytes(right, size);
	free(right);
	return 0;
}
