/* SPDX-License-Identifier: MIT */
/*
 * Writes metrics as OpenMetrics 1.0, or as the older text format of Prometheus, which node_exporter
 * reads from files. Numbers are exact decimals; labels are valid UTF-8 and different for different
 * names, whatever bytes these have.
 */
#ifndef BLKREEL_RENDER_METRICS_EXPOSITION_H
#define BLKREEL_RENDER_METRICS_EXPOSITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum exposition_format {
	EXPOSITION_OPENMETRICS, /* application/openmetrics-text; version=1.0.0 */
	EXPOSITION_TEXT,	/* text/plain; version=0.0.4 */
};

enum metric_type {
	METRIC_COUNTER, /* samples end in _total */
	METRIC_GAUGE,
	METRIC_HISTOGRAM,
	METRIC_INFO, /* samples end in _info */
};

#define EXPOSITION_BYTES       65536
#define EXPOSITION_BUCKETS_MAX 64
#define EXPOSITION_BOUND_MAX   32

struct exposition_exemplar;

struct exposition {
	enum exposition_format format;
	/* Receives the text in pieces; a result but 0 ends the writing. */
	int (*sink)(const char *text, size_t bytes, void *context);
	void *context;
	int error;
	const char *name; /* of the family being written */
	enum metric_type type;
	/* Ends of the buckets of the last histogram. */
	char bounds[EXPOSITION_BUCKETS_MAX][EXPOSITION_BOUND_MAX];
	size_t bound_bytes[EXPOSITION_BUCKETS_MAX];
	unsigned int bound_count, first_bits;
	const struct exposition_exemplar *exemplars; /* of the next histogram */
	unsigned int exemplar_count;
	size_t used;
	char text[EXPOSITION_BYTES];
};

/* `name` ends with the unit, if there is one ("_seconds", "_bytes"), and never with _total; it and
 * `help`, one line without backslash, must stay valid until the next family. */
void exposition__family(struct exposition *x, const char *name, enum metric_type type,
			const char *unit, const char *help);

/*
 * One sample of the family. `labels` is "" or text made by exposition_label(). Times are ns and are
 * written as seconds.
 */
void exposition__value(struct exposition *x, const char *labels, uint64_t value);
void exposition__seconds(struct exposition *x, const char *labels, uint64_t time_ns);

/* A value that is told of one bucket; OpenMetrics alone has these. */
struct exposition_exemplar {
	unsigned int bucket;
	const char *labels;	    /* made by exposition_label(); at most 128 characters */
	uint64_t value_ns, time_ns; /* CLOCK_REALTIME */
};

/* Exemplars of the next histogram, which must stay valid until it is written. One that counts
 * nothing has none. */
void exposition__exemplars(struct exposition *x, const struct exposition_exemplar *exemplars,
			   unsigned int count);

/* One histogram: counts[i] values up to 2^(first_bits + i) ns, the last one of all others; their
 * sum in ns. At most EXPOSITION_BUCKETS_MAX buckets. */
void exposition__histogram(struct exposition *x, const char *labels, const uint64_t *counts,
			   unsigned int buckets, unsigned int first_bits, uint64_t sum_ns);

/* Writes the end. 0, or what the sink returned. */
int exposition__end(struct exposition *x);

/* Appends name="value" to the labels in `labels`, which has `size` bytes and begins as ""; a value
 * that is "" or does not fit is left out. */
void exposition_label(char *labels, size_t size, const char *name, const char *value);

#endif
