// SPDX-License-Identifier: MIT
#include "bench/measure.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exit_codes.h"
#include "base/log.h"
#include "bench/workload.h"

#define ARGUMENTS_MAX (48 + 4 * OPTION_LIST_MAX)

struct arguments {
	char *items[ARGUMENTS_MAX];
	unsigned int count;
};

static void add(struct arguments *a, const char *text)
{
	a->items[a->count++] = (char *)text;
}

static void add_option(struct arguments *a, const char *name, const char *value)
{
	add(a, name);
	add(a, value);
}

/* The replay ---------------------------------------------------------------------------------- */

/* In the child: does not return. */
static void become_replay(struct arguments *a, int profile_fd, int reply_fd, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	if (profile_fd >= 0)
		dup2(profile_fd, STDIN_FILENO);
	dup2(reply_fd, STDOUT_FILENO);
	a->items[a->count] = NULL;
	execv("/proc/self/exe", a->items);
	fprintf(stderr, "blkreel: cannot start the replay: %s\n", strerror(errno));
	_exit(EXIT_FAILED);
}

/* The exit code of the replay. */
static int wait_for(const struct bench_options *o, pid_t child)
{
	bool told = false;
	int status;

	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return EXIT_FAILED;
		if (*o->interrupted && !told)
			kill(child, *o->interrupted);
		told |= *o->interrupted != 0;
	}
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	pr_err("the replay was ended by a signal: %s", strsignal(WTERMSIG(status)));
	return *o->interrupted ? 128 + *o->interrupted : EXIT_FAILED;
}

static int run_replay(const struct bench_options *o, struct arguments *a, int profile_fd,
		      int reply_fd)
{
	pid_t parent = getpid(), child = fork();

	if (child < 0) {
		pr_err("cannot start the replay: %s", strerror(errno));
		return EXIT_FAILED;
	}
	if (!child)
		become_replay(a, profile_fd, reply_fd, parent);
	return wait_for(o, child);
}

/* Its document -------------------------------------------------------------------------------- */

static double real(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static uint64_t whole(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

static uint64_t of_op(const json_t *document, const char *op, const char *key)
{
	return whole(json_object_get(json_object_get(document, "ops"), op), key);
}

static void read_steady(const json_t *steady, struct bench_figures *f)
{
	f->steady_rounds = whole(steady, "rounds");
	f->steady_reached = json_is_true(json_object_get(steady, "reached"));
	f->steady_mean = real(steady, "mean");
	f->steady_range_pct = real(steady, "range_pct");
	f->steady_slope_pct = real(steady, "slope_pct");
}

static int read_document(int fd, struct bench_figures *f)
{
	json_error_t error;
	json_t *document, *latency;
	const char *text;
	double seconds;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	document = json_loadfd(fd, 0, &error);
	latency = json_object_get(json_object_get(document, "latency_ns"), "submitted");
	if (!latency) {
		json_decref(document);
		return -EPROTO;
	}
	seconds = real(document, "duration_ns") / 1e9;
	*f = (struct bench_figures){
		.iops = real(document, "iops"),
		.bytes_per_s = seconds > 0 ? real(document, "bytes") / seconds : 0,
		.reads = of_op(document, "read", "completed"),
		.read_bytes = of_op(document, "read", "bytes"),
		.writes = of_op(document, "write", "completed"),
		.write_bytes = of_op(document, "write", "bytes"),
		.ios = whole(document, "completed"),
		.bytes = whole(document, "bytes"),
		.errors = whole(document, "errors"),
		.skipped = whole(document, "unsupported"),
		.duration_ns = whole(document, "duration_ns"),
		.mean_ns = real(latency, "mean"),
		.min_ns = whole(latency, "min"),
		.p50_ns = whole(latency, "p50"),
		.p99_ns = whole(latency, "p99"),
		.p99_9_ns = whole(latency, "p99_9"),
		.max_ns = whole(latency, "max"),
	};
	f->read_iops = seconds > 0 ? (double)f->reads / seconds : 0;
	f->write_iops = seconds > 0 ? (double)f->writes / seconds : 0;
	text = json_string_value(json_object_get(document, "latency_histogram"));
	f->latencies = text ? strdup(text) : NULL;
	read_steady(json_object_get(document, "steady"), f);
	json_decref(document);
	return f->latencies ? 0 : -EPROTO;
}

/* The command line ---------------------------------------------------------------------------- */

#define NUMBERS 9

/* Texts of numbers, which live as long as the arguments. */
struct texts {
	char items[NUMBERS][32];
	unsigned int count;
};

static void add_number(struct arguments *a, struct texts *t, const char *name, uint64_t number,
		       const char *unit)
{
	char *text = t->items[t->count++];

	snprintf(text, sizeof(t->items[0]), "%" PRIu64 "%s", number, unit);
	add_option(a, name, text);
}

/* When IOs are issued, and how many are in flight. */
static void add_timing(struct arguments *a, struct texts *t, const struct bench_point *p)
{
	if (p->kind == BENCH_JOBS) {
		add_option(a, "--mode", p->rated ? "timed" : "dependent");
		if (p->rated)
			add_number(a, t, "--iodepth", p->depth, "");
		if (p->buffered)
			add(a, "--buffered");
		if (p->ramp_ns)
			add_number(a, t, "--ramp", p->ramp_ns, "ns");
		return;
	}
	add_option(a, "--mode", "asap");
	add_option(a, "--batch", "1");
	add_number(a, t, "--iodepth", (uint64_t)p->depth * p->jobs, "");
	add_number(a, t, "--workers", p->jobs, "");
}

static void add_end(struct arguments *a, struct texts *t, const struct bench_options *o,
		    const struct bench_point *p)
{
	if (p->kind == BENCH_FILL)
		add_number(a, t, "--loop", BENCH_FILL_TIMES, "");
	if (p->kind == BENCH_PURGE)
		add_option(a, "--unsupported", "skip");
	if (p->loops)
		add_option(a, "--loop", "4294967295");
	if (p->runtime_ns)
		add_number(a, t, "--runtime", p->runtime_ns, "ns");
	if (o->until_steady && p->runtime_ns) {
		add_option(a, "--until-steady", o->until_steady);
		add_number(a, t, "--round", o->round_ns, "ns");
	}
	if (o->start_epoch_s > 0) {
		char *text = t->items[t->count++];

		snprintf(text, sizeof(t->items[0]), "%.3f", o->start_epoch_s);
		add_option(a, "--sync-start", text);
	}
}

static void add_target(struct arguments *a, struct texts *t, const struct bench_options *o)
{
	add_option(a, "--target", o->target);
	if (o->write)
		add(a, "--write");
	if (o->create_bytes && access(o->target, F_OK))
		add_number(a, t, "--create-size", o->create_bytes, "");
	if (o->fit)
		add_option(a, "--fit", o->fit);
	for (unsigned int i = 0; i < o->yes_destroy->count; i++)
		add_option(a, "--yes-destroy", o->yes_destroy->items[i]);
	for (unsigned int i = 0; i < o->force->count; i++)
		add_option(a, "--force", o->force->items[i]);
}

int bench_measure(const struct bench_options *o, const struct bench_point *p,
		  struct bench_figures *figures)
{
	struct arguments a = {.count = 0};
	struct texts texts = {.count = 0};
	int profile_fd, reply_fd, code, err;

	code = bench_workload(p, o->target_bytes, &profile_fd);
	if (code)
		return code;
	add(&a, "blkreel");
	add(&a, "-q");
	add(&a, "replay");
	add(&a, profile_fd < 0 ? p->source : "/proc/self/fd/0");
	add(&a, "--json");
	add(&a, "--histograms");
	add_target(&a, &texts, o);
	add_timing(&a, &texts, p);
	add_end(&a, &texts, o, p);
	/* Each round and repetition goes to other places. */
	if (p->kind == BENCH_SUITE)
		add_number(&a, &texts, "--seed", (uint64_t)p->round * 1000 + p->repeat, "");
	if (o->source && p->kind == BENCH_SOURCE)
		add_option(&a, "--source", o->source);
	reply_fd = memfd_create("reply", MFD_CLOEXEC);
	code = reply_fd < 0 ? EXIT_FAILED : run_replay(o, &a, profile_fd, reply_fd);
	err = code && code != EXIT_FAILED ? 0 : read_document(reply_fd, figures);
	if (!code && err)
		pr_err("%s: the replay did not say what it measured", p->name);
	/* It has measured those that did not fail. */
	if (code == EXIT_FAILED && !err && figures->errors)
		code = EXIT_OK;
	if (profile_fd >= 0)
		close(profile_fd);
	if (reply_fd >= 0)
		close(reply_fd);
	return !code && err ? EXIT_FAILED : code;
}
