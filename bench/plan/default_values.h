/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the default case of a result, or a side of an A/B, sets, and its base does not. */
#ifndef VRS_BENCH_DEFAULT_VALUES_H
#define VRS_BENCH_DEFAULT_VALUES_H

#include "bench/plan/bench_input.h"
#include "bench/plan/case.h"
#include "bench/record/result.h"

/*
 * Set in the base what its default case was measured with: of an axis that lacks the base's own value, the first one.  What auto comes to stays auto;
 * input says what that is for numbers, and where it is NULL, auto's are those that no case of the result varies.  Nothing is done for a
 * side of an A/B, nor where the result has no such case.  Statuses of vrs_case_parse, vrs_case_settle and vrs_config_set.
 */
enum vrs_status vrs_default_values_apply(struct vrs_config *base, const struct vrs_result *result, const struct vrs_bench_input *input,
					 struct vrs_error *err);
/* The same for a side of an A/B over its own base (vrs_versus_base): what auto comes to stays auto where no case of the result varies it. */
enum vrs_status vrs_side_values_apply(struct vrs_config *base, const struct vrs_result *result, const struct vrs_case *c, struct vrs_error *err);

#endif
