// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The life of a bio at a device without requests: queued (block_bio_queue), possibly split, sent on
 * to devices below (block_bio_remap), completed. When the driver sends on the very bio that it
 * received, the bio ends with the request of the device below.
 */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bio.bpf.h"
#include "bio.h"
#include "bio_links.bpf.h"
#include "compat.bpf.h"
#include "device.bpf.h"
#include "event.h"
#include "maps.bpf.h"

#define BIOS_FOLLOWED  512 /* of one request */
#define STATUS_AGAIN   12  /* BLK_STS_AGAIN, in every supported kernel */
#define WHOLE_DISK_END (~0ull)
#define PART_SHIFT     48
#define PARTS_MAX      1024 /* of one bio */

/* Whether any driver has sent on the bio that it received: only then can a request end one. */
__u32 bios_in_requests = 0;

/*
 * The keys of parts that were split off a bio as bios of their own. Only newer kernels report the
 * end of such a bio ("block: trace completion of all bios"); on others it ends with the whole, or
 * when its address is reused before.
 */
struct bio_part {
	__u64 key;
	__u64 born_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, BIOS_MAX);
	__type(key, __u64);
	__type(value, struct bio_part);
} bio_parts SEC(".maps");

/* The bio-based disks seen so far, and the number of bios in flight of each. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DEVICES_MAX);
	__type(key, __u32);
	__type(value, __u64);
} bio_disks SEC(".maps");

/* The same as a number: the verifier rejects a pointer in arithmetic and as an argument of a global
 * function. */
static __always_inline __u64 address_argument(const __u64 *ctx, bool has_queue)
{
	__u64 address = 0;

	bpf_probe_read_kernel(&address, sizeof(address), &ctx[has_queue ? 1 : 0]);
	return address;
}

static __always_inline __u32 bio_based_disk(struct bio *bio)
{
	return bio_has_requests(bio) ? 0 : disk_number(bio_disk(bio));
}

/* A bio without data has no place on the disk: it belongs to the partition that it was sent to. */
static __always_inline bool bio_watched(struct bio *bio, __u32 disk, __u64 sector, __u32 bytes)
{
	struct device_state *state;
	__u32 part;

	if (!op_wanted(bio->bi_opf & OP_MASK))
		return false;
	if (!config.devices_listed)
		return true;
	state = find_device(disk);
	if (!state)
		return false;
	if (!state->first_sector && state->end_sector == WHOLE_DISK_END)
		return true;
	if (bytes)
		return sector >= state->first_sector && sector < state->end_sector;
	part = bio_part_number(bio);
	return !part || is_named(part);
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
	event->ioprio = BPF_CORE_READ(bio, bi_ioprio);
	event->write_hint = bio_write_hint(bio);
	if (event->bytes)
		describe_bio_memory(&memory, bio);
	event->origin = memory.origin;
	event->inode_mode = memory.inode_mode;
	event->inode = memory.inode;
	event->fs_device = memory.fs_device;
	event->version = memory.version;
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

	if (!ring || bpf_ringbuf_output(ring, (void *)event, sizeof(*event),
					wakeup_flags(ring, event->completed_ns)))
		__sync_fetch_and_add(&losses.io_ring, 1);
}

/* Ends the state of a bio. Global, so that the verifier checks it once and not for each of the many
 * that a loop ends. */
__noinline int end_bio(__u64 address, __u64 now_ns, __u32 status)
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
	/* Only an attempt, which its submitter repeats: it must not wait. */
	if (event->status == STATUS_AGAIN) {
		__sync_fetch_and_add(&bio_counts.retried, 1);
		event->flags |= BIO_EVENT_RETRIED;
	}
	if (event->status != STATUS_AGAIN || bio_config.links)
		send(event);
	bpf_map_delete_elem(&bios, &address);
	return 1;
}

/* Parts that end with the bio they were split off have a key that is no address. */
static __always_inline __u64 part_key(__u64 address, __u32 part)
{
	return address - ((__u64)part << PART_SHIFT);
}

/* The state of a bio by its address, also of one that is a part of another. */
static __always_inline struct bio_event *bio_by_address(__u64 address, __u64 *key)
{
	struct bio_event *event = bpf_map_lookup_elem(&bios, &address);
	struct bio_part *part;

	*key = address;
	if (event)
		return event;
	part = bpf_map_lookup_elem(&bio_parts, &address);
	if (!part)
		return NULL;
	*key = part->key;
	event = bpf_map_lookup_elem(&bios, key);
	return event && event->identity.born_ns == part->born_ns ? event : NULL;
}

static __always_inline void end_parts(__u64 address, __u32 parts, __u64 now_ns, __u32 status)
{
	for (__u32 part = 1; part <= PARTS_MAX && part <= parts; part++)
		end_bio(part_key(address, part), now_ns, status);
}

static __always_inline void end_unseen(__u64 address)
{
	struct bio_event *event = bpf_map_lookup_elem(&bios, &address);

	if (!event)
		return;
	event->flags |= BIO_EVENT_NO_END;
	end_bio(address, 0, 0);
}

static __always_inline void begin(struct bio *bio, __u64 address)
{
	struct bio_event event = {
		.type = RECORD_BIO,
		.device = disk_number(bio_disk(bio)),
		.sector = bio->bi_iter.bi_sector,
		.bytes = bio->bi_iter.bi_size,
		.opf = bio->bi_opf,
		.origin = ORIGIN_NONE,
	};
	__u64 *in_flight;

	if (!event.device || !bio_watched(bio, event.device, event.sector, event.bytes))
		return;
	describe(&event, bio);
	if (!process_in_scope(event.tgid) || !described_bio_in_scope(bio, event.cgroup))
		return;
	event.created_ns = bpf_ktime_get_ns();
	event.identity.address = address;
	event.identity.born_ns = event.created_ns;
	end_unseen(address);
	in_flight = bios_in_flight(event.device);
	if (in_flight) {
		__sync_fetch_and_add(in_flight, 1); /* its result is available from Linux 5.12 */
		event.depth = *in_flight;
	}
	if (bpf_map_update_elem(&bios, &address, &event, BPF_ANY)) {
		__sync_fetch_and_add(&losses.io_state, 1);
		if (in_flight)
			__sync_fetch_and_add(in_flight, -1);
		return;
	}
	note_place(&event, address);
	note_last(address);
}

/* Called for every bio of the machine: most are for devices with requests. */
SEC("tp_btf/block_bio_queue")
int block_bio_queue(__u64 *ctx)
{
	struct bio *bio = (struct bio *)tracepoint_argument(ctx, bio_config.queue_has_queue, 0);
	bool has_requests = bio_has_requests(bio);
	__u64 address;

	if (has_requests && !bio_config.links)
		return 0;
	address = address_argument(ctx, bio_config.queue_has_queue);
	forget_above(address);
	if (!has_requests && recording)
		begin(bio, address);
	return 0;
}

/* The bytes of a followed bio before a sector, of which the event has only the lower 32 bits; 0:
 * none. */
static __always_inline __u32 bytes_before(const struct bio_event *event, __u32 sector)
{
	__u32 bytes = (sector - (__u32)event->sector) << SECTOR_SHIFT;

	return bytes < event->bytes ? bytes : 0;
}

/* The first `bytes` of `rest` become an IO of their own. It keeps the identity, because what was
 * already sent on belongs to it. */
static __always_inline void cut_off(struct bio_event *rest, __u32 bytes, __u64 first_key,
				    __u64 rest_key)
{
	struct bio_event first = *rest;
	__u64 *in_flight;

	first.bytes = bytes;
	first.parts = 0;
	if (bpf_map_update_elem(&bios, &first_key, &first, BPF_ANY)) {
		__sync_fetch_and_add(&losses.io_state, 1);
		return;
	}
	note_place(&first, first_key);
	rest->sector += bytes >> SECTOR_SHIFT;
	rest->bytes -= bytes;
	rest->identity.born_ns = bpf_ktime_get_ns();
	note_place(rest, rest_key);
	in_flight = bpf_map_lookup_elem(&bio_disks, &first.device);
	if (in_flight)
		__sync_fetch_and_add(in_flight, 1);
}

/*
 * The argument is a new bio with the first sectors of its bi_private, or, in newer dm, the bio
 * itself, whose first part clones carry out and which visibly ends with the whole. The rest is
 * queued again without an event.
 */
SEC("tp_btf/block_split")
int block_split(__u64 *ctx)
{
	__u32 sector = (__u32)tracepoint_argument(ctx, bio_config.split_has_queue, 1);
	__u64 first = address_argument(ctx, bio_config.split_has_queue), parent;
	struct bio_part part;
	struct bio_event *rest;

	rest = bpf_map_lookup_elem(&bios, &first);
	if (rest && bytes_before(rest, sector)) {
		if (rest->parts < PARTS_MAX)
			cut_off(rest, bytes_before(rest, sector), part_key(first, ++rest->parts),
				first);
		return 0;
	}
	parent = (__u64)BPF_CORE_READ((struct bio *)first, bi_private);
	rest = bpf_map_lookup_elem(&bios, &parent);
	if (!rest) {
		link_rest(first, parent);
		return 0;
	}
	if (!bytes_before(rest, sector) || rest->parts == PARTS_MAX)
		return 0;
	part.key = part_key(parent, ++rest->parts);
	part.born_ns = rest->identity.born_ns;
	bpf_map_update_elem(&bio_parts, &first, &part, BPF_ANY);
	cut_off(rest, bytes_before(rest, sector), part.key, parent);
	rest->identity.address = parent;
	return 0;
}

static __always_inline void watch_below(__u32 disk)
{
	struct device_state whole = {.device = disk, .end_sector = WHOLE_DISK_END};

	if (!find_device(disk))
		bpf_map_update_elem(&other_devices, &disk, &whole, BPF_NOEXIST);
}

/* Sending a bio from a partition to its disk is the same event, but a partition is not a device of
 * its own. */
SEC("tp_btf/block_bio_remap")
int block_bio_remap(__u64 *ctx)
{
	struct bio *bio = (struct bio *)tracepoint_argument(ctx, bio_config.remap_has_queue, 0);
	__u32 from = (__u32)tracepoint_argument(ctx, bio_config.remap_has_queue, 1);
	__u64 sector = tracepoint_argument(ctx, bio_config.remap_has_queue, 2);
	struct bio_above above = {};
	__u64 address = (__u64)bio, key;
	struct bio_event *event;

	if (!bpf_map_lookup_elem(&bio_disks, &from))
		return 0;
	event = bio_by_address(address, &key);
	if (event && event->device == from)
		bios_in_requests = 1;
	if (!bio_config.links)
		return 0;
	if (!event || event->device != from)
		event = bio_at(from, sector);
	if (!event) {
		if (recording)
			__sync_fetch_and_add(&bio_counts.unlinked, 1);
		return 0;
	}
	above.identity = event->identity;
	above.device = disk_number(bio_disk(bio));
	bpf_map_update_elem(&bios_above, &address, &above, BPF_ANY);
	if (config.watch_below)
		watch_below(above.device);
	sector = bio->bi_iter.bi_sector;
	if (bio->bi_iter.bi_size) /* a bio without data keeps its place */
		sector += bio_part_start(bio);
	send_link(&above.identity, above.device, sector);
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

	if (!event.device || !recording || config.only_pid || config.only_cgroup ||
	    bpf_map_lookup_elem(&bios, &parent))
		return;
	event.sector = bio->bi_iter.bi_sector;
	event.bytes = bio->bi_iter.bi_size;
	event.opf = bio->bi_opf;
	event.status = bio->bi_status;
	if (event.status != STATUS_AGAIN &&
	    bio_watched(bio, event.device, event.sector, event.bytes))
		send(&event);
}

SEC("tp_btf/block_bio_complete")
int block_bio_complete(__u64 *ctx)
{
	struct bio *bio = (struct bio *)ctx[1];
	__u64 address = address_argument(ctx, true), now_ns = bpf_ktime_get_ns(), key;
	struct bio_event *event = bio_by_address(address, &key);
	__u32 status = bio->bi_status, parts;

	if (!event) {
		send_unseen(bio, now_ns);
		return 0;
	}
	parts = event->parts;
	end_parts(address, parts, now_ns, status);
	end_bio(key, now_ns, status);
	return 0;
}

/* Global for the same reason as end_bio(). */
__noinline int end_sent_on(__u64 address, __u64 now_ns, __u32 status)
{
	__u64 key;

	return bio_by_address(address, &key) ? end_bio(key, now_ns, status) : 0;
}

/* The completed part of a request ends the bios that are entirely in it. */
SEC("tp_btf/block_rq_complete")
int block_rq_complete_bios(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	__u32 status = (__u32)ctx[1], left = (__u32)ctx[2];
	__u64 now_ns = bpf_ktime_get_ns();
	struct bio *bio;

	if (!bios_in_requests || request_has_flag(rq, config.flush_sequence_mask))
		return 0;
	bio = BPF_CORE_READ(rq, bio);
	for (int i = 0; i < BIOS_FOLLOWED && bio; i++) {
		__u32 bytes = BPF_CORE_READ(bio, bi_iter.bi_size);

		if (bytes > left)
			break;
		end_sent_on((__u64)bio, now_ns, status);
		left -= bytes;
		bio = BPF_CORE_READ(bio, bi_next);
	}
	return 0;
}
