// SPDX-License-Identifier: MIT
#include "jobs/fio_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define VALUE_MAX 4096
#define ONE_SIZE                                                  \
	{                                                         \
		.count = 1, .bytes = {PAGE_BYTES}, .pct = { 100 } \
	}

const struct fio_job fio_job_default = {.read_pct = 100,
					.mix_pct = 50,
					.random_pct = 100,
					.run = 1,
					.sizes = {ONE_SIZE, ONE_SIZE, ONE_SIZE},
					.file_count = 1,
					.loops = 1,
					.numjobs = 1,
					.iodepth = 1,
					.thinktime_blocks = 1};

static int expected(struct fio_option *option, const char *what)
{
	snprintf(option->expected, sizeof(option->expected), "%s", what);
	return -EINVAL;
}

static bool is_one_of(const char *key, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(key, *names))
			return true;
	return false;
}

static bool is_on(const char *value)
{
	return strcmp(value, "0") != 0;
}

/* Options of each direction ------------------------------------------------------------------ */

/* "4k/60:64k/40" */
static int take_split(char *text, struct fio_sizes *sizes)
{
	char *rest = NULL;
	unsigned int sum = 0;

	sizes->count = 0;
	sizes->most_bytes = 0;
	for (char *entry = strtok_r(text, ":", &rest); entry; entry = strtok_r(NULL, ":", &rest)) {
		char *slash = strchr(entry, '/');
		uint64_t pct = 0;

		if (sizes->count == FIO_SPLIT_MAX)
			return -EINVAL;
		if (slash)
			*slash = 0;
		if (slash && slash[1] && units_parse_count(slash + 1, 0, 100, &pct))
			return -EINVAL;
		if (fio_size_value(entry, &sizes->bytes[sizes->count]))
			return -EINVAL;
		sizes->pct[sizes->count++] = (uint32_t)pct;
		sum += (unsigned int)pct;
	}
	/* Entries without a share have what is left, alike. */
	for (unsigned int i = 0; i < sizes->count && sum < 100; i++)
		if (!sizes->pct[i])
			sizes->pct[i] = (100 - sum) / sizes->count + 1;
	return sizes->count && sum <= 100 ? 0 : -EINVAL;
}

static int take_size(char *text, struct fio_sizes *sizes)
{
	sizes->count = 1;
	sizes->pct[0] = 100;
	sizes->most_bytes = 0;
	return fio_size_value(text, &sizes->bytes[0]);
}

/* "4k-64k" or "4k:64k" */
static int take_range(char *text, struct fio_sizes *sizes)
{
	char *between = strpbrk(text, "-:");
	uint64_t one, other;

	if (!between)
		return -EINVAL;
	*between = '\0';
	if (fio_size_value(text, &one) || fio_size_value(between + 1, &other))
		return -EINVAL;
	if (one == other)
		return take_size(text, sizes);
	sizes->least_bytes = one < other ? one : other;
	sizes->most_bytes = one < other ? other : one;
	return 0;
}

static int take_align(char *text, struct fio_sizes *sizes)
{
	return fio_number(text, &sizes->align_bytes);
}

static int take_rate(char *text, struct fio_sizes *sizes)
{
	return fio_number(text, &sizes->rate_bytes);
}

static int take_rate_iops(char *text, struct fio_sizes *sizes)
{
	uint64_t number;

	if (fio_number(text, &number) || number > 1000000000)
		return -EINVAL;
	sizes->rate_iops = (double)number;
	return 0;
}

/* 1: it is no such option. */
static int take_by_direction(struct fio_job *job, const char *key, const char *value,
			     struct fio_option *option)
{
	static const struct {
		const char *name;
		int (*take)(char *text, struct fio_sizes *sizes);
		const char *expected;
	} options[] = {
		{"bs", take_size, "a size"},
		{"blocksize", take_size, "a size"},
		{"bsrange", take_range, "two sizes, as in 4k-64k"},
		{"bssplit", take_split, "size/percent:..."},
		{"blockalign", take_align, "a size in bytes"},
		{"ba", take_align, "a size in bytes"},
		{"rate", take_rate, "a size in bytes"},
		{"rate_iops", take_rate_iops, "a number of IOs a second"},
	};
	const char *parts[FIO_DIRECTIONS];
	char text[VALUE_MAX], part[VALUE_MAX];
	size_t i = 0;

	while (i < sizeof(options) / sizeof(options[0]) && strcmp(key, options[i].name) != 0)
		i++;
	if (i == sizeof(options) / sizeof(options[0]))
		return 1;
	snprintf(text, sizeof(text), "%s", value);
	if (fio_directions(text, parts))
		return expected(option, "one value for each of reads, writes and trims");
	for (unsigned int d = 0; d < FIO_DIRECTIONS; d++) {
		if (!parts[d])
			continue;
		snprintf(part, sizeof(part), "%s", parts[d]);
		if (options[i].take(part, &job->sizes[d]))
			return expected(option, options[i].expected);
	}
	return 0;
}

/* Kinds and places of IOs -------------------------------------------------------------------- */

/* "read:8k", "randread:8": steps between sequential IOs, IOs from each random place on. */
static int take_modifier(struct fio_job *job, const char *modifier)
{
	bool backwards = *modifier == '-';
	uint64_t number;

	job->run = 1;
	job->step_bytes = 0;
	if (!modifier[0])
		return 0;
	if (fio_number(modifier + backwards, &number) || number > INT64_MAX / 4)
		return -EINVAL;
	if (!job->random)
		job->step_bytes = backwards ? -(int64_t)number : (int64_t)number;
	else if (backwards || !number || number > UINT32_MAX)
		return -EINVAL;
	else
		job->run = (unsigned int)number;
	return 0;
}

static int take_rw(struct fio_job *job, const char *value, struct fio_option *option)
{
	static const struct {
		const char *name;
		bool random, trims, trims_first, mixes;
		unsigned int read_pct;
	} kinds[] = {
		{"read", .read_pct = 100},
		{"write", .random = false},
		{"randread", .random = true, .read_pct = 100},
		{"randwrite", .random = true},
		{"rw", .mixes = true},
		{"readwrite", .mixes = true},
		{"randrw", .random = true, .mixes = true},
		{"trim", .trims = true},
		{"randtrim", .random = true, .trims = true},
		{"trimwrite", .trims = true, .trims_first = true},
		{"randtrimwrite", .random = true, .trims = true, .trims_first = true},
	};
	size_t length = strcspn(value, ":");

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strlen(kinds[i].name) != length || strncmp(value, kinds[i].name, length) != 0)
			continue;
		job->random = kinds[i].random;
		job->trims = kinds[i].trims;
		job->trims_first = kinds[i].trims_first;
		job->mixes = kinds[i].mixes;
		job->read_pct = kinds[i].mixes ? job->mix_pct : kinds[i].read_pct;
		return take_modifier(job, value[length] ? value + length + 1 : "")
			       ? expected(option, "a kind of IO and a step that are known")
			       : 0;
	}
	return expected(option, "a kind of IO that is known");
}

static int take_distribution(struct fio_job *job, const char *value, struct fio_option *option)
{
	int err = 0;

	job->zipf = 0;
	for (unsigned int i = 0; i < FIO_DIRECTIONS; i++)
		job->zones[i].count = 0;
	if (!strncmp(value, "zipf:", 5))
		err = units_parse_real(value + 5, 0.01, 8, &job->zipf);
	else if (!strncmp(value, "zoned:", 6))
		err = fio_zones_parse(value + 6, false, job->zones);
	else if (!strncmp(value, "zoned_abs:", 10))
		err = fio_zones_parse(value + 10, true, job->zones);
	else if (strcmp(value, "random") != 0)
		option->note =
			"has another distribution than random, zipf and zoned: addresses are "
			"drawn evenly";
	return err ? expected(option, "zipf:THETA or zoned:ACCESS/SIZE:... of 100 %") : 0;
}

/* "8g", "20%", and "1m-4m" of files that differ: their mean. */
static int take_amount(const char *value, uint64_t *bytes, unsigned int *pct)
{
	char text[VALUE_MAX], *between, *end;
	uint64_t number, other;

	snprintf(text, sizeof(text), "%s", value);
	end = text + strlen(text);
	if (pct) {
		*pct = 0;
		*bytes = 0;
	}
	if (pct && end > text && end[-1] == '%') {
		end[-1] = '\0';
		if (units_parse_count(text, 0, 100, &number))
			return -EINVAL;
		*pct = (unsigned int)number;
		return 0;
	}
	between = strchr(text, '-');
	if (between && !strpbrk(text, "+*/(")) {
		*between = '\0';
		if (fio_number(text, &number) || fio_number(between + 1, &other) || other < number)
			return -EINVAL;
		*bytes = number + (other - number) / 2;
		return 0;
	}
	return fio_number(text, bytes);
}

static int take_place(struct fio_job *job, const char *key, const char *value,
		      struct fio_option *option)
{
	int err = 1;

	if (!strcmp(key, "size"))
		err = take_amount(value, &job->size_bytes, &job->size_pct);
	else if (!strcmp(key, "offset"))
		err = take_amount(value, &job->offset_bytes, &job->offset_pct);
	else if (!strcmp(key, "filesize"))
		err = take_amount(value, &job->file_bytes, NULL);
	else if (!strcmp(key, "io_size") || !strcmp(key, "io_limit"))
		err = take_amount(value, &job->io_bytes, NULL);
	if (!err && (job->size_bytes > FIO_BYTES_MAX || job->offset_bytes > FIO_BYTES_MAX ||
		     job->file_bytes > FIO_BYTES_MAX || job->io_bytes > FIO_BYTES_MAX))
		err = -ERANGE;
	if (err == 1 || !err)
		return err;
	return expected(option, value[strlen(value) - 1] == 'z'
					? "a size in bytes: a profile knows no zones"
					: "a size in bytes");
}

/* Numbers and times -------------------------------------------------------------------------- */

/* rwmixread=70; percentage_random=70 */
static int take_share(struct fio_job *job, const char *key, const char *value,
		      struct fio_option *option)
{
	char first[64];
	uint64_t number;

	snprintf(first, sizeof(first), "%.*s", (int)strcspn(value, ","), value);
	if (fio_number(first, &number) || number > 100)
		return expected(option, "a number from 0 to 100");
	if (*key == 'p') {
		job->random_pct = (unsigned int)number;
		return 0;
	}
	job->mix_pct = (unsigned int)(key[5] == 'r' ? number : 100 - number);
	if (job->mixes)
		job->read_pct = job->mix_pct;
	return 0;
}

static int take_count(struct fio_job *job, const char *key, const char *value,
		      struct fio_option *option)
{
	const struct {
		const char *name;
		unsigned int *into;
		unsigned int least, most;
		const char *expected;
	} counts[] = {
		{"numjobs", &job->numjobs, 1, 65535, "a number from 1 to 65535"},
		{"iodepth", &job->iodepth, 1, 65535, "a number from 1 to 65535"},
		{"thinktime_blocks", &job->thinktime_blocks, 1, 1000000000, "a number of IOs"},
		{"fsync", &job->flush_every, 0, 1000000000, "a number of writes"},
		{"fdatasync", &job->flush_every, 0, 1000000000, "a number of writes"},
		{"nrfiles", &job->file_count, 1, 1000000, "a number of files"},
		{"loops", &job->loops, 1, 1000000, "a number from 1 on"},
	};
	uint64_t number;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		if (strcmp(key, counts[i].name) != 0)
			continue;
		if (fio_number(value, &number) || number < counts[i].least ||
		    number > counts[i].most)
			return expected(option, counts[i].expected);
		*counts[i].into = (unsigned int)number;
		return 0;
	}
	if (!strcmp(key, "randseed"))
		return fio_number(value, &job->seed) ? expected(option, "a number") : 0;
	if (strcmp(key, "number_ios") != 0)
		return 1;
	if (fio_number(value, &job->number_ios) || job->number_ios > PROFILE_IOS_MAX)
		return expected(option, "a number of IOs");
	return 0;
}

static int take_time(struct fio_job *job, const char *key, const char *value,
		     struct fio_option *option)
{
	uint64_t number;
	int err = 1;

	if (!strcmp(key, "runtime") || !strcmp(key, "timeout")) {
		err = fio_time_value(value, &job->runtime_ns);
	} else if (!strcmp(key, "ramp_time")) {
		err = fio_time_value(value, &job->ramp_ns);
		option->note = "has no meaning in a profile: use 'replay --ramp'";
	} else if (!strcmp(key, "startdelay")) {
		err = fio_time_value(value, &job->start_ns);
	} else if (!strcmp(key, "thinktime")) { /* microseconds unless a unit follows */
		err = 0;
		if (!fio_number(value, &number) && number <= 1000000000)
			job->thinktime_ns = number * NSEC_PER_USEC;
		else
			err = fio_time_value(value, &job->thinktime_ns);
	}
	return err == -EINVAL ? expected(option, "a time") : err;
}

/* What a profile cannot have ----------------------------------------------------------------- */

/* Engines whose jobs are no IOs of data. */
static bool engine_does_no_io(const char *name)
{
	static const char *const engines[] = {"cpuio",
					      "exec",
					      "net",
					      "netsplice",
					      "rdma",
					      "filecreate",
					      "filedelete",
					      "filestat",
					      "fileoperation",
					      "dircreate",
					      "dirdelete",
					      "dirstat",
					      "ftruncate",
					      "falloc",
					      "e4defrag",
					      "librpma_apm_client",
					      "librpma_apm_server",
					      "librpma_gpspm_client",
					      "librpma_gpspm_server",
					      NULL};

	return is_one_of(name, engines);
}

/* Engines that have one IO in flight, whatever iodepth says. */
static bool engine_waits(const char *name)
{
	static const char *const engines[] = {"sync",	 "psync", "vsync",  "pvsync",
					      "pvsync2", "mmap",  "splice", NULL};

	return is_one_of(name, engines);
}

struct excuse {
	const char *start; /* of the names of options */
	const char *note;
};

/* The first that fits. */
static const struct excuse excuses[] = {
	{"verify",
	 "has no meaning in a profile: 'replay --stamp' and --verify check what was written"},
	{"do_verify", "has no meaning in a profile: 'replay --verify' reads what was written"},
	{"steadystate", "has no meaning in a profile: use 'replay --until-steady'"},
	{"ss", "has no meaning in a profile: use 'replay --until-steady'"},
	{"write_", "has no meaning in a profile: 'replay --series' writes what happened over time"},
	{"log_", "has no meaning in a profile: 'replay --series' writes what happened over time"},
	{"dedupe_", "has no meaning in a profile: use 'replay --dedup'"},
	{"buffer_compress", "has no meaning in a profile: use 'replay --compressibility'"},
	{"read_iolog", "is left out: 'import --from fio-iolog' reads such a log"},
	{"zone", "is left out: a profile knows no zones"},
	{"max_open_zones", "is left out: a profile knows no zones"},
	{"offset_increment", "is left out: copies of a job share their addresses"},
	{"prio", "is left out: a profile has no IO priorities"},
	{"cmdprio", "is left out: a profile has no IO priorities"},
	{"sync", "is left out: use fsync to have flushes"},
	{"exitall", "is left out: each job runs to its own end"},
	{"exit_what", "is left out: each job runs to its own end"},
	{"flow", "is left out: no job waits for another one's IOs"},
	{"latency_target", "is left out: the number in flight stays as it is"},
	{"latency_window", "is left out: the number in flight stays as it is"},
};

/* Options that say how fio works, not which IOs it does. */
static const char *const neutral[] = {"filename",
				      "directory",
				      "group_reporting",
				      "name",
				      "norandommap",
				      "randrepeat",
				      "description",
				      "invalidate",
				      "thread",
				      "end_fsync",
				      "gtod_reduce",
				      "new_group",
				      "create_on_open",
				      "openfiles",
				      "file_service_type",
				      "filename_format",
				      "allow_file_create",
				      "registerfiles",
				      "fixedbufs",
				      "hipri",
				      "sqthread_poll",
				      "sqthread_poll_cpu",
				      "nonvectored",
				      "iodepth_batch",
				      "iodepth_batch_submit",
				      "iodepth_batch_complete",
				      "iodepth_low",
				      "cpus_allowed",
				      "cpus_allowed_policy",
				      "numa_cpu_nodes",
				      "numa_mem_policy",
				      "mem",
				      "clat_percentiles",
				      "percentile_list",
				      "disable_lat",
				      "disable_clat",
				      "disable_slat",
				      "unlink",
				      "fallocate",
				      "refill_buffers",
				      "scramble_buffers",
				      "buffer_pattern",
				      "random_generator",
				      "create_serialize",
				      "unified_rw_reporting",
				      "ioscheduler",
				      "softrandommap",
				      "lockmem",
				      "lat_percentiles",
				      "latency_percentile",
				      "busy_poll",
				      "error_dump",
				      "std_redirect",
				      "log_prio",
				      "stats",
				      NULL};

static void excuse(struct fio_job *job, const char *key, const char *value,
		   struct fio_option *option)
{
	if (!strcmp(key, "ioengine")) {
		job->does_no_io = engine_does_no_io(value);
		job->is_async = !engine_waits(value);
		return;
	}
	if (!strcmp(key, "direct") || !strcmp(key, "buffered")) {
		job->is_direct = is_on(value) == (*key == 'd');
		if (is_on(value) == (*key == 'b'))
			option->note = "has no meaning in a profile: 'replay --buffered' uses the "
				       "page cache";
		return;
	}
	if (is_one_of(key, neutral))
		return;
	for (size_t i = 0; i < sizeof(excuses) / sizeof(excuses[0]) && !option->note; i++)
		if (!strncmp(key, excuses[i].start, strlen(excuses[i].start)))
			option->note = excuses[i].note;
	option->unknown = !option->note;
	if (!option->note)
		option->note = "is not understood and left out";
}

static int take_rest(struct fio_job *job, const char *key, const char *value,
		     struct fio_option *option)
{
	static const char *const waits[] = {"stonewall", "wait_for_previous", "wait_for", NULL};

	if (is_one_of(key, waits)) {
		job->waits = is_on(value);
		if (!strcmp(key, "wait_for"))
			option->note = "waits for all jobs before, as stonewall does";
		return 0;
	}
	if (!strcmp(key, "rate_process")) {
		job->poisson = !strcmp(value, "poisson");
		return job->poisson || !strcmp(value, "linear")
			       ? 0
			       : expected(option, "linear or poisson");
	}
	if (!strcmp(key, "time_based")) {
		job->time_based = is_on(value);
		return 0;
	}
	excuse(job, key, value, option);
	return 0;
}

int fio_option__take(struct fio_job *job, const char *key, const char *value,
		     struct fio_option *option)
{
	static const char *const shares[] = {"rwmixread", "rwmixwrite", "percentage_random", NULL};
	int done;

	*option = (struct fio_option){0};
	if (!strcmp(key, "rw") || !strcmp(key, "readwrite"))
		return take_rw(job, value, option);
	if (!strcmp(key, "random_distribution"))
		return take_distribution(job, value, option);
	if (is_one_of(key, shares))
		return take_share(job, key, value, option);
	done = take_by_direction(job, key, value, option);
	if (done == 1)
		done = take_place(job, key, value, option);
	if (done == 1)
		done = take_count(job, key, value, option);
	if (done == 1)
		done = take_time(job, key, value, option);
	return done == 1 ? take_rest(job, key, value, option) : done;
}
