// SPDX-License-Identifier: MIT
#include "profile/placement/place_rules.h"

#include <errno.h>
#include <stdlib.h>

#include "profile/arithmetic.h"

bool place_tables(const struct profile_stream *stream)
{
	return sum_of_weights(stream->reuse[0], PROFILE_REUSE_SIZES * PROFILE_REUSE_OCTAVES) +
	       sum_of_weights(stream->zones, PROFILE_ZONES) +
	       sum_of_weights(stream->run_distance, PROFILE_RUN_DISTANCE_COLUMNS);
}

enum stream_place place_rule(const struct profile *p, uint32_t stream)
{
	const struct profile_stream *s = &p->streams[stream];
	bool tables = s->sequential || p->level || place_tables(s) ||
		      sum_of_weights(p->spaces[s->space].distances, PROFILE_DISTANCES);

	if (s->place)
		return s->place;
	return tables ? PLACE_BY_TABLES : PLACE_UNIFORM;
}

/* The largest size: ranks are multiples of it, so that IOs of all sizes share the hot places. */
static uint64_t zipf_bytes(const struct profile_stream *stream)
{
	uint64_t bytes = stream->size_count ? stream->sizes[stream->size_count - 1].bytes : 0;

	return bytes ? bytes : 1;
}

static int make_zipf(struct place_rules *r, const struct address_space *addresses,
		     unsigned int stream)
{
	const struct profile_stream *model = &r->p->streams[stream];
	uint64_t first, places = address_places(addresses, zipf_bytes(model), &first);

	r->zipfs[stream] = malloc(sizeof(*r->zipfs[stream]));
	if (!r->zipfs[stream])
		return -ENOMEM;
	zipf_init(r->zipfs[stream], places ? places : 1, model->zipf_permille);
	return 0;
}

int place_rules_init(struct place_rules *r, const struct profile *p, uint32_t space,
		     const struct address_space *addresses)
{
	int err = 0;

	r->p = p;
	for (uint32_t i = 0; i < p->stream_count && !err; i++) {
		r->rules[i] = place_rule(p, i);
		if (r->rules[i] == PLACE_ZIPF && p->streams[i].space == space)
			err = make_zipf(r, addresses, i);
	}
	return err;
}

void place_rules_release(struct place_rules *r)
{
	for (unsigned int i = 0; i < PROFILE_STREAMS_MAX; i++)
		free(r->zipfs[i]);
}

static void place_in_turn(struct place_rules *r, const struct address_space *addresses,
			  unsigned int stream, struct io_row *row)
{
	uint64_t *next = &r->next_sectors[stream], first;

	address_places(addresses, row->bytes, &first);
	if (*next < first || !address_fits(addresses, *next, row->bytes))
		*next = first;
	row->sector = *next;
	*next += address_sectors(row->bytes);
}

static void place_by_rank(const struct place_rules *r, const struct address_space *addresses,
			  unsigned int stream, struct prng *random, struct io_row *row)
{
	const struct zipf *zipf = r->zipfs[stream];
	uint64_t bytes = zipf_bytes(&r->p->streams[stream]), first;

	address_places(addresses, bytes, &first);
	row->sector =
		first + zipf_scatter(zipf_draw(zipf, random), zipf->count) * address_sectors(bytes);
}

static void place_at_random(const struct place_rules *r, const struct address_space *addresses,
			    unsigned int stream, struct prng *random, struct io_row *row)
{
	const struct profile_stream *model = &r->p->streams[stream];
	uint64_t first, places = address_places(addresses, row->bytes, &first);
	uint64_t hot = part_begin(places, model->hot_range_pct, 100);

	hot += !hot;
	if (r->rules[stream] == PLACE_HOT && hot < places) {
		bool is_hot = prng_below(random, 100) < model->hot_pct;

		first += is_hot ? 0 : hot * address_sectors(row->bytes);
		places = is_hot ? hot : places - hot;
	}
	row->sector = first + prng_below(random, places) * address_sectors(row->bytes);
}

void place_rules_apply(struct place_rules *r, const struct address_space *addresses,
		       unsigned int stream, struct prng *random, struct io_row *row)
{
	if (r->rules[stream] == PLACE_SEQUENTIAL)
		place_in_turn(r, addresses, stream, row);
	else if (r->rules[stream] == PLACE_ZIPF)
		place_by_rank(r, addresses, stream, random, row);
	else
		place_at_random(r, addresses, stream, random, row);
}
