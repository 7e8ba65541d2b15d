// SPDX-License-Identifier: MIT
#include "collector/recording/head.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/version.h"
#include "collector/kernel/capabilities.h"

#define TIERS_MAX 64

struct recording_head {
	struct trace_host host;
	/* Their texts are static, but for `filter`. */
	struct trace_tier tiers[TIERS_MAX];
	unsigned int tier_count;
	char filter[TRACE_PATH_MAX], without[TRACE_PATH_MAX];
};

static void fill_host(struct trace_host *host, const struct recording_options *options)
{
	struct utsname uts;

	uname(&uts);
	snprintf(host->tool, sizeof(host->tool), "blkreel %s", BLKREEL_VERSION);
	snprintf(host->hostname, sizeof(host->hostname), "%s", uts.nodename);
	snprintf(host->kernel, sizeof(host->kernel), "%s", uts.release);
	snprintf(host->machine, sizeof(host->machine), "%.31s", uts.machine);
	if (options->command)
		snprintf(host->command, sizeof(host->command), "%s", options->command);
	if (options->replay_mode)
		snprintf(host->replay_mode, sizeof(host->replay_mode), "%s", options->replay_mode);
	host->replay_generated = options->replay_generated;
	host->resolution_ns = options->resolution_ns ? options->resolution_ns : 1;
}

static void add_tier(const struct trace_tier *tier, void *context)
{
	struct recording_head *head = context;

	if (head->tier_count < TIERS_MAX)
		head->tiers[head->tier_count++] = *tier;
}

static void append_text(char *text, size_t bytes, const char *between, const char *part)
{
	size_t used = strlen(text);

	snprintf(text + used, bytes - used, "%s%s", used ? between : "", part);
}

/* "process 12 in cgroup /a: read, write"; "" without a filter. */
static void describe_filter(const struct recording_options *options, char *text, size_t bytes)
{
	char part[TRACE_PATH_MAX], ops[256] = "";

	text[0] = '\0';
	if (options->pid) {
		snprintf(part, sizeof(part), "process %u", options->pid);
		append_text(text, bytes, "", part);
	}
	if (options->cgroup_path) {
		snprintf(part, sizeof(part), "cgroup %s", options->cgroup_path);
		append_text(text, bytes, " in ", part);
	}
	for (unsigned int op = 0; op < IO_OP_COUNT; op++)
		if (options->ops >> op & 1)
			append_text(ops, sizeof(ops), ", ", io_op_name((enum io_op)op));
	if (ops[0])
		append_text(text, bytes, ": ", ops);
}

static void add_filter(const struct recording_options *options, struct recording_head *head)
{
	struct trace_tier tier = {
		.figure = TRACE_TIER_FILTER,
		.how = head->filter,
		.quality = "exact",
		.note = "requests of others are not recorded, but the kernel's counters include them; later writeback for a process is charged to its cgroup, not to the process",
	};

	describe_filter(options, head->filter, sizeof(head->filter));
	if (head->filter[0])
		add_tier(&tier, head);
}

/* Reclaim runs in whichever task needs memory, and in kswapd. */
static void bound_evictions(struct recording_head *head)
{
	for (unsigned int i = 0; i < head->tier_count; i++) {
		struct trace_tier *tier = &head->tiers[i];

		if (strcmp(tier->figure, "cache_evicted") || strcmp(tier->quality, "exact"))
			continue;
		tier->quality = "bounded";
		tier->note =
			"pages evicted by the recorded processes; what kswapd and others evict is not counted";
	}
}

static void add_without(const struct recording_options *options, struct recording_head *head)
{
	struct trace_tier tier = {
		.figure = TRACE_TIER_WITHOUT,
		.how = head->without,
		.quality = "exact",
		.note = "the replay left out the IOs of these parties; compare leaves them out of the other trace",
	};

	if (!options->without || !*options->without)
		return;
	snprintf(head->without, sizeof(head->without), "%s", options->without);
	add_tier(&tier, head);
}

int recording_head__create(const struct recording_options *options, unsigned int parts,
			   struct recording_head **head)
{
	*head = calloc(1, sizeof(**head));
	if (!*head)
		return -ENOMEM;
	fill_host(&(*head)->host, options);
	capabilities__each_tier(parts, add_tier, *head);
	if (options->pid || options->cgroup_path)
		bound_evictions(*head);
	add_filter(options, *head);
	add_without(options, *head);
	return 0;
}

void recording_head__free(struct recording_head *head)
{
	free(head);
}

void recording_head__host(const struct recording_head *head, struct trace_host *host)
{
	*host = head->host;
	host->start_ns = clock_ns(CLOCK_MONOTONIC);
	host->start_wall_ns = clock_ns(CLOCK_REALTIME);
}

int recording_head__add_tiers(const struct recording_head *head, struct trace_writer *writer)
{
	int err = 0;

	for (unsigned int i = 0; i < head->tier_count && !err; i++)
		err = trace_writer__add_tier(writer, &head->tiers[i]);
	return err;
}
