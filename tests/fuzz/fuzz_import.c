// SPDX-License-Identifier: MIT
/*
 * Any bytes as a foreign trace: of the format that the binary's name ends with (fuzz_import-msr), of
 * every format without one. Reading must neither crash nor loop. What a format then writes of
 * the rows, it must read again: row for row where its records are rows. --list prints the formats.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/import.h"
#include "exchange/row_source.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NAME_START "fuzz_import-"
/* A first line that begins so is the list for --columns. */
#define COLUMNS_START "#columns "
#define COLUMNS_MAX   256
#define ROWS_MAX      100000

static const struct foreign_format *only; /* NULL: all */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = strrchr((*argv)[0], '/');

	if (*argc == 2 && !strcmp((*argv)[1], "--list")) {
		for (unsigned int i = 0; foreign_formats[i]; i++)
			puts(foreign_formats[i]->name);
		exit(EXIT_SUCCESS);
	}
	name = name ? name + 1 : (*argv)[0];
	if (strncmp(name, NAME_START, strlen(NAME_START)))
		return 0;
	only = foreign_format_by_name(name + strlen(NAME_START));
	if (!only) {
		fprintf(stderr, "%s: no such format\n", name);
		exit(EXIT_FAILURE);
	}
	return 0;
}

/* What a run of rows came to. */
struct outcome {
	uint64_t rows;
	uint64_t printed;
	uint64_t bad;
};

static void check_row(const struct io_row *row)
{
	if (row->op >= IO_OP_COUNT || row->origin >= IO_ORIGIN_COUNT)
		abort();
}

/* Reads rows of the format out of memory and, where `output` is given, prints them to it. */
static struct outcome read_rows(const struct foreign_format *format,
				const struct foreign_options *options, const uint8_t *data,
				size_t size, struct foreign_output *output)
{
	struct byte_source **files = calloc(1, sizeof(*files));
	struct foreign_names *names = foreign_names__new();
	struct foreign_report report = {0};
	struct outcome outcome = {0};
	struct row_source *source;
	const char *message;
	struct io_row row;

	if (!files || !names || byte_source__from_memory(data, size, files))
		abort();
	if (!row_source__new(format, files, 1, options, names, &report, &source, &message)) {
		while (outcome.rows < ROWS_MAX && row_source__next(source, &row) == 1) {
			check_row(&row);
			outcome.rows++;
			outcome.printed += output && format->print(output, &row);
		}
	}
	outcome.bad = report.bad_records;
	row_source__free(source);
	foreign_names__free(names);
	return outcome;
}

static void run_format(const struct foreign_format *format, const struct foreign_options *options,
		       const uint8_t *data, size_t size)
{
	struct foreign_output *output;
	struct outcome outcome, again;
	char *written = NULL;
	size_t written_bytes = 0;
	FILE *file;

	if (!format->print) {
		read_rows(format, options, data, size, NULL);
		return;
	}
	file = open_memstream(&written, &written_bytes);
	output = foreign_output__new(file);
	if (!file || !output)
		abort();
	foreign_output__set_trace(output, NULL, FOREIGN_ORIGIN_NS, 0);
	if (format->print_head)
		format->print_head(output);
	outcome = read_rows(format, options, data, size, output);
	if (format->print_end)
		format->print_end(output);
	if (foreign_output__flush(output) || fclose(file))
		abort();
	again = read_rows(format, options, (const uint8_t *)written, written_bytes, NULL);
	/* Events of IOs that end before they begin, or lie upon each other, may be joined otherwise. */
	if (again.bad || (again.rows != outcome.printed && !format->holds_events)) {
		fprintf(stderr, "%s: %llu rows printed, %llu read again, %llu bad\n", format->name,
			(unsigned long long)outcome.printed, (unsigned long long)again.rows,
			(unsigned long long)again.bad);
		abort();
	}
	foreign_output__free(output);
	free(written);
}

/* Options that reach as much of the csv reader as the bytes ask for. */
static struct foreign_options choose_options(const uint8_t *data, size_t size,
					     char columns[COLUMNS_MAX])
{
	static const char *const usual[] = {
		"time:us,op,offset,size,device,latency:ms,pid,comm,-",
		"device,op:read0,offset:4096,size:sectors,time:filetime",
		"-,time,op:scsi,bytes,sector"};
	struct foreign_options options = {.columns = usual[size % 3]};
	size_t start = strlen(COLUMNS_START);
	const uint8_t *feed = size ? memchr(data, '\n', size) : NULL;

	options.delimiter = size % 5 == 0 ? ' ' : ',';
	if (!feed || size < start || memcmp(data, COLUMNS_START, start) ||
	    (size_t)(feed - data) - start >= COLUMNS_MAX)
		return options;
	memcpy(columns, data + start, (size_t)(feed - data) - start);
	columns[(size_t)(feed - data) - start] = '\0';
	options.columns = columns;
	options.skip_lines = 1;
	return options;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char columns[COLUMNS_MAX];
	struct foreign_options options = choose_options(data, size, columns);

	foreign_format_by_content((const char *)data, size);
	for (unsigned int i = 0; foreign_formats[i]; i++)
		if (!only || foreign_formats[i] == only)
			run_format(foreign_formats[i], &options, data, size);
	return 0;
}
