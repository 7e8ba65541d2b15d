/* SPDX-License-Identifier: MIT */
/* The files of an import as one stream of rows. */
#ifndef BLKREEL_EXCHANGE_ROW_SOURCE_H
#define BLKREEL_EXCHANGE_ROW_SOURCE_H

#include "exchange/foreign.h"

struct row_source;

/*
 * Opens `count` files, which come from one trace in one format, as one stream. The stream takes
 * over `files`, whatever is returned. 0; -EINVAL with *message (static storage): the files do not
 * suit the format; other negative errno. *source must be freed in each case.
 */
int row_source__new(const struct foreign_format *format, struct byte_source **files,
		    unsigned int count, const struct foreign_options *options,
		    struct foreign_names *names, struct foreign_report *report,
		    struct row_source **source, const char **message);
/* NULL is allowed. Frees the files, too, and the array (from malloc) that lists them. */
void row_source__free(struct row_source *s);
/*
 * Returns rows in order of time, if each file is in order. 1: *row is filled; 0: the end; negative
 * errno. A file that is cut or damaged ends there.
 */
int row_source__next(struct row_source *s, struct io_row *row);
/* The file of an error, or the first that was cut or damaged; NULL: none. */
const struct byte_source *row_source__failed(const struct row_source *s);

#endif
