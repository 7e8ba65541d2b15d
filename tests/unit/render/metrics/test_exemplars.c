// SPDX-License-Identifier: MIT
/* Which requests of triggers are shown, and at which bucket. */
#include "base/units.h"
#include "render/metrics/exemplars.h"
#include "unit/shared/test.h"

#define NOW_NS	(1700000000 * NSEC_PER_SEC)
#define BUCKETS 27
#define BITS	10

static struct exemplars *exemplars;
static struct exposition_exemplar found[EXPOSITION_BUCKETS_MAX];

/* A recording that began 10 s ago, whose request ended `ago_ns` ago. */
static struct trace_host recording(const char *device, uint64_t latency_ns, uint64_t ago_ns)
{
	struct trace_host host = {.start_ns = 100 * NSEC_PER_SEC,
				  .start_wall_ns = NOW_NS - 10 * NSEC_PER_SEC,
				  .trigger_op = "read",
				  .trigger_latency_ns = latency_ns,
				  .trigger_end_ns = 110 * NSEC_PER_SEC - ago_ns};

	snprintf(host.trigger_device, sizeof(host.trigger_device), "%s", device);
	return host;
}

static bool add(const char *file, const char *device, uint64_t latency_ns, uint64_t ago_ns)
{
	struct trace_host host = recording(device, latency_ns, ago_ns);

	return exemplars__add(exemplars, file, &host, NOW_NS - 5 * NSEC_PER_SEC, NOW_NS);
}

static unsigned int find(const char *device, const char *op)
{
	return exemplars__find(exemplars, device, op, BUCKETS, BITS, found);
}

static void the_newest_of_each_bucket_is_shown(void)
{
	exemplars = exemplars__new();
	REQUIRE(exemplars);
	CHECK(add("a.reel", "sda", 1023, 3));
	CHECK(add("b.reel", "sda", 1024, 2));
	CHECK(add("c.reel", "sda", 2047, 1));
	CHECK(add("d.reel", "sdb", 1, 1));
	CHECK(add("e.reel", "sda", UINT64_MAX, 0));
	CHECK_EQ(find("sda", "read"), 3);
	CHECK_EQ(found[0].bucket, BUCKETS - 1);
	CHECK_EQ(found[1].bucket, 1);
	CHECK_TEXT(found[1].labels, "recording=\"c.reel\"");
	CHECK_EQ(found[1].value_ns, 2047);
	CHECK_EQ(found[1].time_ns, NOW_NS - 1);
	CHECK_EQ(found[2].bucket, 0);
	CHECK_TEXT(found[2].labels, "recording=\"a.reel\"");
	CHECK_EQ(find("sda", "write"), 0);
	CHECK_EQ(find("sdb", "read"), 1);
	exemplars__free(exemplars);
}

static void requests_before_the_start_and_after_now_are_not_shown(void)
{
	struct trace_host host = recording("sda", 5, 0);

	exemplars = exemplars__new();
	REQUIRE(exemplars);
	CHECK(!add("a.reel", "sda", 5, 6 * NSEC_PER_SEC));
	CHECK(!add("a.reel", "sda", 5, -NSEC_PER_SEC));
	CHECK(!add("a.reel", "sda", 0, 0));
	host.trigger_end_ns = 1; /* before the recording */
	CHECK(!exemplars__add(exemplars, "a.reel", &host, 0, NOW_NS));
	host.trigger_end_ns = UINT64_MAX;
	host.start_wall_ns = UINT64_MAX - 5;
	CHECK(!exemplars__add(exemplars, "a.reel", &host, 0, NOW_NS));
	CHECK_EQ(find("sda", "read"), 0);
	exemplars__free(exemplars);
}

static void a_name_has_at_most_119_characters(void)
{
	char name[256];

	exemplars = exemplars__new();
	REQUIRE(exemplars);
	for (int i = 0; i < 119; i++)
		memcpy(name + 2 * i, "\xc3\xa4", 3);
	CHECK(add(name, "sda", 5, 0));
	strcat(name, "x");
	CHECK(!add(name, "sda", 5, 0));
	memset(name, '"', 119);
	name[119] = '\0';
	CHECK(add(name, "sda", 5, 0));
	name[119] = 'x';
	name[120] = '\0';
	CHECK(!add(name, "sda", 5, 0));
	CHECK(!add("", "sda", 5, 0));
	exemplars__free(exemplars);
}

static void memory_is_bounded(void)
{
	char name[32];

	exemplars = exemplars__new();
	REQUIRE(exemplars);
	for (unsigned int i = 0; i < EXEMPLARS_MAX + 3; i++) {
		snprintf(name, sizeof(name), "d%u", i);
		CHECK(add("a.reel", name, 5, 0));
	}
	CHECK_EQ(find("d2", "read"), 0);
	CHECK_EQ(find("d3", "read"), 1);
	CHECK_EQ(find("d258", "read"), 1);
	exemplars__free(exemplars);
}

int main(void)
{
	RUN(the_newest_of_each_bucket_is_shown);
	RUN(requests_before_the_start_and_after_now_are_not_shown);
	RUN(a_name_has_at_most_119_characters);
	RUN(memory_is_bounded);
	return TEST_RESULT;
}
