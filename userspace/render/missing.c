// SPDX-License-Identifier: MIT
#include "render/missing.h"

#include "render/json.h"

json_t *render_missing_json(const struct missing_rows *m, enum row_kind kind)
{
	json_t *object = json_object(), *classes = json_object();

	if (!m->profile_lost_ppm)
		json_set_u64(object, kind == ROW_ACCESS ? "lost_accesses" : "lost_ios",
			     missing_rows__lost(m, kind));
	json_set_real(object, "lost_pct", missing_rows__lost_pct(m, kind));
	json_set_bool(object, "torn", m->torn);
	for (enum loss_class class = 0; class < LOSS_CLASS_COUNT; class ++)
		if (m->lost[class])
			json_set_u64(classes, loss_class_name(class), m->lost[class]);
	json_object_set_new(object, "lost", classes);
	return object;
}
