/* SPDX-License-Identifier: MIT */
/* 'blkreel profile scale', 'mix', 'slice' and 'diff'. */
#ifndef BLKREEL_COMMANDS_PROFILE_OPERATIONS_H
#define BLKREEL_COMMANDS_PROFILE_OPERATIONS_H

int cmd_profile_scale(int argc, char **argv);
int cmd_profile_mix(int argc, char **argv);
int cmd_profile_slice(int argc, char **argv);
int cmd_profile_diff(int argc, char **argv);

#endif
