/* SPDX-License-Identifier: MIT */
/* A kernel of a version that the test chooses, in place of the running one. */
#ifndef BLKREEL_TESTS_UNIT_COLLECTOR_KERNEL_FAKE_KERNEL_H
#define BLKREEL_TESTS_UNIT_COLLECTOR_KERNEL_FAKE_KERNEL_H

#include <string.h>

#include "collector/kernel/btf.h"
#include "collector/kernel/function_probes.h"

static struct {
	unsigned int version; /* 612: Linux 6.12 */
	enum function_probe_type type;
} fake_kernel;

/* What is in no list exists in every version. */
static bool is_in_version(const char *name)
{
	static const struct {
		const char *name;
		unsigned int since;
	} known[] = {
		{"mm_filemap_get_pages", 612},	  {"mm_filemap_fault", 612},
		{"mm_filemap_map_pages", 612},	  {"filemap_splice_read", 603},
		{"page_cache_sync_ra", 618},	  {"page_cache_async_ra", 618},
		{"page_cache_ra_unbounded", 618}, {"page_cache_ra_order", 618},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i].name))
			return fake_kernel.version >= known[i].since;
	return true;
}

bool kernel_btf_has_tracepoint(const char *tracepoint)
{
	return is_in_version(tracepoint);
}

/* Those that have the name of a tracepoint are older than it. */
bool kernel_btf_has_function(const char *function)
{
	if (!strcmp(function, "generic_file_splice_read"))
		return fake_kernel.version < 605;
	return strcmp(function, "filemap_splice_read") != 0 || is_in_version(function);
}

bool kernel_btf_has_variable(const char *variable)
{
	return false;
}

bool kernel_btf_has_structure(const char *structure)
{
	return true;
}

bool kernel_btf_has_member(const char *structure, const char *member)
{
	return true;
}

enum function_probe_type function_probes__type(void)
{
	return fake_kernel.type;
}

#endif
