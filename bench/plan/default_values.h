/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the default case of a result, or a side of an A/B, sets, and its base does not. */
#ifndef VRS_BENCH_DEFAULT_VALUES_H
#define VRS_BENCH_DEFAULT_VALUES_H

#include "bench/plan/bench_input.h"
#include "bench/plan/case.h"
#include "bench/record/result.h"

/*
 * Set in the base what its default case was measured with: of an axis that lacks the base's own value, the first one.  What auto comes to stays auto:
 * input says what that is, and where it is NULL, the result's own_case; of a result without one every value is set, since a value that all cases
 * share may be the only one of an axis.  Nothing is done for a side of an A/B, nor where the result has no such case.  Statuses of vrs_case_parse,
 * vrs_case_settle and vrs_config_set.
 */
enum vrs_status vrs_default_values_apply(struct vrs_config *base, const struct vrs_result *result, const struct vrs_bench_input *input,
					 struct vrs_error *err);
/* The same for a side of an A/B over its own base (vrs_versus_base), by the result's own_case. */
enum vrs_status vrs_side_values_apply(struct vrs_config *base, const struct vrs_result *result, const struct vrs_case *c, struct vrs_error *err);
/* For vrs_result.own_case: the id of what the base alone comes to on an input.  Statuses of vrs_case_settle and vrs_case_id. */
enum vrs_status vrs_default_values_own_id(const struct vrs_config *base, const struct vrs_bench_input *input, char ret_id[VRS_CASE_ID_MAX],
					  struct vrs_error *err);

#endif
