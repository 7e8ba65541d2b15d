/* The formats by the names of their objects; formats.c puts them into foreign_formats[]. */
#ifndef BLKREEL_EXCHANGE_FORMATS_H
#define BLKREEL_EXCHANGE_FORMATS_H

#include "exchange/foreign.h"

extern const struct foreign_format format_blkparse;
extern const struct foreign_format format_blkreplay;
extern const struct foreign_format format_blktrace;

#endif
