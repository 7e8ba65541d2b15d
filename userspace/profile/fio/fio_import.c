// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profile/fio/fio.h"
#include "profile/fio/fio_rows.h"

#define LINE_BYTES_MAX 4096
#define LINES_MAX      100000 /* /dev/zero and other files without an end */
#define ASSUMED_SIZE   (1ull << 30)
#define NOTES_MAX      64
#define NOTE_BYTES_MAX 256

struct fio_reader {
	struct fio_job global, jobs[FIO_JOBS_MAX];
	unsigned int count;
	bool in_global;
	int line;
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
	snprintf(r->message, PROFILE_MESSAGE_MAX, "line %d: '%.40s': '%.80s' is not %s", r->line,
		 key, value, expected);
	return -EINVAL;
}

static void say(struct fio_reader *r, const char *key, const char *what)
{
	if (r->note_count < NOTES_MAX)
		snprintf(r->notes[r->note_count], NOTE_BYTES_MAX, "line %d: '%.60s' %s", r->line,
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

/* "4k/60:64k/40"; only the part of reads where there are two. */
static int parse_split(struct fio_job *job, const char *value)
{
	char text[LINE_BYTES_MAX], *rest = NULL;
	unsigned int sum = 0;

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(value, ","), value);
	job->split_count = 0;
	for (char *entry = strtok_r(text, ":", &rest); entry; entry = strtok_r(NULL, ":", &rest)) {
		char *slash = strchr(entry, '/');
		uint64_t pct = 0;

		if (job->split_count == FIO_SPLIT_MAX)
			return -EINVAL;
		if (slash)
			*slash = 0;
		if (slash && slash[1] && units_parse_count(slash + 1, 0, 100, &pct))
			return -EINVAL;
		if (fio_size_value(entry, &job->split_bytes[job->split_count]))
			return -EINVAL;
		job->split_pct[job->split_count++] = (uint32_t)pct;
		sum += (unsigned int)pct;
	}
	/* Entries without a share have what is left, alike. */
	for (unsigned int i = 0; i < job->split_count && sum < 100; i++)
		if (!job->split_pct[i])
			job->split_pct[i] = (100 - sum) / job->split_count + 1;
	return job->split_count && sum <= 100 ? 0 : -EINVAL;
}

static int parse_rw(struct fio_job *job, const char *value)
{
	static const struct {
		const char *name;
		bool random, trims;
		unsigned int read_pct;
		bool mixes;
	} kinds[] = {
		{"read", false, false, 100, false},    {"write", false, false, 0, false},
		{"randread", true, false, 100, false}, {"randwrite", true, false, 0, false},
		{"rw", false, false, 0, true},	       {"readwrite", false, false, 0, true},
		{"randrw", true, false, 0, true},      {"trim", false, true, 0, false},
		{"randtrim", true, true, 0, false},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(value, kinds[i].name))
			continue;
		job->random = kinds[i].random;
		job->trims = kinds[i].trims;
		job->mixes = kinds[i].mixes;
		job->read_pct = kinds[i].mixes ? job->mix_pct : kinds[i].read_pct;
		return 0;
	}
	return -EINVAL;
}

/* Seconds unless a unit follows. */
static int time_value(const char *value, uint64_t *time_ns)
{
	return units_parse_time(value, time_ns) ? -EINVAL : 0;
}

static int number_value(const char *value, uint64_t max, uint64_t *number)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(value, ","), value);
	return units_parse_count(text, 0, max, number) ? -EINVAL : 0;
}

static int parse_distribution(struct fio_reader *r, struct fio_job *job, const char *value)
{
	job->zipf = 0;
	for (unsigned int i = 0; i < FIO_DIRECTIONS; i++)
		job->zones[i].count = 0;
	if (!strncmp(value, "zipf:", 5))
		return units_parse_real(value + 5, 0.01, 8, &job->zipf) ? -EINVAL : 0;
	if (!strncmp(value, "zoned:", 6))
		return fio_zones_parse(value + 6, false, job->zones);
	if (!strncmp(value, "zoned_abs:", 10))
		return fio_zones_parse(value + 10, true, job->zones);
	if (strcmp(value, "random"))
		say(r, value, "is left out: addresses are drawn evenly");
	return 0;
}

static bool is_one_of(const char *key, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(key, *names))
			return true;
	return false;
}

static int parse_amount(struct fio_reader *r, struct fio_job *job, const char *key,
			const char *value)
{
	uint64_t number = 0;
	int err;

	if (!strcmp(key, "rwmixread") || !strcmp(key, "rwmixwrite")) {
		err = number_value(value, 100, &number);
		job->mix_pct = (unsigned int)(key[5] == 'r' ? number : 100 - number);
		if (job->mixes)
			job->read_pct = job->mix_pct;
		return err ? fail(r, key, value, "a number from 0 to 100") : 0;
	}
	if (!strcmp(key, "numjobs") || !strcmp(key, "iodepth")) {
		err = number_value(value, 65535, &number);
		if (err || !number)
			return fail(r, key, value, "a number from 1 to 65535");
		*(*key == 'n' ? &job->numjobs : &job->iodepth) = (unsigned int)number;
		return 0;
	}
	if (!strcmp(key, "thinktime_blocks")) {
		err = number_value(value, 1000000000, &number);
		job->thinktime_blocks = (unsigned int)number;
		return err || !number ? fail(r, key, value, "a number of IOs") : 0;
	}
	if (!strcmp(key, "rate_iops")) {
		err = number_value(value, 1000000000, &number);
		job->rate_iops = (double)number;
		return err ? fail(r, key, value, "a number of IOs a second") : 0;
	}
	if (!strcmp(key, "randseed"))
		return number_value(value, UINT64_MAX, &job->seed) ? fail(r, key, value, "a number")
								   : 0;
	if (!strcmp(key, "number_ios"))
		return number_value(value, PROFILE_IOS_MAX, &job->number_ios)
			       ? fail(r, key, value, "a number of IOs")
			       : 0;
	if (!strcmp(key, "fsync") || !strcmp(key, "fdatasync")) {
		err = number_value(value, 1000000000, &number);
		job->flush_every = (unsigned int)number;
		return err ? fail(r, key, value, "a number of writes") : 0;
	}
	return 1;
}

/* "4k-64k" or "4k:64k", perhaps with a part for writes: *bytes is the smallest size. */
static int parse_range(const char *value, uint64_t *bytes)
{
	char text[LINE_BYTES_MAX], *between;
	uint64_t other;

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(value, ","), value);
	between = strpbrk(text, "-:");
	if (!between)
		return -EINVAL;
	*between = '\0';
	if (fio_size_value(text, bytes) || fio_size_value(between + 1, &other))
		return -EINVAL;
	if (other < *bytes)
		*bytes = other;
	return 0;
}

static int parse_size(struct fio_reader *r, struct fio_job *job, const char *key, const char *value)
{
	const struct {
		const char *name;
		uint64_t *bytes;
	} sizes[] = {
		{"size", &job->size_bytes},	{"filesize", &job->size_bytes},
		{"offset", &job->offset_bytes}, {"blockalign", &job->align_bytes},
		{"ba", &job->align_bytes},	{"rate", &job->rate_bytes},
	};

	if (!strcmp(key, "bsrange")) {
		job->split_count = 1;
		job->split_pct[0] = 100;
		return parse_range(value, &job->split_bytes[0])
			       ? fail(r, key, value, "two sizes, as in 4k-64k")
			       : 0;
	}
	if (!strcmp(key, "bs") || !strcmp(key, "blocksize")) {
		job->split_count = 1;
		job->split_pct[0] = 100;
		return fio_size_value(value, &job->split_bytes[0]) ? fail(r, key, value, "a size")
								   : 0;
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t bytes = 0;

		if (strcmp(key, sizes[i].name))
			continue;
		if (fio_size_value(value, &bytes) && strcmp(value, "0"))
			return fail(r, key, value, "a size in bytes");
		*sizes[i].bytes = bytes;
		return 0;
	}
	return 1;
}

static int parse_time(struct fio_reader *r, struct fio_job *job, const char *key, const char *value)
{
	uint64_t number;

	if (!strcmp(key, "runtime") || !strcmp(key, "timeout"))
		return time_value(value, &job->runtime_ns) ? fail(r, key, value, "a time") : 0;
	if (!strcmp(key, "startdelay"))
		return time_value(value, &job->start_ns) ? fail(r, key, value, "a time") : 0;
	if (!strcmp(key, "thinktime")) { /* microseconds unless a unit follows */
		if (!units_parse_count(value, 0, 1000000000, &number))
			job->thinktime_ns = number * NSEC_PER_USEC;
		else if (time_value(value, &job->thinktime_ns))
			return fail(r, key, value, "a time");
		return 0;
	}
	return 1;
}

/* What is taken in part, or means something between jobs. True: that is all. */
static bool say_partly(struct fio_reader *r, const char *key, const char *value)
{
	static const char *const by_direction[] = {"bs",   "blocksize", "bssplit", "blockalign",
						   "rate", "rate_iops", "ba",	   NULL};
	static const char *const waits[] = {"stonewall", "wait_for_previous", "wait_for", NULL};

	if (strchr(value, ',') && is_one_of(key, by_direction))
		say(r, key, "is taken as it is for reads, for writes, too");
	if (!strcmp(key, "bsrange"))
		say(r, key, "is taken as its smallest size");
	if (!is_one_of(key, waits))
		return false;
	if (strcmp(value, "0") != 0)
		say(r, key, "is left out: all jobs begin together");
	return true;
}

static int parse_key(struct fio_reader *r, struct fio_job *job, const char *key, const char *value)
{
	static const char *const silent[] = {
		"ioengine",    "direct",      "filename",    "group_reporting",
		"name",	       "norandommap", "randrepeat",  "randseed",
		"description", "directory",   "invalidate",  "thread",
		"end_fsync",   "ramp_time",   "gtod_reduce", NULL};
	int done;

	if (say_partly(r, key, value))
		return 0;
	if (!strcmp(key, "rw") || !strcmp(key, "readwrite"))
		return parse_rw(job, value) ? fail(r, key, value, "a kind of IO that is known") : 0;
	if (!strcmp(key, "bssplit"))
		return parse_split(job, value) ? fail(r, key, value, "size/percent:...") : 0;
	if (!strcmp(key, "random_distribution"))
		return parse_distribution(r, job, value)
			       ? fail(r, key, value, "zipf:THETA or zoned:ACCESS/SIZE:... of 100 %")
			       : 0;
	if (!strcmp(key, "rate_process")) {
		job->poisson = !strcmp(value, "poisson");
		return job->poisson || !strcmp(value, "linear")
			       ? 0
			       : fail(r, key, value, "linear or poisson");
	}
	if (!strcmp(key, "time_based")) {
		job->time_based = strcmp(value, "0");
		return 0;
	}
	done = parse_amount(r, job, key, value);
	if (done == 1)
		done = parse_size(r, job, key, value);
	if (done == 1)
		done = parse_time(r, job, key, value);
	if (done == 1 && !is_one_of(key, silent)) {
		say(r, key, "is not understood and left out");
		r->unknown++;
		r->known--;
	}
	return done == 1 ? 0 : done;
}

static int begin_section(struct fio_reader *r, const char *name)
{
	r->in_global = !strcmp(name, "global");
	if (r->in_global)
		return 0;
	if (r->count == FIO_JOBS_MAX) {
		snprintf(r->message, PROFILE_MESSAGE_MAX, "line %d: more than %d jobs", r->line,
			 FIO_JOBS_MAX);
		return -EINVAL;
	}
	r->jobs[r->count] = r->global;
	snprintf(r->jobs[r->count].name, FIO_NAME_MAX, "%s", name);
	r->count++;
	return 0;
}

static int parse_line(struct fio_reader *r, char *line)
{
	char *end = line + strlen(line), *value;

	while (end > line && isspace((unsigned char)end[-1]))
		*--end = 0;
	line += strspn(line, " \t");
	if (!*line || *line == '#' || *line == ';')
		return 0;
	if (*line == '[' && end[-1] == ']') {
		end[-1] = 0;
		return begin_section(r, line + 1);
	}
	if (!r->in_global && !r->count) {
		snprintf(r->message, PROFILE_MESSAGE_MAX,
			 "line %d: '%.60s' comes before the first [section]: is it a job file?",
			 r->line, line);
		return -EINVAL;
	}
	value = strchr(line, '=');
	if (value)
		*value++ = 0;
	for (end = line + strlen(line); end > line && isspace((unsigned char)end[-1]);)
		*--end = 0;
	r->known++;
	return parse_key(r, r->in_global ? &r->global : &r->jobs[r->count - 1], line,
			 value ? value + strspn(value, " \t") : "1");
}

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

static void assume(struct fio_reader *r)
{
	for (unsigned int i = 0; i < r->count; i++) {
		struct fio_job *job = &r->jobs[i];
		char text[256];

		if (!job->size_bytes) {
			job->size_bytes = ASSUMED_SIZE;
			snprintf(text, sizeof(text), "[%s] has no size: 1 GiB is assumed",
				 job->name);
			r->note(text, r->context);
		}
		note_zones_behind(r, job);
		if (job->rate_iops > 0 || job->rate_bytes)
			continue;
		snprintf(text, sizeof(text),
			 "[%s] has no rate: 1 ms for each IO and slot of iodepth is assumed; "
			 "'replay --mode dependent' and asap do not ask for it",
			 job->name);
		r->note(text, r->context);
	}
}

int profile__from_fio(FILE *in, fio_note note, void *context, struct profile **profile,
		      char message[PROFILE_MESSAGE_MAX])
{
	struct fio_reader *r = calloc(1, sizeof(*r));
	char line[LINE_BYTES_MAX];
	int err = 0;

	message[0] = 0;
	if (!r)
		return -ENOMEM;
	r->message = message;
	r->note = note;
	r->context = context;
	r->global = (struct fio_job){.read_pct = 100,
				     .mix_pct = 50,
				     .split_count = 1,
				     .split_bytes = {PAGE_BYTES},
				     .split_pct = {100},
				     .numjobs = 1,
				     .iodepth = 1,
				     .thinktime_blocks = 1};
	while (!err && fgets(line, sizeof(line), in)) {
		r->line++;
		err = r->line <= LINES_MAX ? parse_line(r, line) : -EINVAL;
	}
	if (err == -EINVAL && r->line > LINES_MAX)
		snprintf(message, PROFILE_MESSAGE_MAX,
			 "no job file: it has more than 100,000 lines");
	if (!err && ferror(in))
		err = -EIO;
	if (!err && !r->count) {
		snprintf(message, PROFILE_MESSAGE_MAX, "there is no job in it");
		err = -EINVAL;
	}
	if (!err && r->unknown && !r->known) {
		snprintf(message, PROFILE_MESSAGE_MAX,
			 "none of its %u options is one of fio's: is it a job file?", r->unknown);
		err = -EINVAL;
	}
	if (!err) {
		print_notes(r);
		assume(r);
		err = fio_jobs_profile(r->jobs, r->count, profile);
	}
	free(r);
	return err;
}
