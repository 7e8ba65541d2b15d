// SPDX-License-Identifier: MIT
#include <blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "replay/target/marks.h"
#include "replay/target/safety.h"
#include "replay/target/stack.h"

#define SIGNATURES_MAX	   64
#define SIGNATURE_NAME_MAX 64

/* A range of the target: all of it (partition 0), or a partition. */
struct range {
	uint64_t offset_bytes, size_bytes;
	int partition;
};

struct signature {
	char name[SIGNATURE_NAME_MAX];
	struct range range; /* the first that carries it */
	bool own;	    /* libblkid, and with it wipefs, does not know this one */
};

struct signatures {
	unsigned int count;
	struct signature items[SIGNATURES_MAX];
	const struct range *range;    /* to search */
	struct unreadable unreadable; /* err is 0: none */
};

static void add(struct signatures *found, const char *name, bool own)
{
	struct signature *item;

	for (unsigned int i = 0; i < found->count; i++)
		if (!strcmp(found->items[i].name, name))
			return;
	if (found->count == SIGNATURES_MAX)
		return;
	item = &found->items[found->count++];
	snprintf(item->name, SIGNATURE_NAME_MAX, "%s", name);
	item->range = *found->range;
	item->own = own;
}

static void add_own(void *context, const char *name)
{
	add(context, name, true);
}

static void add_value(blkid_probe probe, const char *key, struct signatures *found)
{
	const char *name;

	if (!blkid_probe_lookup_value(probe, key, &name, NULL))
		add(found, name, false);
}

/* libblkid tells that a read failed, not where. */
static int cannot_read(int fd, const struct range *range, struct signatures *found, int err)
{
	if (!marks__unreadable(fd, range->offset_bytes, range->size_bytes, &found->unreadable))
		found->unreadable = (struct unreadable){0};
	return err;
}

/* One range ---------------------------------------------------------------------------------- */

static blkid_probe new_probe(int fd, const struct range *range)
{
	blkid_probe probe = blkid_new_probe();

	errno = 0;
	if (probe && !blkid_probe_set_device(probe, fd, (blkid_loff_t)range->offset_bytes,
					     (blkid_loff_t)range->size_bytes))
		return probe;
	if (!probe)
		errno = ENOMEM;
	blkid_free_probe(probe);
	return NULL;
}

/*
 * Finds every signature, as wipefs does, not only the one that wins, and also with a wrong
 * checksum, and a GPT without its first sector.
 */
static int probe_range(int fd, const struct range *range, struct signatures *found)
{
	blkid_probe probe = new_probe(fd, range);
	int result;

	found->range = range;
	if (!probe)
		return errno ? -errno : -EIO;
	blkid_probe_enable_superblocks(probe, true);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(probe, true);
	blkid_probe_set_partitions_flags(probe, BLKID_PARTS_FORCE_GPT);
	errno = 0;
	while ((result = blkid_do_probe(probe)) == 0) {
		add_value(probe, "TYPE", found);
		add_value(probe, "PTTYPE", found);
	}
	result = result == 1 ? 0 : errno ? -errno : -EIO;
	blkid_free_probe(probe);
	if (!result)
		result = marks__find(fd, range->offset_bytes, range->size_bytes, add_own, found);
	return result ? cannot_read(fd, range, found, result) : 0;
}

/* Partitions --------------------------------------------------------------------------------- */

static int probe_partition(int fd, const struct range *whole, struct range *part,
			   struct signatures *found)
{
	if (!part->offset_bytes || part->offset_bytes >= whole->size_bytes)
		return 0;
	if (part->size_bytes > whole->size_bytes - part->offset_bytes)
		part->size_bytes = whole->size_bytes - part->offset_bytes;
	return part->size_bytes < SECTOR_BYTES ? 0 : probe_range(fd, part, found);
}

/* Those that a partition table on the target names. */
static int probe_listed(int fd, const struct range *whole, struct signatures *found)
{
	blkid_probe probe = new_probe(fd, whole);
	blkid_partlist list;
	int err = 0;

	if (!probe)
		return errno ? -errno : -EIO;
	blkid_probe_enable_superblocks(probe, false);
	blkid_probe_enable_partitions(probe, true);
	blkid_probe_set_partitions_flags(probe, BLKID_PARTS_FORCE_GPT);
	errno = 0;
	list = blkid_probe_get_partitions(probe);
	if (!list && errno == EIO)
		err = cannot_read(fd, whole, found, -EIO);
	for (int i = 0; list && !err && i < blkid_partlist_numof_partitions(list); i++) {
		blkid_partition item = blkid_partlist_get_partition(list, i);
		struct range part = {
			.offset_bytes = (uint64_t)blkid_partition_get_start(item) * SECTOR_BYTES,
			.size_bytes = (uint64_t)blkid_partition_get_size(item) * SECTOR_BYTES,
			.partition = blkid_partition_get_partno(item)};

		err = probe_partition(fd, whole, &part, found);
	}
	blkid_free_probe(probe);
	return err;
}

/* Those that the kernel has: of a table that is gone since, or set by a program (addpart). */
static int probe_known(const struct safety_view *view, int fd, const struct range *whole,
		       struct signatures *found)
{
	struct stack stack;
	struct stat file;
	int err = 0;

	if (fstat(fd, &file) || !S_ISBLK(file.st_mode))
		return 0;
	if (stack__read(view->sysfs_path, file.st_rdev, &stack))
		return 0; /* not in sysfs: refused before */
	for (unsigned int i = 1; i < stack.count && !err; i++) {
		dev_t device = stack.devices[i].device;
		struct range part = {
			.offset_bytes =
				SECTOR_BYTES * safety__sysfs_number(view, device, "start", 0),
			.size_bytes = SECTOR_BYTES * safety__sysfs_number(view, device, "size", 0),
			.partition = (int)safety__sysfs_number(view, device, "partition", 0)};

		if (stack.devices[i].relation == STACK_PARTITION)
			err = probe_partition(fd, whole, &part, found);
	}
	return err;
}

static int find_signatures(const struct safety_view *view, int fd, struct signatures *found)
{
	struct range whole = {0};
	off_t end = lseek(fd, 0, SEEK_END);
	struct stat file;
	int err;

	if (end < 0)
		return -errno;
	/* What others have read of the disk before its partitions were written can still be cached. */
	if (!fstat(fd, &file) && S_ISBLK(file.st_mode))
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	whole.size_bytes = (uint64_t)end;
	err = probe_range(fd, &whole, found);
	if (!err)
		err = probe_listed(fd, &whole, found);
	return err ? err : probe_known(view, fd, &whole, found);
}

/* The rule ----------------------------------------------------------------------------------- */

static bool is_forced(const char *name, const char *const *forced, unsigned int forced_count)
{
	for (unsigned int i = 0; i < forced_count; i++)
		if (!strcmp(forced[i], name))
			return true;
	return false;
}

static void list_names(const struct signatures *found, char *contents, size_t contents_bytes)
{
	contents[0] = '\0';
	for (unsigned int i = 0; i < found->count; i++) {
		size_t used = strlen(contents);

		snprintf(contents + used, contents_bytes - used, "%s%s", used ? ", " : "",
			 found->items[i].name);
	}
}

static int refuse_signature(const char *path, const struct signature *item, struct refusal *why)
{
	char where[96] = "", start[UNITS_TEXT_MAX];

	if (item->range.partition)
		snprintf(where, sizeof(where), " (in partition %d, at %s)", item->range.partition,
			 units_bytes(item->range.offset_bytes, start));
	return refuse(why, SAFETY_SIGNATURE,
		      "%s carries a signature: %s%s; if its data may be destroyed, add --force %s "
		      "or wipe it (%s %s)",
		      path, item->name, where, item->name,
		      item->own || item->range.partition ? "blkdiscard --zeroout" : "wipefs -a",
		      path);
}

/* The rest of a page that is written as a whole is not read before. */
static int explain_failure(const char *path, const struct unreadable *at, int err,
			   struct refusal *why)
{
	unsigned long long offset = at->offset_bytes;

	why->rule = SAFETY_NO_RULE;
	if (at->err)
		snprintf(
			why->text, sizeof(why->text),
			"%s: cannot look for file systems and partition tables: %zu bytes at %llu "
			"(sector %llu) cannot be read: %s; if its data may be destroyed, overwrite "
			"them (dd if=/dev/zero of=%s bs=%zu count=1 oflag=seek_bytes seek=%llu "
			"conv=notrunc,fsync) or choose another target",
			path, at->bytes, offset, offset / SECTOR_BYTES, strerror(-at->err), path,
			at->bytes, offset);
	else
		snprintf(why->text, sizeof(why->text),
			 "%s: cannot look for file systems and partition tables: %s%s", path,
			 strerror(-err),
			 err == -EIO ? " (the kernel's log names the sector): choose another target"
				     : "");
	return at->err ? at->err : err;
}

int safety__check_signatures(const struct safety_view *view, const char *path, int fd,
			     const char *const *forced, unsigned int forced_count, char *contents,
			     size_t contents_bytes, struct refusal *why)
{
	struct signatures found = {0};
	int err = find_signatures(view, fd, &found);

	if (err)
		return explain_failure(path, &found.unreadable, err, why);
	list_names(&found, contents, contents_bytes);
	for (unsigned int i = 0; i < found.count; i++)
		if (!is_forced(found.items[i].name, forced, forced_count))
			return refuse_signature(path, &found.items[i], why);
	return 0;
}
