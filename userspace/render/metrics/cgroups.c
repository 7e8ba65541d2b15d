// SPDX-License-Identifier: MIT
#include "render/metrics/metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

struct work {
	struct exposition *x;
	const struct metrics_source *source;
	const struct cgroup_series *series;
	size_t count;
	const struct cgroup_places *also; /* a cgroup that is in there is left out */
	/* The label of this series' cgroup is in `labels`. */
	const struct cgroup_series *labelled;
	size_t cgroup_bytes; /* its length */
	char labels[METRICS_CGROUP_LABELS_MAX];
};

/* Sums of struct tally_cgroup. */
#define SUM(field) (offsetof(struct tally_cgroup, field) / sizeof(__u64))

void metrics__cgroup_label(const struct cgroup_place *place, char labels[METRICS_CGROUP_LABELS_MAX])
{
	labels[0] = '\0';
	exposition_label(labels, METRICS_CGROUP_LABELS_MAX, "cgroup",
			 place ? place->path : "other");
}

/* NULL: it is not there any more. */
static const char *device_name(const struct live_sample *total, uint32_t number)
{
	for (unsigned int i = 0; i < total->device_count; i++) {
		const struct live_device *device = &total->devices[i];

		if ((device->major << 20 | device->minor) == number)
			return device->there ? device->name : NULL;
	}
	return NULL;
}

/* False: the device is not shown. */
static bool set_labels(struct work *w, const struct cgroup_series *series, const char *stage)
{
	const char *device = device_name(w->source->total, series->key.number);

	if (!device)
		return false;
	if (!w->labelled || w->labelled->key.cgroup != series->key.cgroup) {
		metrics__cgroup_label(series->place, w->labels);
		w->labelled = series;
		w->cgroup_bytes = strlen(w->labels);
	}
	w->labels[w->cgroup_bytes] = '\0';
	exposition_label(w->labels, sizeof(w->labels), "device", device);
	exposition_label(w->labels, sizeof(w->labels), "op", tick_op_name(series->key.op));
	exposition_label(w->labels, sizeof(w->labels), "stage", stage);
	return true;
}

static void write_sums(struct work *w, size_t sum, bool only_writes)
{
	for (size_t i = 0; i < w->count; i++)
		if ((!only_writes || w->series[i].key.op == TALLY_WRITE) &&
		    set_labels(w, &w->series[i], ""))
			exposition__value(w->x, w->labels, w->series[i].sums[sum]);
}

static void write_histogram(struct work *w, const __u64 *figures, uint64_t sum_ns)
{
	uint64_t counts[TALLY_CGROUP_BUCKETS];

	for (unsigned int i = 0; i < TALLY_CGROUP_BUCKETS; i++)
		counts[i] = figures[i];
	exposition__histogram(w->x, w->labels, counts, TALLY_CGROUP_BUCKETS, TALLY_CGROUP_UNIT_BITS,
			      sum_ns);
}

static void write_histograms(struct work *w)
{
	for (size_t i = 0; i < w->count; i++) {
		const struct cgroup_series *series = &w->series[i];

		if (set_labels(w, series, "queue"))
			write_histogram(w, series->sums + SUM(queue), series->sums[SUM(queue_ns)]);
		if (set_labels(w, series, "device"))
			write_histogram(w, series->sums + SUM(device),
					series->sums[SUM(device_ns)]);
	}
}

static void write_info(const struct cgroup_place *place, void *context)
{
	static const char *const kinds[] = {"other", "unit", "pod", "container"};
	const struct cgroup_owner *owner = &place->owner;
	struct work *w = context;
	size_t size = sizeof(w->labels);

	if (w->also && cgroup_places__has_path(w->also, place->path))
		return;
	metrics__cgroup_label(place, w->labels);
	exposition_label(w->labels, size, "kind", kinds[owner->kind]);
	exposition_label(w->labels, size, "unit", owner->unit);
	exposition_label(w->labels, size, "namespace", place->name.pod_namespace);
	exposition_label(w->labels, size, "pod", place->name.pod);
	exposition_label(w->labels, size, "pod_uid", owner->pod_uid);
	exposition_label(w->labels, size, "container", place->name.container);
	exposition_label(w->labels, size, "container_id", owner->container_id);
	exposition_label(w->labels, size, "runtime", container_runtime__name(owner->runtime));
	exposition__value(w->x, w->labels, 1);
}

static void write_folded(struct exposition *x, const struct metrics_source *source)
{
	exposition__family(x, "blkreel_cgroups_shown", METRIC_GAUGE, NULL,
			   "Control groups with series of their own.");
	exposition__value(x, "of=\"io\"", cgroup_places__shown(source->places));
	if (source->cache_places)
		exposition__value(x, "of=\"cache\"", cgroup_places__shown(source->cache_places));
	exposition__family(x, "blkreel_cgroups_folded", METRIC_GAUGE, NULL,
			   "Control groups in the series other, as they are more than --cgroups.");
	exposition__value(x, "of=\"io\"", cgroup_places__beyond(source->places));
	if (source->cache_places)
		exposition__value(x, "of=\"cache\"", cgroup_places__beyond(source->cache_places));
	exposition__family(x, "blkreel_cgroup_no_room_ios", METRIC_COUNTER, NULL,
			   "IOs in the series other because the kernel's table was full.");
	exposition__value(x, "", cgroup_counts__no_room_ios(source->counts));
}

static void write_infos(struct work *w)
{
	exposition__family(w->x, "blkreel_cgroup", METRIC_INFO, NULL,
			   "What a control group is: its unit, pod and container.");
	cgroup_places__each(w->source->places, write_info, w);
	if (!w->source->cache_places)
		return;
	w->also = w->source->places;
	cgroup_places__each(w->source->cache_places, write_info, w);
}

static void write_all(struct work *w)
{
	struct exposition *x = w->x;

	exposition__family(x, "blkreel_cgroup_ios", METRIC_COUNTER, NULL,
			   "Completed IOs; all series of a device sum up to those of the device.");
	write_sums(w, SUM(ios), false);
	exposition__family(x, "blkreel_cgroup_io_bytes", METRIC_COUNTER, "bytes",
			   "Bytes of completed IOs.");
	write_sums(w, SUM(bytes), false);
	exposition__family(x, "blkreel_cgroup_written_back_pages", METRIC_COUNTER, NULL,
			   "Pages of files that were written to the device.");
	write_sums(w, SUM(written_back_pages), true);
	exposition__family(
		x, "blkreel_cgroup_io_seconds", METRIC_HISTOGRAM, "seconds",
		"Time of IOs: queue is from creation to the hand-over to the driver, device from there.");
	write_histograms(w);
	write_folded(x, w->source);
	write_infos(w);
}

int metrics__cgroups(struct exposition *x, const struct metrics_source *source)
{
	struct work *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->x = x;
	w->source = source;
	w->series = cgroup_counts__series(source->counts, &w->count);
	write_all(w);
	free(w);
	return 0;
}
