// SPDX-License-Identifier: MIT
/* The engine on a temporary file: what reaches the file, and that every IO is accounted for. */
#include "unit/shared/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "replay/engine/buffers.h"
#include "replay/engine/engine.h"

#define FILE_BYTES (1u << 20)
#define SEED	   23

struct list_source {
	struct replay_source base;
	const struct replay_io *ios;
	uint64_t count, next;
	int end; /* what comes after the last */
};

static int list_next(struct replay_source *base, struct replay_io *io)
{
	struct list_source *s = (struct list_source *)base;

	if (s->next == s->count)
		return s->end;
	*io = s->ios[s->next++];
	return 1;
}

static void list_free(struct replay_source *base)
{
}

static const struct replay_source_ops list_ops = {list_next, list_free};

static struct engine_result result;
static char message[ENGINE_MESSAGE_MAX];
static bool sqpoll, iopoll;
static uint64_t runtime_ns;

static int run_list(int fd, const struct replay_io *ios, uint64_t count, enum engine_mode mode,
		    uint32_t iodepth)
{
	struct list_source source = {.base = {&list_ops}, .ios = ios, .count = count};
	struct engine_options options = {.fd = fd,
					 .mode = mode,
					 .speed = 1,
					 .iodepth = iodepth,
					 .seed = SEED,
					 .sqpoll = sqpoll,
					 .iopoll = iopoll,
					 .runtime_ns = runtime_ns,
					 .target_bytes = UINT64_MAX,
					 .longest_read_bytes = 8192,
					 .longest_write_bytes = 8192};

	return engine__run(&options, &source.base, &result, message);
}

static int temporary_file(void)
{
	char path[] = "/tmp/blkreel-test-XXXXXX";
	int fd = mkstemp(path);

	if (fd >= 0)
		unlink(path);
	return fd >= 0 && !ftruncate(fd, FILE_BYTES) ? fd : -1;
}

/* True when exactly [offset, offset + bytes) of the file has the pattern, by SEED. */
static int has_pattern(int fd, uint64_t offset_bytes, size_t bytes)
{
	static uint8_t want[8192], got[8192];

	buffers__pattern(SEED, offset_bytes, want, bytes);
	return pread(fd, got, bytes, (off_t)offset_bytes) == (ssize_t)bytes &&
	       !memcmp(want, got, bytes);
}

static uint64_t bytes_not_zero(int fd)
{
	static uint8_t data[FILE_BYTES];
	uint64_t count = 0;

	if (pread(fd, data, FILE_BYTES, 0) != FILE_BYTES)
		return UINT64_MAX;
	for (size_t i = 0; i < FILE_BYTES; i++)
		count += data[i] != 0;
	return count;
}

static void writes_arrive_where_they_should(enum engine_mode mode, uint32_t iodepth)
{
	struct replay_io ios[101];
	int fd = temporary_file();
	uint64_t written;

	REQUIRE(fd >= 0);
	for (uint64_t i = 0; i < 101; i++)
		ios[i] = (struct replay_io){.due_ns = i * 10000,
					    .op = REPLAY_WRITE,
					    .flags = i % 3 ? 0 : REPLAY_PREFLUSH,
					    .offset_bytes = (i * 37 % 128) * 8192,
					    .length_bytes = 512};
	ios[50].flags |= REPLAY_FUA;
	CHECK_EQ(run_list(fd, ios, 101, mode, iodepth), 0);
	CHECK_TEXT(message, "");
	CHECK_EQ(result.ops[REPLAY_WRITE].issued, 101);
	CHECK_EQ(result.ops[REPLAY_WRITE].completed, 101);
	CHECK_EQ(result.ops[REPLAY_WRITE].bytes, 101 * 512);
	CHECK_EQ(engine_result__errors(&result), 0);
	CHECK_EQ(result.preflushes, 34);
	for (uint64_t i = 0; i < 101; i++)
		CHECK(has_pattern(fd, ios[i].offset_bytes, 512));
	written = bytes_not_zero(fd);
	CHECK(written > 101 * 500 && written <= 101 * 512);
	CHECK(result.highest_depth >= 1 && result.highest_depth <= iodepth);
	close(fd);
}

static void writes_arrive_from_a_thread_of_the_kernel(void)
{
	sqpoll = true;
	writes_arrive_where_they_should(ENGINE_TIMED, 1000);
	writes_arrive_where_they_should(ENGINE_TIMED, 1);
	writes_arrive_where_they_should(ENGINE_ASAP, 7);
	sqpoll = false;
}

static void writes_arrive_when_timed(void)
{
	writes_arrive_where_they_should(ENGINE_TIMED, 1024);
	CHECK_EQ(result.lateness_ns.count, 101);
	CHECK_EQ(result.ops[REPLAY_WRITE].intended_ns.count, 101);
	CHECK_EQ(result.ops[REPLAY_WRITE].submitted_ns.count, 101);
	CHECK_EQ(result.last_due_ns, 1000000);
	CHECK(result.duration_ns >= 1000000);
}

static void writes_arrive_as_soon_as_possible(void)
{
	writes_arrive_where_they_should(ENGINE_ASAP, 32);
	CHECK_EQ(result.lateness_ns.count, 0);
	CHECK_EQ(result.ops[REPLAY_WRITE].intended_ns.count, 0);
	CHECK_EQ(result.held_back, 0);
}

static void writes_arrive_one_by_one(void)
{
	writes_arrive_where_they_should(ENGINE_ASAP, 1);
	CHECK_EQ(result.highest_depth, 1);
}

static void the_time_without_ios_before_the_end_of_the_runtime_counts(void)
{
	const struct replay_io ios[] = {
		{.op = REPLAY_READ, .length_bytes = 4096},
		{.op = REPLAY_READ, .length_bytes = 4096, .due_ns = 60 * NSEC_PER_SEC},
	};
	int fd = temporary_file();

	REQUIRE(fd >= 0);
	runtime_ns = 50 * NSEC_PER_MSEC;
	CHECK_EQ(run_list(fd, ios, 2, ENGINE_TIMED, 1), 0);
	CHECK(result.runtime_over);
	CHECK_EQ(result.ops[REPLAY_READ].completed, 1);
	CHECK(result.duration_ns >= runtime_ns);
	runtime_ns = 0;
	close(fd);
}

static void latency_since_due_includes_lateness(void)
{
	struct replay_io ios[500];
	int fd = temporary_file();

	REQUIRE(fd >= 0);
	for (uint64_t i = 0; i < 500; i++)
		ios[i] = (struct replay_io){.op = REPLAY_READ, .length_bytes = 4096};
	CHECK_EQ(run_list(fd, ios, 500, ENGINE_TIMED, 1), 0);
	CHECK_EQ(result.ops[REPLAY_READ].completed, 500);
	/* All were due at once and went one after the other: what waited was counted, not hidden. */
	CHECK(result.held_back > 0 && result.held_back <= 499);
	CHECK(result.lateness_ns.sum > result.ops[REPLAY_READ].submitted_ns.sum);
	CHECK(result.ops[REPLAY_READ].intended_ns.sum >=
	      result.lateness_ns.sum + result.ops[REPLAY_READ].submitted_ns.sum - 1);
	CHECK(result.ops[REPLAY_READ].intended_ns.max <= result.duration_ns);
	close(fd);
}

static void ios_that_the_recorded_depth_let_go_are_held_back_by_iodepth(void)
{
	struct replay_io ios[500];
	int fd = temporary_file();

	REQUIRE(fd >= 0);
	for (uint64_t i = 0; i < 500; i++)
		ios[i] = (struct replay_io){
			.op = REPLAY_READ, .length_bytes = 4096, .wait.depth = 500};
	CHECK_EQ(run_list(fd, ios, 500, ENGINE_DEPTH, 2), 0);
	CHECK(result.held_back > 0 && result.held_back <= 498);
	CHECK_EQ(run_list(fd, ios, 500, ENGINE_DEPTH, 500), 0);
	CHECK_EQ(result.held_back, 0);
	for (uint64_t i = 0; i < 500; i++)
		ios[i].wait.depth = 2;
	CHECK_EQ(run_list(fd, ios, 500, ENGINE_DEPTH, 2), 0);
	CHECK_EQ(result.held_back, 0);
	close(fd);
}

static void discards_change_their_range_alone(void)
{
	static const struct replay_io fill = {
		.op = REPLAY_WRITE, .offset_bytes = 65536, .length_bytes = 8192};
	static const struct replay_io ios[] = {
		{.op = REPLAY_FLUSH},
		{.op = REPLAY_DISCARD, .offset_bytes = 65536, .length_bytes = 4096},
	};
	int fd = temporary_file();
	static uint8_t got[4096], zeroes[4096];

	REQUIRE(fd >= 0);
	CHECK_EQ(run_list(fd, &fill, 1, ENGINE_ASAP, 1), 0);
	CHECK_EQ(run_list(fd, ios, 2, ENGINE_ASAP, 1), 0);
	CHECK_EQ(result.ops[REPLAY_FLUSH].completed, 1);
	CHECK_EQ(result.ops[REPLAY_DISCARD].completed, 1);
	CHECK_EQ(pread(fd, got, 4096, 65536), 4096);
	CHECK(!memcmp(got, zeroes, 4096));
	CHECK(has_pattern(fd, 65536 + 4096, 4096));
	close(fd);
}

static void write_has_failed_when_the_flush_before_it_failed(void)
{
	static const struct replay_io io = {
		.op = REPLAY_WRITE, .flags = REPLAY_PREFLUSH, .length_bytes = 512};
	int ends[2];

	/* A pipe takes writes, but cannot be flushed. */
	REQUIRE(!pipe2(ends, O_NONBLOCK));
	CHECK_EQ(run_list(ends[1], &io, 1, ENGINE_ASAP, 1), 0);
	CHECK_EQ(result.ops[REPLAY_WRITE].errors, 1);
	CHECK_EQ(engine_result__errors(&result), 1);
	CHECK_EQ(result.error_kinds, 1);
	CHECK_EQ(result.errors[0].error, EINVAL);
	close(ends[0]);
	close(ends[1]);
}

static void errors_and_short_reads_are_counted_by_kind(void)
{
	struct replay_io ios[] = {
		{.op = REPLAY_READ, .offset_bytes = FILE_BYTES - 512, .length_bytes = 1024},
		{.op = REPLAY_READ, .offset_bytes = FILE_BYTES, .length_bytes = 512},
		{.op = REPLAY_READ, .offset_bytes = 0, .length_bytes = 512},
		{.op = REPLAY_WRITE, .offset_bytes = 0, .length_bytes = 512},
		{.op = REPLAY_ZONE},
	};
	int fd = temporary_file(), read_only;
	char path[64];

	REQUIRE(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_only = open(path, O_RDONLY);
	REQUIRE(read_only >= 0);
	CHECK_EQ(run_list(read_only, ios, 5, ENGINE_ASAP, 8), 0);
	CHECK_EQ(engine_result__issued(&result), 5);
	CHECK_EQ(engine_result__completed(&result), 1);
	CHECK_EQ(engine_result__errors(&result), 4);
	CHECK_EQ(result.ops[REPLAY_READ].errors, 2);
	CHECK_EQ(result.ops[REPLAY_ZONE].errors, 1);
	REQUIRE(result.error_kinds == 3);
	for (unsigned int i = 0; i < 3; i++) {
		const struct engine_error *e = &result.errors[i];

		CHECK_EQ(e->error, e->op == REPLAY_READ	   ? 0
				   : e->op == REPLAY_WRITE ? EBADF
							   : EINVAL);
		CHECK_EQ(e->count, e->op == REPLAY_READ ? 2 : 1);
	}
	CHECK_EQ(bytes_not_zero(fd), 0);
	close(read_only);
	close(fd);
}

static void a_start_that_is_past_is_missed(void)
{
	static const struct replay_io io = {.op = REPLAY_READ, .length_bytes = 512};
	struct list_source source = {.base = {&list_ops}, .ios = &io, .count = 1};
	struct engine_options options = {.mode = ENGINE_ASAP,
					 .speed = 1,
					 .iodepth = 1,
					 .target_bytes = FILE_BYTES,
					 .longest_read_bytes = 512,
					 .start_wall_ns = NSEC_PER_SEC};

	options.fd = temporary_file();
	REQUIRE(options.fd >= 0);
	CHECK_EQ(engine__run(&options, &source.base, &result, message), -ETIME);
	CHECK(!strncmp(message, "the time to start was missed by ", 32));
	CHECK_EQ(engine_result__issued(&result), 0);
	close(options.fd);
}

static uint64_t waited_until_ns;

static void note_waiting(void *context)
{
	waited_until_ns = clock_ns(CLOCK_REALTIME);
}

static void a_caller_hears_until_shortly_before_the_start(void)
{
	static const struct replay_io io = {.op = REPLAY_FLUSH};
	struct list_source source = {.base = {&list_ops}, .ios = &io, .count = 1};
	struct engine_options options = {.mode = ENGINE_ASAP, .speed = 1, .iodepth = 1};

	options.waiting = note_waiting;
	options.start_wall_ns = clock_ns(CLOCK_REALTIME) + NSEC_PER_SEC;
	options.fd = temporary_file();
	REQUIRE(options.fd >= 0);
	CHECK_EQ(engine__run(&options, &source.base, &result, message), 0);
	CHECK(waited_until_ns && waited_until_ns < options.start_wall_ns);
	close(options.fd);
}

static void failing_source_ends_the_replay_with_its_error(void)
{
	static const struct replay_io io = {.op = REPLAY_READ, .length_bytes = 512};
	struct list_source source = {.base = {&list_ops}, .ios = &io, .count = 1, .end = -EBADMSG};
	struct engine_options options = {.mode = ENGINE_ASAP,
					 .speed = 1,
					 .iodepth = 1,
					 .target_bytes = FILE_BYTES,
					 .longest_read_bytes = 512};

	options.fd = temporary_file();
	REQUIRE(options.fd >= 0);
	CHECK_EQ(engine__run(&options, &source.base, &result, message), -EBADMSG);
	CHECK_EQ(engine_result__completed(&result), 1);
	CHECK(strlen(message) > 0);
	close(options.fd);
}

static void io_outside_of_the_target_ends_the_replay_unasked(void)
{
	static const struct replay_io ios[] = {
		{.op = REPLAY_WRITE, .offset_bytes = 0, .length_bytes = 512},
		{.op = REPLAY_WRITE, .offset_bytes = 65536 - 512, .length_bytes = 1024},
		{.op = REPLAY_WRITE, .offset_bytes = 1024, .length_bytes = 512},
	};
	struct list_source source = {.base = {&list_ops}, .ios = ios, .count = 3};
	struct engine_options options = {.mode = ENGINE_ASAP,
					 .speed = 1,
					 .iodepth = 4,
					 .seed = SEED,
					 .target_bytes = 65536, /* the file is larger */
					 .longest_write_bytes = 1024};

	options.fd = temporary_file();
	REQUIRE(options.fd >= 0);
	CHECK_EQ(engine__run(&options, &source.base, &result, message), -ERANGE);
	CHECK(strstr(message, "outside of the target") != NULL);
	CHECK_EQ(engine_result__issued(&result), 1);
	CHECK_EQ(engine_result__completed(&result), 1);
	CHECK(has_pattern(options.fd, 0, 512));
	CHECK(bytes_not_zero(options.fd) <= 512);
	close(options.fd);
}

/* A trace can be overwritten while it is replayed. */
static void a_longer_io_than_the_survey_saw_ends_the_replay_unasked(enum replay_op op)
{
	const struct replay_io ios[] = {
		{.op = (uint8_t)op, .length_bytes = 8192},
		{.op = (uint8_t)op, .offset_bytes = 65536, .length_bytes = 8192 + 512},
	};
	int fd = temporary_file();

	REQUIRE(fd >= 0);
	CHECK_EQ(run_list(fd, ios, 2, ENGINE_TIMED, 4), -ERANGE);
	CHECK(strstr(message, "changed while it was replayed") != NULL);
	CHECK_EQ(engine_result__issued(&result), 1);
	CHECK_EQ(engine_result__completed(&result), 1);
	CHECK(bytes_not_zero(fd) <= 8192);
	close(fd);
}

static void longer_ios_than_the_survey_saw_are_not_asked_for(void)
{
	a_longer_io_than_the_survey_saw_ends_the_replay_unasked(REPLAY_READ);
	a_longer_io_than_the_survey_saw_ends_the_replay_unasked(REPLAY_WRITE);
}

static void stop_ends_the_replay_after_issued_ios_complete(void)
{
	static const volatile sig_atomic_t stop = 1;
	struct replay_io ios[2] = {
		{.op = REPLAY_READ, .length_bytes = 512},
		{.op = REPLAY_READ, .length_bytes = 512, .due_ns = UINT64_MAX / 2}};
	struct list_source source = {.base = {&list_ops}, .ios = ios, .count = 2};
	struct engine_options options = {
		.speed = 1, .iodepth = 1, .target_bytes = FILE_BYTES, .longest_read_bytes = 512};

	options.fd = temporary_file();
	options.stop = &stop;
	REQUIRE(options.fd >= 0);
	CHECK_EQ(engine__run(&options, &source.base, &result, message), 0);
	CHECK(result.stopped);
	CHECK_EQ(engine_result__issued(&result), engine_result__completed(&result));
	close(options.fd);
}

#define LAST_DUE_NS 300000ull

static volatile sig_atomic_t stop_early;
static bool stopped_early;

/* The last IO is made ready in the last 50 us, and has to be given up when the replay is stopped then. */
static void stop_before_the_last(const struct engine_progress *progress, void *context)
{
	if (progress->elapsed_ns > LAST_DUE_NS - 20000 &&
	    progress->elapsed_ns < LAST_DUE_NS - 1000 && !stop_early) {
		stop_early = 1;
		stopped_early = true;
	}
}

static void io_that_was_ready_is_not_submitted_when_stopped_before_its_time(void)
{
	struct replay_io ios[] = {{.op = REPLAY_READ, .length_bytes = 512},
				  {.op = REPLAY_WRITE,
				   .flags = REPLAY_PREFLUSH,
				   .length_bytes = 512,
				   .due_ns = LAST_DUE_NS}};
	struct engine_options options = {.speed = 1,
					 .iodepth = 2,
					 .seed = SEED,
					 .stop = &stop_early,
					 .target_bytes = FILE_BYTES,
					 .longest_read_bytes = 512,
					 .longest_write_bytes = 512,
					 .progress = stop_before_the_last,
					 .progress_interval_ns = 1};
	unsigned int hits = 0;

	options.fd = temporary_file();
	REQUIRE(options.fd >= 0);
	alarm(120);
	while (hits < 5) {
		struct list_source source = {.base = {&list_ops}, .ios = ios, .count = 2};

		stop_early = stopped_early = 0;
		REQUIRE(!ftruncate(options.fd, 0) && !ftruncate(options.fd, FILE_BYTES));
		CHECK_EQ(engine__run(&options, &source.base, &result, message), 0);
		if (!stopped_early)
			continue;
		hits++;
		CHECK_EQ(engine_result__issued(&result), 1);
		CHECK_EQ(engine_result__completed(&result), 1);
		CHECK_EQ(result.last_due_ns, 0);
		CHECK_EQ(result.preflushes, 0);
		CHECK_EQ(result.highest_depth, 1);
		CHECK_EQ(bytes_not_zero(options.fd), 0);
	}
	alarm(0);
	close(options.fd);
}

enum {
	PIPE_IOS = 13,
	PIPE_DEPTH = 8,
};

static struct {
	int write_fd;
	uint64_t written;
} pipe_feed;

/* Nobody is told any more when the last ones are in flight: they get theirs together. */
static void feed_pipe(const struct engine_progress *progress, void *context)
{
	static const char bytes[PIPE_DEPTH];
	bool last = pipe_feed.written == PIPE_IOS - PIPE_DEPTH;

	if (progress->completed < pipe_feed.written || pipe_feed.written == PIPE_IOS)
		return;
	pipe_feed.written += (uint64_t)write(pipe_feed.write_fd, bytes, last ? PIPE_DEPTH : 1);
}

/*
 * Reads of a pipe: they complete one by one, when a byte comes, and the others are stuck. Each byte is
 * written when the read of the one before has been taken: it must not wait for a batch.
 */
static void stuck_ios_do_not_hold_up_the_others(void)
{
	struct replay_io ios[PIPE_IOS];
	struct list_source source = {.base = {&list_ops}, .ios = ios, .count = PIPE_IOS};
	struct engine_options options = {.mode = ENGINE_ASAP,
					 .speed = 1,
					 .iodepth = PIPE_DEPTH,
					 .completion_batch = 4,
					 .target_bytes = FILE_BYTES,
					 .longest_read_bytes = 512,
					 .progress = feed_pipe,
					 .progress_interval_ns = 1};
	int ends[2];

	REQUIRE(!pipe(ends));
	for (unsigned int i = 0; i < PIPE_IOS; i++)
		ios[i] = (struct replay_io){.op = REPLAY_READ, .length_bytes = 1};
	options.fd = ends[0];
	pipe_feed.write_fd = ends[1];
	pipe_feed.written = 0;
	alarm(60);
	CHECK_EQ(engine__run(&options, &source.base, &result, message), 0);
	alarm(0);
	CHECK_EQ(engine_result__completed(&result), PIPE_IOS);
	CHECK_EQ(result.highest_depth, PIPE_DEPTH);
	close(ends[0]);
	close(ends[1]);
}

static void buffers_are_the_pattern_at_every_offset(void)
{
	struct buffers_options options = {.seed = SEED,
					  .longest_read_bytes = 1 << 20,
					  .longest_write_bytes = 8192,
					  .in_flight = 16384};
	struct buffers *b;
	uint8_t want[8192];

	REQUIRE(!buffers__create(&options, &b));
	for (uint64_t offset = BUFFERS_PATTERN_BYTES - 4096; offset < BUFFERS_PATTERN_BYTES + 4096;
	     offset += 512) {
		struct replay_io io = {.offset_bytes = offset, .length_bytes = sizeof(want)};

		buffers__pattern(SEED, offset, want, sizeof(want));
		CHECK(!memcmp(buffers__write(b, &io, 3), want, sizeof(want)));
	}
	/* Any slot may be written to in full. */
	for (uint32_t slot = 0; slot < 16384; slot += 1000)
		memset(buffers__read(b, slot), 1, 1 << 20);
	buffers__free(b);
	options.longest_read_bytes = REPLAY_LONGEST_BYTES + 1;
	CHECK_EQ(buffers__create(&options, &b), -EINVAL);
}

static void an_unpollable_target_is_refused_before_the_first_io(void)
{
	const struct replay_io write = {.op = REPLAY_WRITE, .length_bytes = 512};
	int fd = temporary_file();

	REQUIRE(fd >= 0);
	iopoll = true;
	CHECK_EQ(run_list(fd, &write, 1, ENGINE_ASAP, 1), -EOPNOTSUPP);
	iopoll = false;
	CHECK(strstr(message, "leave out --iopoll"));
	CHECK_EQ(engine_result__issued(&result), 0);
	CHECK_EQ(bytes_not_zero(fd), 0);
	close(fd);
}

int main(void)
{
	RUN(writes_arrive_when_timed);
	RUN(writes_arrive_from_a_thread_of_the_kernel);
	RUN(writes_arrive_as_soon_as_possible);
	RUN(writes_arrive_one_by_one);
	RUN(the_time_without_ios_before_the_end_of_the_runtime_counts);
	RUN(latency_since_due_includes_lateness);
	RUN(ios_that_the_recorded_depth_let_go_are_held_back_by_iodepth);
	RUN(discards_change_their_range_alone);
	RUN(write_has_failed_when_the_flush_before_it_failed);
	RUN(errors_and_short_reads_are_counted_by_kind);
	RUN(failing_source_ends_the_replay_with_its_error);
	RUN(a_start_that_is_past_is_missed);
	RUN(a_caller_hears_until_shortly_before_the_start);
	RUN(io_outside_of_the_target_ends_the_replay_unasked);
	RUN(longer_ios_than_the_survey_saw_are_not_asked_for);
	RUN(stop_ends_the_replay_after_issued_ios_complete);
	RUN(io_that_was_ready_is_not_submitted_when_stopped_before_its_time);
	RUN(stuck_ios_do_not_hold_up_the_others);
	RUN(an_unpollable_target_is_refused_before_the_first_io);
	RUN(buffers_are_the_pattern_at_every_offset);
	return TEST_RESULT;
}
