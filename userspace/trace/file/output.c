// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "trace/file/block.h"
#include "trace/file/output.h"
#include "trace/file/trace_kind.h"
#include "trace/file/write_behind.h"

struct output {
	int fd;
	struct output_file *file; /* NULL: the content stays, however the writer ends */
	bool keep;
	uint64_t bytes;		     /* of whole blocks, written or pending */
	struct write_behind *behind; /* NULL: written at once */
	ZSTD_CCtx *zstd;
	uint8_t *block; /* header and stored payload, so that one write(2) takes both */
	size_t block_size;
};

/* Appends the block or nothing: a part that was written is cut off again. */
static int append_bytes(struct output *o, const uint8_t *at, size_t bytes)
{
	int err = o->behind ? write_behind__append(o->behind, at, bytes)
			    : write_whole(o->fd, o->bytes, at, bytes);

	if (!err)
		o->bytes += bytes;
	return err;
}

int output__create_on(int fd, int level, struct output **output)
{
	struct output *o = calloc(1, sizeof(*o));
	uint8_t head[TRACE_HEAD_BYTES];
	int err = -ENOMEM;

	if (!o) {
		close(fd);
		return -ENOMEM;
	}
	o->fd = fd;
	o->zstd = ZSTD_createCCtx();
	if (o->zstd &&
	    !ZSTD_isError(ZSTD_CCtx_setParameter(o->zstd, ZSTD_c_compressionLevel, level))) {
		trace_head_put(head);
		err = append_bytes(o, head, sizeof(head));
	}
	if (err) {
		output__close(o, false);
		return err;
	}
	*output = o;
	return 0;
}

int output__create(const char *path, int level, bool must_be_new, struct output **output)
{
	struct stat made;
	int fd, err;

	err = output_file__open(path, &trace_kind, must_be_new, &fd);
	if (err)
		return err;
	if (fstat(fd, &made)) {
		err = -errno;
		close(fd);
		return err;
	}
	err = output__create_on(fd, level, output);
	if (err)
		output_file__remove(path, &trace_kind, &made);
	return err;
}

int output__create_beside(const char *path, int level, struct output **output)
{
	struct output_file *file;
	int fd, err = output_file__begin(path, &trace_kind, &file, &fd);

	if (err)
		return err;
	err = output__create_on(fd, level, output);
	if (err)
		output_file__end(file, false);
	else
		(*output)->file = file;
	return err;
}

static int reserve(struct output *o, size_t bytes)
{
	uint8_t *block;

	if (bytes <= o->block_size)
		return 0;
	block = realloc(o->block, bytes);
	if (!block)
		return -ENOMEM;
	o->block = block;
	o->block_size = bytes;
	return 0;
}

/*
 * Writes one frame, in which a new zstd block begins at each cut: each then has statistics of its
 * own bytes instead of a mixture. Returns the bytes, or at least `size` when they do not fit.
 */
static size_t compress_parts(struct output *o, uint8_t *to, size_t size, const uint8_t *payload,
			     size_t bytes, const struct payload_cuts *cuts)
{
	ZSTD_outBuffer out = {to, size, 0};
	unsigned int parts = 1 + (cuts ? cuts->count : 0);

	ZSTD_CCtx_reset(o->zstd, ZSTD_reset_session_only);
	ZSTD_CCtx_setPledgedSrcSize(o->zstd, bytes);
	for (unsigned int part = 0; part < parts; part++) {
		bool last = part == parts - 1;
		size_t from = part ? cuts->at[part - 1] : 0, until = last ? bytes : cuts->at[part];
		ZSTD_inBuffer in = {payload + from, until - from, 0};
		size_t left =
			ZSTD_compressStream2(o->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_flush);

		if (ZSTD_isError(left) || left)
			return size;
	}
	return out.pos;
}

/* Header and payload are in o->block; the header is filled in here. */
static int append_block(struct output *o, struct block_head *head)
{
	head->payload_crc = block_crc(o->block + TRACE_BLOCK_HEAD_BYTES, head->stored_bytes);
	block_head_put(o->block, head);
	return append_bytes(o, o->block, TRACE_BLOCK_HEAD_BYTES + (size_t)head->stored_bytes);
}

int output__append(struct output *o, enum block_kind kind, uint32_t rows, const uint8_t *payload,
		   size_t bytes, const struct payload_cuts *cuts)
{
	struct block_head head = {.kind = (uint8_t)kind,
				  .rows = rows,
				  .raw_bytes = (uint32_t)bytes,
				  .compression = COMPRESSION_ZSTD};
	size_t stored;
	int err;

	if (bytes > TRACE_BLOCK_BYTES_MAX || rows > TRACE_BLOCK_ROWS_MAX)
		return -E2BIG;
	err = reserve(o, TRACE_BLOCK_HEAD_BYTES + bytes);
	if (err)
		return err;
	stored = compress_parts(o, o->block + TRACE_BLOCK_HEAD_BYTES, bytes, payload, bytes, cuts);
	if (stored >= bytes)
		return output__append_plain(o, kind, rows, payload, bytes);
	head.stored_bytes = (uint32_t)stored;
	return append_block(o, &head);
}

int output__append_plain(struct output *o, enum block_kind kind, uint32_t rows,
			 const uint8_t *payload, size_t bytes)
{
	struct block_head head = {.kind = (uint8_t)kind,
				  .rows = rows,
				  .raw_bytes = (uint32_t)bytes,
				  .stored_bytes = (uint32_t)bytes,
				  .compression = COMPRESSION_NONE};
	int err;

	if (bytes > TRACE_BLOCK_BYTES_MAX || rows > TRACE_BLOCK_ROWS_MAX)
		return -E2BIG;
	err = reserve(o, TRACE_BLOCK_HEAD_BYTES + bytes);
	if (err)
		return err;
	memcpy(o->block + TRACE_BLOCK_HEAD_BYTES, payload, bytes);
	return append_block(o, &head);
}

int output__append_whole(struct output *o, const uint8_t *block, size_t bytes)
{
	return append_bytes(o, block, bytes);
}

bool output__write_behind(struct output *o)
{
	return o->behind || !write_behind__start(o->fd, o->bytes, &o->behind);
}

uint64_t output__bytes(const struct output *o)
{
	return o->bytes;
}

uint64_t output__written(const struct output *o)
{
	return o->behind ? write_behind__written(o->behind) : o->bytes;
}

void output__keep(struct output *o)
{
	o->keep = true;
}

int output__stat(const struct output *o, struct stat *file)
{
	return fstat(o->fd, file) ? -errno : 0;
}

int output__close(struct output *o, bool sync)
{
	int err = 0, end_err;

	if (!o)
		return 0;
	if (o->behind)
		err = write_behind__finish(o->behind);
	if (o->fd >= 0 && sync && !err && fsync(o->fd))
		err = -errno;
	if (o->fd >= 0 && close(o->fd) && !err)
		err = -errno;
	end_err = output_file__end(o->file, o->keep && !err);
	err = err ? err : end_err;
	ZSTD_freeCCtx(o->zstd);
	free(o->block);
	free(o);
	return err;
}
