/* SPDX-License-Identifier: MIT */
/* The files of traces, for base/output_file.h: private, and never behind a symbolic link. */
#ifndef BLKREEL_TRACE_FILE_TRACE_KIND_H
#define BLKREEL_TRACE_FILE_TRACE_KIND_H

#include "base/output_file.h"

extern const struct output_kind trace_kind;

#endif
