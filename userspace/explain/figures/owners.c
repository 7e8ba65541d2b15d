// SPDX-License-Identifier: MIT
#include "explain/figures/owners.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "containers/container_names.h"
#include "explain/figures/labels.h"

static int set_name(struct explain_group *group, const char *name)
{
	group->name = strdup(name);
	return group->name ? 0 : -ENOMEM;
}

/* The owner of a cgroup, and its path; NULL: not known. */
static const struct trace_cgroup *owner_of(const void *context, uint32_t id,
					   struct cgroup_owner *owner)
{
	const struct explain_tables *tables = context;
	const struct trace_cgroup *cgroup = tables->cgroup(tables->context, id);

	if (!cgroup || !cgroup->path || !*cgroup->path)
		return NULL;
	cgroup_owner__of_path(cgroup->path, owner);
	return cgroup;
}

static void copy_name(char name[CONTAINER_NAME_MAX], const char *known)
{
	snprintf(name, CONTAINER_NAME_MAX, "%s", known ? known : "");
}

static int set_label(struct explain_group *group, const struct trace_cgroup *cgroup,
		     const struct cgroup_owner *owner)
{
	struct container_name name;
	char label[CONTAINER_LABEL_MAX];

	copy_name(name.container, cgroup->container);
	copy_name(name.pod, cgroup->pod);
	copy_name(name.pod_namespace, cgroup->pod_namespace);
	return set_name(group, container_names__label(owner, &name, cgroup->path, label));
}

int explain_name_unit(const void *context, struct explain_group *group)
{
	struct cgroup_owner owner;

	if (!owner_of(context, group->id, &owner))
		return set_name(group, "(unknown)");
	return set_name(group, *owner.unit ? owner.unit : "(no unit)");
}

int explain_name_pod(const void *context, struct explain_group *group)
{
	struct cgroup_owner owner;
	const struct trace_cgroup *cgroup = owner_of(context, group->id, &owner);

	if (!cgroup)
		return set_name(group, "(unknown)");
	if (!*owner.pod_uid && !cgroup->pod)
		return set_name(group, "(no pod)");
	owner.kind = CGROUP_POD;
	return set_label(group, cgroup, &owner);
}

int explain_name_container(const void *context, struct explain_group *group)
{
	struct cgroup_owner owner;
	const struct trace_cgroup *cgroup = owner_of(context, group->id, &owner);

	if (!cgroup)
		return set_name(group, "(unknown)");
	if (owner.kind != CGROUP_CONTAINER)
		return set_name(group, "(no container)");
	return set_label(group, cgroup, &owner);
}
