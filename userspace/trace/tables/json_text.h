/* SPDX-License-Identifier: MIT */
/* Escapes names and paths, which are any bytes, as JSON strings, which are UTF-8. */
#ifndef BLKREEL_TRACE_TABLES_JSON_TEXT_H
#define BLKREEL_TRACE_TABLES_JSON_TEXT_H

#include <stddef.h>

/* Upper bound of the bytes that json_text_escape() writes, the final NUL included. */
#define JSON_TEXT_ESCAPED_MAX(bytes) (4 * (bytes) + 1)

/*
 * Copies valid UTF-8; a backslash and every byte that is not part of valid UTF-8 become \xHH with
 * two lower-case hexadecimal digits. Returns the bytes written without the final NUL.
 */
size_t json_text_escape(const char *text, size_t bytes, char *escaped);

/* The same for a terminal or a log: control characters become \xHH, too. */
size_t json_text_printable(const char *text, size_t bytes, char *escaped);

/*
 * Reverses json_text_escape() into `text`, which holds `size` bytes, and ends it with NUL. Returns
 * its length; -EBADMSG: an invalid escape, or a NUL inside; -ENAMETOOLONG.
 */
int json_text_unescape(const char *escaped, size_t bytes, char *text, size_t size);

#endif
