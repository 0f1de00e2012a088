/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the network's part of a worker needs is made before the run. */
#ifndef VRS_ROI_ROI_SETUP_H
#define VRS_ROI_ROI_SETUP_H

#include "roi/roi_worker.h"

/*
 * Session and head of a worker whose plan and device are set: a clone of those of `first`, or the first of their device, where that is the worker
 * itself.  What the session says.
 */
enum vrs_status vrs_roi_worker_open(struct vrs_roi_worker *worker, const struct vrs_roi_worker *first, struct vrs_error *err);
/*
 * A worker whose plan, flow, past, reference, arena, device and frames are set, and whose session and head may be (those of the first worker, which
 * were needed to learn the shapes).  `first` has the session whose weights it shares, or is the worker itself, the first on its device.  luma: mattes
 * need the luma of pictures.  VRS_EINVAL, VRS_ELIMIT, VRS_ENOMEM, or what the session says.
 */
enum vrs_status vrs_roi_worker_init(struct vrs_roi_worker *worker, const struct vrs_roi_worker *first, bool luma, struct vrs_error *err);
void vrs_roi_worker_fini(struct vrs_roi_worker *worker); /* zeroed memory is fine */

#endif
