/* SPDX-License-Identifier: MIT */
/*
 * Who made whom wait: the parts of sleeps that passed behind the IOs of others, summed by pairs of programs,
 * of control groups and of files.
 */
#ifndef BLKREEL_EXPLAIN_WAITS_BLAME_H
#define BLKREEL_EXPLAIN_WAITS_BLAME_H

#include "explain/waits/kept_ios.h"
#include "explain/figures/labels.h"
#include "explain/waits/writers.h"

struct blame;

/* What one sleep waited for most that was not its own. */
struct blame_most {
	char culprit[EXPLAIN_BLAME_NAME_SHORT]; /* "": nothing */
	uint64_t ns, ios, bytes;
	bool was_written; /* the kernel wrote pages of the culprit */
	enum wait_cause cause;
};

/* `ios` and `writers` must outlive it. NULL: no memory. */
struct blame *blame__new(const struct explain_tables *tables, struct kept_ios *ios,
			 struct writers *writers);
void blame__free(struct blame *b); /* NULL is allowed */

/* As wait_account__end_at(). */
void blame__end_at(struct blame *b, uint64_t end_ns);

/* Learn service times and devices of file systems, and who wrote which file. 0 or -ENOMEM. */
int blame__learn_io(struct blame *b, const struct io_row *row);
int blame__learn_call(struct blame *b, const struct wait_row *row);

/* What one sleep waited for that was not its own: by program and cause. */
#define BLAME_OTHERS_MAX 16u

struct blame_others {
	struct blame_most list[BLAME_OTHERS_MAX];
	uint32_t count;
	uint64_t ns[CAUSE_COUNT]; /* of all, those beyond the list too */
	/* Of the journal and writeback: no write was at the device. */
	uint64_t no_write_ns[CAUSE_COUNT];
};

/* The one with most of it; of no time if there is none. */
struct blame_most blame_most_of(const struct blame_others *others);

/*
 * Divides a sleep: the parts of it in `ns`, by cause, which ended with the IO at `place` (or KEPT_IOS_NONE).
 * `file`: of its call, 0: not known. Fills *others. 0 or -ENOMEM.
 */
int blame__add(struct blame *b, const struct wait_row *sleep, uint32_t file, uint64_t place,
	       const uint64_t ns[CAUSE_COUNT], struct blame_others *others);

/* Fills the pairs of `w`. 0 or -ENOMEM. */
int blame__finish(struct blame *b, struct explain_waits *w);

#endif
