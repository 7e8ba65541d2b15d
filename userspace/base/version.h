/* SPDX-License-Identifier: MIT */
#ifndef BLKREEL_BASE_VERSION_H
#define BLKREEL_BASE_VERSION_H

#define BLKREEL_VERSION "0.1.0"

#endif
