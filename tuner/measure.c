/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/measure.h"

#include <vrseg/options.h>

#include "base/mem.h"
#include "base/str_parse.h"

/* Two candidates that come to the same configuration (batch 2 where "auto" is 2) are one case and run once a round. */
static enum vrs_status measure_once_each(struct vrs_tune_measure *t, const struct vrs_step *step, const int *indices, int count, int first,
					 int rounds, struct vrs_error *err)
{
	int unique = 0;
	int *runs = vrs_calloc((size_t)count, sizeof *runs);
	if (!runs)
		return vrs_fail_nomem(err);
	for (int i = 0; i < count; i++) {
		bool seen = false;
		for (int k = 0; k < unique; k++)
			seen = seen || runs[k] == indices[i];
		if (!seen)
			runs[unique++] = indices[i];
	}
	if (t->on_step)
		t->on_step(t->cookie, step, unique, rounds);
	enum vrs_status status = vrs_runner_measure(t->runner, runs, unique, first, rounds, err);
	vrs_free(runs);
	return status;
}

/* Does a case make other pictures than the default, so that it takes a run of its own to know how good they are? */
static bool has_own_pictures(const struct vrs_case *c)
{
	for (int i = 0; i < c->value_count; i++)
		if (vrs_option_find(c->values[i].key)->affects & (VRS_AFFECTS_MATTE | VRS_AFFECTS_PICTURE))
			return true;
	return c->value_count == 0;
}

/* The same settings, as fast as they run: index of that case. */
static enum vrs_status add_offline(struct vrs_runner *runner, const struct vrs_case *live, int *ret_index, struct vrs_error *err)
{
	struct vrs_case c = {.width = live->width, .height = live->height};
	if (has_own_pictures(live))
		c = *live;
	c.live_hz = 0;
	return vrs_runner_add(runner, &c, ret_index, err);
}

/* Give live cases the mattes and outputs of their offline runs; round 1 of the runner holds these. */
static enum vrs_status compare_live(struct vrs_tune_measure *t, const struct vrs_case *cases, int count, struct vrs_result *result,
				    struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	int *offline = vrs_calloc((size_t)count, sizeof *offline);
	const struct vrs_step step = {.phase = "comparing", .why = "mattes of the same settings, not live", .stretch = 1};
	struct vrs_result *compared = NULL;
	if (!offline)
		return vrs_fail_nomem(err);
	for (int i = 0; status == VRS_OK && i < count; i++)
		status = add_offline(t->runner, &cases[i], &offline[i], err);
	if (status == VRS_OK)
		status = measure_once_each(t, &step, offline, count, 1, 1, err);
	if (status == VRS_OK)
		status = vrs_runner_extract(t->runner, offline, count, 1, 1, &compared);
	for (int i = 0; status == VRS_OK && i < count; i++)
		vrs_case_result_keep_quality(&result->cases[i], &compared->cases[i]);
	vrs_result_destroy(compared);
	vrs_free(offline);
	return status;
}

/* The first case of every measurement is the default, which the others, and whoever reads the results, compare with. */
static enum vrs_status add_cases(struct vrs_runner *runner, const struct vrs_case *cases, int count, int *ret_indices, struct vrs_error *err)
{
	struct vrs_case base = cases[0];
	(void)vrs_strcpy(base.axis, sizeof base.axis, VRS_AXIS_DEFAULT);
	enum vrs_status status = vrs_runner_add(runner, &base, &ret_indices[0], err);
	for (int i = 1; status == VRS_OK && i < count; i++)
		status = vrs_runner_add(runner, &cases[i], &ret_indices[i], err);
	return status;
}

enum vrs_status vrs_tune_measure(void *cookie, const struct vrs_step *step, const struct vrs_case *cases, int count, int rounds,
				 struct vrs_result **ret_result, struct vrs_error *err)
{
	struct vrs_tune_measure *t = cookie;
	int *indices = vrs_calloc((size_t)count, sizeof *indices);
	if (!indices)
		return vrs_fail_nomem(err);
	int first = t->next_round;
	enum vrs_status status = add_cases(t->runner, cases, count, indices, err);
	t->next_round += rounds;
	vrs_runner_stretch(t->runner, step->stretch);
	if (status == VRS_OK)
		status = measure_once_each(t, step, indices, count, first, rounds, err);
	vrs_runner_stretch(t->runner, 1);
	if (status == VRS_OK)
		status = vrs_runner_extract(t->runner, indices, count, first, rounds, ret_result);
	if (status == VRS_OK && cases[0].live_hz > 0) {
		status = compare_live(t, cases, count, *ret_result, err);
		if (status != VRS_OK) {
			vrs_result_destroy(*ret_result);
			*ret_result = NULL;
		}
	}
	if (status != VRS_OK && err && !err->status)
		(void)vrs_fail(err, status, "cannot measure: %s", vrs_status_str(status));
	vrs_free(indices);
	return status;
}
