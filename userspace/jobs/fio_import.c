// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "jobs/fio.h"
#include "jobs/fio_lines.h"
#include "jobs/fio_options.h"
#include "jobs/fio_rows.h"

#define ASSUMED_SIZE   (1ull << 30)
#define NOTES_MAX      64
#define NOTE_BYTES_MAX 256

struct fio_reader {
	struct fio_job global, jobs[FIO_READ_MAX];
	unsigned int count, count_max;
	bool runs;		       /* the jobs are to be run, not to be described */
	uint64_t target_bytes;	       /* of the target of jobs without a file; 0: not known */
	bool in_global, waits;	       /* a job that is left out had waited */
	char left_out[NOTE_BYTES_MAX]; /* the first job that is */
	struct fio_lines lines;
	char *message;
	fio_note note;
	void *context;
	unsigned int known, unknown; /* options */
	unsigned int note_count;
	/* They come when all is read: of another file, nothing but that it is one. */
	char notes[NOTES_MAX][NOTE_BYTES_MAX];
};

static int fail(struct fio_reader *r, const char *key, const char *value, const char *expected)
{
	const char *variable = strstr(value, "${");

	if (variable) {
		snprintf(r->message, PROFILE_MESSAGE_MAX,
			 "%s: '%.40s': '%.*s' is not set in the environment", r->lines.where, key,
			 (int)strcspn(variable + 2, "}") < 80 ? (int)strcspn(variable + 2, "}")
							      : 80,
			 variable + 2);
		return -EINVAL;
	}
	snprintf(r->message, PROFILE_MESSAGE_MAX, "%s: '%.40s': '%.80s' is not %s", r->lines.where,
		 key, value, expected);
	return -EINVAL;
}

static void say(struct fio_reader *r, const char *key, const char *what)
{
	if (r->note_count < NOTES_MAX)
		snprintf(r->notes[r->note_count], NOTE_BYTES_MAX, "%s: '%.60s' %s", r->lines.where,
			 key, what);
	r->note_count++;
}

static void print_notes(const struct fio_reader *r)
{
	char text[NOTE_BYTES_MAX];

	for (unsigned int i = 0; i < r->note_count && i < NOTES_MAX; i++)
		r->note(r->notes[i], r->context);
	if (r->note_count <= NOTES_MAX)
		return;
	snprintf(text, sizeof(text), "%u more lines like these", r->note_count - NOTES_MAX);
	r->note(text, r->context);
}

/* Lines -------------------------------------------------------------------------------------- */

/* The last job is complete: one that does no IO gives its place to the next. */
static void end_section(struct fio_reader *r)
{
	struct fio_job *job = r->count ? &r->jobs[r->count - 1] : NULL;
	char name[FIO_NAME_MAX];

	if (r->in_global || !job || !job->does_no_io)
		return;
	snprintf(name, sizeof(name), "%s", job->name);
	say(r, name, "does no IO of data (ioengine): the job is left out");
	if (!*r->left_out)
		snprintf(r->left_out, sizeof(r->left_out), "line %d: [%s] does no IO of data",
			 job->engine_line, name);
	r->waits |= job->waits;
	r->count--;
}

static int begin_section(struct fio_reader *r, const char *name)
{
	end_section(r);
	r->in_global = !strcmp(name, "global");
	if (r->in_global)
		return 0;
	if (r->count == r->count_max) {
		snprintf(r->message, PROFILE_MESSAGE_MAX, "%s: more than %u jobs", r->lines.where,
			 r->count_max);
		return -EINVAL;
	}
	r->jobs[r->count] = r->global;
	r->jobs[r->count].waits |= r->waits;
	r->waits = false;
	snprintf(r->jobs[r->count].name, FIO_NAME_MAX, "%s", name);
	r->jobs[r->count].line = r->lines.files[r->lines.depth].line;
	r->count++;
	return 0;
}

/* What only a profile cannot have. */
static bool is_of_runs(const char *key)
{
	return !strcmp(key, "direct") || !strcmp(key, "buffered") || !strcmp(key, "ramp_time");
}

static int take_option(struct fio_reader *r, const char *key, const char *value)
{
	struct fio_job *job = r->in_global ? &r->global : &r->jobs[r->count - 1];
	struct fio_option option;

	if (fio_option__take(job, key, value, &option))
		return fail(r, key, value, option.expected);
	if (option.note && !(r->runs && is_of_runs(key)))
		say(r, key, option.note);
	if (!strcmp(key, "ioengine"))
		job->engine_line = r->lines.files[r->lines.depth].line;
	r->unknown += option.unknown;
	r->known += !option.note;
	return 0;
}

static int parse_line(struct fio_reader *r, char *line)
{
	char *end = line + strlen(line), *value;

	if (*line == '[' && end[-1] == ']') {
		end[-1] = 0;
		return begin_section(r, line + 1);
	}
	if (!r->in_global && !r->count) {
		snprintf(r->message, PROFILE_MESSAGE_MAX,
			 "%s: '%.60s' comes before the first [section]: is it a job file?",
			 r->lines.where, line);
		return -EINVAL;
	}
	value = strchr(line, '=');
	if (value)
		*value++ = 0;
	for (end = line + strlen(line); end > line && (end[-1] == ' ' || end[-1] == '\t');)
		*--end = 0;
	return take_option(r, line, value ? value + strspn(value, " \t") : "1");
}

/* Assumptions -------------------------------------------------------------------------------- */

static void note_zones_behind(const struct fio_reader *r, const struct fio_job *job)
{
	char text[256];

	for (unsigned int i = 0; i < FIO_DIRECTIONS; i++) {
		const struct fio_zones *z = &job->zones[i];

		if (!z->count || !z->absolute || z->ends[z->count - 1] <= job->size_bytes)
			continue;
		snprintf(text, sizeof(text),
			 "[%s] has zones behind its size: what begins there is drawn evenly",
			 job->name);
		r->note(text, r->context);
		return;
	}
}

static uint64_t share_of(uint64_t bytes, unsigned int pct)
{
	return (uint64_t)((unsigned __int128)bytes * pct / 100);
}

static void assume_size(const struct fio_reader *r, struct fio_job *job)
{
	bool in_pct = job->size_pct || job->offset_pct, assumes = in_pct || !job->size_bytes;
	uint64_t whole_bytes;
	char text[256];

	if (job->file_bytes &&
	    !__builtin_mul_overflow(job->file_bytes, job->file_count, &whole_bytes))
		assumes = false;
	else
		whole_bytes = r->target_bytes ? r->target_bytes : ASSUMED_SIZE;
	if (job->offset_pct)
		job->offset_bytes = share_of(whole_bytes, job->offset_pct);
	if (!job->size_bytes)
		job->size_bytes = share_of(whole_bytes, job->size_pct ? job->size_pct : 100);
	if (!assumes || r->target_bytes)
		return;
	snprintf(text, sizeof(text),
		 in_pct ? "[%s] has a size in per cent: a target of 1 GiB is assumed"
			: "[%s] has no size: 1 GiB is assumed",
		 job->name);
	r->note(text, r->context);
}

static void assume(struct fio_reader *r)
{
	unsigned int group = 0;

	for (unsigned int i = 0; i < r->count; i++) {
		struct fio_job *job = &r->jobs[i];
		char text[256];

		group += i && job->waits;
		job->group = group;
		assume_size(r, job);
		note_zones_behind(r, job);
		if (r->runs && !job->is_async)
			job->iodepth = 1;
		if (fio_job_has_rate(job) || r->runs)
			continue;
		snprintf(text, sizeof(text),
			 "[%s] has no rate: 1 ms for each IO and slot of iodepth is assumed; "
			 "'replay --mode dependent' and asap do not ask for it",
			 job->name);
		r->note(text, r->context);
	}
}

/* Tells of each long job how many of its first IOs the profile is made from. */
static void note_cut(struct fio_reader *r)
{
	for (unsigned int i = 0; i < r->count; i++) {
		const struct fio_job *job = &r->jobs[i];
		unsigned int together = 0;
		uint64_t drawn;
		char text[256];

		for (unsigned int k = 0; k < r->count; k++)
			together += r->jobs[k].group == job->group;
		drawn = fio_job_cut(job, together, r->runs);
		if (!drawn)
			continue;
		snprintf(text, sizeof(text), "[%s] would do %s: the first %s stand for all%s",
			 job->name, COUNTED_TEXT(fio_job_ios(job), "IO"), COUNT_TEXT(drawn),
			 !r->runs	   ? ""
			 : job->time_based ? ", again and again"
					   : "; give --runtime, and they are repeated");
		r->note(text, r->context);
	}
}

static int read_jobs(struct fio_reader *r)
{
	char line[FIO_LINE_MAX];
	int err;

	while ((err = fio_lines__next(&r->lines, line, r->message)) > 0) {
		err = parse_line(r, line);
		if (err)
			break;
	}
	if (err)
		return err;
	end_section(r);
	if (!r->count)
		snprintf(r->message, PROFILE_MESSAGE_MAX, "%s%s",
			 *r->left_out ? r->left_out : "there is no job in it",
			 *r->left_out ? " (its ioengine), and no other job does" : "");
	else if (r->unknown && !r->known)
		snprintf(r->message, PROFILE_MESSAGE_MAX,
			 "none of its %u options is one of fio's: is it a job file?", r->unknown);
	return *r->message ? -EINVAL : 0;
}

/* To be freed; NULL: no memory. `message` is empty then. */
static struct fio_reader *new_reader(fio_note note, void *context, bool runs, char *message)
{
	struct fio_reader *r = calloc(1, sizeof(*r));

	message[0] = 0;
	if (!r)
		return NULL;
	r->message = message;
	r->note = note;
	r->context = context;
	r->runs = runs;
	r->count_max = runs ? FIO_READ_MAX : FIO_JOBS_MAX;
	r->global = fio_job_default;
	return r;
}

static int read_file(struct fio_reader *r, FILE *in, const char *path)
{
	int err;

	fio_lines__start(&r->lines, in, path);
	err = read_jobs(r);
	fio_lines__end(&r->lines);
	if (err)
		return err;
	print_notes(r);
	assume(r);
	note_cut(r);
	return 0;
}

int profile__from_fio(FILE *in, const char *path, fio_note note, void *context,
		      struct profile **profile, char message[PROFILE_MESSAGE_MAX])
{
	struct fio_reader *r = new_reader(note, context, false, message);
	int err = r ? read_file(r, in, path) : -ENOMEM;

	if (!err)
		err = fio_jobs_profile(r->jobs, r->count, false, profile);
	free(r);
	return err;
}

static int read_file_for(struct fio_reader *r, FILE *in, const char *path, uint64_t target_bytes)
{
	r->target_bytes = target_bytes;
	return read_file(r, in, path);
}

/* Groups ------------------------------------------------------------------------------------- */

static void add_to_group(struct fio_group *group, const struct fio_job *job, bool is_first)
{
	size_t used = strlen(group->name);

	snprintf(group->name + used, sizeof(group->name) - used, "%s%s", is_first ? "" : "+",
		 job->name);
	group->rated = (is_first || group->rated) && fio_job_has_rate(job);
	group->buffered = (is_first || group->buffered) && !job->is_direct;
	group->is_timed |= job->time_based && job->runtime_ns;
	group->writes |= job->read_pct < 100 || job->trims || job->trims_first;
	group->depth += (uint64_t)job->numjobs * job->iodepth;
	if (job->runtime_ns > group->runtime_ns)
		group->runtime_ns = job->runtime_ns;
	if (job->ramp_ns > group->ramp_ns)
		group->ramp_ns = job->ramp_ns;
}

int profile__fio_groups(FILE *in, const char *path, uint64_t target_bytes, fio_note note,
			void *context, struct fio_group groups[FIO_GROUPS_MAX], unsigned int *count,
			char message[PROFILE_MESSAGE_MAX])
{
	struct fio_reader *r = new_reader(note, context, true, message);
	int err = r ? read_file_for(r, in, path, target_bytes) : -ENOMEM;

	memset(groups, 0, FIO_GROUPS_MAX * sizeof(*groups));
	*count = 0;
	for (unsigned int i = 0, jobs = 0; !err && i < r->count; i++) {
		bool is_first = !i || r->jobs[i].group != r->jobs[i - 1].group;

		jobs = is_first ? 1 : jobs + 1;
		*count += is_first;
		add_to_group(&groups[*count - 1], &r->jobs[i], is_first);
		if (jobs <= FIO_JOBS_MAX)
			continue;
		snprintf(message, PROFILE_MESSAGE_MAX,
			 "line %d: [%s]: more than %d jobs run together", r->jobs[i].line,
			 r->jobs[i].name, FIO_JOBS_MAX);
		err = -EINVAL;
	}
	free(r);
	return err;
}

static void pass_over(const char *text, void *context)
{
	(void)text;
	(void)context;
}

int profile__from_fio_group(FILE *in, const char *path, uint64_t target_bytes, unsigned int group,
			    struct profile **profile, char message[PROFILE_MESSAGE_MAX])
{
	struct fio_reader *r = new_reader(pass_over, NULL, true, message);
	int err = r ? read_file_for(r, in, path, target_bytes) : -ENOMEM;
	unsigned int first = 0, count = 0;

	for (unsigned int i = 0; !err && i < r->count; i++) {
		first += r->jobs[i].group < group;
		count += r->jobs[i].group == group;
	}
	if (!err)
		err = count && count <= FIO_JOBS_MAX
			      ? fio_jobs_profile(r->jobs + first, count, true, profile)
			      : -ENODATA;
	free(r);
	return err;
}
