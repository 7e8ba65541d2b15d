// SPDX-License-Identifier: MIT
#include "commands/replay/record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/exit_codes.h"
#include "base/log.h"
#include "base/units.h"
#include "collector/privileges/privileges.h"

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

static int no_device(const char *path, struct failure *failure)
{
	return failure_add(failure, EXIT_FAILED,
			   "%s: cannot be recorded with -o: it lies on no block device", path);
}

/* Each once: files may share a device. */
static int add_name(struct recorded_names *r, const struct target_info *target,
		    struct failure *failure)
{
	char *name = r->names[r->count];

	if (device_name(target->device, name, sizeof(r->names[0])))
		return no_device(target->path, failure);
	for (unsigned int i = 0; i < r->count; i++)
		if (!strcmp(r->names[i], name))
			return 0;
	r->list[r->count++] = name;
	return 0;
}

/* A replay needs its rights to the end, but who called sudo shall be able to read what it recorded. */
static int start(const char *path, struct recording_options *options, struct recording **recording,
		 char message[COLLECTOR_MESSAGE_MAX])
{
	const struct privileges_request request = {.output = path};
	struct privileges_plan plan;
	int err = privileges__plan(&request, &plan, message);

	options->owner = &plan;
	return err ? err : recording__start(path, options, recording, message);
}

static int start_failed(int err, const char *message, struct failure *failure)
{
	return failure_add(failure, err == -EPERM || err == -EACCES ? EXIT_PRIVILEGE : EXIT_FAILED,
			   "%s", message);
}

int replay_record_start(const char *path, enum engine_mode mode, bool generated,
			const char *without, struct target *const *targets, unsigned int count,
			struct recording **recording, struct failure *failure)
{
	char message[COLLECTOR_MESSAGE_MAX], command[COLLECTOR_MESSAGE_MAX];
	struct recorded_names names = {.count = 0};
	struct recording_options recording_options = {.devices = names.list, .command = command};
	int err;

	for (unsigned int i = 0; i < count; i++)
		if (add_name(&names, target__info(targets[i]), failure))
			return -1;
	recording_options.device_count = names.count;
	recording_options.without = without;
	recording_options.replay_mode = engine_mode_names[mode];
	recording_options.replay_generated = generated;
	snprintf(command, sizeof(command), "blkreel replay --mode %s --target %.200s%s",
		 engine_mode_names[mode], target__info(targets[0])->path,
		 count > 1 ? " and others" : "");
	err = start(path, &recording_options, recording, message);
	if (err)
		return start_failed(err, message, failure);
	for (unsigned int i = 0; i < count; i++)
		warn_of_own_writes(path, target__info(targets[i])->device);
	return 0;
}

int replay_record_start_files(const char *path, const char *directory, dev_t device,
			      struct recording **recording, struct failure *failure)
{
	char message[COLLECTOR_MESSAGE_MAX], command[COLLECTOR_MESSAGE_MAX], name[NAME_MAX + 1];
	const char *list[] = {name};
	struct recording_options recording_options = {.devices = list,
						      .device_count = 1,
						      .cache = true,
						      .accesses = true,
						      .command = command};
	int err;

	if (device_name(device, name, sizeof(name)))
		return no_device(directory, failure);
	snprintf(command, sizeof(command), "blkreel replay --files %.400s", directory);
	err = start(path, &recording_options, recording, message);
	if (err)
		return start_failed(err, message, failure);
	warn_of_own_writes(path, device);
	return 0;
}

int replay_record_stop(struct recording *recording, const char *path, struct failure *failure)
{
	struct recording_totals totals;
	char message[COLLECTOR_MESSAGE_MAX];

	if (!recording)
		return 0;
	if (recording__stop(recording, -1, &totals, message))
		return failure_add(failure, EXIT_FAILED, "%s: %s", path, message);
	if (totals.lost)
		pr_warn("%s: lost: %s, see 'blkreel info %s'", path,
			COUNTED_TEXT(totals.lost, "record"), path);
	return 0;
}
