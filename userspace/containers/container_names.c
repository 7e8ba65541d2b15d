// SPDX-License-Identifier: MIT
#include "containers/container_names.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/units.h"
#include "containers/state_files.h"

#define RETRY_NS  (5 * NSEC_PER_SEC)
#define KNOWN_MAX 4096 /* more are forgotten, all at once */
#define SHORT_ID  12

/* A container's id, or the uid of a pod. */
struct known {
	char id[CGROUP_ID_MAX];
	uint64_t asked_ns;
	struct container_name name;
	UT_hash_handle hh;
};

struct container_names {
	char root[PATH_MAX / 2];
	struct known *known;
};

int container_names__create(const char *root, struct container_names **names)
{
	*names = calloc(1, sizeof(**names));
	if (!*names)
		return -ENOMEM;
	snprintf((*names)->root, sizeof((*names)->root), "%s", root);
	return 0;
}

static void forget(struct container_names *n)
{
	struct known *known, *next;

	HASH_ITER (hh, n->known, known, next) {
		HASH_DEL(n->known, known);
		free(known);
	}
}

void container_names__free(struct container_names *n)
{
	if (!n)
		return;
	forget(n);
	free(n);
}

static struct known *find_or_add(struct container_names *n, const char *id)
{
	struct known *known;

	HASH_FIND_STR(n->known, id, known);
	if (known)
		return known;
	if (HASH_COUNT(n->known) >= KNOWN_MAX)
		forget(n);
	known = calloc(1, sizeof(*known));
	if (!known)
		return NULL;
	snprintf(known->id, sizeof(known->id), "%s", id);
	HASH_ADD_STR(n->known, id, known);
	return known;
}

static bool is_complete(const struct cgroup_owner *owner, const struct container_name *name)
{
	return (!owner->container_id[0] || name->container[0]) &&
	       (!owner->pod_uid[0] || name->pod[0]);
}

void container_names__find(struct container_names *n, const struct cgroup_owner *owner,
			   uint64_t now_ns, struct container_name *name)
{
	struct known *known;

	memset(name, 0, sizeof(*name));
	if (owner->kind < CGROUP_POD)
		return;
	if (owner->runtime == RUNTIME_LXC || owner->runtime == RUNTIME_MACHINE) {
		snprintf(name->container, sizeof(name->container), "%s", owner->container_id);
		return;
	}
	if (owner->user != CGROUP_NO_USER)
		return;
	known = find_or_add(n, owner->container_id[0] ? owner->container_id : owner->pod_uid);
	if (!known)
		return;
	if (!known->asked_ns ||
	    (!is_complete(owner, &known->name) && now_ns - known->asked_ns >= RETRY_NS)) {
		known->asked_ns = now_ns;
		state_files__find(n->root, owner, &known->name);
	}
	*name = known->name;
}

/* "namespace/pod", or "pod <uid>". */
static void label_pod(const struct cgroup_owner *owner, const struct container_name *name,
		      char *label, size_t size)
{
	if (name->pod[0])
		snprintf(label, size, "%s%s%s", name->pod_namespace,
			 name->pod_namespace[0] ? "/" : "", name->pod);
	else
		snprintf(label, size, "pod %s", owner->pod_uid);
}

char *container_names__label(const struct cgroup_owner *owner, const struct container_name *name,
			     const char *path, char label[CONTAINER_LABEL_MAX])
{
	const char *runtime = container_runtime__name(owner->runtime);
	char container[CONTAINER_NAME_MAX], pod[2 * CONTAINER_NAME_MAX];

	if (owner->kind == CGROUP_OTHER || owner->kind == CGROUP_UNIT) {
		snprintf(label, CONTAINER_LABEL_MAX, "%s",
			 owner->kind == CGROUP_UNIT ? owner->unit : path);
		return label;
	}
	if (name->container[0])
		snprintf(container, sizeof(container), "%s", name->container);
	else
		snprintf(container, sizeof(container), "%.*s", SHORT_ID, owner->container_id);
	label_pod(owner, name, pod, sizeof(pod));
	if (owner->kind == CGROUP_POD)
		snprintf(label, CONTAINER_LABEL_MAX, "%s", pod);
	else if (owner->pod_uid[0])
		snprintf(label, CONTAINER_LABEL_MAX, "%s/%s", pod, container);
	else if (runtime[0])
		snprintf(label, CONTAINER_LABEL_MAX, "%s (%s)", container, runtime);
	else
		snprintf(label, CONTAINER_LABEL_MAX, "%s", container);
	return label;
}
