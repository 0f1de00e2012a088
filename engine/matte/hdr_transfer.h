/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Transfer functions of HDR pictures (ITU-R BT.2100), as display light: PQ (SMPTE ST 2084) and HLG on a display of 1000 nits, whose system gamma is
 * 1.2.  SDR white is 203 nits of HDR (ITU-R BT.2408), SDR displays have a gamma of 2.4 (ITU-R BT.1886).
 */
#ifndef VRS_MATTE_HDR_TRANSFER_H
#define VRS_MATTE_HDR_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/frame.h>

#include "base/mem.h"

#define VRS_SDR_WHITE_NITS 203.0
#define VRS_HLG_NITS 1000.0
#define VRS_SDR_GAMMA 2.4

/* PQ: code value 0..1 to nits 0..10000, and back. */
double vrs_pq_nits(double code);
double vrs_pq_code(double nits);
/* Is the format PQ, or either of both? */
bool vrs_format_is_pq(const struct vrs_picture_format *format);
bool vrs_format_is_hdr(const struct vrs_picture_format *format);
/* R'G'B' (0..1) of an HDR format to R G B in nits, in its primaries, and back. */
void vrs_hdr_light(const struct vrs_picture_format *format, const double code[3], double ret_nits[3]);
void vrs_hdr_code(const struct vrs_picture_format *format, const double nits[3], double ret_code[3]);
/* Linear R G B from BT.2020's primaries to BT.709's (ITU-R BT.2407), and back (BT.2087); results may be negative. */
void vrs_bt709_from_bt2020(const double rgb[3], double ret[3]);
void vrs_bt2020_from_bt709(const double rgb[3], double ret[3]);
/* Code values of an SDR colour (R'G'B' of BT.709, 0..255 each) in any format: in HDR it has the light that it has beside SDR white of 203 nits. */
void vrs_yuv_from_sdr(int ret_yuv[3], const struct vrs_picture_format *format, const uint8_t rgb[3]);

/*
 * HDR pictures as networks know pictures: PQ and HLG code values at network size become BT.709 with the brightness of an SDR film.  Only the network
 * sees that; the output keeps its HDR.
 *
 *     code value -> light in nits (ITU-R BT.2100, tables 4 and 5; HLG as a screen of 1000 nits shows it) -> / 203 nits, reference white of BT.2408
 *     -> BT.709 primaries -> highlights rolled off above 0.7 -> exponent 1 / 2.4 (BT.1886)
 */
struct vrs_hdr_curve;

/* The curve of a format; *ret_curve is NULL for formats that are not HDR. VRS_ENOMEM. */
enum vrs_status vrs_hdr_curve_create(struct vrs_hdr_curve **ret_curve, struct vrs_arena *arena, const struct vrs_picture_format *format);
/* n pixels of three values (rgb - mean) * scale in place; mean and scale are in the order R, G, B, the pixels B, G, R when bgr. */
void vrs_hdr_curve_run(const struct vrs_hdr_curve *curve, float *pixels, int n, bool bgr, const float mean[3], const float scale[3]);
/* One colour, R, G, B in 0..1, in place. */
void vrs_hdr_curve_color(const struct vrs_hdr_curve *curve, float rgb[3]);

#endif
