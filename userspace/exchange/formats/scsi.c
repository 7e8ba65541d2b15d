// SPDX-License-Identifier: MIT
#include <errno.h>

#include "exchange/formats/scsi.h"
#include "trace/rows.h"

int scsi_op(uint16_t command)
{
	switch (command) {
	case 0x08: /* READ(6), (10), (12), (16) */
	case 0x28:
	case 0xa8:
	case 0x88:
		return IO_OP_READ;
	case 0x0a: /* WRITE(6), (10), (12), (16), and the same with verification */
	case 0x2a:
	case 0xaa:
	case 0x8a:
	case 0x2e:
	case 0xae:
	case 0x8e:
		return IO_OP_WRITE;
	case 0x35: /* SYNCHRONIZE CACHE (10), (16) */
	case 0x91:
		return IO_OP_FLUSH;
	default:
		return -ENOTSUP;
	}
}
