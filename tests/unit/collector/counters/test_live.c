// SPDX-License-Identifier: MIT
/* Which disks the probes follow, when there are too many of them. Kernel and probes are made up. */
#include "collector/counters/live.h"

#include <errno.h>
#include <unistd.h>

#include "base/disk_identity.h"
#include "collector/counters/live_cache.h"
#include "collector/host/diskstats.h"
#include "collector/recording/scope.h"
#include "unit/shared/test.h"

#define DISKS 3
static bool there[DISKS]; /* by minor number */

#define SLOTS 1
static bool taken[SLOTS];

int counting_probes__create(const struct counting_options *options, struct counting_probes **probes,
			    char message[COLLECTOR_MESSAGE_MAX])
{
	*probes = (struct counting_probes *)taken;
	return 0;
}

void counting_probes__free(struct counting_probes *t)
{
	memset(taken, 0, sizeof(taken));
}

int counting_probes__follow(struct counting_probes *t, uint32_t major, uint32_t minor)
{
	if (taken[0])
		return -ENOSPC;
	taken[0] = true;
	return 0;
}

void counting_probes__unfollow(struct counting_probes *t, int slot)
{
	taken[slot] = false;
}

int counting_probes__read(struct counting_probes *t, int slot, struct counting_figures *figures)
{
	memset(figures, 0, sizeof(*figures));
	return 0;
}

uint64_t counting_probes__lost(const struct counting_probes *t, uint64_t *ends)
{
	return *ends = 0;
}

int counting_probes__is_readable(void *probes)
{
	return 0;
}

enum counting_quality counting_probes__quality(const struct counting_probes *t)
{
	return COUNTING_EXACT;
}

int live_cache__create(const struct device_choice *devices, unsigned int device_count,
		       struct cgroup_table *table, struct live_cache_account **account,
		       char message[COLLECTOR_MESSAGE_MAX])
{
	return -ENOTSUP;
}

void live_cache__free(struct live_cache_account *a)
{
}

void live_cache__missing(unsigned int *count, struct live_missing missing[LIVE_MISSING_MAX])
{
}

int live_cache__read(struct live_cache_account *a, struct live_cache *cache)
{
	return 0;
}

uint64_t live_cache__lost_pages(const struct live_cache_account *a, uint64_t *calls)
{
	return 0;
}

int diskstats__create(struct diskstats **stats)
{
	*stats = NULL;
	return 0;
}

void diskstats__free(struct diskstats *stats)
{
}

int diskstats__read(struct diskstats *stats, uint64_t *now_ns)
{
	static uint64_t last_ns;

	*now_ns = last_ns += 1000;
	return 0;
}

int diskstats__sample(struct diskstats *stats, uint64_t now_ns,
		      bool (*wanted)(uint32_t major, uint32_t minor, void *context),
		      int (*each)(uint32_t major, uint32_t minor, struct tick_row *tick,
				  void *context),
		      void *context)
{
	for (uint32_t minor = 0; minor < DISKS; minor++)
		if (there[minor])
			wanted(8, minor, context);
	return 0;
}

void devices__describe(uint32_t major, uint32_t minor, struct trace_device *device)
{
	memset(device, 0, sizeof(*device));
}

bool devices__accounted(uint32_t major, uint32_t minor)
{
	return true;
}

uint64_t devices__size_bytes(uint32_t major, uint32_t minor)
{
	return 4096;
}

void disk_identity__take(struct disk_identity *disk, uint32_t major, uint32_t minor)
{
}

void disk_identity__release(struct disk_identity *disk)
{
}

bool disk_identity__holds(const struct disk_identity *disk)
{
	return true;
}

int recording_scope__device(const char *name, struct device_choice *choice,
			    char message[COLLECTOR_MESSAGE_MAX])
{
	return -ENODEV;
}

/* Every disk has queues, and none is a partition. */
int access(const char *path, int mode)
{
	return strstr(path, "/mq") ? 0 : -1;
}

static struct live *live;

/* Returns the disks that are refused for the first time. */
static uint64_t sample(bool probed[DISKS])
{
	struct live_sample now;

	CHECK_EQ(live__sample(live, &now), 0);
	memset(probed, 0, DISKS * sizeof(*probed));
	for (unsigned int i = 0; i < now.device_count; i++)
		probed[now.devices[i].minor] = now.devices[i].probed;
	return now.lost.devices;
}

static void a_disk_that_was_refused_has_the_room_of_one_that_went(void)
{
	struct live_options options = {0};
	char message[COLLECTOR_MESSAGE_MAX];
	bool probed[DISKS];

	there[1] = true;
	REQUIRE(!live__create(&options, &live, message));
	CHECK_EQ(sample(probed), 0);
	CHECK(probed[1]);
	there[0] = there[2] = true;
	CHECK_EQ(sample(probed), 2);
	CHECK_EQ(sample(probed), 0);
	CHECK(!probed[0] && probed[1] && !probed[2]);
	/* At the next sample after that it is counted. */
	there[0] = there[1] = false;
	CHECK_EQ(sample(probed), 0);
	CHECK_EQ(sample(probed), 0);
	CHECK(!probed[0] && !probed[1] && probed[2]);
	/* One that comes back is refused again, and told. */
	there[0] = true;
	CHECK_EQ(sample(probed), 1);
	live__free(live);
}

int main(void)
{
	RUN(a_disk_that_was_refused_has_the_room_of_one_that_went);
	return TEST_RESULT;
}
