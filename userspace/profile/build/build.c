// SPDX-License-Identifier: MIT
#include "profile/build/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profile/classes.h"
#include "profile/build/arrival.h"
#include "profile/arrival/class_counts.h"
#include "profile/build/closed.h"
#include "profile/build/streams.h"
#include "profile/weights.h"
#include "workload/lru/lru_stack.h"
#include "workload/figures/measure.h"
#include "workload/figures/mrc.h"
#include "workload/figures/recent_ends.h"

#define WEIGHT_SUM	  9999
#define SIZES_MATTER	  50	     /* of the bytes one in so many */
#define SAMPLE_BLOCKS_MAX (1u << 17) /* of a space that are followed */

/* What was touched in a space so far. */
struct space {
	struct lru_stack *stack;    /* of a sample of the blocks */
	unsigned int sample_shift;  /* one block in 2^sample_shift is followed */
	struct recent_ends ends[2]; /* of reads, of writes */
	uint64_t new_blocks[PROFILE_PHASES_MAX], new_written[PROFILE_PHASES_MAX];
	uint64_t distances[PROFILE_DISTANCES];
};

struct profile_builder {
	struct profile_extent extent;
	struct time_grid grid;
	struct profile_arrival sizes; /* only where large ones begin */
	struct arrival_builder *arrival;
	struct closed_builder *closed; /* NULL: nothing is known of it */
	struct space spaces[PROFILE_SPACES_MAX];
	struct stream_counts *previous;
	uint64_t ios;
	struct stream_kinds kinds;
};

void profile_builder__free(struct profile_builder *b)
{
	if (!b)
		return;
	arrival_builder__free(b->arrival);
	closed_builder__free(b->closed);
	for (uint32_t i = 0; i < PROFILE_SPACES_MAX; i++)
		lru_stack__free(b->spaces[i].stack);
	stream_kinds_release(&b->kinds);
	free(b);
}

static int create_spaces(struct profile_builder *b)
{
	int err = 0;

	for (uint32_t i = 0; i < b->extent.space_count && !err; i++) {
		err = lru_stack__create(&b->spaces[i].stack);
		if (!err)
			err = lru_stack__keep_marks(b->spaces[i].stack);
	}
	return err;
}

/* Two sizes of reads, and two of others, that divide the bytes into three parts, nearly. */
static void choose_sizes(const struct size_octaves *sizes,
			 uint64_t above_bytes[PROFILE_SIZE_CLASSES])
{
	const unsigned int parts = PROFILE_SIZE_CLASSES / 2 + 1;
	uint64_t all = sum_of_counts(sizes->bytes[0], SIZE_OCTAVES) +
		       sum_of_counts(sizes->bytes[1], SIZE_OCTAVES);

	memset(above_bytes, 0, PROFILE_SIZE_CLASSES * sizeof(*above_bytes));
	for (unsigned int op = 0; op < 2; op++) {
		uint64_t *above = above_bytes + (op ? 0 : PROFILE_SIZE_CLASSES / 2);
		uint64_t bytes = 0, sum = sum_of_counts(sizes->bytes[op], SIZE_OCTAVES);
		unsigned int chosen = 0;

		if (sum < all / SIZES_MATTER)
			continue;
		for (unsigned int o = 0; o + 1 < SIZE_OCTAVES && chosen + 1 < parts; o++) {
			uint64_t wanted = part_begin(sum, chosen + 1, parts), with;

			bytes += sizes->bytes[op][o];
			with = bytes + sizes->bytes[op][o + 1];
			/* The power of two that comes nearest, with something on either side. */
			if (bytes < sum / SIZES_MATTER || sum - bytes < sum / SIZES_MATTER ||
			    (with < wanted ||
			     with - wanted < (wanted > bytes ? wanted - bytes : 0)))
				continue;
			above[chosen++] = 1ull << o;
		}
	}
}

int profile_builder__create(const struct profile_extent *extent, struct profile_builder **builder)
{
	struct profile_builder *b;
	uint64_t above_bytes[PROFILE_SIZE_CLASSES];

	if (extent->ios > PROFILE_IOS_MAX || extent->duration_ns > PROFILE_DURATION_MAX ||
	    extent->end_sector > PROFILE_BYTES_MAX / SECTOR_BYTES ||
	    extent->device_bytes > PROFILE_BYTES_MAX)
		return -ERANGE;
	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->extent = *extent;
	if (!extent->space_count) {
		b->extent.space_count = 1;
		b->extent.spaces[0].first_sector = extent->first_sector;
		b->extent.spaces[0].end_sector = extent->end_sector;
	}
	choose_sizes(&extent->sizes, above_bytes);
	for (unsigned int i = 0; i < PROFILE_SIZE_CLASSES; i++)
		b->sizes.size_classes[i].above_bytes = above_bytes[i];
	b->grid = time_grid_for(extent->ios, extent->duration_ns, extent->window_shift);
	if (arrival_builder__create(extent->ios, extent->duration_ns, b->grid, above_bytes,
				    &b->arrival) ||
	    create_spaces(b)) {
		profile_builder__free(b);
		return -ENOMEM;
	}
	*builder = b;
	return 0;
}

static bool is_journal(const struct trace_task *task)
{
	static const char *const names[] = {"jbd2/", "xfsaild/", "btrfs-transacti", "f2fs_ckpt"};

	for (size_t i = 0; task && task->kernel_thread && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(task->comm, names[i], strlen(names[i])))
			return true;
	return false;
}

static enum submitter submitter_of(const struct io_row *row, const struct trace_task *task)
{
	if (is_journal(task))
		return SUBMITTER_JOURNAL;
	if (row->origin == IO_ORIGIN_DIRECT)
		return SUBMITTER_DIRECT;
	if (row->origin == IO_ORIGIN_BLOCKDEV || (row->flags & IO_META))
		return SUBMITTER_METADATA;
	if (row->origin == IO_ORIGIN_FILE)
		return row->op == IO_OP_READ ? SUBMITTER_FILE : SUBMITTER_WRITEBACK;
	return SUBMITTER_OTHER;
}

/* What the addresses of a read or write say, before its blocks are touched. */
struct address_facts {
	unsigned int reuse;
	bool by_other_op; /* the other op, a read or a write, touched it last */
	int rank;	  /* of the run that it continues; -1: none */
	uint64_t first, count;
	uint32_t weight; /* requests that it stands for in the sample; 0: not in it */
};

static struct address_facts look_up(const struct profile_builder *b, const struct space *space,
				    const struct io_row *row)
{
	struct address_facts facts = {.rank = -1};
	uint64_t distance, block;

	if (!workload_blocks(row, b->extent.block_offset_sectors, &facts.first, &facts.count))
		return facts;
	facts.rank = recent_ends_rank(&space->ends[row->op == IO_OP_WRITE], row->sector);
	block = facts.first + (facts.rank >= 0 && reuse_is_of_second(b->extent.block_offset_sectors,
								     row->sector, facts.count));
	facts.weight = mrc_is_sampled(block, space->sample_shift) ? 1u << space->sample_shift : 0;
	if (facts.weight && lru_stack__find(space->stack, block, &distance))
		facts.reuse = reuse_octave(distance << space->sample_shift);
	facts.by_other_op = facts.reuse &&
			    lru_stack__find_marked(space->stack, block) != (row->op == IO_OP_WRITE);
	return facts;
}

static bool still_sampled(uint64_t block, void *context)
{
	const struct space *space = context;

	return mrc_is_sampled(block, space->sample_shift);
}

static int touch(struct space *space, const struct io_row *row, const struct address_facts *facts,
		 uint32_t phase)
{
	uint64_t distance;
	int err = 0;

	if (!facts->count)
		return 0;
	recent_ends_follow(&space->ends[row->op == IO_OP_WRITE], facts->rank, row->sector,
			   row->bytes, 0);
	lru_stack__mark(space->stack, row->op == IO_OP_WRITE);
	for (uint64_t i = 0; i < facts->count && !err; i++) {
		uint64_t weight = 1ull << space->sample_shift;

		if (!mrc_is_sampled(facts->first + i, space->sample_shift))
			continue;
		err = lru_stack__touch(space->stack, facts->first + i, &distance);
		space->distances[distance == LRU_COLD
					 ? 0
					 : distance_column(distance << space->sample_shift)] +=
			weight;
		space->new_blocks[phase] += distance == LRU_COLD ? weight : 0;
		if (distance == LRU_COLD && row->op == IO_OP_WRITE)
			space->new_written[phase] += weight;
	}
	while (!err && lru_stack__blocks(space->stack) > SAMPLE_BLOCKS_MAX) {
		space->sample_shift++;
		err = lru_stack__filter(space->stack, still_sampled, space);
	}
	return err;
}

/* Power of two of sectors that a start is a multiple of. */
static unsigned int alignment(const struct profile_builder *b, uint64_t sector)
{
	uint64_t at = sector - b->extent.block_offset_sectors;

	return at ? at_most((unsigned int)__builtin_ctzll(at), PROFILE_ALIGNMENTS - 1)
		  : PROFILE_ALIGNMENTS - 1;
}

/* A start on a new block: how far from the nearest recent end of the op, and whose that is. */
static void count_near(const struct recent_ends *ends, struct stream_counts *kind, uint64_t sector,
		       uint64_t weight)
{
	uint64_t least = UINT64_MAX;
	unsigned int nearest = 0;

	for (unsigned int i = 0; i < ends->count; i++) {
		uint64_t end = ends->ends[i], apart = sector > end ? sector - end : end - sector;

		if (apart >= least)
			continue;
		least = apart;
		nearest = i;
	}
	if (least == UINT64_MAX || bits_of(least / BLOCK_SECTORS) > PROFILE_RUN_DISTANCE_OCTAVES) {
		kind->run_distance[0] += weight;
		return;
	}
	kind->run_distance[run_distance_column(sector > ends->ends[nearest],
					       least / BLOCK_SECTORS)] += weight;
	kind->run_recency[run_recency_column(nearest)] += weight;
}

/* How a request lies on the blocks. */
static void count_fit(const struct profile_builder *b, struct stream_counts *kind,
		      const struct io_row *row, const struct address_facts *facts)
{
	uint64_t blocks = (row->bytes + PAGE_BYTES - 1) / PAGE_BYTES;
	uint64_t sectors = (row->bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
	unsigned int size = reuse_size(blocks);

	kind->placed[size]++;
	kind->straddles[size] += facts->count > blocks;
	if (sectors % BLOCK_SECTORS == 0)
		return;
	kind->broken[size]++;
	kind->block_ends[size] +=
		(row->sector + sectors - b->extent.block_offset_sectors) % BLOCK_SECTORS == 0;
}

static void count_other_op(struct stream_counts *kind, const struct address_facts *facts)
{
	unsigned int age = reuse_age(facts->reuse);

	if (!facts->reuse)
		return;
	kind->again[age] += facts->weight;
	kind->by_other_op[age] += facts->by_other_op ? facts->weight : 0;
}

static void count_address(const struct profile_builder *b, uint32_t space,
			  struct stream_counts *kind, const struct io_row *row,
			  const struct address_facts *facts)
{
	uint64_t first_sector = b->extent.spaces[space].first_sector;
	uint64_t sectors = b->extent.spaces[space].end_sector - first_sector;

	if (facts->count) {
		kind->reuse[reuse_size(facts->count)][facts->reuse] += facts->weight;
		count_other_op(kind, facts);
		if (!b->extent.files)
			count_fit(b, kind, row, facts);
	}
	if (facts->rank < 0 && row->bytes)
		kind->aligned[alignment(b, row->sector)]++;
	if (facts->rank >= 0)
		kind->run_recency[run_recency_column((unsigned int)facts->rank)]++;
	else if (row->bytes && !facts->reuse && row->sector >= first_sector) {
		uint64_t zone = part_of(sectors, row->sector - first_sector, PROFILE_ZONES);

		kind->zones[zone] += facts->count ? facts->weight : 1;
	}
	if (b->extent.files && facts->rank < 0 && facts->count) {
		kind->starts++;
		kind->begins += file_layout_is_begin(b->extent.files, row->sector);
	}
	if (facts->rank < 0 && facts->weight && !facts->reuse)
		count_near(&b->spaces[space].ends[row->op == IO_OP_WRITE], kind, row->sector,
			   facts->weight);
}

int profile_builder__add(struct profile_builder *b, const struct io_row *row,
			 const struct trace_task *task, const struct io_wait *waited)
{
	return profile_builder__add_as(b, row, submitter_of(row, task), 0, waited);
}

int profile_builder__add_as(struct profile_builder *b, const struct io_row *row,
			    enum submitter submitter, uint32_t space, const struct io_wait *waited)
{
	struct space *in = &b->spaces[space];
	struct address_facts facts;
	struct stream_counts *kind;
	uint32_t index, window, phase;
	int err;

	if (!io_row_is_request(row) || row->op >= IO_OP_COUNT)
		return 0;
	facts = look_up(b, in, row);
	index = stream_kinds_find(&b->kinds, row, submitter, facts.rank >= 0, space);
	window = arrival_builder__add(b->arrival, row->created_ns, row->op == IO_OP_READ,
				      size_class(&b->sizes, row->op == IO_OP_READ, row->bytes));
	phase = (uint32_t)part_begin(b->grid.phases, window, b->grid.windows);
	kind = stream_kinds_in(&b->kinds, index, phase);
	if (!kind)
		return -ENOMEM;
	b->ios++;
	kind->ios++;
	kind->phases[phase]++;
	if (b->previous)
		b->previous->next[index]++;
	b->previous = kind;
	count_address(b, space, kind, row, &facts);
	err = size_table_add(&kind->sizes, row->bytes, 1) ?: touch(in, row, &facts, phase);
	if (err || !waited)
		return err;
	if (!b->closed)
		err = closed_builder__create(b->extent.duration_ns, b->grid.phases, &b->closed);
	return err ? err : closed_builder__add(b->closed, row, index, waited);
}

/* Only where reads and writes both touch blocks first. */
static void fill_written(const struct space *from, struct profile_space *to)
{
	uint64_t all = sum_of_counts(from->new_blocks, PROFILE_PHASES_MAX);
	uint64_t written = sum_of_counts(from->new_written, PROFILE_PHASES_MAX);

	for (unsigned int i = 0; i < PROFILE_PHASES_MAX; i++)
		if (from->new_blocks[i])
			to->written_permille[i] = (uint32_t)part_begin(1000, from->new_written[i],
								       from->new_blocks[i]);
	to->written_known = written && written < all;
}

static void finish_spaces(const struct profile_builder *b, struct profile *p)
{
	for (uint32_t i = 0; i < b->extent.space_count; i++) {
		const struct space *from = &b->spaces[i];
		struct profile_space *to = &p->spaces[i];

		if (b->extent.space_count > 1) {
			to->first_sector = b->extent.spaces[i].first_sector;
			to->end_sector = b->extent.spaces[i].end_sector;
		}
		memcpy(to->new_blocks, from->new_blocks, sizeof(to->new_blocks));
		fill_written(from, to);
		weights_from_counts(from->distances, PROFILE_DISTANCES, WEIGHT_SUM, to->distances);
	}
}

int profile_builder__finish(struct profile_builder *b, struct profile **profile)
{
	uint32_t kind_of[PROFILE_STREAMS_MAX] = {0}, became[STREAM_KINDS_MAX] = {0};
	struct profile *p = calloc(1, sizeof(*p));
	int err = 0;

	if (!p)
		return -ENOMEM;
	p->ios = b->ios;
	p->duration_ns = b->extent.duration_ns;
	p->device_bytes = b->extent.device_bytes;
	p->first_sector = b->extent.first_sector;
	p->end_sector = b->extent.end_sector;
	p->block_offset_sectors = b->extent.block_offset_sectors;
	p->seed = 1;
	if (p->ios) {
		p->phase_count = b->grid.phases;
		err = arrival_builder__finish(b->arrival, &p->arrival);
		finish_spaces(b, p);
	}
	if (!err)
		err = stream_kinds_finish(&b->kinds, p, kind_of, became);
	if (err) {
		profile__free(p);
		return err;
	}
	if (b->closed)
		closed_builder__finish(b->closed, became, kind_of, p, &p->closed);
	*profile = p;
	return 0;
}
