// SPDX-License-Identifier: MIT
#include "collector/counters/counting_probes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "base/units.h"
#include "collector/host/devices.h"
#include "collector/kernel/btf.h"
#include "collector/probes/memory_need.h"
#include "collector/probes/probes.h"
#include "tally.skel.h"

#define SETTLE_NS      NSEC_PER_SEC
#define BEGIN_NS       (10 * NSEC_PER_MSEC) /* longer than a start takes to reach its request */
#define QUIET_NS       (250 * NSEC_PER_MSEC)
#define AGREEING_READS 3
#define STEADY_TRIES   64
#define SUM_BITS       (64 - TALLY_COUNT_BITS)
#define SUM_MASK       ((1ull << SUM_BITS) - 1)

const struct loglinear counting_time_scale = {1u << TALLY_TIME_UNIT_BITS, TALLY_TIME_STEP_BITS,
					      TALLY_TIME_BUCKETS};
const struct loglinear counting_size_scale = {(uint32_t)SECTOR_BYTES, TALLY_SIZE_STEP_BITS,
					      TALLY_SIZE_BUCKETS};

/* The shared words of one disk, read at one time. */
struct moment {
	uint64_t time_ns; /* ns since base_ns */
	uint64_t flow;
	uint64_t busy_ns;
	uint64_t depth_ns; /* modulo 2^48 */
};

struct slot {
	bool used;
	uint32_t major, minor;
	struct moment last;
	int stat_fd;	   /* its counters in sysfs; -1: none */
	uint64_t quiet_ns; /* time without a start or an end */
	uint64_t passthrough_ios;
	struct tally_stat stats[TALLY_OP_COUNT]; /* as last read, summed over the CPUs */
};

struct counting_probes {
	struct tally_bpf *skeleton;
	struct tally_stat *per_cpu;
	unsigned int cpus, slot_count;
	uint64_t base_ns;
	bool plain, from_issue;
	bool table_used; /* starts are remembered, or were at the last check */
	bool comparable; /* the kernel's number in flight, too, counts from creation to completion */
	struct slot *slots;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

/* BTF does not list the instructions that the kernel supports, so a program that contains one is
 * tried. */
static bool has_fetch_add(void)
{
	static const struct bpf_insn program[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = 1},
		{.code = BPF_STX | BPF_MEM | BPF_DW,
		 .dst_reg = BPF_REG_10,
		 .src_reg = BPF_REG_1,
		 .off = -8},
		{.code = BPF_STX | BPF_ATOMIC | BPF_DW,
		 .dst_reg = BPF_REG_10,
		 .src_reg = BPF_REG_1,
		 .off = -8,
		 .imm = BPF_ADD | BPF_FETCH},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "fetch_add", "GPL", program,
			       sizeof(program) / sizeof(program[0]), NULL);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void choose_programs(struct counting_probes *t)
{
	struct tally_bpf *s = t->skeleton;

	bpf_program__set_autoload(s->progs.tally_start, !t->from_issue);
	bpf_program__set_autoload(s->progs.tally_merge, !t->from_issue);
	bpf_program__set_autoload(s->progs.tally_issue, t->from_issue && !t->plain);
	bpf_program__set_autoload(s->progs.tally_issue_plain, t->from_issue && t->plain);
	bpf_program__set_autoload(s->progs.tally_requeue, t->from_issue && !t->plain);
	bpf_program__set_autoload(s->progs.tally_requeue_plain, t->from_issue && t->plain);
	bpf_program__set_autoload(s->progs.tally_complete, !t->plain);
	bpf_program__set_autoload(s->progs.tally_complete_plain, t->plain);
}

static int load(struct counting_probes *t, const struct counting_options *options)
{
	struct tally_bpf__rodata *rodata;
	int cpus = libbpf_num_possible_cpus(), err;

	if (cpus < 0)
		return cpus;
	t->cpus = (unsigned int)cpus;
	t->slot_count = options->disks < TALLY_DEVICES_MAX ? options->disks : TALLY_DEVICES_MAX;
	t->slots = calloc(t->slot_count, sizeof(*t->slots));
	t->per_cpu = calloc(t->cpus, sizeof(*t->per_cpu));
	t->skeleton = tally_bpf__open();
	if (!t->slots || !t->per_cpu || !t->skeleton)
		return -ENOMEM;
	/* Every kernel with block_io_start has additions that return the old value. */
	t->from_issue = options->from_issue || options->plain ||
			!kernel_btf_has_tracepoint("block_io_start");
	t->plain = options->plain || (t->from_issue && !has_fetch_add());
	/* Before that function existed, the kernel's number was what the driver held, found by
	 * walking all tags. */
	t->comparable = !t->from_issue && kernel_btf_has_function("bdev_count_inflight");
	choose_programs(t);
	rodata = t->skeleton->rodata;
	rodata->config.base_ns = t->base_ns;
	rodata->config.arguments_have_queue =
		kernel_btf_tracepoint_arguments("block_rq_issue") == 2;
	rodata->config.from_issue = t->from_issue;
	rodata->config.flush_sequence_mask = kernel_btf_request_flag("__RQF_FLUSH_SEQ", 4);
	rodata->config.accounted_mask = kernel_btf_request_flag("__RQF_IO_STAT", 13);
	rodata->config.written_back = options->written_back;
	rodata->config.page_shift = (uint8_t)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	rodata->config.cgroups = options->cgroups > 0;
	bpf_map__set_max_entries(t->skeleton->maps.stats, t->slot_count * TALLY_OP_COUNT);
	if (options->cgroups)
		bpf_map__set_max_entries(t->skeleton->maps.cgroup_stats,
					 options->cgroups + TALLY_DEVICES_MAX * TALLY_OP_COUNT);
	err = tally_bpf__load(t->skeleton);
	return err ? err : tally_bpf__attach(t->skeleton);
}

int counting_probes__create(const struct counting_options *options, struct counting_probes **probes,
			    char message[COLLECTOR_MESSAGE_MAX])
{
	struct counting_probes *t;
	int err;

	probes__route_messages();
	err = memory_need__check(memory_need(NULL, 0), "counting", false, message);
	if (err)
		return err;
	if (!kernel_btf()) {
		err = -errno;
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "this kernel has no BTF: use a kernel built with CONFIG_DEBUG_INFO_BTF=y");
		return err;
	}
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->base_ns = now_ns();
	err = load(t, options);
	if (!err) {
		*probes = t;
		return 0;
	}
	counting_probes__free(t);
	if (err == -EACCES)
		err = -EPERM;
	if (err == -EPERM)
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "probes are not permitted: run as root, or with CAP_BPF and CAP_PERFMON");
	else if (probes__too_few_files(err))
		snprintf(message, COLLECTOR_MESSAGE_MAX, PROBES_TOO_FEW_FILES);
	else if (err == -ENOMEM)
		memory_need__explain("counting", message);
	else
		snprintf(
			message, COLLECTOR_MESSAGE_MAX,
			"this kernel refused the probes (%s): 'blkreel doctor' shows what works here",
			strerror(-err));
	return err;
}

void counting_probes__free(struct counting_probes *t)
{
	if (!t)
		return;
	for (unsigned int i = 0; t->slots && i < t->slot_count; i++)
		if (t->slots[i].used && t->slots[i].stat_fd >= 0)
			close(t->slots[i].stat_fd);
	tally_bpf__destroy(t->skeleton);
	free(t->per_cpu);
	free(t->slots);
	free(t);
}

enum counting_quality counting_probes__quality(const struct counting_probes *t)
{
	if (t->plain)
		return COUNTING_FROM_ISSUE_BOUNDED;
	return t->from_issue ? COUNTING_FROM_ISSUE : COUNTING_EXACT;
}

/* Adds up the counts of all CPUs. Buckets wrap, and so may their sum. */
static int read_stat(struct counting_probes *t, uint32_t at, struct tally_stat *sum)
{
	memset(sum, 0, sizeof(*sum));
	if (bpf_map_lookup_elem(bpf_map__fd(t->skeleton->maps.stats), &at, t->per_cpu))
		return -errno;
	for (unsigned int cpu = 0; cpu < t->cpus; cpu++) {
		const struct tally_stat *stat = &t->per_cpu[cpu];

		sum->ios += stat->ios;
		sum->bytes += stat->bytes;
		sum->total_ns += stat->total_ns;
		sum->timed_ios += stat->timed_ios;
		sum->device_ns += stat->device_ns;
		sum->device_ios += stat->device_ios;
		sum->written_back_pages += stat->written_back_pages;
		for (unsigned int i = 0; i < TALLY_TIME_BUCKETS; i++) {
			sum->total[i] += stat->total[i];
			sum->device[i] += stat->device[i];
		}
		for (unsigned int i = 0; i < TALLY_SIZE_BUCKETS; i++)
			sum->size[i] += stat->size[i];
	}
	return 0;
}

static uint64_t busy_until(const struct counting_probes *t, const struct tally_device *device,
			   uint64_t time_ns)
{
	int64_t sum_ns = __atomic_load_n(&device->busy_ns, __ATOMIC_RELAXED);
	uint64_t since_ns = __atomic_load_n(&device->busy_since_ns, __ATOMIC_RELAXED);

	if (t->plain)
		return (uint64_t)sum_ns + (since_ns && since_ns < time_ns ? time_ns - since_ns : 0);
	return sum_ns < 0 ? (uint64_t)(sum_ns + (int64_t)time_ns) : (uint64_t)sum_ns;
}

/* The words are consistent when no request started or ended while they were read. */
static void read_moment(const struct counting_probes *t, const struct tally_device *device,
			struct moment *moment)
{
	for (unsigned int i = 0; i < STEADY_TRIES; i++) {
		moment->flow = __atomic_load_n(&device->flow, __ATOMIC_ACQUIRE);
		moment->time_ns = now_ns() - t->base_ns;
		moment->busy_ns = busy_until(t, device, moment->time_ns);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&device->flow, __ATOMIC_ACQUIRE) == moment->flow)
			break;
	}
	moment->depth_ns = ((moment->flow >> TALLY_COUNT_BITS) +
			    (moment->flow & TALLY_COUNT_MASK) * moment->time_ns) &
			   SUM_MASK;
}

static struct tally_device *shared(const struct counting_probes *t, int slot)
{
	return &t->skeleton->bss->tally_devices[slot];
}

/* The place of a disk (number 0: a free place). NULL: none. */
static struct tally_place *find_place(const struct counting_probes *t, uint32_t number,
				      uint32_t wanted)
{
	struct tally_place *places = t->skeleton->bss->places;

	for (uint32_t i = 0; i < TALLY_PLACES_TRIED; i++) {
		struct tally_place *place = &places[(TALLY_PLACE(number) + i) & (TALLY_PLACES - 1)];

		if (place->number == wanted)
			return place;
	}
	return NULL;
}

static struct tally_place *place_of(const struct counting_probes *t, int slot)
{
	uint32_t number = t->slots[slot].major << 20 | t->slots[slot].minor;

	return find_place(t, number, number);
}

/*
 * All starts are counted, and remembered, from the time the disk is in its place. The kernel's
 * start times can be trusted a little later: a probe that looked for the place before it was there
 * may still note its time after that.
 */
static void take_place(struct counting_probes *t, int slot, struct tally_place *place)
{
	uint32_t major = t->slots[slot].major, minor = t->slots[slot].minor;
	bool timed = t->from_issue || devices__accounted(major, minor);
	uint64_t since_ns;

	t->table_used = true;
	place->slot = (uint32_t)slot;
	place->followed_ns = now_ns();
	place->since_ns = place->remember_until_ns = TALLY_ALWAYS;
	__atomic_store_n(&place->number, major << 20 | minor, __ATOMIC_SEQ_CST);
	since_ns = now_ns() + (t->from_issue ? 0 : BEGIN_NS);
	__atomic_store_n(&place->since_ns, since_ns, __ATOMIC_SEQ_CST);
	if (timed)
		__atomic_store_n(&place->remember_until_ns, since_ns + SETTLE_NS, __ATOMIC_SEQ_CST);
}

/* What has no cgroup, and that for which there is no room, is counted there from the start. */
static int add_other(const struct counting_probes *t, uint32_t number)
{
	struct tally_cgroup_key key = {.cgroup = TALLY_OTHER, .number = number};
	struct tally_cgroup fresh = {0};

	if (!t->skeleton->rodata->config.cgroups)
		return 0;
	for (key.op = 0; key.op < TALLY_OP_COUNT; key.op++)
		if (bpf_map_update_elem(counting_probes__cgroup_map(t), &key, &fresh,
					BPF_NOEXIST) &&
		    errno != EEXIST)
			return -errno;
	return 0;
}

int counting_probes__follow(struct counting_probes *t, uint32_t major, uint32_t minor)
{
	uint32_t number = major << 20 | minor, slot = 0;
	struct tally_place *place = find_place(t, number, 0);
	struct tally_device *device;
	char path[64];

	while (slot < t->slot_count && t->slots[slot].used)
		slot++;
	if (slot == t->slot_count || !place)
		return -ENOSPC;
	for (uint32_t op = 0; op < TALLY_OP_COUNT; op++) {
		int err = read_stat(t, slot * TALLY_OP_COUNT + op, &t->slots[slot].stats[op]);

		if (err)
			return err;
	}
	if (add_other(t, number))
		return -ENOSPC;
	t->slots[slot].used = true;
	t->slots[slot].major = major;
	t->slots[slot].minor = minor;
	t->slots[slot].passthrough_ios = 0;
	t->slots[slot].quiet_ns = 0;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major, minor);
	t->slots[slot].stat_fd = open(path, O_RDONLY | O_CLOEXEC);
	device = shared(t, (int)slot);
	memset(device, 0, sizeof(*device));
	take_place(t, (int)slot, place);
	read_moment(t, device, &t->slots[slot].last);
	return (int)slot;
}

void counting_probes__unfollow(struct counting_probes *t, int slot)
{
	struct tally_place *place = place_of(t, slot);

	if (place)
		__atomic_store_n(&place->number, 0, __ATOMIC_SEQ_CST);
	if (t->slots[slot].stat_fd >= 0)
		close(t->slots[slot].stat_fd);
	t->slots[slot].used = false;
}

static void forget_starts(struct counting_probes *t)
{
	int starts = bpf_map__fd(t->skeleton->maps.starts);
	uint64_t key;

	while (!bpf_map_get_next_key(starts, NULL, &key))
		bpf_map_delete_elem(starts, &key);
}

/* Whether the starts of the disk's requests are remembered. */
static bool remembers(const struct counting_probes *t, int slot)
{
	const struct tally_place *place = place_of(t, slot);

	return !t->from_issue && place && now_ns() < place->remember_until_ns;
}

/* Starts are remembered in the first second, and while the kernel does not note when requests
 * start. Leftover entries could be taken for the start of a later life of a request. */
static void choose_table(struct counting_probes *t, int slot)
{
	struct slot *s = &t->slots[slot];
	struct tally_place *place = place_of(t, slot);
	bool always, used = false;

	if (t->from_issue || !place)
		return;
	for (unsigned int i = 0; i < t->slot_count && t->table_used && !used; i++)
		used = t->slots[i].used && remembers(t, (int)i);
	if (t->table_used && !used)
		forget_starts(t);
	always = !devices__accounted(s->major, s->minor);
	t->table_used = used || always;
	if (always != (place->remember_until_ns == TALLY_ALWAYS))
		__atomic_store_n(&place->remember_until_ns, always ? TALLY_ALWAYS : 0,
				 __ATOMIC_SEQ_CST);
}

/* Ends this many requests now (below 0: starts them). False: another event came after `flow` was
 * read. */
static bool end_requests(const struct counting_probes *t, struct tally_device *device,
			 uint64_t flow, int64_t count, uint64_t time_ns)
{
	uint64_t corrected = flow + (uint64_t)count * ((time_ns << TALLY_COUNT_BITS) - 1);

	if (!__atomic_compare_exchange_n(&device->flow, &flow, corrected, false, __ATOMIC_SEQ_CST,
					 __ATOMIC_SEQ_CST))
		return false;
	if (count < 0 || corrected & TALLY_COUNT_MASK)
		return true;
	if (t->plain)
		__atomic_store_n(&device->busy_since_ns, 0, __ATOMIC_SEQ_CST);
	else
		__atomic_fetch_add(&device->busy_ns, (int64_t)time_ns, __ATOMIC_SEQ_CST);
	return true;
}

/* Requests in flight by the kernel's count; -1: not known. */
static int64_t kernel_in_flight(const struct slot *s)
{
	char text[256];
	ssize_t length = s->stat_fd < 0 ? -1 : pread(s->stat_fd, text, sizeof(text) - 1, 0);
	long long count = -1;

	if (length <= 0)
		return -1;
	text[length] = '\0';
	sscanf(text, "%*u %*u %*u %*u %*u %*u %*u %*u %lld", &count);
	return count;
}

/*
 * The same under load: compares with the kernel's number at moments in which nothing started or
 * ended. Fewer requests than the kernel's are possible (earlier ones are not followed), more are
 * not.
 */
static uint64_t correct_excess(struct counting_probes *t, int slot)
{
	struct tally_device *device = shared(t, slot);
	struct slot *s = &t->slots[slot];
	int64_t excess = 0, theirs;
	unsigned int agreed = 0;
	uint64_t flow = 0;

	if (!t->comparable || remembers(t, slot))
		return 0;
	for (unsigned int i = 0; i < STEADY_TRIES && agreed < AGREEING_READS; i++) {
		flow = __atomic_load_n(&device->flow, __ATOMIC_SEQ_CST);
		theirs = kernel_in_flight(s);
		if (theirs < 0 || !(flow & TALLY_COUNT_MASK))
			return 0;
		if (__atomic_load_n(&device->flow, __ATOMIC_SEQ_CST) != flow)
			continue;
		theirs = (int16_t)(flow & TALLY_COUNT_MASK) - theirs;
		agreed = theirs == excess ? agreed + 1 : 1;
		excess = theirs;
	}
	if (agreed < AGREEING_READS || excess <= 0 ||
	    !end_requests(t, device, flow, excess, now_ns() - t->base_ns))
		return 0;
	return (uint64_t)excess;
}

/*
 * A start or end that the kernel did not report makes the number in flight wrong. It is corrected
 * when nothing has happened for a while and the kernel has nothing in flight.
 */
static uint64_t correct_quiet(struct counting_probes *t, int slot, const struct moment *now)
{
	struct slot *s = &t->slots[slot];
	int16_t count = (int16_t)(now->flow & TALLY_COUNT_MASK);

	s->quiet_ns = now->flow == s->last.flow ? s->quiet_ns + now->time_ns - s->last.time_ns : 0;
	if (!count || s->quiet_ns < QUIET_NS || devices__in_flight(s->major, s->minor) ||
	    !end_requests(t, shared(t, slot), now->flow, count, now->time_ns))
		return 0;
	return (uint64_t)abs(count);
}

static int read_ops(struct counting_probes *t, int slot, struct counting_figures *figures)
{
	for (uint32_t i = 0; i < TALLY_OP_COUNT; i++) {
		struct tally_stat *before = &t->slots[slot].stats[i], now;
		struct counting_op_figures *op = &figures->op[i];
		int err = read_stat(t, (uint32_t)slot * TALLY_OP_COUNT + i, &now);

		if (err)
			return err;
		op->ios = now.ios - before->ios;
		op->bytes = now.bytes - before->bytes;
		op->total_ns = now.total_ns - before->total_ns;
		op->timed_ios = now.timed_ios - before->timed_ios;
		op->device_ns = now.device_ns - before->device_ns;
		op->device_ios = now.device_ios - before->device_ios;
		op->written_back_pages = now.written_back_pages - before->written_back_pages;
		for (unsigned int b = 0; b < TALLY_TIME_BUCKETS; b++) {
			op->total[b] = (uint32_t)(now.total[b] - before->total[b]);
			op->device[b] = (uint32_t)(now.device[b] - before->device[b]);
		}
		for (unsigned int b = 0; b < TALLY_SIZE_BUCKETS; b++)
			op->size[b] = (uint32_t)(now.size[b] - before->size[b]);
		*before = now;
	}
	return 0;
}

int counting_probes__read(struct counting_probes *t, int slot, struct counting_figures *figures)
{
	struct tally_device *device = shared(t, slot);
	struct slot *s = &t->slots[slot];
	struct moment now;
	bool quiet; /* nothing happened but the correction of a wrong number */
	int err = 0;

	memset(figures, 0, sizeof(*figures));
	choose_table(t, slot);
	figures->depth_max = __atomic_exchange_n(&device->depth_max, 0, __ATOMIC_SEQ_CST);
	read_moment(t, device, &now);
	figures->drift = correct_quiet(t, slot, &now);
	quiet = figures->drift;
	if (!quiet && now.flow != s->last.flow)
		figures->drift = correct_excess(t, slot);
	figures->time_ns = now.time_ns + t->base_ns;
	figures->interval_ns = now.time_ns - s->last.time_ns;
	figures->in_flight = (uint32_t)(now.flow & TALLY_COUNT_MASK);
	if (figures->in_flight > TALLY_COUNT_MASK / 2)
		figures->in_flight = 0;
	if (figures->drift)
		figures->in_flight -= figures->in_flight < figures->drift
					      ? figures->in_flight
					      : (uint32_t)figures->drift;
	if ((int16_t)(s->last.flow & TALLY_COUNT_MASK) > (int)figures->depth_max)
		figures->depth_max = (uint32_t)(s->last.flow & TALLY_COUNT_MASK);
	if (now.busy_ns > s->last.busy_ns && !quiet)
		figures->busy_ns = now.busy_ns - s->last.busy_ns;
	if (figures->busy_ns > figures->interval_ns)
		figures->busy_ns = figures->interval_ns;
	if (!quiet)
		figures->depth_ns = (now.depth_ns - s->last.depth_ns) & SUM_MASK;
	else
		figures->depth_max = 0;
	figures->passthrough_ios = device->passthrough_ios - s->passthrough_ios;
	/* No start and no end: no counts to read. */
	if (now.flow != s->last.flow || figures->passthrough_ios)
		err = read_ops(t, slot, figures);
	s->passthrough_ios = device->passthrough_ios;
	if (figures->drift)
		read_moment(t, device, &now);
	s->last = now;
	return err;
}

uint64_t counting_probes__lost(const struct counting_probes *t)
{
	struct bpf_program *program;
	uint64_t lost = 0;

	bpf_object__for_each_program(program, t->skeleton->obj)
	{
		struct bpf_prog_info info = {};
		uint32_t bytes = sizeof(info);
		int fd = bpf_program__fd(program);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &bytes))
			lost += info.recursion_misses;
	}
	return lost;
}

int counting_probes__cgroup_map(const struct counting_probes *t)
{
	return bpf_map__fd(t->skeleton->maps.cgroup_stats);
}

int counting_probes__is_readable(void *probes)
{
	struct counting_probes *t = probes;
	uint32_t first = 0;

	if (bpf_map_lookup_elem(bpf_map__fd(t->skeleton->maps.stats), &first, t->per_cpu))
		return -errno;
	return 0;
}
