// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "exchange/events/block_devices.h"
#include "exchange/events/block_events.h"
#include "exchange/events/block_table.h"

/* Remaps whose bio was not seen yet; each bio follows directly. */
#define REMAPS_MAX 4096u
/* Requests to search for that of a zone append's completion. */
#define APPENDS_MAX 256u
/* The kind of an empty write that only flushes: it has a completion, but no request. */
#define KIND_EMPTY_WRITE IO_OP_COUNT

struct block_events {
	struct foreign_source *source;
	struct block_devices *devices;
	struct block_table *bios;     /* queued, in no request yet */
	struct block_table *requests; /* issued */
	struct block_table *remaps;   /* from a device above that is also traced */
	struct io_row row;	      /* completed */
	bool has_row;
	bool ending;
	int end_err;
	uint64_t now_ns;
};

struct block_events *block_events__new(struct foreign_source *source)
{
	struct block_events *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->source = source;
	b->devices = block_devices__new(source->names);
	b->bios = block_table__new();
	b->requests = block_table__new();
	b->remaps = block_table__new();
	if (!b->devices || !b->bios || !b->requests || !b->remaps) {
		block_events__free(b);
		return NULL;
	}
	return b;
}

void block_events__free(struct block_events *b)
{
	if (!b)
		return;
	block_devices__free(b->devices);
	block_table__free(b->bios);
	block_table__free(b->requests);
	block_table__free(b->remaps);
	free(b);
}

static uint32_t kind_of(const struct block_event *event)
{
	return event->op == IO_OP_WRITE && !event->bytes ? KIND_EMPTY_WRITE : event->op;
}

/* Without data the sector has no meaning, and text omits it. */
static bool has_place(uint32_t kind)
{
	return kind != KIND_EMPTY_WRITE && kind != IO_OP_FLUSH && kind != IO_OP_PASSTHROUGH;
}

static uint64_t end_sector(const struct block_io *io)
{
	return io->row.sector + io->row.bytes / SECTOR_BYTES;
}

static struct block_io io_of_event(const struct block_device *device,
				   const struct block_event *event)
{
	struct block_io io = {.kind = kind_of(event)};

	io.row.device = device->id;
	io.row.sector = has_place(io.kind) ? event->sector : 0;
	io.row.bytes = event->bytes;
	io.row.op = event->op;
	io.row.flags = event->flags;
	io.row.cpu = event->cpu;
	io.row.task = event->task;
	io.first_sector = io.row.sector;
	io.whole_bytes = event->bytes;
	return io;
}

static void set_row(struct block_events *b, const struct block_io *io)
{
	if (io->lower && b->source->options->one_layer) {
		foreign_leave_out(b->source, LEFT_OUT_LOWER);
		return;
	}
	b->row = io->row;
	b->row.sector = io->first_sector;
	b->row.bytes = io->whole_bytes;
	b->has_row = true;
}

/* Splits the part from `sector` on off `io`. */
static struct block_io *cut(struct block_table *t, struct block_io *io, uint64_t sector)
{
	struct block_io second = *io, *added;

	second.row.sector = second.first_sector = sector;
	second.row.bytes = (end_sector(io) - sector) * SECTOR_BYTES;
	second.whole_bytes = second.row.bytes;
	second.emitted = second.counted = false;
	added = block_table__add(t, &second);
	if (!added)
		return NULL;
	io->row.bytes -= second.row.bytes;
	io->whole_bytes = io->row.bytes;
	if (io->emitted)
		block_table__mark_emitted(t, added);
	return added;
}

/* Adds a bio to a request. */
static void add_bio(struct block_io *request, const struct block_io *bio, bool first)
{
	struct io_row *row = &request->row;

	if (first || (bio->row.created_ns < row->created_ns)) {
		row->created_ns = bio->row.created_ns;
		row->task = bio->row.task;
		row->cpu = bio->row.cpu;
	}
	/* The kernel's flush machinery removes these flags before the issue. */
	row->flags |= bio->row.flags & (IO_PREFLUSH | IO_FUA);
	row->merges += !first;
	request->lower = bio->lower && (first || request->lower);
	request->emitted |= bio->emitted;
	request->counted |= bio->counted;
}

/*
 * Adds the bios between `sector` and `end` to the request. Splits a bio that reaches beyond the
 * end. Returns the count; -1: no memory.
 */
static int take_bios(struct block_events *b, struct block_io *request, uint64_t sector,
		     uint64_t end, bool first)
{
	int taken = 0;

	while (sector < end || !taken) {
		struct block_io *bio =
			block_table__find(b->bios, request->row.device, request->kind, sector,
					  (end - sector) * SECTOR_BYTES, NULL);

		if (!bio && sector < end && !taken) {
			bio = block_table__find_around(b->bios, request->row.device, request->kind,
						       sector);
			bio = bio ? cut(b->bios, bio, sector) : NULL;
		}
		if (!bio)
			break;
		if (sector < end && end_sector(bio) > end && !cut(b->bios, bio, end))
			return -1;
		add_bio(request, bio, first && !taken);
		taken++;
		sector = end_sector(bio);
		block_table__remove(b->bios, bio);
	}
	return taken;
}

static uint64_t event_end(const struct block_io *io, const struct block_event *event)
{
	return io->row.sector + (has_place(io->kind) ? event->bytes / SECTOR_BYTES : 0);
}

/* Whether a remap from a traced device above produced the bio at `sector`. */
static bool take_remap(struct block_events *b, uint32_t device, uint32_t kind, uint64_t sector)
{
	struct block_io *remap =
		block_table__find(b->remaps, device, kind, sector, UINT64_MAX, NULL);

	if (!remap)
		return false;
	if (remap->row.task != device)
		block_devices__stack(b->devices, remap->row.task, device);
	block_table__remove(b->remaps, remap);
	return true;
}

static int queue(struct block_events *b, struct block_device *device,
		 const struct block_event *event)
{
	struct block_io bio = io_of_event(device, event);

	device->queues = true;
	bio.row.created_ns = event->time_ns;
	bio.lower = take_remap(b, device->id, bio.kind, bio.row.sector);
	return block_table__add(b->bios, &bio) ? 0 : -ENOMEM;
}

/* A remap within a disk (of a partition) keeps the fields of the bio before it. */
static int remap(struct block_events *b, struct block_device *device,
		 const struct block_event *event)
{
	const struct block_device *from = block_devices__find(b->devices, event->other_device);
	struct block_io mark = io_of_event(device, event), *before;

	before = block_table__find(b->remaps, device->id, mark.kind, event->other_sector,
				   UINT64_MAX, NULL);
	if (before && before->row.sector == event->sector)
		return 0;
	if (before)
		mark.row.task = before->row.task;
	else if (from && from->queues && from != device)
		mark.row.task = from->id; /* of the device above */
	else
		return 0;
	if (before)
		block_table__remove(b->remaps, before);
	if (block_table__count(b->remaps) >= REMAPS_MAX)
		block_table__remove(b->remaps, block_table__oldest(b->remaps));
	return block_table__add(b->remaps, &mark) ? 0 : -ENOMEM;
}

static int split(struct block_events *b, struct block_device *device,
		 const struct block_event *event)
{
	struct block_io *bio =
		block_table__find(b->bios, device->id, kind_of(event), event->sector, 0, NULL);

	if (!bio || event->other_sector <= event->sector || event->other_sector >= end_sector(bio))
		return 0;
	return cut(b->bios, bio, event->other_sector) ? 0 : -ENOMEM;
}

static void merge(struct block_events *b, struct block_device *device,
		  const struct block_event *event)
{
	struct block_io *bio = block_table__find(b->bios, device->id, kind_of(event), event->sector,
						 event->bytes, NULL);

	if (bio)
		bio->merged = true;
}

static bool was_handed_back(const struct block_io *io)
{
	return !io->at_driver && !io->emitted;
}

static bool is_at_driver(const struct block_io *io)
{
	return io->at_driver;
}

/* A request is issued again; meanwhile bios may have been merged into it. */
static int issue_again(struct block_events *b, struct block_device *device,
		       struct block_io *request, const struct block_event *event)
{
	uint64_t end = event_end(request, event), had_end = end_sector(request);

	request->at_driver = true;
	device->at_driver++;
	if (end <= had_end || !has_place(request->kind))
		return 0;
	request->whole_bytes += (end - had_end) * SECTOR_BYTES;
	request->row.bytes += (end - had_end) * SECTOR_BYTES;
	return take_bios(b, request, had_end, end, false) < 0 ? -ENOMEM : 0;
}

/*
 * A request without a bio, on a device whose bios are traced, was either issued before (its requeue
 * is not in the trace), or the kernel made it.
 */
static bool is_issued_again(struct block_events *b, struct block_io *request)
{
	struct block_io *before;

	if (request->kind == IO_OP_FLUSH)
		request->row.flags |= IO_FLUSH_MACHINERY;
	request->row.task = 0;
	if (!has_place(request->kind))
		return false;
	before = block_table__find(b->requests, request->row.device, request->kind,
				   request->row.sector, request->row.bytes, is_at_driver);
	if (!before || before->row.bytes != request->row.bytes)
		return false;
	before->row.flags |= IO_REQUEUED;
	return true;
}

static int issue(struct block_events *b, struct block_device *device,
		 const struct block_event *event)
{
	struct block_io request = io_of_event(device, event), *again, *added;
	int bios;

	device->issues = true;
	again = block_table__find(b->requests, device->id, request.kind, request.row.sector,
				  event->bytes, was_handed_back);
	if (again)
		return issue_again(b, device, again, event);
	request.row.issued_ns = event->time_ns;
	bios = take_bios(b, &request, request.row.sector, event_end(&request, event), true);
	if (bios < 0)
		return -ENOMEM;
	if (!bios && device->queues && is_issued_again(b, &request))
		return 0;
	request.at_driver = true;
	request.row.depth = ++device->at_driver;
	added = block_table__add(b->requests, &request);
	if (!added)
		return -ENOMEM;
	if (request.emitted) {
		added->emitted = false;
		block_table__mark_emitted(b->requests, added);
	}
	return 0;
}

static void requeue(struct block_events *b, struct block_device *device,
		    const struct block_event *event)
{
	struct block_io place = io_of_event(device, event), *request;

	request = block_table__find(b->requests, device->id, place.kind, place.row.sector,
				    event->bytes, is_at_driver);
	if (!request)
		return;
	request->at_driver = false;
	request->row.flags |= IO_REQUEUED;
	device->at_driver--;
}

/* Sets the row of a completed IO, unless it was emitted before. */
static void finish(struct block_events *b, struct block_io *io, const struct block_event *event)
{
	io->row.completed_ns = event->time_ns;
	if (event->error)
		io->row.error = event->error;
	if (io->emitted)
		b->source->report->in_flight -= io->counted;
	else
		set_row(b, io);
}

static void complete_request(struct block_events *b, struct block_device *device,
			     struct block_io *request, const struct block_event *event)
{
	if (event->bytes && event->bytes < request->row.bytes && has_place(request->kind)) {
		request->row.error = event->error ? event->error : request->row.error;
		request->row.bytes -= event->bytes;
		block_table__move(b->requests, request,
				  request->row.sector + event->bytes / SECTOR_BYTES);
		return;
	}
	device->at_driver -= request->at_driver;
	finish(b, request, event);
	block_table__remove(b->requests, request);
}

/*
 * The oldest zone append that can have been written at the sector, which only the completion tells.
 */
static struct block_io *find_append(const struct block_events *b, uint32_t device,
				    const struct block_event *event)
{
	struct block_io *io = block_table__oldest(b->requests);

	for (unsigned int steps = 0; io && steps < APPENDS_MAX; io = io->age_next, steps++)
		if (io->row.device == device && io->row.op == IO_OP_ZONE_APPEND &&
		    io->row.bytes == event->bytes && io->row.sector <= event->sector)
			return io;
	return NULL;
}

/* A completion without an issue: of bios (on devices without requests), or of an unknown IO. */
static int complete_bios(struct block_events *b, struct block_device *device,
			 const struct block_event *event)
{
	struct block_io io = io_of_event(device, event);
	int bios;

	/* The second completion of a write in a flush sequence; the first was that of its data. */
	if (io.kind == KIND_EMPTY_WRITE && event->sector && event->sector != UINT64_MAX)
		return 0;
	bios = take_bios(b, &io, io.row.sector, event_end(&io, event), true);
	if (bios < 0)
		return -ENOMEM;
	if (!bios && device->queues && io.kind == IO_OP_FLUSH)
		io.row.flags |= IO_FLUSH_MACHINERY;
	if (!bios && io.kind == KIND_EMPTY_WRITE)
		return 0;
	if (!bios && !event->bytes && event->op == IO_OP_READ) {
		foreign_leave_out(b->source, LEFT_OUT_NO_DATA);
		return 0;
	}
	if (!bios)
		io.row.task = 0;
	finish(b, &io, event);
	return 0;
}

static int complete(struct block_events *b, struct block_device *device,
		    const struct block_event *event)
{
	struct block_io place = io_of_event(device, event), *request;

	device->completes = true;
	request = block_table__find(b->requests, device->id, place.kind, place.row.sector,
				    event->bytes, is_at_driver);
	if (!request && event->op == IO_OP_ZONE_APPEND)
		request = find_append(b, device->id, event);
	if (!request)
		request = block_table__find(b->requests, device->id, place.kind, place.row.sector,
					    event->bytes, NULL);
	if (!request)
		return complete_bios(b, device, event);
	complete_request(b, device, request, event);
	return 0;
}

static bool is_empty(const struct block_event *event)
{
	return !event->bytes &&
	       (event->op == IO_OP_READ || event->op == IO_OP_DISCARD ||
		event->op == IO_OP_SECURE_ERASE || event->op == IO_OP_WRITE_ZEROES);
}

int block_events__feed(struct block_events *b, const struct block_event *event, struct text name)
{
	struct block_device *device;

	b->now_ns = event->time_ns > b->now_ns ? event->time_ns : b->now_ns;
	if (event->action == BLOCK_NOTHING || event->action == BLOCK_GET_REQUEST)
		return 0;
	device = block_devices__get(b->devices, event->device, name);
	if (!device)
		return -ENOMEM;
	if (!device->id)
		return foreign_names__error(b->source->names);
	if (is_empty(event) && event->action == BLOCK_QUEUE)
		foreign_leave_out(b->source, LEFT_OUT_NO_DATA);
	switch (event->action) {
	case BLOCK_QUEUE:
		return is_empty(event) ? 0 : queue(b, device, event);
	case BLOCK_REMAP:
		return remap(b, device, event);
	case BLOCK_SPLIT:
		return split(b, device, event);
	case BLOCK_ISSUE:
		return is_empty(event) ? 0 : issue(b, device, event);
	case BLOCK_COMPLETE:
		return complete(b, device, event);
	case BLOCK_REQUEUE:
		requeue(b, device, event);
		break;
	default:
		merge(b, device, event);
	}
	return 0;
}

/* A bio without a request takes over the bios that were merged behind it. */
static void gather_merged(struct block_events *b, struct block_io *bio)
{
	struct block_io *next;

	if (!bio->row.bytes || bio->merged)
		return;
	while ((next = block_table__find(b->bios, bio->row.device, bio->kind, end_sector(bio), 0,
					 NULL)) != NULL) {
		if (!next->merged || next == bio)
			break;
		bio->row.bytes += next->row.bytes;
		bio->whole_bytes += next->row.bytes;
		bio->row.merges++;
		block_table__remove(b->bios, next);
	}
}

/*
 * Emits the row of an IO without a completion. A discard that was merged belongs to a request
 * elsewhere: the discards of one request need not be contiguous.
 */
static void emit(struct block_events *b, struct block_table *t, struct block_io *io)
{
	bool elsewhere = t == b->bios && io->merged && io->row.op == IO_OP_DISCARD;

	if (t == b->bios)
		gather_merged(b, io);
	if (!elsewhere) {
		io->counted = block_devices__by_id(b->devices, io->row.device)->completes;
		/* Without completions the depth at the driver is unknown. */
		if (!io->counted)
			io->row.depth = 0;
		b->source->report->in_flight += io->counted;
		set_row(b, io);
	}
	block_table__mark_emitted(t, io);
}

static bool is_overdue(const struct block_events *b, const struct block_io *io)
{
	uint64_t since_ns = foreign_row_time_ns(&io->row);

	return b->ending || (b->now_ns > since_ns && b->now_ns - since_ns > BLOCK_TIMEOUT_NS);
}

static uint32_t pending_ios(const struct block_events *b)
{
	return block_table__count(b->bios) + block_table__count(b->requests);
}

/* Emits the oldest IO if it is overdue or there are too many. False: there is none. */
static bool release_oldest(struct block_events *b)
{
	struct block_io *bio = block_table__oldest(b->bios);
	struct block_io *request = block_table__oldest(b->requests);
	bool of_bios = bio && (!request ||
			       foreign_row_time_ns(&bio->row) < foreign_row_time_ns(&request->row));
	struct block_io *io = of_bios ? bio : request;

	while (pending_ios(b) > BLOCK_PENDING_MAX &&
	       (block_table__forget(b->bios) || block_table__forget(b->requests)))
		;
	if (!io || (!is_overdue(b, io) && pending_ios(b) <= BLOCK_PENDING_MAX))
		return false;
	if (!of_bios && io->at_driver)
		block_devices__by_id(b->devices, io->row.device)->at_driver--;
	io->at_driver = false;
	emit(b, of_bios ? b->bios : b->requests, io);
	return true;
}

static bool take(struct block_events *b, struct io_row *row)
{
	while (!b->has_row)
		if (!release_oldest(b))
			return false;
	*row = b->row;
	b->has_row = false;
	return true;
}

static void note_stacks(struct block_events *b)
{
	char stacks[160], note[FOREIGN_NOTE_BYTES];

	block_devices__stacks_text(b->devices, stacks, sizeof(stacks));
	if (!*stacks || b->source->options->one_layer)
		return;
	snprintf(
		note, sizeof(note),
		"stacked devices were traced on both levels (%s): choose one with -d DEV of dump or "
		"copy, or keep the upper one with --dedup",
		stacks);
	foreign_note(b->source, note);
}

void block_events__name_task(struct block_events *b, struct block_event *event, struct text comm)
{
	if (event->pid && (event->action == BLOCK_QUEUE || event->action == BLOCK_ISSUE))
		event->task = foreign_names__task(b->source->names, event->pid, comm);
}

int block_events__next(struct block_events *b, int (*feed)(struct foreign_source *s),
		       struct io_row *row)
{
	int result;

	while (!take(b, row)) {
		if (b->ending)
			return b->end_err;
		result = feed(b->source);
		if (result > 0)
			continue;
		b->end_err = result;
		b->ending = true;
		note_stacks(b);
	}
	return FOREIGN_ROW;
}
