/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the pixels of a picture look, in double precision: the truth that fixed-point maps are made from and tested against.
 *
 * Directions are unit vectors x to the right, y up, z ahead, seen from the eye.  A picture has its origin at the upper left corner, so that pixel
 * (i, j) has its centre at (i + 0.5, j + 0.5).  With longitude lon = atan2(x, z), latitude lat = asin(y) and theta = the angle to the axis:
 *
 *     equirect, hequirect   u = (lon / h_fov + 1/2) width,  v = (1/2 - lat / v_fov) height     (fov 360 x 180 and 180 x 180 unless bounds cut it)
 *     fisheye               r = theta / (h_fov / 2) * radius, equidistant as players take it; radius = half the shorter side
 *     flat                  u = (x / z / tan(h_fov / 2) + 1) width / 2, gnomonic
 */
#ifndef VRS_VR_LENS_H
#define VRS_VR_LENS_H

#include <vrseg/layout.h>

struct vrs_lens {
	enum vrs_projection projection; /* not UNKNOWN */
	double h_fov, v_fov;            /* radians; of a fisheye both are the angle across the circle */
	double h_tan, v_tan;            /* of a flat one: tangents of half the angles */
	int width, height;              /* of the picture of one eye */
	double turn[3][3];              /* rows: axes of the lens in the eye's coordinates; identity for a lens that looks ahead */
};

/*
 * The lens of an eye of width x height.  fov_degrees 0: what is usual (flat 90, hequirect 180, equirect 360, fisheye 180).  Angles of flat lenses are
 * horizontal, vertical follows from square pixels; equirectangular ones have square degrees, but never more than 180 of them above each other.
 * VRS_EINVAL: a projection without lens, an empty picture, or an angle that it cannot show (flat 1..170, fisheye 1..360, the others 1..360).
 */
enum vrs_status vrs_lens_init(struct vrs_lens *ret_lens, enum vrs_projection projection, double fov_degrees, int width, int height,
			      struct vrs_error *err);
/* The lens of the eyes of a layout: degrees are square, samples may be squeezed. Statuses of vrs_lens_init. */
enum vrs_status vrs_lens_of_layout(struct vrs_lens *ret_lens, const struct vrs_layout *layout, int width, int height, struct vrs_error *err);
/* Look to longitude yaw and latitude pitch (radians) instead of ahead: positive to the right and up. */
void vrs_lens_turn(struct vrs_lens *lens, double yaw, double pitch);

/* Direction of picture position (u, v); false outside the picture, or outside the circle of a fisheye. */
bool vrs_lens_direction(const struct vrs_lens *lens, double u, double v, double ret_direction[3]);
/*
 * Picture position of a direction of any length; false when the picture does not show it.  Positions up to half a pixel outside are shown, since the
 * border pixels' centres are half a pixel inside.
 */
bool vrs_lens_position(const struct vrs_lens *lens, const double direction[3], double *ret_u, double *ret_v);

#endif
