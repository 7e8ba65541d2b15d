// SPDX-License-Identifier: MIT
/* main() for a fuzz target without a fuzzing engine: runs every file, and those in directories. */
#include <errno.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

static unsigned int inputs_run;

static int run_file(const char *path, const struct stat *st, int type, struct FTW *where)
{
	uint8_t *data;
	FILE *file;
	size_t size;

	if (type != FTW_F)
		return 0;
	file = fopen(path, "rb");
	/* One byte more than needed, so that an empty file has a buffer too. */
	data = malloc((size_t)st->st_size + 1);
	if (!file || !data) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(EXIT_FAILURE);
	}
	size = fread(data, 1, (size_t)st->st_size, file);
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	inputs_run++;
	return 0;
}

int main(int argc, char **argv)
{
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++) {
		if (nftw(argv[i], run_file, 16, FTW_PHYS)) {
			fprintf(stderr, "%s: %s\n", argv[i], strerror(errno));
			return EXIT_FAILURE;
		}
	}
	printf("%s %u inputs were read without a crash\n", inputs_run ? "ok" : "not ok",
	       inputs_run);
	return inputs_run ? EXIT_SUCCESS : EXIT_FAILURE;
}
