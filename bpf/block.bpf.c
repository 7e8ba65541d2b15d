/*
 * The life of a request, keyed by its address: created (block_io_start), handed to the driver
 * (block_rq_issue), perhaps handed back (requeue) or merged into another (merge), completed.
 */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bio.bpf.h"
#include "compat.bpf.h"
#include "event.h"
#include "maps.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#define OP_MASK		0xffu
#define OP_FLUSH	2u /* REQ_OP_FLUSH has not moved in any kernel supported */
#define MERGES_FOLLOWED 64

/* a54895fa057c ("block: remove the request_queue to argument request based tracepoints") */
static __always_inline struct request *request_argument(__u64 *ctx)
{
	if (config.arguments_have_queue)
		return (struct request *)ctx[1];
	return (struct request *)ctx[0];
}

static __always_inline __u32 request_device(struct request *rq)
{
	struct gendisk *disk = request_disk(rq);

	if (!disk)
		return 0;
	return (__u32)disk->major << 20 | (__u32)disk->first_minor;
}

/* A request without data has no place on the disk: it belongs to the partition that its bio was
 * sent to. The kernel's own flush has no bio, and is for all partitions. */
static __always_inline bool empty_request_in_part(struct bio *bio)
{
	__u32 part;

	if (!bio || !bpf_core_field_exists(struct bio, bi_bdev))
		return true;
	part = BPF_CORE_READ(bio, bi_bdev, bd_dev);
	return bpf_map_lookup_elem(&listed_devices, &part) != NULL;
}

static __always_inline bool watched(__u32 device, struct request *rq)
{
	struct device_state fresh = {.end_sector = ~0ull};
	struct device_state *state;
	__u64 sector = rq->__sector;

	if (!device)
		return false;
	state = bpf_map_lookup_elem(&devices, &device);
	if (!state && !config.devices_listed) {
		bpf_map_update_elem(&devices, &device, &fresh, BPF_NOEXIST);
		state = bpf_map_lookup_elem(&devices, &device);
	}
	if (!state)
		return false;
	if (!state->first_sector && state->end_sector == ~0ull)
		return true;
	if (!rq->__data_len)
		return empty_request_in_part(rq->bio);
	return sector >= state->first_sector && sector < state->end_sector;
}

/* Fills in whose page it is when the first page of the bio is in the page cache. */
static __always_inline void describe_memory(struct io_event *io, struct bio *bio)
{
	struct bio_memory memory = {};

	describe_bio_memory(&memory, bio);
	io->origin = memory.origin;
	io->inode_mode = memory.inode_mode;
	io->inode = memory.inode;
	io->fs_device = memory.fs_device;
}

static __always_inline void describe_task(struct io_event *io)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	__u64 id = bpf_get_current_pid_tgid();

	io->pid = (__u32)id;
	io->tgid = id >> 32;
	io->cpu = bpf_get_smp_processor_id();
	if (BPF_CORE_READ(task, flags) & PF_KTHREAD)
		io->flags |= IO_EVENT_KTHREAD;
	bpf_get_current_comm(io->comm, sizeof(io->comm));
}

static __always_inline bool wanted(const struct io_event *io)
{
	if (config.only_tgid && io->tgid != config.only_tgid)
		return false;
	return !config.only_cgroup || io->cgroup == config.only_cgroup;
}

static __always_inline void leave_driver(struct io_event *io)
{
	struct device_state *device;

	if (!(io->flags & IO_EVENT_AT_DRIVER))
		return;
	io->flags &= ~IO_EVENT_AT_DRIVER;
	device = bpf_map_lookup_elem(&devices, &io->device);
	if (device)
		__sync_fetch_and_add(&device->in_flight, -1);
}

static __always_inline void send(struct io_event *io)
{
	void *ring = current_ring();

	if (!ring || bpf_ringbuf_output(ring, io, sizeof(*io), wakeup_flags(ring)))
		__sync_fetch_and_add(&losses.io_ring, 1);
}

/* A kernel can skip a probe: one that is running already on that CPU, and some kernels every probe
 * on top of certain tasks. A request that begins again has ended in between: what is known of it
 * is still a record. */
static __always_inline void end_unseen(__u64 key)
{
	struct io_event *io = bpf_map_lookup_elem(&requests, &key);

	if (!io)
		return;
	io->flags |= IO_EVENT_NO_END;
	leave_driver(io);
	send(io);
	bpf_map_delete_elem(&requests, &key);
}

static __always_inline void begin(struct request *rq, bool at_start)
{
	__u64 key = (__u64)rq, now_ns = bpf_ktime_get_ns(), start_ns;
	struct bio *bio = rq->bio;
	struct io_event io = {
		.type = EVENT_IO,
		.created_ns = now_ns,
		.sector = rq->__sector,
		.bytes = rq->__data_len,
		.cmd_flags = rq->cmd_flags,
		.device = request_device(rq),
		.origin = ORIGIN_NONE,
	};

	if (!recording || !watched(io.device, rq))
		return;
	if (!at_start) {
		start_ns = rq->start_time_ns;
		if (start_ns && start_ns < now_ns) {
			io.created_ns = start_ns;
			io.flags |= IO_EVENT_KERNEL_TIME;
		}
		if ((io.cmd_flags & OP_MASK) == OP_FLUSH && request_in_flush_sequence(rq))
			io.flags |= IO_EVENT_FLUSH_MACHINERY;
	}
	if (bio) {
		io.cgroup = bio_cgroup(bio);
		if (io.bytes)
			describe_memory(&io, bio);
	}
	describe_task(&io);
	if (!wanted(&io))
		return;
	if (!bpf_map_update_elem(&requests, &key, &io, BPF_NOEXIST))
		return;
	end_unseen(key);
	if (bpf_map_update_elem(&requests, &key, &io, BPF_ANY))
		__sync_fetch_and_add(&losses.io_state, 1);
}

/* How many bios after the first the request carries. */
static __always_inline void count_merges(struct io_event *io, struct request *rq)
{
	struct bio *bio = rq->bio;
	int merges;

	if (!bio)
		return;
	for (merges = 0; merges < MERGES_FOLLOWED; merges++) {
		bio = bio->bi_next;
		if (!bio)
			break;
	}
	io->merges = merges;
	if (bio)
		io->flags |= IO_EVENT_MERGES_CUT;
}

SEC("tp_btf/block_io_start")
int block_io_start(__u64 *ctx)
{
	begin((struct request *)ctx[0], true);
	return 0;
}

/* Only where block_io_start does not exist: a request queued for an IO scheduler. One that the
 * driver would hold already is the next life of a request whose end was not seen. */
SEC("tp_btf/block_rq_insert")
int block_rq_insert(__u64 *ctx)
{
	struct request *rq = request_argument(ctx);
	__u64 key = (__u64)rq;
	struct io_event *io = bpf_map_lookup_elem(&requests, &key);

	if (!io || (io->flags & IO_EVENT_AT_DRIVER))
		begin(rq, false);
	return 0;
}

/* The flush machinery's own requests are not announced by block_io_start. */
static __always_inline bool announced(struct request *rq)
{
	return config.has_io_start && (rq->cmd_flags & OP_MASK) != OP_FLUSH;
}

SEC("tp_btf/block_rq_issue")
int block_rq_issue(__u64 *ctx)
{
	struct request *rq = request_argument(ctx);
	__u64 key = (__u64)rq;
	struct device_state *device;
	struct io_event *io;

	io = bpf_map_lookup_elem(&requests, &key);
	if (!io || (!announced(rq) && (io->flags & IO_EVENT_AT_DRIVER))) {
		/* Announced, but without a state: created before the recording, or not wanted. */
		if (announced(rq))
			return 0;
		begin(rq, false);
		io = bpf_map_lookup_elem(&requests, &key);
		if (!io)
			return 0;
	}
	io->sector = rq->__sector;
	io->bytes = rq->__data_len;
	count_merges(io, rq);
	device = bpf_map_lookup_elem(&devices, &io->device);
	if (device && !(io->flags & IO_EVENT_AT_DRIVER)) {
		__sync_fetch_and_add(&device->in_flight, 1); /* its result: from 5.12 */
		io->depth = device->in_flight;
		io->flags |= IO_EVENT_AT_DRIVER;
	}
	if (!io->issued_ns)
		io->issued_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/block_rq_requeue")
int block_rq_requeue(__u64 *ctx)
{
	__u64 key = (__u64)request_argument(ctx);
	struct io_event *io = bpf_map_lookup_elem(&requests, &key);

	if (!io || !io->issued_ns)
		return 0;
	io->flags |= IO_EVENT_REQUEUED;
	leave_driver(io);
	return 0;
}

/* The argument was merged into its neighbour and will never be completed itself. */
SEC("tp_btf/block_rq_merge")
int block_rq_merge(__u64 *ctx)
{
	__u64 key = (__u64)request_argument(ctx);

	bpf_map_delete_elem(&requests, &key);
	return 0;
}

/* A request whose creation was not seen: what the kernel itself remembers of it. */
static __always_inline void send_unseen(struct request *rq, __u32 status, __u64 now_ns)
{
	struct io_event io = {
		.type = EVENT_IO,
		.flags = IO_EVENT_NO_START,
		.status = status,
		.created_ns = rq->start_time_ns,
		.issued_ns = rq->io_start_time_ns,
		.completed_ns = now_ns,
		.sector = rq->__sector,
		.bytes = rq->__data_len,
		.cmd_flags = rq->cmd_flags,
		.device = request_device(rq),
		.cpu = bpf_get_smp_processor_id(),
	};

	if (!recording || config.only_tgid || config.only_cgroup || !watched(io.device, rq))
		return;
	if ((io.cmd_flags & OP_MASK) == OP_FLUSH && request_in_flush_sequence(rq))
		io.flags |= IO_EVENT_FLUSH_MACHINERY;
	send(&io);
}

SEC("tp_btf/block_rq_complete")
int block_rq_complete(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	__u32 status = (__u32)ctx[1], bytes = (__u32)ctx[2];
	__u64 key = (__u64)rq, now_ns = bpf_ktime_get_ns();
	struct io_event *io;

	/* The data part of a flush sequence is done; the request itself is not. */
	if ((rq->cmd_flags & OP_MASK) != OP_FLUSH && request_in_flush_sequence(rq))
		return 0;
	io = bpf_map_lookup_elem(&requests, &key);
	if (rq->bio && bytes < rq->__data_len) {
		if (io && status)
			io->status = status;
		return 0;
	}
	if (!io) {
		send_unseen(rq, status, now_ns);
		return 0;
	}
	io->completed_ns = now_ns;
	if (status)
		io->status = status;
	leave_driver(io);
	send(io);
	bpf_map_delete_elem(&requests, &key);
	return 0;
}
