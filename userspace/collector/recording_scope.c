#include "collector/recording_scope.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collector/cgroups.h"

int recording_scope__device(const char *name, struct device_choice *choice,
			    char message[COLLECTOR_MESSAGE_MAX])
{
	int err = devices__choose(name, choice);

	if (err == -EOPNOTSUPP)
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "%s works without block requests (as zram, dm and md do): there is "
			 "nothing to record yet; name the disks below it",
			 name);
	else if (err == -ENOTBLK)
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "%s is not a block device (lsblk lists them)", name);
	else if (err)
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "%s: no such block device (lsblk lists them)", name);
	return err && err != -EOPNOTSUPP ? -ENODEV : err;
}

int recording_scope__cgroup(const char *path, uint64_t *id, char message[COLLECTOR_MESSAGE_MAX])
{
	struct cgroups *cgroups;
	int err;

	err = cgroups__create(&cgroups);
	if (err)
		return err;
	err = cgroups__id(cgroups, path, id);
	cgroups__free(cgroups);
	if (err == -EOPNOTSUPP)
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "%s has no io controller, so its IO is charged to a cgroup above: write "
			 "+io to cgroup.subtree_control of the cgroup above",
			 path);
	else if (err)
		snprintf(message, COLLECTOR_MESSAGE_MAX, "%s: no such cgroup (%s)", path,
			 strerror(-err));
	return err;
}
