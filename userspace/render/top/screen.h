/* SPDX-License-Identifier: MIT */
/* top on a terminal (ncurses): the picture, and the keys that change it. */
#ifndef BLKREEL_RENDER_TOP_SCREEN_H
#define BLKREEL_RENDER_TOP_SCREEN_H

#include <stdbool.h>

#include "render/top/top.h"

enum top_key {
	TOP_KEY_NONE,
	TOP_KEY_QUIT,
	TOP_KEY_PAUSE,
	TOP_KEY_STYLE, /* it changed style->of.by or style->of.sort */
};

/* What is shown beside the sample. */
struct top_view {
	uint64_t interval_ns; /* as asked for */
	bool paused;
	struct top_missing missing;
};

/* Takes the terminal over. -ENOTTY: standard output is none that can be drawn on; -errno. */
int top_screen__open(void);
/* Gives it back as it was; at any time and more than once. */
void top_screen__close(void);
/* Gives it back while the process is stopped (^Z), and takes it again. */
void top_screen__stop(void);

/* Takes the new size of the terminal over. */
void top_screen__resize(void);
/* Whether keys can be read from standard input. */
bool top_screen__has_keys(void);
/* Reads one key. */
enum top_key top_screen__key(struct top_style *style);

/* Draws an interval; NULL: none is over yet. Only what differs goes to the terminal. 0 or -ENOMEM. */
int top_screen__draw(const struct top_style *style, const struct top_view *view,
		     const struct activity_sample *sample);

#endif
