/* SPDX-License-Identifier: MIT */
/*
 * Where the files of a profile of files lie in its address space: one after the other, each on
 * whole pages, by rising size. So an address says which file and where in it.
 */
#ifndef BLKREEL_PROFILE_FILE_LAYOUT_H
#define BLKREEL_PROFILE_FILE_LAYOUT_H

#include "profile/profile.h"

#define FILE_LAYOUT_FILES_MAX (1u << 22) /* as a trace can name */

#define FILE_GROUPS 3

struct file_layout {
	uint32_t count;	      /* of classes */
	uint64_t total_bytes; /* of all files */
	uint64_t total_files;
	uint64_t bytes[PROFILE_FILE_CLASSES_MAX]; /* of one file of the class */
	uint64_t first_file[PROFILE_FILE_CLASSES_MAX];
	uint64_t address[PROFILE_FILE_CLASSES_MAX]; /* of the first file of the class, in bytes */
};

struct file_place {
	uint32_t file;	  /* from 1 */
	uint64_t address; /* where it begins, in bytes */
	uint64_t bytes;	  /* its size, a multiple of 4096 */
};

/*
 * 0, or -ERANGE: no files, more than FILE_LAYOUT_FILES_MAX, or more bytes than a profile can say.
 */
int file_layout_init(struct file_layout *layout, const struct profile_files *files);

/* The file that holds the byte at `address`; beyond the last one the last one. */
struct file_place file_layout_find(const struct file_layout *layout, uint64_t address);

/*
 * One of the smallest files that hold so many bytes, or one of the largest there are; always the
 * same file for an address.
 */
struct file_place file_layout_larger(const struct file_layout *layout, uint64_t address,
				     uint64_t bytes);

/*
 * Group of a file by size: 0 to FILE_GROUPS - 1, the larger the files; pages are looked up within a
 * group.
 */
unsigned int file_layout_group(uint64_t file_bytes);

bool file_layout_is_begin(const struct file_layout *layout, uint64_t sector); /* of a file */

/* True when so many bytes from the sector on lie in one file. */
bool file_layout_holds(const struct file_layout *layout, uint64_t sector, uint64_t bytes);

/* True when what begins at the sector ends in the last page of its file. */
bool file_layout_ends(const struct file_layout *layout, uint64_t sector, uint64_t bytes);

/*
 * The nearest place in one file for so many bytes at the sector; with `begin` where that file
 * begins.
 */
uint64_t file_layout_fit(const struct file_layout *layout, uint64_t sector, uint64_t bytes,
			 bool begin);

/* Where file `file`, from 1, begins. */
uint64_t file_layout_address(const struct file_layout *layout, uint32_t file);

#endif
