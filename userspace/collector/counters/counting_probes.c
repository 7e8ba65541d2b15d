// SPDX-License-Identifier: MIT
#include "collector/counters/counting_probes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "base/units.h"
#include "collector/counters/counting_internal.h"
#include "collector/host/devices.h"
#include "collector/kernel/btf.h"
#include "collector/probes/memory_need.h"
#include "collector/probes/probes.h"

#define SETTLE_NS NSEC_PER_SEC
#define BEGIN_NS  (10 * NSEC_PER_MSEC) /* longer than a start takes to reach its request */

/* Disks that come later: as many as find room in SPARE_BYTES of kernel memory, within these. */
#define SPARE_BYTES (32u << 20)
#define SPARE_MIN   16
#define SPARE_MAX   64

const struct loglinear counting_time_scale = {1u << TALLY_TIME_UNIT_BITS, TALLY_TIME_STEP_BITS,
					      TALLY_TIME_BUCKETS};
const struct loglinear counting_size_scale = {(uint32_t)SECTOR_BYTES, TALLY_SIZE_STEP_BITS,
					      TALLY_SIZE_BUCKETS};

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

/* Since 05b24ff9b2cf ("bpf: Prevent bpf program recursion for raw tracepoint probes", Linux 6.1), which
 * made this function visible. */
static bool programs_interrupt_themselves(void)
{
	return !kernel_btf_has_function("bpf_prog_inc_misses_counter");
}

/* A shard for each CPU, as far as there are so many. */
static void size_cgroup_table(struct counting_probes *t, unsigned int entries)
{
	struct bpf_map *map = t->skeleton->maps.cgroup_stats;

	while (t->shards < t->cpus && t->shards < TALLY_SHARDS_MAX)
		t->shards *= 2;
	t->skeleton->rodata->config.last_shard = t->shards - 1;
	t->skeleton->rodata->config.atomic_shards =
		t->shards < t->cpus || programs_interrupt_themselves();
	bpf_map__set_value_size(map, t->shards * (uint32_t)sizeof(struct tally_cgroup));
	bpf_map__set_max_entries(map, entries + TALLY_DEVICES_MAX * TALLY_OP_COUNT);
	map = t->skeleton->maps.front_sums;
	bpf_map__set_value_size(map, t->shards * (uint32_t)sizeof(struct tally_cgroup));
	bpf_map__set_max_entries(map, TALLY_FRONTS);
}

static size_t front_sums_bytes(const struct counting_probes *t)
{
	return (size_t)TALLY_FRONTS * t->shards * sizeof(struct tally_cgroup);
}

static int map_front_sums(struct counting_probes *t)
{
	void *sums = mmap(NULL, front_sums_bytes(t), PROT_READ | PROT_WRITE, MAP_SHARED,
			  bpf_map__fd(t->skeleton->maps.front_sums), 0);

	if (sums == MAP_FAILED)
		return -errno;
	t->front_sums = sums;
	return 0;
}

unsigned int counting_room(unsigned int disks, unsigned int cpus)
{
	size_t disk_bytes = sizeof(struct tally_stat) * TALLY_OP_COUNT * cpus;
	size_t spare = SPARE_BYTES / disk_bytes;

	if (spare > SPARE_MAX)
		spare = SPARE_MAX;
	return disks + (unsigned int)(spare > SPARE_MIN ? spare : SPARE_MIN);
}

static int load(struct counting_probes *t, const struct counting_options *options)
{
	struct tally_bpf__rodata *rodata;
	int cpus = libbpf_num_possible_cpus(), err;

	if (cpus < 0)
		return cpus;
	t->cpus = (unsigned int)cpus;
	t->slot_count = options->more ? counting_room(options->disks, t->cpus) : options->disks;
	if (t->slot_count > TALLY_DEVICES_MAX)
		t->slot_count = TALLY_DEVICES_MAX;
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
	rodata->config.sizes = options->sizes;
	bpf_map__set_max_entries(t->skeleton->maps.stats, t->slot_count * TALLY_OP_COUNT);
	if (options->cgroups)
		size_cgroup_table(t, options->cgroups);
	err = tally_bpf__load(t->skeleton);
	if (!err && options->cgroups)
		err = map_front_sums(t);
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
	t->base_ns = counting_now_ns();
	t->shards = 1;
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
	if (t->front_sums)
		munmap(t->front_sums, front_sums_bytes(t));
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

struct tally_place *counting_place(const struct counting_probes *t, int slot)
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
	place->followed_ns = counting_now_ns();
	place->since_ns = place->remember_until_ns = TALLY_ALWAYS;
	__atomic_store_n(&place->number, major << 20 | minor, __ATOMIC_SEQ_CST);
	since_ns = counting_now_ns() + (t->from_issue ? 0 : BEGIN_NS);
	__atomic_store_n(&place->since_ns, since_ns, __ATOMIC_SEQ_CST);
	if (timed)
		__atomic_store_n(&place->remember_until_ns, since_ns + SETTLE_NS, __ATOMIC_SEQ_CST);
}

/* What has no cgroup, and that for which there is no room, is counted there from the start. */
static int add_other(const struct counting_probes *t, uint32_t number)
{
	struct tally_cgroup_key key = {.cgroup = TALLY_OTHER, .number = number};
	static const struct tally_cgroup no_sums[TALLY_SHARDS_MAX];

	if (!t->skeleton->rodata->config.cgroups)
		return 0;
	for (key.op = 0; key.op < TALLY_OP_COUNT; key.op++)
		if (bpf_map_update_elem(counting_probes__cgroup_map(t), &key, no_sums,
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
		int err = counting_read_stat(t, slot * TALLY_OP_COUNT + op,
					     &t->slots[slot].stats[op]);

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
	t->slots[slot].moved = false;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major, minor);
	t->slots[slot].stat_fd = open(path, O_RDONLY | O_CLOEXEC);
	device = counting_device(t, (int)slot);
	memset(device, 0, sizeof(*device));
	take_place(t, (int)slot, place);
	counting_read_moment(t, device, &t->slots[slot].last);
	return (int)slot;
}

void counting_probes__unfollow(struct counting_probes *t, int slot)
{
	struct tally_place *place = counting_place(t, slot);

	if (place)
		__atomic_store_n(&place->number, 0, __ATOMIC_SEQ_CST);
	if (t->slots[slot].stat_fd >= 0)
		close(t->slots[slot].stat_fd);
	t->slots[slot].used = false;
}

static uint64_t skipped_calls(const struct bpf_program *program)
{
	struct bpf_prog_info info = {};
	uint32_t bytes = sizeof(info);
	int fd = bpf_program__fd(program);

	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &bytes) ? info.recursion_misses : 0;
}

uint64_t counting_probes__lost(const struct counting_probes *t, uint64_t *ends)
{
	struct bpf_program *program;
	uint64_t lost = 0;

	*ends = skipped_calls(t->plain ? t->skeleton->progs.tally_complete_plain
				       : t->skeleton->progs.tally_complete);
	bpf_object__for_each_program(program, t->skeleton->obj) lost += skipped_calls(program);
	return lost;
}

int counting_probes__cgroup_map(const struct counting_probes *t)
{
	return bpf_map__fd(t->skeleton->maps.cgroup_stats);
}

unsigned int counting_probes__cgroup_shards(const struct counting_probes *t)
{
	return t->shards;
}

struct tally_front *counting_probes__fronts(const struct counting_probes *t)
{
	return t->skeleton->bss->fronts;
}

struct tally_cgroup *counting_probes__front_sums(const struct counting_probes *t)
{
	return t->front_sums;
}

uint32_t counting_probes__cgroups_added(const struct counting_probes *t)
{
	return __atomic_load_n(&t->skeleton->bss->cgroups_added, __ATOMIC_RELAXED);
}

int counting_probes__is_readable(void *probes)
{
	struct counting_probes *t = probes;
	uint32_t first = 0;

	if (bpf_map_lookup_elem(bpf_map__fd(t->skeleton->maps.stats), &first, t->per_cpu))
		return -errno;
	return 0;
}
