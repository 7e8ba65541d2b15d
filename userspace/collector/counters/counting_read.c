// SPDX-License-Identifier: MIT
/* Reads the counts of a disk, and puts the number in flight right. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/units.h"
#include "collector/counters/counting_internal.h"
#include "collector/counters/counting_probes.h"
#include "collector/host/devices.h"

#define QUIET_NS       (250 * NSEC_PER_MSEC)
#define AGREEING_READS 3
#define STEADY_TRIES   64
#define SUM_BITS       (64 - TALLY_COUNT_BITS)
#define SUM_MASK       ((1ull << SUM_BITS) - 1)

int counting_read_stat(struct counting_probes *t, uint32_t at, struct tally_stat *sum)
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

void counting_read_moment(const struct counting_probes *t, const struct tally_device *device,
			  struct counting_moment *moment)
{
	for (unsigned int i = 0; i < STEADY_TRIES; i++) {
		moment->flow = __atomic_load_n(&device->flow, __ATOMIC_ACQUIRE);
		moment->time_ns = counting_now_ns() - t->base_ns;
		moment->busy_ns = busy_until(t, device, moment->time_ns);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&device->flow, __ATOMIC_ACQUIRE) == moment->flow)
			break;
	}
	moment->depth_ns = ((moment->flow >> TALLY_COUNT_BITS) +
			    (moment->flow & TALLY_COUNT_MASK) * moment->time_ns) &
			   SUM_MASK;
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
	const struct tally_place *place = counting_place(t, slot);

	return !t->from_issue && place && counting_now_ns() < place->remember_until_ns;
}

/* Starts are remembered in the first second, and while the kernel does not note when requests
 * start. Leftover entries could be taken for the start of a later life of a request. */
static void choose_table(struct counting_probes *t, int slot)
{
	struct counting_slot *s = &t->slots[slot];
	struct tally_place *place = counting_place(t, slot);
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
static int64_t kernel_in_flight(const struct counting_slot *s)
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
	struct tally_device *device = counting_device(t, slot);
	struct counting_slot *s = &t->slots[slot];
	int64_t excess = 0, theirs;
	unsigned int agreed = 0;
	uint64_t flow = 0;

	if (!t->comparable || !devices__accounted(s->major, s->minor))
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
	    !end_requests(t, device, flow, excess, counting_now_ns() - t->base_ns))
		return 0;
	return (uint64_t)excess;
}

/*
 * A start or end that the kernel did not report makes the number in flight wrong. It is corrected
 * when nothing has happened for a while and the kernel has nothing in flight.
 */
static uint64_t correct_quiet(struct counting_probes *t, int slot,
			      const struct counting_moment *now)
{
	struct counting_slot *s = &t->slots[slot];
	int16_t count = (int16_t)(now->flow & TALLY_COUNT_MASK);

	s->quiet_ns = now->flow == s->last.flow ? s->quiet_ns + now->time_ns - s->last.time_ns : 0;
	if (!count || s->quiet_ns < QUIET_NS || devices__in_flight(s->major, s->minor) ||
	    !end_requests(t, counting_device(t, slot), now->flow, count, now->time_ns))
		return 0;
	return (uint64_t)abs(count);
}

static int read_ops(struct counting_probes *t, int slot, struct counting_figures *figures)
{
	for (uint32_t i = 0; i < TALLY_OP_COUNT; i++) {
		struct tally_stat *before = &t->slots[slot].stats[i], now;
		struct counting_op_figures *op = &figures->op[i];
		int err = counting_read_stat(t, (uint32_t)slot * TALLY_OP_COUNT + i, &now);

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
	struct tally_device *device = counting_device(t, slot);
	struct counting_slot *s = &t->slots[slot];
	struct counting_moment now;
	bool quiet; /* nothing happened but the correction of a wrong number */
	bool moved;
	int err = 0;

	memset(figures, 0, sizeof(*figures));
	choose_table(t, slot);
	figures->depth_max = __atomic_exchange_n(&device->depth_max, 0, __ATOMIC_SEQ_CST);
	counting_read_moment(t, device, &now);
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
	/* No start and no end: no counts to read. The probe notes an end before it counts the IO: the
	 * last read may have come in between. */
	moved = now.flow != s->last.flow;
	if (moved || s->moved || figures->passthrough_ios)
		err = read_ops(t, slot, figures);
	s->moved = moved;
	s->passthrough_ios = device->passthrough_ios;
	if (figures->drift)
		counting_read_moment(t, device, &now);
	s->last = now;
	return err;
}
