#include "cmd_replay_record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"
#include "cmd.h"

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

static void warn_of_own_writes(const char *path, const struct target_info *target)
{
	struct stat file;

	if (!stat(path, &file) && file.st_dev == target->device)
		pr_warn("%s lies on the device that is replayed onto, so its own writes are "
			"recorded too; choose another place with -o",
			path);
}

int replay_record_start(const char *path, const struct target_info *target,
			struct recording **recording)
{
	char name[NAME_MAX + 1], message[COLLECTOR_MESSAGE_MAX], command[COLLECTOR_MESSAGE_MAX];
	const char *devices[] = {name};
	struct recording_options recording_options = {
		.devices = devices, .device_count = 1, .command = command};
	int err;

	err = device_name(target->device, name, sizeof(name));
	if (err) {
		pr_err("%s: cannot be recorded with -o: it lies on no block device", target->path);
		return EXIT_FAILED;
	}
	snprintf(command, sizeof(command), "blkreel replay --target %.400s", target->path);
	err = recording__start(path, &recording_options, recording, message);
	if (!err) {
		warn_of_own_writes(path, target);
		return EXIT_OK;
	}
	pr_err("%s", message);
	return err == -EPERM || err == -EACCES ? EXIT_PRIVILEGE : EXIT_FAILED;
}

int replay_record_stop(struct recording *recording, const char *path)
{
	struct recording_totals totals;
	char message[COLLECTOR_MESSAGE_MAX], lost[UNITS_TEXT_MAX];

	if (!recording)
		return EXIT_OK;
	if (recording__stop(recording, -1, &totals, message)) {
		pr_err("%s: %s", path, message);
		return EXIT_FAILED;
	}
	if (totals.lost)
		pr_warn("%s: %s records were lost, see 'blkreel info %s'", path,
			units_count(totals.lost, lost), path);
	return EXIT_OK;
}
