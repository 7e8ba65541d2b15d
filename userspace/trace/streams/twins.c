// SPDX-License-Identifier: MIT
#include "trace/streams/twins.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "trace/row_time.h"
#include "trace/streams/entries.h"

/* The clocks of one boot differ by what NTP moved the wall clock between the starts of the traces. */
#define SAME_BOOT_NS NSEC_PER_SEC

/* Twins come about at the same time; their order differs by how late a row is in its file. */
#define TABLE_ROWS  (1u << 18)
#define TABLE_SLOTS (2 * TABLE_ROWS)

#define ALONE_SHARE 10 /* of the IOs in a time that is shared */

/* A file of a rotation ends while the next one begins, with other IOs: about a millisecond. */
#define SEAM_NS (100 * NSEC_PER_MSEC)

struct entry {
	uint64_t hash; /* 0: free */
	uint64_t seen; /* in which traces, as bits */
};

struct twins {
	const struct trace_reader *readers[TWINS_MAX];
	uint64_t mates[TWINS_MAX];   /* traces of the same boot, as bits */
	uint64_t matched[TWINS_MAX]; /* IOs that another trace holds, too */
	uint64_t alone[TWINS_MAX];   /* IOs while a mate went on, without a twin so far */
	uint64_t ios;
	/* The older of the two makes room when the newer is full. NULL: not needed so far. */
	struct entry *newer, *older;
	uint32_t in_newer;
};

static bool is_same_boot(const struct trace_reader *first, const struct trace_reader *second)
{
	const struct trace_host *a = trace_reader__host(first), *b = trace_reader__host(second);
	uint64_t clock_a, clock_b;

	if (strcmp(a->hostname, b->hostname) != 0 || strcmp(a->kernel, b->kernel) != 0 ||
	    a->start_wall_ns <= a->start_ns || b->start_wall_ns <= b->start_ns)
		return false;
	clock_a = a->start_wall_ns - a->start_ns;
	clock_b = b->start_wall_ns - b->start_ns;
	return (clock_a > clock_b ? clock_a - clock_b : clock_b - clock_a) <= SAME_BOOT_NS;
}

int twins__create(struct trace_reader *const *readers, unsigned int count, struct twins **twins)
{
	struct twins *t = calloc(1, sizeof(*t));
	bool any = false;

	if (!t)
		return -ENOMEM;
	for (unsigned int a = 0; a < count; a++) {
		t->readers[a] = readers[a];
		for (unsigned int b = 0; b < count; b++) {
			if (a == b || !is_same_boot(readers[a], readers[b]))
				continue;
			t->mates[a] |= 1ull << b;
			any = true;
		}
	}
	*twins = any ? t : NULL;
	if (!any)
		free(t);
	return 0;
}

void twins__free(struct twins *t)
{
	if (!t)
		return;
	free(t->newer);
	free(t->older);
	free(t);
}

/* Hashes ------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 32;
}

/* Ids are of one trace: what they stand for counts. */
static uint64_t mix_entry(uint64_t hash, enum entry_table table, const struct trace_reader *r,
			  uint32_t id)
{
	struct entry_identity identity;
	uint64_t words[sizeof(identity) / sizeof(uint64_t)];

	if (!id || !entry_identify(table, r, id, &identity))
		return mix(hash, 0);
	/* A name that one recording missed can be known in the other. */
	if (table == ENTRY_FILES && identity.number)
		identity.path_hash = 0;
	memcpy(words, &identity, sizeof(words));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		hash = mix(hash, words[i]);
	return hash;
}

static uint64_t hash_io(uint64_t hash, const struct trace_reader *r, const struct io_row *row)
{
	hash = mix(hash, row->created_ns);
	hash = mix(hash, row->inserted_ns);
	hash = mix(hash, row->issued_ns);
	hash = mix(hash, row->completed_ns);
	hash = mix(hash, row->sector);
	hash = mix(hash, row->bytes);
	hash = mix(hash, row->op);
	return mix_entry(hash, ENTRY_DEVICES, r, row->device);
}

/* The length of an interval is cut where a file begins. */
static uint64_t hash_cache(uint64_t hash, const struct trace_reader *r, const struct cache_row *row)
{
	uint64_t counts[(sizeof(*row) - offsetof(struct cache_row, reads)) / sizeof(uint64_t)];

	memcpy(counts, (const char *)row + offsetof(struct cache_row, reads), sizeof(counts));
	hash = mix(hash, row->time_ns);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		hash = mix(hash, counts[i]);
	hash = mix_entry(hash, ENTRY_CGROUPS, r, row->cgroup);
	hash = mix_entry(hash, ENTRY_FILES, r, row->file);
	return mix_entry(hash, ENTRY_TASKS, r, row->task);
}

static uint64_t hash_tick(uint64_t hash, const struct trace_reader *r, const struct tick_row *row)
{
	hash = mix(hash, row->time_ns);
	for (unsigned int op = 0; op < TICK_OP_COUNT; op++) {
		hash = mix(hash, row->ios[op]);
		hash = mix(hash, row->sectors[op]);
	}
	return mix_entry(hash, ENTRY_DEVICES, r, row->device);
}

static uint64_t hash_hist(uint64_t hash, const struct trace_reader *r, const struct hist_row *row)
{
	hash = mix(hash, row->time_ns);
	hash = mix(hash, row->low);
	hash = mix(hash, row->count);
	hash = mix(hash, (uint64_t)row->op << 8 | row->figure);
	return mix_entry(hash, ENTRY_DEVICES, r, row->device);
}

static uint64_t hash_access(uint64_t hash, const struct trace_reader *r,
			    const struct access_row *row)
{
	hash = mix(hash, row->time_ns);
	hash = mix(hash, row->duration_ns);
	hash = mix(hash, row->offset);
	hash = mix(hash, row->bytes);
	hash = mix(hash, row->op);
	hash = mix_entry(hash, ENTRY_FILES, r, row->file);
	return mix_entry(hash, ENTRY_TASKS, r, row->task);
}

/* The interval of a task is cut where a copy begins. */
static uint64_t hash_wait(uint64_t hash, const struct trace_reader *r, const struct wait_row *row)
{
	hash = mix(hash, row->time_ns);
	hash = mix(hash, row->what == WAIT_TASK ? 0 : row->duration_ns);
	hash = mix(hash, row->call_ns);
	hash = mix(hash, row->low);
	hash = mix(hash, row->count);
	hash = mix(hash, (uint64_t)row->what << 8 | row->call);
	return mix_entry(hash, ENTRY_TASKS, r, row->task);
}

static uint64_t hash_loss(uint64_t hash, const struct loss_row *row)
{
	hash = mix(hash, row->from_ns);
	hash = mix(hash, row->to_ns);
	hash = mix(hash, row->count);
	return mix(hash, row->class);
}

static uint64_t hash_row(const struct trace_reader *r, enum row_kind kind, const void *row)
{
	uint64_t hash = mix(0, kind + 1);

	if (kind == ROW_IO)
		hash = hash_io(hash, r, row);
	else if (kind == ROW_CACHE)
		hash = hash_cache(hash, r, row);
	else if (kind == ROW_TICK)
		hash = hash_tick(hash, r, row);
	else if (kind == ROW_HIST)
		hash = hash_hist(hash, r, row);
	else if (kind == ROW_ACCESS)
		hash = hash_access(hash, r, row);
	else if (kind == ROW_WAIT)
		hash = hash_wait(hash, r, row);
	else
		hash = hash_loss(hash, row);
	return hash ? hash : 1;
}

/* The table ---------------------------------------------------------------------------------- */

/* An entry of that hash that `source` has not seen; NULL: none. */
static struct entry *find(struct entry *table, uint64_t hash, unsigned int source)
{
	for (uint32_t at = hash % TABLE_SLOTS; table[at].hash; at = (at + 1) % TABLE_SLOTS)
		if (table[at].hash == hash && !(table[at].seen >> source & 1))
			return &table[at];
	return NULL;
}

static int make_tables(struct twins *t)
{
	t->newer = calloc(TABLE_SLOTS, sizeof(*t->newer));
	t->older = calloc(TABLE_SLOTS, sizeof(*t->older));
	return t->newer && t->older ? 0 : -ENOMEM;
}

static void turn_tables(struct twins *t)
{
	struct entry *full = t->newer;

	t->newer = t->older;
	t->older = full;
	t->in_newer = 0;
	memset(t->newer, 0, TABLE_SLOTS * sizeof(*t->newer));
}

static int add(struct twins *t, uint64_t hash, unsigned int source)
{
	uint32_t at = hash % TABLE_SLOTS;

	if (!t->older && make_tables(t))
		return -ENOMEM;
	if (t->in_newer == TABLE_ROWS)
		turn_tables(t);
	while (t->newer[at].hash)
		at = (at + 1) % TABLE_SLOTS;
	t->newer[at] = (struct entry){.hash = hash, .seen = 1ull << source};
	t->in_newer++;
	return 0;
}

static void count_match(struct twins *t, const struct entry *entry, unsigned int source)
{
	unsigned int first = (unsigned int)__builtin_ctzll(entry->seen);

	t->ios++;
	t->matched[source]++;
	if (entry->seen & (entry->seen - 1))
		return;
	t->alone[first]--;
	t->matched[first]++;
}

/* Whether a trace of the same boot that has more rows had begun by the end of this row. */
static bool may_have_twin(const struct twins *t, unsigned int source, uint64_t going,
			  enum row_kind kind, const void *row)
{
	uint64_t mates = t->mates[source] & going, end_ns = row_end_ns(kind, row);

	for (; mates; mates &= mates - 1)
		if (trace_reader__host(t->readers[__builtin_ctzll(mates)])->start_ns <= end_ns)
			return true;
	return false;
}

int twins__has(struct twins *t, unsigned int source, uint64_t going, enum row_kind kind,
	       const void *row)
{
	bool may_follow;
	uint64_t hash;
	struct entry *entry = NULL;

	if (!t || !t->mates[source])
		return 0;
	may_follow = may_have_twin(t, source, going, kind, row);
	if (!may_follow && !t->older)
		return 0;
	hash = hash_row(t->readers[source], kind, row);
	if (t->older)
		entry = find(t->newer, hash, source) ?: find(t->older, hash, source);
	if (entry) {
		if (kind == ROW_IO)
			count_match(t, entry, source);
		entry->seen |= 1ull << source;
		return 1;
	}
	if (!may_follow)
		return 0;
	t->alone[source] += kind == ROW_IO;
	return add(t, hash, source);
}

uint64_t twins__ios(const struct twins *t)
{
	return t ? t->ios : 0;
}

bool twins__is_alone(const struct twins *t, unsigned int source)
{
	return t && t->alone[source] &&
	       t->alone[source] * ALONE_SHARE > t->alone[source] + t->matched[source];
}

/* Time that is shared ------------------------------------------------------------------------- */

/* Whether IOs of its time are missing. A copy of a time alone ("from 1 s to 2 s") has all of that time. */
static bool leaves_out(const struct trace_reader *r)
{
	const struct trace_tier *tier;

	for (uint32_t i = 0; (tier = trace_reader__tier(r, i)); i++)
		if (!strcmp(tier->figure, TRACE_TIER_FILTER) &&
		    strncmp(tier->how, "from ", strlen("from ")))
			return true;
	return false;
}

static bool has_device(const struct trace_reader *r, const struct entry_identity *wanted)
{
	struct entry_identity identity;

	for (uint32_t id = 1; id <= trace_reader__devices(r); id++)
		if (entry_identify(ENTRY_DEVICES, r, id, &identity) &&
		    !memcmp(&identity, wanted, sizeof(identity)))
			return true;
	return false;
}

static bool share_device(const struct trace_reader *a, const struct trace_reader *b)
{
	struct entry_identity identity;

	for (uint32_t id = 1; id <= trace_reader__devices(a); id++)
		if (entry_identify(ENTRY_DEVICES, a, id, &identity) && has_device(b, &identity))
			return true;
	return false;
}

static uint64_t end_ns(const struct trace_reader *r)
{
	const struct trace_summary *summary = trace_reader__summary(r);

	return summary ? summary->stop_ns : trace_reader__host(r)->start_ns;
}

uint64_t twins_shared_ns(const struct trace_reader *a, const struct trace_reader *b)
{
	uint64_t from_ns = trace_reader__host(a)->start_ns, to_ns = end_ns(a);

	if (!is_same_boot(a, b) || (leaves_out(a) && leaves_out(b)) || !share_device(a, b))
		return 0;
	if (trace_reader__host(b)->start_ns > from_ns)
		from_ns = trace_reader__host(b)->start_ns;
	if (end_ns(b) < to_ns)
		to_ns = end_ns(b);
	return to_ns > from_ns + SEAM_NS ? to_ns - from_ns : 0;
}
