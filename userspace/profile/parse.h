/* What the readers of a profile's sections share; only parse*.c includes it. */
#ifndef BLKREEL_PROFILE_PARSE_H
#define BLKREEL_PROFILE_PARSE_H

#include "profile/profile.h"

enum stream_key {
	KEY_OP = 0,
	KEY_FLAGS,
	KEY_SUBMITTER,
	KEY_PATTERN,
	KEY_IOS,
	KEY_PHASES,
	KEY_NEXT,
	KEY_REPEAT,
	KEY_STRADDLE,
	KEY_BLOCK_END,
	KEY_RANKS,
	KEY_ZONES,
	KEY_ALIGN,
	KEY_ALIGNED,
	KEY_NEAR,
	KEY_BEGIN,
	KEY_REUSE, /* one for each row */
	KEY_ZONE_PHASES = KEY_REUSE + PROFILE_REUSE_SIZES,
	STREAM_KEYS = KEY_ZONE_PHASES + PROFILE_PHASES_MAX,
};

/* Where the numbers of a key go: a table of numbers, one after the other or by index. */
struct target {
	void *numbers;
	bool wide;   /* uint64_t, else uint32_t */
	bool sparse; /* index:number */
	uint32_t first_index, count;
	uint64_t min, max;
	uint32_t *filled; /* values so far: a key given twice overfills its table */
};

struct closed_filled {
	uint32_t permille, depth, latency[CLOSED_OPS][CLOSED_SIZES];
	struct {
		uint32_t kernel, tasks, active, streams, think, cycle, pace, answers[CLOSED_ROWS];
	} kinds[CLOSED_TASKS_MAX];
};

struct parser {
	struct profile *p;
	char *message;
	uint32_t head_filled[16];
	uint32_t seeds_filled;
	uint32_t level_filled, files_filled[2], readahead[2][2];
	uint32_t space_filled[PROFILE_SPACES_MAX][4];
	uint32_t windows_filled, halvings_filled, most_filled, all_gaps_filled, span_filled;
	uint32_t split_filled[3][PROFILE_SPLIT_GROUPS][PROFILE_SPLIT_CLASSES];
	uint32_t together_filled;
	bool kind_filled; /* any row of reads or others alone */
	uint32_t reads_filled, share_filled[PROFILE_SHARE_ROWS];
	uint32_t larger_filled[PROFILE_LARGER], larger_share_filled[PROFILE_SHARE_ROWS];
	uint64_t larger[PROFILE_LARGER][1 + PROFILE_PHASES_MAX];
	uint32_t lean_filled[3][PROFILE_SPLIT_GROUPS];
	uint32_t gap_filled[PROFILE_GAP_CLASSES];
	uint32_t enter_filled[PROFILE_GAP_CLASSES];
	uint32_t step_filled[PROFILE_GAP_OCTAVES];
	uint32_t within_filled[PROFILE_GAP_OCTAVES];
	uint32_t burst_filled[PROFILE_BURSTS_MAX];
	uint64_t bursts[PROFILE_BURSTS_MAX][2 * PROFILE_HALVINGS_MAX + 2];
	uint32_t stream_filled[PROFILE_STREAMS_MAX][STREAM_KEYS];
	struct closed_filled closed;
	uint64_t version;
	char within_key[16]; /* the one that is looked at */
};

/* Keeps the first message, for which the line is found; -EINVAL. */
int parse_fail(struct parser *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The numbers of one key; 0 or -EINVAL. */
int parse_fill(struct parser *r, struct target t, const char *name, const char *value);

int parse_unknown_key(struct parser *r, const char *section, const char *name); /* -EINVAL */

/* Index of the row that a name like "gap.17" ends with; -1: there is no such row. */
int parse_row_index(const char *text, const unsigned int *names, unsigned int count);

typedef int (*token_handler)(struct parser *r, void *context, const char *name, char *token);

/* Each word of a list; 0 or -EINVAL. */
int parse_each_token(struct parser *r, const char *name, const char *value, token_handler handle,
		     void *context);

/* `level` of [profile]; a key of [files]; op and flags of a stream of a profile of files. 0 or -EINVAL. */
int parse_level_key(struct parser *r, const char *value);
int parse_files_key(struct parser *r, const char *section, const char *name, const char *value);
int parse_file_op(struct parser *r, struct profile_stream *s, const char *value);
int parse_file_flags(struct parser *r, struct profile_stream *s, bool op_known, const char *value);

/* After the last key: whether the files are there that the level needs. 0, or -EINVAL and *key. */
int parse_files_finish(struct parser *r, const char **key);

/* A key of [arrival]; 0 or -EINVAL. */
int parse_arrival_key(struct parser *r, const char *section, const char *name, const char *value);

/* Those of them that begin with "split.", "lean.", "reads", "above." or "larger.". */
int parse_split_key(struct parser *r, const char *section, const char *name, const char *value);
int parse_lean_key(struct parser *r, const char *section, const char *name, const char *value);
int parse_reads_key(struct parser *r, const char *section, const char *name, const char *value);
int parse_larger_key(struct parser *r, const char *section, const char *name, const char *value);

/* What "reads" and "larger" say as a whole, as parse_arrival_finish(). */
int parse_marks_finish(struct parser *r, const char **key);

/* True for [closed] and what begins with "tasks". */
bool parse_is_closed(const char *section);

/* A key of [closed] or [tasks N]; 0 or -EINVAL. */
int parse_closed_key(struct parser *r, const char *section, const char *name, const char *value);

/* After the last key: what these say as a whole. 0 or -EINVAL and *place, which is wrong. */
int parse_closed_finish(struct parser *r, struct profile_place *place);

/* After the last key: what [arrival] says as a whole. 0 or -EINVAL and *key, which is wrong. */
int parse_arrival_finish(struct parser *r, const char **key);

/* After the last key: what the text says as a whole, with the line of what is wrong. 0, -EINVAL. */
int parse_finish(struct parser *r, const char *text);

#endif
