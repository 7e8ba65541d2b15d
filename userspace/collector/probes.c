#include "collector/probes.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <linux/capability.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "collector/capabilities.h"
#include "collector/cpu_rings.h"
#include "collector/kernel_btf.h"
#include "collector/live_requests.h"
#include "collector/privileges.h"
#include "collector/record_rings.h"
#include "collector/record_time.h"
#include "collector/ring_sizes.h"
#include "collector/translate.h"
#include "collector/watch_table.h"
#include "collector.skel.h"

#define RECORDS_AT_ONCE		    8192u    /* of each kind of memory */
#define LATE_NS			    1000000u /* a record may lie that much too late in its ring */
#define KERNEL_DEVICE(major, minor) ((major) << 20 | (minor))

struct probes {
	struct collector_bpf *skeleton;
	struct record_rings *record_rings;
	unsigned int ring_count;
	uint64_t ring_bytes;
	/* Requests have their records in memory of each CPU, where that can be: NULL. */
	struct cpu_rings *cpu_rings;
	unsigned int cpu_count;
	uint32_t cpu_events;
	uint64_t drained_ns;
	struct watch_table watched;
	unsigned int parts;
	/* Where drain() passes its records on. */
	int (*each)(void *context, void *data, size_t bytes);
	void *context;
};

/* The verifier's log comes in one piece of many lines, of which the last say what is wrong. */
static int message_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	char *text, *line, *rest;

	if (log_level() < LOG_VERBOSE || level == LIBBPF_DEBUG)
		return 0;
	if (vasprintf(&text, format, args) < 0)
		return 0;
	for (rest = text; (line = strsep(&rest, "\n"));)
		if (*line)
			pr_debug("%s", line);
	free(text);
	return 0;
}

void probes__route_messages(void)
{
	libbpf_set_print(message_libbpf);
}

static bool has_task_storage(void)
{
	static const char *const map_types[] = {"bpf_map_type", NULL};

	return kernel_btf_enum_value(map_types, "BPF_MAP_TYPE_TASK_STORAGE") >= 0;
}

/* Without the tracepoints that they rest on there are none, and their maps need not exist, either. */
static unsigned int possible_parts(unsigned int parts)
{
	if (!kernel_btf_has_tracepoint("mm_filemap_get_pages") || !has_task_storage())
		parts &= ~(unsigned int)PROBE_ACCESS;
	return parts;
}

static void choose_programs(struct collector_bpf *skeleton, unsigned int parts)
{
	for (const struct probe_program *p = probe_programs; p->program; p++) {
		struct bpf_program *program =
			bpf_object__find_program_by_name(skeleton->obj, p->program);

		if (!program || capabilities__usable(p, parts))
			continue;
		bpf_program__set_autoload(program, false);
		if (!(p->part & ~parts))
			pr_debug("%s is not loaded: this kernel has no tracepoint %s, or does not "
				 "need it",
				 p->program, p->tracepoint);
	}
	bpf_map__set_autocreate(skeleton->maps.accounts, parts & PROBE_CACHE);
	/* Older kernels have none of the events of which it remembers something. */
	bpf_map__set_autocreate(skeleton->maps.readers,
				(parts & PROBE_CACHE) && has_task_storage());
	bpf_map__set_autocreate(skeleton->maps.uring_reads, parts & PROBE_CACHE);
	bpf_map__set_autocreate(skeleton->maps.access_states, parts & PROBE_ACCESS);
	bpf_map__set_autocreate(skeleton->maps.fetches, parts & PROBE_ACCESS);
	bpf_map__set_autocreate(skeleton->maps.unread_pages, parts & PROBE_CACHE);
	bpf_map__set_autocreate(skeleton->maps.bios, parts & PROBE_BIOS);
	bpf_map__set_autocreate(skeleton->maps.bio_places, parts & PROBE_LINKS);
	bpf_map__set_autocreate(skeleton->maps.bio_disks, parts & PROBE_BIOS);
	bpf_map__set_autocreate(skeleton->maps.bio_parts, parts & PROBE_BIOS);
	bpf_map__set_autocreate(skeleton->maps.bios_above, parts & PROBE_LINKS);
	bpf_map__set_autocreate(skeleton->maps.bio_queued_last, parts & PROBE_LINKS);
}

/* By 6.18 three limits are one argument: the pause is the sixth after the first, before that the tenth. */
static uint32_t pause_argument(void)
{
	switch (kernel_btf_tracepoint_arguments("balance_dirty_pages")) {
	case 8:
		return 6;
	case 12:
		return 10;
	}
	return 0;
}

/* The coarse clocks go on once a jiffy. */
static uint32_t jiffy_ns(void)
{
	struct timespec step = {};

	clock_getres(CLOCK_MONOTONIC_COARSE, &step);
	return (uint32_t)step.tv_nsec;
}

static void configure(struct probes *p, const struct probes_options *options)
{
	struct collector_bpf__rodata *rodata = p->skeleton->rodata;
	static const char *const unnamed_enums[] = {"", NULL};
	int pinned;

	rodata->config.self_tgid = (uint32_t)getpid();
	rodata->config.only_tgid = options->pid;
	rodata->config.only_cgroup = options->cgroup_id;
	rodata->config.ring_mask = p->ring_count - 1;
	rodata->config.wakeup_bytes = (uint32_t)(p->ring_bytes / 4);
	rodata->config.cpu_events = p->cpu_events;
	rodata->config.devices_listed = options->device_count != 0;
	rodata->config.arguments_have_queue =
		kernel_btf_tracepoint_arguments("block_rq_issue") == 2;
	rodata->config.has_io_start = kernel_btf_has_tracepoint("block_io_start");
	rodata->bio_config.queue_has_queue =
		kernel_btf_tracepoint_arguments("block_bio_queue") == 2;
	rodata->bio_config.remap_has_queue =
		kernel_btf_tracepoint_arguments("block_bio_remap") == 4;
	rodata->bio_config.split_has_queue = kernel_btf_tracepoint_arguments("block_split") == 3;
	rodata->bio_config.links = (options->parts & PROBE_LINKS) != 0;
	rodata->config.watch_below = options->watch_below;
	rodata->config.cache_totals = options->cache_totals;
	rodata->config.accesses = (p->parts & PROBE_ACCESS) != 0;
	rodata->config.page_shift = (uint32_t)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	rodata->config.flush_sequence_mask = kernel_btf_request_flag("__RQF_FLUSH_SEQ", 4);
	rodata->config.accounted_mask = kernel_btf_request_flag("__RQF_IO_STAT", 13);
	rodata->config.has_task_pt_regs = kernel_btf_has_function("bpf_task_pt_regs");
	rodata->config.device_shift = p->watched.shift;
	rodata->config.device_mask = p->watched.entry_count - 1;
	pinned = kernel_btf_enum_value(unnamed_enums, "BIO_PAGE_PINNED");
	rodata->config.pinned_bio_flag = pinned >= 0 && pinned < 16 ? 1u << pinned : 0;
	rodata->config.pause_argument = pause_argument();
	rodata->config.jiffy_ns = jiffy_ns();
	rodata->config.lean = !(options->parts & PROBE_LIFE);
	rodata->config.ops_listed = options->ops != 0;
	translate__kernel_ops(options->ops, rodata->config.ops);
}

static int size_rings(struct probes *p, uint64_t wanted_bytes)
{
	int cpus = libbpf_num_possible_cpus();
	struct ring_sizes sizes;

	if (cpus < 0)
		return cpus;
	sizes = ring_sizes((unsigned int)cpus, (p->parts & PROBE_REQUESTS) != 0,
			   (p->parts & PROBE_BIOS) != 0, wanted_bytes);
	p->cpu_count = (unsigned int)cpus;
	p->ring_count = sizes.ring_count;
	p->ring_bytes = sizes.ring_bytes;
	p->cpu_events = sizes.slots;
	return 0;
}

static int map_cpu_rings(struct probes *p)
{
	if (!p->cpu_events)
		return 0;
	return cpu_rings__map(bpf_map__fd(p->skeleton->maps.cpu_rings),
			      bpf_map__fd(p->skeleton->maps.cpu_events), p->cpu_count,
			      p->cpu_events, &p->cpu_rings);
}

static int on_record(void *context, void *data, size_t bytes)
{
	struct probes *p = context;

	if (bytes == sizeof(uint64_t) && *(const uint8_t *)data == EVENT_WAKE)
		return 0;
	return p->each(p->context, data, bytes);
}

static int add_ring(struct probes *p, uint32_t index)
{
	int outer = bpf_map__fd(p->skeleton->maps.rings);
	int fd;

	fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "blkreel_ring", 0, 0, (uint32_t)p->ring_bytes,
			    NULL);
	if (fd < 0)
		return fd;
	if (bpf_map_update_elem(outer, &index, &fd, BPF_ANY)) {
		int err = -errno;

		close(fd);
		return err;
	}
	return record_rings__add(p->record_rings, fd);
}

static int create_rings(struct probes *p)
{
	int err = record_rings__create(p->ring_count, p->ring_bytes, record_time_ns,
				       &p->record_rings);

	for (uint32_t i = 0; i < p->ring_count && !err; i++)
		err = add_ring(p, i);
	return err;
}

static int list_device(uint32_t major, uint32_t minor, void *context)
{
	struct probes *p = context;
	uint32_t device = KERNEL_DEVICE(major, minor);
	uint8_t one = 1;

	if (bpf_map_update_elem(bpf_map__fd(p->skeleton->maps.listed_devices), &device, &one,
				BPF_ANY))
		return -errno;
	return 0;
}

static int list_parts(struct probes *p, const struct device_choice *choice)
{
	if (choice->part_major == choice->major && choice->part_minor == choice->minor)
		return devices__with_partitions(choice->major, choice->minor, list_device, p);
	return list_device(choice->part_major, choice->part_minor, p);
}

static int load_error(int err, char message[COLLECTOR_MESSAGE_MAX])
{
	char why[COLLECTOR_MESSAGE_MAX - 64];

	/* EACCES is what the verifier says. */
	if (err == -EPERM) {
		privileges__explain_refusal(why, sizeof(why));
		snprintf(message, COLLECTOR_MESSAGE_MAX, "loading the probes is not permitted: %s",
			 why);
	} else if (err == -EMFILE || err == -ENFILE) {
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "too few files may be open for the probes: allow more (ulimit -n 1024)");
	} else {
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "this kernel refused the probes (%s); 'blkreel doctor' says what it can "
			 "do, 'blkreel -v record' what it refused",
			 strerror(-err));
	}
	return err;
}

/* A type that the kernel itself lacks is looked for in its modules, which only CAP_SYS_ADMIN may list;
 * without it that would be the end, and not just the lack of a type. */
static struct collector_bpf *open_skeleton(void)
{
	LIBBPF_OPTS(bpf_object_open_opts, options);

	if (!(privileges__effective() & PRIVILEGE(CAP_SYS_ADMIN)))
		options.btf_custom_path = "/sys/kernel/btf/vmlinux";
	return collector_bpf__open_opts(&options);
}

static int load(struct probes *p, const struct probes_options *options)
{
	int err;

	p->skeleton = open_skeleton();
	if (!p->skeleton)
		return -errno;
	err = size_rings(p, options->ring_bytes);
	if (err)
		return err;
	err = translate__init();
	if (!err)
		err = watch_table__fill(&p->watched, options->devices, options->device_count);
	if (err)
		return err;
	choose_programs(p->skeleton, p->parts);
	configure(p, options);
	bpf_map__set_max_entries(p->skeleton->maps.rings, p->ring_count);
	bpf_map__set_max_entries(p->skeleton->maps.devices, p->watched.entry_count);
	bpf_map__set_max_entries(p->skeleton->maps.request_slots, p->watched.slot_count);
	if (p->cpu_events) {
		bpf_map__set_max_entries(p->skeleton->maps.cpu_rings, p->cpu_count);
		bpf_map__set_max_entries(p->skeleton->maps.cpu_events,
					 p->cpu_count * p->cpu_events);
	}
	err = collector_bpf__load(p->skeleton);
	if (!err)
		err = create_rings(p);
	if (!err)
		err = map_cpu_rings(p);
	if (!err)
		err = watch_table__store(&p->watched, bpf_map__fd(p->skeleton->maps.devices));
	for (unsigned int i = 0; i < options->device_count && !err; i++)
		err = list_parts(p, &options->devices[i]);
	return err;
}

int probes__load(const struct probes_options *options, struct probes **probes,
		 char message[COLLECTOR_MESSAGE_MAX])
{
	struct probes *p;
	int err;

	probes__route_messages();
	if (!kernel_btf()) {
		err = -errno;
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "this kernel has no BTF (/sys/kernel/btf/vmlinux): it was built without "
			 "CONFIG_DEBUG_INFO_BTF, and the probes need it");
		return err;
	}
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->parts = possible_parts(options->parts);
	if (devices__polled(options->devices, options->device_count))
		p->parts |= PROBE_POLLED;
	err = load(p, options);
	if (err) {
		probes__free(p);
		return load_error(err, message);
	}
	*probes = p;
	return 0;
}

int probes__attach(struct probes *p, char message[COLLECTOR_MESSAGE_MAX])
{
	int err = collector_bpf__attach(p->skeleton);

	return err ? load_error(err, message) : 0;
}

int probes__are_readable(void *context)
{
	const struct probes *p = context;
	uint64_t key;

	if (!bpf_map_get_next_key(bpf_map__fd(p->skeleton->maps.other_requests), NULL, &key))
		return 0;
	return errno == ENOENT ? 0 : -errno;
}

void probes__resume(struct probes *p)
{
	__atomic_store_n(&p->skeleton->bss->recording, 1, __ATOMIC_SEQ_CST);
}

void probes__pause(struct probes *p)
{
	__atomic_store_n(&p->skeleton->bss->recording, 0, __ATOMIC_SEQ_CST);
}

void probes__detach(struct probes *p)
{
	collector_bpf__detach(p->skeleton);
}

void probes__free(struct probes *p)
{
	if (!p)
		return;
	record_rings__free(p->record_rings);
	cpu_rings__free(p->cpu_rings);
	watch_table__free(&p->watched);
	collector_bpf__destroy(p->skeleton);
	free(p);
}

int probes__wait(struct probes *p, int timeout_ms)
{
	int err = record_rings__wait(p->record_rings, timeout_ms);

	return err == -EINTR ? 0 : err;
}

int probes__drain(struct probes *p, const struct probes_receiver *receiver, void *context)
{
	/* What a record of a request relies on, names and links, was sent before it: so it is looked for after. */
	if (p->cpu_rings)
		cpu_rings__look(p->cpu_rings);
	record_rings__look(p->record_rings);
	return probes__drain_more(p, receiver, context);
}

static uint64_t choose_moment(const struct probes *p)
{
	uint64_t until_ns = record_rings__moment(p->record_rings, RECORDS_AT_ONCE), requests_ns;

	if (!p->cpu_rings)
		return until_ns;
	requests_ns = cpu_rings__moment(p->cpu_rings, RECORDS_AT_ONCE);
	return requests_ns < until_ns ? requests_ns : until_ns;
}

int probes__drain_more(struct probes *p, const struct probes_receiver *receiver, void *context)
{
	uint64_t until_ns = choose_moment(p);
	int err;

	p->each = receiver->record;
	p->context = context;
	p->drained_ns = until_ns;
	if (until_ns != UINT64_MAX)
		p->drained_ns = until_ns > LATE_NS ? until_ns - LATE_NS : 0;
	err = record_rings__take(p->record_rings, until_ns, on_record, p);
	if (!err && p->cpu_rings)
		err = cpu_rings__take(p->cpu_rings, until_ns, receiver->request, context);
	return err;
}

uint64_t probes__drained_ns(const struct probes *p)
{
	return p->drained_ns;
}

void probes__let_go(struct probes *p)
{
	if (p->cpu_rings)
		cpu_rings__let_go(p->cpu_rings);
}

int probes__each_account(struct probes *p,
			 int (*each)(const struct account_key *key, const struct account *account,
				     void *context),
			 void *context)
{
	int accounts = p->parts & PROBE_CACHE ? bpf_map__fd(p->skeleton->maps.accounts) : -1;
	struct account_key key, next;
	struct account account;
	bool first = true;
	int err = 0;

	if (accounts < 0)
		return 0;
	while (!err && !bpf_map_get_next_key(accounts, first ? NULL : &key, &next)) {
		first = false;
		key = next;
		if (!bpf_map_lookup_elem(accounts, &key, &account))
			err = each(&key, &account, context);
	}
	return err;
}

static uint64_t program_misses(const struct bpf_program *program)
{
	struct bpf_prog_info info = {};
	uint32_t bytes = sizeof(info);
	int fd = program ? bpf_program__fd(program) : -1;

	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &bytes) ? info.recursion_misses : 0;
}

/* What all programs of a tracepoint missed, of which this is the first: at most the least number. */
static uint64_t missed_by_all(const struct probes *p, const struct bpf_program *first)
{
	uint64_t least = program_misses(first), misses;
	const struct bpf_program *other;
	char name[64];

	for (const char *const *suffix = probe_suffixes; least && *suffix; suffix++) {
		snprintf(name, sizeof(name), "%s%s", bpf_program__name(first), *suffix);
		other = bpf_object__find_program_by_name(p->skeleton->obj, name);
		misses = other && bpf_program__autoload(other) ? program_misses(other) : least;
		least = misses < least ? misses : least;
	}
	return least;
}

/* Calls that the kernel skipped because the same program was already running on that CPU. Of several programs
 * for one tracepoint that is lost which all of them missed, and none did in place of the first. */
static uint64_t recursion_misses(const struct probes *p)
{
	uint64_t missed = 0, missed_by_first = 0, done = p->skeleton->bss->done_again;

	for (const struct probe_program *entry = probe_programs; entry->program; entry++) {
		const struct bpf_program *program =
			bpf_object__find_program_by_name(p->skeleton->obj, entry->program);

		if (!program || entry->again)
			continue;
		missed_by_first += program_misses(program);
		missed += missed_by_all(p, program);
	}
	missed_by_first = missed_by_first > done ? missed_by_first - done : 0;
	return missed < missed_by_first ? missed : missed_by_first;
}

void probes__losses(const struct probes *p, uint64_t losses[LOSS_CLASS_COUNT])
{
	const struct probe_losses *counted = &p->skeleton->bss->losses;

	memset(losses, 0, LOSS_CLASS_COUNT * sizeof(*losses));
	losses[LOSS_IO_RING] = counted->io_ring;
	losses[LOSS_IO_STATE] = counted->io_state;
	losses[LOSS_CACHE_TABLE] = counted->cache_pages;
	losses[LOSS_NAMES] = counted->names;
	losses[LOSS_ACCESS_RING] = counted->access_ring;
	losses[LOSS_RECURSION] = recursion_misses(p);
}

static int give_lost(const struct device_state *state,
		     int (*each)(uint32_t device, uint64_t count, void *context), void *context)
{
	return state->lost_numbers ? each(state->device, state->lost_numbers, context) : 0;
}

int probes__each_lost(const struct probes *p,
		      int (*each)(uint32_t device, uint64_t count, void *context), void *context)
{
	int known = bpf_map__fd(p->skeleton->maps.devices);
	int others = bpf_map__fd(p->skeleton->maps.other_devices);
	struct device_state state;
	uint32_t key, next;
	bool first = true;
	int err = 0;

	for (uint32_t i = 0; i < p->watched.entry_count && !err; i++)
		if (!bpf_map_lookup_elem(known, &i, &state))
			err = give_lost(&state, each, context);
	while (!err && !bpf_map_get_next_key(others, first ? NULL : &key, &next)) {
		first = false;
		key = next;
		if (!bpf_map_lookup_elem(others, &key, &state))
			err = give_lost(&state, each, context);
	}
	return err;
}

int probes__each_request(struct probes *p, int (*each)(struct io_event *event, void *context),
			 void *context)
{
	return live_requests__each(bpf_map__fd(p->skeleton->maps.request_slots),
				   p->watched.slot_count,
				   bpf_map__fd(p->skeleton->maps.other_requests), each, context);
}

struct bio_counts probes__bio_counts(const struct probes *p)
{
	return p->skeleton->bss->bio_counts;
}

uint64_t probes__bios_in_flight(struct probes *p)
{
	int bios = p->parts & PROBE_BIOS ? bpf_map__fd(p->skeleton->maps.bios) : -1;
	uint64_t key, next, count = 0;

	while (bios >= 0 && !bpf_map_get_next_key(bios, count ? &key : NULL, &next)) {
		key = next;
		count++;
	}
	return count;
}

uint64_t probes__unread_pages(const struct probes *p)
{
	int map = p->parts & PROBE_CACHE ? bpf_map__fd(p->skeleton->maps.unread_pages) : -1;
	struct unread_key key, next;
	uint64_t pages = 0;
	struct unread entry;
	bool first = true;

	while (map >= 0 && !bpf_map_get_next_key(map, first ? NULL : &key, &next)) {
		first = false;
		key = next;
		if (!bpf_map_lookup_elem(map, &key, &entry))
			pages += (uint64_t)__builtin_popcountll(entry.bits);
	}
	return pages;
}
