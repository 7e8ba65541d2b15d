/* SPDX-License-Identifier: MIT */
/* Recordings in a sentence, and what explain finds in them. */
#ifndef BLKREEL_TESTS_UNIT_EXPLAIN_RECORDINGS_H
#define BLKREEL_TESTS_UNIT_EXPLAIN_RECORDINGS_H

#include "unit/explain/made_traces.h"

/* A recording: the IOs of a sentence (unit/shared/workload.h), and what a case changes of each row. */
struct recording {
	const char *ios;
	uint64_t queue_ns, device_ns;
	void (*change)(struct io_row *row, uint32_t i);
	struct cache_row cache;
	bool has_loss;
	enum loss_class loss_class;
	bool cut;
};

static const struct recording plain = {
	.ios = "400 reads 1ms apart at random in 400M", .queue_ns = 30 * US, .device_ns = 70 * US};

static inline void add_ios(struct explainer *e, const struct recording *r)
{
	struct made_workload made = workload_of(r->ios);

	for (uint32_t i = 0; i < made.ios; i++) {
		struct io_row row = test_row(&made.rows[i]);

		row.issued_ns = row.created_ns + r->queue_ns;
		row.completed_ns = row.issued_ns + r->device_ns;
		if (r->change)
			r->change(&row, i);
		test_add(e, row);
	}
	free(made.rows);
}

static inline struct explanation *explain_recording(const struct recording *r)
{
	const struct trace_host host = {.start_ns = START_NS};
	const struct trace_summary summary = {.stop_ns = START_NS + NSEC_PER_SEC};
	const struct explain_frame frame = {
		.host = &host, .summary = r->cut ? NULL : &summary, .cut = r->cut};
	const struct loss_row loss = {.count = 17, .class = r->loss_class};
	struct explainer *e = test_explainer();
	struct explanation *x = NULL;

	add_ios(e, r);
	if (r->cache.reads && explainer__add_cache(e, &r->cache))
		abort();
	if (r->has_loss)
		explainer__add_loss(e, &loss);
	if (explain_finish(e, &frame, &x))
		abort();
	return x;
}

/* Of file 1, read by task 1: `missed` on demand, `added` by readahead, of which these were used or wasted. */
static inline struct cache_row cache_of(uint64_t pages, uint64_t missed, uint64_t added,
					uint64_t used, uint64_t wasted)
{
	return (struct cache_row){.time_ns = START_NS + MS,
				  .file = 1,
				  .task = 1,
				  .reads = pages,
				  .read_pages = pages,
				  .demand_miss_pages = missed,
				  .readahead_added_pages = added,
				  .readahead_used_pages = used,
				  .readahead_wasted_pages = wasted};
}

/* The finding's evidence (static), or NULL when there is no such finding. */
static inline const char *evidence_of(const struct recording *r, const char *id)
{
	static char evidence[EXPLAIN_SENTENCES_MAX];
	struct explanation *x = explain_recording(r);
	const struct explain_finding *finding = test_finding(x, id);

	if (finding) {
		snprintf(evidence, sizeof(evidence), "%s", finding->evidence);
		CHECK(*finding->title && *finding->advice);
	}
	explanation__free(x);
	return finding ? evidence : NULL;
}

#define CHECK_FOUND(recording, id, text)                            \
	do {                                                        \
		const char *evidence_ = evidence_of(recording, id); \
		CHECK(evidence_ != NULL);                           \
		CHECK(evidence_ &&strstr(evidence_, text));         \
		if (evidence_ && !strstr(evidence_, text))          \
			printf("# %s\n", evidence_);                \
	} while (0)

#define CHECK_ABSENT(recording, id) CHECK(!evidence_of(recording, id))

/* The advice of a finding (static), or NULL when there is no such finding. */
static inline const char *advice_of(const struct recording *r, const char *id)
{
	static char advice[EXPLAIN_SENTENCES_MAX];
	struct explanation *x = explain_recording(r);
	const struct explain_finding *finding = test_finding(x, id);

	if (finding)
		snprintf(advice, sizeof(advice), "%s", finding->advice);
	explanation__free(x);
	return finding ? advice : NULL;
}

static inline bool is_warning(const struct recording *r, const char *id)
{
	struct explanation *x = explain_recording(r);
	const struct explain_finding *finding = test_finding(x, id);
	bool found = finding && finding->severity == SEVERITY_WARNING;

	explanation__free(x);
	return found;
}

/* The title of a finding (static), or NULL when there is no such finding. */
static inline const char *title_of(const struct recording *r, const char *id)
{
	static char title[EXPLAIN_TITLE_MAX];
	struct explanation *x = explain_recording(r);
	const struct explain_finding *finding = test_finding(x, id);

	if (finding)
		memcpy(title, finding->title, sizeof(title));
	explanation__free(x);
	return finding ? title : NULL;
}

#define CHECK_ADVICE(recording, id, text)                       \
	do {                                                    \
		const char *advice_ = advice_of(recording, id); \
		CHECK(advice_ &&strstr(advice_, text));         \
		if (advice_ && !strstr(advice_, text))          \
			printf("# %s\n", advice_);              \
	} while (0)

#endif
