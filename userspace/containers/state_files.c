// SPDX-License-Identifier: MIT
#include "containers/state_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#define FILE_BYTES_MAX (8 << 20)

/* Where Docker, containerd, CRI-O and Podman keep the name of a container. */
#define DOCKER_FILE	 "%s/var/lib/docker/containers/%s/config.v2.json"
#define CONTAINERD_TASKS "%s/run/containerd/io.containerd.runtime.v2.task"
#define PODMAN_LIST	 "%s/var/lib/containers/storage/overlay-containers/containers.json"
#define POD_FOLDERS	 "%s/var/log/pods"
#define CONTAINER_LINKS	 "%s/var/log/containers"

static const char *const storage_files[] = {
	"%s/run/containers/storage/overlay-containers/%s/userdata/config.json",
	"%s/var/lib/containers/storage/overlay-containers/%s/userdata/config.json",
};

/* NULL: not there, not readable, too large, not JSON. A FIFO does not make it wait. */
static json_t *read_json(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	json_t *json = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= FILE_BYTES_MAX)
		json = json_loadfd(fd, 0, NULL);
	close(fd);
	return json;
}

/* The first of the keys that has a text fills `name`, unless it has one. */
static void take(char name[CONTAINER_NAME_MAX], const json_t *object, const char *const *keys)
{
	for (; *keys && !name[0]; keys++) {
		const char *text = json_string_value(json_object_get(object, *keys));

		if (text && strlen(text) < CONTAINER_NAME_MAX)
			strcpy(name, text);
	}
}

/* Annotations of an OCI bundle, or Docker's labels. */
static void take_annotations(const json_t *annotations, struct container_name *name)
{
	static const char *const container[] = {"io.kubernetes.cri.container-name",
						"io.kubernetes.container.name", "nerdctl/name",
						NULL};
	static const char *const pod[] = {"io.kubernetes.cri.sandbox-name",
					  "io.kubernetes.pod.name", NULL};
	static const char *const space[] = {"io.kubernetes.cri.sandbox-namespace",
					    "io.kubernetes.pod.namespace", NULL};

	take(name->container, annotations, container);
	take(name->pod, annotations, pod);
	take(name->pod_namespace, annotations, space);
}

static void ask_docker(const char *root, const char *id, struct container_name *name)
{
	static const char *const keys[] = {"Name", NULL};
	char path[PATH_MAX];
	json_t *json;

	snprintf(path, sizeof(path), DOCKER_FILE, root, id);
	json = read_json(path);
	take_annotations(json_object_get(json_object_get(json, "Config"), "Labels"), name);
	take(name->container, json, keys);
	if (name->container[0] == '/')
		memmove(name->container, name->container + 1, strlen(name->container));
	json_decref(json);
}

static void ask_bundle(const char *path, struct container_name *name)
{
	json_t *json = read_json(path);

	take_annotations(json_object_get(json, "annotations"), name);
	json_decref(json);
}

/* containerd has a folder for each of its namespaces (k8s.io, moby, default). */
static void ask_containerd(const char *root, const char *id, struct container_name *name)
{
	char folder[PATH_MAX], path[PATH_MAX];
	struct dirent *entry;
	DIR *tasks;

	snprintf(folder, sizeof(folder), CONTAINERD_TASKS, root);
	tasks = opendir(folder);
	while (tasks && !name->container[0] && (entry = readdir(tasks))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s/%s/config.json", folder, entry->d_name, id);
		ask_bundle(path, name);
	}
	if (tasks)
		closedir(tasks);
}

/* The storage that CRI-O and Podman share. */
static void ask_storage(const char *root, const char *id, struct container_name *name)
{
	char path[PATH_MAX];
	json_t *list, *entry;
	size_t i;

	for (size_t n = 0; n < sizeof(storage_files) / sizeof(storage_files[0]); n++) {
		snprintf(path, sizeof(path), storage_files[n], root, id);
		ask_bundle(path, name);
	}
	if (name->container[0])
		return;
	snprintf(path, sizeof(path), PODMAN_LIST, root);
	list = read_json(path);
	json_array_foreach(list, i, entry)
	{
		const char *text = json_string_value(json_object_get(entry, "id"));
		const json_t *first = json_array_get(json_object_get(entry, "names"), 0);

		if (!text || strcmp(text, id) || !json_string_value(first) ||
		    strlen(json_string_value(first)) >= CONTAINER_NAME_MAX)
			continue;
		strcpy(name->container, json_string_value(first));
		break;
	}
	json_decref(list);
}

/* Copies up to the first `end`, which becomes the start of the rest. NULL: there is none. */
static const char *cut(char to[CONTAINER_NAME_MAX], const char *from, char end)
{
	const char *at = strchr(from, end);

	if (!at || at - from >= CONTAINER_NAME_MAX)
		return NULL;
	memcpy(to, from, (size_t)(at - from));
	to[at - from] = '\0';
	return at + 1;
}

/* namespace_pod_uid: neither part of a Kubernetes name has a '_'. */
static void parse_pod_folder(const char *entry, struct container_name *name)
{
	struct container_name found = *name;
	const char *rest = cut(found.pod_namespace, entry, '_');

	if (rest && cut(found.pod, rest, '_'))
		*name = found;
}

/* pod_namespace_container-id.log */
static void parse_container_link(const char *entry, struct container_name *name)
{
	struct container_name found = *name;
	const char *rest = cut(found.pod, entry, '_'), *dash;

	rest = rest ? cut(found.pod_namespace, rest, '_') : NULL;
	dash = rest ? strrchr(rest, '-') : NULL;
	if (!dash || dash - rest >= CONTAINER_NAME_MAX)
		return;
	memcpy(found.container, rest, (size_t)(dash - rest));
	found.container[dash - rest] = '\0';
	*name = found;
}

/* Looks in a folder for the entry that ends so. */
static void look_in(const char *root, const char *format, const char *end,
		    void (*parse)(const char *, struct container_name *),
		    struct container_name *name)
{
	size_t length = strlen(end);
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *folder;

	snprintf(path, sizeof(path), format, root);
	folder = opendir(path);
	while (folder && (entry = readdir(folder))) {
		size_t bytes = strlen(entry->d_name);

		if (bytes <= length || strcmp(entry->d_name + bytes - length, end))
			continue;
		parse(entry->d_name, name);
		break;
	}
	if (folder)
		closedir(folder);
}

/* What the kubelet calls the folders and links of logs, which everybody can read. */
static void ask_kubelet(const char *root, const struct cgroup_owner *owner,
			struct container_name *name)
{
	char end[CGROUP_ID_MAX + 8];

	if (owner->container_id[0] && !name->container[0]) {
		snprintf(end, sizeof(end), "-%s.log", owner->container_id);
		look_in(root, CONTAINER_LINKS, end, parse_container_link, name);
	}
	if (!name->pod[0]) {
		snprintf(end, sizeof(end), "_%s", owner->pod_uid);
		look_in(root, POD_FOLDERS, end, parse_pod_folder, name);
	}
}

void state_files__find(const char *root, const struct cgroup_owner *owner,
		       struct container_name *name)
{
	enum container_runtime runtime = owner->runtime;
	bool any = runtime == RUNTIME_UNKNOWN;
	const char *id = owner->container_id;

	if (id[0]) {
		if (any || runtime == RUNTIME_DOCKER)
			ask_docker(root, id, name);
		if (!name->container[0] && (any || runtime == RUNTIME_CONTAINERD))
			ask_containerd(root, id, name);
		if (!name->container[0] &&
		    (any || runtime == RUNTIME_CRIO || runtime == RUNTIME_PODMAN))
			ask_storage(root, id, name);
	}
	if (owner->pod_uid[0])
		ask_kubelet(root, owner, name);
}
