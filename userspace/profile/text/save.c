// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profile/classes.h"
#include "profile/text/burst_digits.h"
#include "profile/digits.h"
#include "profile/arrival/split_rows.h"
#include "profile/text/edits.h"
#include "profile/text/keys.h"
#include "profile/profile.h"
#include "profile/text/save_closed.h"
#include "profile/text/save_list.h"

static void save_head(const struct profile *p, FILE *out)
{
	char time[UNITS_TEXT_MAX], size[UNITS_TEXT_MAX];

	fprintf(out,
		"# A workload for 'blkreel replay': counts and weights, no data, no names. All may be edited;\n"
		"# docs/profile-format.md explains the keys.\n"
		"[profile]\n");
	fprintf(out, "version = %d\n", PROFILE_VERSION);
	if (p->level == PROFILE_OF_FILES)
		fprintf(out, "# the IOs below are operations on files\nlevel = files\n");
	fprintf(out, "ios = %" PRIu64 "\n", p->ios);
	fprintf(out, "# %s\n", units_time(p->duration_ns, time));
	fprintf(out, "duration_ns = %" PRIu64 "\n", p->duration_ns);
	if (p->start_wall_ns)
		fprintf(out, "# Unix time of the first IO\nstart_wall_ns = %" PRIu64 "\n",
			p->start_wall_ns);
	if (p->arrival.even)
		fprintf(out, "arrival = even\n");
	fprintf(out, "device_bytes = %" PRIu64 "\n", p->device_bytes);
	fprintf(out, "# addresses lie in %s\n",
		units_bytes((p->end_sector - p->first_sector) * SECTOR_BYTES, size));
	fprintf(out, "first_sector = %" PRIu64 "\n", p->first_sector);
	fprintf(out, "end_sector = %" PRIu64 "\n", p->end_sector);
	fprintf(out, "block_offset_sectors = %u\n", p->block_offset_sectors);
	fprintf(out, "phases = %" PRIu32 "\n", p->phase_count);
	fprintf(out, "seed = %" PRIu64 "\n", p->seed);
	if (p->lost_ppm)
		fprintf(out,
			"# per million of the IOs of the trace: lost, so in no figure\n"
			"lost_ppm = %" PRIu64 "\n",
			p->lost_ppm);
}

static void save_files(const struct profile_files *f, FILE *out)
{
	static const char *const kinds[] = {"sequential", "random"};
	struct save_list list;

	fprintf(out,
		"\n[files]\n# bytes:files; laid out one after the other, they are the addresses below\n");
	list = save_list_begin(out, "sizes");
	for (uint32_t i = 0; i < f->class_count; i++) {
		save_list_size(&list, f->classes[i].bytes, f->classes[i].files);
	}
	save_list_end(&list);
	fprintf(out,
		"# of the operations that missed: per mille that read ahead, and mean pages of those\n");
	for (unsigned int i = 0; i < 2; i++)
		fprintf(out, "%s_readahead = %" PRIu32 " %" PRIu32 "\n", kinds[i],
			f->ahead_permille[i], f->ahead_pages[i]);
}

static void save_error(const struct profile_error *e, FILE *out)
{
	if (!e->seeds)
		return;
	fprintf(out,
		"\n[error]\n# The generated IOs against the trace, before any edit: median and worst of the seeds.\n");
	fprintf(out, "seeds = %" PRIu32 "\n", e->seeds);
	for (unsigned int i = 0; i < PROFILE_FIGURES; i++)
		if (!isnan(e->median[i]))
			fprintf(out, "%s = %.4f %.4f\n", error_names[i], e->median[i], e->worst[i]);
	for (unsigned int i = 0; i < PROFILE_LOCAL_FIGURES; i++)
		if (!isnan(e->local_median[i]))
			fprintf(out, "%s = %.4f %.4f\n", local_error_names[i], e->local_median[i],
				e->local_worst[i]);
	for (unsigned int i = 0; i < PROFILE_CLOSED_FIGURES; i++)
		if (!isnan(e->closed_median[i]))
			fprintf(out, "%s = %.4f %.4f\n", closed_error_names[i], e->closed_median[i],
				e->closed_worst[i]);
}

static void save_space(const struct profile *p, uint32_t index, FILE *out)
{
	const struct profile_space *space = &p->spaces[index];

	if (!save_any(space->distances, PROFILE_DISTANCES) && !space->end_sector)
		return;
	fprintf(out, index ? "\n[addresses %" PRIu32 "]\n" : "\n[addresses]\n", index + 1);
	if (space->end_sector) {
		fprintf(out, "first_sector = %" PRIu64 "\n", space->first_sector);
		fprintf(out, "end_sector = %" PRIu64 "\n", space->end_sector);
	}
	if (!save_any(space->distances, PROFILE_DISTANCES))
		return;
	fprintf(out, "# new blocks of 4 KiB, by phase\n");
	save_numbers(out, "new_blocks", space->new_blocks, p->phase_count);
	if (space->written_known)
		save_values(out, "new_written_permille", space->written_permille, p->phase_count);
	fprintf(out, "# LRU stack distances of blocks; 0: new\n");
	save_sparse(out, "distances", space->distances, PROFILE_DISTANCES, 0);
	fprintf(out, "reuse_check = %" PRIu32 "\n", edits_reuse_check(p, index));
}

static void save_splits_of(const struct profile_splits *h, const char *kind, unsigned int g,
			   FILE *out)
{
	char key[32];

	snprintf(key, sizeof(key), "split.%s%u", kind, g);
	save_rows(out, key, h->distributions[g][0], PROFILE_SPLIT_COLUMNS, split_row_names,
		  PROFILE_SPLIT_ROWS);
	snprintf(key, sizeof(key), "neighbour.%s%u", kind, g);
	save_dense(out, key, h->neighbour_permille[g], PROFILE_NEIGHBOUR_COLUMNS);
}

static const char *const kind_titles[3] = {"others: ", "reads: ", ""};

static void save_splits(const struct profile *p, FILE *out)
{
	const struct profile_arrival *a = &p->arrival;
	uint64_t window_ns = p->duration_ns / a->window_count;
	char time[UNITS_TEXT_MAX];

	fprintf(out,
		"# Splits from all in one half to even. neighbour: per mille to the busier side.\n");
	for (unsigned int k = 0; k < 3; k++) {
		if (k == KIND_ALL ? a->kinds_known : !a->kinds_known)
			continue;
		fprintf(out, "# %swindows of %s and halves, by IOs\n", kind_titles[k],
			units_time(window_ns, time));
		for (unsigned int g = 0; (k == KIND_ALL ? 2 : 1) * g < a->split_levels; g++) {
			save_splits_of(&a->splits[k], kind_names[k], g, out);
		}
	}
	if (a->kinds_known) {
		fprintf(out, "# Per mille: more reads in the half with more others.\n");
		save_values(out, "read_write_correlation", a->correlation_permille,
			    (a->split_levels + neighbour_levels(true) - 1) /
				    neighbour_levels(true));
	}
}

/* Without zeros at the end; how many were written. */
static size_t put_digits(char *text, const uint32_t *digits, uint32_t count)
{
	while (count && !digits[count - 1])
		count--;
	for (uint32_t i = 0; i < count; i++)
		text[i] = digit_of(digits[i]);
	return count;
}

/* "12.831:Zkq7", with those of reads after a point, and those of large IOs after one more. */
static void burst_text(char *text, size_t bytes, const struct profile_arrival *a,
		       const struct profile_pinned_burst *burst)
{
	struct burst_digits digits;
	size_t used, reads, above;

	burst_to_digits(a, burst, &digits);
	used = (size_t)snprintf(text, bytes, "%u.%u:", burst->window, burst->bin);
	used += put_digits(text + used, digits.ios, a->split_levels);
	reads = put_digits(text + used + 1, digits.reads, a->split_levels);
	if (reads || burst->sized) {
		text[used] = '.';
		used += 1 + reads;
	}
	if (burst->sized) {
		above = put_digits(text + used + 1, digits.size_classes, PROFILE_SIZE_CLASSES);
		text[used] = '.';
		text[used + 1] = above ? text[used + 1] : '0';
		used += above ? 1 + above : 2;
	}
	text[used] = 0;
}

static void save_bursts(const struct profile_arrival *a, FILE *out)
{
	char text[2 * PROFILE_SPLIT_LEVELS_MAX + 32];
	struct save_list list;

	if (!a->split_levels)
		return;
	if (a->peak_cap[0]) {
		fprintf(out, "# Most IOs in one interval after each split.\n");
		save_numbers(out, "peak_cap", a->peak_cap, a->split_levels);
	}
	if (!a->pinned_burst_count)
		return;
	fprintf(out, "# Busiest moments: window.bin, share of each half around it%s%s.\n",
		a->kinds_known ? ", of its reads" : "",
		a->pinned_bursts[0].sized ? ", above the sizes" : "");
	list = save_list_begin(out, "pinned_bursts");
	for (uint32_t i = 0; i < a->pinned_burst_count; i++) {
		burst_text(text, sizeof(text), a, &a->pinned_bursts[i]);
		save_list_item(&list, text);
	}
	save_list_end(&list);
}

static void save_shares(const char *name,
			const uint32_t shares[PROFILE_SHARE_ROWS][PROFILE_SHARE_COLUMNS], FILE *out)
{
	char key[32];

	for (unsigned int i = 0; i < PROFILE_SHARE_IOS; i++) {
		snprintf(key, sizeof(key), "%s.%u", name, share_row_names[i]);
		save_rows(out, key, shares[i * PROFILE_SHARE_SHARES], PROFILE_SHARE_COLUMNS, NULL,
			  PROFILE_SHARE_SHARES);
	}
}

static void save_reads(const struct profile_arrival *a, FILE *out)
{
	if (!a->reads_known)
		return;
	fprintf(out, "# Reads in each window.\n");
	save_numbers(out, "reads", a->reads, a->window_count);
	save_shares("reads", a->read_shares, out);
}

static void save_size_classes(const struct profile *p, FILE *out)
{
	const uint32_t(*tables)[PROFILE_SHARE_ROWS][PROFILE_SHARE_COLUMNS] =
		p->arrival.class_shares;
	const struct profile_size_class *classes = p->arrival.size_classes;
	uint64_t numbers[1 + PROFILE_PHASES_MAX];
	bool first = true;
	char key[32];

	for (unsigned int m = 0; m < PROFILE_SIZE_CLASSES; m++) {
		if (!classes[m].above_bytes)
			continue;
		if (first)
			fprintf(out,
				"# Reads (1, 2) and others (3, 4) above a size: bytes, then IOs by phase.\n"
				"# class_cap: largest share of a bin of 8, 16 ... 128 IOs, per mille.\n");
		first = false;
		numbers[0] = classes[m].above_bytes;
		memcpy(numbers + 1, classes[m].phases, p->phase_count * sizeof(numbers[0]));
		snprintf(key, sizeof(key), "size_class.%u", m + 1);
		save_numbers(out, key, numbers, p->phase_count + 1);
		snprintf(key, sizeof(key), "class_cap.%u", m + 1);
		if (classes[m].cap_known)
			save_values(out, key, classes[m].cap_permille, PROFILE_CAP_ROWS);
	}
	if (!first)
		fprintf(out, "sizes_check = %" PRIu32 "\n", edits_sizes_check(p));
	if (!first)
		fprintf(out, "# Splits of IOs above one size and above both.\n");
	for (unsigned int t = 0; t < PROFILE_SIZE_CLASSES / 2; t++)
		save_shares(class_split_names[t], tables[t], out);
}

static void save_gap_after(const struct profile_arrival *a, FILE *out)
{
	bool first = true;
	char key[32];

	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++) {
		if (!save_any(a->gap_after[o], PROFILE_GAP_OCTAVES))
			continue;
		if (first)
			fprintf(out, "# By the octave of the previous gap, or above it.\n");
		first = false;
		snprintf(key, sizeof(key), "gap_after.%u", o);
		save_sparse(out, key, a->gap_after[o], PROFILE_GAP_OCTAVES, 0);
	}
}

static void save_arrival(const struct profile *p, FILE *out)
{
	const struct profile_arrival *a = &p->arrival;
	char key[32], time[UNITS_TEXT_MAX];

	fprintf(out, "\n[arrival]\n");
	fprintf(out, "# IOs in each of %" PRIu32 " window%s of %s\n", a->window_count,
		a->window_count == 1 ? "" : "s",
		units_time(p->duration_ns / a->window_count, time));
	save_numbers(out, "windows", a->windows, a->window_count);
	save_reads(a, out);
	save_size_classes(p, out);
	fprintf(out, "split_levels = %" PRIu32 "\n", a->split_levels);
	save_bursts(a, out);
	save_splits(p, out);
	fprintf(out, "# Gaps in a bin by its IOs, by octave: 0 is 0 ns, o is 2^(o-1) ns up.\n");
	for (unsigned int c = 0; c < PROFILE_GAP_CLASSES; c++) {
		snprintf(key, sizeof(key), "gap.%u", gap_row_names[c]);
		save_sparse(out, key, a->gaps[c], PROFILE_GAP_OCTAVES, 0);
	}
	save_gap_after(a, out);
	fprintf(out, "# Gaps before a bin by its IOs.\n");
	for (unsigned int c = 0; c < PROFILE_GAP_CLASSES; c++) {
		snprintf(key, sizeof(key), "entry_gap.%u", entry_gap_row_names[c]);
		save_sparse(out, key, a->entry_gaps[c], PROFILE_GAP_OCTAVES, 0);
	}
	fprintf(out, "# Per mille of a bin from its first IO to its last, as gap.N.\n");
	save_dense(out, "bin_span_permille", a->bin_span_permille, PROFILE_GAP_CLASSES);
	save_sparse(out, "gap_histogram", a->gap_histogram, PROFILE_GAP_OCTAVES, 0);
	fprintf(out, "# Places in an octave, in 1024ths: equal shares between two values.\n");
	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++) {
		snprintf(key, sizeof(key), "gap_within.%u", o);
		save_values(out, key, a->gap_within[o], a->gap_within_count[o]);
	}
}

static void save_sizes(const struct profile_stream *s, FILE *out)
{
	struct save_list list = save_list_begin(out, "sizes");

	for (uint32_t i = 0; i < s->size_count; i++)
		save_list_size(&list, s->sizes[i].bytes, s->sizes[i].ios);
	save_list_end(&list);
}

/* Not of a stream that shares by `ios`: its phases would contradict that. */
static void save_phases(const struct profile *p, const struct profile_stream *s, FILE *out)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < p->phase_count; i++)
		sum += s->phases[i];
	if (sum == s->ios)
		save_numbers(out, "phases", s->phases, p->phase_count);
}

static void save_place(const struct profile_stream *s, FILE *out)
{
	if (s->place == PLACE_HOT)
		fprintf(out, "place = hot %" PRIu32 "%% of %" PRIu32 "%%\n", s->hot_pct,
			s->hot_range_pct);
	else if (s->place == PLACE_ZIPF)
		fprintf(out, "place = zipf %.4g\n", s->zipf_permille / 1000.0);
	else if (s->place)
		fprintf(out, "place = %s\n", s->place == PLACE_UNIFORM ? "uniform" : "sequential");
}

static void save_stream(const struct profile *p, uint32_t index, FILE *out)
{
	const struct profile_stream *s = &p->streams[index];
	char flags[IO_FLAGS_TEXT_MAX], key[32];

	fprintf(out, "\n[stream %" PRIu32 "]\n", index + 1);
	fprintf(out, "# %.2f %% of the IOs\n",
		p->ios ? 100.0 * (double)s->ios / (double)p->ios : 0.0);
	fprintf(out, "op = %s\n", profile_stream_op(p, s));
	if (*profile_stream_flags(p, s, flags))
		fprintf(out, "flags = %s\n", flags);
	fprintf(out, "submitter = %s\n", submitter_name(s->submitter));
	fprintf(out, "pattern = %s\n", s->sequential ? "sequential" : "random");
	save_place(s, out);
	fprintf(out, "ios = %" PRIu64 "\n", s->ios);
	save_phases(p, s, out);
	save_sizes(s, out);
	save_sparse(out, "next", s->next, p->stream_count, 1);
	for (unsigned int i = 0; i < PROFILE_REUSE_SIZES; i++) {
		snprintf(key, sizeof(key), "reuse.%u", reuse_row_names[i]);
		save_sparse(out, key, s->reuse[i], PROFILE_REUSE_OCTAVES, 0);
	}
	save_dense(out, "repeat_permille", s->repeat_permille, PROFILE_REUSE_SIZES);
	if (s->read_after_write_known)
		save_values(out, "read_after_write_permille", s->read_after_write_permille,
			    PROFILE_REUSE_AGES);
	save_dense(out, "straddle_permille", s->straddle_permille, PROFILE_REUSE_SIZES);
	save_dense(out, "block_end_permille", s->block_end_permille, PROFILE_REUSE_SIZES);
	save_dense(out, "run_recency", s->run_recency, PROFILE_RUN_RECENCY_COLUMNS);
	if (s->space)
		fprintf(out, "space = %" PRIu32 "\n", s->space + 1);
	if (s->begin_permille)
		fprintf(out, "begin_permille = %" PRIu32 "\n", s->begin_permille);
	save_dense(out, "aligned", s->aligned, PROFILE_ALIGNMENTS);
	save_sparse(out, "run_distance", s->run_distance, PROFILE_RUN_DISTANCE_COLUMNS, 0);
	save_sparse(out, "zones", s->zones, PROFILE_ZONES, 0);
}

static int save_all(const struct profile *p, FILE *out)
{
	errno = 0;
	save_head(p, out);
	save_error(&p->error, out);
	if (p->level == PROFILE_OF_FILES)
		save_files(&p->files, out);
	if (p->arrival.window_count)
		save_arrival(p, out);
	for (uint32_t i = 0; i < PROFILE_SPACES_MAX; i++)
		save_space(p, i, out);
	for (uint32_t i = 0; i < p->stream_count; i++)
		save_stream(p, i, out);
	save_closed(p, out);
	if (!fflush(out) && !ferror(out))
		return 0;
	return errno ? -errno : -EIO;
}

/* Those before the first section stay: they say what the file is. */
static void copy_without_comments(const char *text, FILE *out)
{
	bool inside = false;

	while (*text) {
		size_t length = strcspn(text, "\n");

		length += text[length] != 0;
		inside = inside || *text == '[';
		if (!inside || *text != '#')
			fwrite(text, 1, length, out);
		text += length;
	}
}

int profile__save(const struct profile *p, FILE *out)
{
	char *text = NULL;
	size_t bytes;
	FILE *memory;
	int err;

	if (!p->without_comments)
		return save_all(p, out);
	memory = open_memstream(&text, &bytes);
	if (!memory)
		return -errno;
	err = save_all(p, memory);
	if (fclose(memory) && !err)
		err = -errno;
	if (!err)
		copy_without_comments(text, out);
	free(text);
	if (!err && (fflush(out) || ferror(out)))
		err = errno ? -errno : -EIO;
	return err;
}
