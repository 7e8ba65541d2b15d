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
#include "profile/fio/fio.h"

#define ARGUMENTS_MAX (32 + 4 * OPTION_LIST_MAX)

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

/* The profile of a point ---------------------------------------------------------------------- */

static void pass_over(const char *text, void *context)
{
	(void)text;
	(void)context;
}

/* The job of a point of a suite, on the whole target. */
static char *job_text(const struct bench_options *o, const struct bench_point *p)
{
	const char *kind = p->mix_pct == 100 ? "read" : p->mix_pct ? "rw" : "write";
	char *text = NULL;

	if (asprintf(&text,
		     "[%s]\nrw=%s%s\nrwmixread=%d\nbs=%" PRIu64 "\nsize=%" PRIu64 "\niodepth=64\n",
		     p->name, p->random ? "rand" : "", kind, p->mix_pct, p->bs_bytes,
		     o->target_bytes / p->bs_bytes * p->bs_bytes) < 0)
		return NULL;
	return text;
}

static int save_profile(const struct profile *profile, int *fd)
{
	FILE *out;
	int err;

	*fd = memfd_create("point", MFD_CLOEXEC);
	out = *fd < 0 ? NULL : fdopen(dup(*fd), "w");
	if (!out)
		return -errno;
	err = profile__save(profile, out);
	if (fclose(out) && !err)
		err = -EIO;
	if (lseek(*fd, 0, SEEK_SET) && !err)
		err = -EIO;
	return err;
}

/* *fd: the profile, to be closed, or -1. */
static int make_profile(const struct bench_options *o, const struct bench_point *p, int *fd)
{
	char message[PROFILE_MESSAGE_MAX] = "no memory", *text = job_text(o, p);
	FILE *in = text ? fmemopen(text, strlen(text), "r") : NULL;
	struct profile *profile = NULL;
	int err = -ENOMEM;

	*fd = -1;
	if (in)
		err = profile__from_fio(in, NULL, pass_over, NULL, &profile, message);
	if (!err)
		err = save_profile(profile, fd);
	if (err)
		pr_err("%s: the job cannot be made: %s", p->name,
		       err == -EINVAL ? message : strerror(-err));
	profile__free(profile);
	if (in)
		fclose(in);
	free(text);
	return err;
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

static double of_op(const json_t *document, const char *op)
{
	return real(json_object_get(json_object_get(document, "ops"), op), "completed");
}

static int read_document(int fd, struct bench_figures *f)
{
	json_error_t error;
	json_t *document, *latency;
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
		.read_iops = seconds > 0 ? of_op(document, "read") / seconds : 0,
		.write_iops = seconds > 0 ? of_op(document, "write") / seconds : 0,
		.bytes_per_s = seconds > 0 ? real(document, "bytes") / seconds : 0,
		.ios = whole(document, "completed"),
		.errors = whole(document, "errors"),
		.duration_ns = whole(document, "duration_ns"),
		.mean_ns = real(latency, "mean"),
		.p50_ns = whole(latency, "p50"),
		.p99_ns = whole(latency, "p99"),
		.p99_9_ns = whole(latency, "p99_9"),
		.max_ns = whole(latency, "max"),
	};
	json_decref(document);
	return 0;
}

/* The command line ---------------------------------------------------------------------------- */

static void add_lists(struct arguments *a, const struct bench_options *o)
{
	for (unsigned int i = 0; i < o->yes_destroy->count; i++)
		add_option(a, "--yes-destroy", o->yes_destroy->items[i]);
	for (unsigned int i = 0; i < o->force->count; i++)
		add_option(a, "--force", o->force->items[i]);
}

int bench_measure(const struct bench_options *o, const struct bench_point *p,
		  struct bench_figures *figures)
{
	char runtime[32], depth[16], jobs[16];
	struct arguments a = {.count = 0};
	int profile_fd = -1, reply_fd, code, err;

	if (!p->source && make_profile(o, p, &profile_fd))
		return EXIT_FAILED;
	snprintf(runtime, sizeof(runtime), "%" PRIu64 "ns", o->runtime_ns);
	snprintf(depth, sizeof(depth), "%u", p->depth * p->jobs);
	snprintf(jobs, sizeof(jobs), "%u", p->jobs);
	add(&a, "blkreel");
	add(&a, "-q");
	add(&a, "replay");
	add(&a, p->source ? p->source : "/proc/self/fd/0");
	add_option(&a, "--target", o->target);
	add_option(&a, "--mode", "asap");
	add_option(&a, "--batch", "1");
	add_option(&a, "--iodepth", depth);
	add_option(&a, "--workers", jobs);
	add_option(&a, "--loop", "4294967295");
	add_option(&a, "--runtime", runtime);
	add(&a, "--json");
	if (o->write)
		add(&a, "--write");
	if (o->create_size && access(o->target, F_OK))
		add_option(&a, "--create-size", o->create_size);
	if (o->fit)
		add_option(&a, "--fit", o->fit);
	if (o->source)
		add_option(&a, "--source", o->source);
	add_lists(&a, o);
	reply_fd = memfd_create("reply", MFD_CLOEXEC);
	code = reply_fd < 0 ? EXIT_FAILED : run_replay(o, &a, profile_fd, reply_fd);
	err = code ? 0 : read_document(reply_fd, figures);
	if (err)
		pr_err("%s: the replay did not say what it measured", p->name);
	if (profile_fd >= 0)
		close(profile_fd);
	if (reply_fd >= 0)
		close(reply_fd);
	return err ? EXIT_FAILED : code;
}
