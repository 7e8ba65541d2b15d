/* SPDX-License-Identifier: MIT */
/* Parses the fields of a line of comma-separated values (RFC 4180), or with another delimiter. */
#ifndef BLKREEL_EXCHANGE_INPUT_CSV_FIELD_H
#define BLKREEL_EXCHANGE_INPUT_CSV_FIELD_H

#include "exchange/input/field.h"

/* Quoted fields with a quote inside are cut to this length. */
#define CSV_UNQUOTED_MAX 4096

/*
 * Takes the next field of [*at, end) with the delimiter behind it, without the blanks around it. A
 * delimiter of ' ' stands for any number of blanks. *more: a delimiter followed. `unquoted` holds
 * CSV_UNQUOTED_MAX bytes, for fields with quotes inside. False: there is no field, or a quote is
 * not closed.
 */
bool csv_field(const char **at, const char *end, char delimiter, char *unquoted, bool *more,
	       struct text *field);

#endif
