// SPDX-License-Identifier: MIT
#include "collector/rows/bios.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/rows/links.h"

struct bios {
	struct links *links; /* NULL: no links */
};

int bios__create(bool links, struct bios **bios)
{
	struct bios *b = calloc(1, sizeof(*b));

	if (!b || (links && links__create(&b->links))) {
		free(b);
		return -ENOMEM;
	}
	*bios = b;
	return 0;
}

void bios__free(struct bios *bios)
{
	if (bios)
		links__free(bios->links);
	free(bios);
}

static uint16_t event_flags(uint16_t bio_flags)
{
	uint16_t flags = IO_EVENT_BIO;

	if (bio_flags & BIO_EVENT_KTHREAD)
		flags |= IO_EVENT_KTHREAD;
	if (bio_flags & BIO_EVENT_NO_START)
		flags |= IO_EVENT_NO_START;
	if (bio_flags & BIO_EVENT_NO_END)
		flags |= IO_EVENT_NO_END;
	return flags;
}

/* A driver without requests has a bio as soon as it is queued. */
static void fill_event(const struct bio_event *bio, struct io_event *event)
{
	*event = (struct io_event){
		.type = EVENT_IO,
		.flags = event_flags(bio->flags),
		.status = bio->status,
		.created_ns = bio->created_ns,
		.issued_ns = bio->created_ns,
		.completed_ns = bio->completed_ns,
		.sector = bio->sector,
		.bytes = bio->bytes,
		.device = bio->device,
		.cmd_flags = bio->opf,
		.pid = bio->pid,
		.tgid = bio->tgid,
		.issue_number = bio->depth,
		.cpu = bio->cpu,
		.ioprio = bio->ioprio,
		.write_hint = bio->write_hint,
		.subject = {.cgroup = bio->cgroup,
			    .inode = bio->inode,
			    .fs_device = bio->fs_device,
			    .inode_mode = bio->inode_mode,
			    .origin = bio->origin,
			    .version = bio->version},
	};
	memcpy(event->comm, bio->comm, sizeof(event->comm));
}

int bios__take(struct bios *bios, const void *record, size_t bytes, struct io_event *event)
{
	const struct bio_event *bio;
	const uint8_t *type = record;

	if (bytes == sizeof(struct bio_link) && *type == RECORD_LINK && bios->links)
		return links__add(bios->links, record);
	if (bytes != sizeof(struct bio_event) || *type != RECORD_BIO)
		return -EPROTO;
	bio = record;
	fill_event(bio, event);
	if (bios->links && !(event->flags & IO_EVENT_NO_START))
		event->number = links__number(bios->links, &bio->identity);
	if (!(bio->flags & BIO_EVENT_RETRIED))
		return 1;
	if (event->number)
		links__end(bios->links, event->number);
	return 0;
}

/*
 * An IO was sent on before its request was created, by the probes' time. The kernel's own time of
 * the creation can be that of the first of a batch, or missing.
 */
static uint64_t sent_until_ns(const struct io_event *event)
{
	const uint32_t by_kernel = IO_EVENT_LEAN | IO_EVENT_KERNEL_TIME | IO_EVENT_NO_START;

	return event->flags & by_kernel ? event->completed_ns : event->created_ns;
}

void bios__link_row(struct bios *bios, const struct io_event *event, struct io_row *row)
{
	if (!bios->links)
		return;
	if (event->number && links__end(bios->links, event->number))
		row->id = event->number;
	/* A request of the disk's flush machinery can serve several bios, so it has no parent. */
	if (!(row->flags & IO_FLUSH_MACHINERY))
		row->parent_id =
			links__take(bios->links, event->device, row->sector, sent_until_ns(event));
}

void bios__age(struct bios *bios)
{
	if (bios->links)
		links__age(bios->links);
}
