// SPDX-License-Identifier: MIT
#include "explain/waits/kept_ios.h"

#include <stdlib.h>

#define IOS_KEPT (1u << 19) /* a power of two */
#define DISORDER 8192u	    /* so many rows are read at once: none is moved further */

struct kept_ios {
	struct kept_io *ios; /* a ring */
	uint64_t count;
};

struct kept_ios *kept_ios__new(void)
{
	return calloc(1, sizeof(struct kept_ios));
}

void kept_ios__free(struct kept_ios *k)
{
	if (!k)
		return;
	free(k->ios);
	free(k);
}

static struct kept_io *at(const struct kept_ios *k, uint64_t place)
{
	return &k->ios[place & (IOS_KEPT - 1)];
}

const struct kept_io *kept_ios__at(const struct kept_ios *k, uint64_t place)
{
	return at(k, place);
}

bool kept_ios__add(struct kept_ios *k, const struct io_row *row)
{
	struct kept_io io = {
		.created_ns = row->created_ns,
		.issued_ns = row->issued_ns ? row->issued_ns : row->created_ns,
		.completed_ns = row->completed_ns,
		.bytes = row->bytes,
		.id = row->id,
		.parent_id = row->parent_id,
		.task = row->task,
		.file = row->file,
		.device = row->device,
		.cgroup = row->cgroup,
		.inserted = row->inserted_ns != 0,
		.is_data_of_file =
			row->origin == IO_ORIGIN_FILE || row->origin == IO_ORIGIN_BLOCKDEV,
		.is_file_page = row->origin == IO_ORIGIN_FILE,
		.is_page = row->origin == IO_ORIGIN_FILE || row->origin == IO_ORIGIN_BLOCKDEV ||
			   row->origin == IO_ORIGIN_SWAP || row->flags & IO_SWAP,
		.is_direct = row->origin == IO_ORIGIN_DIRECT,
		.is_alone = row->depth == 1,
		.op = row->op,
	};
	uint64_t i;

	if (!row->completed_ns || !row->created_ns || row->flags & IO_FLUSH_MACHINERY)
		return false;
	if (!k->ios)
		k->ios = malloc(IOS_KEPT * sizeof(*k->ios));
	if (!k->ios)
		return false;
	i = k->count++;
	while (i && k->count - i < DISORDER && at(k, i - 1)->completed_ns > io.completed_ns) {
		*at(k, i) = *at(k, i - 1);
		i--;
	}
	*at(k, i) = io;
	return true;
}

uint64_t kept_ios__first(const struct kept_ios *k)
{
	return k->count > IOS_KEPT ? k->count - IOS_KEPT : 0;
}

uint64_t kept_ios__end(const struct kept_ios *k)
{
	return k->count;
}

void kept_ios__set_file(struct kept_ios *k, uint64_t place, uint32_t file)
{
	if (!at(k, place)->file)
		at(k, place)->file = file;
}

bool kept_ios__claim(struct kept_ios *k, uint64_t place)
{
	bool is_first = !at(k, place)->is_claimed;

	at(k, place)->is_claimed = true;
	return is_first;
}

uint64_t kept_ios__end_at(const struct kept_ios *k, uint64_t until_ns)
{
	uint64_t low = kept_ios__first(k), high = k->count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (at(k, middle)->completed_ns <= until_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
