// SPDX-License-Identifier: MIT
#include "replay/target/dm_table.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define CONTROL_PATH  "/dev/mapper/control"
#define BUFFER_BYTES  (16u << 10)
#define BUFFER_MAX    (16u << 20)
#define STRIPES_MAX   1024
#define DELAYS_MAX    3	 /* a device for reads, for writes and for flushes */
#define LINE_HEAD_MAX 80 /* two numbers and the type */

/* Reading ------------------------------------------------------------------------------------ */

static int ask(int control, dev_t device, struct dm_ioctl *query, uint32_t bytes)
{
	*query = (struct dm_ioctl){
		.version = {DM_VERSION_MAJOR, 0, 0},
		.data_size = bytes,
		.data_start = sizeof(*query),
		.flags = DM_STATUS_TABLE_FLAG | DM_NOFLUSH_FLAG | DM_SECURE_DATA_FLAG,
		.dev = device,
	};
	if (ioctl(control, DM_TABLE_STATUS, query))
		return -errno;
	return query->flags & DM_BUFFER_FULL_FLAG ? -ENOSPC : 0;
}

/* The answer is made by the kernel, and yet nothing beyond its end is read. */
static int print_segments(const struct dm_ioctl *answer, uint32_t bytes, char *text, size_t size)
{
	const char *data = (const char *)answer + answer->data_start;
	size_t data_bytes = bytes - answer->data_start, at = 0, used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < answer->target_count; i++) {
		struct dm_target_spec spec;
		const char *parameters = data + at + sizeof(spec);

		if (at > data_bytes || data_bytes - at <= sizeof(spec))
			return -EPROTO;
		memcpy(&spec, data + at, sizeof(spec));
		if (strnlen(parameters, data_bytes - at - sizeof(spec)) ==
		    data_bytes - at - sizeof(spec))
			return -EPROTO;
		used += (size_t)snprintf(
			text + used, size - used, "%" PRIu64 " %" PRIu64 " %.*s %s\n",
			(uint64_t)spec.sector_start, (uint64_t)spec.length,
			(int)sizeof(spec.target_type), spec.target_type, parameters);
		if (used >= size)
			return -EPROTO;
		at = spec.next;
	}
	return 0;
}

static void wipe(void *memory, size_t bytes)
{
	explicit_bzero(memory, bytes);
	free(memory);
}

static int read_table(int control, dev_t device, uint32_t bytes, char **text)
{
	struct dm_ioctl *answer = calloc(1, bytes);
	int err = answer ? ask(control, device, answer, bytes) : -ENOMEM;

	if (!err && (answer->data_start > bytes || answer->data_start < sizeof(*answer)))
		err = -EPROTO;
	if (!err) {
		size_t size = bytes + (size_t)answer->target_count * LINE_HEAD_MAX + 1;

		*text = malloc(size);
		err = *text ? print_segments(answer, bytes, *text, size) : -ENOMEM;
		if (err && *text)
			wipe(*text, size);
	}
	if (answer)
		wipe(answer, bytes);
	return err;
}

int dm_table__read(dev_t device, char **text)
{
	int control = open(CONTROL_PATH, O_RDWR | O_CLOEXEC), err = -ENOSPC;

	if (control < 0)
		return -errno;
	for (uint32_t bytes = BUFFER_BYTES; err == -ENOSPC && bytes <= BUFFER_MAX; bytes *= 4)
		err = read_table(control, device, bytes, text);
	close(control);
	return err;
}

void dm_table__free(char *text)
{
	if (text)
		wipe(text, strlen(text));
}

/* Types -------------------------------------------------------------------------------------- */

/* A part of one segment: sectors `from` up to `to`, counted from the start of the segment. */
struct piece {
	uint64_t from, to;
	bool (*add)(void *context, const struct dm_extent *extent);
	void *context;
};

static bool read_number(char **at, uint64_t *number)
{
	char *end;

	*at += strspn(*at, " ");
	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	*number = strtoull(*at, &end, 10);
	if (errno || (*end && *end != ' '))
		return false;
	*at = end;
	return true;
}

static bool read_device(char **at, dev_t *device)
{
	unsigned int device_major, device_minor;
	int length = 0;

	*at += strspn(*at, " ");
	if (sscanf(*at, "%u:%u%n", &device_major, &device_minor, &length) != 2)
		return false;
	*at += length;
	*device = makedev(device_major, device_minor);
	return !**at || **at == ' ';
}

static bool skip_words(char **at, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		size_t length;

		*at += strspn(*at, " ");
		length = strcspn(*at, " ");
		if (!length)
			return false;
		*at += length;
	}
	return true;
}

static bool add_shifted(const struct piece *p, dev_t device, uint64_t offset)
{
	struct dm_extent extent = {.device = device,
				   .start = offset + p->from,
				   .end = offset + p->to,
				   .thin = DM_NO_THIN};

	if (extent.end < extent.start || extent.end < offset)
		return false;
	return p->add(p->context, &extent);
}

static bool add_whole(const struct piece *p, dev_t device, bool reads_only)
{
	struct dm_extent extent = {
		.device = device, .end = UINT64_MAX, .thin = DM_NO_THIN, .reads_only = reads_only};

	return p->add(p->context, &extent);
}

static bool map_linear(const struct piece *p, char *at)
{
	uint64_t offset;
	dev_t device;

	return read_device(&at, &device) && read_number(&at, &offset) &&
	       add_shifted(p, device, offset);
}

/* "STRIPES CHUNK DEVICE OFFSET ...": whole rows of chunks, on each of its devices. */
static bool map_striped(const struct piece *p, char *at)
{
	uint64_t stripes, chunk, row, from, to;

	if (!read_number(&at, &stripes) || !read_number(&at, &chunk) || !stripes || !chunk ||
	    stripes > STRIPES_MAX || chunk > UINT32_MAX)
		return false;
	row = stripes * chunk;
	from = p->from / row * chunk;
	to = (p->to / row + (p->to % row != 0)) * chunk;
	for (uint64_t i = 0; i < stripes; i++) {
		struct piece leg = {.from = from, .to = to, .add = p->add, .context = p->context};
		uint64_t offset;
		dev_t device;

		if (!read_device(&at, &device) || !read_number(&at, &offset) ||
		    !add_shifted(&leg, device, offset))
			return false;
	}
	return true;
}

/* "CIPHER KEY IV_OFFSET DEVICE OFFSET ...". */
static bool map_crypt(const struct piece *p, char *at)
{
	return skip_words(&at, 3) && map_linear(p, at);
}

/* "DEVICE OFFSET DELAY", once for all, or for reads, writes and flushes. */
static bool map_delay(const struct piece *p, char *at)
{
	for (unsigned int i = 0; i < DELAYS_MAX; i++) {
		uint64_t offset, delay;
		dev_t device;

		if (!read_device(&at, &device) || !read_number(&at, &offset) ||
		    !read_number(&at, &delay) || !add_shifted(p, device, offset))
			return false;
		if (!at[strspn(at, " ")])
			return true;
	}
	return false;
}

/* "POOL ID [ORIGIN]". */
static bool map_thin(const struct piece *p, char *at)
{
	struct dm_extent extent = {.start = p->from, .end = p->to};
	uint64_t id;
	dev_t origin;

	if (!read_device(&at, &extent.device) || !read_number(&at, &id) || id > UINT32_MAX)
		return false;
	extent.thin = (int64_t)id;
	if (!p->add(p->context, &extent))
		return false;
	return !at[strspn(at, " ")] || (read_device(&at, &origin) && add_whole(p, origin, true));
}

/* "ORIGIN STORE ...": writes go to the store. */
static bool map_snapshot(const struct piece *p, char *at)
{
	dev_t origin, store;

	return read_device(&at, &origin) && read_device(&at, &store) &&
	       add_whole(p, origin, true) && add_whole(p, store, false);
}

static bool map_origin(const struct piece *p, char *at)
{
	dev_t device;

	return read_device(&at, &device) && add_shifted(p, device, 0);
}

static bool map_nothing(const struct piece *p, char *at)
{
	(void)p;
	(void)at;
	return true;
}

static const struct {
	const char *name;
	bool (*map)(const struct piece *piece, char *parameters);
} types[] = {
	{"linear", map_linear},	    {"striped", map_striped},	     {"crypt", map_crypt},
	{"delay", map_delay},	    {"flakey", map_linear},	     {"thin", map_thin},
	{"snapshot", map_snapshot}, {"snapshot-origin", map_origin}, {"zero", map_nothing},
	{"error", map_nothing},
};

/* Tables ------------------------------------------------------------------------------------- */

static bool map_piece(const struct piece *p, const char *type, char *parameters)
{
	for (unsigned int i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(types[i].name, type))
			return types[i].map(p, parameters);
	return false;
}

static bool map_line(char *line, uint64_t start, uint64_t end, struct piece *p)
{
	uint64_t segment_start, segment_length;
	char type[DM_MAX_TYPE_NAME + 1];
	int length = 0;

	if (!read_number(&line, &segment_start) || !read_number(&line, &segment_length) ||
	    segment_length > UINT64_MAX - segment_start ||
	    sscanf(line, " %16s%n", type, &length) != 1)
		return false;
	if (end <= segment_start || start >= segment_start + segment_length)
		return true;
	p->from = start > segment_start ? start - segment_start : 0;
	p->to = end < segment_start + segment_length ? end - segment_start : segment_length;
	return map_piece(p, type, line + length);
}

bool dm_table__map(const char *text, uint64_t start, uint64_t end,
		   bool (*add)(void *context, const struct dm_extent *extent), void *context)
{
	size_t copy_bytes = strlen(text) + 1;
	char *copy = strdup(text), *line = copy;
	bool known = copy != NULL;

	while (known && *line) {
		char *next = line + strcspn(line, "\n");
		struct piece piece = {.add = add, .context = context};

		if (*next)
			*next++ = '\0';
		known = map_line(line, start, end, &piece);
		line = next;
	}
	if (copy)
		wipe(copy, copy_bytes);
	return known;
}
