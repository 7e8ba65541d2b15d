// SPDX-License-Identifier: MIT
#include "profile/file_layout.h"

#include <errno.h>

#include "base/units.h"

#define GROUP_1_BYTES (256u << 10)
#define GROUP_2_BYTES (16u << 20)

int file_layout_init(struct file_layout *layout, const struct profile_files *files)
{
	*layout = (struct file_layout){.count = files->class_count};
	for (uint32_t i = 0; i < files->class_count; i++) {
		uint64_t bytes;

		layout->bytes[i] = files->classes[i].bytes;
		layout->first_file[i] = layout->total_files;
		layout->address[i] = layout->total_bytes;
		if (!files->classes[i].files || !files->classes[i].bytes ||
		    files->classes[i].files > FILE_LAYOUT_FILES_MAX ||
		    __builtin_mul_overflow(files->classes[i].files, files->classes[i].bytes,
					   &bytes) ||
		    bytes > PROFILE_BYTES_MAX - layout->total_bytes)
			return -ERANGE;
		layout->total_files += files->classes[i].files;
		layout->total_bytes += bytes;
		if (layout->total_files > FILE_LAYOUT_FILES_MAX)
			return -ERANGE;
	}
	return layout->count ? 0 : -ERANGE;
}

/* The last of `count` rising numbers that is not above. */
static uint32_t find(const uint64_t *numbers, uint32_t count, uint64_t number)
{
	uint32_t low = 0;

	while (count > 1) {
		uint32_t half = count / 2;

		if (numbers[low + half] <= number)
			low += half;
		count -= half;
	}
	return low;
}

static struct file_place place_of(const struct file_layout *layout, uint32_t class, uint64_t index)
{
	return (struct file_place){
		.file = (uint32_t)(layout->first_file[class] + index + 1),
		.address = layout->address[class] + index * layout->bytes[class],
		.bytes = layout->bytes[class],
	};
}

struct file_place file_layout_find(const struct file_layout *layout, uint64_t address)
{
	uint64_t last = layout->total_bytes - 1, at = address < last ? address : last;
	uint32_t class = find(layout->address, layout->count, at);

	return place_of(layout, class, (at - layout->address[class]) / layout->bytes[class]);
}

struct file_place file_layout_larger(const struct file_layout *layout, uint64_t address,
				     uint64_t bytes)
{
	uint32_t class = layout->count - 1;
	uint64_t files;

	while (class && layout->bytes[class - 1] >= bytes)
		class --;
	files = (class + 1 < layout->count ? layout->first_file[class + 1] : layout->total_files) -
		layout->first_file[class];
	return place_of(layout, class, address / PAGE_BYTES % files);
}

unsigned int file_layout_group(uint64_t file_bytes)
{
	return file_bytes > GROUP_2_BYTES ? 2 : file_bytes > GROUP_1_BYTES ? 1 : 0;
}

uint64_t file_layout_address(const struct file_layout *layout, uint32_t file)
{
	uint32_t class = find(layout->first_file, layout->count, file - 1ull);

	return layout->address[class] +
	       (file - 1ull - layout->first_file[class]) * layout->bytes[class];
}

bool file_layout_holds(const struct file_layout *layout, uint64_t sector, uint64_t bytes)
{
	uint64_t address = sector * SECTOR_BYTES;
	struct file_place place = file_layout_find(layout, address);

	return address < layout->total_bytes && bytes <= place.bytes &&
	       address - place.address <= place.bytes - bytes;
}

uint64_t file_layout_fit(const struct file_layout *layout, uint64_t sector, uint64_t bytes,
			 bool begin)
{
	struct file_place place = file_layout_find(layout, sector * SECTOR_BYTES);
	uint64_t sectors = (bytes + SECTOR_BYTES - 1) / SECTOR_BYTES, last;

	/* What is read from the begin and is no whole pages is mostly all of the file. */
	if (bytes > place.bytes || (begin && bytes % PAGE_BYTES))
		place = file_layout_larger(layout, sector * SECTOR_BYTES, bytes);
	if (begin || bytes > place.bytes)
		return place.address / SECTOR_BYTES;
	last = (place.address + place.bytes) / SECTOR_BYTES - sectors;
	return sector < last ? sector : last;
}

bool file_layout_is_begin(const struct file_layout *layout, uint64_t sector)
{
	return file_layout_find(layout, sector * SECTOR_BYTES).address == sector * SECTOR_BYTES;
}

bool file_layout_ends(const struct file_layout *layout, uint64_t sector, uint64_t bytes)
{
	struct file_place place = file_layout_find(layout, sector * SECTOR_BYTES);

	return sector * SECTOR_BYTES + bytes + PAGE_BYTES > place.address + place.bytes;
}
