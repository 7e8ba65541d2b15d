// SPDX-License-Identifier: MIT
/* What kernels of some versions let the probes see. */
#include "collector/kernel/capabilities.h"
#include "unit/collector/kernel/fake_kernel.h"
#include "unit/shared/test.h"

static struct trace_tier found;

static void take(const struct trace_tier *tier, void *figure)
{
	if (!strcmp(tier->figure, figure))
		found = *tier;
}

static const char *quality_on(unsigned int version, enum function_probe_type type, char *figure)
{
	fake_kernel.version = version;
	fake_kernel.type = type;
	found = (struct trace_tier){.quality = "none", .note = ""};
	capabilities__each_tier(PROBE_ALL, take, figure);
	return found.quality;
}

static void splices_are_not_seen_from_6_5_to_6_11(void)
{
	CHECK_TEXT(quality_on(604, FUNCTION_PROBES_FENTRY, "cache_reads"), "exact");
	CHECK_TEXT(quality_on(605, FUNCTION_PROBES_FENTRY, "cache_reads"), "bounded");
	CHECK(strstr(found.note, "sendfile, splice and copy_file_range"));
	CHECK_TEXT(quality_on(611, FUNCTION_PROBES_KPROBE, "cache_reads"), "bounded");
	CHECK(strstr(found.note, "sendfile, splice and copy_file_range"));
	CHECK(strstr(found.note, "more than 10 tasks"));
	CHECK_TEXT(quality_on(612, FUNCTION_PROBES_FENTRY, "cache_reads"), "exact");
	CHECK_TEXT(quality_on(604, FUNCTION_PROBES_FENTRY, "cache_readahead"), "exact");
	CHECK_TEXT(quality_on(611, FUNCTION_PROBES_FENTRY, "cache_readahead"), "bounded");
	CHECK_TEXT(quality_on(612, FUNCTION_PROBES_FENTRY, "cache_readahead"), "exact");
}

static void what_no_probe_sees_is_unavailable(void)
{
	CHECK_TEXT(quality_on(605, FUNCTION_PROBES_NONE, "cache_reads"), "unavailable");
	CHECK_TEXT(quality_on(605, FUNCTION_PROBES_NONE, "cache_readahead"), "unavailable");
	CHECK_TEXT(quality_on(617, FUNCTION_PROBES_NONE, "cache_reads"), "exact");
	CHECK_TEXT(quality_on(618, FUNCTION_PROBES_NONE, "cache_readahead"), "exact");
	CHECK_TEXT(quality_on(604, FUNCTION_PROBES_KPROBE, "cache_reads"), "bounded");
	CHECK(!strstr(found.note, "copy_file_range"));
}

int main(void)
{
	RUN(splices_are_not_seen_from_6_5_to_6_11);
	RUN(what_no_probe_sees_is_unavailable);
	return TEST_RESULT;
}
