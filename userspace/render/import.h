/* SPDX-License-Identifier: MIT */
/* What an import did, for people. */
#ifndef BLKREEL_RENDER_IMPORT_H
#define BLKREEL_RENDER_IMPORT_H

#include "exchange/import.h"

/* Messages through the log: what was made, and every trap that was met with its remedy. */
void render_import(const struct import_result *result, const char *output, bool dedup, bool align);

#endif
