// SPDX-License-Identifier: MIT
#include <blkid.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "replay/target/safety.h"

#define SIGNATURES_MAX	   16
#define SIGNATURE_NAME_MAX 64

struct signatures {
	unsigned int count;
	char names[SIGNATURES_MAX][SIGNATURE_NAME_MAX];
};

static void add(struct signatures *found, const char *name)
{
	for (unsigned int i = 0; i < found->count; i++)
		if (!strcmp(found->names[i], name))
			return;
	if (found->count < SIGNATURES_MAX)
		snprintf(found->names[found->count++], SIGNATURE_NAME_MAX, "%s", name);
}

static void add_value(blkid_probe probe, const char *key, struct signatures *found)
{
	const char *name;

	if (!blkid_probe_lookup_value(probe, key, &name, NULL))
		add(found, name);
}

/*
 * Finds every signature, as wipefs does, not only the one that wins, and also with a wrong
 * checksum.
 */
static int find_signatures(int fd, struct signatures *found)
{
	blkid_probe probe = blkid_new_probe();
	int result = -1;

	if (!probe)
		return -ENOMEM;
	errno = 0;
	if (blkid_probe_set_device(probe, fd, 0, 0))
		goto out;
	blkid_probe_enable_superblocks(probe, true);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(probe, true);
	while ((result = blkid_do_probe(probe)) == 0) {
		add_value(probe, "TYPE", found);
		add_value(probe, "PTTYPE", found);
	}
out:
	result = result == 1 ? 0 : errno ? -errno : -EIO;
	blkid_free_probe(probe);
	return result;
}

static bool is_forced(const char *name, const char *const *forced, unsigned int forced_count)
{
	for (unsigned int i = 0; i < forced_count; i++)
		if (!strcmp(forced[i], name))
			return true;
	return false;
}

int safety__check_signatures(const char *path, int fd, const char *const *forced,
			     unsigned int forced_count, char *contents, size_t contents_bytes,
			     struct refusal *why)
{
	struct signatures found = {0};
	int err = find_signatures(fd, &found);

	if (err) {
		why->rule = SAFETY_NO_RULE;
		snprintf(why->text, sizeof(why->text),
			 "%s: cannot look for file systems and partition tables: %s", path,
			 strerror(-err));
		return err;
	}
	contents[0] = '\0';
	for (unsigned int i = 0; i < found.count; i++) {
		size_t used = strlen(contents);

		snprintf(contents + used, contents_bytes - used, "%s%s", used ? ", " : "",
			 found.names[i]);
	}
	for (unsigned int i = 0; i < found.count; i++)
		if (!is_forced(found.names[i], forced, forced_count))
			return refuse(
				why, SAFETY_SIGNATURE,
				"%s carries a signature: %s; if its data may be destroyed, add "
				"--force %s or wipe it (wipefs -a %s)",
				path, found.names[i], found.names[i], path);
	return 0;
}
