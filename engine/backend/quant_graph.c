/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "backend/quant_graph.h"

#include <string.h>

#include "backend/cpu/plan/cpu_plan_steps.h"

static bool is_same(const struct vrs_node *a, const struct vrs_node *b)
{
	return a->op == b->op && a->dead == b->dead && a->inputs == b->inputs && memcmp(a->in, b->in, (size_t)a->inputs * sizeof *a->in) == 0 &&
	       a->out == b->out && a->residual == b->residual && a->scale == b->scale;
}

enum vrs_status vrs_quant_graph_match(bool *ret_same, const struct vrs_graph *graph, bool fusion, const struct vrs_calibration *calibration,
				      struct vrs_error *err)
{
	struct vrs_graph rewritten;

	if (vrs_graph_copy(&rewritten, graph) != VRS_OK)
		return vrs_fail_nomem(err);
	enum vrs_status status = fusion ? vrs_cpu_plan_rewrite(&rewritten, err) : VRS_OK;

	if (status == VRS_OK)
		status = vrs_calibration_check(calibration, &rewritten, err);
	for (int32_t i = 0; status == VRS_OK && i < graph->node_count; i++)
		ret_same[i] = is_same(&graph->nodes[i], &rewritten.nodes[i]); /* rewriting adds nodes behind them */
	vrs_graph_fini(&rewritten);
	return status;
}
