// SPDX-License-Identifier: MIT
#include "base/units.h"
#include "render/compare/pair.h"
#include "render/json.h"
#include "render/profile/text.h"
#include "render/profile/text_closed.h"

static bool same_kind(const struct profile_stream *a, const struct profile_stream *b)
{
	return a->op == b->op && a->flags == b->flags && a->submitter == b->submitter &&
	       a->sequential == b->sequential;
}

/* Of all streams of that kind: a mix has one for each part. */
static double share_pct(const struct profile *p, const struct profile_stream *kind)
{
	double sum = (double)profile_ios_of_streams(p), of_kind = 0;

	for (uint32_t i = 0; i < p->stream_count; i++)
		if (same_kind(&p->streams[i], kind))
			of_kind += (double)p->streams[i].ios;
	return sum > 0 ? 100.0 * of_kind / sum : 0.0;
}

/* Whether one of the first `count` streams is of that kind. */
static bool among(const struct profile *p, uint32_t count, const struct profile_stream *kind)
{
	for (uint32_t i = 0; i < count; i++)
		if (same_kind(&p->streams[i], kind))
			return true;
	return false;
}

typedef void (*pair_handler)(const struct profile_stream *kind, double a_pct, double b_pct,
			     void *context);

/* Every kind of stream of either once, those of A first. */
static void each_kind(const struct profile *a, const struct profile *b, pair_handler handle,
		      void *context)
{
	for (uint32_t i = 0; i < a->stream_count; i++)
		if (!among(a, i, &a->streams[i]))
			handle(&a->streams[i], share_pct(a, &a->streams[i]),
			       share_pct(b, &a->streams[i]), context);
	for (uint32_t i = 0; i < b->stream_count; i++)
		if (!among(b, i, &b->streams[i]) && !among(a, a->stream_count, &b->streams[i]))
			handle(&b->streams[i], 0, share_pct(b, &b->streams[i]), context);
}

static void text_row(const struct profile_stream *kind, double a_pct, double b_pct, void *context)
{
	char flags[IO_FLAGS_TEXT_MAX];

	fprintf(context, "%-9s %-9s %-10s %8.2f %% %8.2f %% %+8.2f pp%s%s\n", io_op_name(kind->op),
		submitter_name(kind->submitter), kind->sequential ? "sequential" : "random", a_pct,
		b_pct, b_pct - a_pct, kind->flags ? "  " : "", io_flags_text(kind->flags, flags));
}

void render_profile_diff_streams(const struct profile *a, const struct profile *b, FILE *out)
{
	fprintf(out, "\n%-9s %-9s %-10s %10s %10s %11s  %s\n", "op", "submitter", "pattern", "A",
		"B", "change", "flags");
	each_kind(a, b, text_row, out);
	render_profile_diff_closed(a, b, out);
}

static void json_row(const struct profile_stream *kind, double a_pct, double b_pct, void *context)
{
	json_t *object = json_object();
	char flags[IO_FLAGS_TEXT_MAX];

	json_set_text(object, "op", io_op_name(kind->op));
	json_set_text(object, "flags", io_flags_text(kind->flags, flags));
	json_set_text(object, "submitter", submitter_name(kind->submitter));
	json_set_bool(object, "sequential", kind->sequential);
	json_set_real(object, "a_pct", a_pct);
	json_set_real(object, "b_pct", b_pct);
	json_array_append_new(context, object);
}

int render_profile_diff_json(const struct comparison *c, const struct profile *a,
			     const struct profile *b, FILE *out)
{
	json_t *document = json_document("profile-diff"), *streams = json_array();

	each_kind(a, b, json_row, streams);
	json_object_set_new(document, "workload", render_workload_json(c));
	json_object_set_new(document, "streams", streams);
	json_object_set_new(document, "closed_a", render_profile_closed_json(a));
	json_object_set_new(document, "closed_b", render_profile_closed_json(b));
	return json_print(out, document);
}
