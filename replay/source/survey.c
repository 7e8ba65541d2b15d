// SPDX-License-Identifier: MIT
#include "replay/source/survey.h"

void replay_survey__add(struct replay_survey *s, const struct replay_io *io)
{
	/* Only the target knows how long a zone is. */
	uint64_t end_bytes = io->offset_bytes + io->length_bytes + (io->op == REPLAY_ZONE);

	s->ios++;
	s->ops[io->op]++;
	s->bytes[io->op] += io->length_bytes;
	s->preflushes += !!(io->flags & REPLAY_PREFLUSH);
	if (end_bytes > s->end_bytes[io->op])
		s->end_bytes[io->op] = end_bytes;
	if (io->length_bytes > s->longest_bytes[io->op])
		s->longest_bytes[io->op] = io->length_bytes;
	if (io->flags & REPLAY_ATOMIC)
		atomic_survey__add(&s->atomic, io->offset_bytes, io->length_bytes);
	if (io->op == REPLAY_WRITE)
		s->hints |= 1u << io->hint;
	s->submitters += !!io->task;
	s->completions += !!io->done_ns;
	if (io->due_ns > s->last_due_ns)
		s->last_due_ns = io->due_ns;
}

uint64_t replay_survey__changes(const struct replay_survey *s)
{
	uint64_t changes = 0;

	for (unsigned int op = 0; op < REPLAY_OP_COUNT; op++)
		if (replay_op_changes_data(op))
			changes += s->ops[op];
	return changes;
}
