/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Looks at several regions of an eye (matte.max_regions): a look at all of it shows who stands apart, then each group of people has a look of its
 * own, and what was seen is put together into one matte of the part around all.
 */
#ifndef VRS_ROI_ROI_REGIONS_H
#define VRS_ROI_ROI_REGIONS_H

#include "roi/roi_worker.h"

/*
 * What the looks of input i, all done, say: batch.next[i], and the places in looks that are to be looked at again into open; returns their number.
 * last: none.
 */
int vrs_roi_regions_judge(struct vrs_roi_worker *worker, int i, bool last, int *open);
/* The matte of input i and the part that it covers out of its regions' looks. */
void vrs_roi_regions_merge(struct vrs_roi_worker *worker, int i);

#endif
