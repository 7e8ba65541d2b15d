// SPDX-License-Identifier: MIT
#include "workload/missing_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "trace/row_time.h"

int missing_rows__scan(struct trace_reader *r, uint64_t from_ns, uint64_t to_ns,
		       struct missing_rows *m)
{
	const struct time_window window = {trace_reader__host(r)->start_ns, from_ns, to_ns};
	struct row_block block;
	int err;

	*m = (struct missing_rows){.part = !time_window_is_whole(&window)};
	err = trace_reader__rewind(r);
	while (!err && (err = trace_reader__next(r, 1u << ROW_LOSS, &block)) > 0) {
		err = 0;
		for (uint32_t i = 0; i < block.rows; i++) {
			const struct loss_row *row = &block.loss[i];

			if (row->class < LOSS_CLASS_COUNT &&
			    time_window_has(&window, row_time_ns(ROW_LOSS, row),
					    row_end_ns(ROW_LOSS, row)))
				m->lost[row->class] += row->count;
		}
	}
	for (unsigned int kind = 0; kind < ROW_KIND_COUNT; kind++)
		m->rows[kind] = trace_reader__rows(r, kind);
	m->torn = trace_reader__end(r) == TRACE_END_TORN;
	return err;
}

static bool is_loss_of(enum loss_class class, enum row_kind kind)
{
	switch (class) {
	case LOSS_IO_RING:
	case LOSS_IO_STATE:
		return kind == ROW_IO;
	case LOSS_ACCESS_RING:
		return kind == ROW_ACCESS;
	case LOSS_WAITS:
		return kind == ROW_WAIT;
	case LOSS_OUTPUT:
	case LOSS_FILE_DAMAGE:
		return true;
	case LOSS_CACHE_TABLE:
	case LOSS_RECURSION:
	case LOSS_NAMES:
	case LOSS_IO_EVENT:
	case LOSS_CLASS_COUNT:
		break;
	}
	return false;
}

uint64_t missing_rows__lost(const struct missing_rows *m, enum row_kind kind)
{
	uint64_t lost = 0;

	for (enum loss_class class = 0; class < LOSS_CLASS_COUNT; class ++)
		lost += is_loss_of(class, kind) ? m->lost[class] : 0;
	return lost;
}

double missing_rows__lost_pct(const struct missing_rows *m, enum row_kind kind)
{
	double lost = (double)missing_rows__lost(m, kind);

	if (m->profile_lost_ppm)
		return (double)m->profile_lost_ppm / 1e4;
	if (m->part && lost > 0)
		return NAN;
	return lost > 0 ? 100 * lost / (lost + (double)m->rows[kind]) : 0;
}

uint64_t missing_rows__lost_ppm(const struct missing_rows *m, enum row_kind kind)
{
	return (uint64_t)ceil(missing_rows__lost_pct(m, kind) * 1e4);
}

void missing_rows__merge(struct missing_rows *m, const struct missing_rows *from)
{
	for (enum loss_class class = 0; class < LOSS_CLASS_COUNT; class ++)
		m->lost[class] += from->lost[class];
	for (unsigned int kind = 0; kind < ROW_KIND_COUNT; kind++)
		m->rows[kind] += from->rows[kind];
	m->torn |= from->torn;
}

bool missing_rows__text(const struct missing_rows *m, enum row_kind kind,
			char text[MISSING_TEXT_MAX])
{
	const char *separator = "", *noun = kind == ROW_ACCESS ? "accesses" : "IOs";
	uint64_t lost = missing_rows__lost(m, kind);
	double pct = missing_rows__lost_pct(m, kind);
	size_t used;

	text[0] = '\0';
	if (m->profile_lost_ppm)
		snprintf(text, MISSING_TEXT_MAX, "%.2g %% of the %s are missing", pct, noun);
	if (!lost)
		return *text;
	if (m->part)
		used = (size_t)snprintf(text, MISSING_TEXT_MAX, "%s %s are missing (",
					COUNT_TEXT(lost), noun);
	else
		used = (size_t)snprintf(text, MISSING_TEXT_MAX,
					"%s of %s %s are missing (%.*f %%; ", COUNT_TEXT(lost),
					COUNT_TEXT(lost + m->rows[kind]), noun, pct < 1 ? 3 : 1,
					pct);
	for (enum loss_class class = 0; class < LOSS_CLASS_COUNT && used < MISSING_TEXT_MAX;
	     class ++) {
		if (!is_loss_of(class, kind) || !m->lost[class])
			continue;
		used += (size_t)snprintf(text + used, MISSING_TEXT_MAX - used, "%s%s: %s",
					 separator, loss_class_name(class),
					 COUNT_TEXT(m->lost[class]));
		separator = "; ";
	}
	if (used < MISSING_TEXT_MAX)
		snprintf(text + used, MISSING_TEXT_MAX - used, ")");
	return true;
}
