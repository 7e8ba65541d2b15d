// SPDX-License-Identifier: MIT
#include "commands/replay/record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"
#include "commands/shared/command.h"

/* The kernel name of the device that the target is, or that its file system lies on. */
static int device_name(dev_t device, char *name, size_t name_bytes)
{
	char path[64], link[PATH_MAX];
	const char *slash;
	ssize_t length;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(device), minor(device));
	length = readlink(path, link, sizeof(link) - 1);
	if (length < 0)
		return -errno;
	link[length] = '\0';
	slash = strrchr(link, '/');
	snprintf(name, name_bytes, "%.*s", NAME_MAX, slash ? slash + 1 : link);
	return 0;
}

static void warn_of_own_writes(const char *path, dev_t device)
{
	struct stat file;

	if (!stat(path, &file) && file.st_dev == device)
		pr_warn("%s lies on the device that is replayed onto, so its own writes are "
			"recorded too; choose another place with -o",
			path);
}

struct recorded_names {
	char names[REPLAY_RECORD_MAX][NAME_MAX + 1];
	const char *list[REPLAY_RECORD_MAX];
	unsigned int count;
};

/* Each once: files may share a device. */
static int add_name(struct recorded_names *r, const struct target_info *target)
{
	char *name = r->names[r->count];

	if (device_name(target->device, name, sizeof(r->names[0]))) {
		pr_err("%s: cannot be recorded with -o: it lies on no block device", target->path);
		return EXIT_FAILED;
	}
	for (unsigned int i = 0; i < r->count; i++)
		if (!strcmp(r->names[i], name))
			return EXIT_OK;
	r->list[r->count++] = name;
	return EXIT_OK;
}

static int start_error(int err, const char *message)
{
	pr_err("%s", message);
	return err == -EPERM || err == -EACCES ? EXIT_PRIVILEGE : EXIT_FAILED;
}

int replay_record_start(const char *path, struct target *const *targets, unsigned int count,
			struct recording **recording)
{
	char message[COLLECTOR_MESSAGE_MAX], command[COLLECTOR_MESSAGE_MAX];
	struct recorded_names names = {.count = 0};
	struct recording_options recording_options = {.devices = names.list, .command = command};
	int err;

	for (unsigned int i = 0; i < count; i++)
		if (add_name(&names, target__info(targets[i])))
			return EXIT_FAILED;
	recording_options.device_count = names.count;
	snprintf(command, sizeof(command), "blkreel replay --target %.400s%s",
		 target__info(targets[0])->path, count > 1 ? " and others" : "");
	err = recording__start(path, &recording_options, recording, message);
	if (err)
		return start_error(err, message);
	for (unsigned int i = 0; i < count; i++)
		warn_of_own_writes(path, target__info(targets[i])->device);
	return EXIT_OK;
}

int replay_record_start_files(const char *path, const char *folder, dev_t device,
			      struct recording **recording)
{
	char message[COLLECTOR_MESSAGE_MAX], command[COLLECTOR_MESSAGE_MAX], name[NAME_MAX + 1];
	const char *list[] = {name};
	struct recording_options recording_options = {.devices = list,
						      .device_count = 1,
						      .cache = true,
						      .accesses = true,
						      .command = command};
	int err;

	if (device_name(device, name, sizeof(name))) {
		pr_err("%s: cannot be recorded with -o: it lies on no block device", folder);
		return EXIT_FAILED;
	}
	snprintf(command, sizeof(command), "blkreel replay --files %.400s", folder);
	err = recording__start(path, &recording_options, recording, message);
	if (err)
		return start_error(err, message);
	warn_of_own_writes(path, device);
	return EXIT_OK;
}

int replay_record_stop(struct recording *recording, const char *path)
{
	struct recording_totals totals;
	char message[COLLECTOR_MESSAGE_MAX];

	if (!recording)
		return EXIT_OK;
	if (recording__stop(recording, -1, &totals, message)) {
		pr_err("%s: %s", path, message);
		return EXIT_FAILED;
	}
	if (totals.lost)
		pr_warn("%s: lost: %s, see 'blkreel info %s'", path,
			COUNTED_TEXT(totals.lost, "record"), path);
	return EXIT_OK;
}
