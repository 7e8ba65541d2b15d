/* SPDX-License-Identifier: MIT */
/* A picture on the terminal that is redrawn in place, and the terminal restored afterwards. */
#ifndef BLKREEL_RENDER_STAT_SCREEN_H
#define BLKREEL_RENDER_STAT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

struct screen {
	unsigned int width, height;
	bool open;
	bool keys; /* keys are read at once and not shown */
};

/* Is standard output a terminal that can be drawn on (TERM=dumb cannot)? */
bool screen_usable(void);

/* Saves what is on the terminal, hides the cursor; screen_close() puts both back, at any time and more than
 * once. */
void screen_open(struct screen *s);
void screen_close(struct screen *s);

/* Asks the terminal for its size. */
void screen_measure(struct screen *s);

/* Replaces the picture by the lines of `text`, with one write. What is wider or higher than the terminal
 * is cut; escape sequences in it have no width. 0 or -errno. */
int screen_draw(const struct screen *s, const char *text);

#endif
