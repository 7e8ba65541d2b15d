// SPDX-License-Identifier: MIT
#include "render/top/screen.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "base/units.h"

#define WIDTH_MIN   21	/* narrower terminals show the left part */
#define KEYS_WIDTH  108 /* of the line with the words of the keys */
#define ESCAPE_MS   25
#define COLOR_HEAD  1
#define COLOR_ALERT 2

static SCREEN *terminal;
static bool is_utf8;

static const struct {
	int key;
	const char *word;
	int by, sort; /* -1: stays */
} keys[] = {
	{'w', "waiting", -1, TOP_WAITING},     {'i', "IOs", -1, TOP_IOS},
	{'b', "bytes", -1, TOP_BYTES},	       {'m', "misses", -1, TOP_MISSES},
	{'p', "process", TOP_PROCESS, -1},     {'c', "command", TOP_COMMAND, -1},
	{'g', "cgroup", TOP_CGROUP, -1},       {'u', "unit", TOP_UNIT, -1},
	{'n', "container", TOP_CONTAINER, -1}, {'o', "pod", TOP_POD, -1},
	{'f', "file", TOP_FILE, -1},	       {'d', "device", TOP_DEVICE, -1},
};

#define KEY_COUNT (sizeof(keys) / sizeof(keys[0]))

/* See no-color.org: any value that is not empty. */
static bool color_wanted(void)
{
	const char *no_color = getenv("NO_COLOR");

	return !(no_color && *no_color) && has_colors();
}

static void prepare(void)
{
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	if (!color_wanted())
		return;
	start_color();
	use_default_colors();
	init_pair(COLOR_HEAD, COLOR_CYAN, -1);
	init_pair(COLOR_ALERT, COLOR_RED, -1);
}

int top_screen__open(void)
{
	const char *term = getenv("TERM");

	if (!isatty(STDOUT_FILENO) || !term || !*term || !strcmp(term, "dumb"))
		return -ENOTTY;
	setlocale(LC_CTYPE, "");
	is_utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal)
		return -ENOTTY;
	set_term(terminal);
	prepare();
	return 0;
}

void top_screen__close(void)
{
	if (!terminal)
		return;
	endwin();
	delscreen(terminal);
	terminal = NULL;
}

void top_screen__stop(void)
{
	endwin();
	raise(SIGSTOP);
	top_screen__resize();
}

void top_screen__resize(void)
{
	struct winsize size;

	if (!terminal)
		return;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	clearok(stdscr, TRUE);
}

bool top_screen__has_keys(void)
{
	return terminal && isatty(STDIN_FILENO);
}

enum top_key top_screen__key(struct top_style *style)
{
	int key = getch();

	if (key == ERR)
		return TOP_KEY_NONE;
	if (key == 'q' || key == 'Q')
		return TOP_KEY_QUIT;
	if (key == ' ')
		return TOP_KEY_PAUSE;
	for (size_t i = 0; i < KEY_COUNT; i++) {
		if (key != keys[i].key)
			continue;
		if (keys[i].by >= 0)
			style->of.by = (enum top_by)keys[i].by;
		if (keys[i].sort >= 0)
			style->of.sort = (enum top_sort)keys[i].sort;
		return TOP_KEY_STYLE;
	}
	return TOP_KEY_NONE;
}

/* The next character, '?' where the terminal cannot show it; *bytes receives its length. */
static wchar_t next_character(const char *text, mbstate_t *state, size_t *bytes)
{
	wchar_t character = L'?';

	*bytes = 1;
	if ((unsigned char)*text < 0x80)
		return (unsigned char)*text < 0x20 || *text == 0x7f ? L'?' : (wchar_t)*text;
	if (is_utf8) {
		size_t got = mbrtowc(&character, text, strlen(text), state);

		if (got && got != (size_t)-1 && got != (size_t)-2) {
			*bytes = got;
			return wcwidth(character) > 0 ? character : L'?';
		}
		memset(state, 0, sizeof(*state));
		return L'?';
	}
	while (((unsigned char)text[*bytes] & 0xc0) == 0x80)
		++*bytes;
	return L'?';
}

/* Writes one line, cut at the edge: the last column of the last line may hold a character, too. */
static void put_line(int line, const char *text)
{
	mbstate_t state = {0};
	int column = 0;

	move(line, 0);
	while (*text) {
		size_t bytes;
		wchar_t character = next_character(text, &state, &bytes);
		int width = wcwidth(character);

		width = width > 0 ? width : 1;
		if (column + width > COLS)
			break;
		if (character < 0x80)
			addch((chtype)character);
		else
			addnstr(text, (int)bytes);
		column += width;
		text += bytes;
	}
}

static void put_header(int line, const struct top_style *style, bool has_cache)
{
	struct top_span sorted = {0};
	char text[TOP_LINE_MAX];

	top_text_header(style, has_cache, &sorted, text);
	attron(A_BOLD | COLOR_PAIR(COLOR_HEAD));
	put_line(line, text);
	attroff(A_BOLD | COLOR_PAIR(COLOR_HEAD));
	if (sorted.to > sorted.from && (int)sorted.to <= COLS)
		mvchgat(line, (int)sorted.from, (int)(sorted.to - sorted.from), A_REVERSE | A_BOLD,
			COLOR_HEAD, NULL);
}

static void put_title(const struct top_style *style, const struct top_view *view)
{
	char interval[UNITS_TEXT_MAX], text[256];

	snprintf(text, sizeof(text), "blkreel top  %s by %s, every %s%s",
		 top_by_names[style->of.by], top_sort_names[style->of.sort],
		 units_time(view->interval_ns, interval), view->paused ? "  PAUSED" : "");
	put_line(0, text);
}

/* The letters alone where the words do not fit. */
static void put_keys(int line)
{
	char text[256] = "q quit  space pause ";

	if (COLS < KEYS_WIDTH)
		snprintf(text, sizeof(text), "q quit  wibm sort  pcgunfd who");
	for (size_t i = 0; i < KEY_COUNT && COLS >= KEYS_WIDTH; i++) {
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used, " %c %s", keys[i].key, keys[i].word);
	}
	attron(A_DIM);
	put_line(line, text);
	attroff(A_DIM);
}

static bool has_losses(const struct activity_sample *sample)
{
	for (unsigned int i = 0; i < LOSS_CLASS_COUNT; i++)
		if (sample->lost[i])
			return true;
	return false;
}

/* Above the line of the keys. */
static void put_missing(const struct top_style *style, const struct top_missing *missing)
{
	char text[TOP_LINE_MAX];

	for (unsigned int i = 0; i < missing->count && style->of.sort == TOP_MISSES; i++) {
		snprintf(text, sizeof(text), "missing: %s: %s", missing->figures[i].figures,
			 missing->figures[i].why);
		put_line(LINES - 1 - (int)(missing->count - i), text);
	}
}

static int put_rows(const struct top_style *style, const struct top_view *view,
		    const struct activity_sample *sample)
{
	const int first = 3, lines = LINES > first + 1 ? LINES - first - 1 : 0;
	char text[TOP_LINE_MAX];
	struct top_list list;
	int err = top_list__make(sample, &style->of, lines > 1 ? (size_t)lines - 1 : 1, &list);

	if (err)
		return err;
	for (size_t i = 0; i < list.count && (int)i < lines; i++)
		put_line(first + (int)i, top_text_row(style, sample, &list.rows[i], text));
	if ((int)list.count < lines)
		put_line(first + (int)list.count, top_text_other(style, sample, &list, text));
	put_missing(style, &view->missing);
	top_list__release(&list);
	return 0;
}

int top_screen__draw(const struct top_style *style, const struct top_view *view,
		     const struct activity_sample *sample)
{
	struct top_style fitted = *style;
	char text[TOP_LINE_MAX];
	int err = 0;

	fitted.width = COLS < WIDTH_MIN ? WIDTH_MIN : (unsigned int)COLS;
	erase();
	put_title(&fitted, view);
	if (sample) {
		attr_t alert = has_losses(sample) ? A_BOLD | COLOR_PAIR(COLOR_ALERT) : A_NORMAL;

		attron(alert);
		put_line(1, top_text_summary(&fitted, sample, text));
		attroff(alert);
		put_header(2, &fitted, sample->has_cache);
		err = put_rows(&fitted, view, sample);
	}
	if (LINES > 4)
		put_keys(LINES - 1);
	refresh();
	return err;
}
