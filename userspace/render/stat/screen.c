// SPDX-License-Identifier: MIT
#include "render/stat/screen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define SCREEN_WIDTH_MIN  40
#define SCREEN_HEIGHT_MIN 3

#define ENTER  "\033[?1049h\033[?25l\033[?7l" /* other screen, no cursor, no wrapping */
#define LEAVE  "\033[?7h\033[?25h\033[?1049l"
#define HOME   "\033[H"
#define TO_EOL "\033[K"
#define BELOW  "\033[J"

static struct termios before;

bool screen_usable(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

static int write_all(const char *text, size_t length)
{
	while (length) {
		ssize_t done = write(STDOUT_FILENO, text, length);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		text += done;
		length -= (size_t)done;
	}
	return 0;
}

void screen_measure(struct screen *s)
{
	struct winsize size = {0};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row) {
		size.ws_col = 80;
		size.ws_row = 24;
	}
	s->width = size.ws_col < SCREEN_WIDTH_MIN ? SCREEN_WIDTH_MIN : size.ws_col;
	s->height = size.ws_row < SCREEN_HEIGHT_MIN ? SCREEN_HEIGHT_MIN : size.ws_row;
}

/* In the background the terminal's settings belong to another program. */
static void take_keys(struct screen *s)
{
	struct termios raw;

	if (tcgetpgrp(STDIN_FILENO) != getpgrp() || tcgetattr(STDIN_FILENO, &before))
		return;
	raw = before;
	raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	s->keys = !tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

void screen_open(struct screen *s)
{
	take_keys(s);
	s->open = !write_all(ENTER, strlen(ENTER));
	screen_measure(s);
}

void screen_close(struct screen *s)
{
	if (s->open)
		write_all(LEAVE, strlen(LEAVE));
	if (s->keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &before);
	s->open = s->keys = false;
}

/* Copies a line up to `width` columns. Escape sequences (CSI) are copied whole, without width. */
static const char *copy_line(FILE *out, const char *text, unsigned int width)
{
	unsigned int column = 0;

	while (*text && *text != '\n') {
		if (*text == '\033') {
			do
				fputc(*text, out);
			while (*text++ && !(*text >= '@' && *text != '[' && text[-1] != '\033'));
			if (*text)
				fputc(*text++, out);
			continue;
		}
		/* The bytes of a character after its first have no width of their own. */
		if (((unsigned char)*text & 0xc0) != 0x80)
			column++;
		if (column <= width)
			fputc(*text, out);
		text++;
	}
	return *text ? text + 1 : text;
}

int screen_draw(const struct screen *s, const char *text)
{
	char *picture = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&picture, &length);
	int err;

	if (!out)
		return -ENOMEM;
	fputs(HOME, out);
	for (unsigned int line = 0; *text && line < s->height; line++) {
		if (line)
			fputs("\r\n", out);
		text = copy_line(out, text, s->width);
		fputs(TO_EOL, out);
	}
	fputs(BELOW, out);
	err = fclose(out) ? -ENOMEM : write_all(picture, length);
	free(picture);
	return err;
}
