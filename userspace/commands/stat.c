// SPDX-License-Identifier: MIT
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/options.h"
#include "base/units.h"
#include "commands/shared/command.h"
#include "commands/shared/signals.h"
#include "render/stat/history.h"
#include "render/stat/screen.h"
#include "collector/counters/live_total.h"
#include "render/stat/stat.h"
#include "render/table.h"

#define INTERVAL_MIN_NS	 (10 * NSEC_PER_MSEC)
#define INTERVAL_MAX_NS	 (3600 * NSEC_PER_SEC)
#define LINES_PER_HEADER 20
#define KEEP_NOTES	 5 /* pictures in which a note stays */

struct stat_config {
	struct option_list devices;
	bool json, no_cache, all;
};

static const struct option_def options[] = {
	OPTION(struct stat_config, devices, 'd', "device", LIST, "DEV",
	       "show only this disk or partition (repeatable;\ndefault: every disk)"),
	OPTION(struct stat_config, all, 'a', "all", FLAG, NULL, "show idle devices too"),
	OPTION(struct stat_config, no_cache, 0, "no-cache", FLAG, NULL, "leave out the page cache"),
	OPTION(struct stat_config, json, 0, "json", FLAG, NULL,
	       "print one JSON document per interval and line"),
	{0},
};

static const struct command_usage usage = {
	.name = "stat",
	.synopsis = "[OPTIONS] [INTERVAL [COUNT]]",
	.summary =
		"Shows what the devices and the page cache do, every INTERVAL (10ms to 1h; default:\n"
		"1s), COUNT times or until ^C. Then it prints the totals. Nothing is recorded. If\n"
		"the user may not load probes, it shows only the kernel's own figures.",
	.notes =
		"AWAIT, UTIL% and AQU-SZ are the figures of iostat. P50 and P99 are percentiles of\n"
		"the latency from creation to completion, DEV50 and DEV99 from the hand-over to the\n"
		"driver to completion; their error is up to 6%. BUSY% is the exact share of time in\n"
		"which at least one request was in flight. NOW, DEPTH and MAX are the requests in\n"
		"flight at the end, on average, and at most. K, M and G are powers of 1024 for bytes\n"
		"and powers of 1000 for IOs.\n",
	.examples = "  blkreel stat\n"
		    "  blkreel stat -d nvme0n1 --json 10 >> nvme.jsonl\n",
	.options = options,
};

struct view {
	const struct stat_config *config;
	struct live *live;
	uint64_t interval_ns, count; /* count 0: no end */
	unsigned int looks_per_interval;
	struct live_sample total, part;
	struct screen screen;
	struct stat_history *history; /* on a screen */
	bool on_screen, output_failed;
	/* On a screen: the latest notes. */
	char *notes;
	unsigned int notes_age;
	unsigned int lines_since_header;
};

static struct stat_style style_of(const struct view *v, bool time)
{
	const char *no_color = getenv("NO_COLOR");

	return (struct stat_style){
		.width = v->on_screen ? v->screen.width : 0,
		.color = screen_usable() && !(no_color && *no_color),
		.time = time,
		.all = v->config->all,
	};
}

/* What is missing and why, unless stderr has it. */
static void print_missing(FILE *out, const struct view *v)
{
	unsigned int count;
	const struct live_missing *missing = live__missing(v->live, &count);

	for (unsigned int i = 0; i < count; i++)
		text_printf(out, "missing: %s: %s\n", missing[i].figures, missing[i].why);
	if (!live__probes_error(v->live) && live__quality(v->live) != COUNTING_EXACT)
		fprintf(out, "busy and depth: from the hand-over to the driver%s\n",
			live__quality(v->live) == COUNTING_FROM_ISSUE_BOUNDED ? ", bounded" : "");
}

static unsigned int idle_devices(const struct live_sample *sample)
{
	unsigned int idle = 0;

	for (unsigned int i = 0; i < sample->device_count; i++)
		idle += sample->devices[i].there && !sample->devices[i].moved;
	return idle;
}

static void note(struct view *v, const struct live_sample *sample, const struct stat_style *style)
{
	struct stat_style timed = *style;
	size_t length = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return;
	timed.time = true;
	stat_text_notes(out, &timed, sample);
	fclose(out);
	if (!length) {
		free(text);
		return;
	}
	free(v->notes);
	v->notes = text;
	v->notes_age = 0;
}

/* In the lines that are left of the screen, below a blank one. */
static void draw_history(struct view *v, FILE *out, const char *text)
{
	const struct chart_style style = chart_style_of_width(v->screen.width);
	unsigned int used = 1;

	for (const char *at = text; *at; at++)
		used += *at == '\n';
	if (used >= v->screen.height)
		return;
	fputc('\n', out);
	stat_history__draw(out, &style, v->history, v->screen.height - used);
}

static int draw(struct view *v, const struct live_sample *sample)
{
	struct stat_style style = style_of(v, false);
	static const char how_to_end[] = "  (q or ^C ends)";
	char *text = NULL, interval[UNITS_TEXT_MAX], clock[16], title[128];
	time_t seconds = (time_t)(sample->wall_ns / NSEC_PER_SEC);
	size_t length = 0;
	struct tm tm;
	FILE *out = open_memstream(&text, &length);
	int err;

	if (!out)
		return -ENOMEM;
	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&seconds, &tm));
	snprintf(title, sizeof(title), "blkreel stat  %s  every %s, %u idle", clock,
		 units_time(v->interval_ns, interval), idle_devices(sample));
	fprintf(out, "%s%s\n\n", title,
		strlen(title) + strlen(how_to_end) <= style.width ? how_to_end : "");
	stat_text_header(out, &style);
	if (!stat_text_devices(out, &style, sample))
		fputs("no IO\n", out);
	fputc('\n', out);
	stat_text_cache(out, &style, sample);
	print_missing(out, v);
	if (v->notes && v->notes_age < KEEP_NOTES)
		fputs(v->notes, out);
	fflush(out); /* what is in `text` by now */
	draw_history(v, out, text);
	err = fclose(out) ? -ENOMEM : screen_draw(&v->screen, text);
	free(text);
	return err;
}

static void print_lines(struct view *v, const struct live_sample *sample)
{
	struct stat_style style = style_of(v, true);

	if (!v->lines_since_header || v->lines_since_header >= LINES_PER_HEADER) {
		stat_text_header(stdout, &style);
		v->lines_since_header = 0;
	}
	v->lines_since_header += stat_text_devices(stdout, &style, sample);
	v->lines_since_header += stat_text_cache(stdout, &style, sample);
	v->lines_since_header += stat_text_notes(stdout, &style, sample);
}

static int show(struct view *v, const struct live_sample *sample)
{
	int err;

	if (v->on_screen) {
		struct stat_style style = style_of(v, false);

		v->notes_age++;
		note(v, sample, &style);
		return stat_history__add(v->history, sample) ?: draw(v, sample);
	}
	if (v->config->json) {
		err = stat_json(stdout, v->live, sample, false, v->config->all);
		if (err)
			return err;
	} else {
		print_lines(v, sample);
	}
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	return errno ? -errno : -EIO;
}

static void show_total(struct view *v)
{
	char duration[UNITS_TEXT_MAX];
	struct stat_style style = style_of(v, false);

	if (v->config->json) {
		stat_json(stdout, v->live, &v->total, true, v->config->all);
		return;
	}
	printf("%stotal of %s, per second:\n", v->on_screen ? "" : "\n",
	       units_time(v->total.interval_ns, duration));
	stat_text_header(stdout, &style);
	if (!stat_text_devices(stdout, &style, &v->total))
		puts("no IO");
	stat_text_cache(stdout, &style, &v->total);
	for (unsigned int i = 0; i < v->total.device_count; i++)
		v->total.devices[i].change = LIVE_SAME;
	stat_text_notes(stdout, &style, &v->total);
	if (v->on_screen)
		print_missing(stdout, v);
}

/* Takes one sample. *whole: an interval is over and is in `part`. */
static int look(struct view *v, unsigned int looks, bool *whole)
{
	struct live_sample sample;
	int err;

	err = live__sample(v->live, &sample);
	if (!err)
		err = live_total__add(&v->total, &sample);
	if (!err)
		err = live_total__add(&v->part, &sample);
	*whole = looks % v->looks_per_interval == 0;
	return err;
}

/* Absolute times: an interval that is shown late does not shift the next. */
static int start_timer(const struct view *v)
{
	uint64_t step_ns = v->interval_ns / v->looks_per_interval;
	struct itimerspec when = {
		.it_interval = {(time_t)(step_ns / NSEC_PER_SEC), (long)(step_ns % NSEC_PER_SEC)}};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), err;

	when.it_value = when.it_interval;
	if (fd < 0)
		return -errno;
	if (!timerfd_settime(fd, 0, &when, NULL))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* ^Z: restores the terminal for the shell. */
static void stop_for_shell(struct view *v)
{
	screen_close(&v->screen);
	raise(SIGSTOP);
	if (v->on_screen)
		screen_open(&v->screen);
}

/* True when the signal ends the command. */
static bool handle_signal(struct view *v, int fd, bool *redraw)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return false;
	if (info.ssi_signo == SIGWINCH) {
		screen_measure(&v->screen);
		*redraw = true;
		return false;
	}
	if (info.ssi_signo == SIGTSTP) {
		stop_for_shell(v);
		*redraw = true;
		return false;
	}
	return true;
}

/* True when it is the key that ends the command. */
static bool handle_key(struct view *v)
{
	char key;
	ssize_t got = read(STDIN_FILENO, &key, 1);

	if (got < 0)
		v->screen.keys = false;
	return got == 1 && (key == 'q' || key == 'Q');
}

/* Shows a new sample at each tick of the timer, and the last one again if the terminal changed. */
static int loop(struct view *v, int timer_fd, int signal_fd)
{
	struct live_sample shown = {0};
	unsigned int looks = 0;
	uint64_t done = 0, expired;
	bool whole, redraw = false, end = false;
	int err = 0;

	while (!err && !end && (!v->count || done < v->count)) {
		struct pollfd fds[] = {
			{.fd = timer_fd, .events = POLLIN},
			{.fd = signal_fd, .events = POLLIN},
			{.fd = v->screen.keys ? STDIN_FILENO : -1, .events = POLLIN},
		};

		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			return -errno;
		if (fds[1].revents)
			end = handle_signal(v, signal_fd, &redraw);
		if (fds[2].revents & POLLIN)
			end |= handle_key(v);
		if (!end && fds[0].revents && read(timer_fd, &expired, sizeof(expired)) > 0) {
			looks += (unsigned int)expired;
			err = look(v, looks, &whole);
			if (!err && whole) {
				live_total__release(&shown);
				shown = v->part;
				memset(&v->part, 0, sizeof(v->part));
				err = show(v, &shown);
				v->output_failed = err != 0;
				done++;
				redraw = false;
			}
		}
		if (!err && redraw && v->on_screen)
			err = draw(v, &shown);
		redraw = false;
	}
	live_total__release(&shown);
	return err;
}

static int run(struct view *v)
{
	int signal_fd, timer_fd, err;
	bool whole;

	signal_fd = signals__watch(true);
	timer_fd = signal_fd < 0 ? signal_fd : start_timer(v);
	if (timer_fd < 0) {
		pr_err("cannot start: %s", strerror(-timer_fd));
		return EXIT_FAILED;
	}
	if (v->on_screen) {
		struct live_sample nothing = {0};

		screen_open(&v->screen);
		nothing.wall_ns = (uint64_t)time(NULL) * NSEC_PER_SEC;
		nothing.interval_ns = v->interval_ns;
		draw(v, &nothing);
	}
	err = loop(v, timer_fd, signal_fd);
	screen_close(&v->screen);
	/* The time since the last whole interval belongs to the totals too. */
	if (!err)
		err = look(v, 0, &whole);
	if (!err)
		show_total(v);
	close(timer_fd);
	close(signal_fd);
	/* No message if the reader or the terminal is gone. */
	if (err && !(v->output_failed && (err == -EPIPE || (err == -EIO && v->on_screen))))
		pr_err("%s: %s",
		       v->output_failed ? "cannot write to standard output" : "cannot go on",
		       strerror(-err));
	return err ? EXIT_FAILED : cmd_flush_stdout();
}

/* [INTERVAL [COUNT]]. EXIT_OK or EXIT_USAGE. */
static int parse_operands(struct view *v, int count, char **operands)
{
	v->interval_ns = NSEC_PER_SEC;
	if (count > 2)
		return options_usage_error(&usage, "unexpected argument '%s'", operands[2]);
	if (count > 0 && (units_parse_time(operands[0], &v->interval_ns) ||
			  v->interval_ns < INTERVAL_MIN_NS || v->interval_ns > INTERVAL_MAX_NS))
		return options_usage_error(
			&usage, "INTERVAL is a time from 10ms to 1h (1, 500ms, 5m), not '%s'",
			operands[0]);
	if (count > 1 && units_parse_count(operands[1], 1, UINT32_MAX, &v->count))
		return options_usage_error(&usage, "COUNT is a number from 1, not '%s'",
					   operands[1]);
	v->looks_per_interval =
		(unsigned int)((v->interval_ns + LIVE_INTERVAL_MAX_NS - 1) / LIVE_INTERVAL_MAX_NS);
	return EXIT_OK;
}

int cmd_stat(int argc, char **argv)
{
	char message[COLLECTOR_MESSAGE_MAX];
	struct stat_config config = {0};
	struct view view = {.config = &config};
	struct live_options live = {0};
	const struct live_missing *missing;
	unsigned int count;
	int operand, code;

	if (!cmd_options(&usage, argc, argv, &config, &operand, NULL, &code))
		return code;
	code = parse_operands(&view, argc - operand, argv + operand);
	if (code)
		return code;
	live.devices = config.devices.items;
	live.device_count = config.devices.count;
	live.cache = !config.no_cache;
	if (live__create(&live, &view.live, message)) {
		pr_err("%s", message);
		return EXIT_FAILED;
	}
	view.on_screen = !config.json && screen_usable();
	if (stat_history__create(&view.history)) {
		pr_err("%s", strerror(ENOMEM));
		live__free(view.live);
		return EXIT_FAILED;
	}
	missing = live__missing(view.live, &count);
	for (unsigned int i = 0; i < count && !view.on_screen; i++)
		pr_warn("missing: %s: %s", missing[i].figures, missing[i].why);
	code = run(&view);
	live_total__release(&view.total);
	live_total__release(&view.part);
	free(view.notes);
	stat_history__free(view.history);
	live__free(view.live);
	return code;
}
