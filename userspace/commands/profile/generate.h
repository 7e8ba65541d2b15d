/* SPDX-License-Identifier: MIT */
/* 'blkreel profile show' and 'blkreel profile generate'. */
#ifndef BLKREEL_COMMANDS_PROFILE_GENERATE_H
#define BLKREEL_COMMANDS_PROFILE_GENERATE_H

#include "profile/profile.h"

int cmd_profile_show(int argc, char **argv);
int cmd_profile_generate(int argc, char **argv);

#endif
