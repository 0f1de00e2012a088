/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What looks at the regions of an eye saw, as one matte of the part around all who are shown, with the plan's pad. */
#ifndef VRS_ROI_ROI_REGIONS_H
#define VRS_ROI_ROI_REGIONS_H

#include "roi/roi_worker.h"

/* The matte of input i and the part that it covers out of its regions' looks. */
void vrs_roi_regions_merge(struct vrs_roi_worker *worker, int i);

#endif
