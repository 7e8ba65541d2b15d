/* SPDX-License-Identifier: MIT */
/* What an export could not hold, for people. */
#ifndef BLKREEL_RENDER_EXPORT_H
#define BLKREEL_RENDER_EXPORT_H

#include "exchange/export.h"

/* On standard error; nothing when everything was held. */
void render_export(const struct export_result *result, const struct foreign_format *format);

#endif
