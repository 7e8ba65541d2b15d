// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Reads submitted to io_uring: the page-cache probes see a request only when part of it is done. */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "account.bpf.h"
#include "compat.bpf.h"
#include "reader.bpf.h"
#include "uring.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* include/uapi/linux/io_uring.h */
enum {
	URING_READV = 1,
	URING_READ_FIXED = 4,
	URING_READ = 22,
	URING_WRITEV = 2,
	URING_WRITE_FIXED = 5,
	URING_WRITE = 23
};

#define URING_FIXED_FILE 1 /* REQ_F_FIXED_FILE */

/* 0: not a read, or the length is not available. */
static __always_inline __u64 bytes_to_read(struct io_kiocb *request)
{
	struct io_rw *rw = (struct io_rw *)request;
	__u64 bytes = BPF_CORE_READ(rw, len);
	__u8 opcode = request->opcode;

	if (opcode == URING_READ || opcode == URING_READ_FIXED)
		return bytes;
	/* The length of the only struct iovec. */
	if (opcode != URING_READV || bytes != 1 ||
	    bpf_probe_read_user(&bytes, sizeof(bytes), (void *)(BPF_CORE_READ(rw, addr) + 8)))
		return 0;
	return bytes;
}

/* The read before was not waited for and can leave its fetch behind: the write's pages are not of it. */
static __always_inline void begin_write(__u8 opcode)
{
	struct reader *reader;

	if (opcode != URING_WRITE && opcode != URING_WRITEV && opcode != URING_WRITE_FIXED)
		return;
	reader = current_reader(false);
	if (reader)
		reader->reason = FETCH_NONE;
}

SEC("tp_btf/io_uring_submit_req")
int io_uring_submit_req(__u64 *ctx)
{
	struct io_kiocb *request = (struct io_kiocb *)ctx[0];
	struct uring_key key = {.tgid = current_tgid()};
	struct uring_read fresh = {}, *read;
	__u64 bytes, position;
	struct file *file;

	if (!recording || ignored_task())
		return 0;
	bytes = bytes_to_read(request);
	if (!bytes) {
		begin_write(request->opcode);
		return 0;
	}
	position = (__u64)BPF_CORE_READ((struct io_rw *)request, kiocb.ki_pos);
	if (!(BPF_CORE_READ(request, flags) & URING_FIXED_FILE)) {
		file = file_of(bpf_get_current_task_btf(), (__u32)BPF_CORE_READ(request, cqe.fd));
		if (!file || BPF_CORE_READ(file, f_flags) & O_DIRECT)
			return 0;
		key.mapping = cached_mapping(file);
		if (position == ~0ull)
			position = (__u64)BPF_CORE_READ(file, f_pos);
	}
	key.last = (position + bytes - 1) >> config.page_shift;
	uring_reads_seen = 1;
	fresh.first = position >> config.page_shift;
	read = bpf_map_lookup_elem(&uring_reads, &key);
	if (!read) {
		bpf_map_update_elem(&uring_reads, &key, &fresh, BPF_NOEXIST);
		read = bpf_map_lookup_elem(&uring_reads, &key);
	}
	if (!read)
		return 0;
	read->first = fresh.first;
	__sync_fetch_and_add(&read->waiting, 1);
	return 0;
}
