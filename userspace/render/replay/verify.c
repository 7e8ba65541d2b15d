// SPDX-License-Identifier: MIT
#include "render/replay/verify.h"

#include "base/units.h"
#include "render/json.h"
#include "render/table.h"

static const char *const names[VERIFIED_KINDS] = {"verified",	  "lost",      "misdirected",
						  "bad checksum", "bad magic", "unreadable"};

static const char *const meanings[VERIFIED_KINDS] = {
	"the last write that had to be there, or a later one",
	"an older write or zeroes: the last one is not there",
	"a write that belongs to another address",
	"a stamp with a wrong checksum: damaged, or torn inside of the block",
	"no stamp, and no zeroes: not written by a replay with --stamp",
	"the device gives an error",
};

json_t *verify_outcome_json(const struct verify_outcome *o)
{
	json_t *document = json_document("verify"), *blocks = json_object(), *first = json_object();

	json_set_text(document, "source", o->source_path);
	json_set_text(document, "target", o->target->path);
	json_set_u64(document, "block_bytes", o->state.block_bytes);
	json_set_u64(document, "writes", o->result.writes);
	json_set_u64(document, "required_writes", o->required);
	json_set_text(document, "required", o->durable_only ? "flushed" : "completed");
	json_set_bool(document, "replay_ended", o->state.ended);
	json_set_u64(document, "failed_writes", o->state.failed);
	for (unsigned int kind = 0; kind < VERIFIED_KINDS; kind++) {
		json_set_u64(blocks, verified_name(kind), o->result.blocks[kind]);
		if (kind != VERIFIED_OK && o->result.blocks[kind])
			json_set_u64(first, verified_name(kind), o->result.first_bytes[kind]);
	}
	json_object_set_new(document, "blocks", blocks);
	json_object_set_new(document, "first_offset_bytes", first);
	json_set_u64(document, "cleared_blocks", o->result.cleared_blocks);
	json_set_u64(document, "torn_writes", o->result.torn_writes);
	json_set_u64(document, "torn_in_flight", o->result.torn_in_flight);
	return document;
}

void verify_outcome_text(const struct verify_outcome *o, FILE *out)
{
	const struct verifier_result *r = &o->result;
	char count[UNITS_TEXT_MAX];

	text_printf(out, "What %s wrote, on %s\n\n", o->source_path, o->target->path);
	fprintf(out, "  replay       %s\n",
		o->state.ended ? "came to its end" : "did not come to its end");
	fprintf(out, "  must be      the first %s of %s, which %s %s\n",
		units_count(o->required, count), COUNTED_TEXT(r->writes, "write"),
		o->required == 1 ? "was" : "were", o->durable_only ? "flushed" : "completed");
	fprintf(out, "\nBlocks of %u bytes\n", o->state.block_bytes);
	for (unsigned int kind = 0; kind < VERIFIED_KINDS; kind++) {
		if (kind != VERIFIED_OK && !r->blocks[kind])
			continue;
		fprintf(out, "  %-12s %s, %s", names[kind], units_count(r->blocks[kind], count),
			meanings[kind]);
		if (kind != VERIFIED_OK)
			fprintf(out, "; first at byte %llu",
				(unsigned long long)r->first_bytes[kind]);
		fputc('\n', out);
	}
	if (r->cleared_blocks)
		fprintf(out, "  %-12s %s, discarded or zeroed last, or perhaps\n", "not judged",
			units_count(r->cleared_blocks, count));
	if (r->torn_writes)
		fprintf(out, "  %-12s %s %s there in part; first at byte %llu\n", "torn",
			COUNTED_TEXT(r->torn_writes, "write"), r->torn_writes == 1 ? "is" : "are",
			(unsigned long long)r->first_torn_bytes);
	if (r->torn_in_flight)
		fprintf(out, "  %-12s %s that %s in flight %s there in part\n", "in flight",
			COUNTED_TEXT(r->torn_in_flight, "write"),
			r->torn_in_flight == 1 ? "was" : "were",
			r->torn_in_flight == 1 ? "is" : "are");
}
