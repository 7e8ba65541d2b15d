// SPDX-License-Identifier: MIT
#include "collector/recording/scope.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collector/kernel/capabilities.h"
#include "collector/host/cgroups.h"
#include "collector/host/processes.h"

int recording_scope__device(const char *name, struct device_choice *choice,
			    char message[COLLECTOR_MESSAGE_MAX])
{
	int err = devices__choose(name, choice);

	if (err == -ENOTBLK)
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "%s is not a block device (lsblk lists them)", name);
	else if (err)
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "%s: no such block device (lsblk lists them)", name);
	return err ? -ENODEV : 0;
}

static bool is_whole(const struct device_choice *c)
{
	return c->part_major == c->major && c->part_minor == c->minor;
}

/* A disk has one range: a name more of it is in what is recorded, or makes it the whole. -EEXIST: neither. */
static int join(struct device_choice *first, const struct device_choice *more)
{
	if (is_whole(first) ||
	    (first->part_major == more->part_major && first->part_minor == more->part_minor))
		return 0;
	if (!is_whole(more))
		return -EEXIST;
	*first = *more;
	return 0;
}

static int add(struct recording_scope *scope, const struct device_choice *choice)
{
	for (unsigned int i = 0; i < scope->device_count; i++)
		if (scope->devices[i].major == choice->major &&
		    scope->devices[i].minor == choice->minor)
			return join(&scope->devices[i], choice);
	if (scope->device_count == RECORDING_DEVICES_MAX)
		return -E2BIG;
	scope->devices[scope->device_count++] = *choice;
	return 0;
}

static int add_named(struct recording_scope *scope, const char *name,
		     char message[COLLECTOR_MESSAGE_MAX])
{
	struct device_choice choice;
	int err = recording_scope__device(name, &choice, message);

	if (err)
		return err;
	err = add(scope, &choice);
	if (err == -EEXIST)
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "%s is not the only partition of its disk that is named: name the disk, "
			 "or record each by itself",
			 name);
	return err;
}

/* A whole disk. */
static int add_below(const struct device_choice *disk, void *context)
{
	return add(context, disk);
}

static int note_parts(const struct device_choice *disk, void *context)
{
	struct recording_scope *scope = context;

	if (disk->bio_based)
		scope->parts |= PROBE_BIOS;
	if (devices__sends_on(disk))
		scope->parts |= PROBE_BELOW;
	return 0;
}

/* Links are recorded wherever an IO can appear at two layers. */
static int choose_parts(const struct recording_options *options, struct recording_scope *scope)
{
	int err = 0;

	scope->parts = PROBE_REQUESTS | (options->cache ? PROBE_CACHE : 0) |
		       (options->accesses ? PROBE_CACHE | PROBE_ACCESS : 0) |
		       (options->waits ? PROBE_WAITS : 0) |
		       (options->waits && options->accesses ? PROBE_CALLS : 0) |
		       (options->lean ? 0 : PROBE_LIFE);
	if (!scope->device_count)
		err = devices__each_disk(note_parts, scope);
	for (unsigned int i = 0; i < scope->device_count; i++)
		note_parts(&scope->devices[i], scope);
	if (scope->parts & PROBE_BELOW && (options->stack || scope->device_count != 1))
		scope->parts |= PROBE_LINKS;
	return err;
}

int recording_scope__choose(const struct recording_options *options, struct recording_scope *scope,
			    char message[COLLECTOR_MESSAGE_MAX])
{
	int err = 0;

	scope->device_count = 0;
	for (unsigned int i = 0; i < options->device_count && !err; i++)
		err = add_named(scope, options->devices[i], message);
	/* The loop also visits the devices that it adds. */
	for (unsigned int i = 0; i < scope->device_count && options->stack && !err; i++)
		err = devices__each_below(scope->devices[i].major, scope->devices[i].minor,
					  add_below, scope);
	if (err == -E2BIG)
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "too many devices: at most %d can be named, including those below them",
			 RECORDING_DEVICES_MAX);
	return err ? err : choose_parts(options, scope);
}

int recording_scope__process(uint32_t pid, char message[COLLECTOR_MESSAGE_MAX])
{
	uint32_t process;
	int err = processes__check(pid, &process);

	if (err == -ESRCH)
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "--pid %" PRIu32 ": there is no such process (ps lists them)", pid);
	else if (err)
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "--pid %" PRIu32 " is a thread of process %" PRIu32
			 ": all threads of a process are recorded, use --pid %" PRIu32,
			 pid, process, process);
	return err ? -ESRCH : 0;
}

int recording_scope__cgroup(const char *path, uint64_t *id, char message[COLLECTOR_MESSAGE_MAX])
{
	struct cgroups *cgroups;
	int err;

	err = cgroups__create("blkio", &cgroups);
	if (err)
		return err;
	err = cgroups__id(cgroups, path, id);
	cgroups__free(cgroups);
	if (err == -EOPNOTSUPP)
		snprintf(
			message, COLLECTOR_MESSAGE_MAX,
			"%s has no io controller, so its IO is charged to a cgroup above it: write +io to cgroup.subtree_control of its parent",
			path);
	else if (err)
		snprintf(message, COLLECTOR_MESSAGE_MAX, "%s: no such cgroup (%s)", path,
			 strerror(-err));
	return err;
}
