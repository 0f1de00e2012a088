/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who comes in while a recurrent network follows others in one region (roi_arrivals.h: in several): now and then (vrs_roi_is_wide) an eye is looked
 * at around all who are known and its start view.  The network has no past there, so that this look is nobody's matte; the region is widened by
 * whom it shows besides those who are known.
 */
#ifndef VRS_ROI_ROI_NEWCOMERS_H
#define VRS_ROI_ROI_NEWCOMERS_H

#include "roi/roi_worker.h"

/* Eyes of the batch's frame that are due go into worker->newcomers, and their places there to ret_places; returns their number. */
int vrs_roi_newcomers_open(struct vrs_roi_worker *worker, int *ret_places);
/* What that look at an eye shows, into batch.now. */
void vrs_roi_newcomers_judge(struct vrs_roi_worker *worker, int eye);

#endif
