// SPDX-License-Identifier: MIT
#include "trace/repair/contents.h"
#include "trace/row_time.h"

static void note_time(struct trace_contents *c, uint64_t time_ns)
{
	if (time_ns > c->last_ns)
		c->last_ns = time_ns;
}

static void add_loss(struct trace_contents *c, const struct loss_row *row)
{
	c->lost[row->class] += row->count;
	c->lost_total += row->count;
	note_time(c, row->to_ns);
}

static void add_block(struct trace_contents *c, const struct row_block *block)
{
	for (uint32_t i = 0; i < block->rows; i++) {
		switch (block->kind) {
		case ROW_IO:
			note_time(c, block->io[i].completed_ns);
			break;
		case ROW_CACHE:
			note_time(c, block->cache[i].time_ns);
			break;
		case ROW_TICK:
			note_time(c, block->tick[i].time_ns);
			break;
		case ROW_HIST:
			note_time(c, block->hist[i].time_ns);
			break;
		case ROW_LOSS:
			add_loss(c, &block->loss[i]);
			break;
		case ROW_ACCESS:
			note_time(c, row_end_ns(ROW_ACCESS, &block->access[i]));
			break;
		case ROW_WAIT:
			note_time(c, row_end_ns(ROW_WAIT, &block->wait[i]));
			break;
		case ROW_KIND_COUNT:
			break;
		}
	}
}

int trace_contents__read(struct trace_contents *c, struct trace_reader *reader)
{
	struct row_block block;
	int err;

	while ((err = trace_reader__next(reader, (1u << ROW_KIND_COUNT) - 1, &block)) == 1)
		add_block(c, &block);
	return err;
}

/* Without a summary (the recorder was killed) the last row marks the end. */
uint64_t trace_contents__duration_ns(const struct trace_contents *c)
{
	const struct trace_summary *summary = trace_reader__summary(c->reader);
	uint64_t start_ns = trace_reader__host(c->reader)->start_ns;
	uint64_t stop_ns = summary ? summary->stop_ns : c->last_ns;

	return stop_ns > start_ns ? stop_ns - start_ns : 0;
}
double trace_contents__bytes_per_io(const struct trace_contents *c)
{
	uint64_t rows = trace_reader__rows(c->reader, ROW_IO);

	return rows ? (double)trace_reader__file_bytes(c->reader) / (double)rows : 0;
}
