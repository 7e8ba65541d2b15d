/* SPDX-License-Identifier: MIT */
/* A histogram as text: "VALUE:COUNT VALUE:COUNT ...", the smallest value of each bucket, rising. */
#ifndef BLKREEL_BASE_HISTOGRAM_TEXT_H
#define BLKREEL_BASE_HISTOGRAM_TEXT_H

#include "base/histogram.h"

/* To be freed; NULL: no memory. */
char *histogram_text(const struct histogram *h);

/* Adds what a text counts. 0, or -EINVAL: it is no such text. */
int histogram_text_add(const char *text, struct histogram *h);

#endif
