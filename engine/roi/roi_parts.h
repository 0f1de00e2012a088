/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the looks at the people of a frame show in each eye: the part of each person, and others beside them. */
#ifndef VRS_ROI_ROI_PARTS_H
#define VRS_ROI_ROI_PARTS_H

#include "roi/roi_worker.h"

#define VRS_ROI_FAR_SMALLER 0.125 /* of the area of somebody's view: whoever is as small in it may be lost there */

/* Of one eye. */
struct vrs_roi_parts {
	struct vrs_rect rect[VRS_REGIONS_MAX];   /* of each person, */
	bool seen[VRS_REGIONS_MAX], truncated[VRS_REGIONS_MAX];
	bool apart[VRS_REGIONS_MAX];             /* as vrs_person.apart */
	struct vrs_regions others;               /* and beside them; who: place of the person whose look shows it, + 1 */
};

/* Is that nobody, but the start views in the place of a person, because nobody is known? */
bool vrs_roi_parts_is_anyone(const struct vrs_roi_worker *worker, const struct vrs_person *person);
/* Does the view of somebody hold a part of an eye with people? */
bool vrs_roi_parts_is_known(const struct vrs_roi_worker *worker, int n, int eye, const struct vrs_rect *part);
/*
 * Of frame n, whose people are where they were looked at.  Eyes part people alike: whom one of them sees as one, the other one does not part.
 * last: no look follows, so that there are no others; the parts of those beside whom they are hold them.
 */
void vrs_roi_parts_read(struct vrs_roi_worker *worker, int n, bool last, struct vrs_roi_parts ret_parts[VRS_PEOPLE_EYES]);

#endif
