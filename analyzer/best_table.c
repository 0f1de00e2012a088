/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The best measured case of each resolution, and how sure it is that it beats the default's values there. */
#include "analyzer/summary_parts.h"

#include <math.h>
#include <stdio.h>

#include "bench/judge/recommend.h"

/* by_batch: the first column names that too, as the rows are about both. */
static void best_row(struct vrs_table *t, const struct vrs_recommend_row *row, bool by_batch)
{
	const struct vrs_case_result *c = row->best;
	char fps[96];
	vrs_table_add_row(t);
	if (by_batch && c)
		vrs_table_set(t, 0, "%dx%d, batch %d", row->width, row->height, c->batch);
	else
		vrs_table_set(t, 0, "%dx%d", row->width, row->height);
	vrs_table_set(t, 6, "%s", row->against);
	if (!c)
		return;
	if (!by_batch)
		vrs_table_set(t, 1, "%d", c->batch);
	vrs_table_set(t, 2, "%s", vrs_name_of(&vrs_precision_names, (int)c->precision));
	vrs_table_set(t, 3, "%d", c->threads);
	vrs_table_set(t, 4, "%dx%d", c->net_width, c->net_height);
	vrs_table_set(t, 5, "%s%s", vrs_estimate_text(&c->fps, 1, fps, sizeof fps), vrs_case_result_is_invalid(c) ? " INVALID" : "");
}

typedef enum vrs_status find_best(const struct vrs_result *result, int index, struct vrs_holm_family *kept, struct vrs_recommend_row *ret_row);

static void add_rows(const struct vrs_result *result, find_best *find, const char *id, const char *title, struct vrs_findings *findings)
{
	static const char *const heads[] = {"resolution", "batch", "precision", "threads", "network", "FPS", "against the default's values"};
	struct vrs_table *t = vrs_findings_start_table(findings, id, title, heads, 7, 1u << 0 | 1u << 2 | 1u << 6);
	struct vrs_holm_family kept = {.base = NULL};
	for (int i = 0; i < result->case_count; i++) {
		struct vrs_recommend_row row;
		enum vrs_status status = find(result, i, &kept, &row);
		if (status != VRS_OK)
			vrs_findings_fail(findings, status);
		else if (row.width > 0)
			best_row(t, &row, find == vrs_recommend_best_batch);
	}
	vrs_holm_family_fini(&kept);
}

/* Was a resolution measured with several batches? */
static bool has_batches(const struct vrs_result *result)
{
	for (int i = 1; i < result->case_count; i++)
		for (int k = 0; k < i; k++) {
			const struct vrs_case_result *a = &result->cases[i], *b = &result->cases[k];
			if (a->batch != b->batch && a->width == b->width && a->height == b->height && vrs_case_result_same_kind(a, b) && a->fps.n > 0 && b->fps.n > 0)
				return true;
		}
	return false;
}

void vrs_best_batch_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	if (has_batches(result))
		add_rows(result, vrs_recommend_best_batch, "best-batch", "Best measured case of each resolution and batch", findings);
}

void vrs_best_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	if (result->case_count < 2 || result->comparison_count > 0) /* nothing to choose from */
		return;
	add_rows(result, vrs_recommend_best, "best", "Best measured case of each resolution", findings);
	vrs_best_batch_table(result, findings);
}
