// SPDX-License-Identifier: MIT
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "exchange/input/inflate.h"

/* A hostile xz header may ask for gigabytes; the strongest preset needs 65 MiB. */
#define XZ_MEMORY_MAX_BYTES (96ull << 20)
/* The same for zstd: accepts windows up to those of --long=27. */
#define ZSTD_WINDOW_LOG_MAX 27

struct inflate {
	int (*run)(struct inflate *f, const uint8_t **in, const uint8_t *in_end, uint8_t **out,
		   uint8_t *out_end, bool last);
	z_stream gzip;
	bool gzip_open, between_members;
	lzma_stream xz;
	ZSTD_DCtx *zstd;
	bool inside_frame;
};

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int run_plain(struct inflate *f, const uint8_t **in, const uint8_t *in_end, uint8_t **out,
		     uint8_t *out_end, bool last)
{
	size_t bytes = smaller((size_t)(in_end - *in), (size_t)(out_end - *out));

	memcpy(*out, *in, bytes);
	*in += bytes;
	*out += bytes;
	return last && *in == in_end;
}

static bool starts_member(const uint8_t *in, size_t bytes)
{
	return bytes && in[0] == 0x1f && (bytes < 2 || in[1] == 0x8b);
}

/* A gzip file may consist of several members, and be padded at its end. */
static int run_gzip(struct inflate *f, const uint8_t **in, const uint8_t *in_end, uint8_t **out,
		    uint8_t *out_end, bool last)
{
	int result;

	if (f->between_members) {
		if (*in == in_end)
			return last;
		if (!starts_member(*in, (size_t)(in_end - *in)))
			return 1;
		inflateReset(&f->gzip);
		f->between_members = false;
	}
	f->gzip.next_in = (uint8_t *)*in;
	f->gzip.avail_in = (unsigned int)(in_end - *in);
	f->gzip.next_out = *out;
	f->gzip.avail_out = (unsigned int)(out_end - *out);
	result = inflate(&f->gzip, Z_NO_FLUSH);
	*in = f->gzip.next_in;
	*out = f->gzip.next_out;
	f->between_members = result == Z_STREAM_END;
	if (result == Z_MEM_ERROR)
		return -ENOMEM;
	if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
		return -EBADMSG;
	if (last && *in == in_end && !f->between_members && *out < out_end)
		return -EBADMSG;
	return 0;
}

static int run_xz(struct inflate *f, const uint8_t **in, const uint8_t *in_end, uint8_t **out,
		  uint8_t *out_end, bool last)
{
	lzma_ret result;

	f->xz.next_in = *in;
	f->xz.avail_in = (size_t)(in_end - *in);
	f->xz.next_out = *out;
	f->xz.avail_out = (size_t)(out_end - *out);
	result = lzma_code(&f->xz, last ? LZMA_FINISH : LZMA_RUN);
	*in = f->xz.next_in;
	*out = f->xz.next_out;
	if (result == LZMA_STREAM_END)
		return 1;
	if (result == LZMA_MEM_ERROR || result == LZMA_MEMLIMIT_ERROR)
		return -ENOMEM;
	if (result == LZMA_BUF_ERROR)
		return last ? -EBADMSG : 0;
	return result == LZMA_OK ? 0 : -EBADMSG;
}

static int run_zstd(struct inflate *f, const uint8_t **in, const uint8_t *in_end, uint8_t **out,
		    uint8_t *out_end, bool last)
{
	ZSTD_inBuffer from = {*in, (size_t)(in_end - *in), 0};
	ZSTD_outBuffer to = {*out, (size_t)(out_end - *out), 0};
	size_t left;

	if (from.size || f->inside_frame) {
		left = ZSTD_decompressStream(f->zstd, &to, &from);
		if (ZSTD_isError(left))
			return ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation ? -ENOMEM
										       : -EBADMSG;
		f->inside_frame = left != 0;
	}
	*in += from.pos;
	*out += to.pos;
	if (!last || *in < in_end || to.pos == to.size)
		return 0;
	return f->inside_frame ? -EBADMSG : 1;
}

static bool starts_with(const uint8_t *head, size_t bytes, const char *magic, size_t magic_bytes)
{
	return bytes >= magic_bytes && !memcmp(head, magic, magic_bytes);
}

static bool open_stream(struct inflate *f, const uint8_t *head, size_t bytes)
{
	if (starts_with(head, bytes, "\x1f\x8b", 2)) {
		f->run = run_gzip;
		f->gzip_open = inflateInit2(&f->gzip, 15 + 16) == Z_OK;
		return f->gzip_open;
	}
	if (starts_with(head, bytes,
			"\xfd"
			"7zXZ\0",
			6)) {
		f->run = run_xz;
		return lzma_stream_decoder(&f->xz, XZ_MEMORY_MAX_BYTES, LZMA_CONCATENATED) ==
		       LZMA_OK;
	}
	if (starts_with(head, bytes, "\x28\xb5\x2f\xfd", 4)) {
		f->run = run_zstd;
		f->zstd = ZSTD_createDCtx();
		return f->zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(f->zstd, ZSTD_d_windowLogMax,
								       ZSTD_WINDOW_LOG_MAX));
	}
	f->run = run_plain;
	return true;
}

struct inflate *inflate__new(const uint8_t *head, size_t bytes)
{
	struct inflate *f = calloc(1, sizeof(*f));

	if (f && !open_stream(f, head, bytes)) {
		inflate__free(f);
		return NULL;
	}
	return f;
}

void inflate__free(struct inflate *f)
{
	if (!f)
		return;
	if (f->gzip_open)
		inflateEnd(&f->gzip);
	lzma_end(&f->xz);
	ZSTD_freeDCtx(f->zstd);
	free(f);
}

int inflate__run(struct inflate *f, const uint8_t **in, const uint8_t *in_end, uint8_t **out,
		 uint8_t *out_end, bool last)
{
	return f->run(f, in, in_end, out, out_end, last);
}
