// SPDX-License-Identifier: MIT
#include "replay/session/jobs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/exit_codes.h"
#include "base/log.h"
#include "replay/verify/stamp.h"

static void set_plan_options(const struct replay_options *options, struct replay_job *job)
{
	job->plan_options = (struct plan_options){
		.write = options->write || options->stamp.verify,
		.reads_only = options->reads_only,
		.unsupported = options->unsupported,
		.source_bytes = job->input->device_bytes,
		.source_zone_bytes = job->input->zone_bytes,
	};
	if (options->fit != REPLAY_NOT_GIVEN)
		job->plan_options.fit = REPLAY_FIT_WRAP + options->fit;
}

static int check_request(const struct replay_options *options, struct replay_job *job, bool several,
			 struct failure *failure)
{
	const struct replay_input *input = job->input;
	char message[PLAN_MESSAGE_MAX];
	int err;

	set_plan_options(options, job);
	err = plan__request(&input->survey, &job->plan_options, &job->request, message);
	job->request.writes &= !options->stamp.verify;
	if (!err)
		return replay_chain_check(input, options->mode, failure);
	return failure_add(failure, err == -EPERM ? EXIT_REFUSED : EXIT_BAD_INPUT, "%s%s%s%s: %s",
			   err == -EPERM ? "refused: " : "", input->path, several ? ", " : "",
			   several ? input->device_name : "", message);
}

/* Targets ------------------------------------------------------------------------------------ */

static bool same_file(const char *a, const char *b)
{
	struct stat first, second;

	return !stat(a, &first) && !stat(b, &second) && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

static bool same_target(const char *a, const char *b)
{
	return !strcmp(a, b) || same_file(a, b);
}

/* True when a job with the same target changes what is stored. */
static bool is_written(const struct replay_jobs *jobs, const struct replay_job *job)
{
	bool writes = job->request.writes;

	for (unsigned int i = 0; i < jobs->count; i++)
		writes |= jobs->items[i].request.writes &&
			  same_target(jobs->items[i].target_path, job->target_path);
	return writes;
}

/* The same for operations on zones. */
static bool has_zones(const struct replay_jobs *jobs, const struct replay_job *job)
{
	bool zones = false;

	for (unsigned int i = 0; i < jobs->count; i++)
		zones |= (jobs->items[i].input->survey.ops[REPLAY_ZONE] ||
			  jobs->items[i].input->zone_bytes) &&
			 same_target(jobs->items[i].target_path, job->target_path);
	return zones;
}

static int open_target(const struct replay_options *options, const struct replay_jobs *jobs,
		       struct replay_job *job, struct failure *failure)
{
	struct target_options target_options = {
		.path = job->target_path,
		.writes = is_written(jobs, job),
		.dry_run = options->dry_run,
		.buffered = options->buffered,
		.zones = has_zones(jobs, job),
		.create_bytes = options->create_bytes,
		.forced_signatures = options->force.items,
		.forced_count = options->force.count,
	};
	struct refusal why;
	int err;

	if (same_file(job->target_path, job->input->path))
		return failure_add(failure, EXIT_REFUSED,
				   "refused: %s is the source itself: choose another target",
				   job->target_path);
	err = target__open(&target_options, &job->target, &why);
	if (!err)
		return 0;
	if (why.rule != SAFETY_NO_RULE)
		return failure_add(failure, EXIT_REFUSED, "refused: %s", why.text);
	return failure_add(failure, err == -EACCES || err == -EPERM ? EXIT_PRIVILEGE : EXIT_FAILED,
			   "%s", why.text);
}

/* -o replaces a trace, which can be the target of reads. */
static int check_output(const struct replay_options *options, const struct replay_job *job,
			struct failure *failure)
{
	if (!options->output || !target__is_at(job->target, options->output))
		return 0;
	return failure_add(failure, EXIT_REFUSED,
			   "refused: %s is the target itself: choose another name with -o",
			   options->output);
}

/* Two sources would overwrite each other's data; reads may share a target. */
static int check_apart(const struct replay_jobs *jobs, const struct replay_job *job,
		       struct failure *failure)
{
	struct refusal why;

	for (unsigned int i = 0; &jobs->items[i] < job; i++)
		if ((jobs->items[i].request.writes || job->request.writes) &&
		    safety__check_apart(&safety_view_of_system, jobs->items[i].target_path,
					job->target_path, &why))
			return failure_add(failure, EXIT_REFUSED, "refused: %s", why.text);
	return 0;
}

/* Opens the target, unless an earlier job has it open. */
static int take_target(const struct replay_options *options, struct replay_jobs *jobs,
		       struct replay_job *job, struct failure *failure)
{
	if (check_apart(jobs, job, failure))
		return -1;
	for (unsigned int i = 0; i < jobs->target_count; i++) {
		if (!same_target(target__info(jobs->targets[i])->path, job->target_path))
			continue;
		job->target = jobs->targets[i];
		return check_output(options, job, failure);
	}
	if (open_target(options, jobs, job, failure))
		return -1;
	jobs->targets[jobs->target_count++] = job->target;
	return check_output(options, job, failure);
}

/* Plans -------------------------------------------------------------------------------------- */

static int make_plan(const struct replay_options *options, struct replay_job *job,
		     struct failure *failure)
{
	struct target_info info = *target__info(job->target);
	const char *reasons[REPLAY_OP_COUNT] = {NULL};
	bool with_stamps = options->stamp.stamp || options->stamp.verify;
	char message[PLAN_MESSAGE_MAX];

	if (job->plan_options.fit == REPLAY_FIT_COMPACT) {
		if (replay_chain_footprint(job->input, job->request.ops, &job->footprint, failure))
			return -1;
		job->plan_options.footprint = job->footprint;
	}
	for (unsigned int op = 0; op < REPLAY_OP_COUNT; op++)
		target__supports(job->target, op, &reasons[op]);
	if (job->plan_options.fit != REPLAY_FIT_NONE)
		reasons[REPLAY_ZONE] = "--fit does not keep zones";
	if (with_stamps)
		reasons[REPLAY_ZONE] = "--stamp and --verify do not support zones";
	if (info.zone_bytes && info.buffered && info.writes)
		return failure_add(
			failure, EXIT_REFUSED,
			"refused: %s has zones, which have to be written in order, and the page "
			"cache writes in any order: leave --buffered out",
			info.path);
	/* No shorter than what holds a stamp. */
	if (with_stamps && info.block_bytes < STAMP_BLOCK_MIN_BYTES)
		info.block_bytes = STAMP_BLOCK_MIN_BYTES;
	if (plan__create(&job->input->survey, &job->plan_options, &info, reasons, &job->plan,
			 message))
		return failure_add(failure, EXIT_REFUSED, "refused: %s", message);
	return 0;
}

static int check_polled(const struct replay_options *options, const struct replay_job *job,
			struct failure *failure)
{
	const struct target_info *info = target__info(job->target);

	if (!options->iopoll || info->polled)
		return 0;
	return failure_add(
		failure, EXIT_REFUSED,
		"refused: %s has no queues that can be polled: load its driver with polled queues "
		"(nvme.poll_queues=2 on the kernel's command line; virtio_blk and null_blk have "
		"the same parameter), or leave out --iopoll",
		info->path);
}

static void warn_of_page_cache(const struct replay_options *options, const struct replay_jobs *jobs)
{
	for (unsigned int i = 0; i < jobs->target_count; i++)
		if (!target__info(jobs->targets[i])->direct && !options->buffered &&
		    !options->stamp.verify)
			pr_warn("%s: O_DIRECT does not work here, so the page cache affects the "
				"result",
				target__info(jobs->targets[i])->path);
}

int replay_jobs_prepare(const struct replay_options *options, struct replay_jobs *jobs,
			const struct replay_callbacks *callbacks, struct failure *failure)
{
	bool writes = false;
	int err = 0;

	for (unsigned int i = 0; i < jobs->count && !err; i++) {
		err = check_request(options, &jobs->items[i], jobs->count > 1, failure);
		writes |= jobs->items[i].request.writes;
	}
	for (unsigned int i = 0; i < jobs->count && !err; i++)
		err = take_target(options, jobs, &jobs->items[i], failure);
	for (unsigned int i = 0; i < jobs->count && !err; i++)
		err = check_polled(options, &jobs->items[i], failure);
	for (unsigned int i = 0; i < jobs->count && !err; i++)
		err = make_plan(options, &jobs->items[i], failure);
	if (!err && writes)
		err = callbacks->confirm(callbacks->context, jobs->targets, jobs->target_count,
					 failure);
	if (!err)
		warn_of_page_cache(options, jobs);
	return err;
}

void replay_jobs_close(struct replay_jobs *jobs, bool played)
{
	for (unsigned int i = 0; i < jobs->target_count; i++) {
		if (played)
			target__free(jobs->targets[i]);
		else
			target__abandon(jobs->targets[i]);
	}
	for (unsigned int i = 0; i < jobs->count; i++)
		footprint__free(jobs->items[i].footprint);
}
