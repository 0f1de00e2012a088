/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The configuration that a result recommends, from this machine's own numbers.  A cell replaces the default only when runs that shared at least
 * eight rounds prove it faster (Holm over all candidates, two-sided 5 %), by the margin or more, with mattes that agree with the reference.
 */
#ifndef VRS_BENCH_RECOMMEND_H
#define VRS_BENCH_RECOMMEND_H

#include <stdio.h>

#include <vrseg/config.h>

#include "bench/record/result.h"

/* Fill recommended_case and recommendation of a summarized result. VRS_ENOMEM. */
enum vrs_status vrs_recommend(struct vrs_result *result);
/* Write recommended.yaml: values of the recommended case over base, its figures and the table of resolutions as comments. */
enum vrs_status vrs_recommend_write(const struct vrs_result *result, const struct vrs_config *base, const char *path, struct vrs_error *err);
/* Best measured cell of each resolution, widest first; each line starts with prefix. Says where nothing is proven. */
enum vrs_status vrs_recommend_table(const struct vrs_result *result, const char *prefix, FILE *out);

#endif
