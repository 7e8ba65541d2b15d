// SPDX-License-Identifier: MIT
/* Paths as Kubernetes, container runtimes and systemd lay them out. */
#include "unit/shared/test.h"

#include "containers/cgroup_owner.h"

#define ID   "5d41402abc4b2a76b9719d911017c592ae2f1c8e6b3d7f90123456789abcdef0"
#define ID2  "0fedcba9876543210f7d3b6e8c1f2ea295c7101d9179b67a2b4cba2041d50000"
#define UID  "1b4e28ba-2fa1-11d2-883f-0016d3cca427"
#define UID_ "1b4e28ba_2fa1_11d2_883f_0016d3cca427"
#define HASH "9f86d081884c7d659a2feaa0c55ad015"

static struct cgroup_owner owner;

static void of(const char *path)
{
	cgroup_owner__of_path(path, &owner);
}

static void is_container(const char *path, enum container_runtime runtime, const char *id,
			 const char *pod)
{
	of(path);
	if (owner.kind != CGROUP_CONTAINER || owner.runtime != runtime)
		printf("# %s: kind %d, runtime %d\n", path, owner.kind, owner.runtime);
	CHECK_EQ(owner.kind, CGROUP_CONTAINER);
	CHECK_EQ(owner.runtime, runtime);
	CHECK_TEXT(owner.container_id, id);
	CHECK_TEXT(owner.pod_uid, pod);
}

static void is_pod(const char *path, const char *pod)
{
	of(path);
	CHECK_EQ(owner.kind, CGROUP_POD);
	CHECK_TEXT(owner.pod_uid, pod);
	CHECK_TEXT(owner.container_id, "");
}

static void is_unit(const char *path, const char *unit)
{
	of(path);
	CHECK_EQ(owner.kind, CGROUP_UNIT);
	CHECK_TEXT(owner.unit, unit);
	CHECK_TEXT(owner.container_id, "");
	CHECK_TEXT(owner.pod_uid, "");
}

static void is_other(const char *path)
{
	of(path);
	CHECK_EQ(owner.kind, CGROUP_OTHER);
	CHECK_TEXT(owner.unit, "");
	CHECK_TEXT(owner.container_id, "");
	CHECK_TEXT(owner.pod_uid, "");
}

static void test_kubernetes_with_cgroupfs(void)
{
	is_container("/kubepods/pod" UID "/" ID, RUNTIME_UNKNOWN, ID, UID);
	is_container("/kubepods/burstable/pod" UID "/" ID, RUNTIME_UNKNOWN, ID, UID);
	is_container("/kubepods/besteffort/pod" UID "/crio-" ID, RUNTIME_CRIO, ID, UID);
	is_container("/kubelet/kubepods/burstable/pod" HASH "/" ID, RUNTIME_UNKNOWN, ID, HASH);
	is_pod("/kubepods/burstable/pod" UID, UID);
	is_pod("/kubepods/burstable/pod" UID "/init", UID);
	is_other("/kubepods/burstable");
	is_other("/kubepods");
}

static void test_kubernetes_with_systemd(void)
{
	is_container("/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_
		     ".slice/cri-containerd-" ID ".scope",
		     RUNTIME_CONTAINERD, ID, UID);
	CHECK_TEXT(owner.unit, "cri-containerd-" ID ".scope");
	is_container("/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope", RUNTIME_CRIO,
		     ID, UID);
	is_container("/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope/container",
		     RUNTIME_CRIO, ID, UID);
	is_container("/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_
		     ".slice/docker-" ID ".scope",
		     RUNTIME_DOCKER, ID, UID);
	is_container("/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice/"
		     "kubelet-kubepods-burstable-pod" HASH ".slice/cri-containerd-" ID ".scope",
		     RUNTIME_CONTAINERD, ID, HASH);
	is_container("/system.slice/containerd.service/kubepods-burstable-pod" UID_
		     ".slice:cri-containerd:" ID,
		     RUNTIME_CONTAINERD, ID, UID);
	is_pod("/kubepods.slice/kubepods-pod" UID_ ".slice", UID);
	is_pod("/kubepods.slice/kubepods-pod" UID_ ".slice/crio-conmon-" ID ".scope", UID);
	is_unit("/kubepods.slice/kubepods-burstable.slice", "kubepods-burstable.slice");
}

static void test_containers_without_kubernetes(void)
{
	is_container("/docker/" ID, RUNTIME_DOCKER, ID, "");
	CHECK_TEXT(owner.unit, "");
	is_container("/system.slice/docker-" ID ".scope", RUNTIME_DOCKER, ID, "");
	is_container("/system.slice/nerdctl-" ID ".scope", RUNTIME_CONTAINERD, ID, "");
	is_container("/machine.slice/libpod-" ID ".scope/container", RUNTIME_PODMAN, ID, "");
	is_container("/machine.slice/machine-libpod_pod_" ID2 ".slice/libpod-" ID ".scope",
		     RUNTIME_PODMAN, ID, "");
	is_container("/libpod_parent/libpod-" ID, RUNTIME_PODMAN, ID, "");
	is_container("/some/group/" ID, RUNTIME_UNKNOWN, ID, "");
	is_container("/lxc.payload.web", RUNTIME_LXC, "web", "");
	is_container("/lxc/101/ns", RUNTIME_LXC, "101", "");
	is_container("/machine.slice/machine-qemu\\x2d1\\x2dold.scope/libvirt", RUNTIME_MACHINE,
		     "qemu-1-old", "");
	is_unit("/machine.slice/libpod-conmon-" ID ".scope", "libpod-conmon-" ID ".scope");
}

static void test_units(void)
{
	is_unit("/system.slice/nginx.service", "nginx.service");
	CHECK_EQ(owner.user, CGROUP_NO_USER);
	is_unit("/system.slice/nginx.service/workers/1", "nginx.service");
	is_unit("/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service");
	is_unit("/system.slice", "system.slice");
	is_unit("/a.slice/a-b.slice/a-b-c.slice", "a-b-c.slice");
	is_unit("/system.slice/dev-disk-by\\x2duuid.swap", "dev-disk-by\\x2duuid.swap");
	is_unit("/system.slice/_cpu.service", "cpu.service");
	is_unit("/init.scope", "init.scope");
	is_unit("/user.slice/user-1000.slice/session-3.scope", "session-3.scope");
	CHECK_EQ(owner.user, 1000);
	is_unit("/user.slice/user-1000.slice/user@1000.service/app.slice/app-vi.scope",
		"app-vi.scope");
	is_unit("/user.slice/user-1000.slice/user@1000.service/app.slice", "user@1000.service");
	is_container("/user.slice/user-1001.slice/user@1001.service/user.slice/libpod-" ID ".scope",
		     RUNTIME_PODMAN, ID, "");
	CHECK_EQ(owner.user, 1001);
}

static void test_what_is_inside_belongs_to_the_container(void)
{
	is_container("/docker/" ID "/kubepods/pod" UID "/" ID2, RUNTIME_DOCKER, ID, "");
	is_container("/kubepods/pod" UID "/" ID "/system.slice/docker-" ID2 ".scope",
		     RUNTIME_UNKNOWN, ID, UID);
	is_container("/system.slice/docker-" ID ".scope/evil.service", RUNTIME_DOCKER, ID, "");
	CHECK_TEXT(owner.unit, "docker-" ID ".scope");
}

static void test_what_looks_like_one_and_is_none(void)
{
	is_other("/");
	is_other("");
	is_other("//a///b");
	is_other("/pod" UID);
	is_other("/docker");
	is_other("/docker/buildkit");
	is_other("/docker/5d41402abc4b");
	is_other("/kubepods/pod" UID "x");
	is_other("/kubepods/pod1b4e28ba-2fa1-11d2-883f-0016d3cca42z");
	is_other("/kubepods/pod1b4e28ba+2fa1+11d2+883f+0016d3cca427");
	is_other("/x/" ID "0");
	is_other("/x/" ID "-");
	is_other("/lxc.payload.");
	is_other("/.scope");
	is_other("/_");
	is_other("/\xff\xfe\n\"{}");
	is_unit("/machine.slice/machine-.scope", "machine-.scope");
	is_unit("/x/docker-" ID "0.scope", "docker-" ID "0.scope");
	is_unit("/x/docker-" ID ".service", "docker-" ID ".service");
}

static void test_names_that_are_too_long(void)
{
	char path[8192] = "/system.slice/a.service/";

	memset(path + 24, 'x', 4000);
	is_unit(path, "a.service");
	memcpy(path, "/machine.slice/machine-", 23);
	memset(path + 23, 'y', 200);
	strcpy(path + 223, ".scope");
	of(path);
	CHECK_EQ(owner.kind, CGROUP_UNIT);
	CHECK_TEXT(owner.container_id, "");
}

int main(void)
{
	RUN(test_kubernetes_with_cgroupfs);
	RUN(test_kubernetes_with_systemd);
	RUN(test_containers_without_kubernetes);
	RUN(test_units);
	RUN(test_what_is_inside_belongs_to_the_container);
	RUN(test_what_looks_like_one_and_is_none);
	RUN(test_names_that_are_too_long);
	return TEST_RESULT;
}
