// SPDX-License-Identifier: MIT
#include "collector/kernel/try_program.h"

#include <errno.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "probe.skel.h"

int try_program(const char *name)
{
	struct probe_bpf *skeleton = probe_bpf__open();
	struct bpf_program *program;
	struct bpf_link *link;
	int err;

	if (!skeleton)
		return -errno;
	bpf_object__for_each_program(program, skeleton->obj)
		bpf_program__set_autoload(program, !strcmp(bpf_program__name(program), name));
	err = probe_bpf__load(skeleton);
	if (!err) {
		link = bpf_program__attach(bpf_object__find_program_by_name(skeleton->obj, name));
		err = link ? 0 : -errno;
		bpf_link__destroy(link);
	}
	probe_bpf__destroy(skeleton);
	return err;
}
