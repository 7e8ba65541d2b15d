// SPDX-License-Identifier: MIT
#include <string.h>

#include "exchange/formats/formats.h"

/* clang-format off */
const struct foreign_format *const foreign_formats[] = {
	&format_alibaba,
	&format_blkparse,
	&format_blkreplay,
	&format_blktrace,
	&format_csv,
	&format_disksim,
	&format_dump_csv,
	&format_fio_iolog,
	&format_fiu,
	&format_mqsim,
	&format_msr,
	&format_oracle_general,
	&format_spc,
	&format_systor,
	&format_tencent,
	&format_vscsi,
	NULL,
};
/* clang-format on */

const struct foreign_format *foreign_format_by_name(const char *name)
{
	for (unsigned int i = 0; foreign_formats[i]; i++)
		if (!strcmp(foreign_formats[i]->name, name))
			return foreign_formats[i];
	return NULL;
}

const struct foreign_format *foreign_format_by_content(const char *head, size_t bytes)
{
	size_t mark = byte_order_mark_begins(head, bytes) ? BYTE_ORDER_MARK_BYTES : 0;
	const struct foreign_format *found = NULL;

	for (unsigned int i = 0; foreign_formats[i]; i++) {
		const struct foreign_format *format = foreign_formats[i];
		size_t skipped = format->line ? mark : 0;

		if (!format->recognise || !format->recognise(head + skipped, bytes - skipped))
			continue;
		if (found)
			return NULL;
		found = format;
	}
	return found;
}
