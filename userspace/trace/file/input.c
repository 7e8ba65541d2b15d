// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/progress.h"
#include "trace/file/input.h"

/* Bytes that are searched at a time for the start of a block. */
#define FIND_WINDOW_BYTES (1u << 20)

struct input {
	int fd;
	int err;
	const char *reason;
	uint64_t bytes;
	uint64_t offset;
	uint32_t version;
	bool head_damaged;
	dev_t device; /* the file's, and its inode there */
	ino_t inode;
	ZSTD_DCtx *zstd;
	uint8_t *block, *raw; /* a whole block as stored; a payload decompressed */
	size_t block_size, raw_size;
};

/*
 * Reads up to `bytes` bytes at `offset`, fewer only at the end of the file. The size of the file
 * when it was opened counts, even if a recorder still appends. Negative errno on failure.
 */
static ssize_t read_at(const struct input *in, uint8_t *to, size_t bytes, uint64_t offset)
{
	size_t done = 0;

	if (offset >= in->bytes)
		return 0;
	if (bytes > in->bytes - offset)
		bytes = in->bytes - offset;
	while (done < bytes) {
		ssize_t got = pread(in->fd, to + done, bytes - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

#define NOT_REGULAR "is not a regular file: copy the trace into one first"

static int check_file(struct input *in, const struct stat *file, const char **message)
{
	if (S_ISDIR(file->st_mode)) {
		*message = "is a directory, not a trace";
		return -EISDIR;
	}
	if (!S_ISREG(file->st_mode)) {
		*message = NOT_REGULAR;
		return -EINVAL;
	}
	in->bytes = (uint64_t)file->st_size;
	in->device = file->st_dev;
	in->inode = file->st_ino;
	return 0;
}

static int check_head(struct input *in, bool any_head, const char **message)
{
	uint8_t head[TRACE_HEAD_BYTES];
	ssize_t got = read_at(in, head, sizeof(head), 0);
	int err;

	if (got < 0)
		return (int)got;
	err = trace_head_get(head, (size_t)got, &in->version, message);
	if (!err || !any_head || !trace_head_is_repairable(head, (size_t)got))
		return err;
	in->head_damaged = true;
	in->version = TRACE_VERSION;
	return 0;
}

static int open_and_check(struct input *in, const char *path, bool any_head, const char **message)
{
	struct stat file;
	int err;

	/* Check before open(2): to open a FIFO would take the writer away from another reader. */
	if (stat(path, &file)) {
		err = -errno;
		if (strcmp(path, "-"))
			return err;
		*message = NOT_REGULAR;
		return -EINVAL;
	}
	err = check_file(in, &file, message);
	if (err)
		return err;
	in->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (in->fd < 0 || fstat(in->fd, &file))
		return -errno;
	err = check_file(in, &file, message);
	return err ? err : check_head(in, any_head, message);
}

static int open_input(const char *path, bool any_head, struct input **input, const char **message)
{
	struct input *in = calloc(1, sizeof(*in));
	int err = -ENOMEM;

	if (!in)
		return -ENOMEM;
	in->fd = -1;
	in->reason = "";
	in->zstd = ZSTD_createDCtx();
	if (in->zstd)
		err = open_and_check(in, path, any_head, message);
	if (err) {
		input__free(in);
		return err;
	}
	input__rewind(in);
	*input = in;
	return 0;
}

int input__open(const char *path, struct input **input, const char **message)
{
	return open_input(path, false, input, message);
}

int input__open_damaged(const char *path, struct input **input, const char **message)
{
	return open_input(path, true, input, message);
}

void input__free(struct input *in)
{
	if (!in)
		return;
	if (in->fd >= 0)
		close(in->fd);
	ZSTD_freeDCtx(in->zstd);
	free(in->block);
	free(in->raw);
	free(in);
}

void input__limit(struct input *in, uint64_t bytes)
{
	if (bytes < in->bytes)
		in->bytes = bytes;
}

/* The callers check `bytes` against the limits of the format. */
static int reserve(uint8_t **buffer, size_t *size, size_t bytes)
{
	uint8_t *larger;

	if (bytes <= *size && *buffer)
		return 0;
	larger = realloc(*buffer, bytes ? bytes : 1);
	if (!larger)
		return -ENOMEM;
	*buffer = larger;
	*size = bytes;
	return 0;
}

static enum input_state failed(struct input *in, int err)
{
	in->err = err;
	return INPUT_FAILED;
}

static enum input_state damaged(struct input *in, const char *reason)
{
	in->reason = reason;
	return INPUT_DAMAGED;
}

static enum input_state read_head(struct input *in, struct block_head *head)
{
	size_t known = TRACE_BLOCK_MAGIC_BYTES;
	ssize_t got;

	if (reserve(&in->block, &in->block_size, TRACE_BLOCK_HEAD_BYTES))
		return failed(in, -ENOMEM);
	got = read_at(in, in->block, TRACE_BLOCK_HEAD_BYTES, in->offset);
	if (got < 0)
		return failed(in, (int)got);
	if (!got)
		return INPUT_NO_MORE;
	known = (size_t)got < known ? (size_t)got : known;
	if (got < TRACE_BLOCK_HEAD_BYTES)
		return memcmp(in->block, TRACE_BLOCK_MAGIC, known)
			       ? damaged(in, "no block starts here")
			       : INPUT_CUT;
	return block_head_get(in->block, head, &in->reason) ? INPUT_DAMAGED : INPUT_BLOCK;
}

enum input_state input__peek(struct input *in, struct block_head *head)
{
	enum input_state state = read_head(in, head);

	if (state == INPUT_BLOCK &&
	    head->stored_bytes > in->bytes - in->offset - TRACE_BLOCK_HEAD_BYTES)
		return INPUT_CUT;
	return state;
}

enum input_state input__read(struct input *in, struct block_head *head)
{
	enum input_state state = read_head(in, head);
	ssize_t got;

	if (state != INPUT_BLOCK)
		return state;
	if (reserve(&in->block, &in->block_size,
		    TRACE_BLOCK_HEAD_BYTES + (size_t)head->stored_bytes))
		return failed(in, -ENOMEM);
	got = read_at(in, in->block + TRACE_BLOCK_HEAD_BYTES, head->stored_bytes,
		      in->offset + TRACE_BLOCK_HEAD_BYTES);
	if (got < 0)
		return failed(in, (int)got);
	if ((size_t)got < head->stored_bytes)
		return INPUT_CUT;
	if (block_crc(in->block + TRACE_BLOCK_HEAD_BYTES, head->stored_bytes) != head->payload_crc)
		return damaged(in, "the checksum of a block is wrong");
	return INPUT_BLOCK;
}

const uint8_t *input__block(const struct input *in)
{
	return in->block;
}

const uint8_t *input__payload(struct input *in, const struct block_head *head)
{
	const uint8_t *stored = in->block + TRACE_BLOCK_HEAD_BYTES;
	size_t got;

	if (head->compression == COMPRESSION_NONE)
		return stored;
	if (reserve(&in->raw, &in->raw_size, head->raw_bytes)) {
		in->err = -ENOMEM;
		return NULL;
	}
	got = ZSTD_decompressDCtx(in->zstd, in->raw, head->raw_bytes, stored, head->stored_bytes);
	if (ZSTD_isError(got) || got != head->raw_bytes) {
		in->reason = "a block cannot be decompressed";
		return NULL;
	}
	return in->raw;
}

void input__skip(struct input *in, const struct block_head *head)
{
	uint64_t bytes = TRACE_BLOCK_HEAD_BYTES + (uint64_t)head->stored_bytes;

	in->offset += bytes;
	progress_add(bytes);
}

void input__rewind(struct input *in)
{
	input__seek(in, TRACE_HEAD_BYTES);
}

void input__seek(struct input *in, uint64_t offset)
{
	in->offset = offset;
	in->err = 0;
}

int input__find(struct input *in)
{
	uint8_t *window = malloc(FIND_WINDOW_BYTES), *found = NULL;
	uint64_t at = in->offset;
	ssize_t got = 0;

	if (!window)
		return -ENOMEM;
	while (!found && ++at < in->bytes) {
		got = read_at(in, window, FIND_WINDOW_BYTES, at);
		if (got < TRACE_BLOCK_MAGIC_BYTES)
			break;
		found = memmem(window, (size_t)got, TRACE_BLOCK_MAGIC, TRACE_BLOCK_MAGIC_BYTES);
		/* The next window begins with bytes that may be the start of the magic. */
		at += found ? (uint64_t)(found - window) : (uint64_t)got - TRACE_BLOCK_MAGIC_BYTES;
	}
	free(window);
	if (got < 0)
		return (int)got;
	input__seek(in, found ? at : in->bytes);
	return found ? 1 : 0;
}

bool input__is(const struct input *in, const char *path)
{
	struct stat file;

	return !stat(path, &file) && file.st_dev == in->device && file.st_ino == in->inode;
}

int input__head(const struct input *in, uint8_t head[TRACE_HEAD_BYTES])
{
	ssize_t got = read_at(in, head, TRACE_HEAD_BYTES, 0);

	if (got < 0)
		return (int)got;
	return got == TRACE_HEAD_BYTES ? 0 : -EIO;
}

bool input__head_damaged(const struct input *in)
{
	return in->head_damaged;
}

uint64_t input__offset(const struct input *in)
{
	return in->offset;
}

uint64_t input__bytes(const struct input *in)
{
	return in->bytes;
}

uint32_t input__version(const struct input *in)
{
	return in->version;
}

const char *input__reason(const struct input *in)
{
	return in->reason;
}

int input__error(const struct input *in)
{
	return in->err;
}
