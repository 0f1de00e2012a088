/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The configuration that a result recommends, from this machine's own numbers.  A case replaces the default only when runs that shared at least
 * eight rounds prove it faster (Holm over all other cases, two-sided 5 %), by the margin or more, with mattes that agree with the reference.
 */
#ifndef VRS_BENCH_RECOMMEND_H
#define VRS_BENCH_RECOMMEND_H

#include <vrseg/config.h>

#include "bench/judge/holm_family.h"
#include "bench/plan/bench_input.h"
#include "bench/record/result.h"

/* Fill recommended_case and recommendation of a summarized result. VRS_ENOMEM. */
enum vrs_status vrs_recommend(struct vrs_result *result);
/*
 * Write recommended.yaml: values of the recommended case over base, its figures and the table of resolutions as comments.  The default case has auto
 * where that comes to its values on this input (vrs_default_values_apply).
 */
enum vrs_status vrs_recommend_write(const struct vrs_result *result, const struct vrs_config *base, const struct vrs_bench_input *input,
				    const char *path, struct vrs_error *err);
/* The best measured case of a resolution. */
struct vrs_recommend_row {
	int width, height;               /* 0: the case is not the first of its size, or is of another kind than the default */
	const struct vrs_case_result *best; /* NULL: none; against says why */
	char against[256];               /* how sure it is that it is faster than the default's values at that size */
};
/*
 * That of the size of case `index`, once for each size.  kept: zeroed before the first call, keeps what was judged for the next ones; release it with
 * vrs_holm_family_fini.  VRS_ENOMEM.
 */
enum vrs_status vrs_recommend_best(const struct vrs_result *result, int index, struct vrs_holm_family *kept, struct vrs_recommend_row *ret_row);
/* The same of its size and batch. */
enum vrs_status vrs_recommend_best_batch(const struct vrs_result *result, int index, struct vrs_holm_family *kept, struct vrs_recommend_row *ret_row);

#endif
