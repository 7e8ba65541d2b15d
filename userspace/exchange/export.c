#include <errno.h>

#include "exchange/export.h"

int export_rows(FILE *out, struct trace_reader *reader, const struct foreign_format *format,
		uint64_t *left_out, int *err)
{
	const struct trace_host *host = trace_reader__host(reader);
	struct foreign_output *o = foreign_output__new(out);
	struct row_block block;
	int failed = 0;

	*left_out = 0;
	*err = 0;
	if (!o)
		return -ENOMEM;
	foreign_output__set_trace(o, reader, host->start_ns, host->start_wall_ns);
	if (format->print_head)
		format->print_head(o);
	while (!failed && (*err = trace_reader__next(reader, 1u << ROW_IO, &block)) == 1) {
		for (uint32_t i = 0; i < block.rows; i++)
			*left_out += !format->print(o, &block.io[i]);
		failed = foreign_output__flush(o);
	}
	if (format->print_end)
		format->print_end(o);
	if (!failed)
		failed = foreign_output__flush(o);
	foreign_output__free(o);
	return failed;
}
