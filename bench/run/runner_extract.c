/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of what a runner has measured, as a result of its own. */
#include <math.h>

#include "analyzer/figures/case_summary.h"
#include "analyzer/figures/figures.h"
#include "bench/run/runner_state.h"

/* The matte belongs to the case: it is compared once, maybe in a round before those that are copied. */
static void keep_quality(struct vrs_case_result *to, const struct vrs_case_result *from)
{
	const struct vrs_run *known = NULL;
	struct vrs_run *first = NULL;
	for (int i = from->run_count - 1; i >= 0; i--)
		if (vrs_run_has_quality(&from->runs[i]))
			known = &from->runs[i];
	for (int i = to->run_count - 1; i >= 0; i--) {
		if (vrs_run_has_quality(&to->runs[i]))
			return;
		if (to->runs[i].status == VRS_RUN_OK)
			first = &to->runs[i];
	}
	if (!known || !first)
		return;
	first->iou = known->iou;
	first->mad = known->mad;
	first->boundary_f = known->boundary_f;
	first->dtssd = known->dtssd;
	first->agreement = known->agreement;
	first->quality_frames = known->quality_frames;
}

static enum vrs_status copy_case(struct vrs_result *to, const struct vrs_case_result *from, int first_round, const char *folder)
{
	struct vrs_case_result *c = vrs_result_add_case(to);
	if (!c)
		return VRS_ENOMEM;
	*c = *from;
	c->runs = NULL;
	c->run_count = 0;
	c->run_capacity = 0;
	for (int i = 0; i < from->run_count; i++) {
		if (from->runs[i].round < first_round)
			continue;
		struct vrs_run *run = vrs_case_result_add_run(c);
		if (!run)
			return VRS_ENOMEM;
		*run = from->runs[i];
	}
	keep_quality(c, from);
	return vrs_case_result_summarize(c, folder);
}

enum vrs_status vrs_runner_extract(struct vrs_runner *runner, const int *indices, int count, int first_round, struct vrs_result **ret_result)
{
	struct vrs_result *to;
	enum vrs_status status = vrs_result_create(&to);
	if (status != VRS_OK)
		return status;
	vrs_runner_judge_noise(runner);
	vrs_figures_fill_shares(runner->result);
	*to = *runner->result;
	to->cases = NULL;
	to->case_count = 0;
	to->case_capacity = 0;
	to->profiles = NULL;
	to->profile_count = 0;
	to->profile_capacity = 0;
	for (int i = 0; i < count && status == VRS_OK; i++)
		status = indices[i] >= 0 && indices[i] < runner->result->case_count
				 ? copy_case(to, &runner->result->cases[indices[i]], first_round, runner->folder)
				 : VRS_EINVAL;
	if (status == VRS_OK)
		*ret_result = to;
	else
		vrs_result_destroy(to);
	return status;
}
