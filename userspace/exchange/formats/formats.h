/* SPDX-License-Identifier: MIT */
/* The objects of all formats, which formats.c lists in foreign_formats[]. */
#ifndef BLKREEL_EXCHANGE_FORMATS_FORMATS_H
#define BLKREEL_EXCHANGE_FORMATS_FORMATS_H

#include "exchange/foreign.h"

extern const struct foreign_format format_alibaba;
extern const struct foreign_format format_blkparse;
extern const struct foreign_format format_blkreplay;
extern const struct foreign_format format_blktrace;
extern const struct foreign_format format_csv;
extern const struct foreign_format format_disksim;
extern const struct foreign_format format_dump_csv;
extern const struct foreign_format format_fio_iolog;
extern const struct foreign_format format_fiu;
extern const struct foreign_format format_mqsim;
extern const struct foreign_format format_msr;
extern const struct foreign_format format_oracle_general;
extern const struct foreign_format format_spc;
extern const struct foreign_format format_systor;
extern const struct foreign_format format_tencent;
extern const struct foreign_format format_vscsi;

#endif
