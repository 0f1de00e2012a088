/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the samples of a VR picture weigh: the solid angle that each shows. */
#ifndef VRS_VR_SOLID_ANGLE_H
#define VRS_VR_SOLID_ANGLE_H

#include "vr/lens.h"

/*
 * Of a lens that looks ahead.  weight: [lens->height * lens->width], in proportion to the solid angle: the cosine of the latitude in equirectangular
 * pictures, sin(theta) / theta at the angle theta from the axis in fisheye ones, cos(theta)^3 in flat ones; 0 where the lens shows nothing.  Their
 * mean is 1 where it shows something.
 */
void vrs_solid_angles(const struct vrs_lens *lens, float *weight);

#endif
