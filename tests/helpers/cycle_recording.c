// SPDX-License-Identifier: MIT
/*
 * cycle_recording DEVICE TRACE CYCLES SECONDS [cache]
 *
 * Starts and stops a recording in one process, CYCLES times or until SECONDS are over, with one read
 * of the device in each. Prints as JSON the resources in use after the first cycles, at times and after
 * the last one: descriptors by kind, bytes from malloc, mappings and threads. Fails when a cycle fails,
 * or when its recording has not exactly this read and reports no loss.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "collector/recording/recording.h"

#define WARM_UP_CYCLES 5
#define READ_BYTES     4096

struct use {
	unsigned int fds, bpf_fds, mappings, threads;
	unsigned long long heap_bytes;
};

static unsigned int entries(const char *path, const char *kind)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	unsigned int count = 0;
	char target[256];

	while (directory && (entry = readdir(directory))) {
		ssize_t length = entry->d_name[0] == '.'
					 ? -1
					 : readlinkat(dirfd(directory), entry->d_name, target,
						      sizeof(target) - 1);

		target[length > 0 ? length : 0] = '\0';
		count += entry->d_name[0] != '.' && (!kind || strstr(target, kind));
	}
	if (directory)
		closedir(directory);
	return count;
}

static unsigned int lines(const char *path)
{
	FILE *file = fopen(path, "re");
	unsigned int count = 0;
	int c;

	while (file && (c = fgetc(file)) != EOF)
		count += c == '\n';
	if (file)
		fclose(file);
	return count;
}

static struct use current_use(void)
{
	return (struct use){
		.fds = entries("/proc/self/fd", NULL),
		.bpf_fds = entries("/proc/self/fd", "bpf"),
		.mappings = lines("/proc/self/maps"),
		.threads = entries("/proc/self/task", NULL),
		.heap_bytes = mallinfo2().uordblks + mallinfo2().hblkhd,
	};
}

static int cycle(const char *device, const char *trace, bool cache, void *buffer,
		 struct use *meanwhile, unsigned int *lossy)
{
	struct recording_options options = {.devices = &device, .device_count = 1, .cache = cache};
	char message[COLLECTOR_MESSAGE_MAX];
	struct recording_totals totals;
	struct recording *recording;
	int fd = open(device, O_RDONLY | O_DIRECT | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = recording__start(trace, &options, &recording, message);
	if (!err) {
		if (pread(fd, buffer, READ_BYTES, 0) != READ_BYTES)
			err = -EIO;
		*meanwhile = current_use();
		if (recording__stop(recording, -1, &totals, message))
			err = -EIO;
		else if (totals.io_rows != 1 && !totals.lost) {
			snprintf(message, sizeof(message),
				 "%" PRIu64 " rows, %" PRIu64 " in flight at the end",
				 totals.io_rows, totals.in_flight_at_end);
			err = -ENODATA;
		}
		*lossy += !err && totals.lost;
	}
	close(fd);
	if (err)
		fprintf(stderr, "%s: %s\n", strerror(-err), message);
	return err;
}

static void print_use(const char *name, const struct use *use)
{
	printf("\"%s\": {\"fds\": %u, \"bpf_fds\": %u, \"mappings\": %u, \"threads\": %u, "
	       "\"heap_bytes\": %llu}, ",
	       name, use->fds, use->bpf_fds, use->mappings, use->threads, use->heap_bytes);
}

int main(int argc, char **argv)
{
	struct use early = {0}, meanwhile = {0}, late;
	struct timespec now, begin;
	unsigned long cycles, done = 0, seconds, failed = 0;
	unsigned int lossy = 0;
	void *buffer;

	if (argc < 5 || posix_memalign(&buffer, READ_BYTES, READ_BYTES))
		return 2;
	cycles = strtoul(argv[3], NULL, 10);
	seconds = strtoul(argv[4], NULL, 10);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		failed += cycle(argv[1], argv[2], argc > 5, buffer, &meanwhile, &lossy) != 0;
		if (++done == WARM_UP_CYCLES)
			early = current_use();
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (done < cycles &&
		 (done <= WARM_UP_CYCLES || (unsigned long)(now.tv_sec - begin.tv_sec) < seconds));
	late = current_use();
	printf("{\"cycles\": %lu, \"failed\": %lu, \"lossy\": %u, \"seconds\": %ld, ", done, failed,
	       lossy, (long)(now.tv_sec - begin.tv_sec));
	print_use("early", &early);
	print_use("meanwhile", &meanwhile);
	print_use("late", &late);
	printf("\"warm_up_cycles\": %d}\n", WARM_UP_CYCLES);
	free(buffer);
	return failed ? 1 : 0;
}
