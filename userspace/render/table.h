/* SPDX-License-Identifier: MIT */
/* Text for people: aligned tables and wrapped sentences, without trailing blanks. */
#ifndef BLKREEL_RENDER_TABLE_H
#define BLKREEL_RENDER_TABLE_H

#include <stdio.h>

#define TABLE_COLUMNS_MAX 16
#define TEXT_WIDTH	  79
#define TABLE_WIDTH_MAX	  240

struct table;

/*
 * `columns` has one letter per column, 'l' or 'r' for the side it is aligned to, at most
 * TABLE_COLUMNS_MAX. The widths are those of the widest cells. NULL: out of memory; the other
 * functions take it, and table__print() says so.
 */
struct table *table__new(const char *columns);
void table__free(struct table *t); /* NULL is allowed */

/*
 * Appends one cell; rows are filled from left to right, and a new row begins by itself. Bytes
 * that a terminal might act on are shown as '?'. When memory runs out, table__print() says so.
 */
void table__cell(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Rows that were begun, with the head. */
size_t table__rows(const struct table *t);
/* The rest of the row stays empty; does nothing at the start of a row. */
void table__end_row(struct table *t);

/*
 * Cuts the cells of `column` (from 0), as text_cut(), where a row, printed to `out` with `indent`, would be wider than
 * the terminal (of at least TEXT_WIDTH). At least 16 columns of each cell are kept, for which the columns move
 * together. Where `out` is no terminal, TABLE_WIDTH_MAX columns are.
 */
void table__fit(struct table *t, unsigned int column, unsigned int indent, FILE *out);

/* Prints all rows, each behind `indent` blanks. 0, -ENOMEM or -EIO. */
int table__print(const struct table *t, FILE *out, unsigned int indent);

/*
 * fprintf(3) for text that a file or a user named: control characters become '?', but for the line
 * ends at the start and at the end.
 */
void text_printf(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Prints `text` in lines of at most TEXT_WIDTH columns; `first` stands before the first line, and
 * the others are indented as deep. Only a word that is longer than a line makes a longer one.
 */
void text_wrapped(FILE *out, const char *first, const char *text);

/*
 * `text` cut to `width` bytes: of a path the end is kept behind "...", of another name both ends around it.
 * `buffer` holds width + 1 bytes and is returned.
 */
const char *text_cut(const char *text, unsigned int width, char *buffer);

#endif
