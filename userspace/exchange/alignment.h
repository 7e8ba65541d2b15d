/* SPDX-License-Identifier: MIT */
/*
 * The alignment of IOs to 4 KiB. On a disk whose first partition begins at sector 63 all IOs have
 * the same odd offset: 4 KiB blocks cut at such addresses mix neighbours.
 */
#ifndef BLKREEL_EXCHANGE_ALIGNMENT_H
#define BLKREEL_EXCHANGE_ALIGNMENT_H

#include "exchange/foreign_names.h"
#include "trace/rows.h"

struct alignment;

/* The device with the most IOs at the same distance to a multiple of 4 KiB. */
struct misaligned {
	uint64_t rows;	  /* that a shift of addresses would align; 0: no device has any */
	uint32_t sectors; /* distance of most IOs to the multiple of 4 KiB below, 1 to 7 */
	char device[TRACE_NAME_MAX];
};

struct alignment *alignment__new(void);	   /* NULL: no memory */
void alignment__free(struct alignment *a); /* NULL is allowed */

/* Counts the start of an IO with data. */
void alignment__add(struct alignment *a, const struct io_row *row);

/*
 * Sectors (0 to 7) to add to the addresses of a device so that most of its IOs begin at a multiple
 * of 4 KiB. Fixed at the first call for a device, so that all its rows move alike.
 */
uint32_t alignment__shift_sectors(struct alignment *a, uint32_t device);

/* Fills *worst for the device with the most IOs that a shift would align. */
void alignment__worst(const struct alignment *a, const struct foreign_names *names,
		      struct misaligned *worst);

#endif
