// SPDX-License-Identifier: MIT
/* Findings about the page cache: each is caused by a workload made for it, and not by its opposite. */
#include "unit/explain/recordings.h"

static void cold_and_warm_caches_are_found(void)
{
	struct recording r = plain;

	r.cache = cache_of(2560, 1204, 0, 0, 0);
	CHECK_FOUND(&r, "cache-cold", "1,204 of 2,560 pages read (47 %)");
	CHECK_FOUND(&r, "cache-cold", "400 device reads of file pages took 40 ms");
	CHECK_FOUND(&r, "cache-cold", "/srv/a");
	CHECK_ABSENT(&r, "mostly-hits");
	r.cache = cache_of(2560, 20, 0, 0, 0);
	CHECK_FOUND(&r, "mostly-hits", "2,540 of 2,560 pages read (99.2 %)");
	CHECK_ABSENT(&r, "cache-cold");
	r.cache = cache_of(2560, 20, 2540, 2540, 0); /* hits, but the device brought them all */
	CHECK_ABSENT(&r, "mostly-hits");
	r.cache = cache_of(2560, 20, 0, 0, 0);
	r.device_ns = 400 * US; /* few, but they took 172 ms of a second */
	CHECK_ABSENT(&r, "mostly-hits");
	r.device_ns = plain.device_ns;
	r.cache = cache_of(100, 100, 0, 0, 0); /* too little to judge */
	CHECK_ABSENT(&r, "cache-cold");
}

static void who_dropped_the_cache_is_found(void)
{
	struct recording r = plain;

	/* Each of 100 blocks is read again and again, and nothing was evicted for want of memory. */
	r.ios = "2000 reads 100us apart in turn at 4 places";
	r.cache = cache_of(2000, 2000, 0, 0, 0);
	r.cache.deleted_pages = 1900;
	CHECK_FOUND(&r, "dropped-and-read-again",
		    "mysqld (pid 100) dropped 1,900 pages (7.4 MiB) of /srv/a");
	CHECK_ADVICE(&r, "dropped-and-read-again", "Let mysqld keep what it has read");
	CHECK_ADVICE(&r, "cache-cold", "See what mysqld drops");
	r.cache.evicted_pages = 1900; /* for want of memory */
	CHECK_ABSENT(&r, "dropped-and-read-again");
	CHECK_FOUND(&r, "thrashing", "1,900 pages");
	r.cache.evicted_pages = 0;
	r.ios = "2000 reads 100us apart in sequence"; /* nothing is read again */
	CHECK_ABSENT(&r, "dropped-and-read-again");
}

/* Of the pages that left the cache, memory pressure took 300 of 2,300, then half. */
static void evicted_and_dropped_pages_share_what_was_read_again(void)
{
	struct recording r = plain;

	r.ios = "2000 reads 100us apart in turn at 4 places";
	r.cache = cache_of(2000, 2000, 0, 0, 0);
	r.cache.deleted_pages = 2300;
	r.cache.evicted_pages = 300;
	CHECK_ABSENT(&r, "thrashing");
	CHECK_ADVICE(&r, "dropped-and-read-again", "More memory does not help");
	r.cache.deleted_pages = 2000;
	r.cache.evicted_pages = 1000;
	CHECK_FOUND(&r, "thrashing", "1,000 pages");
	CHECK_ADVICE(&r, "dropped-and-read-again", "about 3.9 MiB less would be read");
	CHECK_TEXT(title_of(&r, "dropped-and-read-again"),
		   "mysqld dropped cached pages: about 3.9 MiB were read from the device again");
	CHECK(!strstr(advice_of(&r, "dropped-and-read-again"), "More memory"));
}

static void writes_with_o_direct_drop_cached_pages(void)
{
	struct recording r = plain;

	r.ios = "2000 reads 100us apart in turn at 4 places";
	r.cache = cache_of(2000, 2000, 0, 0, 0);
	r.cache.deleted_pages = 1900;
	r.cache.direct_write_bytes = 1900 * 4096;
	CHECK_FOUND(&r, "dropped-and-read-again", "mysqld (pid 100) dropped 1,900 pages");
	CHECK_ADVICE(&r, "dropped-and-read-again", "Writes with O_DIRECT remove the cached pages");
	CHECK_ADVICE(&r, "dropped-and-read-again", "let mysqld write through the page cache");
}

static void into_other_file(struct io_row *row, uint32_t i)
{
	row->file = i < 500 ? 1 : 2;
	row->sector += i < 500 ? 1 << 20 : 0;
}

/* mysqld deletes a file that was read once; another file is read again and again. */
static void a_file_that_is_not_read_again_has_no_dropper(void)
{
	struct recording r = plain;

	r.ios = "500 reads 100us apart in sequence, 1500 reads 100us apart in turn at 4 places";
	r.change = into_other_file;
	r.cache = cache_of(500, 500, 0, 0, 0);
	r.cache.deleted_pages = 500;
	CHECK_ABSENT(&r, "dropped-and-read-again");
}

/* As dd iflag=nocache count=0, and as a shell that writes to drop_caches. */
static void who_drops_what_others_read_is_told_how(void)
{
	struct recording r = plain;

	r.ios = "2000 reads 100us apart in turn at 4 places";
	r.cache = cache_of(0, 2000, 0, 0, 0);
	r.cache.reads = 1;
	r.cache.deleted_pages = 1900;
	CHECK_ADVICE(&r, "dropped-and-read-again",
		     "mysqld dropped pages that it did not read itself: by posix_fadvise DONTNEED");
	CHECK_ADVICE(&r, "dropped-and-read-again", "Remove that call: ");
}

/* DAMON reclaims what nobody used for a while, however much memory is free. */
static void pages_that_damon_reclaims_do_not_prove_that_memory_is_short(void)
{
	struct recording r = plain;

	r.ios = "2000 reads 100us apart in turn at 4 places";
	r.cache = cache_of(2000, 2000, 0, 0, 0);
	r.cache.evicted_pages = r.cache.deleted_pages = 1900;
	CHECK_FOUND(&r, "thrashing", "1,900 pages (7.4 MiB) were reclaimed because memory was");
	r.cache.task = 77;
	CHECK_ABSENT(&r, "thrashing");
}

static void advice_fits_what_was_read(void)
{
	struct recording r = plain;

	r.cache = cache_of(2560, 2500, 0, 0, 0);
	CHECK_ADVICE(&r, "cache-cold", "Each page was read about once: no cache can help");
	r.queue_ns = 0;
	r.device_ns = 900 * US;
	CHECK_ADVICE(&r, "device-dominates", "larger IOs, or a faster device, can.");
	r.cache = cache_of(5000, 2500, 0, 0, 0);
	CHECK_ADVICE(&r, "device-dominates", "larger IOs, a cache or a faster device can.");
	CHECK_ADVICE(&r, "cache-cold", "read them once before the load");
}

static void wasted_readahead_is_found(void)
{
	struct recording r = plain;

	r.cache = cache_of(5000, 0, 1000, 600, 250);
	CHECK_FOUND(&r, "readahead-wasted", "250 of 1,000 pages brought by readahead (25 %");
	r.cache = cache_of(5000, 0, 1000, 990, 10);
	CHECK_ABSENT(&r, "readahead-wasted");
	r.cache = cache_of(5000, 0, 100, 0, 100);
	CHECK_ABSENT(&r, "readahead-wasted");
}

int main(void)
{
	RUN(cold_and_warm_caches_are_found);
	RUN(who_dropped_the_cache_is_found);
	RUN(evicted_and_dropped_pages_share_what_was_read_again);
	RUN(writes_with_o_direct_drop_cached_pages);
	RUN(a_file_that_is_not_read_again_has_no_dropper);
	RUN(who_drops_what_others_read_is_told_how);
	RUN(pages_that_damon_reclaims_do_not_prove_that_memory_is_short);
	RUN(advice_fits_what_was_read);
	RUN(wasted_readahead_is_found);
	return TEST_RESULT;
}
