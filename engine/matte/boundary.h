/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Agreement of the 0.5 contours of two mattes. */
#ifndef VRS_MATTE_BOUNDARY_H
#define VRS_MATTE_BOUNDARY_H

#include <vrseg/frame.h>

/* Contour pixels match when one of the other matte's lies within radius pixels. 1 when both have none, 0 when one has none. VRS_ENOMEM. */
enum vrs_status vrs_boundary_f(double *ret_f, const struct vrs_matte *a, const struct vrs_matte *b, double radius);

#endif
