/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The network's part of a worker: every eye of a few frames goes through it, as often as it takes to see the people well.
 *
 * A frame looks first where people were before (roi_past.h); one whose matte shows that this was the wrong place (vrs_follow_judge) is looked at
 * again.  With matte.max_regions people who stand apart are looked at one by one (roi_regions.h); with matte.scales each is looked at in wider
 * views too.
 */
#ifndef VRS_ROI_ROI_INFERENCE_H
#define VRS_ROI_ROI_INFERENCE_H

#include "roi/roi_worker.h"

/*
 * The first `frames` frames of the batch, except those that reuse a matte: fills its alpha, luma, scenes, views and next. False when the job is over;
 * its error is recorded.
 */
bool vrs_roi_inference_run(struct vrs_roi_worker *worker, int frames);

#endif
