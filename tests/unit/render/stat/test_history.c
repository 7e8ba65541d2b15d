// SPDX-License-Identifier: MIT
/* What stat draws of known samples. */
#include "render/stat/history.h"
#include "base/units.h"
#include "unit/shared/test.h"

static const struct chart_style style = {.width = 40, .utf8 = true};

static struct live_device devices[2];
static struct live_sample sample = {.interval_ns = NSEC_PER_SEC, .devices = devices};

/* An interval with so many reads on a device, each of the latency. */
static void add(struct stat_history *h, unsigned int device, uint64_t ios, uint64_t latency_ns)
{
	memset(devices, 0, sizeof(devices));
	for (unsigned int i = 0; i < 2; i++)
		snprintf(devices[i].name, sizeof(devices[i].name), "sd%c", (char)('a' + i));
	sample.device_count = 2;
	devices[device].moved = ios;
	devices[device].accounted = devices[device].probed = true;
	devices[device].kernel.ios[TICK_READ] = ios;
	devices[device].probes.op[TICK_READ].total[loglinear_bucket(&counting_time_scale,
								    latency_ns)] = ios;
	if (stat_history__add(h, &sample))
		abort();
}

/* The text, for the caller to free; its lines must be as many as were announced. */
static char *drawn(const struct stat_history *h, unsigned int lines)
{
	size_t length = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &length);
	unsigned int announced = stat_history__draw(out, &style, h, lines), found = 0;

	fclose(out);
	for (const char *at = text; *at; at++)
		found += *at == '\n';
	CHECK_EQ(found, announced);
	CHECK(found <= lines);
	return text;
}

static void check_drawn(const struct stat_history *h, unsigned int lines, const char *want)
{
	char *text = drawn(h, lines);

	CHECK_TEXT(text, want);
	free(text);
}

static void load_and_latency_of_known_samples(void)
{
	struct stat_history *h;

	REQUIRE(!stat_history__create(&h));
	check_drawn(h, 20, "");
	add(h, 0, 800, 70000);
	add(h, 0, 0, 0);
	add(h, 0, 400, 300000);
	check_drawn(h, 4,
		    "sda: at most 800 IO/s, p99 311 us\n"
		    "     IO/s █ ▄\n"
		    "      p99 ▂ █\n"
		    "          -3.00 s\n");
	check_drawn(h, 20,
		    "sda: at most 800 IO/s, p99 311 us\n"
		    "     IO/s █ ▄\n"
		    "      p99 ▂ █\n"
		    "   262 us   ▓\n"
		    "   131 us \n"
		    "  65.5 us █\n"
		    "          -3.00 s\n");
	check_drawn(h, 3, "");
	stat_history__free(h);
}

static void the_device_with_the_most_ios_is_drawn(void)
{
	struct stat_history *h;
	char *text;

	REQUIRE(!stat_history__create(&h));
	add(h, 0, 10, 70000);
	add(h, 1, 500, 70000);
	text = drawn(h, 4);
	CHECK(!strncmp(text, "sdb: at most 500 IO/s", 21));
	/* It was idle before it was seen. */
	CHECK(strstr(text, "     IO/s  █\n"));
	free(text);
	stat_history__free(h);
}

static void without_probes_there_is_only_the_load(void)
{
	struct stat_history *h;

	REQUIRE(!stat_history__create(&h));
	add(h, 0, 7, 1);
	devices[0].probed = false;
	memset(&devices[0].probes, 0, sizeof(devices[0].probes));
	stat_history__free(h);
	REQUIRE(!stat_history__create(&h));
	REQUIRE(!stat_history__add(h, &sample));
	check_drawn(h, 20, "sda: at most 7 IO/s\n     IO/s █\n          -1.00 s\n");
	stat_history__free(h);
}

static void the_oldest_go_when_the_line_is_full(void)
{
	struct stat_history *h;
	char *text;

	REQUIRE(!stat_history__create(&h));
	for (unsigned int i = 0; i < 3 * CHART_COLUMNS_MAX; i++)
		add(h, 0, i ? 1 : 1000000, 70000);
	add(h, 0, 2, 70000);
	text = drawn(h, 4);
	CHECK(!strncmp(text, "sda: at most 2 IO/s", 19));
	CHECK(strstr(text, "▄▄▄▄█\n"));
	CHECK(strstr(text, "-29.00 s"));
	CHECK(strstr(text, "now\n"));
	free(text);
	stat_history__free(h);
}

int main(void)
{
	RUN(load_and_latency_of_known_samples);
	RUN(the_device_with_the_most_ios_is_drawn);
	RUN(without_probes_there_is_only_the_load);
	RUN(the_oldest_go_when_the_line_is_full);
	return TEST_RESULT;
}
