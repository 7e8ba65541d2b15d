// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Counts and histograms of requests without a record per request: two short programs per IO, and
 * nothing to drain. What is counted, and when, follows the kernel's own statistics
 * (blk_account_io_*), so that both can be compared.
 */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "compat.bpf.h"
#include "tally.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#define OP_DISCARD     3u  /* these two are the same in every supported kernel */
#define OP_PASSTHROUGH 32u /* REQ_OP_DRV_IN and above; before 5.14 REQ_OP_SCSI_IN */
#define STARTS_MAX     16384

enum mq_rq_state {
	MQ_RQ_IDLE = 0, /* the driver does not hold it */
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct request___state {
	enum mq_rq_state state;
};
#pragma clang attribute pop

const volatile struct tally_config config = {};
/* Read by every IO, written by none. */
struct tally_place places[TALLY_PLACES] = {};
struct tally_device tally_devices[TALLY_DEVICES_MAX] = {};

/* Indexed by slot * TALLY_OP_COUNT + operation. The collector sets the number of entries. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, TALLY_OP_COUNT);
	__type(key, __u32);
	__type(value, struct tally_stat);
} stats SEC(".maps");

/* Start times of requests, by their address, for as long as the place of their disk says. A request
 * in this table was counted even if the kernel's start time is before since_ns. Without the
 * kernel's accounting this table alone has the time. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, STARTS_MAX);
	__type(key, __u64);
	__type(value, __u64);
} starts SEC(".maps");

/* The collector sets the number of entries and the size of a value, and adds the entries of
 * TALLY_OTHER. A value is an array of struct tally_cgroup. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(struct tally_cgroup_key));
	__uint(value_size, sizeof(struct tally_cgroup));
} cgroup_stats SEC(".maps");

/* What a new entry begins with. */
struct tally_cgroup no_sums[TALLY_SHARDS_MAX] = {};
/* New entries so far: tells the collector to look for keys without a front. */
__u32 cgroups_added = 0;

/* Read by every IO, written by none. */
struct tally_front fronts[TALLY_FRONTS] __attribute__((aligned(64))) = {};

/* The sums of the front with the same number. The collector sets the number of entries and the size
 * of a value, as above. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__uint(value_size, sizeof(struct tally_cgroup));
} front_sums SEC(".maps");

/* a54895fa057c ("block: remove the request_queue to argument request based tracepoints") */
static __always_inline struct request *request_argument(__u64 *ctx)
{
	struct request *rq;

	if (!config.arguments_have_queue)
		return (struct request *)ctx[0];
	rq = (struct request *)ctx[1];
	/* Keeps the compiler from merging both loads into one from an address that old verifiers
	 * reject. */
	asm volatile("" ::: "memory");
	return rq;
}

/* Reads nothing that other CPUs write: requests of other disks cost little. */
static __always_inline const struct tally_place *place_of(struct request *rq)
{
	struct gendisk *disk = request_disk(rq);
	__u32 number, at;

	if (!disk)
		return NULL;
	number = (__u32)disk->major << 20 | (__u32)disk->first_minor;
	at = TALLY_PLACE(number);
	for (int i = 0; i < TALLY_PLACES_TRIED; i++) {
		const struct tally_place *place = &places[(at + i) & (TALLY_PLACES - 1)];

		if (*(volatile __u32 *)&place->number == number)
			return place;
	}
	return NULL;
}

static __always_inline struct tally_device *device_at(const struct tally_place *place)
{
	return &tally_devices[place->slot & (TALLY_DEVICES_MAX - 1)];
}

/* Commands of drivers and users, which the kernel's statistics omit. */
static __always_inline bool is_passthrough(struct request *rq)
{
	return (rq->cmd_flags & OP_MASK) >= OP_PASSTHROUGH;
}

static __always_inline bool held_by_driver(struct request *rq)
{
	struct request___state *newer = (void *)rq;

	return BPF_CORE_READ(newer, state) != MQ_RQ_IDLE;
}

/* 0: not known. Since Linux 6.13 the field holds the time of an earlier life where the kernel does
 * not account the request (the flush machinery's own are always timed). */
static __always_inline __u64 kernel_start_ns(struct request *rq, bool machinery)
{
	return machinery || request_has_flag(rq, config.accounted_mask) ? rq->start_time_ns : 0;
}

/* Such a request is not counted, neither at its start nor at its end. */
static __always_inline bool from_before(const struct tally_place *place, struct request *rq)
{
	__u64 start_ns = kernel_start_ns(rq, false);

	return start_ns && start_ns < place->since_ns;
}

/* `fetch`: additions return the old value, so that exactly one CPU sees the rise from 0.
 * 5ca419f2864a ("bpf: Add BPF_FETCH field / create atomic_fetch_add instruction", 5.12); a program
 * with such an instruction, even an unreachable one, does not load on older kernels. */
static __always_inline void count_start(struct tally_device *device, __u64 now_ns, bool fetch)
{
	__u64 change, depth;

	now_ns -= config.base_ns;
	change = 1 - (now_ns << TALLY_COUNT_BITS);
	if (fetch) {
		depth = __sync_fetch_and_add(&device->flow, change) & TALLY_COUNT_MASK;
		if (!depth)
			__sync_fetch_and_add(&device->busy_ns, -now_ns);
		depth = (depth + 1) & TALLY_COUNT_MASK;
	} else {
		__sync_fetch_and_add(&device->flow, change);
		if (!device->busy_since_ns)
			device->busy_since_ns = now_ns;
		depth = *(volatile __u64 *)&device->flow & TALLY_COUNT_MASK;
	}
	if (depth > device->depth_max && depth <= TALLY_COUNT_MASK >> 1)
		device->depth_max = depth;
}

static __always_inline void count_end(struct tally_device *device, __u64 now_ns, bool fetch)
{
	__u64 change, since_ns;

	now_ns -= config.base_ns;
	change = (now_ns << TALLY_COUNT_BITS) - 1;
	if (fetch) {
		if ((__sync_fetch_and_add(&device->flow, change) & TALLY_COUNT_MASK) == 1)
			__sync_fetch_and_add(&device->busy_ns, now_ns);
		return;
	}
	__sync_fetch_and_add(&device->flow, change);
	if (*(volatile __u64 *)&device->flow & TALLY_COUNT_MASK)
		return;
	since_ns = device->busy_since_ns;
	device->busy_since_ns = 0;
	if (since_ns)
		__sync_fetch_and_add(&device->busy_ns, now_ns - since_ns);
	/* Another CPU may have started a request in between, and found the period still open. */
	if (*(volatile __u64 *)&device->flow & TALLY_COUNT_MASK)
		device->busy_since_ns = now_ns;
}

SEC("tp_btf/block_io_start")
int tally_start(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	const struct tally_place *place = place_of(rq);
	__u64 key = (__u64)rq, now_ns;

	if (!place || is_passthrough(rq))
		return 0;
	now_ns = bpf_ktime_get_ns();
	/* When the table is full, the kernel's own time must suffice. */
	if (now_ns < place->remember_until_ns)
		bpf_map_update_elem(&starts, &key, &now_ns, BPF_ANY);
	count_start(device_at(place), now_ns, true);
	return 0;
}

/* For a request whose kernel time is before since_ns or unknown. An entry of an earlier life is
 * older than the place. */
static __noinline __u64 forget_start(__u64 key, const struct tally_place *place)
{
	__u64 *remembered = bpf_map_lookup_elem(&starts, &key), start_ns;

	if (!remembered)
		return 0;
	start_ns = *remembered;
	bpf_map_delete_elem(&starts, &key);
	return start_ns >= place->followed_ns ? start_ns : 0;
}

/* *start_ns stays unchanged when nothing better is known. */
static __always_inline bool start_was_counted(const struct tally_place *place, struct request *rq,
					      __u64 *start_ns)
{
	__u64 kernel_ns = kernel_start_ns(rq, false), remembered_ns;
	bool always = place->remember_until_ns == TALLY_ALWAYS;

	if (kernel_ns >= place->since_ns)
		return true;
	remembered_ns = forget_start((__u64)rq, place);
	if (remembered_ns && !*start_ns && always)
		*start_ns = remembered_ns;
	return remembered_ns || (!kernel_ns && !always);
}

/* The argument was merged into its neighbour and will never complete itself. */
SEC("tp_btf/block_rq_merge")
int tally_merge(__u64 *ctx)
{
	struct request *rq = request_argument(ctx);
	const struct tally_place *place = place_of(rq);
	__u64 start_ns = 0;

	if (place && start_was_counted(place, rq, &start_ns))
		count_end(device_at(place), bpf_ktime_get_ns(), true);
	return 0;
}

/* Before block_io_start existed: in flight means issued to the driver. */
static __always_inline int issue(__u64 *ctx, bool fetch)
{
	struct request *rq = request_argument(ctx);
	const struct tally_place *place = place_of(rq);

	if (place && !is_passthrough(rq) && !from_before(place, rq))
		count_start(device_at(place), bpf_ktime_get_ns(), fetch);
	return 0;
}

SEC("tp_btf/block_rq_issue")
int tally_issue(__u64 *ctx)
{
	return issue(ctx, true);
}

SEC("tp_btf/block_rq_issue")
int tally_issue_plain(__u64 *ctx)
{
	return issue(ctx, false);
}

static __always_inline int requeue(__u64 *ctx, bool fetch)
{
	struct request *rq = request_argument(ctx);
	const struct tally_place *place = place_of(rq);

	if (place && !is_passthrough(rq) && held_by_driver(rq) && !from_before(place, rq))
		count_end(device_at(place), bpf_ktime_get_ns(), fetch);
	return 0;
}

SEC("tp_btf/block_rq_requeue")
int tally_requeue(__u64 *ctx)
{
	return requeue(ctx, true);
}

SEC("tp_btf/block_rq_requeue")
int tally_requeue_plain(__u64 *ctx)
{
	return requeue(ctx, false);
}

/* The group in which the kernel counts an operation: every change of the medium is a write. */
static __always_inline __u32 op_group(__u32 op)
{
	if (op == OP_FLUSH)
		return TALLY_FLUSH;
	if (op == OP_DISCARD)
		return TALLY_DISCARD;
	return op & 1 ? TALLY_WRITE : TALLY_READ;
}

static __always_inline __u32 highest_bit(__u32 value)
{
	__u32 bit = 0;

	if (value >> 16)
		bit += 16, value >>= 16;
	if (value >> 8)
		bit += 8, value >>= 8;
	if (value >> 4)
		bit += 4, value >>= 4;
	if (value >> 2)
		bit += 2, value >>= 2;
	return bit + (value >> 1);
}

static __always_inline __u32 bucket_of(__u64 value, __u32 step_bits, __u32 buckets)
{
	__u32 small = value >> 32 ? ~0u : (__u32)value, shift, bucket;

	if (small < 2u << step_bits)
		return small;
	shift = highest_bit(small) - step_bits;
	bucket = (shift << step_bits) + (small >> shift);
	return bucket < buckets ? bucket : buckets - 1;
}

/* `bucket` is already within the histogram; the verifier needs to see the check next to the access,
 * on the register that it uses. */
#define ADD_TO(histogram, bucket, buckets)     \
	do {                                   \
		__u32 at_ = (bucket);          \
		asm volatile("" : "+r"(at_));  \
		if (at_ < (buckets))           \
			(histogram)[at_] += 1; \
	} while (0)

/* Pages of a file's page cache that the request wrote: the same as the recorder's origin `file`. */
static __always_inline __u64 pages_of_file(struct request *rq, __u32 bytes)
{
	struct bio *bio = rq->bio;
	struct address_space *mapping;
	struct inode *host;
	struct bio_vec *vec;
	struct page *page;

	if (!bio || !bytes)
		return 0;
	vec = BPF_CORE_READ(bio, bi_io_vec);
	if (!vec)
		return 0;
	vec = (void *)vec +
	      (BPF_CORE_READ(bio, bi_iter.bi_idx) & 0xffff) * bpf_core_type_size(struct bio_vec);
	page = head_page(BPF_CORE_READ(vec, bv_page));
	mapping = BPF_CORE_READ(page, mapping);
	if (!mapping || ((unsigned long)mapping & PAGE_MAPPING_ANY))
		return 0;
	host = BPF_CORE_READ(mapping, host);
	if (!host || BPF_CORE_READ(host, i_mapping) != mapping ||
	    (BPF_CORE_READ(host, i_mode) & S_IFMT) == S_IFBLK)
		return 0;
	return bytes >> config.page_shift;
}

static __always_inline __u32 time_bucket(__u64 time_ns)
{
	return bucket_of(time_ns >> TALLY_TIME_UNIT_BITS, TALLY_TIME_STEP_BITS, TALLY_TIME_BUCKETS);
}

/* What is known of a request at its last completion. */
struct end_times {
	__u64 start_ns, issued_ns; /* 0: not known */
	__u64 device_ns;	   /* from issued_ns to the end */
	__u32 bucket;		   /* of device_ns */
};

static __always_inline void count_times(struct tally_stat *stat, struct end_times *times,
					__u64 now_ns)
{
	__u64 start_ns = times->start_ns, issued_ns = times->issued_ns, time_ns = 0;
	__u32 bucket = 0;

	if (start_ns) {
		time_ns = now_ns > start_ns ? now_ns - start_ns : 0;
		bucket = time_bucket(time_ns);
		stat->total_ns += time_ns;
		stat->timed_ios++;
		ADD_TO(stat->total, bucket, TALLY_TIME_BUCKETS);
	}
	if (!issued_ns)
		return;
	/* Often the same, because the kernel reads the time once for all requests of a plug. */
	if (issued_ns != start_ns) {
		time_ns = now_ns > issued_ns ? now_ns - issued_ns : 0;
		bucket = time_bucket(time_ns);
	}
	stat->device_ns += time_ns;
	stat->device_ios++;
	ADD_TO(stat->device, bucket, TALLY_TIME_BUCKETS);
	times->device_ns = time_ns;
	times->bucket = bucket;
}

/* The cgroup that the first bio is charged to; bios of different cgroups are not merged. */
static __always_inline __u64 charged_cgroup(struct request *rq)
{
	struct bio *bio = rq->bio;

	if (!bio || !bpf_core_field_exists(struct bio, bi_blkg))
		return TALLY_OTHER;
	return bio->bi_blkg->blkcg->css.cgroup->kn->id;
}

static __always_inline struct tally_cgroup *shard_of(struct tally_cgroup *shards)
{
	return shards + (bpf_get_smp_processor_id() & config.last_shard);
}

/* NULL: the disk was not followed when its entry of TALLY_OTHER was to be made. */
static __noinline struct tally_cgroup *add_cgroup(struct tally_cgroup_key *key)
{
	struct tally_cgroup *shards;

	if (!key)
		return NULL;
	if (!bpf_map_update_elem(&cgroup_stats, key, no_sums, BPF_NOEXIST))
		__sync_fetch_and_add(&cgroups_added, 1);
	shards = bpf_map_lookup_elem(&cgroup_stats, key);
	if (shards)
		return shards;
	key->cgroup = TALLY_OTHER;
	shards = bpf_map_lookup_elem(&cgroup_stats, key);
	if (shards)
		__sync_fetch_and_add(&shard_of(shards)->no_room, 1);
	return shards;
}

/* NULL: the key has no front. */
static __always_inline struct tally_cgroup *front_of(const struct tally_cgroup_key *key)
{
	__u64 disk_op = TALLY_DISK_OP(key->number, key->op);
	__u32 at = TALLY_FRONT_SET(key->cgroup, disk_op);

	for (int way = 0; way < TALLY_FRONT_WAYS; way++, at++) {
		const struct tally_front *front = &fronts[at & (TALLY_FRONTS - 1)];

		if (*(volatile __u64 *)&front->disk_op == disk_op && front->cgroup == key->cgroup)
			return bpf_map_lookup_elem(&front_sums, &at);
	}
	return NULL;
}

static __always_inline struct tally_cgroup *cgroup_of(const struct tally_place *place,
						      struct request *rq, __u32 op)
{
	struct tally_cgroup_key key = {
		.cgroup = charged_cgroup(rq), .number = place->number, .op = op};
	struct tally_cgroup *shards = front_of(&key);

	if (!shards)
		shards = bpf_map_lookup_elem(&cgroup_stats, &key);
	if (!shards)
		shards = add_cgroup(&key);
	return shards ? shard_of(shards) : NULL;
}

/* Where a CPU has a shard of its own and the kernel lets no program interrupt itself, an addition
 * needs no lock. */
#define ADD_SUM(sum, count)                                  \
	do {                                                 \
		if (config.atomic_shards)                    \
			__sync_fetch_and_add(&(sum), count); \
		else                                         \
			(sum) += (count);                    \
	} while (0)

#define ADD_TO_SHARD(histogram, bucket)               \
	do {                                          \
		__u32 at_ = (bucket);                 \
		asm volatile("" : "+r"(at_));         \
		if (at_ < TALLY_CGROUP_BUCKETS)       \
			ADD_SUM((histogram)[at_], 1); \
	} while (0)

static __always_inline __u32 cgroup_bucket(__u64 time_ns)
{
	__u64 units = time_ns >> TALLY_CGROUP_UNIT_BITS;
	__u32 bucket;

	if (!units)
		return 0;
	bucket = units >> 32 ? TALLY_CGROUP_BUCKETS : highest_bit((__u32)units) + 1;
	return bucket < TALLY_CGROUP_BUCKETS ? bucket : TALLY_CGROUP_BUCKETS - 1;
}

/* `times` NULL: it is not the last completion. */
static __always_inline void count_cgroup(struct tally_cgroup *cgroup, __u32 bytes, __u64 pages,
					 const struct end_times *times)
{
	__u64 queue_ns;

	if (!cgroup)
		return;
	ADD_SUM(cgroup->bytes, bytes);
	if (pages)
		ADD_SUM(cgroup->written_back_pages, pages);
	if (!times)
		return;
	ADD_SUM(cgroup->ios, 1);
	if (!times->issued_ns)
		return;
	ADD_SUM(cgroup->device_ns, times->device_ns);
	ADD_TO_SHARD(cgroup->device, TALLY_CGROUP_BUCKET(times->bucket));
	if (!times->start_ns)
		return;
	queue_ns = times->issued_ns > times->start_ns ? times->issued_ns - times->start_ns : 0;
	if (queue_ns)
		ADD_SUM(cgroup->queue_ns, queue_ns);
	ADD_TO_SHARD(cgroup->queue, cgroup_bucket(queue_ns));
}

/* The last completion of the request. */
static __always_inline void count_last(const struct tally_place *place, struct tally_stat *stat,
				       struct request *rq, bool machinery, struct end_times *times,
				       bool fetch)
{
	__u64 now_ns = bpf_ktime_get_ns();
	bool counted;

	times->start_ns = kernel_start_ns(rq, machinery);
	if (config.from_issue)
		counted = held_by_driver(rq) && !from_before(place, rq);
	else
		counted = !machinery && start_was_counted(place, rq, &times->start_ns);
	if (counted)
		count_end(device_at(place), now_ns, fetch);
	stat->ios++;
	times->issued_ns = rq->io_start_time_ns;
	count_times(stat, times, now_ns);
}

static __always_inline int complete(__u64 *ctx, bool fetch)
{
	struct request *rq = (struct request *)ctx[0];
	const struct tally_place *place = place_of(rq);
	__u32 bytes = (__u32)ctx[2], op = rq->cmd_flags & OP_MASK, at;
	bool in_flush = request_has_flag(rq, config.flush_sequence_mask), last, machinery;
	struct end_times times = {};
	struct tally_stat *stat;
	__u64 pages = 0;

	if (!place)
		return 0;
	if (!rq->bio)
		bytes = 0;
	machinery = in_flush && op == OP_FLUSH;
	/* In a flush sequence only the data is complete, and the request will come again. */
	last = (!in_flush || machinery) && !(rq->bio && bytes < rq->__data_len);
	if (op >= OP_PASSTHROUGH) {
		if (last)
			__sync_fetch_and_add(&device_at(place)->passthrough_ios, 1);
		return 0;
	}
	at = place->slot * TALLY_OP_COUNT + op_group(op);
	stat = bpf_map_lookup_elem(&stats, &at);
	if (!stat)
		return 0;
	stat->bytes += bytes;
	if (config.written_back && (op & 1) && op != OP_DISCARD) {
		pages = pages_of_file(rq, bytes);
		stat->written_back_pages += pages;
	}
	if (config.sizes && bytes && bytes >= rq->__data_len)
		ADD_TO(stat->size, bucket_of(bytes >> 9, TALLY_SIZE_STEP_BITS, TALLY_SIZE_BUCKETS),
		       TALLY_SIZE_BUCKETS);
	if (last)
		count_last(place, stat, rq, machinery, &times, fetch);
	if (config.cgroups && (bytes || last))
		count_cgroup(cgroup_of(place, rq, op_group(op)), bytes, pages,
			     last ? &times : NULL);
	return 0;
}

SEC("tp_btf/block_rq_complete")
int tally_complete(__u64 *ctx)
{
	return complete(ctx, true);
}

SEC("tp_btf/block_rq_complete")
int tally_complete_plain(__u64 *ctx)
{
	return complete(ctx, false);
}
