// SPDX-License-Identifier: MIT
#include "base/log.h"
#include "base/units.h"
#include "render/export.h"

void render_export(const struct export_result *result, const struct foreign_format *format)
{
	for (unsigned int op = 0; op < IO_OP_COUNT; op++)
		if (result->left_out[op])
			pr_warn("left out: %s of operation %s: %s cannot hold %s",
				COUNTED_TEXT(result->left_out[op], "IO"),
				io_op_name((enum io_op)op), format->name,
				result->left_out[op] == 1 ? "it" : "them");
	if (result->flush_requests_left_out)
		pr_warn("left out: %s (%s without data): %s cannot hold %s",
			COUNTED_TEXT(result->flush_requests_left_out, "flush"),
			result->flush_requests_left_out == 1 ? "a write" : "writes", format->name,
			result->flush_requests_left_out == 1 ? "it" : "them");
	if (result->kernel_flushes)
		pr_warn("not written: %s of the kernel for PREFLUSH writes",
			COUNTED_TEXT(result->kernel_flushes, "flush request"));
	if (result->other_devices)
		pr_warn("left out: %s of other devices than %s: %s holds one device",
			COUNTED_TEXT(result->other_devices, "IO"), result->device, format->name);
	if (result->without_flags)
		pr_warn("%s written without fua or preflush: %s cannot hold these flags",
			COUNTED_TEXT(result->without_flags, "IO"), format->name);
	if (result->without_priority)
		pr_warn("left out: the IO priority of %s: %s cannot hold it",
			COUNTED_TEXT(result->without_priority, "IO"), format->name);
	if (result->without_hint)
		pr_warn("left out: the write hint of %s: %s cannot hold it",
			COUNTED_TEXT(result->without_hint, "IO"), format->name);
	if (result->events_left_out)
		pr_warn("left out: %s that came too late to be sorted: IOs are incomplete",
			COUNTED_TEXT(result->events_left_out, "event"));
	if (result->unsorted)
		pr_warn("%s could not be sorted: too far from the place of its time",
			COUNTED_TEXT(result->unsorted, "IO"));
	if (result->clamped)
		pr_warn("%s %s older than the start of the trace: written with time 0",
			COUNTED_TEXT(result->clamped, "IO"), result->clamped == 1 ? "is" : "are");
}
