// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profile/fio/fio.h"
#include "profile/fio/fio_lines.h"
#include "profile/fio/fio_options.h"
#include "profile/fio/fio_rows.h"

#define ASSUMED_SIZE   (1ull << 30)
#define NOTES_MAX      64
#define NOTE_BYTES_MAX 256

struct fio_reader {
	struct fio_job global, jobs[FIO_JOBS_MAX];
	unsigned int count;
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
	if (r->count == FIO_JOBS_MAX) {
		snprintf(r->message, PROFILE_MESSAGE_MAX, "%s: more than %d jobs", r->lines.where,
			 FIO_JOBS_MAX);
		return -EINVAL;
	}
	r->jobs[r->count] = r->global;
	r->jobs[r->count].waits |= r->waits;
	r->waits = false;
	snprintf(r->jobs[r->count].name, FIO_NAME_MAX, "%s", name);
	r->count++;
	return 0;
}

static int take_option(struct fio_reader *r, const char *key, const char *value)
{
	struct fio_job *job = r->in_global ? &r->global : &r->jobs[r->count - 1];
	struct fio_option option;

	if (fio_option__take(job, key, value, &option))
		return fail(r, key, value, option.expected);
	if (option.note)
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
		whole_bytes = ASSUMED_SIZE;
	if (job->offset_pct)
		job->offset_bytes = share_of(whole_bytes, job->offset_pct);
	if (!job->size_bytes)
		job->size_bytes = share_of(whole_bytes, job->size_pct ? job->size_pct : 100);
	if (!assumes)
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
		if (fio_job_has_rate(job))
			continue;
		snprintf(text, sizeof(text),
			 "[%s] has no rate: 1 ms for each IO and slot of iodepth is assumed; "
			 "'replay --mode dependent' and asap do not ask for it",
			 job->name);
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

int profile__from_fio(FILE *in, const char *path, fio_note note, void *context,
		      struct profile **profile, char message[PROFILE_MESSAGE_MAX])
{
	struct fio_reader *r = calloc(1, sizeof(*r));
	int err;

	message[0] = 0;
	if (!r)
		return -ENOMEM;
	r->message = message;
	r->note = note;
	r->context = context;
	r->global = fio_job_default;
	fio_lines__start(&r->lines, in, path);
	err = read_jobs(r);
	fio_lines__end(&r->lines);
	if (!err) {
		print_notes(r);
		assume(r);
		err = fio_jobs_profile(r->jobs, r->count, profile);
	}
	free(r);
	return err;
}
