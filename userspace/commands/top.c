// SPDX-License-Identifier: MIT
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "base/schedule.h"
#include "base/units.h"
#include "commands/shared/command.h"
#include "commands/shared/signals.h"
#include "render/top/screen.h"
#include "render/top/top.h"

#define INTERVAL_MIN_NS (10 * NSEC_PER_MSEC)
#define DRAIN_MS	50
#define ROWS_OF_TEXT	20

struct top_config {
	struct option_list devices;
	unsigned int by, sort;
	uint64_t rows;
	bool once, json, no_cache;
};

static const struct option_def options[] = {
	OPTION(struct top_config, by, 'b', "by", CHOICE, "WHAT",
	       "show a row for each process, command, cgroup,\nunit (of systemd), container, pod, file or device\n(default: process)",
	       .choices = top_by_names),
	OPTION(struct top_config, sort, 's', "sort", CHOICE, "FIGURE",
	       "sort by waiting, ios, bytes or misses (default:\nwaiting)",
	       .choices = top_sort_names),
	OPTION(struct top_config, devices, 'd', "device", LIST, "DEV",
	       "watch only this disk or partition (repeatable;\ndefault: every disk)"),
	OPTION(struct top_config, once, '1', "once", FLAG, NULL,
	       "print one interval and end, also on a terminal"),
	OPTION(struct top_config, rows, 'n', "rows", COUNT, "N",
	       "print at most N rows (default: as many as fit on the\n"
	       "terminal, else 20; with --json all)",
	       .min = 1, .max = PARTIES_MAX),
	OPTION(struct top_config, no_cache, 0, "no-cache", FLAG, NULL, "leave out the page cache"),
	OPTION(struct top_config, json, 0, "json", FLAG, NULL,
	       "print one JSON document per interval and line"),
	{0},
};

static const struct command_usage usage = {
	.name = "top",
	.synopsis = "[OPTIONS] [INTERVAL [COUNT]]",
	.summary = "Shows who makes the devices work: processes, commands, cgroups, files. Every\n"
		   "INTERVAL (10ms to 1m; default: 1s), COUNT times or until q or ^C. Nothing is\n"
		   "recorded.",
	.notes =
		"WAIT/s is the time that the IOs of a row spent in queue and device, per second;\n"
		"QUEUE% is the share of the queue. AWAIT and MAX are the mean and the longest of\n"
		"an IO. MISS/s are the pages that were not in the page cache when a read asked for\n"
		"them, HIT% the share that was. The last row says how many are in no other.\n",
	.examples = "  blkreel top\n"
		    "  blkreel top --by file --sort misses\n"
		    "  blkreel top --once --json 10 | jq '.rows[0]'\n",
	.options = options,
};

struct view {
	const struct top_config *config;
	struct activity *activity;
	struct top_style style;
	struct top_view beside;
	uint64_t count; /* 0: no end */
	uint64_t done;
	struct activity_sample shown; /* on a screen */
	bool has_shown, on_screen, output_failed;
	int signal_fd;
};

static int print(struct view *v, const struct activity_sample *sample)
{
	size_t limit = v->config->rows;
	struct top_list list;
	int err;

	if (!limit && !v->config->json)
		limit = ROWS_OF_TEXT;
	err = top_list__make(sample, &v->style.of, limit, &list);
	if (err)
		return err;
	if (v->done && !v->config->json)
		fputc('\n', stdout);
	err = (v->config->json ? top_json : top_text)(stdout, &v->style, sample, &list,
						      &v->beside.missing);
	top_list__release(&list);
	errno = 0;
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = errno ? -errno : -EIO;
	v->output_failed = err != 0;
	return err;
}

static int draw(struct view *v)
{
	return top_screen__draw(&v->style, &v->beside, v->has_shown ? &v->shown : NULL);
}

/* Takes the sample over. */
static int show(struct view *v, struct activity_sample *sample)
{
	int err;

	if (!v->on_screen) {
		err = print(v, sample);
		parties__release(&sample->parties);
		return err;
	}
	if (v->beside.paused) {
		parties__release(&sample->parties);
		return 0;
	}
	parties__release(&v->shown.parties);
	v->shown = *sample;
	v->has_shown = true;
	return draw(v);
}

/* 1: the command ends. 0 or negative errno. */
static int handle_signal(struct view *v)
{
	struct signalfd_siginfo info;

	if (read(v->signal_fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	if (info.ssi_signo == SIGWINCH)
		top_screen__resize();
	else if (info.ssi_signo == SIGTSTP)
		top_screen__stop();
	else
		return 1;
	return v->on_screen ? draw(v) : 0;
}

/* The same for keys. */
static int handle_keys(struct view *v)
{
	for (;;) {
		switch (top_screen__key(&v->style)) {
		case TOP_KEY_NONE:
			return draw(v);
		case TOP_KEY_QUIT:
			return 1;
		case TOP_KEY_PAUSE:
			v->beside.paused = !v->beside.paused;
			break;
		case TOP_KEY_STYLE:
			break;
		}
	}
}

/* Drains until the time has come (0) or the command ends (1); negative errno. */
static int wait_until(struct view *v, uint64_t until_ns)
{
	struct pollfd fds[] = {
		{.fd = v->signal_fd, .events = POLLIN},
		{.fd = v->on_screen && top_screen__has_keys() ? STDIN_FILENO : -1,
		 .events = POLLIN},
	};
	int err = 0;

	while (!err) {
		uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
		uint64_t left_ms = now_ns < until_ns ? (until_ns - now_ns) / NSEC_PER_MSEC + 1 : 0;

		if (!left_ms)
			return 0;
		if (poll(fds, 2, (int)(left_ms < DRAIN_MS ? left_ms : DRAIN_MS)) < 0 &&
		    errno != EINTR)
			return -errno;
		if (fds[0].revents)
			err = handle_signal(v);
		if (!err && fds[1].revents & POLLIN)
			err = handle_keys(v);
		else if (!err && fds[1].revents) /* the terminal is gone */
			return 1;
		if (!err)
			err = activity__drain(v->activity);
	}
	return err;
}

static int loop(struct view *v)
{
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + v->beside.interval_ns;
	int err = v->on_screen ? draw(v) : 0;

	while (!err && (!v->count || v->done < v->count)) {
		struct activity_sample sample;
		int end;

		err = wait_until(v, until_ns);
		if (err)
			break;
		end = activity__sample(v->activity, &sample);
		if (end && end != -ENODEV)
			return end;
		err = show(v, &sample) ?: end;
		v->done++;
		/* After a stop, by ^Z or by who reads the output, no interval is made up for. */
		until_ns = schedule_next_ns(until_ns, v->beside.interval_ns,
					    clock_ns(CLOCK_MONOTONIC));
	}
	return err == 1 ? 0 : err;
}

static int run(struct view *v)
{
	int err;

	v->on_screen = !v->config->json && !v->config->once && !top_screen__open();
	v->signal_fd = signals__watch(v->on_screen);
	err = v->signal_fd < 0 ? v->signal_fd : loop(v);
	top_screen__close();
	parties__release(&v->shown.parties);
	if (v->signal_fd >= 0)
		close(v->signal_fd);
	/* No message if the reader is gone. */
	if (err == -ENODEV)
		pr_err("none of the devices is there any more");
	else if (err && !(v->output_failed && err == -EPIPE))
		pr_err("%s: %s",
		       v->output_failed ? "cannot write to standard output" : "cannot go on",
		       strerror(-err));
	return err ? EXIT_FAILED : cmd_flush_stdout();
}

/* [INTERVAL [COUNT]]. EXIT_OK or EXIT_USAGE. */
static int parse_operands(struct view *v, int count, char **operands)
{
	v->beside.interval_ns = NSEC_PER_SEC;
	if (count > 2)
		return options_usage_error(&usage, "unexpected argument '%s'", operands[2]);
	if (count > 0 && (units_parse_time(operands[0], &v->beside.interval_ns) ||
			  v->beside.interval_ns < INTERVAL_MIN_NS ||
			  v->beside.interval_ns > ACTIVITY_INTERVAL_MAX_NS))
		return options_usage_error(
			&usage, "INTERVAL is a time from 10ms to 1m (1, 500ms, 10s), not '%s'",
			operands[0]);
	if (count > 1 && units_parse_count(operands[1], 1, UINT32_MAX, &v->count))
		return options_usage_error(&usage, "COUNT is a number from 1, not '%s'",
					   operands[1]);
	if (v->config->once && v->count > 1)
		return options_usage_error(&usage, "--once and a COUNT exclude each other");
	if (v->config->once)
		v->count = 1;
	return EXIT_OK;
}

int cmd_top(int argc, char **argv)
{
	char message[COLLECTOR_MESSAGE_MAX];
	struct top_config config = {0};
	struct view view = {.config = &config};
	struct activity_options activity = {0};
	int operand, code, err;

	if (!cmd_options(&usage, argc, argv, &config, &operand, NULL, &code))
		return code;
	code = parse_operands(&view, argc - operand, argv + operand);
	if (code)
		return code;
	if (config.no_cache && config.sort == TOP_MISSES)
		return options_usage_error(&usage, "--sort misses needs the page cache");
	view.style.of.by = config.by;
	view.style.of.sort = config.sort;
	activity.devices = config.devices.items;
	activity.device_count = config.devices.count;
	activity.cache = !config.no_cache;
	if (container_names__create("", &view.style.of.names)) {
		pr_err("%s", strerror(ENOMEM));
		return EXIT_FAILED;
	}
	err = activity__create(&activity, &view.activity, message);
	if (err) {
		container_names__free(view.style.of.names);
		pr_err("%s", message);
		return err == -EPERM ? EXIT_PRIVILEGE : EXIT_FAILED;
	}
	view.beside.missing.figures = activity__missing(view.activity, &view.beside.missing.count);
	code = run(&view);
	activity__free(view.activity);
	container_names__free(view.style.of.names);
	return code;
}
