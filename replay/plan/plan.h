/* SPDX-License-Identifier: MIT */
/*
 * Whether a source may and can be played onto a target, and what is left out: decided from the
 * survey before the first IO. Pure; every refusal names the remedy.
 */
#ifndef BLKREEL_REPLAY_PLAN_PLAN_H
#define BLKREEL_REPLAY_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/source/mapping.h"
#include "replay/source/survey.h"
#include "replay/target/target.h"

#define PLAN_MESSAGE_MAX (PATH_MAX + 512)

/* What happens to ops that the target cannot do. */
enum plan_unsupported {
	PLAN_REFUSE = 0,
	PLAN_SKIP,
	PLAN_EMULATE, /* by the nearest op that it can do; refused if there is none */
};

struct plan_options {
	bool write;	 /* --write: data may be changed */
	bool reads_only; /* leave out everything but reads */
	enum plan_unsupported unsupported;
	enum replay_fit fit;
	const struct footprint *footprint; /* REPLAY_FIT_COMPACT: of the ops that will be issued */
	uint64_t source_bytes;		   /* size of the recorded device; 0: not known */
	uint64_t source_zone_bytes;	   /* of its zones; 0: it has none, or not known */
};

/* What a target will have to do, known before it is opened. */
struct plan_request {
	uint32_t ops; /* bits 1u << enum replay_op that will be asked for */
	bool writes;  /* one of them changes data */
	uint64_t ios;
};

/*
 * Decides what is asked of a target. 0; -EPERM: the source changes data and the user did not allow
 * it; -ENODATA: there is nothing to do. `message` holds a sentence.
 */
int plan__request(const struct replay_survey *survey, const struct plan_options *options,
		  struct plan_request *request, char message[PLAN_MESSAGE_MAX]);

struct plan {
	struct mapping_options mapping;
	uint64_t longest_read_bytes, longest_write_bytes; /* as they will be asked for */
};

/*
 * Plans the replay. `reasons[op]` is NULL, or why the target cannot do the op. 0; -EPERM: refused,
 * see `message`.
 */
int plan__create(const struct replay_survey *survey, const struct plan_options *options,
		 const struct target_info *target, const char *const reasons[REPLAY_OP_COUNT],
		 struct plan *plan, char message[PLAN_MESSAGE_MAX]);

#endif
