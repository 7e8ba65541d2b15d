/* SPDX-License-Identifier: MIT */
/* Sizes, times and counts as people write and read them. */
#ifndef BLKREEL_BASE_UNITS_H
#define BLKREEL_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define NSEC_PER_USEC 1000ull
#define NSEC_PER_MSEC 1000000ull
#define NSEC_PER_SEC  1000000000ull
#define SECTOR_BYTES  512ull
#define PAGE_BYTES    4096ull

#define UNITS_TEXT_MAX 64
#define UNITS_NOUN_MAX 32 /* bytes of a noun, without the end of its plural */

/*
 * "4096", "4k", "1.5M", "2GiB", "10GB": suffixes k M G T P are powers of 1024 with or without
 * "iB", powers of 1000 with "B" alone. 0, or -EINVAL / -ERANGE and *bytes untouched.
 */
int units_parse_bytes(const char *text, uint64_t *bytes);

/* "10" (seconds), "500ms", "2.5s", "10m", "1h", "250us", "100ns". 0, -EINVAL or -ERANGE. */
int units_parse_time(const char *text, uint64_t *time_ns);

/* A plain decimal number in [min, max]. 0, -EINVAL or -ERANGE. */
int units_parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *count);

/* A finite decimal number in [min, max]. 0, -EINVAL or -ERANGE. */
int units_parse_real(const char *text, double min, double max, double *value);

/* Each writes at most UNITS_TEXT_MAX bytes into `text` and returns it, for use in printf. */
const char *units_bytes(uint64_t bytes, char *text);  /* "4.0 KiB" */
const char *units_time(uint64_t time_ns, char *text); /* "1.24 ms" */
/* As a person says it: "5 s", "60 minutes", "2.5 hours". */
const char *units_spoken(uint64_t time_ns, char *text);
const char *units_count(uint64_t count, char *text); /* "1,234,567" */

/* A count with its noun, which is given in the singular: "1 IO", "0 IOs", "1,200 accesses". */
const char *units_counted(uint64_t count, const char *noun, char *text);
/* The same texts in memory of the enclosing block: for use in one printf. */
#define COUNTED_TEXT(count, noun) units_counted((count), (noun), (char[UNITS_TEXT_MAX]){0})
#define COUNT_TEXT(count)	  units_count((count), (char[UNITS_TEXT_MAX]){0})
#define BYTES_TEXT(bytes)	  units_bytes((bytes), (char[UNITS_TEXT_MAX]){0})
#define TIME_TEXT(time_ns)	  units_time((time_ns), (char[UNITS_TEXT_MAX]){0})
#define SPOKEN_TEXT(time_ns)	  units_spoken((time_ns), (char[UNITS_TEXT_MAX]){0})

#endif
