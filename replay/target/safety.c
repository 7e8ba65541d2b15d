// SPDX-License-Identifier: MIT
#include "replay/target/safety.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/mount_table.h"
#include "replay/target/namespaces.h"
#include "replay/target/neighbours.h"
#include "replay/target/openers.h"
#include "replay/target/stack.h"
#include "replay/target/storage_tree.h"
#include "replay/target/twins.h"

int refuse(struct refusal *why, enum safety_rule rule, const char *fmt, ...)
{
	va_list args;

	why->rule = rule;
	va_start(args, fmt);
	vsnprintf(why->text, sizeof(why->text), fmt, args);
	va_end(args);
	return -EPERM;
}

static int cannot_find_out(struct refusal *why, const char *path, const char *what, int err)
{
	why->rule = SAFETY_NO_RULE;
	snprintf(why->text, sizeof(why->text), "%s: cannot find out %s: %s", path, what,
		 strerror(-err));
	return err;
}

int safety__check_kind(const char *path, mode_t mode, struct refusal *why)
{
	const char *kind;

	if (S_ISBLK(mode) || S_ISREG(mode))
		return 0;
	kind = S_ISDIR(mode)	? "a directory"
	       : S_ISCHR(mode)	? "a character device"
	       : S_ISFIFO(mode) ? "a FIFO"
	       : S_ISSOCK(mode) ? "a socket"
				: "no file to write to";
	return refuse(why, SAFETY_KIND, "%s is %s: name a block device or a regular file", path,
		      kind);
}

/* What the target is ------------------------------------------------------------------------- */

static int storage_of_path(const struct safety_view *view, const char *path, struct storage *s)
{
	int fd = open(path, O_PATH | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = storage__of_fd(view, fd, s);
	close(fd);
	return err;
}

/* A target with all that its data lie on, and all that is built on it. */
struct examined {
	const struct safety_view *view;
	const char *path;
	const struct stack *stack; /* NULL: a regular file */
	struct storage_tree tree;
};

/* `where` receives WHERE_TEXT_MAX bytes, "" unless the two meet on the sectors of a disk below both; or NULL. */
static enum storage_overlap overlap_with(const struct examined *e, const struct storage *other,
					 char *where)
{
	struct storage_meeting meeting;
	struct storage_tree tree;
	enum storage_overlap overlap;

	if (where)
		where[0] = '\0';
	if (e->stack && other->block && stack__find(e->stack, other->device))
		return STORAGE_SHARED;
	storage_tree__follow(e->view, other, &tree);
	overlap = storage_tree__overlap(&e->tree, &tree, &meeting);
	if (where && overlap == STORAGE_SHARED && meeting.level->step == STEP_MAPPED)
		neighbours__where(e->view, &e->tree, &meeting, where, WHERE_TEXT_MAX);
	return overlap;
}

/* Mounts ------------------------------------------------------------------------------------- */

/* A file system over several devices (btrfs) has a number of its own; its source names a device. */
static dev_t mounted_device(const struct mount_entry *mount)
{
	struct stat file;

	if (major(mount->device) || mount->source[0] != '/' || stat(mount->source, &file) ||
	    !S_ISBLK(file.st_mode))
		return mount->device;
	return file.st_rdev;
}

struct mount_place {
	const struct mount_entry *entry;
	char root[80];	/* of its mount namespace */
	char whose[64]; /* " of the mount namespace of process 42", or "" */
	char where[WHERE_TEXT_MAX];
};

static int refuse_mounted(const struct examined *e, const struct stack_device *device,
			  const struct mount_place *place, struct refusal *why)
{
	const char *target = place->entry->target;

	if (!device)
		return refuse(
			why, SAFETY_MOUNTED,
			"%s shares its data with a device that is mounted: %s is on %s%s%s%s; "
			"unmount that first (umount %s) or choose another target",
			e->path, place->entry->source, target, place->whose,
			place->where[0] ? ", and both lie on " : "", place->where, target);
	return refuse(why, SAFETY_MOUNTED,
		      "%s is mounted: %s%s%s is on %s%s; unmount that first (umount %s) or choose "
		      "another target",
		      e->path, stack_relation_text(device->relation),
		      device->relation == STACK_ITSELF ? "" : " ",
		      device->relation == STACK_ITSELF ? "" : device->name, target, place->whose,
		      target);
}

/* The file that erofs, or a program behind FUSE, shows as a file system without a loop device. */
static int check_mounted_file(const struct examined *e, const struct mount_place *place,
			      struct refusal *why)
{
	char path[sizeof(place->root) + PATH_MAX];
	struct storage mounted;

	snprintf(path, sizeof(path), "%s%s", place->root, place->entry->source);
	if (place->entry->source[0] != '/' || storage_of_path(e->view, path, &mounted) ||
	    overlap_with(e, &mounted, NULL) != STORAGE_SHARED)
		return 0;
	return refuse(why, SAFETY_MOUNTED,
		      "%s is mounted: %s is on %s%s; unmount that first (umount %s) or choose "
		      "another target",
		      e->path, place->entry->source, place->entry->target, place->whose,
		      place->entry->target);
}

static int check_mount(const struct examined *e, struct mount_place *place, struct refusal *why)
{
	dev_t device = mounted_device(place->entry);
	const struct stack_device *stacked = e->stack ? stack__find(e->stack, device) : NULL;
	struct storage mounted;

	if (!stacked) {
		if (!major(device))
			return check_mounted_file(e, place, why);
		/* The file of a mounted loop device is that device's. */
		if (!e->stack)
			return 0;
		storage__of_device(e->view, device, &mounted);
		if (overlap_with(e, &mounted, place->where) != STORAGE_SHARED)
			return 0;
	}
	return refuse_mounted(e, stacked, place, why);
}

static int check_mount_table(const struct examined *e, const char *mountinfo_path, pid_t pid,
			     struct refusal *why)
{
	struct mount_place place = {.root = ""};
	struct mount_table *table;
	int err = mount_table__read(mountinfo_path, &table);

	if (err)
		return err;
	if (pid) {
		snprintf(place.root, sizeof(place.root), "%s/%d/root", e->view->proc_path,
			 (int)pid);
		snprintf(place.whose, sizeof(place.whose), " in the mount namespace of process %d",
			 (int)pid);
	}
	for (size_t i = 0; i < table->count && !err; i++) {
		place.entry = &table->entries[i];
		err = check_mount(e, &place, why);
	}
	mount_table__free(table);
	return err;
}

struct other_mounts {
	const struct examined *e;
	struct refusal *why;
};

static bool is_mounted_there(void *context, pid_t pid)
{
	struct other_mounts *other = context;
	char path[80];

	snprintf(path, sizeof(path), "%s/%d/mountinfo", other->e->view->proc_path, (int)pid);
	return check_mount_table(other->e, path, pid, other->why) == -EPERM &&
	       other->why->rule != SAFETY_NO_RULE;
}

static int check_mounts(const struct examined *e, struct refusal *why)
{
	struct other_mounts other = {e, why};
	int err = check_mount_table(e, e->view->mountinfo_path, 0, why);

	if (err && why->rule == SAFETY_NO_RULE)
		return cannot_find_out(why, e->path, "what is mounted", err);
	if (!err && e->view->proc_path &&
	    namespaces__each_mount(e->view->proc_path, is_mounted_there, &other))
		return -EPERM;
	return err;
}

/* Swap --------------------------------------------------------------------------------------- */

/* /proc/swaps writes blanks as \040. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		unsigned int octal;

		if (from[0] == '\\' && sscanf(from + 1, "%3o", &octal) == 1 && strlen(from) >= 4) {
			*to = (char)octal;
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

static bool is_swap(const struct examined *e, const char *swap_path)
{
	struct storage swap;

	return !storage_of_path(e->view, swap_path, &swap) &&
	       overlap_with(e, &swap, NULL) == STORAGE_SHARED;
}

static bool has_processes(const struct safety_view *view)
{
	char path[80];

	snprintf(path, sizeof(path), "%s/self", view->proc_path ? view->proc_path : "/proc");
	return !access(path, F_OK);
}

static int check_swaps(const struct examined *e, struct refusal *why)
{
	FILE *swaps = fopen(e->view->swaps_path, "re");
	char *line = NULL;
	size_t line_bytes = 0;
	int err = 0;

	if (!swaps && errno == ENOENT && has_processes(e->view))
		return 0; /* a kernel without swap */
	if (!swaps)
		return cannot_find_out(why, e->path, "what is swap", -errno);
	while (!err && getline(&line, &line_bytes, swaps) >= 0) {
		line[strcspn(line, " \t\n")] = '\0';
		unescape(line);
		if (line[0] == '/' && is_swap(e, line))
			err = refuse(why, SAFETY_SWAP,
				     "%s is used as swap (%s): swapoff %s first or choose another "
				     "target",
				     e->path, line, line);
	}
	free(line);
	fclose(swaps);
	return err;
}

/* Loop devices ------------------------------------------------------------------------------- */

/* A target that is a loop device lies on itself, and on the loop devices below it. */
static bool is_own_loop(const struct examined *e, const char *name)
{
	char path[PATH_MAX];
	dev_t device;

	snprintf(path, sizeof(path), "%s/block/%s", e->view->sysfs_path, name);
	return !safety__read_number(path, &device) && storage_tree__has_disk(&e->tree, device);
}

/* What is unknown decides what helps: every file is refused while that of the loop device is. */
static int refuse_unknown(const struct examined *e, const struct storage_loop *loop,
			  struct refusal *why)
{
	if (!loop->backing.unknown)
		return refuse(why, SAFETY_LOOP_BACKING,
			      "%s perhaps holds the data of /dev/%s: where its own data lie (on "
			      "overlayfs?) cannot be seen from here; detach that (losetup -d "
			      "/dev/%s) or choose a file on another file system",
			      e->path, loop->name, loop->name);
	if (geteuid())
		return refuse(why, SAFETY_LOOP_BACKING,
			      "%s perhaps holds the data of /dev/%s: this user cannot see which "
			      "file that is (%s); run as root",
			      e->path, loop->name, loop->backing_path);
	return refuse(why, SAFETY_LOOP_BACKING,
		      "%s perhaps holds the data of /dev/%s, whose file (%s) cannot be found from "
		      "here; detach that first (losetup -d /dev/%s)",
		      e->path, loop->name, loop->backing_path, loop->name);
}

static int check_loop(const struct examined *e, const char *name, struct refusal *why)
{
	struct storage_loop loop;
	enum storage_overlap overlap;

	if (is_own_loop(e, name) || !storage__read_loop(e->view, name, &loop))
		return 0;
	overlap = overlap_with(e, &loop.backing, NULL);
	if (overlap == STORAGE_SHARED)
		return refuse(why, SAFETY_LOOP_BACKING,
			      "%s holds the data of /dev/%s: detach that first (losetup -d "
			      "/dev/%s) or choose another target",
			      e->path, name, name);
	return overlap == STORAGE_UNKNOWN ? refuse_unknown(e, &loop, why) : 0;
}

static int check_loops(const struct examined *e, struct refusal *why)
{
	char block_path[PATH_MAX];
	struct dirent *entry;
	DIR *block;
	int err = 0;

	snprintf(block_path, sizeof(block_path), "%s/block", e->view->sysfs_path);
	block = opendir(block_path);
	if (!block)
		return cannot_find_out(why, e->path, "whether a loop device uses it (sysfs)",
				       -errno);
	while (!err && (entry = readdir(block)))
		if (!strncmp(entry->d_name, "loop", 4))
			err = check_loop(e, entry->d_name, why);
	closedir(block);
	return err;
}

/* All together ------------------------------------------------------------------------------- */

static int check_holders(const char *path, const struct stack *stack, struct refusal *why)
{
	for (unsigned int i = 0; i < stack->count; i++)
		if (stack->devices[i].relation == STACK_HOLDER)
			return refuse(
				why, SAFETY_HOLDERS,
				"%s is part of %s (see /sys/block/*/holders): take that apart "
				"first or choose another target",
				path, stack->devices[i].name);
	return 0;
}

static int examine(const struct safety_view *view, const char *path, const struct storage *storage,
		   struct stack *stack, struct examined *e, struct refusal *why)
{
	int err = 0;

	*e = (struct examined){.view = view, .path = path};
	if (storage->block)
		err = stack__read(view->sysfs_path, storage->device, stack);
	if (err)
		return cannot_find_out(why, path, "what uses it (sysfs)", err);
	if (storage->block)
		e->stack = stack;
	storage_tree__follow(view, storage, &e->tree);
	return 0;
}

static int check_users(const struct examined *e, struct refusal *why)
{
	int err = check_mounts(e, why);

	if (!err)
		err = check_swaps(e, why);
	return err ? err : check_holders(e->path, e->stack, why);
}

static int check_openers(const struct examined *e, const struct storage *storage,
			 struct refusal *why)
{
	struct opener opener;

	if (!openers__find(e->view, storage, false, &opener))
		return 0;
	return refuse(why, SAFETY_BUSY,
		      "process %d (%s) has it open for writing; end that or choose another target",
		      (int)opener.pid, opener.name);
}

static int check_twin(const struct examined *e, const struct twin *twin, const char *relation,
		      struct refusal *why)
{
	struct refusal reason = {0};
	struct examined other;
	struct storage storage;
	struct stack stack;
	char path[80];
	int err;

	snprintf(path, sizeof(path), "/dev/%s", twin->name);
	storage__of_device(e->view, twin->device, &storage);
	err = examine(e->view, path, &storage, &stack, &other, why);
	if (err)
		return err;
	if (!check_users(&other, &reason) && !check_loops(&other, &reason) &&
	    !check_openers(&other, &storage, &reason))
		return 0;
	return refuse(why, reason.rule, "%s %s the same disk as %s by another path: %.*s", e->path,
		      relation, path, REFUSAL_TEXT_MAX / 2, reason.text);
}

static int check_twins_of(const struct examined *e, dev_t disk, const char *relation,
			  struct refusal *why)
{
	struct twin twins[TWINS_MAX];
	unsigned int count = twins__find(e->view, disk, twins, TWINS_MAX);
	int err = 0;

	/* With multipath, the target lies on all of them. */
	for (unsigned int i = 0; i < count && !err; i++)
		if (!storage_tree__has_disk(&e->tree, twins[i].device))
			err = check_twin(e, &twins[i], relation, why);
	return err;
}

/* Another path to the same disk: the kernel does not know that the two are one. */
static int check_twins(const struct examined *e, struct refusal *why)
{
	int err = 0;

	for (unsigned int i = 0; i < e->tree.count && !err; i++)
		if (e->tree.levels[i].at.block)
			err = check_twins_of(e, e->tree.levels[i].at.disk, i ? "lies on" : "is",
					     why);
	return err;
}

/* Other mapped devices ----------------------------------------------------------------------- */

struct neighbour_check {
	const struct examined *e;
	struct refusal *why;
	int err;
};

static bool is_held(void *context, const struct neighbour *n)
{
	struct neighbour_check *check = context;
	struct stack stack;

	check->err = stack__read(check->e->view->sysfs_path, n->device, &stack);
	if (check->err)
		cannot_find_out(check->why, n->path, "what uses it (sysfs)", check->err);
	for (unsigned int i = 1; i < stack.count && !check->err; i++)
		if (stack.devices[i].relation == STACK_HOLDER)
			check->err = refuse(check->why, SAFETY_HOLDERS,
					    "%s and %s both lie on %s, and %s is part of %s (see "
					    "/sys/block/*/holders): take that apart first%s%s or "
					    "choose another target",
					    check->e->path, n->path, n->where, n->path,
					    stack.devices[i].name,
					    n->mapper ? ", then dmsetup remove " : "",
					    n->mapper ? n->path : "");
	return check->err;
}

/* The device mapper lets devices share sectors: it claims what is below for all of them. */
static int check_neighbours(const struct examined *e, struct refusal *why)
{
	struct neighbour_check check = {e, why, 0};

	neighbours__each(e->view, &e->tree, is_held, &check);
	return check.err;
}

int safety__check_device(const struct safety_view *view, const char *path, dev_t device,
			 struct refusal *why)
{
	struct storage storage;
	struct stack stack;
	struct examined e;
	int err;

	storage__of_device(view, device, &storage);
	err = examine(view, path, &storage, &stack, &e, why);
	if (!err)
		err = check_users(&e, why);
	if (!err)
		err = check_loops(&e, why);
	if (!err)
		err = check_twins(&e, why);
	if (!err)
		err = check_neighbours(&e, why);
	if (!err && safety__sysfs_number(view, device, "ro", 0))
		err = refuse(why, SAFETY_READ_ONLY,
			     "%s is read-only: make it writable (blockdev --setrw %s) or replay "
			     "with --reads-only",
			     path, path);
	return err;
}

int safety__check_zoned(const struct safety_view *view, const char *path, dev_t device,
			struct refusal *why)
{
	if (!safety__sysfs_number(view, device, "queue/nr_zones", 0))
		return 0;
	return refuse(
		why, SAFETY_ZONED,
		"%s is a zoned device, which cannot be written out of order, and the source has no "
		"zone operations: choose another target or replay with --reads-only",
		path);
}

int safety__check_file(const struct safety_view *view, const char *path,
		       const struct storage *storage, struct refusal *why)
{
	struct examined e;
	int err = examine(view, path, storage, NULL, &e, why);

	if (!err)
		err = check_swaps(&e, why);
	if (!err)
		err = check_loops(&e, why);
	return err ? err : check_mounts(&e, why);
}

int safety__check_loops(const struct safety_view *view, const char *path,
			const struct storage *storage, struct refusal *why)
{
	struct examined e;
	struct stack stack;
	int err = examine(view, path, storage, &stack, &e, why);

	return err ? err : check_loops(&e, why);
}

/* Two targets -------------------------------------------------------------------------------- */

static const char *relation(const struct storage_tree *first, const struct storage_tree *second)
{
	const struct storage *a = &first->levels[0].at, *b = &second->levels[0].at;

	if (a->block && b->block && a->device == b->device)
		return "are one device";
	if (!a->block && !b->block)
		return "are one file";
	if (a->block && b->block && a->disk == b->disk)
		return "are a disk and its partition";
	if (storage_tree__is_mapped(first) || storage_tree__is_mapped(second))
		return "share their data, because the device mapper (or md) leads both to the same "
		       "sectors";
	return "share their data, because a loop device leads from one to the other";
}

int safety__check_apart(const struct safety_view *view, const char *a, const char *b,
			struct refusal *why)
{
	struct storage_tree first, second;
	struct storage of_a, of_b;

	if (storage_of_path(view, a, &of_a) || storage_of_path(view, b, &of_b))
		return 0; /* a path that does not exist is refused when it is opened */
	storage_tree__follow(view, &of_a, &first);
	storage_tree__follow(view, &of_b, &second);
	/* A snapshot does not change its origin, but the origin fills the snapshot. */
	if (storage_tree__overlap(&first, &second, NULL) != STORAGE_SHARED &&
	    storage_tree__overlap(&second, &first, NULL) != STORAGE_SHARED)
		return 0;
	return refuse(why, SAFETY_SHARED,
		      "the targets %s and %s %s: a target that is written takes one source; give "
		      "each source of --map a target of its own",
		      a, b, relation(&first, &second));
}
