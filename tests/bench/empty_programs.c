// SPDX-License-Identifier: MIT
/*
 * empty_programs TRACEPOINT...: runs a BPF program that does nothing at each tracepoint, until it is
 * ended. What the kernel counts as its time is the least that it counts for any program.
 */
#include <stdio.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

static int attach(const char *tracepoint)
{
	static const struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int program = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "does_nothing", "GPL", nothing, 2,
				    NULL);

	return program < 0 ? program : bpf_raw_tracepoint_open(tracepoint, program);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (attach(argv[i]) < 0) {
			perror(argv[i]);
			return 1;
		}
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
