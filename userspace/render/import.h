/* SPDX-License-Identifier: MIT */
/* Reports what an import did. */
#ifndef BLKREEL_RENDER_IMPORT_H
#define BLKREEL_RENDER_IMPORT_H

#include "exchange/import.h"

/* Logs what was made, and each problem of the input with its remedy. */
void render_import(const struct import_result *result, const char *output, bool dedup, bool align);

#endif
