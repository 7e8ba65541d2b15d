/* SPDX-License-Identifier: MIT */
/* 'blkreel profile --to-fio' and '--from-fio'. */
#ifndef BLKREEL_COMMANDS_PROFILE_FIO_H
#define BLKREEL_COMMANDS_PROFILE_FIO_H

/* Both print what is wrong and return an exit code; `output` NULL or "-": standard output. */
int cmd_profile_to_fio(const char *path, const char *output);
int cmd_profile_from_fio(const char *path, const char *output);

#endif
