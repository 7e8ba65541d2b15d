// SPDX-License-Identifier: MIT
/* What the closed loop of a profile says of its applications: latency, depth, IOs in flight. */
#include "profile/build/closed.h"
#include "profile/closed_values.h"
#include "unit/profile/closed_loop/applications.h"

static void add_row(uint64_t *now_ns, uint64_t latency_ns, uint32_t bytes)
{
	rows[row_count++] = (struct io_row){.created_ns = *now_ns,
					    .completed_ns = *now_ns + latency_ns,
					    .device = 1,
					    .task = 1,
					    .op = IO_OP_READ,
					    .sector = row_count * 8ull % 90000,
					    .bytes = bytes};
}

/* Nine in ten of 50 IOs are 45. */
static void few_ios_must_be_known_as_well(void)
{
	const struct application app = {1, 1, false, 100, 1000, UNIFORM, CONSTANT, 0, 50};
	struct profile *p;

	run_application(&app);
	p = profile_through_text(build_of_known(5));
	CHECK_EQ(p->closed.kind_count, 1);
	profile__free(p);
	p = profile_through_text(build_of_known(6));
	CHECK_EQ(p->closed.kind_count, 0);
	profile__free(p);
}

/* Five of 5,000 reads are large and slow. */
static void mean_latency_is_that_of_the_ios(void)
{
	uint64_t now_ns = 0;
	struct profile *p;

	row_count = 0;
	for (uint32_t i = 0; i < 5000; i++) {
		bool large = i % 1000 == 500;

		add_row(&now_ns, large ? 100000 * US : 100 * US, large ? 1 << 20 : 4096);
		now_ns = rows[row_count - 1].completed_ns + 10 * US;
	}
	p = profile_through_text(build_of_rows());
	check_near("few slow reads", "latency, us", closed_mean_latency_ns(p, 0) / US, 200, 1.02);
	CHECK(closed_mean_latency_ns(p, 1) <= 0);
	profile__free(p);
}

/* 15,000 times one IO, 50 times 64 at once. */
static void ios_in_flight_are_weighed_by_how_often(void)
{
	struct closed_facts facts;
	uint64_t now_ns = 0;
	struct profile *p;

	row_count = 0;
	for (uint32_t i = 0; i < 15000; i++) {
		add_row(&now_ns, 100 * US, 4096);
		now_ns += 110 * US;
		for (uint32_t burst = 0; i % 300 == 0 && burst < 64; burst++, now_ns += US)
			add_row(&now_ns, 100 * US - burst, 4096);
		now_ns += i % 300 ? 0 : 100 * US;
	}
	p = profile_through_text(build_of_rows());
	closed_facts(p, 0, &facts);
	check_near("few bursts", "in flight", facts.window, (15000 + 50 * 64) / 15050.0, 1.02);
	profile__free(p);
}

static void depths_of_a_class_count_in_its_middle(void)
{
	struct profile_closed closed = {.kind_count = 1};

	closed.depth[closed_depth_class(7)] = 1;
	CHECK(closed_mean_depth(&closed) > 6.9 && closed_mean_depth(&closed) < 7.1);
	closed.depth[closed_depth_class(7)] = 0;
	closed.depth[closed_depth_class(60)] = 1;
	CHECK(closed_mean_depth(&closed) > 48 && closed_mean_depth(&closed) < 49);
}

static void values_keep_mean_and_order(void)
{
	static struct histogram h;
	struct closed_values v;
	struct prng r;
	double sum = 0;

	histogram_init(&h);
	for (uint64_t i = 0; i < 10000; i++)
		histogram_add(&h, i % 100 ? 5000 + i % 100 : 3000000);
	closed_values_of(&h, CLOSED_VALUES_MAX, &v);
	for (uint32_t i = 1; i < v.count; i++)
		CHECK(v.at[i] >= v.at[i - 1]);
	check_near("values", "mean", (double)closed_values_mean(&v), histogram_mean(&h), 1.01);
	prng_seed(&r, 1);
	for (unsigned int i = 0; i < 100000; i++)
		sum += (double)closed_values_draw(&v, &r);
	check_near("values", "mean of draws", sum / 100000, histogram_mean(&h), 1.03);
	CHECK_EQ(closed_values_density(&v, 4999), 0);
	CHECK(closed_values_density(&v, 5050) > 0);
	CHECK(closed_values_hazard(&v, 100ull * 3000000) > closed_values_hazard(&v, 3000000));
}

int main(void)
{
	RUN(values_keep_mean_and_order);
	RUN(few_ios_must_be_known_as_well);
	RUN(mean_latency_is_that_of_the_ios);
	RUN(ios_in_flight_are_weighed_by_how_often);
	RUN(depths_of_a_class_count_in_its_middle);
	return TEST_RESULT;
}
