// SPDX-License-Identifier: MIT
/* The text of metrics, against examples written by hand after the specifications of both formats. */
#include "render/metrics/exposition.h"
#include "unit/shared/test.h"

#define TEXT_MAX 600000

static struct exposition x;
static char text[TEXT_MAX];
static size_t used;

static int keep(const char *piece, size_t bytes, void *context)
{
	if (used + bytes >= sizeof(text))
		return -1;
	memcpy(text + used, piece, bytes);
	used += bytes;
	text[used] = '\0';
	return 0;
}

static void start(enum exposition_format format)
{
	memset(&x, 0, sizeof(x));
	x.format = format;
	x.sink = keep;
	used = 0;
	text[0] = '\0';
}

static void openmetrics_names_the_family_and_ends(void)
{
	start(EXPOSITION_OPENMETRICS);
	exposition__family(&x, "disk_busy_seconds", METRIC_COUNTER, "seconds", "Busy.");
	exposition__seconds(&x, "device=\"sda\"", 1500000000);
	exposition__family(&x, "disk", METRIC_INFO, NULL, "A disk.");
	exposition__value(&x, "device=\"sda\"", 1);
	exposition__family(&x, "depth", METRIC_GAUGE, NULL, "In flight.");
	exposition__value(&x, "", UINT64_MAX);
	CHECK_EQ(exposition__end(&x), 0);
	CHECK_TEXT(text, "# HELP disk_busy_seconds Busy.\n"
			 "# TYPE disk_busy_seconds counter\n"
			 "# UNIT disk_busy_seconds seconds\n"
			 "disk_busy_seconds_total{device=\"sda\"} 1.5\n"
			 "# HELP disk A disk.\n"
			 "# TYPE disk info\n"
			 "disk_info{device=\"sda\"} 1\n"
			 "# HELP depth In flight.\n"
			 "# TYPE depth gauge\n"
			 "depth 18446744073709551615\n"
			 "# EOF\n");
}

static void the_older_text_names_the_samples_and_has_no_end(void)
{
	start(EXPOSITION_TEXT);
	exposition__family(&x, "disk_busy_seconds", METRIC_COUNTER, "seconds", "Busy.");
	exposition__seconds(&x, "", 0);
	exposition__family(&x, "disk", METRIC_INFO, NULL, "A disk.");
	exposition__value(&x, "device=\"sda\"", 1);
	CHECK_EQ(exposition__end(&x), 0);
	CHECK_TEXT(text, "# HELP disk_busy_seconds_total Busy.\n"
			 "# TYPE disk_busy_seconds_total counter\n"
			 "disk_busy_seconds_total 0.0\n"
			 "# HELP disk_info A disk.\n"
			 "# TYPE disk_info gauge\n"
			 "disk_info{device=\"sda\"} 1\n");
}

static void times_are_exact(void)
{
	start(EXPOSITION_TEXT);
	x.name = "t";
	x.type = METRIC_GAUGE;
	exposition__seconds(&x, "", 1);
	exposition__seconds(&x, "", 999999999);
	exposition__seconds(&x, "", 10000000000);
	exposition__seconds(&x, "", UINT64_MAX);
	exposition__end(&x);
	CHECK_TEXT(text, "t 0.000000001\nt 0.999999999\nt 10.0\nt 18446744073.709551615\n");
}

static void buckets_add_up(void)
{
	const uint64_t counts[] = {1, 0, 5, 7};

	start(EXPOSITION_OPENMETRICS);
	x.name = "h";
	x.type = METRIC_HISTOGRAM;
	exposition__histogram(&x, "", counts, 4, 13, 2000000);
	exposition__histogram(&x, "a=\"b\"", counts, 1, 13, 0);
	exposition__end(&x);
	CHECK_TEXT(text, "h_bucket{le=\"0.000008192\"} 1\n"
			 "h_bucket{le=\"0.000016384\"} 1\n"
			 "h_bucket{le=\"0.000032768\"} 6\n"
			 "h_bucket{le=\"+Inf\"} 13\n"
			 "h_sum 0.002\n"
			 "h_count 13\n"
			 "h_bucket{a=\"b\",le=\"+Inf\"} 1\n"
			 "h_sum{a=\"b\"} 0.0\n"
			 "h_count{a=\"b\"} 1\n"
			 "# EOF\n");
}

static void exemplars_stand_behind_their_buckets_in_openmetrics_alone(void)
{
	static const uint64_t counts[] = {1, 0, 2};
	const struct exposition_exemplar exemplars[] = {
		{2, "recording=\"b.reel\"", 5000, 1700000000500000000ull},
		{1, "recording=\"c.reel\"", 2000, 1700000000000000000ull},
		{0, "recording=\"a.reel\"", 900, 1700000000000000007ull}};

	start(EXPOSITION_OPENMETRICS);
	exposition__family(&x, "io_seconds", METRIC_HISTOGRAM, NULL, "Latency.");
	exposition__exemplars(&x, exemplars, 3);
	exposition__histogram(&x, "", counts, 3, 10, 11000);
	exposition__histogram(&x, "op=\"read\"", counts, 3, 10, 0);
	CHECK_EQ(exposition__end(&x), 0);
	CHECK_TEXT(
		text,
		"# HELP io_seconds Latency.\n"
		"# TYPE io_seconds histogram\n"
		"io_seconds_bucket{le=\"0.000001024\"} 1 # {recording=\"a.reel\"} 0.0000009 1700000000.000000007\n"
		"io_seconds_bucket{le=\"0.000002048\"} 1 # {recording=\"c.reel\"} 0.000002 1700000000.0\n"
		"io_seconds_bucket{le=\"+Inf\"} 3 # {recording=\"b.reel\"} 0.000005 1700000000.5\n"
		"io_seconds_sum 0.000011\n"
		"io_seconds_count 3\n"
		"io_seconds_bucket{op=\"read\",le=\"0.000001024\"} 1\n"
		"io_seconds_bucket{op=\"read\",le=\"0.000002048\"} 1\n"
		"io_seconds_bucket{op=\"read\",le=\"+Inf\"} 3\n"
		"io_seconds_sum{op=\"read\"} 0.0\n"
		"io_seconds_count{op=\"read\"} 3\n"
		"# EOF\n");
	start(EXPOSITION_TEXT);
	exposition__family(&x, "io_seconds", METRIC_HISTOGRAM, NULL, "Latency.");
	exposition__exemplars(&x, exemplars, 3);
	exposition__histogram(&x, "", counts, 3, 10, 11000);
	CHECK_EQ(exposition__end(&x), 0);
	CHECK(!strstr(text, "recording"));
	start(EXPOSITION_OPENMETRICS);
	exposition__family(&x, "io_seconds", METRIC_HISTOGRAM, NULL, "Latency.");
	exposition__exemplars(&x, exemplars, 3);
	exposition__histogram(&x, "", (const uint64_t[3]){0}, 3, 10, 0);
	CHECK_EQ(exposition__end(&x), 0);
	CHECK(!strstr(text, "recording"));
}

static void a_text_longer_than_the_buffer_is_whole(void)
{
	char line[64];
	size_t at = 0;

	start(EXPOSITION_TEXT);
	x.name = "n";
	x.type = METRIC_GAUGE;
	for (uint64_t i = 0; i < 20000; i++)
		exposition__value(&x, "l=\"0123456\"", i);
	CHECK_EQ(exposition__end(&x), 0);
	CHECK(used > 3 * (size_t)EXPOSITION_BYTES);
	for (unsigned int i = 0; i < 20000; i++) {
		int length = snprintf(line, sizeof(line), "n{l=\"0123456\"} %u\n", i);

		REQUIRE(!strncmp(text + at, line, (size_t)length));
		at += (size_t)length;
	}
	CHECK_EQ(at, used);
}

static unsigned int refused;

static int refuse(const char *piece, size_t bytes, void *context)
{
	refused++;
	return -32;
}

static void what_the_sink_returns_ends_the_writing(void)
{
	start(EXPOSITION_TEXT);
	x.sink = refuse;
	x.name = "n";
	x.type = METRIC_GAUGE;
	refused = 0;
	for (uint64_t i = 0; i < 20000; i++)
		exposition__value(&x, "l=\"0123456\"", i);
	CHECK_EQ(exposition__end(&x), -32);
	CHECK_EQ(refused, 1);
}

static char labels[64];

static const char *label(const char *value)
{
	labels[0] = '\0';
	exposition_label(labels, sizeof(labels), "a", value);
	return labels;
}

static void labels_are_escaped_and_stay_different(void)
{
	CHECK_TEXT(label("plain"), "a=\"plain\"");
	CHECK_TEXT(label("q\"b\\"), "a=\"q\\\"b\\\\\"");
	CHECK_TEXT(label("\xc3\xa4"), "a=\"\xc3\xa4\"");
	CHECK_TEXT(label("x\xff"), "a=\"escaped:x\\\\xff\"");
	CHECK_TEXT(label("x\\xff"), "a=\"x\\\\xff\"");
	CHECK_TEXT(label("n\n"), "a=\"escaped:n\\\\x0a\"");
	/* The name that looks like an escaped one is none. */
	CHECK_TEXT(label("escaped:x"), "a=\"escaped:x\"");
	CHECK(strcmp(label("escaped:x\\xff"), "a=\"escaped:x\\\\xff\""));
}

static void what_is_empty_or_does_not_fit_is_left_out(void)
{
	const char *most = "0123456789012345678901234567890123456789012345678901234567";

	CHECK_TEXT(label(""), "");
	CHECK_EQ(strlen(most), 58);
	for (const char *value = most; *value; value++) {
		size_t length = strlen(label(value));

		CHECK(length == 0 || length == strlen(value) + 4);
		CHECK(length || strlen(value) > 50);
	}
	label("first");
	exposition_label(labels, sizeof(labels), "b", most);
	CHECK_TEXT(labels, "a=\"first\"");
	exposition_label(labels, sizeof(labels), "b", "second");
	CHECK_TEXT(labels, "a=\"first\",b=\"second\"");
}

int main(void)
{
	RUN(openmetrics_names_the_family_and_ends);
	RUN(the_older_text_names_the_samples_and_has_no_end);
	RUN(times_are_exact);
	RUN(buckets_add_up);
	RUN(exemplars_stand_behind_their_buckets_in_openmetrics_alone);
	RUN(a_text_longer_than_the_buffer_is_whole);
	RUN(what_the_sink_returns_ends_the_writing);
	RUN(labels_are_escaped_and_stay_different);
	RUN(what_is_empty_or_does_not_fit_is_left_out);
	return TEST_RESULT;
}
