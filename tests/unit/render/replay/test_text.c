// SPDX-License-Identifier: MIT
/* What replay prints of known results. */
#include "render/replay/replay.h"
#include "base/units.h"
#include "unit/shared/test.h"

static struct engine_options engine;
static struct engine_result result;
static struct replay_outcome outcome;
static const struct missing_rows nothing_missing;

/* A replay of a second in which nothing happened. */
static void reset(void)
{
	engine = (struct engine_options){.mode = ENGINE_TIMED, .speed = 1, .iodepth = 128};
	engine_result__init(&result);
	result.duration_ns = NSEC_PER_SEC;
	outcome = (struct replay_outcome){.source_path = "t.reel",
					  .source_device = "sda",
					  .rounds = 1,
					  .workers = 1,
					  .engine = &engine,
					  .result = &result,
					  .missing = &nothing_missing,
					  .disturbance = {-1, -1, -1}};
}

static void check_prints(const char *want)
{
	size_t length = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &length);

	if (!out || replay_outcome_text(&outcome, out))
		abort();
	fclose(out);
	CHECK(strstr(text, want));
	if (!strstr(text, want))
		printf("# not in: %s\n", text);
	free(text);
}

/* "mean,range,slope" of the document, each in % or "null". */
static void check_steady(const char *want)
{
	static const char *const keys[] = {"mean", "range_pct", "slope_pct"};
	json_t *document = replay_outcome_json(&outcome);
	const json_t *steady = json_object_get(document, "steady");
	char got[128] = "";

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char *text = json_dumps(json_object_get(steady, keys[i]), JSON_ENCODE_ANY);

		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? "," : "",
			 text ? text : "absent");
		free(text);
	}
	CHECK_TEXT(got, want);
	json_decref(document);
}

static void a_steady_state_that_was_not_judged_has_no_figures(void)
{
	struct steady steady = {0};
	struct steady_verdict verdict = {0};

	reset();
	outcome.steady_figure = "iops";
	outcome.steady = &verdict;
	outcome.steady_rounds = &steady.rounds;
	check_prints("  steady    iops: not known, no round was whole\n");
	check_steady("null,null,null");
	for (unsigned int i = 0; i < 3; i++)
		steady__add(&steady, 0.5);
	steady__judge(&steady, &verdict);
	check_prints("  steady    iops: not known after 3 rounds, 5 are needed\n");
	check_steady("null,null,null");
	steady__add(&steady, 0.5);
	steady__add(&steady, 0.5);
	steady__judge(&steady, &verdict);
	check_prints("  steady    iops: yes after 5 rounds, range 0.0 %, slope 0.0 %\n");
	check_steady("0.5,0.0,0.0");
	for (unsigned int i = 0; i < 5; i++)
		steady__add(&steady, 0);
	steady__judge(&steady, &verdict);
	check_prints("  steady    iops: no after 10 rounds, the mean of the last 5 is 0\n");
	check_steady("0.0,null,null");
}

static void the_rate_of_a_slow_source_is_not_0(void)
{
	static const struct {
		uint64_t ios, s;
		const char *text;
	} cases[] = {
		{0, 60, "  rate      0 IOs/s, 0 B/s\n"},
		{10, 60, "  rate      0.167 IOs/s, 682 B/s\n"},
		{60, 60, "  rate      1.00 IOs/s, 4.0 KiB/s\n"},
		{101, 10, "  rate      10 IOs/s, 40.4 KiB/s\n"},
		{12345, 1, "  rate      12,345 IOs/s, 48.2 MiB/s\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		reset();
		result.duration_ns = cases[i].s * NSEC_PER_SEC;
		result.ops[REPLAY_READ].completed = cases[i].ios;
		result.ops[REPLAY_READ].bytes = cases[i].ios * 4096;
		check_prints(cases[i].text);
	}
}

static void threads_that_waited_for_a_cpu_are_not_added_up(void)
{
	reset();
	result.cpu_wait_ns = NSEC_PER_SEC / 2;
	outcome.workers = 4;
	check_prints("One of its own threads waited for a CPU in 50.0 % of the time.");
}

static void check_split(bool small_pages, const char *want)
{
	reset();
	engine.limits.io_bytes = 1048576;
	result.split = 3;
	result.split_into = 6;
	result.whole_bytes = 524288;
	result.small_pages = small_pages;
	check_prints(want);
}

/* The pieces of memory that a device takes may be fewer than its longest IO needs. */
static void huge_pages_are_missed_where_they_would_have_helped(void)
{
	check_split(false,
		    "3 IOs split into 6 (split): the target takes at most 512.0 KiB at once\n");
	check_split(true,
		    "the target takes at most 512.0 KiB at once, from memory without huge pages\n");
}

int main(void)
{
	RUN(huge_pages_are_missed_where_they_would_have_helped);
	RUN(threads_that_waited_for_a_cpu_are_not_added_up);
	RUN(the_rate_of_a_slow_source_is_not_0);
	RUN(a_steady_state_that_was_not_judged_has_no_figures);
	return TEST_RESULT;
}
