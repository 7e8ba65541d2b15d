#include "collector/recording.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <linux/capability.h>

#include "base/log.h"
#include "base/units.h"
#include "collector/bios.h"
#include "collector/cache_account.h"
#include "collector/depth.h"
#include "collector/capabilities.h"
#include "collector/devices.h"
#include "collector/diskstats.h"
#include "collector/io_order.h"
#include "collector/privileges.h"
#include "collector/probes.h"
#include "collector/recording_head.h"
#include "collector/recording_scope.h"
#include "collector/registry.h"
#include "collector/translate.h"
#include "trace/output_file.h"
#include "trace/writer.h"

#define DRAIN_INTERVAL_MS 20
#define TICK_INTERVAL_NS  NSEC_PER_SEC
#define DEVICES_MAX	  RECORDING_DEVICES_MAX

struct watched {
	struct device_choice choice;
	bool gone; /* said once */
	bool present;
};

struct recording {
	char path[TRACE_PATH_MAX];
	struct watched devices[DEVICES_MAX];
	unsigned int device_count;
	unsigned int parts; /* enum probe_part */
	bool cache;
	uint64_t start_ns;
	/* Between these the probes take notice and the kernel's counters are compared. */
	uint64_t active_ns;
	uint64_t stop_ns; /* UINT64_MAX while it lasts */
	uint64_t last_tick_ns;
	uint64_t started_before;
	uint64_t in_flight_at_end;
	uint32_t idle[DEVICES_MAX]; /* disks that had no request in flight at the end */
	unsigned int idle_count;
	uint64_t missed_events;		 /* rows with IO_EVENT_MISSED */
	uint64_t lost[LOSS_CLASS_COUNT]; /* already written as loss rows */
	struct probes *probes;
	struct trace_writer *writer;
	struct registry *registry;
	struct cache_account *account;
	struct diskstats *diskstats;
	struct io_order *order;
	struct depth_meter *depth;
	struct bios *bios;
	pthread_t thread;
	bool thread_runs;
	atomic_bool stop;
	int error; /* of the thread; read after it was joined */
	int failure_fd;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

static int append_io(const struct io_event *event, void *context)
{
	const struct io_subject *subject = &event->subject;
	struct recording *r = context;
	uint32_t device = registry__device(r->registry, event->device), depth;
	struct io_row row;

	depth = event->flags & IO_EVENT_BIO
			? (uint32_t)event->issue_number
			: depth_meter__next(r->depth, device, event->issue_number, event->issued_ns,
					    event->completed_ns);
	/* What ended before the first or after the last look at the kernel's counters is not in
	 * them either. */
	if (event->completed_ns && event->completed_ns < r->active_ns)
		return 0;
	if (event->completed_ns > r->stop_ns) {
		r->in_flight_at_end += event->created_ns <= r->stop_ns;
		return 0;
	}
	translate__io(event, r->active_ns, &row);
	bios__link_row(r->bios, event, &row);
	row.device = device;
	row.depth = depth;
	row.cgroup = registry__cgroup(r->registry, subject->cgroup);
	if (event->pid || event->comm[0])
		row.task = registry__task(r->registry, event->pid, event->tgid,
					  event->flags & IO_EVENT_KTHREAD, event->comm);
	if (subject->origin == ORIGIN_FILE || subject->origin == ORIGIN_BLOCKDEV)
		row.file = registry__file(r->registry, subject->fs_device, subject->inode,
					  subject->inode_mode);
	r->started_before += !!(row.flags & IO_STARTED_BEFORE);
	r->missed_events += !!(row.flags & IO_EVENT_MISSED);
	/* At the layer above it was counted already. */
	if (r->cache && row.op == IO_OP_WRITE && row.origin == IO_ORIGIN_FILE && !row.parent_id &&
	    cache_account__written_back(r->account, event))
		return -ENOMEM;
	return trace_writer__append_io(r->writer, &row);
}

static int add_event(struct recording *r, const struct io_event *event)
{
	if (io_order__add(r->order, event))
		return io_order__release(r->order, UINT64_MAX, append_io, r);
	return 0;
}

static int on_record(void *context, void *data, size_t bytes)
{
	struct recording *r = context;
	const uint8_t *type = data;
	struct io_event event;
	int taken;

	if (bytes == sizeof(struct file_event) && *type == EVENT_FILE) {
		registry__name_file(r->registry, data);
		return 0;
	}
	if (bytes == sizeof(struct io_event) && *type == EVENT_IO)
		return add_event(r, data);
	taken = bios__take(r->bios, data, bytes, &event);
	return taken == 1 ? add_event(r, &event) : taken;
}

/* All of the records of this moment; with `last`, of any moment. */
static int drain(struct recording *r, int timeout_ms, bool last)
{
	uint64_t until_ns;
	int err;

	err = timeout_ms ? probes__drain(r->probes, timeout_ms, on_record, r) : 0;
	until_ns = last ? UINT64_MAX : clock_ns(CLOCK_MONOTONIC);
	if (!err)
		err = probes__drain(r->probes, 0, on_record, r);
	if (!err)
		err = io_order__release(r->order, until_ns, append_io, r);
	bios__age(r->bios);
	return err;
}

static struct watched *find_watched(struct recording *r, uint32_t major, uint32_t minor)
{
	for (unsigned int i = 0; i < r->device_count; i++)
		if (r->devices[i].choice.major == major && r->devices[i].choice.minor == minor)
			return &r->devices[i];
	return NULL;
}

static bool tick_wanted(uint32_t major, uint32_t minor, void *context)
{
	struct recording *r = context;
	struct device_choice choice;
	struct watched *watched;
	char name[32];

	if (!r->device_count) {
		/* The counters of a partition are those of its disk once more. */
		snprintf(name, sizeof(name), "/sys/dev/block/%u:%u/partition", major, minor);
		return access(name, F_OK) != 0;
	}
	watched = find_watched(r, major, minor);
	if (!watched)
		return false;
	choice = watched->choice;
	watched->present = true;
	/* Of a disk of which only a part is recorded the counters would say something else. */
	return choice.part_major == major && choice.part_minor == minor;
}

static int append_tick(uint32_t major, uint32_t minor, struct tick_row *tick, void *context)
{
	struct recording *r = context;

	tick->device = registry__device(r->registry, major << 20 | minor);
	return trace_writer__append_tick(r->writer, tick);
}

/* A device can be taken away while it is recorded; the others go on. */
static int notice_vanished(struct recording *r)
{
	unsigned int gone = 0;

	for (unsigned int i = 0; i < r->device_count; i++) {
		struct watched *watched = &r->devices[i];
		struct trace_device device;

		devices__describe(watched->choice.major, watched->choice.minor, &device);
		if (!watched->gone && (!watched->present || !device.size_bytes)) {
			watched->gone = true;
			pr_warn("%s has disappeared: nothing more of it can be recorded",
				watched->choice.name);
		}
		watched->present = false;
		gone += watched->gone;
	}
	return r->device_count && gone == r->device_count ? -ENODEV : 0;
}

static int note_lost_numbers(uint32_t device, uint64_t count, void *context)
{
	struct recording *r = context;

	depth_meter__lost(r->depth, registry__device(r->registry, device), count);
	return 0;
}

static int append_losses(struct recording *r, uint64_t now_ns)
{
	uint64_t losses[LOSS_CLASS_COUNT];
	int err = 0;

	probes__losses(r->probes, losses);
	if (losses[LOSS_IO_RING] != r->lost[LOSS_IO_RING])
		err = probes__each_lost(r->probes, note_lost_numbers, r);
	losses[LOSS_IO_EVENT] = r->missed_events;
	for (unsigned int kind = 0; kind < LOSS_CLASS_COUNT && !err; kind++) {
		struct loss_row row = {
			.from_ns = r->last_tick_ns,
			.to_ns = now_ns,
			.count = losses[kind] - r->lost[kind],
			.class = kind,
		};

		if (!row.count)
			continue;
		err = trace_writer__append_loss(r->writer, &row);
		r->lost[kind] = losses[kind];
	}
	return err;
}

static int sample_counters(struct recording *r, uint64_t now_ns)
{
	return diskstats__sample(r->diskstats, now_ns, tick_wanted, append_tick, r);
}

/* The names of files that the account has are in the rings by then: they are drained between. */
static int append_account(struct recording *r, uint64_t now_ns)
{
	int err;

	err = cache_account__read(r->account, r->probes);
	if (!err)
		err = drain(r, 0, false);
	if (err)
		return err;
	return cache_account__write(r->account, r->registry, r->writer, now_ns,
				    now_ns - r->last_tick_ns);
}

/* Page-cache account, losses; and everything goes to the file. */
static int flush(struct recording *r, uint64_t now_ns)
{
	int err = 0;

	if (r->cache)
		err = append_account(r, now_ns);
	if (!err)
		err = append_losses(r, now_ns);
	if (!err)
		err = trace_writer__flush(r->writer);
	r->last_tick_ns = now_ns;
	return err;
}

/* Once a second: a recorder that is killed loses no more than that. */
static int tick(struct recording *r)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	int err;

	err = sample_counters(r, now_ns);
	return err ? err : flush(r, now_ns);
}

static void *recording_thread(void *context)
{
	struct recording *r = context;
	uint64_t one = 1;
	int err = 0;

	while (!err && !atomic_load(&r->stop)) {
		char bytes[UNITS_TEXT_MAX], count[UNITS_TEXT_MAX];

		err = drain(r, DRAIN_INTERVAL_MS, false);
		if (!err && clock_ns(CLOCK_MONOTONIC) - r->last_tick_ns >= TICK_INTERVAL_NS) {
			err = tick(r);
			if (!err)
				err = notice_vanished(r);
		}
		progress("recording: %s IOs, %s",
			 units_count(trace_writer__io_rows(r->writer), count),
			 units_bytes(trace_writer__bytes(r->writer), bytes));
	}
	progress_end();
	r->error = err;
	if (err) {
		/* Nobody will read the rings any more: stop filling them. */
		probes__detach(r->probes);
		if (write(r->failure_fd, &one, sizeof(one)) != sizeof(one))
			pr_err("cannot signal the end of the recording: %s", strerror(errno));
	}
	return NULL;
}

static int choose_devices(struct recording *r, const struct recording_options *options,
			  char message[COLLECTOR_MESSAGE_MAX])
{
	struct recording_scope scope;
	int err = recording_scope__choose(options, &scope, message);

	if (err)
		return err;
	for (unsigned int i = 0; i < scope.device_count; i++)
		r->devices[i].choice = scope.devices[i];
	r->device_count = scope.device_count;
	r->parts = scope.parts;
	return 0;
}

static int load_probes(struct recording *r, const struct recording_options *options,
		       char message[COLLECTOR_MESSAGE_MAX])
{
	struct device_choice choices[DEVICES_MAX];
	struct probes_options probes = {
		.devices = choices,
		.device_count = r->device_count,
		.ops = options->ops,
		.parts = r->parts,
		.watch_below = options->stack && r->device_count,
		.pid = options->pid,
		.ring_bytes = options->ring_bytes,
	};
	int err = 0;

	for (unsigned int i = 0; i < r->device_count; i++)
		choices[i] = r->devices[i].choice;
	if (options->cgroup_path)
		err = recording_scope__cgroup(options->cgroup_path, &probes.cgroup_id, message);
	if (!err)
		err = probes__load(&probes, &r->probes, message);
	return err;
}

static int create_output(struct recording *r, const struct recording_options *options,
			 const struct trace_host *host, char message[COLLECTOR_MESSAGE_MAX])
{
	struct trace_writer_options writer = {.zstd_level = options->zstd_level,
					      .resolution_ns = host->resolution_ns,
					      .anonymizer = options->anonymizer};
	int err;

	err = trace_writer__create(r->path, host, &writer, &r->writer);
	if (err)
		output_file__explain(r->path, err, message, COLLECTOR_MESSAGE_MAX);
	if (err)
		return err;
	err = recording_head__add_tiers(options, r->parts, r->writer);
	if (!err)
		err = registry__create(r->writer, &r->registry);
	for (unsigned int i = 0; i < r->device_count && !err; i++)
		if (!registry__device(r->registry, r->devices[i].choice.major << 20 |
							   r->devices[i].choice.minor))
			err = -ENOMEM;
	return err;
}

static void release(struct recording *r)
{
	probes__free(r->probes);
	registry__free(r->registry);
	cache_account__free(r->account);
	diskstats__free(r->diskstats);
	io_order__free(r->order);
	depth_meter__free(r->depth);
	bios__free(r->bios);
	if (r->failure_fd >= 0)
		close(r->failure_fd);
	free(r);
}

static int prepare(struct recording *r, const struct recording_options *options,
		   char message[COLLECTOR_MESSAGE_MAX])
{
	int err;

	err = choose_devices(r, options, message);
	if (!err)
		err = load_probes(r, options, message);
	if (!err)
		err = cache_account__create(&r->account);
	if (!err)
		err = diskstats__create(&r->diskstats);
	if (!err)
		err = io_order__create(&r->order);
	if (!err)
		err = depth_meter__create(&r->depth);
	if (!err)
		err = bios__create(r->parts & PROBE_LINKS, &r->bios);
	r->failure_fd = err ? -1 : eventfd(0, EFD_CLOEXEC);
	if (!err && r->failure_fd < 0)
		err = -errno;
	return err;
}

/* From here on nothing is needed that would need a right. */
static int give_up_privileges(struct recording *r, const struct privileges_plan *plan)
{
	uint64_t kept;
	int err;

	if (!plan)
		return 0;
	err = privileges__drop(plan, probes__are_readable, r->probes, &kept);
	if (err)
		return err;
	if (kept & PRIVILEGE(CAP_DAC_OVERRIDE))
		pr_info("CAP_DAC_OVERRIDE is kept: the folder of %s is closed to root without it",
			r->path);
	if (kept & ~plan->keep)
		pr_info("CAP_BPF is kept: this kernel asks for it to read what the probes count");
	return 0;
}

/* The output comes last: what could not start must not have replaced an earlier trace. */
static int begin(struct recording *r, const struct recording_options *options,
		 char message[COLLECTOR_MESSAGE_MAX])
{
	struct trace_host host;
	int err;

	recording_head__fill(&host, options);
	r->start_ns = r->last_tick_ns = host.start_ns;
	err = probes__attach(r->probes, message);
	if (!err && options->privileges)
		err = privileges__become_user(options->privileges);
	if (!err)
		err = create_output(r, options, &host, message);
	if (!err)
		err = trace_writer__flush(r->writer);
	if (!err)
		err = give_up_privileges(r, options->privileges);
	probes__resume(r->probes);
	r->active_ns = clock_ns(CLOCK_MONOTONIC);
	/* The first sample only takes the counters. */
	if (!err)
		err = sample_counters(r, r->active_ns);
	if (!err)
		err = -pthread_create(&r->thread, NULL, recording_thread, r);
	r->thread_runs = !err;
	return err;
}

int recording__start(const char *path, const struct recording_options *options,
		     struct recording **recording, char message[COLLECTOR_MESSAGE_MAX])
{
	struct recording *r = calloc(1, sizeof(*r));
	int err;

	message[0] = '\0';
	if (!r)
		return -ENOMEM;
	if (strlen(path) >= sizeof(r->path)) {
		free(r);
		snprintf(message, COLLECTOR_MESSAGE_MAX, "the name of the output is too long");
		return -ENAMETOOLONG;
	}
	r->failure_fd = -1;
	r->cache = options->cache;
	r->stop_ns = UINT64_MAX;
	snprintf(r->path, sizeof(r->path), "%s", path);
	err = prepare(r, options, message);
	if (!err)
		err = begin(r, options, message);
	if (!err) {
		*recording = r;
		return 0;
	}
	if (!message[0])
		snprintf(message, COLLECTOR_MESSAGE_MAX, "cannot record: %s", strerror(-err));
	if (r->writer) {
		trace_writer__close(r->writer, NULL);
		output_file__remove(path);
	}
	release(r);
	return err;
}

int recording__failure_fd(const struct recording *r)
{
	return r->failure_fd;
}

static bool is_idle(const struct recording *r, uint32_t device)
{
	for (unsigned int i = 0; i < r->idle_count; i++)
		if (r->idle[i] == device)
			return true;
	return false;
}

static int note_idle(struct io_event *event, void *context)
{
	struct recording *r = context;

	if (r->idle_count < DEVICES_MAX && !is_idle(r, event->device) &&
	    !devices__in_flight(event->device >> 20, event->device & 0xfffff))
		r->idle[r->idle_count++] = event->device;
	return 0;
}

/* A request that is left over is in flight; unless the kernel had none left of its device when
 * the probes already took no new ones: then its end was not seen. */
static int append_left_over(struct io_event *event, void *context)
{
	struct recording *r = context;

	if (!is_idle(r, event->device)) {
		r->in_flight_at_end++;
		return 0;
	}
	event->flags |= IO_EVENT_NO_END;
	return append_io(event, r);
}

static int stop_probes(struct recording *r)
{
	int err;

	r->stop_ns = clock_ns(CLOCK_MONOTONIC);
	err = sample_counters(r, r->stop_ns);
	probes__pause(r->probes);
	if (!err)
		err = probes__each_request(r->probes, note_idle, r);
	probes__detach(r->probes);
	return err;
}

static int finish(struct recording *r, struct trace_summary *summary)
{
	int err;

	err = r->error == -ENODEV ? 0 : r->error;
	if (!err)
		err = stop_probes(r);
	summary->stop_ns = r->error ? clock_ns(CLOCK_MONOTONIC) : r->stop_ns;
	if (!err)
		err = drain(r, 0, true);
	if (!err)
		err = probes__each_request(r->probes, append_left_over, r);
	r->in_flight_at_end += probes__bios_in_flight(r->probes);
	if (!err)
		err = flush(r, summary->stop_ns);
	summary->in_flight_at_end = r->in_flight_at_end;
	summary->readahead_unknown_pages =
		probes__unread_pages(r->probes) * (uint64_t)sysconf(_SC_PAGESIZE) / PAGE_BYTES;
	summary->started_before = r->started_before;
	return err;
}

static void describe_failure(const struct recording *r, int err, uint64_t rows, uint64_t bytes,
			     char message[COLLECTOR_MESSAGE_MAX])
{
	char count[UNITS_TEXT_MAX], size[UNITS_TEXT_MAX];

	if (err == -ENODEV)
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "the recording ended early: every device that it watched has disappeared");
	else
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "the recording ended early: cannot write %s: %s; what was written before "
			 "is whole and readable (up to %s IOs, %s)",
			 r->path, strerror(-err), units_count(rows, count),
			 units_bytes(bytes, size));
}

int recording__stop(struct recording *r, int command_status, struct recording_totals *totals,
		    char message[COLLECTOR_MESSAGE_MAX])
{
	struct trace_summary summary = {.command_status = command_status};
	struct stat file;
	int err, close_err;

	message[0] = '\0';
	atomic_store(&r->stop, true);
	if (r->thread_runs)
		pthread_join(r->thread, NULL);
	err = finish(r, &summary);
	memset(totals, 0, sizeof(*totals));
	totals->io_rows = trace_writer__io_rows(r->writer);
	totals->duration_ns = summary.stop_ns - r->start_ns;
	totals->in_flight_at_end = summary.in_flight_at_end;
	totals->unlinked = probes__bio_counts(r->probes).unlinked;
	for (unsigned int i = 0; i < LOSS_CLASS_COUNT; i++)
		totals->lost += r->lost[i];
	totals->file_bytes = trace_writer__bytes(r->writer);
	close_err = trace_writer__close(r->writer, err ? NULL : &summary);
	/* Closing adds the summary and the index. */
	if (!close_err && !stat(r->path, &file))
		totals->file_bytes = (uint64_t)file.st_size;
	if (!err)
		err = close_err;
	if (!err)
		err = r->error;
	if (err)
		describe_failure(r, err, totals->io_rows, totals->file_bytes, message);
	release(r);
	return err;
}
