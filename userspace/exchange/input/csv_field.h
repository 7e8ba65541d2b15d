/* SPDX-License-Identifier: MIT */
/* The fields of a line of comma-separated values (RFC 4180), or with another delimiter. */
#ifndef BLKREEL_EXCHANGE_INPUT_CSV_FIELD_H
#define BLKREEL_EXCHANGE_INPUT_CSV_FIELD_H

#include "exchange/input/field.h"

/* Longer quoted fields that hold a quote are cut. */
#define CSV_UNQUOTED_MAX 4096

/*
 * Takes the next field of [*at, end) with the delimiter behind it; blanks around it are left out. A
 * delimiter of ' ' stands for any number of blanks. False: there is none, or a quote is not closed.
 * `*more` says whether a delimiter followed. `unquoted` holds CSV_UNQUOTED_MAX bytes and is used
 * for fields that hold quotes.
 */
bool csv_field(const char **at, const char *end, char delimiter, char *unquoted, bool *more,
	       struct text *field);

#endif
