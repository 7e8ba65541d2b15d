/* SPDX-License-Identifier: MIT */
/*
 * A workload as a small text: how many IOs of which streams, when, of which sizes, where.
 * docs/profile-format.md describes the file, docs/profile-model.md the model; every field here has
 * a key there. A weight is a relative count: it means its share of the sum of its table.
 */
#ifndef BLKREEL_PROFILE_PROFILE_H
#define BLKREEL_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/closed.h"
#include "trace/rows.h"

#define PROFILE_VERSION	    1
#define PROFILE_MESSAGE_MAX 512
/* How a message begins when the file is something else. */
#define PROFILE_NO_PROFILE	  "not a profile: "
#define PROFILE_HOW_MADE	  " ('blkreel profile TRACE -o FILE' makes profiles)"
#define PROFILE_FILE_MAX	  (1u << 20) /* bytes of a profile file that are read */
#define PROFILE_IOS_MAX		  (1ull << 40)
#define PROFILE_DURATION_MAX	  (1ull << 56) /* ns: over two years */
#define PROFILE_BYTES_MAX	  (1ull << 60) /* of a device, and of one IO */
#define PROFILE_WEIGHT_MAX	  UINT32_MAX
#define PROFILE_SIZES_MAX	  128 /* per stream */
#define PROFILE_ZIPF_PERMILLE_MAX 4000
#define PROFILE_WINDOWS_MAX	  240
#define PROFILE_SPLIT_LEVELS_MAX  20
#define PROFILE_SPLIT_GROUPS	  PROFILE_SPLIT_LEVELS_MAX
#define PROFILE_SPLIT_ROWS	  13
#define PROFILE_SPLIT_COLUMNS	  12
#define PROFILE_NEIGHBOUR_COLUMNS \
	9 /* how uneven an interval splits, times how different its neighbours are */
#define PROFILE_PERIOD_PARTS	  32
#define PROFILE_PERIOD_NS_MIN	  1000000
#define PROFILE_GAP_CLASSES	  8
#define PROFILE_GAP_OCTAVES	  48
#define PROFILE_GAP_WITHIN_MAX	  CLOSED_VALUES_MAX /* values that say where gaps lie in an octave */
#define PROFILE_GAP_WITHIN_PARTS  1024
#define PROFILE_PINNED_BURSTS_MAX 64
#define PROFILE_SHARE_IOS	  5 /* intervals of 2, 4, 16, 64, 256 IOs and more */
#define PROFILE_SHARE_SHARES	  4 /* reads among them: below 1/8, 1/2, 7/8, more */
#define PROFILE_SHARE_ROWS	  (PROFILE_SHARE_IOS * PROFILE_SHARE_SHARES)
#define PROFILE_REUSE_AGES	  6
#define PROFILE_SHARE_COLUMNS	  9
#define PROFILE_CORRELATIONS_MAX  ((PROFILE_SPLIT_LEVELS_MAX + 2) / 3)
#define PROFILE_SIZE_CLASSES	  4 /* two sizes of reads, two of others */
#define PROFILE_SPACES_MAX	  8
#define PROFILE_ZONES		  64
#define PROFILE_REUSE_OCTAVES	  33 /* 0: a block not touched before; b: distance 2^(b-1) .. 2^b-1 */
#define PROFILE_DISTANCES	  129 /* the same in quarters of an octave: docs/profile-format.md */
#define PROFILE_ALIGNMENTS	  12  /* powers of two to 2048 sectors */
#define PROFILE_RUN_DISTANCE_COLUMNS \
	32 /* 0: far; 1 + o: o bits of blocks after a recent end; 16 + o: before */
#define PROFILE_RUN_DISTANCE_OCTAVES 15
#define PROFILE_REUSE_SIZES	     6 /* requests of 1, 2-3, 4-7, 8-15, 16-31, 32 or more blocks of 4 KiB */
#define PROFILE_RUN_RECENCY_COLUMNS  6 /* 0, 1, 2-3, 4-7, 8-15, 16-31 runs continued more recently */

/* Flags of a request that a profile keeps: what was asked for, not how it was carried. */
#define PROFILE_FLAGS \
	(IO_SYNC | IO_META | IO_PRIO | IO_FUA | IO_PREFLUSH | IO_RAHEAD | IO_BACKGROUND | IO_IDLE)

/* Who asked, as far as origin, flags and kernel threads tell. */
enum submitter {
	SUBMITTER_OTHER = 0,
	SUBMITTER_DIRECT,    /* memory of a process */
	SUBMITTER_FILE,	     /* buffered reads and their readahead */
	SUBMITTER_WRITEBACK, /* dirty pages written by the kernel or by fsync */
	SUBMITTER_JOURNAL,   /* the thread of a file system's journal or log */
	SUBMITTER_METADATA,  /* page cache of the block device, IO_META */
	SUBMITTER_COUNT,
};

struct profile_size {
	uint64_t bytes;
	uint64_t ios;
};

/* Where a stream of a profile written by hand goes; a multiple of the size of each IO. */
enum stream_place {
	PLACE_BY_TABLES = 0,
	PLACE_UNIFORM,	  /* anywhere */
	PLACE_ZIPF,	  /* Zipf's distribution over places that are spread over the range */
	PLACE_SEQUENTIAL, /* one after the other, from the begin again and again */
	PLACE_HOT,	  /* a share of the IOs to the begin of the range, the rest behind it */
};

struct profile_stream {
	enum io_op op;
	uint32_t flags; /* of PROFILE_FLAGS */
	enum submitter submitter;
	uint32_t sequential; /* 1: each IO starts where a recent one of the same op ended */
	enum stream_place place;
	uint32_t hot_pct, hot_range_pct; /* of the IOs, of the range */
	uint32_t zipf_permille;		 /* the exponent, to PROFILE_ZIPF_PERMILLE_MAX */
	uint64_t ios;
	uint32_t size_count;
	struct profile_size sizes[PROFILE_SIZES_MAX]; /* by rising bytes */
	uint64_t phases[PROFILE_PHASES_MAX];	      /* IOs in each phase */
	uint32_t next[PROFILE_STREAMS_MAX];	      /* weight of the stream of the next IO */
	/* By size of the request: weight of the LRU stack distance of its first block. */
	uint32_t reuse[PROFILE_REUSE_SIZES][PROFILE_REUSE_OCTAVES];
	/*
	 * By age of a reused block: chance per mille that the other op, read or write, touched it
	 * last.
	 */
	bool read_after_write_known;
	uint32_t read_after_write_permille[PROFILE_REUSE_AGES];
	/*
	 * By size of the request: chance per mille that it touches a block more than its bytes
	 * need.
	 */
	uint32_t straddle_permille[PROFILE_REUSE_SIZES];
	/* The same for ending where a block ends, of requests that are no whole blocks long. */
	uint32_t block_end_permille[PROFILE_REUSE_SIZES];
	uint32_t zones[PROFILE_ZONES]; /* weight, for starts on new blocks */
	uint32_t space;		       /* index */
	/* Weight, of starts that continue nothing; zeros: 4 KiB. */
	uint32_t aligned[PROFILE_ALIGNMENTS];
	uint32_t run_distance[PROFILE_RUN_DISTANCE_COLUMNS]; /* weight, for starts on new blocks */
	/* Weight, of the run that is continued or near. */
	uint32_t run_recency[PROFILE_RUN_RECENCY_COLUMNS];
	uint32_t begin_permille; /* of starts that continue nothing: where a file begins */
};

/* A pinned burst: one of the busiest moments, generated where it was. */
struct profile_pinned_burst {
	uint32_t window;
	uint32_t bin; /* in the window, 0 to 2^split_levels - 1 */
	/* IOs of the interval around it after 1, 2 ... splits. */
	uint64_t ios[PROFILE_SPLIT_LEVELS_MAX];
	uint64_t reads[PROFILE_SPLIT_LEVELS_MAX]; /* of these, where kinds_known */
	bool sized;				  /* size_classes are known */
	/* Of the burst neighbourhood: see burst_neighbourhood_level(). */
	uint64_t size_classes[PROFILE_SIZE_CLASSES];
};

/* A size class: IOs above a size. */
struct profile_size_class {
	uint64_t above_bytes; /* 0: not given */
	uint64_t phases[PROFILE_PHASES_MAX];
};

/* Split distributions of a kind of IOs. */
struct profile_splits {
	uint32_t distributions[PROFILE_SPLIT_GROUPS][PROFILE_SPLIT_ROWS][PROFILE_SPLIT_COLUMNS];
	/*
	 * Neighbour correlation: chance that the half next to the busier neighbour gets more;
	 * zeros: one half.
	 */
	uint32_t neighbour_permille[PROFILE_SPLIT_GROUPS][PROFILE_NEIGHBOUR_COLUMNS];
	/* Weights of equal parts of the period; zeros: these IOs have none. */
	uint32_t period_shape[PROFILE_PERIOD_PARTS];
};

/* When IOs come: docs/profile-format.md, "[arrival]". */
struct profile_arrival {
	uint32_t even;	       /* 1: all gaps alike; nothing else but one window is known then */
	uint32_t window_count; /* 0 only when there are no IOs */
	uint64_t windows[PROFILE_WINDOWS_MAX];
	/* From here on zeros with `even`. */
	bool reads_known;		     /* reads are known by window */
	uint64_t reads[PROFILE_WINDOWS_MAX]; /* of the IOs of each window */
	/* How the reads of an interval split. */
	uint32_t read_shares[PROFILE_SHARE_ROWS][PROFILE_SHARE_COLUMNS];
	/* Of reads and of others: IOs above a size, and of these those above a larger size. */
	struct profile_size_class size_classes[PROFILE_SIZE_CLASSES];
	/* How IOs above the first size only, and IOs above both, split; as read_shares. */
	uint32_t class_shares[PROFILE_SIZE_CLASSES / 2][PROFILE_SHARE_ROWS][PROFILE_SHARE_COLUMNS];
	/* Of the `sizes` of all streams; only while the text is read. */
	bool sizes_check_known;
	uint32_t sizes_check;
	uint32_t split_levels; /* from a window down to a bin */
	uint64_t period_ns;    /* that the arrivals repeat after; 0: none */
	/* Parts of the period that a phase is ahead: a timer that drifts. */
	uint32_t period_shift[PROFILE_PHASES_MAX];
	/*
	 * Splits of others, of reads, and of all: with kinds_known the first two are used, else the
	 * last.
	 */
	bool kinds_known;
	struct profile_splits splits[3];
	/* Read/write correlation: chance that the half with more others has more reads, too. */
	uint32_t correlation_permille[PROFILE_CORRELATIONS_MAX];
	/* Most IOs in one interval after 1, 2 ... splits; 0: any number. */
	uint64_t peak_cap[PROFILE_SPLIT_LEVELS_MAX];
	uint32_t pinned_burst_count;
	struct profile_pinned_burst pinned_bursts[PROFILE_PINNED_BURSTS_MAX]; /* by rising window */
	uint32_t gaps[PROFILE_GAP_CLASSES][PROFILE_GAP_OCTAVES];
	/* Entry gaps: from the last IO before a bin to its first, by the IOs of the bin. */
	uint32_t entry_gaps[PROFILE_GAP_CLASSES][PROFILE_GAP_OCTAVES];
	uint32_t gap_histogram[PROFILE_GAP_OCTAVES]; /* weights of all gaps; zeros: not known */
	/* Where gaps lie in an octave: rising 1024ths, equal shares between them. */
	struct closed_values gap_within[PROFILE_GAP_OCTAVES];
};

/* Where streams place their IOs: they see each other's blocks, but not those of other spaces. */
struct profile_space {
	uint64_t first_sector, end_sector; /* 0, 0: those of the profile */
	/* Of all blocks that reads and writes touch; zeros: not known. */
	uint64_t new_blocks[PROFILE_PHASES_MAX];
	bool written_known;
	uint32_t written_permille[PROFILE_PHASES_MAX]; /* of these: first touched by a write */
	uint32_t distances[PROFILE_DISTANCES];	       /* weight of the LRU distance; 0: new */
	/* Of the `reuse` rows of its streams; only while the text is read. */
	bool reuse_check_known;
	uint32_t reuse_check;
};

/* What a profile is of. */
enum profile_level {
	PROFILE_DEVICE = 0, /* requests of a device */
	PROFILE_OF_FILES,   /* operations on files, as the page cache sees them: file_ops.h */
};

#define PROFILE_FILE_CLASSES_MAX 64

/* The files of a profile of files: how many of which size, laid out one after the other. */
struct profile_files {
	uint32_t class_count;
	struct {
		uint64_t bytes; /* whole pages of 4 KiB, rising */
		uint64_t files;
	} classes[PROFILE_FILE_CLASSES_MAX];
	/*
	 * Of the operations that missed pages, sequential ones and others: how many also brought
	 * more, and how many pages these did in the mean.
	 */
	struct {
		uint32_t permille, pages;
	} ahead[2];
};

/* Of compare; of parts, as in workload/figures/local_figures.h; of the closed loop; in their orders. */
#define PROFILE_FIGURES	      15
#define PROFILE_LOCAL_FIGURES 9
#define PROFILE_FIRST_CLOSED  (PROFILE_FIGURES + PROFILE_LOCAL_FIGURES)
#define PROFILE_ALL_FIGURES   (PROFILE_FIRST_CLOSED + PROFILE_CLOSED_FIGURES)

/* How far the generated IOs were from the trace when the profile was built. */
struct profile_error {
	uint32_t seeds; /* that were tried; 0: not known */
	/* B / A or difference, as in compare; NaN: cannot be said. Worst: furthest from the same. */
	double median[PROFILE_ALL_FIGURES], worst[PROFILE_ALL_FIGURES];
};

struct profile {
	uint64_t version; /* of the text that was read */
	uint64_t ios;
	uint64_t duration_ns;  /* from the first creation to the last */
	uint64_t device_bytes; /* 0: not known */
	uint64_t first_sector; /* of 512 bytes; all addresses are in [first, end) */
	uint64_t end_sector;
	unsigned int block_offset_sectors; /* where block 0 of 4 KiB begins, 0 to 7 */
	uint64_t start_wall_ns;		   /* Unix time of the first creation; 0: not known */
	uint64_t lost_ppm; /* of the IOs of its traces, per million: lost, so in no figure */
	uint64_t seed;	   /* of the generator, unless another is asked for */
	char edits[PROFILE_MESSAGE_MAX]; /* what was left out of the text, and why; "": nothing */
	bool without_comments;		 /* in the text, to save room */
	uint32_t phase_count;
	uint32_t stream_count;
	enum profile_level level;
	struct profile_files files; /* of a profile of files */
	struct profile_error error;
	struct profile_space spaces[PROFILE_SPACES_MAX];
	struct profile_arrival arrival;
	struct profile_closed closed;
	struct profile_stream streams[PROFILE_STREAMS_MAX];
};

/*
 * Reads and checks a profile: a file, "-" for standard input, or, if no file has the name, the
 * built-in profile of that name. 0 and *profile to be freed by profile__free(); -EINVAL with one
 * sentence (and the line, where there is one) in `message`; other negative errno with an empty
 * message.
 */
int profile__load(const char *path, struct profile **profile, char message[PROFILE_MESSAGE_MAX]);

/* The same from memory; `text` need not end with NUL. */
int profile__parse(const char *text, size_t text_bytes, struct profile **profile,
		   char message[PROFILE_MESSAGE_MAX]);

void profile__free(struct profile *p); /* NULL is allowed */

/* Writes the text form; the same profile gives the same bytes everywhere. 0 or -EIO. */
int profile__save(const struct profile *p, FILE *out);

/* The same into memory; *text is to be freed, also after an error. 0 or a negative errno. */
int profile__save_text(const struct profile *p, char **text, size_t *text_bytes);

/* Whether its text can be read: 0; -EINVAL with one sentence; or another negative errno. */
int profile__check(const struct profile *p, char message[PROFILE_MESSAGE_MAX]);

/*
 * What a stream does, in the words of its level; `text` holds IO_FLAGS_TEXT_MAX bytes and is
 * returned.
 */
const char *profile_stream_op(const struct profile *p, const struct profile_stream *s);
const char *profile_stream_flags(const struct profile *p, const struct profile_stream *s,
				 char *text);

/* IOs of all streams; of a stream by its sizes, whose counts may be weights. */
uint64_t profile_ios_of_streams(const struct profile *p);
uint64_t profile_ios_of_sizes(const struct profile_stream *s);

/* IOs of a stream that tasks of a kind do, by weight; and those of all streams. */
uint64_t profile_ios_of_kind_in(const struct profile *p, uint32_t kind, uint32_t stream);
uint64_t profile_ios_of_kind(const struct profile *p, uint32_t kind);

extern const char *const submitter_names[SUBMITTER_COUNT + 1]; /* the last is NULL */
const char *submitter_name(enum submitter submitter);

#endif
