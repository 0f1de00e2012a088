/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/measure.h"

#include "base/mem.h"

enum vrs_status vrs_tune_measure(void *cookie, const struct vrs_step *step, const struct vrs_case *cases, int count, int rounds,
				 struct vrs_result **ret_result, struct vrs_error *err)
{
	struct vrs_tune_measure *t = cookie;
	int *indices = vrs_calloc((size_t)count, sizeof *indices);
	if (!indices)
		return vrs_fail_nomem(err);
	enum vrs_status status = VRS_OK;
	int unique = 0, first = t->next_round;
	int *runs = vrs_calloc((size_t)count, sizeof *runs);
	if (!runs)
		status = vrs_fail_nomem(err);
	for (int i = 0; status == VRS_OK && i < count; i++) {
		status = vrs_runner_add(t->runner, &cases[i], &indices[i], err);
		bool seen = false;
		for (int k = 0; status == VRS_OK && k < unique; k++)
			seen = seen || runs[k] == indices[i];
		if (status == VRS_OK && !seen)
			runs[unique++] = indices[i];
	}
	if (status == VRS_OK && t->on_step)
		t->on_step(t->cookie, step, unique, rounds);
	t->next_round += rounds;
	/* Two candidates that come to the same configuration (batch 2 where "auto" is 2) are one case and run once a round. */
	if (status == VRS_OK)
		status = vrs_runner_measure(t->runner, runs, unique, first, rounds, err);
	if (status == VRS_OK)
		status = vrs_runner_extract(t->runner, indices, count, first, ret_result);
	if (status != VRS_OK && err && !err->status)
		(void)vrs_fail(err, status, "cannot measure: %s", vrs_status_str(status));
	vrs_free(indices);
	vrs_free(runs);
	return status;
}
