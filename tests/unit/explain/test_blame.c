// SPDX-License-Identifier: MIT
/* Who made whom wait: rows whose blame is known by hand, and mixes of tasks on a simulated FIFO device. */
#include "unit/explain/made_blame.h"

static void a_queue_is_divided_by_whose_turn_it_is(void)
{
	struct explainer *e = new_explainer();
	struct explanation *x;

	/* One server, in order: b 0-100, c 100-300, a 300-350; all wait from 0, a from 50. */
	add_read(e, 2, 0, 100, 1);
	add_read(e, 3, 0, 300, 2);
	add_read(e, 1, 50, 350, 3);
	x = test_finish(e, 10 * MS);
	CHECK_EQ(blamed_us(x, "a", "b"), 50);
	CHECK_EQ(blamed_us(x, "a", "c"), 200);
	CHECK_EQ(blamed_us(x, "a", "a"), 50);
	CHECK_EQ(blamed_us(x, "c", "b"), 100);
	CHECK_EQ(blamed_us(x, "c", "c"), 200);
	CHECK_EQ(blamed_us(x, "b", "b"), 100);
	CHECK_EQ(blamed_us(x, "b", NULL), 100);
	/* The worst wait is that of a or c: 300 us each. */
	CHECK_EQ(x->waits.worst[0].duration_ns, 300 * US);
	/* The file of a direct read is that of its call. */
	CHECK_EQ(blamed_ns(x, BLAME_BY_FILE, "/srv/a", "/srv/b"), 250 * US);
	CHECK_EQ(blamed_ns(x, BLAME_BY_CGROUP, "/db", "/db"), 700 * US);
	explanation__free(x);
}

static void threads_of_one_process_are_one_party(void)
{
	struct explainer *e = new_explainer();
	const struct explain_wait_task *task;
	struct explanation *x;

	add_read(e, 8, 0, 300, 1);
	add_read(e, 1, 0, 400, 2);
	x = test_finish(e, 10 * MS);
	CHECK_EQ(blamed_us(x, "a", "a"), 400);
	CHECK_EQ(blamed_us(x, "a", "log_of_a"), 0);
	REQUIRE(x->waits.task_count == 2);
	task = &x->waits.tasks[0];
	CHECK_EQ(task->calls[0].others_ns[CAUSE_DEVICE], 0);
	CHECK_EQ(task->calls[0].culprit_count, 0);
	CHECK_TEXT(x->waits.worst[0].culprit, "");
	explanation__free(x);
}

static void a_task_alone_blames_nobody(void)
{
	struct explainer *e = new_explainer();
	struct explanation *x;

	for (uint64_t i = 0; i < 100; i++)
		add_read(e, 1, i * 100, i * 100 + 60 + i % 30, 1);
	x = test_finish(e, 100 * MS);
	CHECK(blamed_us(x, "a", NULL) > 6000);
	CHECK_EQ(blamed_us(x, "a", NULL), blamed_us(x, "a", "a"));
	CHECK_EQ(x->waits.causes[CAUSE_DEVICE].ns, blamed_ns(x, BLAME_BY_TASK, "a", "a"));
	explanation__free(x);
}

/* Reads that are alone at the driver and take 100 us teach the service time. */
static void teach(struct explainer *e)
{
	for (uint64_t i = 0; i < 10; i++)
		test_add(e, read_of(1, i * 200, i * 200 + 100, 1));
}

static void a_device_that_serves_many_at_once_makes_nobody_wait(void)
{
	struct explainer *e = new_explainer();
	struct explanation *x;

	teach(e);
	for (uint64_t i = 0; i < 20; i++)
		test_add(e, read_of(4, 2100 + i * 10, 2200 + i * 10, i + 1));
	/* b is served beside a, and ends in the middle of it: a needs its 100 us in any case. */
	add_read(e, 2, 2950, 3050, 1);
	add_read(e, 1, 3000, 3100, 2);
	x = test_finish(e, 10 * MS);
	CHECK_EQ(blamed_us(x, "a", "b"), 0);
	CHECK_EQ(blamed_us(x, "a", "a"), 100);
	explanation__free(x);
}

static void what_is_served_beside_it_has_its_part(void)
{
	struct explainer *e = new_explainer();
	struct explanation *x;

	teach(e);
	/* Two large IOs of b are in service all the time: the device shares itself, a needs 100 of 700 us. */
	test_add(e, read_of(1, 3000, 3700, 3));
	add_sleep(e, 1, WAIT_CALL_READ, READS_DIRECT, 3000, 3700);
	test_add(e, read_of(2, 2900, 9000, 1));
	test_add(e, read_of(3, 2900, 9000, 2));
	x = test_finish(e, 10 * MS);
	CHECK_EQ(blamed_us(x, "a", "a"), 100);
	CHECK_EQ(blamed_us(x, "a", "b"), 300);
	CHECK_EQ(blamed_us(x, "a", "c"), 300);
	explanation__free(x);
}

static void the_turn_in_the_scheduler_is_divided_by_what_goes_before(void)
{
	struct explainer *e = new_explainer();
	struct explanation *x;
	uint64_t scheduler_ns = 0;
	struct io_row row;

	add_read(e, 2, 0, 400, 1);
	row = read_of(1, 100, 600, 1);
	row.inserted_ns = row.created_ns;
	row.issued_ns = START_NS + 450 * US;
	test_add(e, row);
	add_sleep(e, 1, WAIT_CALL_READ, READS_DIRECT, 100, 600);
	x = test_finish(e, 10 * MS);
	for (uint32_t i = 0; i < x->waits.blame_count; i++)
		if (x->waits.blame[i].by == BLAME_BY_TASK &&
		    x->waits.blame[i].where == BLAME_IN_SCHEDULER)
			scheduler_ns += x->waits.blame[i].ns;
	CHECK_EQ(scheduler_ns, 350 * US);
	CHECK_EQ(blamed_us(x, "a", "b"), 300);
	CHECK_EQ(blamed_us(x, "a", "a"), 200);
	explanation__free(x);
}

static void what_completes_together_shares_the_time_before(void)
{
	struct explainer *e = new_explainer();
	struct explanation *x;

	/* All are issued at 0, and complete within a tenth of the time. */
	add_read(e, 2, 0, 1000, 1);
	add_read(e, 1, 0, 1010, 2);
	add_read(e, 3, 0, 1020, 3);
	x = test_finish(e, 10 * MS);
	CHECK(blamed_us(x, "a", "b") >= 336 && blamed_us(x, "a", "b") <= 337);
	CHECK(blamed_us(x, "a", "c") >= 336 && blamed_us(x, "a", "c") <= 337);
	CHECK_EQ(blamed_us(x, "a", NULL), 1010);
	explanation__free(x);
}

/* Mixes ----------------------------------------------------------------------------------------- */

#define READS_OF_PARTY 1000u

/* Reads one after the other, with a pause between them. */
struct load {
	uint64_t service, pause; /* us; a pause is of 0 to twice this */
	uint64_t seed;
	bool runs;
};

#define BYTES_PER_US 512u /* of the device: the service time of a read is that of its size */

struct simulated {
	uint32_t task;
	uint64_t created, completed, bytes;
	uint32_t depth;
};

static uint64_t draw(uint64_t *state, uint64_t below)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (*state >> 33) % below;
}

/* A server that takes one read at a time, in the order of arrival. Returns the number of reads. */
static uint32_t simulate(const struct load *loads, struct simulated *reads, uint64_t *waited)
{
	uint64_t due[PARTIES], states[PARTIES], free_at = 0;
	uint32_t left[PARTIES], count = 0;

	for (uint32_t i = 0; i < PARTIES; i++) {
		states[i] = loads[i].seed;
		due[i] = 7 * i;
		left[i] = loads[i].runs ? READS_OF_PARTY : 0;
		waited[i] = 0;
	}
	for (;;) {
		uint32_t next = PARTIES, depth = 1;
		uint64_t start;

		for (uint32_t i = 0; i < PARTIES; i++)
			if (left[i] && (next == PARTIES || due[i] < due[next]))
				next = i;
		if (next == PARTIES)
			return count;
		for (uint32_t i = count; i && count - i < PARTIES; i--)
			depth += reads[i - 1].completed > due[next];
		start = free_at > due[next] ? free_at : due[next];
		free_at = start + loads[next].service;
		reads[count++] = (struct simulated){next + 1, due[next], free_at,
						    loads[next].service * BYTES_PER_US, depth};
		waited[next] += free_at - due[next];
		due[next] = free_at + draw(&states[next], 2 * loads[next].pause + 1);
		left[next]--;
	}
}

static struct explanation *explain_reads(const struct simulated *reads, uint32_t count)
{
	struct explainer *e = new_explainer();

	for (uint32_t i = 0; i < count; i++) {
		const struct simulated *read = &reads[i];
		struct io_row row =
			read_of(read->task, read->created, read->completed, read->depth);

		row.bytes = read->bytes;
		test_add(e, row);
		add_sleep(e, read->task, WAIT_CALL_READ, READS_DIRECT, read->created,
			  read->completed);
	}
	return test_finish(e, 100 * NSEC_PER_SEC);
}

static bool is_within(uint64_t one, uint64_t other, uint64_t pct, uint64_t slack)
{
	uint64_t larger = one > other ? one : other, smaller = one > other ? other : one;

	return larger - smaller <= larger * pct / 100 + slack;
}

/* Counts pairs of culprits that blame and leaving them out put in the same order, for one victim. */
static void compare_order(const struct explanation *x, const struct load *loads, uint32_t victim,
			  uint64_t waited, uint32_t *same, uint32_t *pairs)
{
	static struct simulated reads[PARTIES * READS_OF_PARTY];
	uint64_t gained[PARTIES] = {0}, blamed[PARTIES] = {0};

	for (uint32_t i = 0; i < PARTIES; i++) {
		struct load without[PARTIES];
		uint64_t left[PARTIES];

		if (i == victim || !loads[i].runs)
			continue;
		memcpy(without, loads, sizeof(without));
		without[i].runs = false;
		simulate(without, reads, left);
		gained[i] = waited > left[victim] ? waited - left[victim] : 0;
		blamed[i] = blamed_us(x, parties[victim].comm, parties[i].comm);
	}
	for (uint32_t i = 0; i < PARTIES; i++)
		for (uint32_t k = i + 1; k < PARTIES; k++) {
			if (i == victim || k == victim || !loads[i].runs || !loads[k].runs ||
			    is_within(gained[i], gained[k], 10, 100))
				continue;
			(*pairs)++;
			*same += (gained[i] > gained[k]) == (blamed[i] > blamed[k]);
		}
}

static void blame_of_twenty_mixes_is_what_leaving_out_gains(void)
{
	static struct simulated reads[PARTIES * READS_OF_PARTY];
	uint64_t state = 23;
	uint32_t same = 0, pairs = 0;

	for (uint32_t mix = 0; mix < 20; mix++) {
		uint32_t tasks = 2 + mix % 4, count;
		struct load loads[PARTIES] = {0};
		uint64_t waited[PARTIES];
		struct explanation *x;

		for (uint32_t i = 0; i < tasks; i++)
			loads[i] = (struct load){20 + draw(&state, 400), draw(&state, 2000),
						 draw(&state, 1 << 30), true};
		count = simulate(loads, reads, waited);
		x = explain_reads(reads, count);
		for (uint32_t i = 0; i < tasks; i++) {
			const char *name = parties[i].comm;
			uint64_t all = blamed_us(x, name, NULL);
			uint64_t alone = READS_OF_PARTY * loads[i].service;

			CHECK_EQ(all, waited[i]);
			CHECK(is_within(all - blamed_us(x, name, name), waited[i] - alone, 5, 1));
			compare_order(x, loads, i, waited[i], &same, &pairs);
		}
		explanation__free(x);
	}
	CHECK(pairs > 50);
	CHECK(100 * same >= 95 * pairs);
	printf("# %u of %u pairs in the same order\n", same, pairs);
}

int main(void)
{
	RUN(a_queue_is_divided_by_whose_turn_it_is);
	RUN(threads_of_one_process_are_one_party);
	RUN(a_task_alone_blames_nobody);
	RUN(a_device_that_serves_many_at_once_makes_nobody_wait);
	RUN(what_is_served_beside_it_has_its_part);
	RUN(the_turn_in_the_scheduler_is_divided_by_what_goes_before);
	RUN(what_completes_together_shares_the_time_before);
	RUN(blame_of_twenty_mixes_is_what_leaving_out_gains);
	return TEST_RESULT;
}
