// SPDX-License-Identifier: MIT
/* Cgroups that come, go and come back, in a hierarchy that the test makes up. */
#include "base/units.h"
#include "collector/counters/cgroup_places.h"
#include "collector/host/cgroups.h"
#include "unit/shared/test.h"

#define PATHS_MAX 8

struct cgroups {
	char paths[PATHS_MAX][64]; /* by id; "": none */
};

static struct cgroups hierarchy;

int cgroups__create(const char *controller, struct cgroups **cgroups)
{
	*cgroups = &hierarchy;
	return 0;
}

void cgroups__free(struct cgroups *cgroups)
{
}

const char *cgroups__path(struct cgroups *cgroups, uint64_t id)
{
	return cgroups->paths[id];
}

bool cgroups__is_at(const struct cgroups *cgroups, const char *path, uint64_t id)
{
	return *path && !strcmp(cgroups->paths[id], path);
}

static struct cgroup_places *places;
static const struct cgroup_place *place;
static uint64_t now_ns;

static void start(unsigned int most)
{
	memset(&hierarchy, 0, sizeof(hierarchy));
	now_ns = NSEC_PER_SEC;
	if (cgroup_places__create("blkio", most, &places))
		abort();
	cgroup_places__refresh(places, now_ns);
}

static void make(uint64_t id, const char *path)
{
	snprintf(hierarchy.paths[id], sizeof(hierarchy.paths[id]), "%s", path);
}

static void after(uint64_t seconds)
{
	now_ns += seconds * NSEC_PER_SEC;
	cgroup_places__refresh(places, now_ns);
}

static enum cgroup_standing find(uint64_t id)
{
	return cgroup_places__find(places, id, &place);
}

static void a_cgroup_is_shown_with_its_owner(void)
{
	start(2);
	make(1, "/system.slice/web.service");
	CHECK_EQ(find(1), CGROUP_SHOWN);
	REQUIRE(place);
	CHECK_TEXT(place->path, "/system.slice/web.service");
	CHECK_TEXT(place->owner.unit, "web.service");
	CHECK_EQ(place->id, 1);
	CHECK(cgroup_places__has_path(places, "/system.slice/web.service"));
	CHECK(!cgroup_places__has_path(places, "/system.slice"));
	CHECK_EQ(cgroup_places__shown(places), 1);
	cgroup_places__free(places);
}

static void those_beyond_the_limit_wait_until_one_is_gone(void)
{
	start(1);
	make(1, "/a");
	make(2, "/b");
	CHECK_EQ(find(1), CGROUP_SHOWN);
	CHECK_EQ(find(2), CGROUP_BEYOND);
	CHECK_EQ(find(2), CGROUP_BEYOND);
	CHECK(!place);
	CHECK_EQ(cgroup_places__shown(places), 1);
	CHECK_EQ(cgroup_places__beyond(places), 1);
	make(1, "");
	after(6);
	CHECK_EQ(find(1), CGROUP_GONE);
	CHECK_EQ(find(2), CGROUP_PROMOTED);
	CHECK_EQ(find(2), CGROUP_PROMOTED);
	CHECK_EQ(cgroup_places__beyond(places), 0);
	after(1);
	CHECK_EQ(find(2), CGROUP_SHOWN);
	CHECK_EQ(find(1), CGROUP_GONE);
	cgroup_places__free(places);
}

static void one_that_is_not_found_is_young_before_it_is_gone(void)
{
	start(2);
	CHECK_EQ(find(1), CGROUP_YOUNG);
	CHECK_EQ(find(2), CGROUP_YOUNG);
	after(1);
	make(2, "/late");
	CHECK_EQ(find(1), CGROUP_YOUNG);
	CHECK_EQ(find(2), CGROUP_PROMOTED);
	after(3);
	CHECK_EQ(find(1), CGROUP_GONE);
	CHECK_EQ(find(2), CGROUP_SHOWN);
	cgroup_places__free(places);
}

/* Two series with one path would make Prometheus refuse all. */
static void a_path_that_another_cgroup_has_now_is_shown_once(void)
{
	start(2);
	make(1, "/again");
	CHECK_EQ(find(1), CGROUP_SHOWN);
	make(1, "");
	make(2, "/again");
	after(1);
	CHECK_EQ(find(1), CGROUP_SHOWN);
	CHECK_EQ(find(2), CGROUP_YOUNG);
	CHECK_EQ(cgroup_places__shown(places), 1);
	after(1);
	CHECK_EQ(find(1), CGROUP_GONE);
	CHECK_EQ(find(2), CGROUP_PROMOTED);
	REQUIRE(place);
	CHECK_EQ(place->id, 2);
	CHECK_EQ(cgroup_places__shown(places), 1);
	cgroup_places__free(places);
}

static unsigned int seen;

static void count(const struct cgroup_place *each, void *context)
{
	seen |= 1u << each->id;
}

static void each_that_is_shown_is_visited_once(void)
{
	start(2);
	make(1, "/a");
	make(2, "/b");
	make(3, "/c");
	for (uint64_t id = 1; id <= 4; id++)
		find(id);
	seen = 0;
	cgroup_places__each(places, count, NULL);
	CHECK_EQ(seen, 1u << 1 | 1u << 2);
	cgroup_places__free(places);
}

static void with_no_room_nothing_is_shown(void)
{
	start(0);
	make(1, "/a");
	CHECK_EQ(find(1), CGROUP_BEYOND);
	CHECK_EQ(cgroup_places__shown(places), 0);
	cgroup_places__free(places);
}

int main(void)
{
	RUN(a_cgroup_is_shown_with_its_owner);
	RUN(those_beyond_the_limit_wait_until_one_is_gone);
	RUN(one_that_is_not_found_is_young_before_it_is_gone);
	RUN(a_path_that_another_cgroup_has_now_is_shown_once);
	RUN(each_that_is_shown_is_visited_once);
	RUN(with_no_room_nothing_is_shown);
	return TEST_RESULT;
}
