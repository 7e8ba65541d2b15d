// SPDX-License-Identifier: MIT
/* Findings about the IOs of one device. */
#include "base/units.h"
#include "explain/findings/families.h"
#include "explain/findings/savings.h"
#include "explain/findings/thresholds.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* An IO has a row when it completes; the kernel's counters tell of the others. */
bool finding_hung_applies(const struct explanation *x, const struct explain_device *d,
			  uint64_t *hung_ns)
{
	uint64_t since_ns = d->last_completed_ns ? d->last_completed_ns : x->host.start_ns;

	*hung_ns = since_ns && d->last_tick_ns > since_ns ? d->last_tick_ns - since_ns : 0;
	/* A recording without rows, or a device without requests. */
	for (int op = 0; op < TICK_OP_COUNT && !d->last_completed_ns; op++)
		if (d->kernel[op].ios)
			return false;
	return d->in_flight_at_last_tick && !x->lost && *hung_ns >= HUNG_MIN_NS;
}

static void finding_hung(struct finding_list *list, const struct explain_device *d)
{
	struct explain_finding *finding;
	uint64_t hung_ns;

	if (!finding_hung_applies(list->x, d, &hung_ns))
		return;
	finding = finding_add(list, "hung-ios", SEVERITY_CRITICAL, d);
	finding_title(finding, "IOs of %s do not complete", d->info.name);
	finding_evidence(finding,
			 "%s %s in flight at the end, and none completed in the last %s: they are "
			 "in no other figure.",
			 COUNTED_TEXT(d->in_flight_at_last_tick, "request"),
			 d->in_flight_at_last_tick == 1 ? "was" : "were", TIME_TEXT(hung_ns));
	finding_advice(
		finding,
		"Look at the kernel log (dmesg) for timeouts and resets, at the paths to the "
		"device (multipath -ll, nvme list-subsys, iscsiadm -m session) and at what "
		"serves it; /sys/kernel/debug/block/%s/hctx*/busy lists the requests.",
		d->info.name);
}

/* A filtered recording is not compared with the counters, so filters are no reason. */
static void advise_on_difference(struct explain_finding *finding, const struct finding_list *list,
				 const struct explain_device *d, int op)
{
	static const enum loss_class of_ios[] = {LOSS_IO_RING, LOSS_IO_STATE, LOSS_RECURSION,
						 LOSS_OUTPUT, LOSS_FILE_DAMAGE};
	uint64_t lost = 0;

	for (size_t i = 0; i < sizeof(of_ios) / sizeof(of_ios[0]); i++)
		lost += list->x->losses[of_ios[i]].count;
	if (d->counted[op].ios > d->kernel[op].ios)
		finding_advice(finding,
			       "The kernel counted too few: it counts nothing while iostats of the "
			       "queue is off (/sys/block/%s/queue/iostats). Trust the rows.",
			       d->info.name);
	else if (d->counted[op].ios == d->kernel[op].ios)
		finding_advice(finding, "No IO is missing, but sizes or merges of some are not as "
					"the kernel counted them. Trust the kernel's figures.");
	else if (lost)
		finding_advice(finding,
			       "The recording lost rows (%s of all devices, see the finding "
			       "'losses' and its remedy). Trust the kernel's figures.",
			       COUNT_TEXT(lost));
	else
		finding_advice(finding,
			       "No loss was counted: the kernel did not tell the recorder of these "
			       "IOs, as when another tracer runs beside it and the kernel skips "
			       "one of both without counting that. Trust the kernel's figures, and "
			       "record again alone.");
}

static void finding_disagrees(struct finding_list *list, const struct explain_device *d)
{
	struct explain_finding *finding;
	int op = 0;

	if (d->agreement != AGREEMENT_DIFFERS)
		return;
	while (op < TICK_OP_COUNT - 1 && d->counted[op].ios == d->kernel[op].ios &&
	       d->counted[op].bytes == d->kernel[op].bytes &&
	       d->counted[op].merges == d->kernel[op].merges)
		op++;
	finding = finding_add(list, "disagrees-with-kernel", SEVERITY_WARNING, d);
	finding_title(finding, "the rows of %s do not add up to the kernel's own counters",
		      d->info.name);
	finding_evidence(finding,
			 "%s: %s IOs, %s merges and %s recorded; the kernel counted %s, %s and %s.",
			 tick_op_name((enum tick_op)op), COUNT_TEXT(d->counted[op].ios),
			 COUNT_TEXT(d->counted[op].merges), BYTES_TEXT(d->counted[op].bytes),
			 COUNT_TEXT(d->kernel[op].ios), COUNT_TEXT(d->kernel[op].merges),
			 BYTES_TEXT(d->kernel[op].bytes));
	advise_on_difference(finding, list, d, op);
}

/* Reads of file pages, but those that are work of IOs of a device above: its readahead made their size. */
static struct explain_origin file_reads_of(const struct explain_device *d)
{
	struct explain_origin file = d->origin[DIRECTION_READ][IO_ORIGIN_FILE];

	file.ios -= d->linked.origin[DIRECTION_READ][IO_ORIGIN_FILE].ios;
	file.bytes -= d->linked.origin[DIRECTION_READ][IO_ORIGIN_FILE].bytes;
	return file;
}

bool finding_readahead_small_applies(const struct explain_device *d)
{
	const struct explain_origin file = file_reads_of(d);
	uint64_t limit_bytes = (uint64_t)d->info.read_ahead_kb * 1024;
	double at_limit_pct;

	if (file.ios < FINDING_MIN_IOS || !limit_bytes ||
	    d->info.read_ahead_kb > READAHEAD_SMALL_KB_MAX ||
	    explain_pct(d->sequential_file_reads, file.ios) < READAHEAD_SEQUENTIAL_PCT)
		return false;
	at_limit_pct = explain_pct(file.bytes / file.ios, limit_bytes);
	return at_limit_pct >= READAHEAD_AT_LIMIT_LOW_PCT &&
	       at_limit_pct <= READAHEAD_AT_LIMIT_TOP_PCT;
}

#define MAJOR_OF_NO_DEVICE  0u	 /* of file systems such as btrfs */
#define MAJOR_OF_PARTITIONS 259u /* of devices that have no numbers for partitions */

static bool is_own_or_partition(const struct explain_device *d)
{
	if (d->read_major == MAJOR_OF_NO_DEVICE || d->read_major == MAJOR_OF_PARTITIONS)
		return true;
	return d->read_major == d->info.major &&
	       (d->read_minor == d->info.minor || !*d->info.stacked_on);
}

static bool is_of_no_device(const struct explain_device *d)
{
	return d->read_major == MAJOR_OF_NO_DEVICE && d->read_minor;
}

/* Readahead is a setting of the device that the file system is on, which may lie above this one. */
static void advise_on_readahead(struct explain_finding *finding, const struct explanation *x,
				const struct explain_device *d)
{
	char name[TRACE_NAME_MAX + 32];

	if (is_of_no_device(d)) {
		finding_advice(finding, "Try a larger readahead of the file system (read_ahead_kb "
					"in /sys/fs/btrfs/*/bdi, or below /sys/class/bdi) and "
					"record again: fewer, larger reads.");
		return;
	}
	snprintf(name, sizeof(name), "block/%u:%u", d->read_major, d->read_minor);
	if (is_own_or_partition(d))
		snprintf(name, sizeof(name), "%s", d->info.name);
	for (uint32_t i = 0; i < x->device_count; i++)
		if (x->devices[i]->info.major == d->read_major &&
		    x->devices[i]->info.minor == d->read_minor && d->read_major)
			snprintf(name, sizeof(name), "%s", x->devices[i]->info.name);
	finding_advice(finding,
		       "Try a larger readahead (blockdev --setra 4096 /dev/%s sets 2 MiB) and "
		       "record again: fewer, larger reads. A file that is open keeps the old one.",
		       name);
}

static void finding_readahead_small(struct finding_list *list, const struct explain_device *d)
{
	const struct explain_origin file = file_reads_of(d);
	struct explain_finding *finding;

	if (!finding_readahead_small_applies(d))
		return;
	finding = finding_add(list, "readahead-small", SEVERITY_INFO, d);
	finding_title(finding, "sequential reads reach %s in pieces as small as its readahead",
		      d->info.name);
	finding_evidence(finding,
			 "%s of %s reads of file pages (%.0f %%) were sequential, %s each on "
			 "average; read_ahead_kb is %u.",
			 COUNT_TEXT(d->sequential_file_reads), COUNT_TEXT(file.ios),
			 explain_pct(d->sequential_file_reads, file.ios),
			 BYTES_TEXT(file.bytes / file.ios), d->info.read_ahead_kb);
	advise_on_readahead(finding, list->x, d);
}

static void finding_direct(struct finding_list *list, const struct explain_device *d)
{
	const struct explain_origin *linked = &d->linked.origin[DIRECTION_READ][IO_ORIGIN_DIRECT];
	struct explain_origin direct = d->origin[DIRECTION_READ][IO_ORIGIN_DIRECT];
	double repeated_pct = explain_pct(d->direct_repeated_blocks, d->direct_read_blocks);
	struct explain_finding *finding;

	/* They are those of the device above. */
	if (!list->x->devices_chosen) {
		direct.ios -= linked->ios;
		direct.bytes -= linked->bytes;
		direct.latency_ns -= linked->latency_ns;
	}
	if (direct.ios < FINDING_MIN_IOS || d->direct_read_blocks < FINDING_MIN_PAGES ||
	    repeated_pct < DIRECT_REPEATED_PCT)
		return;
	finding = finding_add(list, "direct-io-bypass", SEVERITY_WARNING, d);
	finding->saves_max_ns = (uint64_t)((double)direct.latency_ns * repeated_pct / 100);
	finding_title(finding, "O_DIRECT reads of %s fetch the same blocks again and again",
		      d->info.name);
	finding_evidence(finding,
			 "%s direct reads (%s) took %s in total; about %.0f %% of the 4 KiB blocks "
			 "had been read before in this recording.",
			 COUNT_TEXT(direct.ios), BYTES_TEXT(direct.bytes),
			 TIME_TEXT(direct.latency_ns), repeated_pct);
	finding_advice(
		finding,
		"Give the application a larger cache of its own (such as a database's buffer "
		"pool), or let it read through the page cache (without O_DIRECT).");
}

/*
 * 0: not known. Without rows of the kernel's own flushes, a write with data has the flush before it in its latency. With
 * them a request for a flush and the flush of the kernel that carries it out are the same time.
 */
static uint64_t flush_ns(const struct explain_device *d)
{
	const struct histogram *requests = d->flush_request_latency[LATENCY_TOTAL];
	uint64_t requests_ns = requests ? (uint64_t)requests->sum : 0;
	uint64_t kernel_ns = d->latency_sum_ns[TICK_FLUSH][LATENCY_TOTAL];

	if (!d->kernel_flush_ios &&
	    d->flushes_requested > d->flush_requests + d->counted[TICK_FLUSH].ios)
		return 0;
	return requests_ns > kernel_ns ? requests_ns : kernel_ns;
}

/* Syncs wait for data and for the journal, too, which a device that flushes at once still has to write. */
static bool are_flushes_cheap(const struct explanation *x, uint64_t flushes_ns)
{
	uint64_t syncs_ns;

	explain_most_waiting(&x->waits, WAITS_OF_SYNCS, &syncs_ns);
	if (syncs_ns)
		return flushes_ns && explain_pct(flushes_ns, syncs_ns) < FLUSH_CHEAP_PCT;
	return flushes_ns && explain_pct(flushes_ns, x->duration_ns) < FLUSH_MIN_PCT;
}

static void advise_on_flushes(struct explain_finding *finding, bool are_cheap)
{
	finding_advice(finding,
		       "Commit in groups (fewer fsync calls; a database's group commit)%s use "
		       "fdatasync on preallocated files%s.",
		       are_cheap ? " or" : ",",
		       are_cheap ? ""
				 : ", or a device with power-loss protection, where a flush costs "
				   "nothing");
}

static void finding_fsync_storm(struct finding_list *list, const struct explain_device *d)
{
	uint64_t flushes = d->counted[TICK_FLUSH].ios, duration_ns = list->x->duration_ns;
	uint64_t writes = d->counted[TICK_WRITE].ios - d->flush_requests;
	uint64_t flushes_ns = flush_ns(d);
	struct explain_finding *finding;
	char took[UNITS_TEXT_MAX + 16] = "";
	double per_second;
	bool are_cheap;

	if (flushes < d->flushes_requested)
		flushes = d->flushes_requested;
	if (flushes < FLUSH_MIN || duration_ns < FINDING_MIN_DURATION_NS)
		return;
	per_second = (double)flushes * (double)NSEC_PER_SEC / (double)duration_ns;
	if (per_second < FLUSH_MIN_PER_SECOND ||
	    (writes && explain_pct(flushes, writes) < FLUSH_MIN_PER_WRITE_PCT))
		return;
	are_cheap = are_flushes_cheap(list->x, flushes_ns);
	finding = finding_add(list, "fsync-storm", are_cheap ? SEVERITY_INFO : SEVERITY_WARNING, d);
	finding->saves_max_ns = flushes_ns;
	if (flushes_ns)
		snprintf(took, sizeof(took), ", %s in all", TIME_TEXT(flushes_ns));
	finding_title(finding, "the cache of %s is flushed very often", d->info.name);
	finding_evidence(finding,
			 "%s flushes in %s (%s a second%s) and %s writes of data: %.2f "
			 "flushes per write.",
			 COUNT_TEXT(flushes), TIME_TEXT(duration_ns),
			 COUNT_TEXT((uint64_t)per_second), took, COUNT_TEXT(writes),
			 writes ? (double)flushes / (double)writes : 0.0);
	advise_on_flushes(finding, are_cheap);
}

static void finding_journal(struct finding_list *list, const struct explain_device *d)
{
	uint64_t writes = d->counted[TICK_WRITE].ios - d->flush_requests;
	double seconds = (double)list->x->duration_ns / (double)NSEC_PER_SEC;
	struct explain_finding *finding;

	if (d->small_journal_writes < JOURNAL_MIN_WRITES ||
	    (double)d->small_journal_writes < JOURNAL_MIN_PER_SECOND * seconds ||
	    explain_pct(d->small_journal_writes, writes) < JOURNAL_PCT)
		return;
	finding = finding_add(list, "small-writes-journal", SEVERITY_INFO, d);
	finding_title(finding, "many writes to %s are small commits of a journal or metadata",
		      d->info.name);
	finding_evidence(finding,
			 "%s of %s writes (%.0f %%) were 16 KiB or less and metadata, FUA or with "
			 "a flush before them.",
			 COUNT_TEXT(d->small_journal_writes), COUNT_TEXT(writes),
			 explain_pct(d->small_journal_writes, writes));
	finding_advice(
		finding,
		"Sync less often and in larger transactions, or mount with lazytime or noatime. A "
		"new file system can have its journal on a device of its own (mke2fs -O "
		"journal_dev, which formats that device; mkfs.xfs -l logdev=).");
}

void findings_of_devices(struct finding_list *list)
{
	for (uint32_t i = 0; i < list->x->device_count; i++) {
		const struct explain_device *d = list->x->devices[i];

		findings_of_errors(list, d);
		finding_hung(list, d);
		finding_disagrees(list, d);
		finding_fsync_storm(list, d);
		finding_journal(list, d);
		finding_direct(list, d);
		finding_readahead_small(list, d);
		findings_of_latency(list, d);
	}
}
