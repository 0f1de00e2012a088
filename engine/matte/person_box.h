/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of an eye where people are, so that figures do not depend on how much empty room is around them. */
#ifndef VRS_MATTE_PERSON_BOX_H
#define VRS_MATTE_PERSON_BOX_H

#include <vrseg/frame.h>

/*
 * The smallest rectangle around all samples of 128 and more.  circle: the matte's rows close to a circle, and the rectangle may go on at the left
 * edge (base/wraparound.h, with the width as circle).  Width 0: nobody.  VRS_ENOMEM.
 */
enum vrs_status vrs_person_box(struct vrs_rect *ret_box, const struct vrs_matte *matte, bool circle) VRS_MUST_CHECK;
/* The smallest rectangle around both; either may be empty.  circle: 0, or the width of the eye. */
struct vrs_rect vrs_person_box_join(const struct vrs_rect *a, const struct vrs_rect *b, int circle);
/* Samples of the box and a quarter of its width and height more on each side, as far as the eye of width x height goes. */
double vrs_person_box_area(const struct vrs_rect *box, int width, int height, bool circle);

#endif
