// SPDX-License-Identifier: MIT
#include "commands/replay/cache_state.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/units.h"
#include "commands/shared/command.h"
#include "commands/replay/memory_group_watch.h"
#include "replay/target/page_cache.h"

/* The buffers of a replay alone take some 30 MB of it. */
#define MEMORY_MIN_BYTES (64ull << 20)

/* How often it is looked whether memory still holds what was read first. */
#define LOOK_EVERY_BYTES (16ull << 20)

/* The kernel may take some pages back at any time, as DAMON does; that alone is no lack of memory. */
#define LOST_BYTES (LOOK_EVERY_BYTES / 2)

static const char *const states[] = {"cold", "warm", "as-recorded"};

const char *replay_cache_usage(const struct replay_config *config)
{
	if (!config->buffered)
		return config->memory_bytes || config->cache != CACHE_NOT_SAID
			       ? "--cache and --memory need --files or --buffered"
			       : NULL;
	if (config->cache == CACHE_AS_RECORDED)
		return "--cache as-recorded needs --files: requests of a device are those that its "
		       "page cache missed, and say nothing of what was in it; say cold or warm";
	if (config->iopoll)
		return "--iopoll asks the device, and --buffered the page cache: leave one of them out";
	if (config->stamp.stamp || config->stamp.verify)
		return "--stamp and --verify are of what is on the target, not in the page cache: "
		       "leave --buffered out";
	if (config->memory_bytes && config->memory_bytes < MEMORY_MIN_BYTES)
		return "--memory: at least 64M with --buffered, of which the replay itself needs a "
		       "part";
	if (config->memory_bytes && config->output)
		return "--memory would limit the recorder of --output, too: leave --output out and "
		       "record from outside, 'blkreel record -d DEVICE -o FILE -- blkreel replay ...'";
	return NULL;
}

static int failed(const struct target *target, const char *what, int err)
{
	pr_err("%s: its page cache cannot be %s: %s", target__info(target)->path, what,
	       strerror(-err));
	return EXIT_FAILED;
}

/* Before ------------------------------------------------------------------------------------- */

static int look(const struct target *target, struct page_cache_state *state)
{
	return page_cache__look(target__fd(target), 0, target__info(target)->size_bytes, state);
}

/* A range, each page of it once. *full: memory does not hold what was read before. */
static int read_first(const struct target *target, const struct replay_io *io,
		      struct replay_buffered *b, uint64_t *look_at_bytes, bool *full)
{
	struct page_cache_state before = {0}, now;
	int err = page_cache__look(target__fd(target), io->offset_bytes, io->length_bytes, &before);

	if (!err)
		err = page_cache__read(target__fd(target), io->offset_bytes, io->length_bytes);
	if (!err)
		err = page_cache__look(target__fd(target), io->offset_bytes, io->length_bytes,
				       &now);
	if (err)
		return err;
	if (now.cached_bytes > before.cached_bytes)
		b->read_first_bytes += now.cached_bytes - before.cached_bytes;
	if (b->read_first_bytes < *look_at_bytes)
		return 0;
	*look_at_bytes = b->read_first_bytes + LOOK_EVERY_BYTES;
	err = look(target, &now);
	*full = !err && now.cached_bytes + LOST_BYTES < b->read_first_bytes;
	return err;
}

/* What the IOs of the lane touch, in their order, until memory is full. */
static int warm_lane(const struct replay_lane *lane, struct replay_buffered *b, bool *full)
{
	uint64_t look_at_bytes = b->read_first_bytes + LOOK_EVERY_BYTES;
	struct replay_chain chain;
	struct replay_io io;
	int code, err = 0;

	code = replay_chain_create(&chain, lane->input, &lane->plan.mapping, ENGINE_ASAP, 1, 0);
	while (!code && !*full && (err = replay_source__next(chain.top, &io)) > 0) {
		err = replay_op_has_data(io.op)
			      ? read_first(lane->target, &io, b, &look_at_bytes, full)
			      : 0;
		if (err)
			break;
	}
	replay_chain_free(&chain);
	return code || err >= 0 ? code : failed(lane->target, "warmed", err);
}

static int warm(const struct replay_lanes *lanes, const struct target *target,
		struct replay_buffered *b)
{
	bool full = false;
	int code = EXIT_OK;

	for (unsigned int i = 0; i < lanes->count && !code && !full; i++)
		if (lanes->items[i].target == target)
			code = warm_lane(&lanes->items[i], b, &full);
	page_cache__end_reading(target__fd(target));
	return code;
}

/* Of what was asked for and is not so. */
static void warn(const struct target *target, const struct replay_buffered *b, bool is_warm)
{
	const char *path = target__info(target)->path;
	char there[UNITS_TEXT_MAX], read[UNITS_TEXT_MAX];

	units_bytes(b->cached_bytes, there);
	units_bytes(b->read_first_bytes, read);
	if (!b->start_known)
		pr_warn("%s: the kernel does not say what of it is in the page cache: whether it "
			"is %s is not known",
			path, b->cache);
	else if (!is_warm && page_cache__is_the_disk(target__fd(target)))
		pr_warn("%s lies in memory itself (tmpfs): nothing of it can be cold; put it on a "
			"disk",
			path);
	else if (!is_warm && b->cached_bytes)
		pr_warn("%s: %s of it stay in the page cache, held by others (a file system, a "
			"mapping): it is not quite cold",
			path, there);
	else if (is_warm && b->cached_bytes < b->read_first_bytes - b->read_first_bytes / 32)
		pr_warn("%s: memory holds %s of the %s that were read first: it is not quite warm",
			path, there, read);
}

static int set_cache(const struct replay_config *config, const struct replay_lanes *lanes,
		     const struct target *target, struct replay_buffered *b)
{
	bool is_warm = config->cache == CACHE_WARM;
	struct page_cache_state state;
	int err, code = EXIT_OK;

	*b = (struct replay_buffered){.cache = states[is_warm],
				      .memory_bytes = config->memory_bytes,
				      .writes = target__info(target)->writes};
	/* Also before it is read: pages are charged to the control group that brings them. */
	err = page_cache__drop(target__fd(target), target__info(target)->block_device);
	if (err)
		return failed(target, "dropped", err);
	if (is_warm)
		code = warm(lanes, target, b);
	if (code)
		return code;
	b->start_known = !look(target, &state);
	b->cached_bytes = state.cached_bytes;
	warn(target, b, is_warm);
	return EXIT_OK;
}

int replay_cache_start(const struct replay_config *config, const struct replay_lanes *lanes,
		       struct replay_cache *cache)
{
	int code = EXIT_OK;

	cache->asked = config->buffered;
	if (!config->buffered)
		return EXIT_OK;
	if (config->memory_bytes)
		code = replay_group_enter(config->memory_bytes);
	for (unsigned int i = 0; i < lanes->target_count && !code; i++)
		code = set_cache(config, lanes, lanes->targets[i], &cache->targets[i]);
	return code;
}

/* After -------------------------------------------------------------------------------------- */

int replay_cache_end(struct replay_cache *cache, const struct replay_lanes *lanes)
{
	int code = EXIT_OK;

	for (unsigned int i = 0; i < lanes->target_count && cache->asked; i++) {
		const struct target *target = lanes->targets[i];
		struct replay_buffered *b = &cache->targets[i];
		struct page_cache_state state;
		uint64_t begun_ns;

		if (!b->writes)
			continue;
		b->end_known = !look(target, &state) && state.dirty_known;
		b->dirty_bytes = state.dirty_bytes;
		begun_ns = clock_ns(CLOCK_MONOTONIC);
		b->sync_error = fsync(target__fd(target)) ? errno : 0;
		b->sync_ns = clock_ns(CLOCK_MONOTONIC) - begun_ns;
		if (!b->sync_error)
			continue;
		pr_err("%s: what the replay wrote cannot be synced: %s", target__info(target)->path,
		       strerror(b->sync_error));
		code = EXIT_FAILED;
	}
	return code;
}

const struct replay_buffered *replay_cache_of(const struct replay_cache *cache,
					      const struct replay_lanes *lanes,
					      const struct replay_lane *lane)
{
	for (unsigned int i = 0; i < lanes->target_count && cache->asked; i++)
		if (lanes->targets[i] == lane->target)
			return &cache->targets[i];
	return NULL;
}
