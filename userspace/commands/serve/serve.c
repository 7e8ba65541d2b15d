// SPDX-License-Identifier: MIT
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <event2/event.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "base/output_file.h"
#include "base/units.h"
#include "collector/counters/cgroup_counts.h"
#include "collector/counters/live_total.h"
#include "collector/privileges/privileges.h"
#include "commands/serve/http.h"
#include "commands/serve/recordings.h"
#include "commands/serve/sockets.h"
#include "commands/shared/command.h"
#include "render/metrics/metrics.h"

#define LISTEN_DEFAULT	    "127.0.0.1:9863"
#define INTERVAL_DEFAULT_NS (15 * NSEC_PER_SEC)
#define SAMPLE_S	    2  /* less than LIVE_INTERVAL_MAX_NS */
#define DEADLINE_S	    30 /* longer than a scrape of Prometheus takes */
#define CGROUPS_DEFAULT	    1000
#define CGROUPS_MAX	    100000
#define ENTRIES_PER_CGROUP  4 /* of the kernel's table: disks and operations */

struct serve_config {
	struct option_list devices;
	const char *listen, *socket, *textfile, *recordings;
	uint64_t interval_ns, cgroups;
	bool no_cache;
};

static const struct option_def options[] = {
	OPTION(struct serve_config, listen, 'l', "listen", TEXT, "HOST:PORT",
	       "answer HTTP there (default: " LISTEN_DEFAULT ",\n"
	       "unless --socket or --textfile is given, or systemd\n"
	       "passes a socket)"),
	OPTION(struct serve_config, socket, 0, "socket", TEXT, "PATH",
	       "answer HTTP on this Unix socket"),
	OPTION(struct serve_config, textfile, 0, "textfile", FILE, "FILE",
	       "write the metrics to FILE, for node_exporter; its\n"
	       "name ends with .prom"),
	OPTION(struct serve_config, interval_ns, 'i', "interval", TIME, "TIME",
	       "write --textfile so often (default: 15s)", .min = NSEC_PER_SEC),
	OPTION(struct serve_config, recordings, 0, "recordings", FILE, "FOLDER",
	       "name files that a flight recorder writes there (record\n"
	       "--ring) at the latencies that triggered them"),
	OPTION(struct serve_config, devices, 'd', "device", LIST, "DEV",
	       "count only this disk (repeatable; default: every disk)"),
	OPTION(struct serve_config, cgroups, 0, "cgroups", COUNT, "N",
	       "show at most N control groups, and the rest as\n"
	       "\"other\"; 0: none (default: 1000)",
	       .max = CGROUPS_MAX),
	OPTION(struct serve_config, no_cache, 0, "no-cache", FLAG, NULL,
	       "leave out the page cache"),
	{0},
};

static const struct command_usage usage = {
	.name = "serve",
	.synopsis = "[OPTIONS]",
	.summary =
		"Counts IOs, bytes, latencies, busy time and the page cache, by device and control\n"
		"group, and answers with the sums since it started, for Prometheus. Nothing is\n"
		"recorded. It gives up its rights once the probes are attached.",
	.notes = "Whoever may connect to HOST:PORT reads the names of devices, control groups and\n"
		 "containers.\n",
	.examples = "  blkreel serve\n"
		    "  blkreel serve --listen 10.0.0.7:9863\n"
		    "  blkreel serve --textfile /var/lib/node_exporter/blkreel.prom\n",
	.options = options,
};

struct serve {
	const struct serve_config *config;
	struct live *live;
	struct live_sample total, part;
	struct cgroup_places *places, *cache_places;
	struct cgroup_counts *counts;
	struct cgroup_table *cache;
	struct event_base *base;
	struct http_server *http;
	struct exemplars *exemplars;
	struct recordings *recordings;
	struct event *events[5];
	unsigned int event_count;
	int unix_fd;
	uint64_t scrapes, scrape_ns, start_ns;
	bool textfile_failed;
	int error;
};

static int sample(struct serve *s)
{
	struct live_sample now;
	int err = live__sample(s->live, &now);

	if (!err)
		err = live_total__add(&s->total, &now);
	return err ? err : live_total__add(&s->part, &now);
}

static int write_metrics(enum exposition_format format,
			 int (*sink)(const char *text, size_t bytes, void *context),
			 void *sink_context, void *context)
{
	struct serve *s = context;
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
	struct metrics_source source = {.live = s->live,
					.total = &s->total,
					.part = &s->part,
					.counts = s->counts,
					.places = s->places,
					.cache = s->cache,
					.cache_places = s->cache_places,
					.exemplars = s->exemplars,
					.scrapes = s->scrapes,
					.scrape_ns = s->scrape_ns,
					.start_ns = s->start_ns,
					.has_cache = !s->config->no_cache};
	int err = sample(s);

	if (!err && s->counts)
		err = cgroup_counts__read(s->counts, begin_ns);
	if (!err)
		err = metrics__write(&source, format, sink, sink_context);
	if (!err && s->counts)
		err = cgroup_counts__answered(s->counts);
	if (!err && s->cache)
		err = cgroup_table__answered(s->cache);
	live_total__release(&s->part);
	s->scrapes++;
	s->scrape_ns += clock_ns(CLOCK_MONOTONIC) - begin_ns;
	return err;
}

static void on_sample(evutil_socket_t fd, short what, void *context)
{
	struct serve *s = context;

	s->error = sample(s);
	if (!s->error && s->counts && cgroup_counts__has_new(s->counts))
		s->error = cgroup_counts__read(s->counts, clock_ns(CLOCK_MONOTONIC));
	if (!s->error)
		return;
	pr_err("cannot read the counters: %s", strerror(-s->error));
	event_base_loopbreak(s->base);
}

static bool is_textfile(const char *head, size_t bytes)
{
	static const char begin[] = "# HELP blkreel_";

	return !strncmp(head, begin, strlen(begin));
}

static const struct output_kind textfile_kind = {.name = "file of metrics", .is_one = is_textfile};

static int write_fd(const char *text, size_t bytes, void *context)
{
	while (bytes) {
		ssize_t written = write(*(int *)context, text, bytes);

		if (written < 0)
			return -errno;
		text += written;
		bytes -= (size_t)written;
	}
	return 0;
}

static int write_textfile(struct serve *s)
{
	struct output_file *file;
	int fd, err, end_err;

	err = output_file__begin(s->config->textfile, &textfile_kind, &file, &fd);
	if (err)
		return err;
	err = write_metrics(EXPOSITION_TEXT, write_fd, &fd, s);
	close(fd);
	end_err = output_file__end(file, !err);
	return err ? err : end_err;
}

/* The message comes once, until it works again. */
static void on_textfile(evutil_socket_t fd, short what, void *context)
{
	struct serve *s = context;
	char message[512];
	int err = write_textfile(s);

	if (err && !s->textfile_failed) {
		output_file__explain(s->config->textfile, &textfile_kind, err, message,
				     sizeof(message));
		pr_warn("%s", message);
	}
	s->textfile_failed = err != 0;
}

static void on_recordings(evutil_socket_t fd, short what, void *context)
{
	struct serve *s = context;
	int err = recordings__take(s->recordings);

	if (!err)
		return;
	pr_warn("%s cannot be watched any more: %s", s->config->recordings, strerror(-err));
	event_del(s->events[0]);
}

static void on_signal(evutil_socket_t fd, short what, void *context)
{
	event_base_loopbreak(((struct serve *)context)->base);
}

static int add_event(struct serve *s, int fd, short what, event_callback_fn call, uint64_t every_ns)
{
	const struct timeval every = {(time_t)(every_ns / NSEC_PER_SEC),
				      (suseconds_t)(every_ns % NSEC_PER_SEC / 1000)};
	struct event *event = event_new(s->base, fd, what | EV_PERSIST, call, s);

	if (!event)
		return -ENOMEM;
	s->events[s->event_count++] = event;
	return event_add(event, every_ns ? &every : NULL) ? -ENOMEM : 0;
}

static int add_events(struct serve *s)
{
	int err = 0;

	/* The first one: on_recordings() removes it. */
	if (s->recordings)
		err = add_event(s, recordings__fd(s->recordings), EV_READ, on_recordings, 0);
	if (!err)
		err = add_event(s, SIGINT, EV_SIGNAL, on_signal, 0);
	if (!err)
		err = add_event(s, SIGTERM, EV_SIGNAL, on_signal, 0);
	if (!err)
		err = add_event(s, -1, 0, on_sample, SAMPLE_S * NSEC_PER_SEC);
	if (!err && s->config->textfile)
		err = add_event(s, -1, 0, on_textfile, s->config->interval_ns);
	return err;
}

/* Before the probes: the page cache is counted by cgroup or not at all. */
static int prepare_cache(struct serve *s)
{
	int err;

	if (s->config->no_cache || !s->config->cgroups)
		return 0;
	err = cgroup_places__create("memory", (unsigned int)s->config->cgroups, &s->cache_places);
	return err ? err : cgroup_table__create(s->cache_places, LIVE_CACHE_SUMS, &s->cache);
}

static int prepare_counts(struct serve *s)
{
	int err;

	if (!s->config->cgroups)
		return 0;
	err = cgroup_places__create("blkio", (unsigned int)s->config->cgroups, &s->places);
	return err ? err : cgroup_counts__create(live__counting(s->live), s->places, &s->counts);
}

static int start_probes(struct serve *s)
{
	const struct serve_config *config = s->config;
	struct live_options live = {.devices = config->devices.items,
				    .device_count = config->devices.count,
				    .cgroups = (unsigned int)config->cgroups * ENTRIES_PER_CGROUP,
				    .cache = !config->no_cache,
				    .written_back = true,
				    .cache_table = s->cache};
	char message[COLLECTOR_MESSAGE_MAX];
	const struct live_missing *missing;
	unsigned int count;
	int err;

	if (live__create(&live, &s->live, message)) {
		pr_err("%s", message);
		return EXIT_FAILED;
	}
	missing = live__missing(s->live, &count);
	err = live__probes_error(s->live);
	if (err) {
		pr_err("%s", count ? missing[0].why : strerror(-err));
		return err == -EPERM ? EXIT_PRIVILEGE : EXIT_FAILED;
	}
	for (unsigned int i = 0; i < count; i++)
		pr_warn("missing: %s: %s", missing[i].figures, missing[i].why);
	return EXIT_OK;
}

static int fail(const char *message, int err)
{
	pr_err("%s", message);
	return err == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
}

static int add_socket(struct serve *s, int fd)
{
	if (!http_server__add(s->http, fd))
		return EXIT_OK;
	close(fd);
	return fail(strerror(ENOMEM), -ENOMEM);
}

static int add_passed_sockets(struct serve *s, unsigned int *count)
{
	int first = socket_passed(count), code = EXIT_OK;

	for (unsigned int i = 0; i < *count && !code; i++)
		code = add_socket(s, first + (int)i);
	if (*count)
		pr_info("answering on %u %s passed by systemd", *count,
			*count == 1 ? "socket" : "sockets");
	return code;
}

static int open_sockets(struct serve *s)
{
	char where[SOCKET_TEXT_MAX], message[SOCKET_TEXT_MAX];
	const struct serve_config *config = s->config;
	const char *address = config->listen;
	unsigned int passed;
	int code = add_passed_sockets(s, &passed), fd;

	if (!address && !passed && !config->socket && !config->textfile)
		address = LISTEN_DEFAULT;
	if (!code && address) {
		fd = socket_listen_tcp(address, where, message);
		if (fd < 0)
			return fail(message, fd);
		code = add_socket(s, fd);
		pr_info("answering on http://%s/metrics", where);
	}
	if (!code && config->socket) {
		fd = socket_listen_unix(config->socket, message);
		if (fd < 0)
			return fail(message, fd);
		s->unix_fd = fd;
		code = add_socket(s, fd);
		pr_info("answering on %s", config->socket);
	}
	return code;
}

/* Recordings of requests from before this time get no exemplar. */
static int watch_recordings(struct serve *s)
{
	int err;

	if (!s->config->recordings)
		return EXIT_OK;
	s->exemplars = exemplars__new();
	err = s->exemplars ? recordings__create(s->config->recordings, s->exemplars, &s->recordings)
			   : -ENOMEM;
	if (!err)
		return EXIT_OK;
	pr_err("%s: %s", s->config->recordings, strerror(-err));
	return err == -ENOMEM ? EXIT_FAILED : EXIT_USAGE;
}

static int is_readable(void *context)
{
	return live__is_readable(context);
}

static int run(struct serve *s)
{
	const struct http_options http = {.metrics = write_metrics,
					  .context = s,
					  .listen = s->config->listen,
					  .deadline_s = DEADLINE_S};
	uint64_t kept;
	int err, code;

	s->base = event_base_new();
	err = s->base ? http_server__create(s->base, &http, &s->http) : -ENOMEM;
	if (err)
		return fail(strerror(-err), err);
	/* Before the probes: a wrong folder or an address that is taken is noticed at once. */
	code = watch_recordings(s);
	if (!code)
		code = open_sockets(s);
	if (code)
		return code;
	err = prepare_cache(s);
	if (err)
		return fail(strerror(-err), err);
	code = start_probes(s);
	if (code)
		return code;
	err = prepare_counts(s);
	if (err)
		return fail(strerror(-err), err);
	err = privileges__drop(0, is_readable, s->live, &kept);
	if (err)
		return fail("cannot give up the rights", err);
	s->start_ns = clock_ns(CLOCK_REALTIME);
	err = add_events(s);
	if (err)
		return fail(strerror(-err), err);
	if (s->config->textfile) {
		on_textfile(-1, 0, s);
		if (s->textfile_failed)
			return EXIT_FAILED;
	}
	event_base_dispatch(s->base);
	return s->error ? EXIT_FAILED : EXIT_OK;
}

static void release(struct serve *s)
{
	if (s->unix_fd >= 0)
		socket_remove_unix(s->config->socket, s->unix_fd);
	for (unsigned int i = 0; i < s->event_count; i++)
		event_free(s->events[i]);
	http_server__free(s->http);
	recordings__free(s->recordings);
	exemplars__free(s->exemplars);
	if (s->base)
		event_base_free(s->base);
	cgroup_counts__free(s->counts);
	cgroup_places__free(s->places);
	live_total__release(&s->total);
	live_total__release(&s->part);
	live__free(s->live);
	cgroup_table__free(s->cache);
	cgroup_places__free(s->cache_places);
}

int cmd_serve(int argc, char **argv)
{
	struct serve_config config = {.interval_ns = INTERVAL_DEFAULT_NS,
				      .cgroups = CGROUPS_DEFAULT};
	struct serve s = {.config = &config, .unix_fd = -1};
	int operand, code;

	if (!cmd_options(&usage, argc, argv, &config, &operand, NULL, &code))
		return code;
	if (operand < argc)
		return options_usage_error(&usage, "unexpected argument '%s'", argv[operand]);
	code = run(&s);
	release(&s);
	return code;
}
