// SPDX-License-Identifier: MIT
#include "bench/store.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output_file.h"
#include "bench/document.h"

#define SCHEMA "blkreel.bench_point/1"

static const struct output_kind point_kind = {.name = "result"};

const char *bench_store__path(const char *folder, const char *name, char path[BENCH_PATH_MAX])
{
	snprintf(path, BENCH_PATH_MAX, "%s/%s", folder, name);
	return path;
}

static void point_path(const char *folder, unsigned int number, char path[BENCH_PATH_MAX])
{
	char name[32];

	snprintf(name, sizeof(name), "point-%04u.json", number);
	bench_store__path(folder, name, path);
}

int bench_store__open(const char *folder)
{
	struct stat st;

	if (!mkdir(folder, 0777))
		return 0;
	if (errno != EEXIST)
		return -errno;
	if (stat(folder, &st))
		return -errno;
	return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

static bool says(const json_t *document, const char *key, const char *text)
{
	const char *value = json_string_value(json_object_get(document, key));

	return value && !strcmp(value, text);
}

int bench_store__load(const char *folder, unsigned int number, const char *settings,
		      const struct bench_point *point, struct bench_figures *figures)
{
	char path[BENCH_PATH_MAX], key[BENCH_KEY_MAX];
	json_error_t error;
	json_t *document;
	bool ours;

	point_path(folder, number, path);
	if (access(path, F_OK))
		return errno == ENOENT ? 0 : -errno;
	document = json_load_file(path, 0, &error);
	ours = says(document, "schema", SCHEMA) && says(document, "settings", settings) &&
	       says(document, "point", bench_point__key(point, key));
	if (ours)
		ours = !bench_figures__get(document, figures);
	json_decref(document);
	return ours ? 1 : -EEXIST;
}

static char *text_of(const char *settings, const struct bench_point *point,
		     const struct bench_figures *figures)
{
	json_t *document = json_object();
	char key[BENCH_KEY_MAX], *text;

	json_object_set_new(document, "schema", json_string(SCHEMA));
	json_object_set_new(document, "settings", json_string(settings));
	json_object_set_new(document, "point", json_string(bench_point__key(point, key)));
	bench_figures__set(document, figures);
	text = json_dumps(document, JSON_COMPACT);
	json_decref(document);
	return text;
}

int bench_store__save(const char *folder, unsigned int number, const char *settings,
		      const struct bench_point *point, const struct bench_figures *figures)
{
	char path[BENCH_PATH_MAX], *text = text_of(settings, point, figures);
	struct output_file *file;
	int fd, err, end_err;

	if (!text)
		return -ENOMEM;
	point_path(folder, number, path);
	err = output_file__begin(path, &point_kind, &file, &fd);
	if (!err) {
		if (dprintf(fd, "%s\n", text) < 0)
			err = -EIO;
		close(fd);
		end_err = output_file__end(file, !err);
		err = err ? err : end_err;
	}
	free(text);
	return err;
}
