/* SPDX-License-Identifier: MIT */
/* SCSI commands that read, write or flush. */
#ifndef BLKREEL_EXCHANGE_FORMATS_SCSI_H
#define BLKREEL_EXCHANGE_FORMATS_SCSI_H

#include <stdint.h>

/* enum io_op; -ENOTSUP: another command. */
int scsi_op(uint16_t command);

#endif
