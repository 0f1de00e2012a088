/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Agreement of the 0.5 contours of two mattes. */
#ifndef VRS_MATTE_BOUNDARY_H
#define VRS_MATTE_BOUNDARY_H

#include <vrseg/frame.h>

/* Contour pixels match when one of the other matte's lies within radius pixels. 1 when both have none, 0 when one has none. VRS_ENOMEM. */
enum vrs_status vrs_boundary_f(double *ret_f, const struct vrs_matte *a, const struct vrs_matte *b, double radius);

/*
 * Boundary IoU (Cheng et al., CVPR 2021): intersection over union of what lies within `reach` pixels (at least 1) inside each outline; 1 when both
 * are empty.  ret_iou[1] counts pixels with their weights, [height * width]; it means nothing where weight is NULL.  VRS_ENOMEM.
 */
enum vrs_status vrs_boundary_iou(double ret_iou[2], const struct vrs_matte *a, const struct vrs_matte *b, int reach, const float *weight);
/* map[y * width + x]: 0 on the 0.5 contour, far above that elsewhere. Returns the number of contour pixels. */
long vrs_contour_mark(uint16_t *map, const struct vrs_matte *matte);

#endif
