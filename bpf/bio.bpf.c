/*
 * The life of a bio at a device that has no requests: queued (block_bio_queue), perhaps split,
 * sent on to devices below (block_bio_remap), completed. Where the driver sends on the very bio
 * that it was given, that ends with the request of the device below.
 */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bio.bpf.h"
#include "bio.h"
#include "compat.bpf.h"
#include "event.h"
#include "maps.bpf.h"

#define OP_MASK	       0xffu
#define BIOS_MAX       65536
#define BIOS_FOLLOWED  512 /* of one request */
#define STATUS_AGAIN   12  /* BLK_STS_AGAIN, in every kernel supported */
#define BUCKET_SHIFT   11  /* sectors of 1 MiB */
#define WHOLE_DISK_END (~0ull)
#define SECTOR_SHIFT   9

const volatile struct bio_config bio_config = {};
struct bio_counts bio_counts = {};
/* Whether any driver was seen to send on the bio that it was given: only then can a request end
 * one. */
__u32 bios_in_requests = 0;

/* Bios between queue and completion, by their address. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, BIOS_MAX);
	__type(key, __u64);
	__type(value, struct bio_event);
} bios SEC(".maps");

/* Where a bio in flight begins, to find it by what is said of those that it is sent on as. */
struct bio_place {
	__u64 sector; /* or, in a bucket, which MiB */
	__u32 device;
	__u32 is_bucket;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 2 * BIOS_MAX);
	__type(key, struct bio_place);
	__type(value, __u64);
} bio_places SEC(".maps");

/* Bio-based disks that were met, and how many bios each has in flight. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DEVICES_MAX);
	__type(key, __u32);
	__type(value, __u64);
} bio_disks SEC(".maps");

/*
 * Argument n of an event that has a queue before it on older kernels. The load stays in its branch:
 * the verifier of these takes no context that something was added to. "block: remove the
 * request_queue argument to the block_bio_remap tracepoint", and others of that series
 */
static __always_inline __u64 argument(const __u64 *ctx, bool has_queue, int n)
{
	__u64 value;

	if (!has_queue)
		return ctx[n];
	value = ctx[n + 1];
	asm volatile("" : "+r"(value));
	return value;
}

static __always_inline __u32 bio_based_disk(struct bio *bio)
{
	struct gendisk *disk = bio_disk(bio);

	if (!disk || BPF_CORE_READ(disk, queue, mq_ops))
		return 0;
	return disk_number(disk);
}

/* A bio without data has no place on the disk: it belongs to the partition that it was sent to. */
static __always_inline bool watched(struct bio *bio, __u32 disk, __u64 sector, __u32 bytes)
{
	struct device_state *state;
	__u32 part;

	if (!config.devices_listed)
		return true;
	state = bpf_map_lookup_elem(&devices, &disk);
	if (!state)
		return false;
	if (!state->first_sector && state->end_sector == WHOLE_DISK_END)
		return true;
	if (bytes)
		return sector >= state->first_sector && sector < state->end_sector;
	part = bio_part_number(bio);
	return !part || bpf_map_lookup_elem(&listed_devices, &part);
}

static __always_inline __u64 *bios_in_flight(__u32 disk)
{
	__u64 *in_flight = bpf_map_lookup_elem(&bio_disks, &disk), none = 0;

	if (in_flight)
		return in_flight;
	bpf_map_update_elem(&bio_disks, &disk, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&bio_disks, &disk);
}

static __always_inline void describe(struct bio_event *event, struct bio *bio)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	__u64 id = bpf_get_current_pid_tgid();
	struct bio_memory memory = {};

	event->cgroup = bio_cgroup(bio);
	if (event->bytes)
		describe_bio_memory(&memory, bio);
	event->origin = memory.origin;
	event->inode_mode = memory.inode_mode;
	event->inode = memory.inode;
	event->fs_device = memory.fs_device;
	event->pid = (__u32)id;
	event->tgid = id >> 32;
	event->cpu = bpf_get_smp_processor_id();
	if (BPF_CORE_READ(task, flags) & PF_KTHREAD)
		event->flags |= BIO_EVENT_KTHREAD;
	bpf_get_current_comm(event->comm, sizeof(event->comm));
}

static __always_inline void send(const struct bio_event *event)
{
	void *ring = current_ring();

	if (!ring || bpf_ringbuf_output(ring, (void *)event, sizeof(*event), wakeup_flags(ring)))
		__sync_fetch_and_add(&losses.io_ring, 1);
}

static __always_inline void forget_place(const struct bio_event *event, __u64 address)
{
	struct bio_place place = {.sector = event->sector, .device = event->device};
	__u64 *found;

	if (!bio_config.links)
		return;
	found = bpf_map_lookup_elem(&bio_places, &place);
	if (found && *found == address)
		bpf_map_delete_elem(&bio_places, &place);
}

static __always_inline void note_place(const struct bio_event *event, __u64 address)
{
	struct bio_place place = {.sector = event->sector, .device = event->device};
	struct bio_place bucket = {
		.sector = event->sector >> BUCKET_SHIFT, .device = event->device, .is_bucket = 1};

	if (!bio_config.links)
		return;
	bpf_map_update_elem(&bio_places, &place, &address, BPF_ANY);
	bpf_map_update_elem(&bio_places, &bucket, &address, BPF_ANY);
}

/* Ends what is known of a bio; a function of its own, because a request can end many. */
static __noinline int end_bio(__u64 address, __u64 now_ns, __u32 status)
{
	struct bio_event *event = bpf_map_lookup_elem(&bios, &address);
	__u64 *in_flight;

	if (!event)
		return 0;
	event->completed_ns = now_ns;
	if (status)
		event->status = status;
	in_flight = bpf_map_lookup_elem(&bio_disks, &event->device);
	if (in_flight)
		__sync_fetch_and_add(in_flight, -1);
	forget_place(event, address);
	/* It was only tried, and is queued again by whoever did not want to wait. */
	if (event->status == STATUS_AGAIN)
		__sync_fetch_and_add(&bio_counts.retried, 1);
	else
		send(event);
	bpf_map_delete_elem(&bios, &address);
	return 1;
}

static __always_inline void end_unseen(__u64 address)
{
	struct bio_event *event = bpf_map_lookup_elem(&bios, &address);

	if (!event)
		return;
	event->flags |= BIO_EVENT_NO_END;
	end_bio(address, 0, 0);
}

SEC("tp_btf/block_bio_queue")
int block_bio_queue(__u64 *ctx)
{
	struct bio *bio = (struct bio *)argument(ctx, bio_config.queue_has_queue, 0);
	__u64 address = (__u64)bio, *in_flight;
	__u32 disk = bio_based_disk(bio);
	struct bio_event event = {
		.type = RECORD_BIO,
		.device = disk,
		.origin = ORIGIN_NONE,
	};

	if (!disk || !recording)
		return 0;
	event.sector = bio->bi_iter.bi_sector;
	event.bytes = bio->bi_iter.bi_size;
	event.opf = bio->bi_opf;
	if (!watched(bio, disk, event.sector, event.bytes))
		return 0;
	describe(&event, bio);
	if ((config.only_tgid && event.tgid != config.only_tgid) ||
	    (config.only_cgroup && event.cgroup != config.only_cgroup))
		return 0;
	event.created_ns = bpf_ktime_get_ns();
	event.identity.address = address;
	event.identity.born_ns = event.created_ns;
	end_unseen(address);
	in_flight = bios_in_flight(disk);
	if (in_flight) {
		__sync_fetch_and_add(in_flight, 1); /* its result: from 5.12 */
		event.depth = *in_flight;
	}
	if (bpf_map_update_elem(&bios, &address, &event, BPF_ANY)) {
		__sync_fetch_and_add(&losses.io_state, 1);
		if (in_flight)
			__sync_fetch_and_add(in_flight, -1);
		return 0;
	}
	note_place(&event, address);
	return 0;
}

/*
 * The argument is a new bio with the first sectors of its bi_private, which keeps the rest and is
 * queued again without an event. What was sent on already was of the first sectors: these keep
 * the identity.
 */
SEC("tp_btf/block_split")
int block_split(__u64 *ctx)
{
	struct bio *first = (struct bio *)argument(ctx, bio_config.split_has_queue, 0);
	__u64 new_sector = (__u32)argument(ctx, bio_config.split_has_queue, 1);
	__u64 address = (__u64)BPF_CORE_READ(first, bi_private), first_address = (__u64)first;
	struct bio_event *rest = bpf_map_lookup_elem(&bios, &address);
	struct bio_event event;
	__u64 *in_flight;
	__u32 bytes;

	if (!rest)
		return 0;
	/* The event has the lower 32 bits of the sector only. */
	bytes = ((__u32)new_sector - (__u32)rest->sector) << SECTOR_SHIFT;
	if (!bytes || bytes >= rest->bytes)
		return 0;
	event = *rest;
	event.bytes = bytes;
	if (bpf_map_update_elem(&bios, &first_address, &event, BPF_ANY)) {
		__sync_fetch_and_add(&losses.io_state, 1);
		return 0;
	}
	note_place(&event, first_address);
	rest->sector += bytes >> SECTOR_SHIFT;
	rest->bytes -= bytes;
	rest->identity.address = address;
	rest->identity.born_ns = bpf_ktime_get_ns();
	note_place(rest, address);
	in_flight = bpf_map_lookup_elem(&bio_disks, &event.device);
	if (in_flight)
		__sync_fetch_and_add(in_flight, 1);
	return 0;
}

static __always_inline struct bio_event *bio_in_bucket(__u32 disk, __u64 sector, __u64 bucket)
{
	struct bio_place place = {.sector = bucket, .device = disk, .is_bucket = 1};
	__u64 *address = bpf_map_lookup_elem(&bio_places, &place);
	struct bio_event *event;

	if (!address)
		return NULL;
	event = bpf_map_lookup_elem(&bios, address);
	if (!event || event->device != disk || sector < event->sector ||
	    sector - event->sector >= event->bytes >> SECTOR_SHIFT)
		return NULL;
	return event;
}

/* The bio in flight that begins at a sector of a disk, or else one that holds the sector. */
static __always_inline struct bio_event *bio_at(__u32 disk, __u64 sector)
{
	struct bio_place place = {.sector = sector, .device = disk};
	__u64 *address = bpf_map_lookup_elem(&bio_places, &place);
	struct bio_event *event = NULL;

	if (address)
		event = bpf_map_lookup_elem(&bios, address);
	if (event && event->device == disk && event->sector == sector)
		return event;
	event = bio_in_bucket(disk, sector, sector >> BUCKET_SHIFT);
	if (!event && sector >> BUCKET_SHIFT)
		event = bio_in_bucket(disk, sector, (sector >> BUCKET_SHIFT) - 1);
	return event;
}

static __always_inline void watch_below(__u32 disk)
{
	struct device_state whole = {.end_sector = WHOLE_DISK_END};

	if (!bpf_map_lookup_elem(&devices, &disk))
		bpf_map_update_elem(&devices, &disk, &whole, BPF_NOEXIST);
}

/* A partition is left behind for its disk in the same way, but is no device of its own. */
SEC("tp_btf/block_bio_remap")
int block_bio_remap(__u64 *ctx)
{
	struct bio *bio = (struct bio *)argument(ctx, bio_config.remap_has_queue, 0);
	__u32 from = (__u32)argument(ctx, bio_config.remap_has_queue, 1);
	__u64 sector = argument(ctx, bio_config.remap_has_queue, 2);
	struct bio_link link = {.type = RECORD_LINK};
	__u64 address = (__u64)bio;
	struct bio_event *event;
	void *ring;

	if (!bpf_map_lookup_elem(&bio_disks, &from))
		return 0;
	event = bpf_map_lookup_elem(&bios, &address);
	if (event && event->device == from)
		bios_in_requests = 1;
	if (!bio_config.links)
		return 0;
	if (!event || event->device != from)
		event = bio_at(from, sector);
	if (!event) {
		__sync_fetch_and_add(&bio_counts.unlinked, 1);
		return 0;
	}
	link.device = disk_number(bio_disk(bio));
	link.sector = bio->bi_iter.bi_sector + bio_part_start(bio);
	link.time_ns = bpf_ktime_get_ns();
	link.parent = event->identity;
	if (bio_config.watch_below)
		watch_below(link.device);
	ring = current_ring();
	if (!ring || bpf_ringbuf_output(ring, &link, sizeof(link), wakeup_flags(ring)))
		__sync_fetch_and_add(&bio_counts.unlinked, 1);
	return 0;
}

/* A bio that was in flight when the recording began; not one that a driver split off another. */
static __always_inline void send_unseen(struct bio *bio, __u64 now_ns)
{
	__u64 parent = (__u64)BPF_CORE_READ(bio, bi_private);
	struct bio_event event = {
		.type = RECORD_BIO,
		.origin = ORIGIN_NONE,
		.flags = BIO_EVENT_NO_START,
		.completed_ns = now_ns,
		.device = bio_based_disk(bio),
		.cpu = bpf_get_smp_processor_id(),
	};

	if (!event.device || !recording || config.only_tgid || config.only_cgroup ||
	    bpf_map_lookup_elem(&bios, &parent))
		return;
	event.sector = bio->bi_iter.bi_sector;
	event.bytes = bio->bi_iter.bi_size;
	event.opf = bio->bi_opf;
	event.status = bio->bi_status;
	if (event.status != STATUS_AGAIN && watched(bio, event.device, event.sector, event.bytes))
		send(&event);
}

SEC("tp_btf/block_bio_complete")
int block_bio_complete(__u64 *ctx)
{
	struct bio *bio = (struct bio *)ctx[1];
	__u64 now_ns = bpf_ktime_get_ns();

	if (!end_bio((__u64)bio, now_ns, bio->bi_status))
		send_unseen(bio, now_ns);
	return 0;
}

/* The part of a request that is done ends the bios that are wholly in it. */
SEC("tp_btf/block_rq_complete")
int block_rq_complete_bios(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	__u32 status = (__u32)ctx[1], left = (__u32)ctx[2];
	__u64 now_ns = bpf_ktime_get_ns();
	struct bio *bio;

	if (!bios_in_requests || request_in_flush_sequence(rq))
		return 0;
	bio = rq->bio;
	for (int i = 0; i < BIOS_FOLLOWED && bio; i++) {
		__u32 bytes = BPF_CORE_READ(bio, bi_iter.bi_size);

		if (bytes > left)
			break;
		end_bio((__u64)bio, now_ns, status);
		left -= bytes;
		bio = BPF_CORE_READ(bio, bi_next);
	}
	return 0;
}
