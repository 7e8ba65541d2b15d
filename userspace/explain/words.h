/* SPDX-License-Identifier: MIT */
/* Figures as words, each in memory of the enclosing block: for use in one printf. */
#ifndef BLKREEL_EXPLAIN_WORDS_H
#define BLKREEL_EXPLAIN_WORDS_H

#include "base/units.h"

#define COUNT_TEXT(count)  units_count((count), (char[UNITS_TEXT_MAX]){0})
#define BYTES_TEXT(bytes)  units_bytes((bytes), (char[UNITS_TEXT_MAX]){0})
#define TIME_TEXT(time_ns) units_time((time_ns), (char[UNITS_TEXT_MAX]){0})

#endif
