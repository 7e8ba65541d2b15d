// SPDX-License-Identifier: MIT
/* The advice of findings fits the devices: their schedulers, their layers, and who shares them. */
#include "unit/explain/recordings.h"

/* Each read of dm-0 is a read of sda, too. */
static void carry_out_below(struct io_row *row, uint32_t i)
{
	row->file = 4;
	row->device = i % 2 ? 1 : 3;
	row->sector = i / 2 * row->bytes / 512;
	row->parent_id = i % 2 ? i : 0;
}

static void readahead_is_that_of_the_device_of_the_file_system(void)
{
	struct recording r = plain;
	struct explanation *x;
	uint32_t found = 0;

	r.ios = "800 reads of 128k 1ms apart in sequence";
	r.change = carry_out_below;
	x = explain_recording(&r);
	for (uint32_t i = 0; i < x->finding_count; i++) {
		if (strcmp(x->findings[i].id, "readahead-small") != 0)
			continue;
		found++;
		CHECK_TEXT(x->findings[i].device, "dm-0");
	}
	CHECK_EQ(found, 1);
	explanation__free(x);
}

static void read_volume(struct io_row *row, uint32_t i)
{
	row->file = i == 0 ? 4 : 5;
}

static void read_loop(struct io_row *row, uint32_t i)
{
	row->file = 4;
	row->device = i ? 1 : 3;
}

static void read_btrfs(struct io_row *row, uint32_t i)
{
	row->file = 6;
}

static void the_advice_names_the_device_that_has_the_readahead(void)
{
	struct recording r = plain;

	r.ios = "400 reads of 128k 1ms apart in sequence";
	CHECK_ADVICE(&r, "readahead-small", " /dev/sda sets"); /* a partition of sda */
	r.change = read_volume;
	CHECK_ADVICE(&r, "readahead-small", " /dev/block/253:7 sets");
	r.change = read_loop;
	CHECK_ADVICE(&r, "readahead-small", " /dev/dm-0 sets");
	r.change = read_btrfs;
	CHECK_ADVICE(&r, "readahead-small", "readahead of the file system");
}

/* Two processes keep four IOs at the driver. */
static void alternate_tasks(struct io_row *row, uint32_t i)
{
	row->task = i % 2 ? 1 : 3;
	row->depth = 4;
	row->completed_ns += 3 * MS;
}

static void deepen(struct io_row *row, uint32_t i)
{
	row->depth = 4;
}

/* Each process has a device of its own. */
static void divide_devices(struct io_row *row, uint32_t i)
{
	alternate_tasks(row, i);
	row->device = i % 2 ? 1 : 2;
}

/* Two processes share sda, where most of the IOs are; a third has sdb. */
static void share_one_device(struct io_row *row, uint32_t i)
{
	row->task = i % 8 == 0 ? 5 : i % 2 ? 1 : 3;
	row->depth = 4;
	row->completed_ns += 3 * MS;
	row->device = i % 8 == 0 ? 2 : 1;
}

/* The second process begins when the first has ended. */
static void follow_each_other(struct io_row *row, uint32_t i)
{
	alternate_tasks(row, i);
	row->task = i < 200 ? 1 : 3;
	if (i >= 200)
		row->created_ns += 10 * MS, row->issued_ns += 10 * MS, row->completed_ns += 10 * MS;
}

/* The kernel writes what the only process has written. */
static void share_with_the_kernel(struct io_row *row, uint32_t i)
{
	alternate_tasks(row, i);
	row->task = i % 2 ? 1 : 4;
}

/* The kernel writes for who knows whom. */
static void leave_to_the_kernel(struct io_row *row, uint32_t i)
{
	row->task = 4;
	row->depth = 4;
}

/* The processes are two of one command in one cgroup. */
static void share_with_its_like(struct io_row *row, uint32_t i)
{
	alternate_tasks(row, i);
	row->task = i % 2 ? 1 : 5;
}

static void share_with_its_like_elsewhere(struct io_row *row, uint32_t i)
{
	share_with_its_like(row, i);
	row->cgroup = i % 2 ? 1 : 2;
}

/* A second process has a few IOs, on another device. */
static void leave_one_device(struct io_row *row, uint32_t i)
{
	row->task = i % 50 == 0 ? 3 : 1;
	row->depth = 4;
	row->device = i % 50 == 0 ? 2 : 1;
}

/* Work of IOs of dm-0, which is not in the recording. */
static void put_below(struct io_row *row, uint32_t i)
{
	alternate_tasks(row, i);
	row->parent_id = i + 1;
}

static bool are_advised(void (*change)(struct io_row *row, uint32_t i), const char *words)
{
	struct recording r = plain;
	const char *advice;

	r.queue_ns = 0;
	r.device_ns = 900 * US;
	r.change = change;
	advice = advice_of(&r, "device-dominates");
	printf("# %s\n", advice ? advice : "no finding");
	return advice && strstr(advice, words);
}

static void processes_wait_for_each_other_only_where_they_share_a_device(void)
{
	CHECK(!are_advised(divide_devices, "Several processes"));
	CHECK(!are_advised(divide_devices, "Schedulers"));
	CHECK(are_advised(divide_devices, "Fewer or larger IOs, "));
	CHECK(are_advised(share_one_device, "Several processes"));
	CHECK(!are_advised(follow_each_other, "Several processes"));
	CHECK(!are_advised(share_with_the_kernel, "Several processes"));
	CHECK(!are_advised(leave_to_the_kernel, "Schedulers"));
	CHECK(are_advised(leave_to_the_kernel, "Fewer or larger IOs, "));
	CHECK(!are_advised(share_with_its_like, "Several processes"));
	CHECK(are_advised(share_with_its_like_elsewhere, "Several processes"));
	CHECK(are_advised(leave_one_device, "Schedulers and queue settings cannot help"));
	CHECK(!are_advised(put_below, "Several processes"));
	CHECK(!are_advised(put_below, "Schedulers"));
}

/* Whether the advice for a device with this scheduler has these words. */
static bool fits_device(const char *scheduler, bool rotational, const char *id, const char *words)
{
	const struct trace_device present = test_devices[0];
	struct recording r = plain;
	const char *advice;
	bool queued = !strcmp(id, "queue-dominates");

	snprintf(test_devices[0].scheduler, sizeof(test_devices[0].scheduler), "%s", scheduler);
	test_devices[0].rotational = rotational;
	r.queue_ns = queued ? 900 * US : 0;
	r.device_ns = queued ? 100 * US : 900 * US;
	r.change = deepen;
	advice = advice_of(&r, id);
	test_devices[0] = present;
	printf("# %s\n", advice ? advice : "no finding");
	return advice && strstr(advice, words);
}

static void advice_fits_the_scheduler(void)
{
	CHECK(fits_device("mq-deadline", false, "queue-dominates",
			  "try scheduler none (echo none > /sys/block/sda/queue/scheduler)."));
	CHECK(fits_device("none", false, "queue-dominates", "limit the process (io.max)."));
	CHECK(fits_device("bfq", true, "queue-dominates", "limit the process (io.max)."));
	CHECK(fits_device("", false, "queue-dominates", "limit the process (io.max)."));
	CHECK(!fits_device("none", true, "device-dominates", "chedulers"));
	CHECK(!fits_device("none", true, "device-dominates", "mq-deadline"));
	CHECK(fits_device("bfq", true, "device-dominates", "Schedulers and queue"));
	CHECK(fits_device("none", false, "device-dominates", "Schedulers and queue"));
}

/* A loop device is as rotational as what its file is on, but has no heads to move. */
static void no_scheduler_is_advised_for_what_has_no_seeks(void)
{
	const struct trace_device present = test_devices[0];
	struct recording r = plain;

	r.queue_ns = 0;
	r.device_ns = 900 * US;
	r.change = deepen;
	test_devices[0].rotational = true;
	r.ios = "400 reads of 128k 1ms apart in sequence";
	CHECK_ADVICE(&r, "device-dominates", "A larger readahead can help; fewer");
	r.ios = plain.ios;
	r.device_ns = 4 * MS;
	CHECK_ADVICE(&r, "device-dominates", "mq-deadline or bfq, which");
	/* Whatever it says, a disk of a virtual machine is not known to have heads. */
	snprintf(test_devices[0].name, sizeof(test_devices[0].name), "vda");
	CHECK(!strstr(advice_of(&r, "device-dominates"), "mq-deadline"));
	memcpy(test_devices[0].name, present.name, sizeof(present.name));
	snprintf(test_devices[0].stacked_on, sizeof(test_devices[0].stacked_on), "file /a");
	CHECK_ADVICE(&r, "device-dominates", "Schedulers and queue settings cannot help");
	test_devices[0] = present;
}

int main(void)
{
	RUN(readahead_is_that_of_the_device_of_the_file_system);
	RUN(the_advice_names_the_device_that_has_the_readahead);
	RUN(processes_wait_for_each_other_only_where_they_share_a_device);
	RUN(advice_fits_the_scheduler);
	RUN(no_scheduler_is_advised_for_what_has_no_seeks);
	return TEST_RESULT;
}
