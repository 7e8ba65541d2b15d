// SPDX-License-Identifier: MIT
#include "profile/text/parse_finish.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "profile/arithmetic.h"
#include "profile/text/parse_arrival.h"
#include "profile/text/parse_closed.h"
#include "profile/text/parse_files.h"
#include "profile/text/parse_table.h"

static bool line_is(const char *at, size_t length, const char *name)
{
	return length >= strlen(name) && !strncmp(at, name, strlen(name)) &&
	       strspn(at + strlen(name), " \t=") > 0;
}

/* The line of a key, or of its section when it is not there; 0: neither is. */
static int find_line(const char *text, const struct profile_place *place)
{
	bool inside = false;
	int line = 0, found = 0;

	while (*text) {
		size_t length = strcspn(text, "\n"), name = strlen(place->section);

		line++;
		if (*text == '[') {
			inside = !strncmp(text + 1, place->section, name) && text[name + 1] == ']';
			if (inside && !found)
				found = line;
		} else if (inside && *place->key && line_is(text, length, place->key)) {
			return line;
		}
		text += length + (text[length] != 0);
	}
	return found;
}

static int fail_at(struct parser *r, struct profile_place *place, uint32_t stream, const char *key,
		   const char *format, ...) __attribute__((format(printf, 5, 6)));

static int fail_at(struct parser *r, struct profile_place *place, uint32_t stream, const char *key,
		   const char *format, ...)
{
	va_list args;

	snprintf(place->section, sizeof(place->section), "stream %u", stream + 1);
	snprintf(place->key, sizeof(place->key), "%s", key);
	va_start(args, format);
	vsnprintf(r->message, PROFILE_MESSAGE_MAX, format, args);
	va_end(args);
	return -EINVAL;
}

/* A file that was cut between two streams would otherwise be another, smaller workload. */
static int check_next(struct parser *r, uint32_t i, struct profile_place *place)
{
	const struct profile *p = r->p;

	for (uint32_t to = p->stream_count; to < PROFILE_STREAMS_MAX; to++)
		if (p->streams[i].next[to])
			return fail_at(r, place, i, "next",
				       "[stream %u]: 'next' names stream %u, but there are only "
				       "%u: was the file cut?",
				       i + 1, to + 1, p->stream_count);
	return 0;
}

/* Values of a key of a stream. */
static uint32_t of_stream(struct parser *r, uint32_t stream, const char *key)
{
	return *parse_filled(r, SCHEMA_STREAM, key, stream, -1);
}

static int check_stream(struct parser *r, uint32_t i, struct profile_place *place)
{
	const struct profile_stream *s = &r->p->streams[i];
	const uint32_t *filled = r->stream_filled[i];
	uint32_t phases = of_stream(r, i, "phases");
	uint64_t sum = 0, weights = 0;

	r->p->streams[i].read_after_write_known = of_stream(r, i, "read_after_write_permille");
	if (!filled[KEY_OP] || !of_stream(r, i, "ios") || !s->size_count)
		return fail_at(r, place, i, "", "[stream %u] must have op, ios and sizes", i + 1);
	for (uint32_t j = 0; j < s->size_count; j++)
		weights += s->sizes[j].ios;
	if (s->ios && !weights)
		return fail_at(r, place, i, "sizes",
			       "[stream %u]: the weights of 'sizes' have the sum 0, but must have "
			       "one above",
			       i + 1);
	if (phases && phases != r->p->phase_count)
		return fail_at(r, place, i, "phases",
			       "[stream %u] has %u phases, but [profile] says %u", i + 1, phases,
			       r->p->phase_count);
	for (uint32_t j = 0; j < r->p->phase_count; j++)
		sum += s->phases[j];
	if (phases && sum != s->ios)
		return fail_at(r, place, i, "phases",
			       "[stream %u]: the phases hold %llu IOs in sum, but 'ios' is %llu",
			       i + 1, (unsigned long long)sum, (unsigned long long)s->ios);
	return check_next(r, i, place);
}

static int check_all(struct parser *r, struct profile_place *place)
{
	const char *key = "";
	int err = 0;

	*place = (struct profile_place){.section = "profile", .key = "version"};
	if (r->version != PROFILE_VERSION) {
		snprintf(r->message, PROFILE_MESSAGE_MAX,
			 r->version ? "version %llu is newer than this blkreel knows (%d)"
				    : PROFILE_NO_PROFILE
				 "[profile] with 'version = 1' is missing" PROFILE_HOW_MADE,
			 (unsigned long long)r->version, PROFILE_VERSION);
		return -EINVAL;
	}
	err = parse_arrival_finish(r, &key);
	if (err) {
		snprintf(place->section, sizeof(place->section), "arrival");
		snprintf(place->key, sizeof(place->key), "%s", key);
		return err;
	}
	err = parse_files_finish(r, &key);
	if (err) {
		snprintf(place->section, sizeof(place->section), "%s", *key ? "files" : "profile");
		snprintf(place->key, sizeof(place->key), "%s", *key ? key : "level");
		return err;
	}
	for (uint32_t i = 0; i < r->p->stream_count && !err; i++)
		err = check_stream(r, i, place);
	if (!err)
		err = parse_closed_finish(r, place);
	return err ? err : profile__check(r->p, r->message, place);
}

/* Tables do not go together with what a person says in a word. */
static int check_rules(struct parser *r, struct profile_place *place)
{
	const struct profile_arrival *a = &r->p->arrival;

	*place = (struct profile_place){.section = "profile", .key = "arrival"};
	if (r->arrival_filled && (a->window_count > 1 || a->split_levels || a->reads_known ||
				  a->size_classes[0].above_bytes ||
				  a->size_classes[PROFILE_SIZE_CLASSES / 2].above_bytes))
		return parse_fail(r,
				  "'arrival' goes without tables of [arrival], or with one window");
	for (uint32_t i = 0; i < r->p->stream_count; i++) {
		bool tables = of_stream(r, i, "zones") || of_stream(r, i, "run_distance") ||
			      of_stream(r, i, "run_recency");

		for (unsigned int size = 0; size < PROFILE_REUSE_SIZES; size++)
			tables |= *parse_filled(r, SCHEMA_STREAM, "reuse", i, (int)size);
		if (r->p->streams[i].place && (tables || r->p->level == PROFILE_OF_FILES))
			return fail_at(
				r, place, i, "place",
				"[stream %u]: 'place' goes without tables of places "
				"(reuse, zones, run_distance, run_recency), and not for files",
				i + 1);
	}
	return 0;
}

/* What is left out: one window, one phase, and streams of as many IOs each. */
static void fill_defaults(struct parser *r)
{
	struct profile *p = r->p;
	uint32_t *windows = parse_filled(r, SCHEMA_ARRIVAL, "windows", 0, -1);
	bool any = false;

	if (p->ios && !*windows) {
		p->arrival.windows[0] = p->ios;
		*windows = 1;
	}
	if (p->ios && !r->head_filled[7])
		p->phase_count = 1;
	for (uint32_t i = 0; i < p->stream_count; i++)
		any |= of_stream(r, i, "ios");
	for (uint32_t i = 0; i < p->stream_count && !any; i++) {
		p->streams[i].ios = part_begin(p->ios, i + 1, p->stream_count) -
				    part_begin(p->ios, i, p->stream_count);
		*parse_filled(r, SCHEMA_STREAM, "ios", i, -1) = 1;
	}
}

static uint64_t sum_of_sizes(const struct profile_stream *s)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < s->size_count; i++)
		sum += s->sizes[i].ios;
	return sum;
}

/* The IOs of streams become counts of the IOs of the profile. */
static void count_streams(struct profile *p)
{
	uint64_t sum = 0, before = 0;

	for (uint32_t i = 0; i < p->stream_count; i++)
		sum += p->streams[i].ios;
	if (sum == p->ios)
		return;
	for (uint32_t i = 0; i < p->stream_count; i++) {
		struct profile_stream *s = &p->streams[i];
		uint64_t weight = s->ios;

		s->ios = part_begin(p->ios, before + weight, sum) - part_begin(p->ios, before, sum);
		s->ios += !s->ios;
		before += weight;
	}
}

/* Sizes are drawn without putting back: at least as many are needed as the stream has IOs. */
static void count_sizes(struct profile_stream *s)
{
	uint64_t sum = sum_of_sizes(s);
	uint64_t times = sum && s->ios > sum ? (s->ios + sum - 1) / sum : 1;

	for (uint32_t i = 0; i < s->size_count; i++)
		s->sizes[i].ios *= times;
}

/* Without `phases` the IOs of streams and of sizes may be weights, such as 75 and 25. */
static void count_weights(struct parser *r)
{
	for (uint32_t i = 0; i < r->p->stream_count; i++)
		if (of_stream(r, i, "phases"))
			return;
	count_streams(r->p);
	for (uint32_t i = 0; i < r->p->stream_count; i++)
		count_sizes(&r->p->streams[i]);
}

int parse_finish(struct parser *r, const char *text)
{
	struct profile_place place;
	char reason[PROFILE_MESSAGE_MAX];
	int err, line;

	for (uint32_t i = 0; i < PROFILE_SPACES_MAX; i++)
		r->p->spaces[i].written_known =
			*parse_filled(r, SCHEMA_ADDRESSES, "new_written_permille", i, -1);
	fill_defaults(r);
	err = check_all(r, &place);
	if (!err)
		err = check_rules(r, &place);
	if (!err)
		count_weights(r);
	line = err ? find_line(text, &place) : 0;
	if (line && strncmp(r->message, PROFILE_NO_PROFILE, strlen(PROFILE_NO_PROFILE))) {
		memcpy(reason, r->message, sizeof(reason));
		snprintf(r->message, PROFILE_MESSAGE_MAX, "line %d: %.480s", line, reason);
	}
	return err;
}
