/* SPDX-License-Identifier: MIT */
/* Names and paths are bytes, JSON strings are UTF-8: an escape that takes any bytes through. */
#ifndef BLKREEL_TRACE_TABLES_JSON_TEXT_H
#define BLKREEL_TRACE_TABLES_JSON_TEXT_H

#include <stddef.h>

/* The most bytes that json_text_escape() writes for `bytes` bytes, the final NUL included. */
#define JSON_TEXT_ESCAPED_MAX(bytes) (4 * (bytes) + 1)

/*
 * Valid UTF-8 is kept; a backslash and every byte that is not part of valid UTF-8 become \xHH
 * with two lower-case hexadecimal digits. Returns the bytes written without the final NUL.
 */
size_t json_text_escape(const char *text, size_t bytes, char *escaped);

/* The same for a terminal or a log: control characters, too, become \xHH. */
size_t json_text_printable(const char *text, size_t bytes, char *escaped);

/*
 * The reverse of json_text_escape() into `text`, which holds `size` bytes; ends it with NUL. Returns its length;
 * -EBADMSG: a backslash starts nothing valid, or a NUL would be inside; -ENAMETOOLONG.
 */
int json_text_unescape(const char *escaped, size_t bytes, char *text, size_t size);

#endif
