/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rays of an eye of a synthetic scene. */
#ifndef VRS_VIDEO_SYNTH_LENS_H
#define VRS_VIDEO_SYNTH_LENS_H

#include <stdbool.h>

#include <vrseg/layout.h>

#define VRS_SYNTH_EYES_APART 0.064 /* metres */

struct vrs_synth_lens {
	enum vrs_projection projection;
	int width, height;   /* of the eye */
	double fov;          /* radians: of the width; of a fisheye of the circle */
	double offset;       /* metres of the eye to the right of the camera */
	float camera[3];
	double yaw;          /* of the camera, to the right */
};

/*
 * The ray of the point (x, y), in pixels from the top left corner of the eye; false: the picture is black there.  VR180, fisheye and flat pictures
 * come from two cameras beside each other; in 360 degrees the eyes turn with the direction, so that each has its neighbour beside it all around.
 */
bool vrs_synth_lens_ray(const struct vrs_synth_lens *lens, double x, double y, float ret_origin[3], float ret_direction[3]);
/* Radians that a pixel in the middle covers. */
double vrs_synth_lens_pixel(const struct vrs_synth_lens *lens);

#endif
