// SPDX-License-Identifier: MIT
/* Which sectors a range of a mapped device lies on: tables as dmsetup(8) prints them. */
#include "unit/shared/test.h"

#include <inttypes.h>
#include <sys/sysmacros.h>

#include "replay/target/dm_table.h"

static char ranges[1024];

static bool add(void *context, const struct dm_extent *extent)
{
	size_t used = strlen(ranges);
	char thin[32] = "", end[32] = "all";

	(void)context;
	if (extent->thin != DM_NO_THIN)
		snprintf(thin, sizeof(thin), "#%" PRId64, extent->thin);
	if (extent->end != UINT64_MAX)
		snprintf(end, sizeof(end), "%" PRIu64, extent->end);
	snprintf(ranges + used, sizeof(ranges) - used, "%s%u:%u%s %" PRIu64 "-%s%s",
		 used ? ", " : "", major(extent->device), minor(extent->device), thin,
		 extent->start, end, extent->reads_only ? " read" : "");
	return true;
}

/* The ranges as text; "unknown". */
static const char *map(const char *table, uint64_t start, uint64_t end)
{
	ranges[0] = '\0';
	return dm_table__map(table, start, end, add, NULL) ? ranges : "unknown";
}

static const char *map_all(const char *table)
{
	return map(table, 0, UINT64_MAX);
}

static void linear_is_shifted_and_cut(void)
{
	static const char table[] = "0 41943040 linear 8:3 2048\n"
				    "41943040 8388608 linear 8:19 2048\n"
				    "50331648 4194304 linear 8:3 41945088\n";

	CHECK_TEXT(map_all(table), "8:3 2048-41945088, 8:19 2048-8390656, 8:3 41945088-46139392");
	CHECK_TEXT(map(table, 0, 1), "8:3 2048-2049");
	CHECK_TEXT(map(table, 41943039, 41943040), "8:3 41945087-41945088");
	CHECK_TEXT(map(table, 41943040, 41943041), "8:19 2048-2049");
	CHECK_TEXT(map(table, 41943039, 50331649),
		   "8:3 41945087-41945088, 8:19 2048-8390656, 8:3 41945088-41945089");
	CHECK_TEXT(map(table, 54525952, UINT64_MAX), "");
	CHECK_TEXT(map("", 0, 8), "");
}

/* Three disks, chunks of 128 sectors: a row is 384 sectors. */
static void stripes_are_taken_in_whole_rows(void)
{
	static const char table[] = "0 30720 striped 3 128 8:16 384 8:32 0 8:48 1000\n";

	CHECK_TEXT(map_all(table), "8:16 384-10624, 8:32 0-10240, 8:48 1000-11240");
	CHECK_TEXT(map(table, 0, 1), "8:16 384-512, 8:32 0-128, 8:48 1000-1128");
	CHECK_TEXT(map(table, 384, 768), "8:16 512-640, 8:32 128-256, 8:48 1128-1256");
	CHECK_TEXT(map(table, 383, 385), "8:16 384-640, 8:32 0-256, 8:48 1000-1256");
	CHECK_TEXT(map_all("0 100 striped 3 128 8:16 384 8:32 0\n"), "unknown");
	CHECK_TEXT(map_all("0 100 striped 0 128\n"), "unknown");
	CHECK_TEXT(map_all("0 100 striped 1 0 8:16 0\n"), "unknown");
}

static void layers_of_one_device_are_shifted(void)
{
	CHECK_TEXT(map_all("0 409600 crypt aes-xts-plain64 :64:logon:cryptsetup:8b7e-d0 0 253:1 "
			   "32768 1 allow_discards\n"),
		   "253:1 32768-442368");
	CHECK_TEXT(map("0 409600 crypt aes-xts-plain64 "
		       "00000000000000000000000000000000 0 8:2 4096\n",
		       8, 16),
		   "8:2 4104-4112");
	CHECK_TEXT(map_all("0 2048 crypt aes-xts-plain64 key 0 8:2\n"), "unknown");
	CHECK_TEXT(map_all("0 131072 flakey 7:0 8192 60 5 1 drop_writes\n"), "7:0 8192-139264");
	CHECK_TEXT(map_all("0 131072 delay 254:0 2048 20\n"), "254:0 2048-133120");
	CHECK_TEXT(map_all("0 100 delay 254:0 8 20 254:16 16 500\n"), "254:0 8-108, 254:16 16-116");
	CHECK_TEXT(map_all("0 100 delay 254:0 8 20 254:16 16 500 254:32 0 333\n"),
		   "254:0 8-108, 254:16 16-116, 254:32 0-100");
	CHECK_TEXT(map_all("0 100 delay 254:0 8 20 254:16 16\n"), "unknown");
	CHECK_TEXT(map_all("0 100 delay 8:0 0 1 8:0 0 1 8:0 0 1 8:0 0 1\n"), "unknown");
}

static void thin_devices_are_named_by_their_pool(void)
{
	CHECK_TEXT(map_all("0 20971520 thin 253:4 7\n"), "253:4#7 0-20971520");
	CHECK_TEXT(map("0 20971520 thin 253:4 0\n", 100, 200), "253:4#0 100-200");
	CHECK_TEXT(map_all("0 20971520 thin 253:4 7 253:9\n"),
		   "253:4#7 0-20971520, 253:9 0-all read");
	CHECK_TEXT(map_all("0 20971520 thin 253:4\n"), "unknown");
	CHECK_TEXT(map_all("0 20971520 thin 253:4 99999999999\n"), "unknown");
}

static void snapshots_write_to_their_store(void)
{
	CHECK_TEXT(map_all("0 8388608 snapshot 253:2 253:3 P 8\n"),
		   "253:2 0-all read, 253:3 0-all");
	CHECK_TEXT(map_all("0 8388608 snapshot-origin 253:2\n"), "253:2 0-8388608");
}

static void nothing_lies_below_zero_and_error(void)
{
	CHECK_TEXT(map_all("0 100 zero \n100 100 error \n200 8 linear 8:0 5\n"), "8:0 5-13");
}

static void other_types_are_not_known(void)
{
	static const char *const tables[] = {
		"0 8388608 mirror core 2 1024 nosync 2 8:16 0 8:32 0 1 handle_errors\n",
		"0 8388608 raid raid1 3 0 region_size 4096 2 253:0 253:1 253:2 253:3\n",
		"0 209715200 multipath 1 queue_if_no_path 0 1 1 service-time 0 1 2 8:16 1 1\n",
		"0 65536 thin-pool 253:2 253:3 128 0 1 skip_block_zeroing\n",
		"0 8388608 cache 253:5 253:6 253:7 128 1 writethrough smq 0\n",
		"0 8388608 verity 1 8:2 8:3 4096 4096 1048576 1 sha256 ab cd\n",
		"0 8388608 snapshot-merge 253:2 253:3 P 8\n",
		"0 100 linear\n",
		"0 100 linear 8:0\n",
		"0 100 linear 8 5\n",
		"0 100 linear 8:0x 5\n",
		"0 100 linear 8:0 -5\n",
		"0 100 linear 8:0 5x\n",
		"0 100 linear 8:0 18446744073709551615\n",
		"0 100 linear 8:0 18446744073709551616\n",
		"18446744073709551615 100 linear 8:0 5\n",
		"0 100\n",
		"linear\n",
		"0 8 linear 8:0 0\n8 8 era 8:1 8:2 4096\n",
	};

	for (unsigned int i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		CHECK_TEXT(map_all(tables[i]), "unknown");
	/* A segment that the range does not touch does not matter. */
	CHECK_TEXT(map("0 8 linear 8:0 0\n8 8 era 8:1 8:2 4096\n", 0, 8), "8:0 0-8");
}

static bool refuse_all(void *context, const struct dm_extent *extent)
{
	(void)context;
	(void)extent;
	return false;
}

static void too_many_ranges_are_not_known(void)
{
	CHECK(!dm_table__map("0 8 linear 8:0 0\n", 0, 8, refuse_all, NULL));
	CHECK(!dm_table__map("0 8 striped 1 8 8:0 0\n", 0, 8, refuse_all, NULL));
	CHECK(!dm_table__map("0 8 thin 8:0 0\n", 0, 8, refuse_all, NULL));
	CHECK(dm_table__map("0 8 zero\n", 0, 8, refuse_all, NULL));
}

/* This machine may have no device mapper: then it says so. */
static void a_device_that_is_none_of_the_mapper_is_an_error(void)
{
	char *text = NULL;

	CHECK(dm_table__read(makedev(1, 3), &text) < 0);
	CHECK(text == NULL);
	dm_table__free(NULL);
}

int main(void)
{
	RUN(linear_is_shifted_and_cut);
	RUN(stripes_are_taken_in_whole_rows);
	RUN(layers_of_one_device_are_shifted);
	RUN(thin_devices_are_named_by_their_pool);
	RUN(snapshots_write_to_their_store);
	RUN(nothing_lies_below_zero_and_error);
	RUN(other_types_are_not_known);
	RUN(too_many_ranges_are_not_known);
	RUN(a_device_that_is_none_of_the_mapper_is_an_error);
	return TEST_RESULT;
}
