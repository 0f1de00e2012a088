/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which part of each eye the network sees. */
#ifndef VRS_ROI_VIEW_H
#define VRS_ROI_VIEW_H

#include <vrseg/layout.h>
#include <vrseg/options.h>

/*
 * The view of eye i in a frame of the format: the whole eye, or its centre (share matte.view_size of width and height).  auto takes the centre for
 * eyes that show half a sphere or a fisheye circle, since a person in front of the camera fills the middle of them.
 */
struct vrs_rect vrs_view_rect(const struct vrs_layout *layout, const struct vrs_settings *settings, const struct vrs_picture_format *format, int eye);

#endif
