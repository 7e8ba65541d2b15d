/* SPDX-License-Identifier: MIT */
/* What a container is called, and its pod. */
#ifndef BLKREEL_CONTAINERS_CONTAINER_NAME_H
#define BLKREEL_CONTAINERS_CONTAINER_NAME_H

#define CONTAINER_NAME_MAX 256

/* "": not known. Any bytes: whoever starts a container chooses them. */
struct container_name {
	char container[CONTAINER_NAME_MAX];
	char pod[CONTAINER_NAME_MAX];
	char pod_namespace[CONTAINER_NAME_MAX];
};

#endif
