/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The best measured case of each resolution, and how sure it is that it beats the default's values there. */
#include "analyzer/summary_parts.h"

#include <math.h>
#include <stdio.h>

#include "bench/judge/recommend.h"

static void best_row(struct vrs_table *t, const struct vrs_recommend_row *row)
{
	const struct vrs_case_result *c = row->best;
	char fps[96];
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%dx%d", row->width, row->height);
	vrs_table_set(t, 6, "%s", row->against);
	if (!c)
		return;
	vrs_table_set(t, 1, "%d", c->batch);
	vrs_table_set(t, 2, "%s", vrs_name_of(&vrs_precision_names, (int)c->precision));
	vrs_table_set(t, 3, "%d", c->threads);
	vrs_table_set(t, 4, "%dx%d", c->net_width, c->net_height);
	vrs_table_set(t, 5, "%s%s", vrs_estimate_text(&c->fps, 1, fps, sizeof fps), vrs_case_result_is_invalid(c) ? " INVALID" : "");
}

void vrs_best_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	static const char *const heads[] = {"resolution", "batch", "precision", "threads", "network", "FPS", "against the default's values"};
	if (result->case_count < 2) /* nothing to choose from */
		return;
	struct vrs_table *t = vrs_findings_start_table(findings, "best", "Best measured case of each resolution", heads, 7, 1u << 0 | 1u << 2 | 1u << 6);
	for (int i = 0; i < result->case_count; i++) {
		struct vrs_recommend_row row;
		enum vrs_status status = vrs_recommend_best(result, i, &row);
		if (status != VRS_OK)
			vrs_findings_fail(findings, status);
		else if (row.width > 0)
			best_row(t, &row);
	}
}
