// SPDX-License-Identifier: MIT
#include "collector/host/diskstats.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <uthash.h>

#include "base/clock.h"
#include "base/units.h"

#define READ_BYTES 16384u
/* A read of the counters that takes no longer than this was not interrupted. */
#define QUICK_NS  (150 * NSEC_PER_USEC)
#define TRIES_MAX 5

struct counters {
	uint64_t key; /* major << 32 | minor */
	uint64_t time_ns;
	uint64_t look_ns; /* how long the last read of them took */
	uint64_t field[DISKSTATS_FIELDS];
	UT_hash_handle hh;
};

struct diskstats {
	struct counters *known;
	int fd;
	uint64_t look_ns; /* how long the last read took */
	char *text;	  /* of the file, as last read */
	size_t text_bytes, text_size;
};

/* The position of each figure in a line of /proc/diskstats, after the device's name
 * (Documentation/admin-guide/iostats.rst). */
enum field {
	FIELD_READ = 0, /* ios, merges, sectors, ticks */
	FIELD_WRITE = 4,
	FIELD_IN_FLIGHT = 8,
	FIELD_IO_TICKS = 9,
	FIELD_IN_QUEUE = 10,
	FIELD_DISCARD = 11,
	FIELD_FLUSH_IOS = 15,
	FIELD_FLUSH_TICKS = 16,
};

int diskstats__create(struct diskstats **stats)
{
	struct diskstats *d = calloc(1, sizeof(*d));
	int err;

	if (!d)
		return -ENOMEM;
	d->fd = open("/proc/diskstats", O_RDONLY | O_CLOEXEC);
	if (d->fd < 0) {
		err = -errno;
		free(d);
		return err;
	}
	*stats = d;
	return 0;
}

void diskstats__free(struct diskstats *stats)
{
	struct counters *counters, *next;

	if (!stats)
		return;
	HASH_ITER (hh, stats->known, counters, next) {
		HASH_DEL(stats->known, counters);
		free(counters);
	}
	close(stats->fd);
	free(stats->text);
	free(stats);
}

static int reserve(struct diskstats *stats, size_t bytes)
{
	char *text;

	if (bytes <= stats->text_size)
		return 0;
	text = realloc(stats->text, 2 * bytes);
	if (!text)
		return -ENOMEM;
	stats->text = text;
	stats->text_size = 2 * bytes;
	return 0;
}

static int read_text(struct diskstats *stats)
{
	ssize_t got;

	stats->text_bytes = 0;
	if (lseek(stats->fd, 0, SEEK_SET) < 0)
		return -errno;
	do {
		/* One byte is reserved for the NUL. */
		if (reserve(stats, stats->text_bytes + READ_BYTES + 1))
			return -ENOMEM;
		got = read(stats->fd, stats->text + stats->text_bytes, READ_BYTES);
		if (got < 0)
			return -errno;
		stats->text_bytes += (size_t)got;
	} while (got);
	stats->text[stats->text_bytes] = '\0';
	return 0;
}

int diskstats__read(struct diskstats *stats, uint64_t *now_ns)
{
	int err, tries = 0;

	/* If the read was interrupted, the moment of the counters is unknown: read again. */
	do {
		*now_ns = clock_ns(CLOCK_MONOTONIC);
		err = read_text(stats);
		stats->look_ns = clock_ns(CLOCK_MONOTONIC) - *now_ns;
	} while (!err && stats->look_ns > QUICK_NS && ++tries < TRIES_MAX);
	return err;
}

/* Counts and sectors have 64 bits: they fall only when another disk has taken the number. */
static bool is_another_disk(const uint64_t *now, const uint64_t *before)
{
	static const enum field ops[] = {FIELD_READ, FIELD_WRITE, FIELD_DISCARD};

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		for (unsigned int count = 0; count < 3; count++)
			if (now[ops[i] + count] < before[ops[i] + count])
				return true;
	return now[FIELD_FLUSH_IOS] < before[FIELD_FLUSH_IOS];
}

/* Milliseconds have 32 bits. */
static uint64_t ms_between(uint64_t now, uint64_t before)
{
	return (uint32_t)(now - before);
}

static void fill_op(struct tick_row *tick, enum tick_op op, const uint64_t *now,
		    const uint64_t *before)
{
	tick->ios[op] = now[0] - before[0];
	tick->merges[op] = now[1] - before[1];
	tick->sectors[op] = now[2] - before[2];
	tick->ticks_ms[op] = ms_between(now[3], before[3]);
}

void diskstats__differences(const uint64_t now[DISKSTATS_FIELDS],
			    const uint64_t before[DISKSTATS_FIELDS], struct tick_row *tick)
{
	static const uint64_t none[DISKSTATS_FIELDS];

	if (is_another_disk(now, before))
		before = none;
	tick->in_flight = (uint32_t)now[FIELD_IN_FLIGHT];
	tick->io_ticks_ms = ms_between(now[FIELD_IO_TICKS], before[FIELD_IO_TICKS]);
	tick->in_queue_ms = ms_between(now[FIELD_IN_QUEUE], before[FIELD_IN_QUEUE]);
	fill_op(tick, TICK_READ, now + FIELD_READ, before + FIELD_READ);
	fill_op(tick, TICK_WRITE, now + FIELD_WRITE, before + FIELD_WRITE);
	fill_op(tick, TICK_DISCARD, now + FIELD_DISCARD, before + FIELD_DISCARD);
	tick->ios[TICK_FLUSH] = now[FIELD_FLUSH_IOS] - before[FIELD_FLUSH_IOS];
	tick->ticks_ms[TICK_FLUSH] = ms_between(now[FIELD_FLUSH_TICKS], before[FIELD_FLUSH_TICKS]);
}

static uint64_t longer(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void fill_tick(struct tick_row *tick, const struct counters *before, uint64_t now_ns,
		      uint64_t look_ns, const uint64_t *now)
{
	*tick = (struct tick_row){
		.time_ns = now_ns,
		.interval_ns = now_ns - before->time_ns,
		.snapshot_ns = longer(look_ns, before->look_ns),
	};
	diskstats__differences(now, before->field, tick);
}

/* 0; -EINVAL: the line cannot be parsed. */
static int parse_line(const char *line, uint32_t *major, uint32_t *minor, uint64_t *field)
{
	int used = 0;

	memset(field, 0, DISKSTATS_FIELDS * sizeof(*field));
	if (sscanf(line, "%" SCNu32 " %" SCNu32 " %*s%n", major, minor, &used) != 2 || !used)
		return -EINVAL;
	line += used;
	for (int i = 0; i < DISKSTATS_FIELDS; i++) {
		if (sscanf(line, " %" SCNu64 "%n", &field[i], &used) != 1)
			return i > FIELD_IN_QUEUE ? 0 : -EINVAL;
		line += used;
	}
	return 0;
}

static struct counters *find_or_add(struct diskstats *stats, uint32_t major, uint32_t minor,
				    bool *added)
{
	uint64_t key = (uint64_t)major << 32 | minor;
	struct counters *counters;

	HASH_FIND(hh, stats->known, &key, sizeof(key), counters);
	*added = !counters;
	if (counters)
		return counters;
	counters = calloc(1, sizeof(*counters));
	if (!counters)
		return NULL;
	counters->key = key;
	HASH_ADD(hh, stats->known, key, sizeof(key), counters);
	return counters;
}

int diskstats__sample(struct diskstats *stats, uint64_t now_ns,
		      bool (*wanted)(uint32_t major, uint32_t minor, void *context),
		      int (*each)(uint32_t major, uint32_t minor, struct tick_row *tick,
				  void *context),
		      void *context)
{
	uint64_t field[DISKSTATS_FIELDS];
	uint32_t major, minor;
	int err = 0;

	for (char *line = stats->text, *end; *line && !err; line = end) {
		struct counters *counters;
		struct tick_row tick;
		bool added;

		end = strchrnul(line, '\n');
		if (*end)
			*end++ = '\0';
		if (parse_line(line, &major, &minor, field) || !wanted(major, minor, context))
			continue;
		counters = find_or_add(stats, major, minor, &added);
		if (!counters)
			return -ENOMEM;
		if (!added && memcmp(counters->field, field, sizeof(field))) {
			fill_tick(&tick, counters, now_ns, stats->look_ns, field);
			err = each(major, minor, &tick, context);
		}
		if (added || memcmp(counters->field, field, sizeof(field)))
			counters->time_ns = now_ns;
		counters->look_ns = stats->look_ns;
		memcpy(counters->field, field, sizeof(field));
	}
	return err;
}
