/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/screening.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LITTLE_WORK 0.1 /* an option of stages with less than this share of all work gains little: it is tried last */

double vrs_screening_work(const struct vrs_space *space, const double *work, int knob)
{
	unsigned stages = vrs_knob_stages(space->knobs[knob].row);
	double sum = 0;
	for (int i = 0; i < VRS_STAGE_COUNT; i++)
		if (stages >> i & 1)
			sum += work[i];
	return isfinite(sum) ? sum : 1;
}

/* "encode 68 %, inference 20 %", the largest first, of stages that are worth it. */
static void name_work(const double *work, char *buf, size_t size)
{
	double below = INFINITY;
	buf[0] = '\0';
	for (;;) {
		int most = -1;
		for (int i = 0; i < VRS_STAGE_COUNT; i++)
			if (work[i] < below && work[i] >= LITTLE_WORK && (most < 0 || work[i] > work[most]))
				most = i;
		if (most < 0)
			return;
		size_t used = strlen(buf);
		snprintf(buf + used, size - used, "%s%s %.0f %%", used ? ", " : "", vrs_stage_name((enum vrs_stage)most), 100 * work[most]);
		below = work[most];
	}
}

/*
 * The order in which options are tried: where most of the work is, first.  Each one that is chosen halves the weight of its stages, so that the first
 * few belong to different ones; what changes no stage's work, only how stages wait, counts a quarter, and so does what seldom wins.
 */
static void order_by_work(const struct vrs_space *space, const double *work, int *order)
{
	double weight[VRS_STAGE_COUNT];
	bool taken[VRS_SPACE_MAX_KNOBS] = {false};
	for (int i = 0; i < VRS_STAGE_COUNT; i++)
		weight[i] = isfinite(work[i]) ? work[i] : 1;
	for (int n = 0; n < space->count; n++) {
		double most = -1;
		for (int k = 0; k < space->count; k++) {
			double sum = 0;
			for (int i = 0; i < VRS_STAGE_COUNT; i++)
				sum += vrs_knob_stages(space->knobs[k].row) >> i & 1 ? weight[i] : 0;
			sum *= space->knobs[k].row->stages && !(space->knobs[k].row->traits & VRS_OPTION_SELDOM) ? 1 : 0.25;
			if (!taken[k] && sum > most) {
				most = sum;
				order[n] = k;
			}
		}
		taken[order[n]] = true;
		for (int i = 0; i < VRS_STAGE_COUNT; i++)
			weight[i] *= vrs_knob_stages(space->knobs[order[n]].row) >> i & 1 ? 0.5 : 1;
	}
}

struct vrs_point vrs_point_single(int knob, int level)
{
	struct vrs_point point = {{0}};
	point.level[knob] = (unsigned char)level;
	return point;
}

struct vrs_point vrs_screening_start(const struct vrs_space *space)
{
	struct vrs_point point = {{0}};
	for (int k = 0; k < space->count; k++)
		for (int v = 0; v < space->knobs[k].count; v++)
			if (space->knobs[k].start[0] && strcmp(space->knobs[k].values[v], space->knobs[k].start) == 0)
				point.level[k] = (unsigned char)(1 + v);
	return point;
}

enum vrs_status vrs_screening_propose(const struct vrs_grid *grid, const double *work, bool little, struct vrs_proposal *ret, struct vrs_error *err)
{
	const struct vrs_space *space = grid->space;
	char named[96];
	int order[VRS_SPACE_MAX_KNOBS];
	order_by_work(space, work, order);
	name_work(work, named, sizeof named);
	if (!named[0])
		snprintf(ret->why, sizeof ret->why, "each value alone");
	else if (little)
		snprintf(ret->why, sizeof ret->why, "each value alone of the options whose stages do less than %.0f %% of the work", 100 * LITTLE_WORK);
	else
		snprintf(ret->why, sizeof ret->why, "each value alone; the work is %s", named);
	struct vrs_point start = vrs_screening_start(space);
	size_t used = strlen(ret->why);
	if (!little && vrs_point_changes(&start) > 1 && vrs_proposal_add(ret, grid, &start))
		snprintf(ret->why + used, sizeof ret->why - used, "; first the settings that are proposed");
	for (int v = 1; v <= VRS_KNOB_MAX_VALUES; v++)
		for (int i = 0; i < space->count; i++) {
			struct vrs_point point = vrs_point_single(order[i], v);
			if (v > space->knobs[order[i]].count || (vrs_screening_work(space, work, order[i]) < LITTLE_WORK) != little)
				continue;
			if (ret->count == VRS_PROPOSAL_MAX)
				return vrs_fail(err, VRS_ECONFIG, "there are more than %d values to try; name fewer options with --only", VRS_PROPOSAL_MAX);
			vrs_proposal_add(ret, grid, &point);
		}
	return VRS_OK;
}
