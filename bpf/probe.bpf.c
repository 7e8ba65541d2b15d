// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* One empty program for each way of attaching, to test which of them this kernel allows. */
#include "kernel.h"
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual MIT/GPL";

SEC("tp_btf/sched_process_exit")
int try_tp_btf(__u64 *ctx)
{
	return 0;
}

SEC("raw_tp/sched_process_exit")
int try_raw_tp(__u64 *ctx)
{
	return 0;
}

SEC("tracepoint/sched/sched_process_exit")
int try_tracepoint(void *ctx)
{
	return 0;
}

SEC("fentry/vfs_read")
int try_fentry(__u64 *ctx)
{
	return 0;
}

SEC("fexit/vfs_read")
int try_fexit(__u64 *ctx)
{
	return 0;
}

SEC("kprobe/vfs_read")
int try_kprobe(void *ctx)
{
	return 0;
}

SEC("kretprobe/vfs_read")
int try_kretprobe(void *ctx)
{
	return 0;
}
