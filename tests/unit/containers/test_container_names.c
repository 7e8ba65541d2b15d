// SPDX-License-Identifier: MIT
/* State files as the runtimes and the kubelet write them, below a folder of the test's own. */
#include "unit/shared/test.h"

#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"
#include "containers/container_names.h"

#define ID  "5d41402abc4b2a76b9719d911017c592ae2f1c8e6b3d7f90123456789abcdef0"
#define UID "1b4e28ba-2fa1-11d2-883f-0016d3cca427"

static char root[] = "/tmp/blkreel-names-XXXXXX";
static struct container_names *names;
static struct cgroup_owner owner;
static struct container_name name;
static uint64_t now_ns = 1;

/* Makes a file and the folders above it. */
static void make(const char *path, const char *content)
{
	char whole[PATH_MAX];
	FILE *file;

	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	for (char *at = whole + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(whole, 0755);
		*at = '/';
	}
	file = fopen(whole, "w");
	if (!file || fputs(content, file) < 0 || fclose(file))
		abort();
}

static void clear(void)
{
	char command[PATH_MAX];

	snprintf(command, sizeof(command), "rm -rf '%s'/*", root);
	if (system(command))
		abort();
}

static void find(const char *path)
{
	now_ns += 6 * NSEC_PER_SEC;
	cgroup_owner__of_path(path, &owner);
	container_names__find(names, &owner, now_ns, &name);
}

/* As above, but remembers nothing from before. */
static void find_anew(const char *path)
{
	container_names__free(names);
	if (container_names__create(root, &names))
		abort();
	find(path);
}

static const char *label(const char *path)
{
	static char text[CONTAINER_LABEL_MAX];

	find(path);
	return container_names__label(&owner, &name, path, text);
}

static void test_docker(void)
{
	make("var/lib/docker/containers/" ID "/config.v2.json",
	     "{\"Name\":\"/web\",\"Config\":{\"Labels\":{}}}");
	find_anew("/docker/" ID);
	CHECK_TEXT(name.container, "web");
	CHECK_TEXT(name.pod, "");
	CHECK_TEXT(label("/docker/" ID), "web (docker)");
	make("var/lib/docker/containers/" ID "/config.v2.json",
	     "{\"Name\":\"/k8s_x\",\"Config\":{\"Labels\":{\"io.kubernetes.container.name\":\"db\","
	     "\"io.kubernetes.pod.name\":\"db-0\",\"io.kubernetes.pod.namespace\":\"prod\"}}}");
	find_anew(
		"/kubepods.slice/kubepods-pod1b4e28ba_2fa1_11d2_883f_0016d3cca427.slice/docker-" ID
		".scope");
	CHECK_TEXT(name.container, "db");
	CHECK_TEXT(name.pod, "db-0");
	CHECK_TEXT(name.pod_namespace, "prod");
	clear();
}

static void test_containerd(void)
{
	make("run/containerd/io.containerd.runtime.v2.task/moby/other/config.json", "{}");
	make("run/containerd/io.containerd.runtime.v2.task/k8s.io/" ID "/config.json",
	     "{\"annotations\":{\"io.kubernetes.cri.container-name\":\"app\","
	     "\"io.kubernetes.cri.sandbox-name\":\"app-7\","
	     "\"io.kubernetes.cri.sandbox-namespace\":\"default\"}}");
	find_anew("/kubepods/burstable/pod" UID "/" ID);
	CHECK_TEXT(name.container, "app");
	CHECK_TEXT(label("/kubepods/burstable/pod" UID "/" ID), "default/app-7/app");
	clear();
}

static void test_crio(void)
{
	make("run/containers/storage/overlay-containers/" ID "/userdata/config.json",
	     "{\"annotations\":{\"io.kubernetes.container.name\":\"c\","
	     "\"io.kubernetes.pod.name\":\"p\",\"io.kubernetes.pod.namespace\":\"n\"}}");
	find_anew("/kubepods/pod" UID "/crio-" ID);
	CHECK_TEXT(label("/kubepods/pod" UID "/crio-" ID), "n/p/c");
	clear();
}

static void test_podman(void)
{
	make("var/lib/containers/storage/overlay-containers/containers.json",
	     "[{\"id\":\"other\",\"names\":[\"no\"]},{\"id\":\"" ID
	     "\",\"names\":[\"cache\",\"b\"]}]");
	find_anew("/machine.slice/libpod-" ID ".scope/container");
	CHECK_TEXT(label("/machine.slice/libpod-" ID ".scope/container"), "cache (podman)");
	/* What a user calls so is not root's container. */
	find_anew("/user.slice/user-5.slice/user@5.service/user.slice/libpod-" ID ".scope");
	CHECK_TEXT(name.container, "");
	CHECK_TEXT(label("/user.slice/user-5.slice/user@5.service/user.slice/libpod-" ID ".scope"),
		   "5d41402abc4b (podman)");
	clear();
}

static void test_kubelet(void)
{
	make("var/log/pods/shop_cart-5f_" UID "/app/0.log", "");
	make("var/log/pods/shop_other_0b4e28ba-2fa1-11d2-883f-0016d3cca427/app/0.log", "");
	find_anew("/kubepods/pod" UID);
	CHECK_TEXT(label("/kubepods/pod" UID), "shop/cart-5f");
	find_anew("/kubepods/pod" UID "/" ID);
	CHECK_TEXT(label("/kubepods/pod" UID "/" ID), "shop/cart-5f/5d41402abc4b");
	make("var/log/containers/cart-5f_shop_front-end-" ID ".log", "");
	CHECK_TEXT(label("/kubepods/pod" UID "/" ID), "shop/cart-5f/front-end");
	clear();
}

static void test_nothing_is_known(void)
{
	find_anew("/kubepods/pod" UID "/" ID);
	CHECK_TEXT(name.container, "");
	CHECK_TEXT(label("/kubepods/pod" UID "/" ID), "pod " UID "/5d41402abc4b");
	CHECK_TEXT(label("/some/" ID), "5d41402abc4b");
	CHECK_TEXT(label("/a/b"), "/a/b");
	CHECK_TEXT(label("/system.slice/a.service"), "a.service");
	CHECK_TEXT(label("/lxc.payload.box"), "box (lxc)");
}

static void test_bad_files(void)
{
	static char longest[70000];
	static const char *const contents[] = {"",
					       "{",
					       "[]",
					       "{\"Name\":7}",
					       "{\"Name\":\"\"}",
					       "null",
					       "{\"Name\":\"a\\u0000b\"}",
					       longest};

	memset(longest, 'n', sizeof(longest) - 1);
	memcpy(longest, "{\"Name\":\"", 9);
	memcpy(longest + sizeof(longest) - 3, "\"}", 2);
	for (size_t i = 0; i < sizeof(contents) / sizeof(contents[0]); i++) {
		make("var/lib/docker/containers/" ID "/config.v2.json", contents[i]);
		find_anew("/docker/" ID);
		CHECK_TEXT(name.container, "");
	}
	make("var/log/containers/_-" ID ".log", "");
	make("var/log/containers/x-" ID ".log", "");
	make("var/log/pods/x" UID, "");
	find_anew("/kubepods/pod" UID "/" ID);
	CHECK_TEXT(name.pod, "");
	clear();
	/* A FIFO must not make it wait. */
	make("var/lib/docker/containers/" ID "/x", "");
	{
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/var/lib/docker/containers/" ID "/config.v2.json",
			 root);
		CHECK_EQ(mkfifo(path, 0600), 0);
	}
	find_anew("/docker/" ID);
	CHECK_TEXT(name.container, "");
	clear();
}

/* A name that is known stays, one that is not is looked up again after some seconds. */
static void test_answers_are_kept(void)
{
	find_anew("/docker/" ID);
	make("var/lib/docker/containers/" ID "/config.v2.json", "{\"Name\":\"/late\"}");
	container_names__find(names, &owner, now_ns + NSEC_PER_SEC, &name);
	CHECK_TEXT(name.container, "");
	find("/docker/" ID);
	CHECK_TEXT(name.container, "late");
	clear();
	find("/docker/" ID);
	CHECK_TEXT(name.container, "late");
}

int main(void)
{
	if (!mkdtemp(root))
		return EXIT_FAILURE;
	RUN(test_docker);
	RUN(test_containerd);
	RUN(test_crio);
	RUN(test_podman);
	RUN(test_kubelet);
	RUN(test_nothing_is_known);
	RUN(test_bad_files);
	RUN(test_answers_are_kept);
	container_names__free(names);
	rmdir(root);
	return TEST_RESULT;
}
