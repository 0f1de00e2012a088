/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a network saw of several parts of several pictures: place input * of_input + number, where that is the region, or the view of a search. */
#ifndef VRS_ROI_ROI_SET_H
#define VRS_ROI_ROI_SET_H

#include <vrseg/frame.h>

struct vrs_roi_set {
	int of_input;           /* 0: nothing */
	struct vrs_rect *rects; /* [room * eyes * of_input] */
	float *alpha;           /* [..][matte_height * matte_width of the network] */
};

#endif
