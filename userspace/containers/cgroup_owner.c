// SPDX-License-Identifier: MIT
#include "containers/cgroup_owner.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES	   255
#define CONTAINER_ID_BYTES 64
#define UUID_BYTES	   36
#define STATIC_POD_BYTES   32 /* the uid of a static pod is a hash */

/* The walk along a path. */
struct place {
	struct cgroup_owner *owner;
	bool in_kubepods;
	bool unit_is_slice;
	char parent[NAME_MAX_BYTES + 1];
};

const char *container_runtime__name(enum container_runtime runtime)
{
	static const char *const names[RUNTIME_COUNT] = {"",	   "docker", "containerd", "cri-o",
							 "podman", "lxc",    "machine"};

	return runtime < RUNTIME_COUNT ? names[runtime] : "";
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length > end_length && !strcmp(text + length - end_length, end);
}

/* What follows `start`, or NULL. */
static const char *after(const char *text, const char *start)
{
	size_t length = strlen(start);

	return strncmp(text, start, length) ? NULL : text + length;
}

static bool is_hex(const char *text, size_t bytes)
{
	size_t length = strspn(text, "0123456789abcdef");

	return length == bytes && !text[length];
}

/* False, and "" in `to`, if it does not fit. */
static bool copy(char *to, size_t size, const char *from, size_t bytes)
{
	if (bytes >= size) {
		to[0] = '\0';
		return false;
	}
	memcpy(to, from, bytes);
	to[bytes] = '\0';
	return true;
}

/* `uid` has '_' for '-' with the systemd driver, which nests slices at '-'. */
static bool set_pod(struct cgroup_owner *owner, const char *uid, size_t bytes)
{
	char text[CGROUP_POD_UID_MAX];

	if ((bytes != UUID_BYTES && bytes != STATIC_POD_BYTES) ||
	    !copy(text, sizeof(text), uid, bytes))
		return false;
	for (size_t i = 0; i < bytes; i++) {
		bool dash = bytes == UUID_BYTES && (i == 8 || i == 13 || i == 18 || i == 23);

		if (text[i] == '_')
			text[i] = '-';
		if (dash ? text[i] != '-' : !isxdigit((unsigned char)text[i]))
			return false;
	}
	memcpy(owner->pod_uid, text, bytes + 1);
	owner->kind = CGROUP_POD;
	return true;
}

static bool set_container(struct cgroup_owner *owner, enum container_runtime runtime,
			  const char *id, size_t bytes)
{
	if (!bytes || !copy(owner->container_id, sizeof(owner->container_id), id, bytes))
		return false;
	owner->runtime = runtime;
	owner->kind = CGROUP_CONTAINER;
	return true;
}

/* pod<uid>, or what systemd's driver makes of it: kubepods-burstable-pod<uid>.slice */
static void look_for_pod(struct place *at, const char *name)
{
	const char *uid = after(name, "pod"), *end;

	if (at->in_kubepods && uid && set_pod(at->owner, uid, strlen(uid)))
		return;
	if (!strstr(name, "kubepods"))
		return;
	at->in_kubepods = true;
	end = strstr(name, ".slice");
	uid = strstr(name, "-pod");
	if (end && uid && uid < end)
		set_pod(at->owner, uid + 4, (size_t)(end - uid - 4));
}

/* The id of a container as a part of a name: cri-containerd-<id>.scope, crio-<id>, ... */
static bool find_prefixed(const char *name, enum container_runtime *runtime, const char **id)
{
	static const struct {
		const char *prefix;
		enum container_runtime runtime;
	} prefixes[] = {
		{"cri-containerd-", RUNTIME_CONTAINERD},
		{"nerdctl-", RUNTIME_CONTAINERD},
		{"docker-", RUNTIME_DOCKER},
		{"crio-", RUNTIME_CRIO},
		{"libpod-", RUNTIME_PODMAN},
	};
	char text[CONTAINER_ID_BYTES + 1];

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		const char *rest = after(name, prefixes[i].prefix);

		if (!rest || strlen(rest) < CONTAINER_ID_BYTES)
			continue;
		copy(text, sizeof(text), rest, CONTAINER_ID_BYTES);
		rest += CONTAINER_ID_BYTES;
		if (!is_hex(text, CONTAINER_ID_BYTES) || (*rest && strcmp(rest, ".scope")))
			continue;
		*runtime = prefixes[i].runtime;
		*id = name + strlen(prefixes[i].prefix);
		return true;
	}
	return false;
}

/* The name of a machine, in which systemd writes '-' and others as \xHH. */
static bool set_machine(struct cgroup_owner *owner, const char *escaped, size_t bytes)
{
	char name[NAME_MAX_BYTES + 1];
	size_t length = 0;

	for (size_t i = 0; i < bytes && length < NAME_MAX_BYTES; i++) {
		unsigned int byte;
		int used = 0;

		if (escaped[i] == '\\' && bytes - i >= 4 &&
		    sscanf(escaped + i, "\\x%2x%n", &byte, &used) == 1 && used == 4 && byte) {
			name[length++] = (char)byte;
			i += 3;
		} else {
			name[length++] = escaped[i];
		}
	}
	return set_container(owner, RUNTIME_MACHINE, name, length);
}

/* True when this folder is a container's. */
static bool look_for_container(struct place *at, const char *name)
{
	enum container_runtime runtime = RUNTIME_UNKNOWN;
	struct cgroup_owner *owner = at->owner;
	const char *id, *colon = strrchr(name, ':');

	if (find_prefixed(name, &runtime, &id))
		return set_container(owner, runtime, id, CONTAINER_ID_BYTES);
	if (is_hex(name, CONTAINER_ID_BYTES)) {
		if (!strcmp(at->parent, "docker"))
			runtime = RUNTIME_DOCKER;
		return set_container(owner, runtime, name, CONTAINER_ID_BYTES);
	}
	/* A path for systemd's driver, taken literally: ...pod<uid>.slice:cri-containerd:<id> */
	if (colon && is_hex(colon + 1, CONTAINER_ID_BYTES)) {
		if (strstr(name, ":cri-containerd:"))
			runtime = RUNTIME_CONTAINERD;
		else if (strstr(name, ":crio:"))
			runtime = RUNTIME_CRIO;
		else if (strstr(name, ":docker:"))
			runtime = RUNTIME_DOCKER;
		return set_container(owner, runtime, colon + 1, CONTAINER_ID_BYTES);
	}
	id = after(name, "lxc.payload.");
	if (!id && (!strcmp(at->parent, "lxc") || !strcmp(at->parent, "lxc.payload")))
		id = name;
	if (id && *id)
		return set_container(owner, RUNTIME_LXC, id, strlen(id));
	id = after(name, "machine-");
	if (id && ends_with(name, ".scope") && !strcmp(at->parent, "machine.slice"))
		return set_machine(owner, id, strlen(id) - strlen(".scope"));
	return false;
}

/* user-1000.slice and user@1000.service */
static void look_for_user(struct cgroup_owner *owner, const char *name)
{
	static const char *const starts[] = {"user-", "user@"}, *const ends[] = {".slice",
										 ".service"};
	unsigned long long number;
	const char *text;
	char *end;

	for (int i = 0; i < 2; i++) {
		text = after(name, starts[i]);
		if (!text || !isdigit((unsigned char)*text))
			continue;
		errno = 0;
		number = strtoull(text, &end, 10);
		if (!errno && !strcmp(end, ends[i]) && number < CGROUP_NO_USER)
			owner->user = (uint32_t)number;
	}
}

static void look_for_unit(struct place *at, const char *name)
{
	static const char *const ends[] = {".service", ".scope", ".socket", ".mount", ".swap"};
	struct cgroup_owner *owner = at->owner;
	bool slice = ends_with(name, ".slice"), unit = slice;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		unit |= ends_with(name, ends[i]);
	if (!unit || (slice && owner->unit[0] && !at->unit_is_slice))
		return;
	if (!copy(owner->unit, sizeof(owner->unit), name, strlen(name)))
		return;
	at->unit_is_slice = slice;
	if (owner->kind == CGROUP_OTHER)
		owner->kind = CGROUP_UNIT;
}

/* True when what follows is inside a container. */
static bool look_at(struct place *at, const char *name)
{
	/* systemd puts '_' before names that the kernel could mistake for one of its files. */
	if (name[0] == '_' && name[1])
		name++;
	look_for_user(at->owner, name);
	look_for_unit(at, name);
	look_for_pod(at, name);
	if (look_for_container(at, name))
		return true;
	snprintf(at->parent, sizeof(at->parent), "%s", name);
	return false;
}

void cgroup_owner__of_path(const char *path, struct cgroup_owner *owner)
{
	struct place at = {.owner = owner};
	char name[NAME_MAX_BYTES + 1];

	memset(owner, 0, sizeof(*owner));
	owner->user = CGROUP_NO_USER;
	while (*path) {
		size_t bytes = strcspn(path, "/");

		if (bytes && copy(name, sizeof(name), path, bytes) && look_at(&at, name))
			return;
		path += bytes;
		while (*path == '/')
			path++;
	}
}
