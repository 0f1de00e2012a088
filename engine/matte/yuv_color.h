/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Y'CbCr of a picture format: conversion coefficients (ITU-T H.273, section 8.3), code values, and where chroma samples lie: a part of a picture in
 * the samples of its planes, and how a map that covers the part evenly (a matte, a small picture) lies under them.
 */
#ifndef VRS_MATTE_YUV_COLOR_H
#define VRS_MATTE_YUV_COLOR_H

#include <stdint.h>

#include <vrseg/frame.h>

struct vrs_color_kernel_args;

/* Code values of R'G'B' (0..255 each) in a format's matrix, range and depth, rounded. */
void vrs_yuv_from_rgb(int ret_yuv[3], const struct vrs_picture_format *format, const uint8_t rgb[3]);
/* The same of R'G'B' of 0..1 each. */
void vrs_yuv_from_share(int ret_yuv[3], const struct vrs_picture_format *format, const double rgb[3]);
/* The same, neither rounded nor cut off; and back. */
void vrs_yuv_codes(double ret_yuv[3], const struct vrs_picture_format *format, const double rgb[3]);
void vrs_yuv_to_share(double ret_rgb[3], const struct vrs_picture_format *format, const double yuv[3]);
/* Code value of luma for a grey of 0..255: 0 gives black, 255 white. */
int vrs_luma_from_grey(const struct vrs_picture_format *format, int grey);
/*
 * Arguments of the kernel that turns sample15 Y, U, V into (rgb - mean) * scale, channels reversed when bgr; mean and scale are in the order
 * R, G, B.
 */
void vrs_yuv_kernel_args(struct vrs_color_kernel_args *ret_args, const struct vrs_picture_format *format, bool bgr, const float mean[3],
			 const float scale[3]);
/*
 * Centre of chroma sample 0 in luma coordinates, less the centre of the luma samples it stands for: 0 when centred, -0.5 when it shares the
 * place of the first of two.  axis 0: x, 1: y.
 */
double vrs_chroma_offset(const struct vrs_picture_format *format, int axis);

/* Plane groups: 0 luma (and alpha), 1 chroma. */

/* The part in the samples of a group; chroma samples that a part of odd size shares with the outside belong to the part. */
struct vrs_rect vrs_plane_rect(const struct vrs_picture_format *format, const struct vrs_rect *part, int group);

/* Sample (x, y) of the plane's part has its centre at (x + 0.5) * step + offset in a part of size extent, in luma samples. */
struct vrs_plane_grid {
	double step[2], offset[2], extent[2];
};

struct vrs_plane_grid vrs_plane_grid_make(const struct vrs_picture_format *format, const struct vrs_rect *part, int group);

#endif
