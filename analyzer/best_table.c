/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The best measured case of each resolution, and how sure it is that it beats the default's values there. */
#include "analyzer/summary_parts.h"

#include <math.h>
#include <stdio.h>

#include "bench/judge/recommend.h"

static enum vrs_status best_row(struct vrs_table *t, const struct vrs_recommend_row *row)
{
	const struct vrs_case_result *c = row->best;
	char fps[96];
	enum vrs_status status = vrs_table_add_row(t);
	if (status == VRS_OK)
		status = vrs_table_set(t, 0, "%dx%d", row->width, row->height);
	if (!c)
		return status != VRS_OK ? status : vrs_table_set(t, 6, "%s", row->against);
	if (status == VRS_OK)
		status = vrs_table_set(t, 1, "%d", c->batch);
	if (status == VRS_OK)
		status = vrs_table_set(t, 2, "%s", c->precision);
	if (status == VRS_OK)
		status = vrs_table_set(t, 3, "%d", c->threads);
	if (status == VRS_OK)
		status = vrs_table_set(t, 4, "%dx%d", c->net_width, c->net_height);
	if (status == VRS_OK)
		status = vrs_table_set(t, 5, "%s%s", vrs_estimate_text(&c->fps, 1, fps, sizeof fps), c->invalid[0] ? " INVALID" : "");
	return status != VRS_OK ? status : vrs_table_set(t, 6, "%s", row->against);
}

enum vrs_status vrs_best_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	static const char *const heads[] = {"resolution", "batch", "precision", "threads", "network", "FPS", "against the default's values"};
	struct vrs_table *t = NULL;
	enum vrs_status status = VRS_OK;
	if (result->case_count < 2) /* nothing to choose from */
		return VRS_OK;
	for (int i = 0; status == VRS_OK && i < result->case_count; i++) {
		struct vrs_recommend_row row;
		status = vrs_recommend_best(result, i, &row);
		if (status != VRS_OK || row.width == 0)
			continue;
		if (!t) {
			t = vrs_findings_start_table(findings, "best", "Best measured case of each resolution", heads, 7, 1u << 0 | 1u << 2 | 1u << 6);
			status = t ? VRS_OK : VRS_ENOMEM;
		}
		if (status == VRS_OK)
			status = best_row(t, &row);
	}
	return status;
}
