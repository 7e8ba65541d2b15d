// SPDX-License-Identifier: MIT
#include "replay/session/cache_state.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/units.h"
#include "replay/files/tree.h"
#include "replay/session/memory_group_watch.h"
#include "replay/target/page_cache.h"

/* How often to check that memory still holds what was read first. */
#define LOOK_EVERY_BYTES (16ull << 20)

/*
 * The kernel may evict some pages at any time, as DAMON does; that alone does not mean that memory
 * is full.
 */
#define LOST_BYTES (LOOK_EVERY_BYTES / 2)

static const char *const states[] = {"cold", "warm"};

static int failed(const struct target *target, const char *what, int err, struct failure *failure)
{
	return failure_add_errno(failure, err, "%s: its page cache cannot be %s",
				 target__info(target)->path, what);
}

/* Before ------------------------------------------------------------------------------------- */

static int look(const struct target *target, struct page_cache_state *state)
{
	return page_cache__look(target__fd(target), 0, target__info(target)->size_bytes, state);
}

/* Reads a range, each page once. *full: memory does not hold everything that was read. */
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

/* Reads what the IOs of the job touch, in their order, until memory is full. */
static int warm_job(const struct replay_job *job, struct replay_buffered *b, bool *full,
		    struct failure *failure)
{
	uint64_t look_at_bytes = b->read_first_bytes + LOOK_EVERY_BYTES;
	struct replay_chain chain;
	struct replay_io io;
	int err;

	err = replay_chain_create(&chain, job->input, &job->plan.mapping, ENGINE_ASAP, 1, 0,
				  failure);
	if (err)
		goto out;
	while (!*full && (err = replay_source__next(chain.top, &io)) > 0) {
		err = replay_op_has_data(io.op)
			      ? read_first(job->target, &io, b, &look_at_bytes, full)
			      : 0;
		if (err)
			break;
	}
	if (err < 0)
		failed(job->target, "warmed", err, failure);
out:
	replay_chain_free(&chain);
	return err < 0 ? -1 : 0;
}

static int warm(const struct replay_jobs *jobs, const struct target *target,
		struct replay_buffered *b, struct failure *failure)
{
	bool full = false;
	int err = 0;

	for (unsigned int i = 0; i < jobs->count && !err && !full; i++)
		if (jobs->items[i].target == target)
			err = warm_job(&jobs->items[i], b, &full, failure);
	page_cache__end_reading(target__fd(target));
	return err;
}

/* Warns if the cache is not in the state that was asked for. */
static void warn(const struct target *target, const struct replay_buffered *b, bool is_warm)
{
	const char *path = target__info(target)->path;
	char there[UNITS_TEXT_MAX], read[UNITS_TEXT_MAX];

	units_bytes(b->cached_bytes, there);
	units_bytes(b->read_first_bytes, read);
	if (!b->start_known)
		pr_warn("%s: the kernel does not tell what is in the page cache: whether the "
			"target is %s is not known",
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

static int set_cache(const struct replay_options *options, const struct replay_jobs *jobs,
		     const struct target *target, struct replay_buffered *b,
		     struct failure *failure)
{
	bool is_warm = options->cache == FILE_CACHE_WARM;
	struct page_cache_state state;
	int err;

	*b = (struct replay_buffered){.cache = states[is_warm],
				      .memory_bytes = options->memory_bytes,
				      .writes = target__info(target)->writes};
	/* Also before warming: pages are charged to the control group that reads them. */
	err = page_cache__drop(target__fd(target), target__info(target)->block_device);
	if (err)
		return failed(target, "dropped", err, failure);
	if (is_warm && warm(jobs, target, b, failure))
		return -1;
	b->start_known = !look(target, &state);
	b->cached_bytes = state.cached_bytes;
	warn(target, b, is_warm);
	return 0;
}

int replay_cache_start(const struct replay_options *options, const struct replay_jobs *jobs,
		       struct replay_cache *cache, struct failure *failure)
{
	int err = 0;

	cache->asked = options->buffered;
	if (!options->buffered)
		return 0;
	if (options->memory_bytes)
		err = replay_memory_group_enter(options->memory_bytes, failure);
	for (unsigned int i = 0; i < jobs->target_count && !err; i++)
		err = set_cache(options, jobs, jobs->targets[i], &cache->targets[i], failure);
	return err;
}

/* After -------------------------------------------------------------------------------------- */

static int sync_target(const struct target *target, struct replay_buffered *b,
		       struct failure *failure)
{
	struct page_cache_state state;
	uint64_t begun_ns;

	b->end_known = !look(target, &state) && state.dirty_known;
	b->dirty_bytes = state.dirty_bytes;
	begun_ns = clock_ns(CLOCK_MONOTONIC);
	b->sync_error = fsync(target__fd(target)) ? errno : 0;
	b->sync_ns = clock_ns(CLOCK_MONOTONIC) - begun_ns;
	if (!b->sync_error)
		return 0;
	return failure_add_errno(failure, b->sync_error,
				 "%s: what the replay wrote cannot be synced",
				 target__info(target)->path);
}

int replay_cache_end(struct replay_cache *cache, const struct replay_jobs *jobs,
		     struct failure *failure)
{
	int err = 0;

	for (unsigned int i = 0; i < jobs->target_count && cache->asked; i++)
		if (cache->targets[i].writes)
			err |= sync_target(jobs->targets[i], &cache->targets[i], failure);
	return err;
}

const struct replay_buffered *replay_cache_of(const struct replay_cache *cache,
					      const struct replay_jobs *jobs,
					      const struct replay_job *job)
{
	for (unsigned int i = 0; i < jobs->target_count && cache->asked; i++)
		if (jobs->targets[i] == job->target)
			return &cache->targets[i];
	return NULL;
}
