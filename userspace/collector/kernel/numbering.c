// SPDX-License-Identifier: MIT
#include "collector/kernel/numbering.h"

#include <errno.h>
#include <string.h>

#include "collector/kernel/btf.h"
#include "trace/rows.h"

#define KERNEL_OPS 256

static const char *const op_enums[] = {"req_op", "req_opf", NULL};
static const char *const flag_enums[] = {"req_flag_bits", NULL};

static const struct {
	const char *kernel_name;
	enum io_op op;
} op_names[] = {
	{"REQ_OP_READ", IO_OP_READ},
	{"REQ_OP_WRITE", IO_OP_WRITE},
	{"REQ_OP_FLUSH", IO_OP_FLUSH},
	{"REQ_OP_DISCARD", IO_OP_DISCARD},
	{"REQ_OP_SECURE_ERASE", IO_OP_SECURE_ERASE},
	{"REQ_OP_WRITE_ZEROES", IO_OP_WRITE_ZEROES},
	{"REQ_OP_ZONE_OPEN", IO_OP_ZONE_OPEN},
	{"REQ_OP_ZONE_CLOSE", IO_OP_ZONE_CLOSE},
	{"REQ_OP_ZONE_FINISH", IO_OP_ZONE_FINISH},
	{"REQ_OP_ZONE_APPEND", IO_OP_ZONE_APPEND},
	{"REQ_OP_ZONE_RESET", IO_OP_ZONE_RESET},
	{"REQ_OP_ZONE_RESET_ALL", IO_OP_ZONE_RESET_ALL},
};

static const struct {
	const char *kernel_name;
	uint32_t flag;
} flag_names[] = {
	{"__REQ_SYNC", IO_SYNC},
	{"__REQ_META", IO_META},
	{"__REQ_PRIO", IO_PRIO},
	{"__REQ_FUA", IO_FUA},
	{"__REQ_PREFLUSH", IO_PREFLUSH},
	{"__REQ_RAHEAD", IO_RAHEAD},
	{"__REQ_BACKGROUND", IO_BACKGROUND},
	{"__REQ_NOWAIT", IO_NOWAIT},
	{"__REQ_IDLE", IO_IDLE},
	{"__REQ_POLLED", IO_POLLED},
	{"__REQ_HIPRI", IO_POLLED}, /* its name up to Linux 5.15 */
	{"__REQ_SWAP", IO_SWAP},
	{"__REQ_ATOMIC", IO_ATOMIC}, /* since Linux 6.11 */
};

/* blk_status_to_errno() as a table; these numbers of blk_status_t are stable since Linux 4.13. */
static const int status_errors[] = {
	0,	  -EOPNOTSUPP, -ETIMEDOUT, -ENOSPC, -ENOLINK, -EREMOTEIO, -EBADE,
	-ENODATA, -EILSEQ,     -ENOMEM,	   -EIO,    -EIO,     -EAGAIN,	  -EBUSY,
	-EIO,	  -EIO,	       -ENODEV,	   -ETIME,  -EINVAL,  -EINVAL,
};

/* A cache: a recording has many records and few combinations of flags. */
#define COMBINATIONS 64

static struct {
	uint32_t kernel, flags;
} combinations[COMBINATIONS];

static struct {
	uint8_t ops[KERNEL_OPS];
	uint32_t flags[32]; /* indexed by the kernel's bit */
	bool status_is_errno;
	bool announces_requests;
} numbering;

int numbering__init(void)
{
	if (!kernel_btf())
		return -errno;
	memset(combinations, 0, sizeof(combinations));
	memset(numbering.ops, IO_OP_PASSTHROUGH, sizeof(numbering.ops));
	for (size_t i = 0; i < sizeof(op_names) / sizeof(op_names[0]); i++) {
		int value = kernel_btf_enum_value(op_enums, op_names[i].kernel_name);

		if (value >= 0 && value < KERNEL_OPS)
			numbering.ops[value] = (uint8_t)op_names[i].op;
	}
	for (size_t i = 0; i < sizeof(flag_names) / sizeof(flag_names[0]); i++) {
		int bit = kernel_btf_enum_value(flag_enums, flag_names[i].kernel_name);

		if (bit >= 0 && bit < 32)
			numbering.flags[bit] = flag_names[i].flag;
	}
	numbering.status_is_errno =
		strcmp(kernel_btf_argument_type("block_rq_complete", 1), "blk_status_t") != 0;
	numbering.announces_requests = kernel_btf_has_tracepoint("block_io_start");
	return numbering.ops[0] == IO_OP_READ ? 0 : -ENOTSUP;
}

void numbering__kernel_ops(uint32_t ops, unsigned long long kernel_ops[4])
{
	memset(kernel_ops, 0, 4 * sizeof(kernel_ops[0]));
	for (unsigned int number = 0; number < KERNEL_OPS; number++)
		if (ops >> numbering.ops[number] & 1)
			kernel_ops[number / 64] |= 1ull << (number % 64);
}

int32_t numbering__error(uint32_t status, bool is_of_bio)
{
	if (is_of_bio ? status > 0xff : numbering.status_is_errno)
		return (int32_t)status;
	status &= 0xff;
	return status < sizeof(status_errors) / sizeof(status_errors[0]) ? status_errors[status]
									 : -EIO;
}

uint32_t numbering__flags(uint32_t kernel)
{
	uint32_t at = (kernel ^ kernel >> 11 ^ kernel >> 17) % COMBINATIONS;

	if (combinations[at].kernel == kernel)
		return combinations[at].flags;
	combinations[at].kernel = kernel;
	combinations[at].flags = 0;
	for (unsigned int bit = 8; bit < 32; bit++)
		if (kernel & (1u << bit))
			combinations[at].flags |= numbering.flags[bit];
	return combinations[at].flags;
}

uint8_t numbering__op(uint32_t kernel)
{
	return numbering.ops[kernel & 0xff];
}

bool numbering__announces_requests(void)
{
	return numbering.announces_requests;
}
