#include "base/log.h"
#include "base/units.h"
#include "render/export.h"

void render_export(const struct export_result *result, const struct foreign_format *format)
{
	char count[UNITS_TEXT_MAX];

	for (unsigned int op = 0; op < IO_OP_COUNT; op++)
		if (result->left_out[op])
			pr_warn("left out: %s IOs of operation %s: %s cannot hold them",
				units_count(result->left_out[op], count),
				io_op_name((enum io_op)op), format->name);
	if (result->other_devices)
		pr_warn("left out: %s IOs of other devices than %s: %s holds one device",
			units_count(result->other_devices, count), result->device, format->name);
	if (result->without_flags)
		pr_warn("%s IOs were written without their flags fua or preflush: %s cannot hold "
			"them",
			units_count(result->without_flags, count), format->name);
	if (result->events_left_out)
		pr_warn("left out: %s events that were too late to be sorted: their IOs are not whole",
			units_count(result->events_left_out, count));
	if (result->unsorted)
		pr_warn("%s IOs could not be sorted: they stand later than their time",
			units_count(result->unsorted, count));
}
