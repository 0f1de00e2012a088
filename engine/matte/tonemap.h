/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HDR pictures (PQ, HLG) as SDR pictures: 8 bits, BT.709, limited range.  A code value becomes display light, its primaries become BT.709's (what
 * lies outside them is drawn towards its grey), and the largest of R, G and B goes through the EETF of ITU-R BT.2390 (section 5.4.1), which keeps
 * dark and middle light and rolls off what is between them and the film's peak; the other two keep their proportion, so colours stay.  The target's
 * peak is 203 nits, SDR white of ITU-R BT.2408, and its gamma 2.4 (BT.1886).
 *
 * All of that is in a table over Y, Cb and Cr, made once; a sample is interpolated in it, so that no picture of R, G and B ever exists.
 */
#ifndef VRS_MATTE_TONEMAP_H
#define VRS_MATTE_TONEMAP_H

#include <stdbool.h>

#include <vrseg/frame.h>

struct vrs_tonemap;

/* Peak of a film that does not say its own. */
#define VRS_TONEMAP_PEAK_NITS 1000.0

/* Light after the EETF, 0..203 nits, of 0..peak_nits (at least 203). */
double vrs_tonemap_eetf(double nits, double peak_nits);
/* R'G'B' of an HDR format (0..1 each) as R'G'B' of SDR, exactly. */
void vrs_tonemap_color(const struct vrs_picture_format *format, double peak_nits, const double code[3], double ret[3]);
/* What comes out for pictures of an HDR format. */
struct vrs_picture_format vrs_tonemap_format(const struct vrs_picture_format *source);
/* VRS_EINVAL: the format is not HDR or has no chroma; VRS_ENOMEM.  Any number of threads may use one at the same time. */
enum vrs_status vrs_tonemap_create(struct vrs_tonemap **ret_tonemap, const struct vrs_picture_format *source, double peak_nits);
void vrs_tonemap_destroy(struct vrs_tonemap *tonemap); /* NULL is fine */
/* All samples of dst, whose format is vrs_tonemap_format's, from src. */
void vrs_tonemap_run(const struct vrs_tonemap *tonemap, struct vrs_frame *dst, const struct vrs_frame *src);

#endif
