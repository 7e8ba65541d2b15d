// SPDX-License-Identifier: MIT
#include "bench/merge.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/histogram_text.h"
#include "bench/document.h"
#include "bench/store.h"

static int wrong(char *message, const char *what)
{
	snprintf(message, BENCH_MESSAGE_MAX, "%s", what);
	return -EINVAL;
}

static json_t *load(const char *path, char *message, int *err)
{
	char inside[BENCH_PATH_MAX];
	json_error_t error;
	json_t *document;
	const char *schema;
	struct stat st;

	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		path = bench_store__path(path, "results.json", inside);
	if (stat(path, &st)) {
		*err = -errno;
		return NULL;
	}
	document = json_load_file(path, 0, &error);
	schema = json_string_value(json_object_get(document, "schema"));
	if (schema && !strcmp(schema, "blkreel.bench/1"))
		return document;
	json_decref(document);
	*err = wrong(message, "is no results.json of 'blkreel bench -o'");
	return NULL;
}

/* Percentiles come from the IOs of both, never from percentiles. */
static int merge_latencies(struct bench_figures *into, const struct bench_figures *from)
{
	struct histogram *h = malloc(sizeof(*h));
	double ios = (double)into->ios + (double)from->ios;
	char *text;

	if (!h)
		return -ENOMEM;
	histogram_init(h);
	if (histogram_text_add(into->latencies, h) || histogram_text_add(from->latencies, h)) {
		free(h);
		return -EINVAL;
	}
	if (!into->ios || (from->ios && from->min_ns < into->min_ns))
		into->min_ns = from->min_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	if (ios > 0)
		into->mean_ns =
			(into->mean_ns * (double)into->ios + from->mean_ns * (double)from->ios) /
			ios;
	/* The histogram knows the bucket of the lowest and the highest only. */
	h->min = into->min_ns;
	h->max = into->max_ns;
	into->p50_ns = histogram_percentile(h, 50);
	into->p99_ns = histogram_percentile(h, 99);
	into->p99_9_ns = histogram_percentile(h, 99.9);
	text = histogram_text(h);
	free(h);
	if (!text)
		return -ENOMEM;
	free(into->latencies);
	into->latencies = text;
	return 0;
}

static int merge(struct bench_figures *into, const struct bench_figures *from)
{
	int err = merge_latencies(into, from);

	if (err)
		return err;
	into->iops += from->iops;
	into->read_iops += from->read_iops;
	into->write_iops += from->write_iops;
	into->bytes_per_s += from->bytes_per_s;
	into->ios += from->ios;
	into->bytes += from->bytes;
	into->errors += from->errors;
	into->skipped += from->skipped;
	into->reads += from->reads;
	into->read_bytes += from->read_bytes;
	into->writes += from->writes;
	into->write_bytes += from->write_bytes;
	if (from->duration_ns > into->duration_ns)
		into->duration_ns = from->duration_ns;
	into->steady_rounds = 0;
	return 0;
}

static int add_point(struct bench_merged *m, unsigned int number, const json_t *object,
		     char *message)
{
	char key[BENCH_KEY_MAX], first_key[BENCH_KEY_MAX];
	struct bench_figures figures;
	struct bench_point point;
	int err;

	if (bench_point__get(object, &point) || bench_figures__get(object, &figures))
		return wrong(message, "has a point without all its figures");
	if (!m->results) {
		m->figures[number] = figures;
		return bench_points__add(&m->points, &point);
	}
	if (strcmp(bench_point__key(&point, key),
		   bench_point__key(&m->points.items[number], first_key)) != 0)
		err = wrong(message, "has other points than the first result");
	else
		err = merge(&m->figures[number], &figures);
	free(figures.latencies);
	return err;
}

static int start(struct bench_merged *m, const json_t *document)
{
	const char *plan = json_string_value(json_object_get(document, "plan"));

	m->plan = strdup(plan ? plan : "");
	m->points.items = calloc(BENCH_POINTS_MAX, sizeof(*m->points.items));
	m->figures = calloc(BENCH_POINTS_MAX, sizeof(*m->figures));
	return m->plan && m->points.items && m->figures ? 0 : -ENOMEM;
}

int bench_merged__add(struct bench_merged *m, const char *path, char message[BENCH_MESSAGE_MAX])
{
	int err = 0;
	json_t *document = load(path, message, &err);
	const json_t *points = json_object_get(document, "points");
	size_t count = json_array_size(points);

	if (!document)
		return err;
	if (!count || count > BENCH_POINTS_MAX)
		err = wrong(message, "has no points");
	if (!err && !m->results)
		err = start(m, document);
	if (!err && m->results && count != m->points.count)
		err = wrong(message, "has other points than the first result");
	for (unsigned int i = 0; i < count && !err; i++)
		err = add_point(m, i, json_array_get(points, i), message);
	m->results++;
	json_decref(document);
	return err;
}

void bench_merged__free(struct bench_merged *m)
{
	for (unsigned int i = 0; m->figures && i < BENCH_POINTS_MAX; i++)
		free(m->figures[i].latencies);
	free(m->figures);
	free(m->plan);
	bench_points__free(&m->points);
}
