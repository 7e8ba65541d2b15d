// SPDX-License-Identifier: MIT
#include "collector/host/devices.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/units.h"

#define SYSFS_DEVICE "/sys/dev/block/%u:%u"

/* The name of a disk without a number in sysfs: a path of an NVMe multipath device. */
static bool hidden_name(uint32_t major, uint32_t minor, char name[TRACE_NAME_MAX])
{
	FILE *file = fopen("/proc/diskstats", "re");
	unsigned int line_major, line_minor;
	char line[512], line_name[TRACE_NAME_MAX];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%u %u %31s", &line_major, &line_minor, line_name) == 3 &&
			line_major == major && line_minor == minor;
	if (file)
		fclose(file);
	if (found)
		snprintf(name, TRACE_NAME_MAX, "%s", line_name);
	return found;
}

static void attribute_path(uint32_t major, uint32_t minor, const char *attribute,
			   char path[PATH_MAX])
{
	char name[TRACE_NAME_MAX];

	snprintf(path, PATH_MAX, SYSFS_DEVICE, major, minor);
	if (access(path, F_OK) && hidden_name(major, minor, name))
		snprintf(path, PATH_MAX, "/sys/block/%s/%s", name, attribute);
	else
		snprintf(path, PATH_MAX, SYSFS_DEVICE "/%s", major, minor, attribute);
}

/* Reads one attribute without its trailing newline. */
static int read_attribute(uint32_t major, uint32_t minor, const char *attribute, char *text,
			  size_t bytes)
{
	char path[PATH_MAX];
	size_t length;
	FILE *file;

	attribute_path(major, minor, attribute, path);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	length = fread(text, 1, bytes - 1, file);
	fclose(file);
	text[length] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

static uint64_t read_number(uint32_t major, uint32_t minor, const char *attribute)
{
	char text[64];

	if (read_attribute(major, minor, attribute, text, sizeof(text)))
		return 0;
	return strtoull(text, NULL, 10);
}

static bool has_attribute(uint32_t major, uint32_t minor, const char *attribute)
{
	char path[PATH_MAX];

	attribute_path(major, minor, attribute, path);
	return access(path, F_OK) == 0;
}

static void device_name(uint32_t major, uint32_t minor, char name[TRACE_NAME_MAX])
{
	char path[64], target[PATH_MAX];
	const char *last;
	ssize_t length;

	snprintf(path, sizeof(path), SYSFS_DEVICE, major, minor);
	length = readlink(path, target, sizeof(target) - 1);
	target[length > 0 ? length : 0] = '\0';
	last = strrchr(target, '/');
	if (last)
		snprintf(name, TRACE_NAME_MAX, "%.*s", TRACE_NAME_MAX - 1, last + 1);
	else if (!hidden_name(major, minor, name))
		snprintf(name, TRACE_NAME_MAX, "%u:%u", major, minor);
}

/* The disk of a partition: the parent directory in sysfs. */
static int whole_disk(uint32_t major_number, uint32_t minor_number, uint32_t *disk_major,
		      uint32_t *disk_minor)
{
	char text[64];

	*disk_major = major_number;
	*disk_minor = minor_number;
	if (!has_attribute(major_number, minor_number, "partition"))
		return 0;
	if (read_attribute(major_number, minor_number, "../dev", text, sizeof(text)) ||
	    sscanf(text, "%u:%u", disk_major, disk_minor) != 2)
		return -ENOENT;
	return 0;
}

static int find_device(const char *name, uint32_t *major_number, uint32_t *minor_number)
{
	char path[PATH_MAX];
	struct stat st;

	if (strchr(name, '/'))
		snprintf(path, sizeof(path), "%s", name);
	else
		snprintf(path, sizeof(path), "/dev/%s", name);
	if (stat(path, &st))
		return -errno;
	if (!S_ISBLK(st.st_mode))
		return -ENOTBLK;
	*major_number = major(st.st_rdev);
	*minor_number = minor(st.st_rdev);
	return 0;
}

/* Bio-based devices have no hardware queues. */
static bool is_bio_based(uint32_t major_number, uint32_t minor_number)
{
	return !has_attribute(major_number, minor_number, "mq");
}

int devices__choose(const char *name, struct device_choice *choice)
{
	int err;

	err = find_device(name, &choice->part_major, &choice->part_minor);
	if (!err)
		err = whole_disk(choice->part_major, choice->part_minor, &choice->major,
				 &choice->minor);
	if (err)
		return err;
	device_name(choice->part_major, choice->part_minor, choice->name);
	choice->first_sector = 0;
	choice->end_sector = UINT64_MAX;
	if (has_attribute(choice->part_major, choice->part_minor, "partition")) {
		choice->first_sector = read_number(choice->part_major, choice->part_minor, "start");
		choice->end_sector = choice->first_sector +
				     read_number(choice->part_major, choice->part_minor, "size");
	}
	choice->bio_based = is_bio_based(choice->major, choice->minor);
	return 0;
}

static void choose_whole(uint32_t major_number, uint32_t minor_number, struct device_choice *choice)
{
	*choice = (struct device_choice){
		.major = major_number,
		.minor = minor_number,
		.part_major = major_number,
		.part_minor = minor_number,
		.end_sector = UINT64_MAX,
		.bio_based = is_bio_based(major_number, minor_number),
	};
	device_name(major_number, minor_number, choice->name);
}

/* Calls `each` for the disk of every device listed in a directory of sysfs. */
static int each_in_folder(const char *folder,
			  int (*each)(const struct device_choice *disk, void *context),
			  void *context)
{
	DIR *directory = opendir(folder);
	struct dirent *entry;
	int err = 0;

	if (!directory)
		return errno == ENOENT ? 0 : -errno;
	while (!err && (entry = readdir(directory))) {
		uint32_t number_major, number_minor, disk_major, disk_minor;
		struct device_choice choice;
		char path[PATH_MAX];
		FILE *file;
		int found;

		snprintf(path, sizeof(path), "%s/%s/dev", folder, entry->d_name);
		file = fopen(path, "re");
		found = file ? fscanf(file, "%u:%u", &number_major, &number_minor) : 0;
		if (file)
			fclose(file);
		if (found != 2 || whole_disk(number_major, number_minor, &disk_major, &disk_minor))
			continue;
		choose_whole(disk_major, disk_minor, &choice);
		err = each(&choice, context);
	}
	closedir(directory);
	return err;
}

int devices__each_disk(int (*each)(const struct device_choice *disk, void *context), void *context)
{
	return each_in_folder("/sys/block", each, context);
}

int devices__each_below(uint32_t major_number, uint32_t minor_number,
			int (*each)(const struct device_choice *disk, void *context), void *context)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), SYSFS_DEVICE "/slaves", major_number, minor_number);
	return each_in_folder(folder, each, context);
}

int devices__each_above(uint32_t major_number, uint32_t minor_number,
			int (*each)(const struct device_choice *disk, void *context), void *context)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), SYSFS_DEVICE "/holders", major_number, minor_number);
	return each_in_folder(folder, each, context);
}

bool devices__sends_on(const struct device_choice *disk)
{
	static const char *const in_memory[] = {"zram", "ramdisk"};
	FILE *file = fopen("/proc/devices", "re");
	bool is_block = false, sends_on = true;
	char line[128], driver[64];
	unsigned int number;

	while (file && fgets(line, sizeof(line), file)) {
		is_block |= !strncmp(line, "Block devices", strlen("Block devices"));
		if (!is_block || sscanf(line, "%u %63s", &number, driver) != 2 ||
		    number != disk->major)
			continue;
		for (size_t i = 0; i < sizeof(in_memory) / sizeof(in_memory[0]); i++)
			sends_on &= strcmp(driver, in_memory[i]) != 0;
	}
	if (file)
		fclose(file);
	return disk->bio_based && sends_on;
}

/* "none [mq-deadline] kyber": brackets mark the active one. */
static void read_scheduler(uint32_t major, uint32_t minor, char scheduler[TRACE_NAME_MAX])
{
	char text[256], *open, *close;

	scheduler[0] = '\0';
	if (read_attribute(major, minor, "queue/scheduler", text, sizeof(text)))
		return;
	open = strchr(text, '[');
	close = open ? strchr(open, ']') : NULL;
	if (!close)
		return;
	*close = '\0';
	snprintf(scheduler, TRACE_NAME_MAX, "%.*s", TRACE_NAME_MAX - 1, open + 1);
}

/* "dm sda1 sdb1", read from the links in slaves/. */
static void read_slaves(uint32_t major, uint32_t minor, const char *name, char *text, size_t bytes)
{
	char path[PATH_MAX];
	struct dirent *entry;
	size_t used = 0;
	DIR *directory;

	snprintf(path, sizeof(path), SYSFS_DEVICE "/slaves", major, minor);
	directory = opendir(path);
	if (!directory)
		return;
	while ((entry = readdir(directory)) && used < bytes) {
		if (entry->d_name[0] == '.')
			continue;
		used += (size_t)snprintf(text + used, bytes - used, "%s%s",
					 used ? " " : (strncmp(name, "md", 2) ? "dm " : "md "),
					 entry->d_name);
	}
	closedir(directory);
}

static void read_stacking(uint32_t major, uint32_t minor, struct trace_device *device)
{
	char backing[TRACE_TEXT_MAX - 8];

	if (!read_attribute(major, minor, "loop/backing_file", backing, sizeof(backing)))
		snprintf(device->stacked_on, sizeof(device->stacked_on), "file %s", backing);
	else
		read_slaves(major, minor, device->name, device->stacked_on,
			    sizeof(device->stacked_on));
}

static void read_zones(uint32_t major, uint32_t minor, struct trace_device *device)
{
	char text[TRACE_TEXT_MAX];

	if (read_attribute(major, minor, "queue/zoned", text, sizeof(text)) ||
	    !strcmp(text, "none"))
		return;
	snprintf(device->zoned, sizeof(device->zoned), "%.31s", text);
	device->zone_bytes = read_number(major, minor, "queue/chunk_sectors") * SECTOR_BYTES;
}

void devices__describe(uint32_t major, uint32_t minor, struct trace_device *device)
{
	char text[TRACE_TEXT_MAX];

	memset(device, 0, sizeof(*device));
	device->major = major;
	device->minor = minor;
	device_name(major, minor, device->name);
	device->size_bytes = read_number(major, minor, "size") * SECTOR_BYTES;
	device->logical_block_bytes =
		(uint32_t)read_number(major, minor, "queue/logical_block_size");
	device->physical_block_bytes =
		(uint32_t)read_number(major, minor, "queue/physical_block_size");
	device->nr_requests = (uint32_t)read_number(major, minor, "queue/nr_requests");
	device->read_ahead_kb = (uint32_t)read_number(major, minor, "queue/read_ahead_kb");
	device->max_discard_bytes = read_number(major, minor, "queue/discard_max_bytes");
	device->rotational = read_number(major, minor, "queue/rotational") != 0;
	device->fua = read_number(major, minor, "queue/fua") != 0;
	if (!read_attribute(major, minor, "queue/write_cache", text, sizeof(text)))
		device->write_cache = !strcmp(text, "write back");
	read_scheduler(major, minor, device->scheduler);
	if (!read_attribute(major, minor, "device/model", text, sizeof(text))) {
		size_t length = strlen(text);

		while (length && text[length - 1] == ' ')
			text[--length] = '\0';
		snprintf(device->model, sizeof(device->model), "%s", text);
	}
	device->bio_based = device->size_bytes && is_bio_based(major, minor);
	read_zones(major, minor, device);
	read_stacking(major, minor, device);
}

uint64_t devices__size_bytes(uint32_t major, uint32_t minor)
{
	return read_number(major, minor, "size") * SECTOR_BYTES;
}

uint64_t devices__sequence(uint32_t major, uint32_t minor)
{
	return read_number(major, minor, "diskseq");
}

bool devices__accounted(uint32_t major, uint32_t minor)
{
	char text[64];

	return read_attribute(major, minor, "queue/iostats", text, sizeof(text)) ||
	       strcmp(text, "0") != 0;
}

static int is_polled(const struct device_choice *disk, void *context)
{
	char text[64];

	return !read_attribute(disk->major, disk->minor, "queue/io_poll", text, sizeof(text)) &&
	       !strcmp(text, "1");
}

bool devices__polled(const struct device_choice *disks, unsigned int count)
{
	if (!count)
		return devices__each_disk(is_polled, NULL) == 1;
	for (unsigned int i = 0; i < count; i++)
		if (is_polled(&disks[i], NULL))
			return true;
	return false;
}

uint64_t devices__in_flight(uint32_t major, uint32_t minor)
{
	unsigned long long reads = 0, writes = 0, all = 0;
	char text[256];

	/* Without iostats the kernel does not count, so the number in flight is unknown. */
	if (!devices__accounted(major, minor))
		return 1;
	if (read_attribute(major, minor, "inflight", text, sizeof(text)) ||
	    sscanf(text, "%llu %llu", &reads, &writes) != 2)
		return 0;
	/* On newer kernels "inflight" counts what the driver holds and "stat" counts created
	 * requests. */
	if (!read_attribute(major, minor, "stat", text, sizeof(text)))
		sscanf(text, "%*u %*u %*u %*u %*u %*u %*u %*u %llu", &all);
	return reads + writes > all ? reads + writes : all;
}

int devices__with_partitions(uint32_t major, uint32_t minor,
			     int (*each)(uint32_t major, uint32_t minor, void *context),
			     void *context)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *directory;
	int err;

	err = each(major, minor, context);
	if (err)
		return err;
	snprintf(path, sizeof(path), SYSFS_DEVICE, major, minor);
	directory = opendir(path);
	if (!directory)
		return -errno;
	while (!err && (entry = readdir(directory))) {
		char attribute[PATH_MAX], text[64];
		unsigned int part_major, part_minor;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(attribute, sizeof(attribute), "%s/partition", entry->d_name);
		if (!has_attribute(major, minor, attribute))
			continue;
		snprintf(attribute, sizeof(attribute), "%s/dev", entry->d_name);
		if (!read_attribute(major, minor, attribute, text, sizeof(text)) &&
		    sscanf(text, "%u:%u", &part_major, &part_minor) == 2)
			err = each(part_major, part_minor, context);
	}
	closedir(directory);
	return err;
}

void devices__queues(uint32_t major, uint32_t minor, uint32_t *queues, uint32_t *queue_requests)
{
	uint64_t requests = read_number(major, minor, "queue/nr_requests");
	char attribute[64];

	*queues = 0;
	for (;;) {
		uint64_t tags;

		snprintf(attribute, sizeof(attribute), "mq/%u/nr_tags", *queues);
		tags = read_number(major, minor, attribute);
		if (!tags)
			break;
		if (tags > requests)
			requests = tags;
		++*queues;
	}
	*queue_requests = *queues ? (uint32_t)requests : 0;
}
