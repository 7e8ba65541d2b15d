// SPDX-License-Identifier: MIT
#include "workload/page_cache/cache_model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "workload/page_cache/page_lists.h"
#include "workload/page_cache/page_numbers.h"
#include "workload/page_cache/page_set.h"
#include "workload/page_cache/readahead.h"

#define PAGE_BYTES     4096u
#define FILES_MAX      (1u << 22)
#define FILE_PAGES_MAX (1ull << 40)
#define ROW_PAGES_MAX  (1u << 19) /* no system call moves more than 2 GiB */
#define STREAMS	       8192u	  /* readers whose readahead is modelled at a time */
#define PIPE_PAGES     16u /* sendfile and copy_file_range read through a pipe of this size */

/*
 * After this many misses without readahead the model takes it as turned off, by advice or for the
 * device.
 */
#define MISSES_TO_JUDGE 16u

/* One open file; rows identify it by file and task. */
struct stream {
	uint32_t file, task;
	uint32_t misses; /* rows with misses */
	bool reads_ahead;
	uint64_t end_bytes; /* of its last read */
	struct readahead windows[CACHE_MODEL_SIZES];
};

struct file_state {
	uint64_t end; /* the known length, in pages */
	/* Pages that the recording read ahead and the model at the recorded size did not. */
	int64_t ahead_left;
};

struct cache_model {
	struct page_numbers numbers;
	struct page_set read; /* pages that were read, also if they have left the cache for good */
	uint8_t *is_known;    /* by number: touched, or read ahead at the recorded size */
	uint32_t known_size;
	uint32_t pages_max;
	unsigned int sample_bits;
	uint64_t capacity_pages[CACHE_MODEL_SIZES];
	struct page_lists *caches[CACHE_MODEL_SIZES];
	struct file_state *files;
	uint32_t files_size;
	struct stream *streams;
	struct cache_model_result result;
};

/* The state of one row. */
struct step {
	const struct access_row *row;
	struct stream *stream;
	uint64_t first, end; /* pages of the range */
	uint64_t window_max_pages;
	uint64_t unexplained[CACHE_MODEL_SIZES]; /* misses of the row on unknown pages */
	bool reads_ahead;
	bool was_read_ahead; /* a page that is an unexplained hit was read ahead */
};

void cache_model__free(struct cache_model *m)
{
	if (!m)
		return;
	page_numbers__release(&m->numbers);
	page_set__release(&m->read);
	for (unsigned int i = 0; i < CACHE_MODEL_SIZES; i++)
		page_lists__free(m->caches[i]);
	free(m->is_known);
	free(m->files);
	free(m->streams);
	free(m);
}

int cache_model__create(const uint64_t capacity_pages[CACHE_MODEL_SIZES], uint32_t pages_max,
			struct cache_model **model)
{
	struct cache_model *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return -ENOMEM;
	m->pages_max = pages_max;
	m->streams = calloc(STREAMS, sizeof(*m->streams));
	err = page_numbers__init(&m->numbers);
	if (!err)
		err = page_set__init(&m->read);
	for (unsigned int i = 0; !err && i < CACHE_MODEL_SIZES; i++) {
		m->capacity_pages[i] = capacity_pages[i];
		err = page_lists__create(capacity_pages[i], &m->caches[i]);
	}
	if (err || !m->streams) {
		cache_model__free(m);
		return -ENOMEM;
	}
	*model = m;
	return 0;
}

static uint64_t chunk_key(uint32_t file, uint64_t page)
{
	return page_key(file, page / CACHE_CHUNK_PAGES);
}

static bool is_sampled(const struct cache_model *m, uint32_t file, uint64_t page)
{
	uint64_t hash = block_hash(chunk_key(file, page) ^ 0x9e3779b97f4a7c15ull);

	return !(hash & ((1ull << m->sample_bits) - 1));
}

static void forget(struct cache_model *m, uint64_t key, uint32_t number)
{
	for (unsigned int i = 0; i < CACHE_MODEL_SIZES; i++)
		page_lists__forget(m->caches[i], number);
	m->is_known[number] = 0;
	page_numbers__drop(&m->numbers, key, number);
}

/* Walks the range, or all pages, whichever is shorter. */
static void forget_range(struct cache_model *m, uint32_t file, uint64_t first, uint64_t end)
{
	uint32_t number;

	if (end - first <= m->numbers.end) {
		for (uint64_t page = first; page < end; page++)
			if (page_numbers__find(&m->numbers, page_key(file, page), &number))
				forget(m, page_key(file, page), number);
		return;
	}
	for (number = 0; number < m->numbers.end; number++) {
		uint64_t key = m->numbers.keys[number];
		uint32_t found;

		if (key >= page_key(file, first) && key < page_key(file, end) &&
		    page_numbers__find(&m->numbers, key, &found) && found == number)
			forget(m, key, number);
	}
}

static bool keeps_piece(const void *model, uint64_t key)
{
	return is_sampled(model, (uint32_t)(key >> 40), key & (FILE_PAGES_MAX - 1));
}

static int halve(struct cache_model *m)
{
	m->sample_bits++;
	for (uint32_t number = 0; number < m->numbers.end; number++) {
		uint64_t key = m->numbers.keys[number];
		uint32_t found;

		if (page_numbers__find(&m->numbers, key, &found) && found == number &&
		    !is_sampled(m, (uint32_t)(key >> 40), key & (FILE_PAGES_MAX - 1)))
			forget(m, key, number);
	}
	for (unsigned int i = 0; i < CACHE_MODEL_SIZES; i++)
		page_lists__resize(m->caches[i], m->capacity_pages[i], m->sample_bits);
	return page_set__keep(&m->read, keeps_piece, m);
}

static int grow_known(struct cache_model *m)
{
	uint32_t size = m->numbers.allocated;
	uint8_t *known;
	int err = 0;

	for (unsigned int i = 0; !err && i < CACHE_MODEL_SIZES; i++)
		err = page_lists__grow(m->caches[i], m->numbers.end);
	if (err || size == m->known_size)
		return err;
	known = realloc(m->is_known, size);
	if (!known)
		return -ENOMEM;
	memset(known + m->known_size, 0, size - m->known_size);
	m->is_known = known;
	m->known_size = size;
	return 0;
}

static int number_of(struct cache_model *m, uint32_t file, uint64_t page, uint32_t *number)
{
	uint64_t key = page_key(file, page);
	int err;

	if (page_numbers__find(&m->numbers, key, number))
		return 0;
	err = page_numbers__assign(&m->numbers, key, number);
	return err ? err : grow_known(m);
}

static bool is_cached(const struct cache_model *m, unsigned int size, uint32_t file, uint64_t page)
{
	uint32_t number;

	return page_numbers__find(&m->numbers, page_key(file, page), &number) &&
	       page_lists__holds(m->caches[size], number);
}

static uint64_t cached_before(const struct cache_model *m, const struct step *s, unsigned int size,
			      uint64_t page)
{
	uint64_t pages = 0;

	while (pages < s->window_max_pages && pages < page &&
	       is_cached(m, size, s->row->file, page - pages - 1))
		pages++;
	return pages;
}

static uint64_t cached_after(const struct cache_model *m, const struct step *s, unsigned int size,
			     uint64_t page)
{
	uint64_t pages = 0;

	while (pages < s->window_max_pages && is_cached(m, size, s->row->file, page + pages + 1))
		pages++;
	return pages;
}

static bool is_in_range(const struct step *s, uint64_t page)
{
	return page >= s->first && page < s->end;
}

static int read_in(struct cache_model *m, struct step *s, unsigned int size, uint64_t page,
		   bool is_ahead)
{
	struct cache_model_counts *counts = &m->result.sizes[size];
	uint64_t weight = 1ull << m->sample_bits;
	uint32_t number;
	int err;

	if (!is_sampled(m, s->row->file, page))
		return 0;
	err = number_of(m, s->row->file, page, &number);
	if (err || page_lists__holds(m->caches[size], number))
		return err;
	page_lists__insert(m->caches[size], number);
	m->is_known[number] |= size == CACHE_MODEL_PRESENT;
	if (is_ahead && size == CACHE_MODEL_PRESENT)
		m->files[s->row->file].ahead_left -= (int64_t)weight;
	if (is_ahead)
		counts->readahead_pages += weight;
	else
		counts->missed_pages += weight;
	return 0;
}

static int read_window(struct cache_model *m, struct step *s, unsigned int size,
		       const struct readahead_window *w, bool is_ahead)
{
	uint64_t end = m->files[s->row->file].end, mark = w->start + w->pages - w->ahead_pages;
	uint32_t number;
	int err = 0;

	for (uint64_t page = w->start; page < w->start + w->pages && page < end && !err; page++) {
		bool was_cached = is_cached(m, size, s->row->file, page);

		err = read_in(m, s, size, page, is_ahead || !is_in_range(s, page));
		if (!err && w->ahead_pages && page == mark && !was_cached &&
		    page_numbers__find(&m->numbers, page_key(s->row->file, page), &number))
			page_lists__mark(m->caches[size], number);
	}
	return err;
}

/* A page fault reads the pages around it. */
static struct readahead_window window_around(const struct step *s, uint64_t page)
{
	uint64_t before = s->window_max_pages / 2;

	return (struct readahead_window){page < before ? 0 : page - before, s->window_max_pages, 0};
}

static int miss(struct cache_model *m, struct step *s, unsigned int size, uint64_t page)
{
	struct readahead *r = &s->stream->windows[size];
	uint64_t previous = s->stream->end_bytes / PAGE_BYTES;
	struct readahead_window w;
	bool is_ahead = false;
	int err = 0;

	if (s->reads_ahead && s->row->op == ACCESS_FAULT) {
		w = window_around(s, page);
		err = read_window(m, s, size, &w, false);
	} else if (s->reads_ahead) {
		w = readahead_miss(r, page, s->end - page, previous,
				   cached_before(m, s, size, page), s->window_max_pages);
		/* The window with this page began in a piece outside the sample. */
		is_ahead = m->sample_bits && page % CACHE_CHUNK_PAGES == 0 && page &&
			   page - previous <= 1;
		err = read_window(m, s, size, &w, is_ahead);
	}
	return err ? err : read_in(m, s, size, page, false);
}

static int hit_mark(struct cache_model *m, struct step *s, unsigned int size, uint64_t page)
{
	struct readahead_window w;

	if (!s->reads_ahead)
		return 0;
	w = readahead_continue(&s->stream->windows[size], page, s->end - page,
			       cached_after(m, s, size, page), s->window_max_pages);
	return read_window(m, s, size, &w, true);
}

/*
 * Whether a page that the model lacks was cached before the recording: no row has read it, and the
 * row counts no miss for it.
 */
static bool was_cached_before(struct step *s, unsigned int size, bool is_known)
{
	if (is_known)
		return false;
	if (!s->unexplained[size])
		return true;
	s->unexplained[size]--;
	return false;
}

/*
 * If the model's readahead differs from the kernel's, the row with the readahead counts these
 * pages.
 */
static void count_cached_before(struct cache_model *m, const struct step *s, unsigned int size)
{
	uint64_t weight = 1ull << m->sample_bits;

	if (s->was_read_ahead) {
		m->result.sizes[size].readahead_pages += weight;
		if (size == CACHE_MODEL_PRESENT)
			m->files[s->row->file].ahead_left -= (int64_t)weight;
	} else if (size == CACHE_MODEL_PRESENT) {
		m->result.cached_before_pages += weight;
	}
}

/* The rest of the page that a read ended in is no second access (filemap_read()). */
static bool is_same_access(const struct step *s, uint64_t page)
{
	return s->row->op != ACCESS_SPLICE && s->stream->end_bytes && page == s->first &&
	       page == (s->stream->end_bytes - 1) / PAGE_BYTES;
}

static int read_page(struct cache_model *m, struct step *s, unsigned int size, uint64_t page,
		     uint32_t number)
{
	struct page_lists *cache = m->caches[size];
	bool is_again = is_same_access(s, page);
	int err = 0;

	if (page_lists__holds(cache, number)) {
		if (page_lists__take_mark(cache, number))
			err = hit_mark(m, s, size, page);
	} else if (s->row->op == ACCESS_WRITE) {
		page_lists__insert(cache, number);
	} else if (was_cached_before(s, size, m->is_known[number])) {
		page_lists__insert(cache, number);
		count_cached_before(m, s, size);
	} else {
		err = miss(m, s, size, page);
	}
	if (!err && !is_again && s->row->op != ACCESS_WRITE && page_lists__holds(cache, number))
		page_lists__access(cache, number);
	return err;
}

static int count_distinct(struct cache_model *m, const struct step *s, uint64_t page)
{
	bool is_new = false;
	int err = 0;

	if (s->row->op != ACCESS_WRITE)
		err = page_set__add(&m->read, page_key(s->row->file, page), &is_new);
	m->result.distinct_pages += (uint64_t)is_new << m->sample_bits;
	return err;
}

static int touch_range(struct cache_model *m, struct step *s)
{
	uint32_t number;
	int err = 0;

	for (uint64_t page = s->first; page < s->end && !err; page++) {
		if (!is_sampled(m, s->row->file, page)) {
			page |= CACHE_CHUNK_PAGES - 1;
			continue;
		}
		err = number_of(m, s->row->file, page, &number);
		if (!err)
			err = count_distinct(m, s, page);
		s->was_read_ahead = m->files[s->row->file].ahead_left > 0;
		for (unsigned int i = 0; i < CACHE_MODEL_SIZES && !err; i++) {
			err = read_page(m, s, i, page, number);
		}
		if (!err)
			m->is_known[number] = 1;
	}
	return err;
}

static struct stream *stream_of(struct cache_model *m, const struct access_row *row)
{
	uint64_t hash = block_hash((uint64_t)row->file << 32 | row->task);
	struct stream *stream = &m->streams[hash % STREAMS];

	if (stream->file != row->file || stream->task != row->task)
		*stream = (struct stream){.file = row->file, .task = row->task};
	return stream;
}

static int note_file(struct cache_model *m, uint32_t file)
{
	uint32_t size = m->files_size ? m->files_size : 64;
	struct file_state *files;

	while (size <= file)
		size *= 2;
	if (size == m->files_size)
		return 0;
	files = realloc(m->files, size * sizeof(*files));
	if (!files)
		return -ENOMEM;
	memset(files + m->files_size, 0, (size - m->files_size) * sizeof(*files));
	m->files = files;
	m->files_size = size;
	return 0;
}

/* What a splice reads ahead for one of its pieces is mostly in the range of the next. */
static uint64_t read_beyond(const struct access_row *row)
{
	uint64_t inside = row->op == ACCESS_SPLICE ? row->hit_pages : 0;

	return row->readahead_pages > inside ? row->readahead_pages - inside : 0;
}

/*
 * Readahead must stop at the end of the file, which no row records. Pages that were read ahead
 * prove that the file reaches so far.
 */
static void note_end(struct cache_model *m, const struct step *s)
{
	uint64_t *end = &m->files[s->row->file].end, seen = s->end;

	if (s->row->readahead_pages && !s->row->miss_pages) {
		const struct readahead *now = &s->stream->windows[CACHE_MODEL_PRESENT];

		if (now->start + now->pages > seen)
			seen = now->start + now->pages;
	}
	if (s->row->readahead_pages < ROW_PAGES_MAX)
		seen += read_beyond(s->row);
	if (seen > *end)
		*end = seen;
}

static void count_read_ahead(struct cache_model *m, const struct access_row *row)
{
	m->result.recorded.readahead_pages += row->readahead_pages;
	if (row->readahead_pages <= ROW_PAGES_MAX)
		m->files[row->file].ahead_left += (int64_t)row->readahead_pages;
}

static void count_recorded(struct cache_model *m, const struct access_row *row)
{
	count_read_ahead(m, row);
	if (row->op == ACCESS_WRITE)
		return;
	m->result.recorded.read_pages += row->hit_pages + row->miss_pages;
	m->result.recorded.missed_pages += row->miss_pages;
}

/* A read requests its whole range at once, a splice as much as its pipe holds. */
static int touch_pieces(struct cache_model *m, struct step *s)
{
	uint64_t first = s->first, end = s->end, most = end - first;
	int err = 0;

	if (s->row->op == ACCESS_SPLICE)
		most = PIPE_PAGES;
	for (; first < end && !err; first = s->end) {
		s->first = first;
		s->end = end - first < most ? end : first + most;
		err = touch_range(m, s);
		if (s->row->op != ACCESS_WRITE)
			s->stream->end_bytes = s->end * PAGE_BYTES;
	}
	if (s->row->op != ACCESS_WRITE)
		s->stream->end_bytes = s->row->offset + s->row->bytes;
	return err;
}

static bool is_too_large(const struct cache_model *m)
{
	return (m->numbers.used > m->pages_max || m->read.count > m->pages_max) &&
	       m->sample_bits < 31;
}

static int touch(struct cache_model *m, struct step *s)
{
	const struct access_row *row = s->row;
	struct stream *stream = stream_of(m, row);
	int err;

	if (row->hit_pages + row->miss_pages != s->end - s->first)
		return 0;
	s->stream = stream;
	stream->misses += row->miss_pages > 0;
	stream->reads_ahead |= row->readahead_pages > 0;
	s->reads_ahead = stream->reads_ahead || stream->misses < MISSES_TO_JUDGE;
	for (unsigned int i = 0; i < CACHE_MODEL_SIZES; i++)
		s->unexplained[i] = row->miss_pages;
	note_end(m, s);
	count_recorded(m, row);
	err = touch_pieces(m, s);
	while (!err && is_too_large(m))
		err = halve(m);
	return err;
}

/* Takes the pages that were read in the recording as the range of the advice. */
static int read_advised(struct cache_model *m, struct step *s)
{
	struct readahead_window w = {.start = s->first, .pages = s->end - s->first};
	int err = 0;

	count_read_ahead(m, s->row);
	if (w.pages < s->row->readahead_pages || w.pages > ROW_PAGES_MAX)
		w.pages = s->row->readahead_pages;
	if (m->files[s->row->file].end < s->first + s->row->readahead_pages)
		m->files[s->row->file].end = s->first + s->row->readahead_pages;
	for (unsigned int i = 0; i < CACHE_MODEL_SIZES && !err; i++)
		err = read_window(m, s, i, &w, true);
	return err;
}

static void cut(struct cache_model *m, const struct access_row *row)
{
	uint64_t first = (row->offset + PAGE_BYTES - 1) / PAGE_BYTES, end = m->files[row->file].end;

	if (row->op != ACCESS_TRUNCATE || first >= end)
		return;
	forget_range(m, row->file, first, end);
	m->files[row->file].end = first;
}

int cache_model__add(struct cache_model *m, const struct access_row *row,
		     uint64_t readahead_max_pages)
{
	struct step s = {.row = row,
			 .first = row->offset / PAGE_BYTES,
			 .window_max_pages = readahead_max_pages};
	uint64_t pages = access_row_pages(row);
	int err;

	s.end = s.first + pages;
	if (!row->file || row->file >= FILES_MAX || s.end >= FILE_PAGES_MAX)
		return 0;
	err = note_file(m, row->file);
	if (err)
		return err;
	if (access_row_is_cached(row) && pages && pages <= ROW_PAGES_MAX)
		return touch(m, &s);
	if (row->op == ACCESS_ADVICE && row->readahead_pages <= ROW_PAGES_MAX)
		return read_advised(m, &s);
	if (row->op == ACCESS_INVALIDATE)
		forget_range(m, row->file, s.first, s.end);
	else
		cut(m, row);
	return 0;
}

void cache_model__result(const struct cache_model *m, struct cache_model_result *result)
{
	*result = m->result;
	/*
	 * The recorded total, not the sample's: the sample may hold or miss the few hottest pages
	 * (SHARDS-adj).
	 */
	for (unsigned int i = 0; i < CACHE_MODEL_SIZES; i++)
		result->sizes[i].read_pages = m->result.recorded.read_pages;
	result->sampled_one_in = 1u << m->sample_bits;
}
