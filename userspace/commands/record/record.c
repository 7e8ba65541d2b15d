// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/options.h"
#include "base/units.h"
#include "commands/shared/command.h"
#include "commands/shared/anonymize_options.h"
#include "commands/record/file_options.h"
#include "commands/record/output_check.h"
#include "collector/privileges/signal_relay.h"
#include "collector/counters/aggregate.h"
#include "collector/privileges/privileges.h"
#include "collector/recording/recording.h"

#define NO_LIMIT	      UINT64_MAX
#define AGGREGATE_INTERVAL_NS (10 * NSEC_PER_SEC)

struct record_config {
	struct option_list devices;
	const char *output;
	uint64_t duration_ns;
	bool cache, accesses, waits, lean, stack, aggregate;
	uint64_t interval_ns;
	struct option_list ops;
	const char *cgroup;
	uint64_t pid;
	uint64_t resolution_ns, level;
	uint64_t ring_bytes;
	const char *user;
	struct anonymize_config anonymize;
	struct record_files_config files;
};

static const struct option_def options[] = {
	OPTION(struct record_config, devices, 'd', "device", LIST, "DEV",
	       "record only this disk or partition (repeatable;\ndefault: every disk)"),
	OPTION(struct record_config, output, 'o', "output", FILE, "FILE",
	       "write the trace to FILE, which is replaced if it is\n"
	       "a trace; with --ring or --rotate, add the time to\n"
	       "this name (default: HOST-DATE-TIME.reel)"),
	OPTION(struct record_config, duration_ns, 't', "time", TIME, "TIME",
	       "stop after TIME: 30, 500ms, 10m, 1h (default: never)"),
	OPTION(struct record_config, cache, 'c', "cache", FLAG, NULL,
	       "record the page cache too: hits, misses, readahead"),
	OPTION(struct record_config, accesses, 0, "files", FLAG, NULL,
	       "record a row for each read, write, page fault and\n"
	       "sync of a file; implies --cache, makes much data"),
	OPTION(struct record_config, waits, 0, "waits", FLAG, NULL,
	       "record what each task waits for in calls on files,\n"
	       "by cause; --files implies it"),
	OPTION(struct record_config, lean, 'l', "lean", FLAG, NULL,
	       "use one probe per IO, at its completion: no\n"
	       "submitter, no depth, the kernel's own times"),
	OPTION(struct record_config, ops, 0, "op", LIST, "OP",
	       "record only this operation: read, write, flush,\ndiscard (repeatable)"),
	OPTION(struct record_config, stack, 0, "stack", FLAG, NULL,
	       "with -d: record the devices below DEV too (those of\n"
	       "a dm, md or NVMe multipath device)"),
	OPTION(struct record_config, aggregate, 0, "aggregate", FLAG, NULL,
	       "write no row per IO, but counts, histograms, busy\n"
	       "time and depth per interval; meant to run always"),
	OPTION(struct record_config, interval_ns, 0, "interval", TIME, "TIME",
	       "with --aggregate: set the interval, 10ms to 1h\n(default: 10s)"),
	OPTION(struct record_config, cgroup, 0, "cgroup", TEXT, "PATH",
	       "record only IO charged to this cgroup or to one\nbelow it"),
	OPTION(struct record_config, pid, 'p', "pid", COUNT, "PID",
	       "record only IO submitted by this process and its\ndescendants", .min = 1,
	       .max = 4194304),
	OPTION(struct record_config, resolution_ns, 0, "resolution", TIME, "TIME",
	       "round times down to a multiple of TIME; 1us makes\nsmaller files"),
	OPTION(struct record_config, level, 0, "level", COUNT, "N",
	       "set the zstd compression level, 1 to 19 (default: 1)", .min = 1, .max = 19),
	RECORD_FILES_OPTIONS(struct record_config, files),
	ANONYMIZE_OPTIONS(struct record_config, anonymize),
	OPTION(struct record_config, user, 0, "user", TEXT, "NAME",
	       "become this user once the probes are attached\n"
	       "(default: who called sudo, if they may write FILE)"),
	OPTION(struct record_config, ring_bytes, 0, "ring-size", BYTES, "SIZE",
	       "set the size of the ring buffer per CPU, a power of\ntwo (default: 16 MiB)",
	       .min = 4096),
	{0},
};

static const struct command_usage usage = {
	.name = "record",
	.synopsis = "[OPTIONS] [-- CMD ARG...]",
	.summary =
		"Records block IO, and with --cache the page cache, until CMD ends, the time is\n"
		"over, or ^C. With CMD the exit code is that of CMD: 128 + N if signal N killed\n"
		"it, 125 if the recording failed, 126 or 127 if CMD cannot be run.",
	.examples = "  blkreel record -d sda --cache -o db.reel -- make benchmark\n"
		    "  blkreel record -t 10m -o night.reel\n"
		    "  blkreel record --aggregate --interval 1m -t 24h -o day.reel\n"
		    "  blkreel record -d sda --ring 5m --trigger 'read p99 > 20ms' -o slow.reel\n"
		    "  blkreel record --rotate 1h --keep 24 -o day.reel\n",
	.options = options,
};

/* What the command waits for, and the child if there is one. */
struct session {
	const struct record_files *files;
	struct recording *recording; /* or */
	struct aggregate *aggregate;
	int signal_fd;
	int output_fd; /* of the one file, open until the end; -1: none */
	int timer_fd;  /* -1: none */
	pid_t child;   /* 0: none */
	int go_fd;     /* writing to it lets the child run CMD */
	int relay_fd;  /* to a process that may still signal CMD; negative: none */
	int child_status;
	bool child_ended;
};

/* Without the name of the host if anonymized; without the time if each file gets its own. */
static void default_output(char *path, size_t bytes, bool anonymized, bool is_one_of_several)
{
	char host[64] = "blkreel", stamp[32];
	time_t now = time(NULL);
	struct tm tm;

	if (!anonymized)
		gethostname(host, sizeof(host) - 1);
	localtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "-%Y%m%d-%H%M%S", &tm);
	snprintf(path, bytes, "%s%s.reel", host, is_one_of_several ? "" : stamp);
}

/* The child: waits until the probes are on, then becomes CMD. */
static void run_child(char **command, int go_fd, const sigset_t *signals)
{
	char go;
	int err;

	if (read(go_fd, &go, 1) != 1)
		_exit(EXIT_RECORD_FAILED);
	close(go_fd);
	sigprocmask(SIG_SETMASK, signals, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	execvp(command[0], command);
	err = errno;
	fprintf(stderr, "blkreel: cannot run %s: %s\n", command[0], strerror(err));
	_exit(err == ENOENT ? EXIT_CMD_NOT_FOUND : EXIT_CMD_NOT_EXECUTABLE);
}

static int start_child(struct session *s, char **command, const sigset_t *old_signals)
{
	int go[2];

	if (pipe2(go, O_CLOEXEC))
		return -errno;
	s->child = fork();
	if (s->child < 0) {
		close(go[0]);
		close(go[1]);
		return -errno;
	}
	if (!s->child) {
		close(go[1]);
		run_child(command, go[0], old_signals);
	}
	close(go[0]);
	s->go_fd = go[1];
	if (geteuid())
		return 0;
	s->relay_fd = signal_relay__start(s->child);
	if (s->relay_fd < 0)
		pr_warn("signals may not reach the command: %s", strerror(-s->relay_fd));
	return 0;
}

static int start_timer(struct session *s, uint64_t duration_ns)
{
	struct itimerspec when = {.it_value = {(time_t)(duration_ns / NSEC_PER_SEC),
					       (long)(duration_ns % NSEC_PER_SEC)}};

	if (duration_ns == NO_LIMIT)
		return 0;
	s->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (s->timer_fd < 0 || timerfd_settime(s->timer_fd, 0, &when, NULL))
		return -errno;
	return 0;
}

static void reap_child(struct session *s)
{
	if (s->child && !s->child_ended && waitpid(s->child, &s->child_status, WNOHANG) == s->child)
		s->child_ended = true;
}

static void ask_for_file(struct session *s)
{
	if (!s->files->has_ring && !s->files->has_rotation)
		pr_warn("SIGUSR1 asks for a file: this needs --ring or --rotate");
	else if (s->recording)
		recording__ask_for_file(s->recording);
}

/* True when the signal ends the recording. */
static bool handle_signal(struct session *s)
{
	struct signalfd_siginfo info;

	if (read(s->signal_fd, &info, sizeof(info)) != sizeof(info))
		return false;
	if (info.ssi_signo == SIGCHLD) {
		reap_child(s);
		return s->child_ended;
	}
	if (info.ssi_signo == SIGUSR1 || (info.ssi_signo == SIGHUP && s->files->has_rotation)) {
		ask_for_file(s);
		return false;
	}
	if (!s->child)
		return true;
	/* A ^C on the terminal has reached CMD as well; other senders meant the recorder. */
	if (info.ssi_code != SI_KERNEL && s->relay_fd >= 0)
		signal_relay__send(s->relay_fd, (int)info.ssi_signo);
	else if (info.ssi_code != SI_KERNEL)
		kill(s->child, (int)info.ssi_signo);
	return false;
}

static void wait_for_end(struct session *s)
{
	struct pollfd fds[] = {
		{.fd = s->signal_fd, .events = POLLIN},
		{.fd = s->aggregate ? aggregate__failure_fd(s->aggregate)
				    : recording__failure_fd(s->recording),
		 .events = POLLIN},
		{.fd = s->timer_fd, .events = POLLIN},
	};

	for (;;) {
		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			return;
		if (fds[0].revents && handle_signal(s))
			return;
		if (fds[1].revents || fds[2].revents)
			return;
	}
}

/* CMD goes on although the recording failed: it is the user's work. */
static void wait_for_child(struct session *s)
{
	while (s->child && !s->child_ended) {
		struct pollfd fd = {.fd = s->signal_fd, .events = POLLIN};

		if (poll(&fd, 1, -1) > 0)
			handle_signal(s);
	}
}

static int child_exit_code(const struct session *s)
{
	if (WIFSIGNALED(s->child_status))
		return 128 + WTERMSIG(s->child_status);
	return WEXITSTATUS(s->child_status);
}

static void print_totals(const char *path, const struct recording_totals *totals)
{
	char bytes[UNITS_TEXT_MAX], duration[UNITS_TEXT_MAX], flight[64] = "",
							      accesses[UNITS_TEXT_MAX + 16] = "";

	if (totals->in_flight_at_end)
		snprintf(flight, sizeof(flight), ", %llu still in flight",
			 (unsigned long long)totals->in_flight_at_end);
	if (totals->access_rows)
		snprintf(accesses, sizeof(accesses), ", %s to files",
			 COUNTED_TEXT(totals->access_rows, "access"));
	pr_info("%s: %s%s in %s, %s, %s%s", path, COUNTED_TEXT(totals->io_rows, "IO"), accesses,
		units_time(totals->duration_ns, duration), units_bytes(totals->file_bytes, bytes),
		totals->lost ? "with losses" : "nothing lost", flight);
	if (totals->unlinked)
		pr_info("%s of devices below without a parent_id: the IO above was not found",
			COUNTED_TEXT(totals->unlinked, "IO"));
	if (totals->lost)
		pr_warn("%s %s lost: 'blkreel info %s' shows which, and the remedy",
			COUNTED_TEXT(totals->lost, "event"), totals->lost == 1 ? "was" : "were",
			path);
}

static void print_end(const struct session *s, const struct recording_totals *totals,
		      const char *path)
{
	char duration[UNITS_TEXT_MAX];

	/* A line was printed for each of several files when it was written. */
	if (s->files->has_rotation)
		pr_info("%s in %s, %s", COUNTED_TEXT(totals->io_rows, "IO"),
			COUNTED_TEXT(totals->files, "file"),
			units_time(totals->duration_ns, duration));
	else if (!s->files->has_ring)
		print_totals(path, totals);
}

/*
 * SIG_UNBLOCK or SIG_BLOCK: writing the last file of a ring can take long.
 */
static void let_second_signal_kill(const struct session *s, int how)
{
	sigset_t signals;

	if (!s->files->has_ring)
		return;
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(how, &signals, NULL);
}

static int stop(struct session *s, struct recording_totals *totals,
		char message[COLLECTOR_MESSAGE_MAX])
{
	int status = s->child_ended ? s->child_status : -1;

	if (s->aggregate)
		return aggregate__stop(s->aggregate, status, totals, message);
	return recording__stop(s->recording, status, totals, message);
}

static int finish(struct session *s, const char *path)
{
	char message[COLLECTOR_MESSAGE_MAX];
	struct recording_totals totals;
	int err;

	reap_child(s);
	let_second_signal_kill(s, SIG_UNBLOCK);
	err = stop(s, &totals, message);
	let_second_signal_kill(s, SIG_BLOCK);
	s->recording = NULL;
	s->aggregate = NULL;
	if (err && *message)
		pr_err("%s", message);
	if (!err || err == -ENODEV)
		print_end(s, &totals, path);
	if (err && s->child && !s->child_ended)
		pr_info("the command goes on without being recorded");
	/* The files of a ring or a rotation may be renamed. */
	if (!err && !s->files->has_ring && !s->files->has_rotation &&
	    record_output_check(s->output_fd, path))
		err = -ENOENT;
	wait_for_child(s);
	if (s->child_ended && WIFSIGNALED(s->child_status))
		pr_info("the command was killed by signal %d (%s)", WTERMSIG(s->child_status),
			strsignal(WTERMSIG(s->child_status)));
	if (err)
		return s->child ? EXIT_RECORD_FAILED : EXIT_FAILED;
	return s->child ? child_exit_code(s) : EXIT_OK;
}

static int start_error(int err, bool with_command)
{
	if (with_command)
		return EXIT_RECORD_FAILED;
	return err == -EPERM ? EXIT_PRIVILEGE : EXIT_FAILED;
}

static void join_arguments(char **arguments, char *text, size_t bytes)
{
	size_t used = 0;

	text[0] = '\0';
	for (; *arguments && used < bytes; arguments++)
		used += (size_t)snprintf(text + used, bytes - used, "%s%s", used ? " " : "",
					 *arguments);
}

/* Signals, and the end of CMD, come through one descriptor. 0 or negative errno. */
static int watch_signals(struct session *s, sigset_t *old_signals)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGXCPU);
	if (signal(SIGHUP, SIG_DFL) == SIG_IGN && !s->files->has_rotation) /* by nohup(1) */
		signal(SIGHUP, SIG_IGN);
	else
		sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, old_signals);
	s->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
	return s->signal_fd < 0 ? -errno : 0;
}

/* From the attached probes to the end of the recording. */
static int follow(struct session *s, uint64_t duration_ns, const char *path)
{
	int err = start_timer(s, duration_ns);

	if (!s->files->has_ring && !s->files->has_rotation)
		s->output_fd = record_output_hold(path);
	if (err)
		pr_warn("no timer (%s): recording until ^C", strerror(-err));
	if (s->go_fd >= 0 && write(s->go_fd, "g", 1) != 1)
		pr_err("cannot start the command: %s", strerror(errno));
	if (!s->child || s->files->has_ring)
		record_files_announce(s->files,
				      s->recording ? recording__first_path(s->recording) : path);
	wait_for_end(s);
	return finish(s, path);
}

static int start(struct session *s, const struct recording_options *what, const char *path,
		 const struct record_config *config, char message[COLLECTOR_MESSAGE_MAX])
{
	uint64_t interval_ns = config->interval_ns;

	if (!config->aggregate)
		return recording__start(path, what, &s->recording, message);
	if (interval_ns == NO_LIMIT)
		interval_ns = AGGREGATE_INTERVAL_NS;
	return aggregate__start(path, what, interval_ns, &s->aggregate, message);
}

static int record(struct session *s, const struct recording_options *what, const char *path,
		  const struct record_config *config, char **command)
{
	char message[COLLECTOR_MESSAGE_MAX];
	sigset_t old_signals;
	int err;

	err = watch_signals(s, &old_signals);
	/* Before the recording starts a thread, because a fork would not copy it. */
	if (!err && command)
		err = start_child(s, command, &old_signals);
	if (err) {
		pr_err("cannot start: %s", strerror(-err));
		return start_error(err, command);
	}
	err = start(s, what, path, config, message);
	if (err) {
		pr_err("%s", message);
		return start_error(err, command);
	}
	return follow(s, config->duration_ns, path);
}

static int run(const struct record_config *config, uint32_t ops, const struct record_files *files,
	       const struct anonymizer *anonymizer, char **argv, char **command)
{
	struct session s = {
		.files = files, .output_fd = -1, .timer_fd = -1, .go_fd = -1, .relay_fd = -1};
	struct privileges_plan plan;
	char path[TRACE_PATH_MAX], arguments[TRACE_TEXT_MAX], message[COLLECTOR_MESSAGE_MAX];
	int err;
	struct recording_options recording = {
		.devices = config->devices.items,
		.device_count = config->devices.count,
		.cache = config->cache || config->accesses,
		.accesses = config->accesses,
		.waits = config->waits || config->accesses,
		.lean = config->lean,
		.ops = ops,
		.stack = config->stack,
		.pid = (uint32_t)config->pid,
		.cgroup_path = config->cgroup,
		.duration_ns = config->duration_ns == NO_LIMIT ? 0 : config->duration_ns,
		.ring_bytes = config->ring_bytes,
		.resolution_ns = config->resolution_ns,
		.zstd_level = (int)config->level,
		.command = arguments,
		.anonymizer = anonymizer,
		.privileges = &plan,
		.flight = files->has_ring ? &files->flight : NULL,
		.rotation = files->has_rotation ? &files->rotation : NULL,
	};

	default_output(path, sizeof(path), anonymizer, files->has_ring || files->has_rotation);
	if (config->output)
		snprintf(path, sizeof(path), "%s", config->output);
	err = privileges__plan(
		&(struct privileges_request){.user = config->user,
					     .output = path,
					     .more_files = files->has_ring || files->has_rotation},
		&plan, message);
	if (err) {
		pr_err("%s", message);
		return start_error(err, command);
	}
	join_arguments(argv, arguments, sizeof(arguments));
	return record(&s, &recording, path, config, command);
}

static bool power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

/* Whether the options agree with --aggregate. */
static int check_aggregate(const struct record_config *config, const struct record_files *files)
{
	if (config->interval_ns != NO_LIMIT && !config->aggregate)
		return options_usage_error(&usage, "--interval goes with --aggregate");
	if (!config->aggregate)
		return EXIT_OK;
	if (config->pid || config->cgroup || config->ops.count)
		return options_usage_error(
			&usage,
			"--aggregate counts everything on a device: it takes no --pid, no --cgroup "
			"and no --op");
	if (config->lean || config->stack || config->accesses || config->waits || files->has_ring ||
	    files->has_rotation)
		return options_usage_error(
			&usage, "--aggregate has no rows per IO: it takes no "
				"--lean, --stack, --files, --waits, --ring and --rotate");
	if (config->interval_ns != NO_LIMIT &&
	    (config->interval_ns < 10 * NSEC_PER_MSEC || config->interval_ns > 3600 * NSEC_PER_SEC))
		return options_usage_error(&usage, "--interval takes a time from 10ms to 1h");
	return EXIT_OK;
}

/* Checks single options. */
static int check(const struct record_config *config, uint32_t *ops)
{
	if (config->ring_bytes && (!power_of_two(config->ring_bytes) || config->ring_bytes < 4096 ||
				   config->ring_bytes > 1ull << 30))
		return options_usage_error(&usage,
					   "--ring-size takes a power of two from 4k to 1G");
	if (!config->duration_ns)
		return options_usage_error(&usage, "--time takes a time above 0");
	/* A completion interrupts any task. */
	if (config->lean && config->pid)
		return options_usage_error(&usage,
					   "--lean does not see who submits: it takes no --pid");
	if (config->resolution_ns > NSEC_PER_SEC)
		return options_usage_error(&usage, "--resolution takes a time of at most 1s");
	for (unsigned int i = 0; i < config->ops.count; i++) {
		int op = io_op_from_name(config->ops.items[i]);

		if (op < 0)
			return options_usage_error(&usage, "--op: no operation is called '%s'",
						   config->ops.items[i]);
		*ops |= 1u << op;
	}
	return EXIT_OK;
}

int cmd_record(int argc, char **argv)
{
	struct record_config config = {
		.duration_ns = NO_LIMIT, .interval_ns = NO_LIMIT, .files = RECORD_FILES_DEFAULT};
	struct record_files files = {0};
	struct anonymizer *anonymizer = NULL;
	int operand, separator, code;
	uint32_t ops = 0;

	if (!cmd_options(&usage, argc, argv, &config, &operand, &separator, &code))
		return code;
	if (operand < argc && operand != separator)
		return options_usage_error(
			&usage, "unexpected argument '%s'; the command to run stands after --",
			argv[operand]);
	if (operand == argc && argc > 1 && !strcmp(argv[argc - 1], "--"))
		return options_usage_error(&usage, "no command stands after --");
	code = check(&config, &ops);
	if (!code)
		code = record_files_parse(&usage, &config.files, &files);
	if (!code)
		code = check_aggregate(&config, &files);
	if (!code) {
		code = cmd_anonymizer(&config.anonymize, &anonymizer);
		if (code && operand < argc)
			code = EXIT_RECORD_FAILED;
	}
	if (!code)
		code = run(&config, ops, &files, anonymizer, argv,
			   operand < argc ? argv + operand : NULL);
	record_files_release(&files);
	anonymizer__free(anonymizer);
	return code;
}
