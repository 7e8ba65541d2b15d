// SPDX-License-Identifier: MIT
#include "render/metrics/exemplars.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABEL	       "recording"
#define CHARACTERS_MAX 128 /* of OpenMetrics: of the names and values of all labels */

struct exemplar {
	char device[TRACE_NAME_MAX], op[TRACE_NAME_MAX];
	/* A character of a name may need two bytes as a label. */
	char labels[2 * 4 * CHARACTERS_MAX];
	uint64_t latency_ns, end_wall_ns;
};

struct exemplars {
	uint64_t added;
	struct exemplar list[EXEMPLARS_MAX]; /* the newest at added - 1, modulo its length */
};

struct exemplars *exemplars__new(void)
{
	return calloc(1, sizeof(struct exemplars));
}

void exemplars__free(struct exemplars *e)
{
	free(e);
}

/* Of UTF-8; a backslash of a label and what it escapes are one. */
static unsigned int characters(const char *label)
{
	unsigned int count = 0;

	for (; *label; label++) {
		if (*label == '\\' && label[1])
			label++;
		count += ((unsigned char)*label & 0xc0) != 0x80;
	}
	return count;
}

/* With =, and the two quotes. */
static bool set_labels(char *labels, size_t size, const char *file)
{
	labels[0] = '\0';
	exposition_label(labels, size, LABEL, file);
	return *labels && characters(labels) - 3 <= CHARACTERS_MAX;
}

static bool end_of(const struct trace_host *host, uint64_t *wall_ns)
{
	uint64_t after_ns = host->trigger_end_ns - host->start_ns;

	*wall_ns = host->start_wall_ns + after_ns;
	return host->trigger_end_ns >= host->start_ns && *wall_ns >= after_ns;
}

bool exemplars__add(struct exemplars *e, const char *file, const struct trace_host *host,
		    uint64_t since_ns, uint64_t now_ns)
{
	struct exemplar new = {.latency_ns = host->trigger_latency_ns};

	if (!host->trigger_latency_ns || !end_of(host, &new.end_wall_ns) ||
	    new.end_wall_ns < since_ns || new.end_wall_ns > now_ns ||
	    !set_labels(new.labels, sizeof(new.labels), file))
		return false;
	snprintf(new.device, sizeof(new.device), "%s", host->trigger_device);
	snprintf(new.op, sizeof(new.op), "%s", host->trigger_op);
	e->list[e->added++ % EXEMPLARS_MAX] = new;
	return true;
}

/* Up to 2^(first_bits + i) ns, the last one of all others. */
static unsigned int bucket_of(uint64_t latency_ns, unsigned int buckets, unsigned int first_bits)
{
	unsigned int bucket = 0;

	while (bucket + 1 < buckets && latency_ns >= 1ull << (first_bits + bucket))
		bucket++;
	return bucket;
}

unsigned int exemplars__find(const struct exemplars *e, const char *device, const char *op,
			     unsigned int buckets, unsigned int first_bits,
			     struct exposition_exemplar found[EXPOSITION_BUCKETS_MAX])
{
	uint64_t kept = e->added < EXEMPLARS_MAX ? e->added : EXEMPLARS_MAX, seen = 0;
	unsigned int count = 0;

	for (uint64_t i = 0; i < kept; i++) {
		const struct exemplar *one = &e->list[(e->added - 1 - i) % EXEMPLARS_MAX];
		unsigned int bucket = bucket_of(one->latency_ns, buckets, first_bits);

		if (strcmp(one->device, device) || strcmp(one->op, op) || seen >> bucket & 1)
			continue;
		seen |= 1ull << bucket;
		found[count++] = (struct exposition_exemplar){bucket, one->labels, one->latency_ns,
							      one->end_wall_ns};
	}
	return count;
}
