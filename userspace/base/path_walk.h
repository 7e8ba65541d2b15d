/* SPDX-License-Identifier: MIT */
/*
 * Walks along a path folder by folder, each by the descriptor of the one before: nobody can exchange
 * a folder meanwhile, and links that another user could have made are not followed. A link of /proc
 * to a folder leads to the folder itself, which can be one of another mount namespace.
 */
#ifndef BLKREEL_BASE_PATH_WALK_H
#define BLKREEL_BASE_PATH_WALK_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* The state of a walk: `folder` is open, `rest` of the path is ahead. */
struct path_walk {
	int folder;
	char rest[2 * PATH_MAX];
	unsigned int links;
};

/*
 * Walks to the folder that holds the file `path`; w->rest is then the name of the file. With
 * `follows`, a link in place of the file is followed, too. 0: the caller closes w->folder; -EXDEV: a
 * link that another user could have made; -EISDIR: the path names a folder; -ELOOP: in place of the file is a link of
 * /proc, or there are too many links; other negative errno.
 */
int path_walk__to(struct path_walk *w, const char *path, bool follows);

/* Whose files this thread opens and creates: the effective user, unless setfsuid(2) changed that. */
uid_t path_walk__user(void);

#endif
