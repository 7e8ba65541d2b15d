/* SPDX-License-Identifier: MIT */
/* Reports what an export could not express. */
#ifndef BLKREEL_RENDER_EXPORT_H
#define BLKREEL_RENDER_EXPORT_H

#include "exchange/export.h"

/* To standard error; nothing if every row was exported whole. */
void render_export(const struct export_result *result, const struct foreign_format *format);

#endif
