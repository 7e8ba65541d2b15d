// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <linux/capability.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "collector/host/processes.h"
#include "collector/kernel/btf.h"
#include "collector/kernel/capabilities.h"
#include "collector/kernel/numbering.h"
#include "collector/privileges/privileges.h"
#include "collector/probes/internal.h"
#include "collector/probes/memory_need.h"
#include "collector/probes/probes.h"
#include "collector/probes/record_time.h"
#include "collector/probes/ring_sizes.h"
#include "collector_copying.skel.h"

#define RECORDS_AT_ONCE		    8192u    /* of ring buffers, and of shared memory */
#define FILES_MIN		    64u	     /* what the probes need on a machine with few CPUs */
#define LATE_NS			    1000000u /* a record may be out of order by this much */
#define KERNEL_DEVICE(major, minor) ((major) << 20 | (minor))

/* The verifier's log is one message of many lines; its last lines give the reason. */
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

static int list(struct probes *p, uint32_t major, uint32_t minor, uint8_t kind, uint64_t flags)
{
	uint32_t device = KERNEL_DEVICE(major, minor);

	if (bpf_map_update_elem(bpf_map__fd(p->skeleton->maps.listed_devices), &device, &kind,
				flags))
		return -errno;
	return 0;
}

static int list_named(uint32_t major, uint32_t minor, void *context)
{
	return list(context, major, minor, LISTED_NAMED, BPF_ANY);
}

static int list_above(const struct device_choice *disk, void *context);

/* Of one that is listed already, those above are, too. */
static int list_part_above(uint32_t major, uint32_t minor, void *context)
{
	int err = list(context, major, minor, LISTED_ABOVE, BPF_NOEXIST);

	if (err)
		return err == -EEXIST ? 0 : err;
	return devices__each_above(major, minor, list_above, context);
}

static int list_above(const struct device_choice *disk, void *context)
{
	return devices__with_partitions(disk->major, disk->minor, list_part_above, context);
}

static int list_all_above(uint32_t major, uint32_t minor, void *context)
{
	return devices__each_above(major, minor, list_above, context);
}

static int each_part(const struct device_choice *choice,
		     int (*each)(uint32_t major, uint32_t minor, void *context), struct probes *p)
{
	if (choice->part_major == choice->major && choice->part_minor == choice->minor)
		return devices__with_partitions(choice->major, choice->minor, each, p);
	return each(choice->part_major, choice->part_minor, p);
}

/* The named devices have their places first. */
static int list_devices(struct probes *p, const struct probes_options *options)
{
	int err = 0;

	for (unsigned int i = 0; i < options->device_count && !err; i++)
		err = each_part(&options->devices[i], list_named, p);
	for (unsigned int i = 0; i < options->device_count && !err; i++)
		err = each_part(&options->devices[i], list_all_above, p);
	if (err != -E2BIG)
		return err;
	pr_warn("the recorded devices have too many devices above: the page cache of some is not recorded");
	return 0;
}

bool probes__too_few_files(int err)
{
	struct rlimit limit;

	if (err == -EMFILE || err == -ENFILE)
		return true;
	return err == -EINVAL && !getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < FILES_MIN;
}

/* Keeps a message that is there. */
static int load_error(int err, char message[COLLECTOR_MESSAGE_MAX])
{
	char why[COLLECTOR_MESSAGE_MAX - 64];

	if (*message)
		return err;
	/* EACCES comes from the verifier, not from a missing capability. */
	if (err == -EPERM) {
		privileges__explain_refusal(why, sizeof(why));
		snprintf(message, COLLECTOR_MESSAGE_MAX, "loading the probes is not permitted: %s",
			 why);
	} else if (probes__too_few_files(err)) {
		snprintf(message, COLLECTOR_MESSAGE_MAX, PROBES_TOO_FEW_FILES);
	} else if (err == -ENOMEM) {
		memory_need__explain("recording", message);
	} else {
		snprintf(
			message, COLLECTOR_MESSAGE_MAX,
			"this kernel refused the probes (%s): 'blkreel doctor' shows what works here, 'blkreel -v record' shows why",
			strerror(-err));
	}
	return err;
}

/*
 * The object that refers to no function that the kernel lacks: libbpf 1.1 looks for a function in
 * modules, too, and then refuses the object for want of CAP_SYS_ADMIN, even if it may be absent.
 */
static struct collector_bpf *open_copying(const struct bpf_object_open_opts *options)
{
	struct collector_bpf *skeleton = calloc(1, sizeof(*skeleton));
	int err;

	if (!skeleton)
		return NULL;
	err = collector_bpf__create_skeleton(skeleton);
	if (!err) {
		skeleton->skeleton->data =
			(void *)collector_copying_bpf__elf_bytes(&skeleton->skeleton->data_sz);
		err = bpf_object__open_skeleton(skeleton->skeleton, options);
	}
	if (!err)
		return skeleton;
	collector_bpf__destroy(skeleton);
	errno = -err;
	return NULL;
}

/* libbpf looks for types that vmlinux lacks in modules, whose list needs CAP_SYS_ADMIN. Without
 * that capability loading would fail, so only vmlinux is searched. */
static struct collector_bpf *open_skeleton(void)
{
	LIBBPF_OPTS(bpf_object_open_opts, options);

	if (!(privileges__effective() & PRIVILEGE(CAP_SYS_ADMIN)))
		options.btf_custom_path = "/sys/kernel/btf/vmlinux";
	return kernel_btf_has_function("bpf_rdonly_cast") ? collector_bpf__open_opts(&options)
							  : open_copying(&options);
}

/* The kernel kills who exceeds the limit. `object`: NULL before it is open. */
static int check_memory(const struct probes *p, const struct bpf_object *object,
			char message[COLLECTOR_MESSAGE_MAX])
{
	return memory_need__check(memory_need(object, p->ring_count * p->ring_bytes), "recording",
				  object != NULL, message);
}

static int load(struct probes *p, const struct probes_options *options,
		char message[COLLECTOR_MESSAGE_MAX])
{
	int err;

	p->skeleton = open_skeleton();
	if (!p->skeleton)
		return -errno;
	err = numbering__init();
	if (!err)
		err = watch_table__fill(&p->watched, options->devices, options->device_count);
	if (err)
		return err;
	probes_settings__apply(p, options);
	bpf_map__set_max_entries(p->skeleton->maps.rings, p->ring_count);
	bpf_map__set_max_entries(p->skeleton->maps.devices, p->watched.entry_count);
	bpf_map__set_max_entries(p->skeleton->maps.request_slots, p->watched.slot_count);
	if (p->cpu_events) {
		bpf_map__set_max_entries(p->skeleton->maps.cpu_rings, p->cpu_count);
		bpf_map__set_max_entries(p->skeleton->maps.cpu_events,
					 p->cpu_count * p->cpu_events);
	}
	err = check_memory(p, p->skeleton->obj, message);
	if (!err)
		err = collector_bpf__load(p->skeleton);
	if (!err)
		err = create_rings(p);
	if (!err)
		err = map_cpu_rings(p);
	if (!err)
		err = watch_table__store(&p->watched, bpf_map__fd(p->skeleton->maps.devices));
	return err ? err : list_devices(p, options);
}

static int find_kernel(char message[COLLECTOR_MESSAGE_MAX])
{
	int err;

	if (kernel_btf())
		return 0;
	err = -errno;
	snprintf(
		message, COLLECTOR_MESSAGE_MAX,
		"this kernel has no BTF (/sys/kernel/btf/vmlinux), which the probes need: use a kernel built with CONFIG_DEBUG_INFO_BTF=y");
	return err;
}

int probes__load(const struct probes_options *options, struct probes **probes,
		 char message[COLLECTOR_MESSAGE_MAX])
{
	struct probes *p = calloc(1, sizeof(*p));
	int err;

	*message = '\0';
	if (!p)
		return -ENOMEM;
	probes__route_messages();
	p->parts = options->parts;
	err = check_memory(p, NULL, message);
	if (!err)
		err = find_kernel(message);
	if (!err)
		err = size_rings(p, options->ring_bytes);
	if (!err) {
		p->parts = probes_settings__possible(options->parts);
		if (options->pid || !processes__are_numbered_by_kernel())
			p->parts |= PROBE_PROCESSES;
		if (devices__polled(options->devices, options->device_count))
			p->parts |= PROBE_POLLED;
		err = load(p, options, message);
	}
	if (err) {
		probes__free(p);
		return load_error(err, message);
	}
	*probes = p;
	return 0;
}

/* Lets the program list_processes see every task. */
static int walk_processes(struct probes *p)
{
	int fd = bpf_iter_create(bpf_link__fd(p->skeleton->links.list_processes)), err = 0;
	ssize_t bytes;
	char nothing[64];

	if (fd < 0)
		return -errno;
	do {
		bytes = read(fd, nothing, sizeof(nothing));
	} while (bytes > 0 || (bytes < 0 && (errno == EAGAIN || errno == EINTR)));
	if (bytes < 0)
		err = -errno;
	close(fd);
	return err;
}

/* Forks are followed already. The second walk meets the children of processes that the first met late. */
static int find_processes(struct probes *p, char message[COLLECTOR_MESSAGE_MAX])
{
	int err = walk_processes(p);
	uint32_t tgid;

	if (!err)
		err = walk_processes(p);
	if (err) {
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "the processes of this machine cannot be listed: %s", strerror(-err));
		return err;
	}
	if (!p->skeleton->rodata->config.only_pid ||
	    !bpf_map_get_next_key(bpf_map__fd(p->skeleton->maps.processes), NULL, &tgid))
		return 0;
	snprintf(message, COLLECTOR_MESSAGE_MAX, "--pid %u: this process has ended",
		 p->skeleton->rodata->config.only_pid);
	return -ESRCH;
}

/* Programs of a tracepoint run in the order in which they are attached. */
static int attach_first(struct collector_bpf *skeleton)
{
	struct bpf_program *program = skeleton->progs.waits_sys_exit;

	if (!bpf_program__autoload(program))
		return 0;
	skeleton->links.waits_sys_exit = bpf_program__attach(program);
	return skeleton->links.waits_sys_exit ? 0 : -errno;
}

int probes__attach(struct probes *p, char message[COLLECTOR_MESSAGE_MAX])
{
	int err = attach_first(p->skeleton);

	if (!err)
		err = collector_bpf__attach(p->skeleton);
	if (err)
		return load_error(err, message);
	return p->parts & PROBE_PROCESSES ? find_processes(p, message) : 0;
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
	/* Names and links are sent before the record of a request that refers to them: note the
	 * ring buffers last. */
	if (p->cpu_rings)
		cpu_rings__refresh(p->cpu_rings);
	record_rings__refresh(p->record_rings);
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

void probes__release_requests(struct probes *p)
{
	if (p->cpu_rings)
		cpu_rings__release(p->cpu_rings);
}
