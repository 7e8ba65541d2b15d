// SPDX-License-Identifier: MIT
/* IOs of cgroups, summed by the systemd unit, the pod and the container that they belong to. */
#include "explain/figures/owners.h"
#include "unit/explain/made_traces.h"

#define ID   "5d41402abc4b2a76b9719d911017c592ae2f1c8e6b3d7f90123456789abcdef0"
#define ID_2 "7d793037a0760186574b0282f2f435e7ae2f1c8e6b3d7f90123456789abcdef0"
#define UID  "1b4e28ba-2fa1-11d2-883f-0016d3cca427"
#define POD  "/kubepods/burstable/pod" UID

static const struct trace_cgroup cgroups[] = {
	{.id = 1, .path = "/system.slice/db.service/main"},
	{.id = 2, .path = "/system.slice/db.service/helper"},
	{.id = 3, .path = POD "/" ID, .container = "web", .pod = "shop-1", .pod_namespace = "shop"},
	{.id = 4, .path = POD "/" ID_2},
	{.id = 5, .path = POD, .pod = "shop-1", .pod_namespace = "shop"},
	{.id = 6, .path = "/system.slice/docker-" ID ".scope", .container = "cache"},
	{.id = 7, .path = "/docker/" ID_2},
	{.id = 8, .path = ""},
	{.id = 9, .path = "/"},
};
#define CGROUPS (sizeof(cgroups) / sizeof(cgroups[0]))
#define NOBODY	99 /* an id without an entry */

static const struct trace_cgroup *cgroup_by_id(const void *context, uint32_t id)
{
	FIND_BY_ID(cgroups, id);
}

static const struct explain_tables tables = {NULL,	test_device,  test_task,
					     test_file, cgroup_by_id, NULL};

/* One IO of the first cgroup, two of the second, four of the third ...: a sum says whose it is. */
static struct explanation *explanation_of(bool anonymized)
{
	const struct trace_host host = {.start_ns = START_NS, .anonymized = anonymized};
	const struct trace_summary summary = {.stop_ns = START_NS + NSEC_PER_SEC};
	const struct explain_frame frame = {.host = &host, .summary = &summary};
	struct explainer *e = explainer__new(&tables, NULL, 0);
	struct explanation *x = NULL;

	for (uint32_t group = 0; group <= CGROUPS; group++) {
		for (uint32_t i = 0; i < 1u << group; i++) {
			struct io_row row = test_read(START_NS + (1000 * group + i) * US, 0);

			row.cgroup = group < CGROUPS ? 1 + group : NOBODY;
			CHECK_EQ(explainer__add_io(e, &row), 0);
		}
	}
	if (explain_finish(e, &frame, &x))
		abort();
	return x;
}

static uint64_t ios_of(const struct explain_groups *groups, const char *name)
{
	for (uint32_t i = 0; i < groups->count; i++)
		if (!strcmp(groups->list[i].name, name))
			return groups->list[i].ios;
	return 0;
}

static void each_io_belongs_to_its_unit_pod_and_container(void)
{
	struct explanation *x = explanation_of(false);

	CHECK_EQ(x->by_unit.count, 4);
	CHECK_EQ(ios_of(&x->by_unit, "db.service"), 1 + 2);
	CHECK_EQ(ios_of(&x->by_unit, "docker-" ID ".scope"), 32);
	CHECK_EQ(ios_of(&x->by_unit, "(no unit)"), 4 + 8 + 16 + 64 + 256);
	CHECK_EQ(ios_of(&x->by_unit, "(unknown)"), 128 + 512);
	CHECK_EQ(x->by_pod.count, 4);
	CHECK_EQ(ios_of(&x->by_pod, "shop/shop-1"), 4 + 16);
	CHECK_EQ(ios_of(&x->by_pod, "pod " UID), 8);
	CHECK_EQ(ios_of(&x->by_pod, "(no pod)"), 1 + 2 + 32 + 64 + 256);
	CHECK_EQ(ios_of(&x->by_pod, "(unknown)"), 128 + 512);
	CHECK_EQ(x->by_container.count, 6);
	CHECK_EQ(ios_of(&x->by_container, "shop/shop-1/web"), 4);
	CHECK_EQ(ios_of(&x->by_container, "pod " UID "/7d793037a076"), 8);
	CHECK_EQ(ios_of(&x->by_container, "cache (docker)"), 32);
	CHECK_EQ(ios_of(&x->by_container, "7d793037a076 (docker)"), 64);
	CHECK_EQ(ios_of(&x->by_container, "(no container)"), 1 + 2 + 16 + 256);
	CHECK_EQ(ios_of(&x->by_container, "(unknown)"), 128 + 512);
	CHECK_EQ(x->by_cgroup.count, CGROUPS + 1);
	explanation__free(x);
}

static void hashes_have_no_owners(void)
{
	struct explanation *x = explanation_of(true);

	CHECK_EQ(x->by_unit.count + x->by_pod.count + x->by_container.count, 0);
	CHECK(x->by_cgroup.count > 1);
	explanation__free(x);
}

int main(void)
{
	RUN(each_io_belongs_to_its_unit_pod_and_container);
	RUN(hashes_have_no_owners);
	return TEST_RESULT;
}
