// SPDX-License-Identifier: MIT
#include "replay/target/claims.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "replay/target/twins.h"

struct taking {
	const struct safety_view *view;
	const char *path;
	struct claims *claims;
	struct refusal *why;
};

/* Returns -EMFILE when there are too many. */
static int take(const struct taking *t, dev_t device, struct claim **claim)
{
	int fd;

	if (t->claims->count == CLAIMS_MAX)
		return -EMFILE;
	fd = storage__open_device(t->view, device, O_RDONLY | O_EXCL | O_CLOEXEC);
	if (fd < 0)
		return fd;
	*claim = &t->claims->items[t->claims->count++];
	**claim = (struct claim){.fd = fd, .device = device};
	return 0;
}

static const char *failure_text(int err)
{
	switch (err) {
	case -EBUSY:
		return "another program holds exclusively";
	case -EMFILE:
		return "is one of too many";
	}
	return "cannot be opened to see whether it is in use";
}

/* Below ------------------------------------------------------------------------------------- */

/* The device mapper and md claim theirs; a loop device does not. Claimed a second time it would seem to be in use. */
static bool is_free_to_claim(const struct storage_tree *tree, unsigned int i)
{
	const struct storage_level *level = &tree->levels[i];

	if (!level->at.block || level->step != STEP_LOOP)
		return false;
	for (unsigned int k = 0; k < tree->count; k++)
		if (k != i && tree->levels[k].at.block &&
		    tree->levels[k].at.device == level->at.device &&
		    (k < i || tree->levels[k].step == STEP_MAPPED))
			return false;
	return true;
}

static int take_below(const struct taking *t, const struct storage_tree *tree)
{
	for (unsigned int i = 1; i < tree->count; i++) {
		dev_t device = tree->levels[i].at.device;
		struct claim *claim;
		int err = is_free_to_claim(tree, i) ? take(t, device, &claim) : 0;

		if (err)
			return refuse(t->why, SAFETY_BUSY,
				      "%s lies on device %u:%u, which %s; end that or choose "
				      "another target",
				      t->path, major(device), minor(device), failure_text(err));
	}
	return 0;
}

/* Other paths ------------------------------------------------------------------------------- */

static bool is_taken(const struct claims *claims, dev_t device)
{
	for (unsigned int i = 0; i < claims->count; i++)
		if (claims->items[i].device == device)
			return true;
	return false;
}

static int take_twins_of(const struct taking *t, const struct storage_tree *tree, dev_t disk)
{
	struct twin twins[TWINS_MAX];
	unsigned int count = twins__find(t->view, disk, twins, TWINS_MAX);

	for (unsigned int i = 0; i < count; i++) {
		struct claim *claim;
		int err = 0;

		if (!storage_tree__has_disk(tree, twins[i].device) &&
		    !is_taken(t->claims, twins[i].device))
			err = take(t, twins[i].device, &claim);
		if (err)
			return refuse(t->why, SAFETY_BUSY,
				      "/dev/%s is another path to the disk of %s, which %s; end "
				      "that or choose another target",
				      twins[i].name, t->path, failure_text(err));
	}
	return 0;
}

/* The kernel lets each path be claimed on its own. */
static int take_twins(const struct taking *t, const struct storage_tree *tree)
{
	int err = 0;

	for (unsigned int i = 0; i < tree->count && !err; i++)
		if (tree->levels[i].at.block)
			err = take_twins_of(t, tree, tree->levels[i].at.disk);
	return err;
}

/* Beside ------------------------------------------------------------------------------------ */

static bool take_neighbour(void *context, const struct neighbour *n)
{
	const struct taking *t = context;
	struct claim *claim;
	int err = take(t, n->device, &claim);

	if (!err) {
		claim->shares = true;
		claim->neighbour = *n;
		return false;
	}
	refuse(t->why, SAFETY_BUSY,
	       "%s and %s both lie on %s, and %s %s; end that%s%s or choose another target",
	       t->path, n->path, n->where, n->path, failure_text(err),
	       n->mapper ? " and dmsetup remove " : "", n->mapper ? n->path : "");
	return true;
}

int claims__take(const struct safety_view *view, const char *path, const struct storage *storage,
		 struct claims *claims, struct refusal *why)
{
	struct storage_tree *tree = malloc(sizeof(*tree));
	struct taking taking = {view, path, claims, why};
	int err;

	if (!tree)
		return refuse(why, SAFETY_UNKNOWN, "%s: no memory to see who uses it", path);
	storage_tree__follow(view, storage, tree);
	err = take_below(&taking, tree) ?: take_twins(&taking, tree);
	if (!err && neighbours__each(view, tree, take_neighbour, &taking))
		err = -EPERM;
	free(tree);
	return err;
}

int claims__check_signatures(const struct safety_view *view, const char *path,
			     const struct claims *claims, const char *const *forced,
			     unsigned int forced_count, struct refusal *why)
{
	struct refusal reason;
	char contents[256];
	int err = 0;

	for (unsigned int i = 0; i < claims->count && !err; i++) {
		const struct claim *claim = &claims->items[i];

		/* LVM makes a device of each pool: it shows the data of all thin devices. */
		if (!claim->shares || claim->neighbour.pool)
			continue;
		reason = (struct refusal){0};
		err = safety__check_signatures(view, claim->neighbour.path, claim->fd, forced,
					       forced_count, contents, sizeof(contents), &reason);
		if (err)
			refuse(why, reason.rule, "%s lies on %s, as does %.*s", path,
			       claim->neighbour.where, REFUSAL_TEXT_MAX / 2, reason.text);
	}
	return err;
}

void claims__release(struct claims *claims)
{
	while (claims->count)
		close(claims->items[--claims->count].fd);
}
