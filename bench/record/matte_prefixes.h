/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figures with truth over the first mattes of a run, frame by frame: a slow run ends before others do, and what both have compared is the frames that
 * the shorter one has.
 */
#ifndef VRS_BENCH_MATTE_PREFIXES_H
#define VRS_BENCH_MATTE_PREFIXES_H

#include <stdbool.h>

#include <vrseg/quality.h>

#include "base/json.h"

#define VRS_MATTE_PREFIXES_MAX 24 /* as many frames are compared */

struct vrs_matte_prefixes {
	int count;                                  /* 0: not recorded */
	int mattes[VRS_MATTE_PREFIXES_MAX];         /* compared up to and with this frame, of both eyes */
	float figures[VRS_MATTE_PREFIXES_MAX][VRS_QUALITY_FIGURES]; /* over these; NaN: not known.  Of six decimals, so that files hold the same */
};

/* Another frame: as vrs_quality_figure of the sums so far.  More frames than fit are left out. */
void vrs_matte_prefixes_add(struct vrs_matte_prefixes *prefixes, int mattes, const struct vrs_truth_sums *sums);
/* Number of the longest prefix that both have, of the same mattes; -1: none. */
int vrs_matte_prefixes_common(const struct vrs_matte_prefixes *a, const struct vrs_matte_prefixes *b);
/* {"mattes": [1, 2, ...], "iou": [0.9, ...], ...}: figures that no prefix has or nothing is judged by are left out. False: out of memory. */
bool vrs_matte_prefixes_put(cJSON *object, const char *key, const struct vrs_matte_prefixes *prefixes);
/* Back. False: it is no such object. */
bool vrs_matte_prefixes_get(const cJSON *object, struct vrs_matte_prefixes *ret);

#endif
