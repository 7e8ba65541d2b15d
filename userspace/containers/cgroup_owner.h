/* SPDX-License-Identifier: MIT */
/*
 * Who a cgroup belongs to, from its path alone: a systemd unit, a Kubernetes pod, or a container.
 * What lies inside a container belongs to that container, whatever its folders are called.
 */
#ifndef BLKREEL_CONTAINERS_CGROUP_OWNER_H
#define BLKREEL_CONTAINERS_CGROUP_OWNER_H

#include <stdint.h>

#define CGROUP_UNIT_MAX	   256
#define CGROUP_POD_UID_MAX 40
#define CGROUP_ID_MAX	   72
#define CGROUP_NO_USER	   UINT32_MAX

enum cgroup_kind {
	CGROUP_OTHER, /* nothing is known but the path */
	CGROUP_UNIT,
	CGROUP_POD, /* of a pod, but of none of its containers */
	CGROUP_CONTAINER,
};

enum container_runtime {
	RUNTIME_UNKNOWN, /* the path has a container id, and does not name its runtime */
	RUNTIME_DOCKER,
	RUNTIME_CONTAINERD,
	RUNTIME_CRIO,
	RUNTIME_PODMAN,
	RUNTIME_LXC,	 /* container_id is its name */
	RUNTIME_MACHINE, /* systemd-machined: nspawn, libvirt; container_id is the machine's name */
	RUNTIME_COUNT,
};

/* Strings are "" when the path has no such thing. */
struct cgroup_owner {
	enum cgroup_kind kind;
	enum container_runtime runtime;
	/* The innermost systemd unit outside of a container, as systemctl names it; a slice only where
	 * there is no other. */
	char unit[CGROUP_UNIT_MAX];
	char pod_uid[CGROUP_POD_UID_MAX]; /* with '-', as the API server has it */
	char container_id[CGROUP_ID_MAX];
	/* Below a slice or manager of this user, who chose the names below it; or CGROUP_NO_USER. */
	uint32_t user;
};

/* `path` is below the mount of the hierarchy and begins with '/'; v1 and v2, cgroupfs and systemd
 * drivers. Names too long for their field count as unknown. */
void cgroup_owner__of_path(const char *path, struct cgroup_owner *owner);

/* "docker", "containerd", "cri-o", "podman", "lxc", "machine"; "" for RUNTIME_UNKNOWN. */
const char *container_runtime__name(enum container_runtime runtime);

#endif
