// SPDX-License-Identifier: MIT
/* Profiles of real traces: what is generated must be near what was recorded. */
#include <inttypes.h>
#include <math.h>
#include <unistd.h>
#include <zlib.h>

#include "base/units.h"
#include "compare/comparison.h"
#include "profile/generate/generator.h"
#include "unit/profile/profiles.h"

#define TRACES "../shared/traces/"

struct rows {
	struct io_row *items;
	size_t count, room;
};

static void add(struct rows *rows, const struct io_row *row)
{
	if (rows->count == rows->room) {
		rows->room = rows->room ? 2 * rows->room : 4096;
		rows->items = realloc(rows->items, rows->room * sizeof(*rows->items));
		if (!rows->items)
			abort();
	}
	rows->items[rows->count++] = *row;
}

/* "seconds.nanoseconds ; sector ; sectors ; R|W ; ..." after a line that begins with "start ;". */
static bool parse_line(const char *line, struct io_row *row)
{
	uint64_t seconds, sector, sectors;
	char fraction[16], op;

	if (sscanf(line, " %" SCNu64 ".%15[0-9] ; %" SCNu64 " ; %" SCNu64 " ; %c", &seconds,
		   fraction, &sector, &sectors, &op) != 5)
		return false;
	while (strlen(fraction) < 9)
		strcat(fraction, "0");
	fraction[9] = 0;
	*row = (struct io_row){.created_ns = seconds * NSEC_PER_SEC + strtoull(fraction, NULL, 10),
			       .sector = sector,
			       .bytes = sectors * SECTOR_BYTES,
			       .op = op == 'R' ? IO_OP_READ : IO_OP_WRITE};
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct io_row *left = a, *right = b;

	return left->created_ns < right->created_ns ? -1 : left->created_ns > right->created_ns;
}

static struct rows load(const char *path)
{
	struct rows rows = {0};
	struct io_row row;
	char line[4096];
	bool started = false;
	gzFile file = gzopen(path, "r");

	while (file && gzgets(file, line, sizeof(line))) {
		if (started && parse_line(line, &row))
			add(&rows, &row);
		started |= !strncmp(line, "start ;", 7);
	}
	gzclose(file);
	qsort(rows.items, rows.count, sizeof(rows.items[0]), by_time);
	return rows;
}

static struct profile_extent extent_of(struct rows *rows)
{
	struct profile_extent e = {.ios = rows->count, .first_sector = UINT64_MAX};
	uint64_t first_ns = rows->items[0].created_ns;

	for (size_t i = 0; i < rows->count; i++) {
		struct io_row *row = &rows->items[i];
		uint64_t end = row->sector + row->bytes / SECTOR_BYTES;

		row->created_ns -= first_ns;
		size_octaves_add(&e.sizes, row);
		if (row->sector < e.first_sector)
			e.first_sector = row->sector;
		if (end > e.end_sector)
			e.end_sector = end;
	}
	e.duration_ns = rows->items[rows->count - 1].created_ns;
	return e;
}

static struct profile *build(struct rows *rows, struct workload_measure *measure)
{
	struct profile_extent extent = extent_of(rows);

	for (size_t i = 0; i < rows->count; i++)
		CHECK_EQ(workload_measure__add(measure, &rows->items[i]), 0);
	return profile_of(&extent, rows->items);
}

#define SEEDS 5

static int by_value(const void *a, const void *b)
{
	const double *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

static double median(double (*values)[SEEDS], enum workload_figure figure)
{
	qsort(values[figure], SEEDS, sizeof(double), by_value);
	return values[figure][SEEDS / 2];
}

/* What a profile promises, by the medians over the seeds. */
static void check_figures(double (*values)[SEEDS])
{
	CHECK(median(values, FIGURE_IOS_RATIO) == 1);
	CHECK(fabs(median(values, FIGURE_BYTES_RATIO) - 1) <= 0.01);
	CHECK(fabs(median(values, FIGURE_READ_IOS_DELTA_PP)) <= 0.5);
	CHECK(median(values, FIGURE_SIZE_TVD) <= 0.01);
	CHECK(median(values, FIGURE_GAP_KS) <= 0.05);
	CHECK(fabs(median(values, FIGURE_IDC_RATIO_10MS) - 1) <= 0.25);
	CHECK(fabs(median(values, FIGURE_IDC_RATIO_1S) - 1) <= 0.25);
	CHECK(fabs(median(values, FIGURE_IDC_RATIO_60S) - 1) <= 0.25);
	CHECK(fabs(median(values, FIGURE_PEAK_10MS_RATIO) - 1) <= 0.25);
	CHECK(median(values, FIGURE_MRC_MAE) <= 0.02);
	CHECK(fabs(median(values, FIGURE_SEQUENTIAL_DELTA_PP)) <= 2);
	CHECK(fabs(median(values, FIGURE_FOOTPRINT_RATIO) - 1) <= 0.03);
}

static void generate(const struct profile *p, const struct workload_figures *trace,
		     unsigned int seed, double (*values)[SEEDS])
{
	struct profile_generator *generator;
	struct workload_measure *measure;
	struct comparison comparison;
	struct io_row row;

	REQUIRE(!workload_measure__create(0, &measure));
	REQUIRE(!profile_generator__create(p, seed, &generator));
	while (profile_generator__next(generator, &row) > 0)
		CHECK_EQ(workload_measure__add(measure, &row), 0);
	compare_with_profile(trace, workload_measure__finish(measure), &comparison);
	for (unsigned int i = 0; i < FIGURE_COUNT; i++)
		values[i][seed - 1] = comparison.figures[i];
	profile_generator__free(generator);
	workload_measure__free(measure);
}

static void compare_rebuilt(const char *path)
{
	struct rows rows = load(path);
	double values[FIGURE_COUNT][SEEDS];
	struct workload_measure *measure;
	struct profile *profile;

	REQUIRE(rows.count > 1000);
	REQUIRE(!workload_measure__create(0, &measure));
	profile = build(&rows, measure);
	for (unsigned int seed = 1; seed <= SEEDS; seed++)
		generate(profile, workload_measure__finish(measure), seed, values);
	check_figures(values);
	profile__free(profile);
	workload_measure__free(measure);
	free(rows.items);
}

static void web_server(void)
{
	compare_rebuilt(TRACES "blkreplay-linux-webserver-2.load.gz");
}

static void database(void)
{
	compare_rebuilt(TRACES "blkreplay-linux-mysql.load.gz");
}

int main(void)
{
	if (access(TRACES "blkreplay-linux-mysql.load.gz", R_OK)) {
		printf("ok profiles_of_real_traces # skip needs " TRACES "\n");
		return EXIT_SUCCESS;
	}
	RUN(web_server);
	RUN(database);
	return TEST_RESULT;
}
