// SPDX-License-Identifier: MIT
/* What a job file says comes back when it has been a profile. */
#include "jobs/fio.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>

#include "profile/generate/generator.h"
#include "unit/profile/profiles.h"

#define QUARTERS 4

static unsigned int notes;

static void count_note(const char *text, void *context)
{
	(void)context;
	if (strstr(text, " is assumed"))
		return;
	printf("# %s\n", text);
	notes++;
}

static struct profile *from_fio(const char *text)
{
	char message[PROFILE_MESSAGE_MAX];
	struct profile *p = NULL;
	FILE *in = fmemopen((void *)text, strlen(text), "r");

	if (!in || profile__from_fio(in, NULL, count_note, NULL, &p, message)) {
		printf("# %s\n", message);
		abort();
	}
	fclose(in);
	return p;
}

/* The profile is freed, the text is to be freed. */
static char *to_fio(struct profile *p)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out || profile__to_fio(p, out) || fclose(out))
		abort();
	profile__free(p);
	return text;
}

static bool is_refused(const char *distribution)
{
	char text[8192], message[PROFILE_MESSAGE_MAX] = "";
	struct profile *p;
	FILE *in;
	int err;

	snprintf(text, sizeof(text),
		 "[j]\nrw=randread\nsize=1g\nnumber_ios=10\nrandom_distribution=%s\n",
		 distribution);
	in = fmemopen(text, strlen(text), "r");
	if (!in)
		abort();
	err = profile__from_fio(in, NULL, count_note, NULL, &p, message);
	fclose(in);
	if (!err)
		profile__free(p);
	return err == -EINVAL && strstr(message, "line 5: 'random_distribution'");
}

/* Shares of the quarters of the addresses that the first job's zones of 5 % say, in per cent. */
static bool quarters(const char *text, unsigned int pct[QUARTERS])
{
	const char *at = strstr(text, "random_distribution=zoned:");

	memset(pct, 0, QUARTERS * sizeof(*pct));
	if (!at)
		return false;
	at = strchr(at, ':') + 1;
	for (unsigned int i = 0; i < 20; i++) {
		unsigned int access, size;
		int used;

		if (sscanf(at, "%u/%u%n", &access, &size, &used) != 2 || size != 5)
			return false;
		pct[i / 5] += access;
		at += used + 1;
	}
	return true;
}

/* Shares of a profile's new blocks of this op that are from zone `first` to `end`, in per cent. */
static unsigned int share(const struct profile *p, enum io_op op, unsigned int first,
			  unsigned int end)
{
	double of = 0, all = 0;

	for (uint32_t s = 0; s < p->stream_count; s++)
		for (unsigned int i = 0; i < PROFILE_ZONES && p->streams[s].op == op; i++) {
			double weight = (double)p->streams[s].ios * p->streams[s].zones[i] / 1999;

			all += weight;
			of += i >= first && i < end ? weight : 0;
		}
	return all > 0 ? (unsigned int)(100 * of / all + 0.5) : 0;
}

static bool near(unsigned int value, unsigned int wanted)
{
	if (value + 3 >= wanted && value <= wanted + 3)
		return true;
	printf("# %u %%, not %u %%\n", value, wanted);
	return false;
}

static void zones_go_both_ways(void)
{
	static const unsigned int wanted[QUARTERS] = {60, 30, 8, 2};
	char *text = to_fio(from_fio("[hot]\nrw=randread\nsize=64g\nnumber_ios=20000\n"
				     "random_distribution=zoned:60/25:30/25:8/25:2/25\n"));

	notes = 0;
	for (unsigned int times = 0; times < 2; times++) {
		unsigned int pct[QUARTERS];
		char *before = text;

		CHECK(quarters(text, pct));
		for (unsigned int i = 0; i < QUARTERS; i++)
			CHECK(near(pct[i], wanted[i]));
		text = to_fio(from_fio(before));
		free(before);
	}
	CHECK_EQ(notes, 0);
	free(text);
}

#define JOB(rw, distribution) \
	"[j]\nrw=" rw "\nsize=64g\nnumber_ios=4000\nrandom_distribution=" distribution "\n"

static void each_direction_has_its_zones(void)
{
	struct profile *p = from_fio(JOB("randrw", "zoned:100/50:0/50,0/50:100/50"));

	CHECK_EQ(share(p, IO_OP_READ, 0, 32), 100);
	CHECK_EQ(share(p, IO_OP_WRITE, 32, 64), 100);
	profile__free(p);
	p = from_fio(JOB("randtrim", "zoned:100/50:0/50,0/50:100/50"));
	CHECK_EQ(share(p, IO_OP_DISCARD, 32, 64), 100);
	profile__free(p);
	p = from_fio(JOB("randtrim", "zoned:100/50:0/50,0/50:100/50,0/25:100/25:0/50"));
	CHECK_EQ(share(p, IO_OP_DISCARD, 16, 32), 100);
	profile__free(p);
	p = from_fio(JOB("randwrite", "zoned:0/75:100/25"));
	CHECK_EQ(share(p, IO_OP_WRITE, 48, 64), 100);
	profile__free(p);
}

static void sizes_are_shares_bytes_or_what_is_left(void)
{
	struct profile *p = from_fio(JOB("randread", "zoned_abs:0/16g:90/8G:10/40g"));

	CHECK(near(share(p, IO_OP_READ, 16, 24), 90));
	CHECK(near(share(p, IO_OP_READ, 24, 64), 10));
	profile__free(p);
	/* What the others leave is divided evenly; what no zone has is not touched. */
	p = from_fio(JOB("randread", "zoned:50/50:30:20/"));
	CHECK(near(share(p, IO_OP_READ, 0, 32), 50));
	CHECK(near(share(p, IO_OP_READ, 32, 48), 30));
	CHECK(near(share(p, IO_OP_READ, 48, 64), 20));
	profile__free(p);
	p = from_fio(JOB("randread", "zoned:50/25:50/25"));
	CHECK_EQ(share(p, IO_OP_READ, 0, 32), 100);
	profile__free(p);
	/* The last distribution that is named counts. */
	p = from_fio(JOB("randread", "zoned:100/25:0/75\nrandom_distribution=random"));
	CHECK(near(share(p, IO_OP_READ, 0, 16), 25));
	profile__free(p);
}

static void zones_behind_the_size_are_said(void)
{
	struct profile *p;

	notes = 0;
	p = from_fio(JOB("randread", "zoned_abs:50/32g:50/32g"));
	CHECK_EQ(notes, 0);
	profile__free(p);
	p = from_fio(JOB("randread", "zoned_abs:0/64g:100/64g"));
	CHECK_EQ(notes, 1);
	CHECK(near(share(p, IO_OP_READ, 0, 16), 25));
	profile__free(p);
}

static void zones_that_fio_refuses_are_refused(void)
{
	static const char *const bad[] = {"zoned:",
					  "zoned:60/50:30/50",
					  "zoned:60/50:50/50",
					  "zoned:60/60:40/60",
					  "zoned:x/50:100/50",
					  "zoned:100/x",
					  "zoned:100/50,",
					  "zoned:100/1,100/1,100/1,100/1",
					  "zoned_abs:100",
					  "zoned_abs:50/1g:50/2000P",
					  "zipf:x"};
	char many[4 * 260] = "zoned:100/";

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!is_refused(bad[i])) {
			printf("# %s\n", bad[i]);
			CHECK(false);
		}
	CHECK(!is_refused("zoned:100/"));
	for (unsigned int i = 0; i < 255; i++)
		strcat(many, ":0/");
	CHECK(!is_refused(many));
	strcat(many, ":0/");
	CHECK(is_refused(many));
}

static void what_lies_evenly_is_said_evenly(void)
{
	struct profile *p = from_fio(JOB("randread", "random"));
	char *text;

	p->streams[0].sequential = false;
	for (unsigned int i = 0; i < PROFILE_ZONES; i++)
		p->streams[0].zones[i] = 31;
	text = to_fio(p);
	CHECK(strstr(text, "zoned:5/5:5/5:5/5:5/5:5/5:5/5:5/5:5/5:5/5:5/5:"
			   "5/5:5/5:5/5:5/5:5/5:5/5:5/5:5/5:5/5:5/5\n"));
	free(text);
}

static void think_times_and_seed_go_both_ways(void)
{
	char *text = to_fio(from_fio("[j]\nrw=randread\nsize=64g\nnumber_ios=4000\niodepth=8\n"
				     "thinktime=20000\nthinktime_blocks=8\nrandseed=4711\n"));

	notes = 0;
	for (unsigned int times = 0; times < 2; times++) {
		char *before = text;

		CHECK(strstr(text, "\niodepth=8\n"));
		CHECK(strstr(text, "\nthinktime=20000\nthinktime_blocks=8\n"));
		CHECK(strstr(text, "\nrandseed=4711\n"));
		text = to_fio(from_fio(before));
		free(before);
	}
	CHECK_EQ(notes, 0);
	free(text);
}

/* Variance of the gaps of what is generated, of their mean squared. */
static double unevenness(const char *text)
{
	struct profile *p = from_fio(text);
	struct profile_generator *generator;
	double sum = 0, squares = 0, count = 0;
	uint64_t before_ns = 0;
	struct io_row row;

	if (profile_generator__create(p, 1, &generator))
		abort();
	while (profile_generator__next(generator, &row) > 0) {
		double gap_ns = (double)(row.created_ns - before_ns);

		before_ns = row.created_ns;
		sum += gap_ns;
		squares += gap_ns * gap_ns;
		count++;
	}
	profile_generator__free(generator);
	profile__free(p);
	return squares * count / sum / sum - 1;
}

#define RATE "[j]\nrw=randread\nsize=64g\nnumber_ios=10000\nrate_iops=100\n"

static void gaps_are_as_uneven_as_asked_for(void)
{
	double linear = unevenness(RATE), poisson = unevenness(RATE "rate_process=poisson\n");

	printf("# linear %.2f, poisson %.2f\n", linear, poisson);
	CHECK(linear > 0.2 && linear < 0.5);
	CHECK(poisson > 0.8 && poisson < 1.2);
	CHECK(unevenness(RATE "rate_process=poisson\nrate_process=linear\n") < 0.5);
}

#define PLACED                                                            \
	"[profile]\nversion = 1\nios = 1000\nduration = 1s\nend = 1GiB\n" \
	"[stream 1]\nop = read\nsize = 4K\nplace = "

static void places_are_distributions_of_fio(void)
{
	static const char *const cases[][2] = {
		{PLACED "zipf 0.9\n", "rw=randread\n*random_distribution=zipf:0.900\n"},
		{PLACED "zipf 1\n", "rw=randread\n*random_distribution=zipf:1.001\n"},
		{PLACED "hot 90% of 10%\n",
		 "rw=randread\n*random_distribution=zoned:90/10:10/90\n"},
		{PLACED "sequential\n", "rw=read\n*"},
		{PLACED "uniform\n", "rw=randread\n*size=1073741824\n*"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = to_fio(profile_of_text(cases[i][0])), pattern[256];

		snprintf(pattern, sizeof(pattern), "*%s*", cases[i][1]);
		CHECK(!fnmatch(pattern, text, 0));
		CHECK(!strstr(text, "random_distribution") == (i > 2));
		free(text);
	}
}

int main(void)
{
	RUN(zones_go_both_ways);
	RUN(each_direction_has_its_zones);
	RUN(sizes_are_shares_bytes_or_what_is_left);
	RUN(zones_behind_the_size_are_said);
	RUN(zones_that_fio_refuses_are_refused);
	RUN(what_lies_evenly_is_said_evenly);
	RUN(think_times_and_seed_go_both_ways);
	RUN(places_are_distributions_of_fio);
	RUN(gaps_are_as_uneven_as_asked_for);
	return TEST_RESULT;
}
