#include "collector/recording_head.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/units.h"
#include "base/version.h"
#include "collector/capabilities.h"

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

void recording_head__fill(struct trace_host *host, const struct recording_options *options)
{
	struct utsname uts;

	memset(host, 0, sizeof(*host));
	uname(&uts);
	snprintf(host->tool, sizeof(host->tool), "blkreel %s", BLKREEL_VERSION);
	snprintf(host->hostname, sizeof(host->hostname), "%s", uts.nodename);
	snprintf(host->kernel, sizeof(host->kernel), "%s", uts.release);
	snprintf(host->machine, sizeof(host->machine), "%.31s", uts.machine);
	if (options->command)
		snprintf(host->command, sizeof(host->command), "%s", options->command);
	host->resolution_ns = options->resolution_ns ? options->resolution_ns : 1;
	host->start_ns = clock_ns(CLOCK_MONOTONIC);
	host->start_wall_ns = clock_ns(CLOCK_REALTIME);
}

struct tiers {
	struct trace_writer *writer;
	int err;
};

static void add_tier(const struct trace_tier *tier, void *context)
{
	struct tiers *tiers = context;

	if (!tiers->err)
		tiers->err = trace_writer__add_tier(tiers->writer, tier);
}

static void add_words(char *text, size_t bytes, const char *between, const char *words)
{
	size_t used = strlen(text);

	snprintf(text + used, bytes - used, "%s%s", used ? between : "", words);
}

/* "process 12 in cgroup /a, only read, write"; "" when there is no filter. */
static void describe_filter(const struct recording_options *options, char *text, size_t bytes)
{
	char words[TRACE_PATH_MAX], ops[256] = "";

	text[0] = '\0';
	if (options->pid) {
		snprintf(words, sizeof(words), "process %u", options->pid);
		add_words(text, bytes, "", words);
	}
	if (options->cgroup_path) {
		snprintf(words, sizeof(words), "cgroup %s", options->cgroup_path);
		add_words(text, bytes, " in ", words);
	}
	for (unsigned int op = 0; op < IO_OP_COUNT; op++)
		if (options->ops >> op & 1)
			add_words(ops, sizeof(ops), ", ", io_op_name((enum io_op)op));
	if (ops[0])
		add_words(text, bytes, ": ", ops);
}

static void add_filter(const struct recording_options *options, struct tiers *tiers)
{
	char how[TRACE_PATH_MAX];
	struct trace_tier tier = {
		.figure = TRACE_TIER_FILTER,
		.how = how,
		.quality = "exact",
		.note = "the requests of others are not recorded, the kernel's counters include "
			"them; writes that the kernel does later for a process are charged to its "
			"cgroup, not to the process",
	};

	describe_filter(options, how, sizeof(how));
	if (!how[0])
		return;
	add_tier(&tier, tiers);
}

int recording_head__add_tiers(const struct recording_options *options, unsigned int parts,
			      struct trace_writer *writer)
{
	struct tiers tiers = {.writer = writer};

	capabilities__each_tier(parts, add_tier, &tiers);
	add_filter(options, &tiers);
	return tiers.err;
}
