/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HDR pictures as networks know pictures: PQ and HLG code values at network size become BT.709 with the brightness of an SDR film.  Only the network
 * sees that; the output keeps its HDR.
 *
 *     code value -> light in nits (ITU-R BT.2100, tables 4 and 5; HLG as a screen of 1000 nits shows it) -> / 203 nits, reference white of BT.2408
 *     -> BT.709 primaries -> highlights rolled off above 0.7 -> exponent 1 / 2.4 (BT.1886)
 */
#ifndef VRS_MATTE_HDR_CURVE_H
#define VRS_MATTE_HDR_CURVE_H

#include <vrseg/frame.h>

#include "base/mem.h"

struct vrs_hdr_curve;

/* The curve of a format; *ret_curve is NULL for formats that are not HDR. VRS_ENOMEM. */
enum vrs_status vrs_hdr_curve_create(struct vrs_hdr_curve **ret_curve, struct vrs_arena *arena, const struct vrs_picture_format *format);
/* n pixels of three values (rgb - mean) * scale in place; mean and scale are in the order R, G, B, the pixels B, G, R when bgr. */
void vrs_hdr_curve_run(const struct vrs_hdr_curve *curve, float *pixels, int n, bool bgr, const float mean[3], const float scale[3]);
/* One colour, R, G, B in 0..1, in place. */
void vrs_hdr_curve_color(const struct vrs_hdr_curve *curve, float rgb[3]);

#endif
