// SPDX-License-Identifier: MIT
#include "commands/shared/target_options.h"

#include <stddef.h>

const char *const target_fit_names[] = {"wrap", "scale", "compact", NULL};
